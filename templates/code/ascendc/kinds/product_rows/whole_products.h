// Computes whole matrix products in float32 into the user workspace, where all vector cores can read them.
//
// One AI Core is a cube core with two vector cores. A vector core requests the tiles of its share by messages; the cube
// core computes them in the order of the messages, and writes each to its place in the product.
#ifndef WHOLE_PRODUCTS_H
#define WHOLE_PRODUCTS_H

#include <cstdint>
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "product_tiling.h"
#include "tile_matmul.h"

namespace whole_products {

// The address of a product in the user workspace: the products follow each other.
__aicore__ inline GM_ADDR Address(GM_ADDR userWorkspace, const ProductTiling& tiling, uint32_t product) {
    return userWorkspace + product * tiling.productBytes;
}

// Products of matrices of these types, stored transposed or not.
template <typename Left, bool kLeftTransposed, typename Right, bool kRightTransposed>
class Products {
public:
    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, Left, kLeftTransposed>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, Right, kRightTransposed>;
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
    // The entry function registers it, which starts the cube core.
    matmul::Matmul<LeftMatrix, RightMatrix, ProductMatrix, ProductMatrix, tile_matmul::kConfig> matmulObj;

    __aicore__ inline void Init(GM_ADDR userWorkspace, const ProductTiling& productTiling) {
        workspace = userWorkspace;
        tiling = &productTiling;
        const int64_t workerNumber = tile_matmul::WorkerNumber(productTiling.blockCount);
        tileShare = tile_matmul::ShareOf(workerNumber, productTiling.workerCount, productTiling.tileCount);
    }

    // Computes this core's tiles of a product.
    __aicore__ inline void Multiply(GM_ADDR left, GM_ADDR right, uint32_t product) {
        if (tileShare.begin == tileShare.end) {
            return;
        }
        AscendC::GlobalTensor<Left> leftGm;
        AscendC::GlobalTensor<Right> rightGm;
        AscendC::GlobalTensor<float> productGm;
        leftGm.SetGlobalBuffer(reinterpret_cast<__gm__ Left*>(left));
        rightGm.SetGlobalBuffer(reinterpret_cast<__gm__ Right*>(right));
        productGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(Address(workspace, *tiling, product)));
        const tile_matmul::TileGrid grid{tiling->rowCount, tiling->columnCount, tiling->columnTiles, tiling->tileRows,
                                         tiling->tileColumns};
        for (int64_t tileNumber = tileShare.begin; tileNumber < tileShare.end; tileNumber++) {
            const tile_matmul::OutputTile tile = tile_matmul::TileAt(grid, tileNumber);
            matmulObj.SetSingleShape(tile.rows, tile.columns, tiling->innerCount);
            matmulObj.SetTensorA(leftGm[tile.row * (kLeftTransposed ? 1 : tiling->innerCount)], kLeftTransposed);
            matmulObj.SetTensorB(rightGm[tile.column * (kRightTransposed ? tiling->innerCount : 1)], kRightTransposed);
            // The cube core works in order, so waiting for the last tile waits for all.
            const bool awaited = tileNumber + 1 == tileShare.end;
            matmulObj.template IterateAll<false>(productGm[tile.row * tiling->columnCount + tile.column], 0, false,
                                                 awaited);
        }
        matmulObj.WaitIterateAll();
    }

    // Waits until all cores have computed their tiles. From here on, each vector core can read whole products.
    __aicore__ inline void Finish() {
        if (tileShare.begin < tileShare.end) {
            matmulObj.End();
        }
        AscendC::SyncAll();
    }

private:
    GM_ADDR workspace;
    const ProductTiling* tiling;
    tile_matmul::Share tileShare;
};

}  // namespace whole_products

#endif  // WHOLE_PRODUCTS_H
