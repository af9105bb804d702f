// Shares the sums of matrix products between cores, for products with few tiles and a long K.
//
// A cube core multiplies a part of K, and leaves that float32 product in the user workspace. When all parts are there,
// the vector cores add them, round, and write the results. The same shapes always give the same order of additions.
#ifndef PRODUCT_PARTS_H
#define PRODUCT_PARTS_H

#include <cstdint>
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace product_parts {

constexpr uint16_t kMultiplied = 0;  // the flag by which a cube core tells its vector cores that its parts are there
constexpr uint32_t kBuffers = 2;     // while some elements are added, the next ones arrive
constexpr int64_t kShareStep = 128;  // elements: each vector core adds a multiple of this
constexpr uint32_t kPerBlock = 8;    // floats in a block of 32 bytes, to which copies pad

__aicore__ inline int64_t Least(int64_t value, int64_t limit) { return value < limit ? value : limit; }

// The place in the workspace of a part of a product: the parts of a product follow each other.
template <typename Tiling>
__aicore__ inline __gm__ float* PartAt(GM_ADDR userWorkspace, const Tiling& tiling, int64_t product, int64_t part) {
    return reinterpret_cast<__gm__ float*>(userWorkspace) + (product * tiling.partCount + part) * tiling.partElements;
}

// On a cube core: products of matrices of these types, stored transposed or not.
template <typename Left, bool kLeftTransposed, typename Right, bool kRightTransposed, typename Tiling>
class Multiplier {
public:
    // MDL, with checks for long rows and with UnitFlag: a product leaves L0C while the next one is computed.
    static constexpr MatmulConfig kConfig = GetMDLConfig(true, false, 0, false, false, false, true);

    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, Left, kLeftTransposed>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, Right, kRightTransposed>;
    using Product = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
    // The entry function registers or initialises it.
    matmul::MatmulImpl<LeftMatrix, RightMatrix, Product, Product, kConfig> matmulObj;

    __aicore__ inline void Init(GM_ADDR userWorkspace, const Tiling& tilingData) {
        workspace = userWorkspace;
        tiling = &tilingData;
    }

    // Computes this core's parts of a product. The parts of a tile go to neighbouring cores.
    __aicore__ inline void Multiply(GM_ADDR left, GM_ADDR right, int64_t product) {
        leftGm.SetGlobalBuffer(reinterpret_cast<__gm__ Left*>(left));
        rightGm.SetGlobalBuffer(reinterpret_cast<__gm__ Right*>(right));
        const int64_t partCount = tiling->partCount;
        for (int64_t work = AscendC::GetBlockIdx(); work < tiling->tileCount * partCount;
             work += AscendC::GetBlockNum()) {
            MultiplyPart(work / partCount, work % partCount, product);
        }
    }

    // Tells the vector cores of this block that its parts are there, when they are.
    __aicore__ inline void Finish() {
        matmulObj.End();
        AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kMultiplied);
    }

private:
    __aicore__ inline void MultiplyPart(int64_t tile, int64_t part, int64_t product) {
        const int64_t row = tile / tiling->columnTiles * tiling->tileRows;
        const int64_t column = tile % tiling->columnTiles * tiling->tileColumns;
        const int64_t inner = part * tiling->partInner;
        const int64_t rows = Least(tiling->rowCount - row, tiling->tileRows);
        const int64_t columns = Least(tiling->columnCount - column, tiling->tileColumns);
        AscendC::GlobalTensor<float> productGm;
        productGm.SetGlobalBuffer(PartAt(workspace, *tiling, product, part) + row * tiling->columnCount + column);
        matmulObj.SetSingleShape(rows, columns, Least(tiling->innerCount - inner, tiling->partInner));
        matmulObj.SetTensorA(
            leftGm[kLeftTransposed ? inner * tiling->rowCount + row : row * tiling->innerCount + inner],
            kLeftTransposed);
        matmulObj.SetTensorB(
            rightGm[kRightTransposed ? column * tiling->innerCount + inner : inner * tiling->columnCount + column],
            kRightTransposed);
        matmulObj.IterateAll(productGm);
    }

    GM_ADDR workspace;
    const Tiling* tiling;
    AscendC::GlobalTensor<Left> leftGm;
    AscendC::GlobalTensor<Right> rightGm;
};

// On a vector core: waits until all cube cores have left their parts.
__aicore__ inline void WaitForParts() {
    AscendC::CrossCoreWaitFlag(kMultiplied);
    AscendC::SyncAll();
}

// On a vector core: adds the parts of products and writes them as Result.
template <typename Result, typename Tiling>
class Adder {
public:
    __aicore__ inline void Init(GM_ADDR userWorkspace, const Tiling& tilingData, AscendC::TPipe& pipe) {
        workspace = userWorkspace;
        tiling = &tilingData;
        pipe.InitBuffer(partQueue, kBuffers, tilingData.partCount * tilingData.addElements * sizeof(float));
        pipe.InitBuffer(resultQueue, kBuffers, tilingData.addElements * sizeof(Result));
    }

    // Adds this core's share of a product's elements, as many at a time as the buffers hold.
    __aicore__ inline void Add(GM_ADDR result, int64_t product) {
        resultGm.SetGlobalBuffer(reinterpret_cast<__gm__ Result*>(result));
        partGm.SetGlobalBuffer(PartAt(workspace, *tiling, product, 0));
        const int64_t coreCount = AscendC::GetBlockNum() * AscendC::GetTaskRation();
        const int64_t elementCount = tiling->rowCount * tiling->columnCount;
        const int64_t share = (elementCount + coreCount * kShareStep - 1) / (coreCount * kShareStep) * kShareStep;
        const int64_t end = Least((AscendC::GetBlockIdx() + 1) * share, elementCount);
        for (int64_t place = AscendC::GetBlockIdx() * share; place < end; place += tiling->addElements) {
            const uint32_t count = static_cast<uint32_t>(Least(end - place, tiling->addElements));
            CopyIn(place, count);
            AddParts((count + kPerBlock - 1) / kPerBlock * kPerBlock);
            CopyOut(place, count);
        }
    }

private:
    // All parts of some elements: one row for each part.
    __aicore__ inline void CopyIn(int64_t place, uint32_t count) {
        AscendC::LocalTensor<float> parts = partQueue.template AllocTensor<float>();
        const uint32_t bytes = count * sizeof(float);
        const uint32_t between = static_cast<uint32_t>((tiling->partElements - count) * sizeof(float));
        const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(tiling->partCount), bytes, between, 0, 0};
        const uint8_t missing = static_cast<uint8_t>((kPerBlock - count % kPerBlock) % kPerBlock);
        AscendC::DataCopyPad(parts, partGm[place], copy, AscendC::DataCopyPadExtParams<float>{true, 0, missing, 0.0f});
        partQueue.EnQue(parts);
    }

    // Adds the second half of the rows to the first half until there are two. `pitch`: elements of a row.
    __aicore__ inline void AddParts(uint32_t pitch) {
        AscendC::LocalTensor<float> parts = partQueue.template DeQue<float>();
        AscendC::LocalTensor<Result> results = resultQueue.template AllocTensor<Result>();
        for (uint32_t rows = tiling->partCount; rows > 2; rows = (rows + 1) / 2) {
            const uint32_t kept = (rows + 1) / 2;
            AscendC::Add(parts, parts, parts[kept * pitch], (rows - kept) * pitch);
        }
        if constexpr (sizeof(Result) == sizeof(float)) {
            AscendC::Add(results, parts, parts[pitch], pitch);
        } else {
            AscendC::Add(parts, parts, parts[pitch], pitch);
            AscendC::Cast(results, parts, AscendC::RoundMode::CAST_RINT, pitch);
        }
        resultQueue.EnQue(results);
        partQueue.FreeTensor(parts);
    }

    __aicore__ inline void CopyOut(int64_t place, uint32_t count) {
        AscendC::LocalTensor<Result> results = resultQueue.template DeQue<Result>();
        const uint32_t bytes = count * sizeof(Result);
        AscendC::DataCopyPad(resultGm[place], results, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
        resultQueue.FreeTensor(results);
    }

    GM_ADDR workspace;
    const Tiling* tiling;
    AscendC::GlobalTensor<float> partGm;
    AscendC::GlobalTensor<Result> resultGm;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> partQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> resultQueue;
};

}  // namespace product_parts

#endif  // PRODUCT_PARTS_H
