// The tiling of SwiGLU: computes tiling data and
// launch from the inputs' shapes, without CANN's contexts. C++11.
#ifndef SWI_GLU_HOST_TILING_H
#define SWI_GLU_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <string>
#include "../op_kernel/swi_glu_tiling.h"
#include "opforge/matmul_split.h"
#include "opforge/symbols.h"

namespace swi_glu_host_tiling {

using host_tiling::Number;
using host_tiling::Reason;

constexpr size_t kInputs = 3;
constexpr int64_t kProducts = 2;

// The arguments of a call.
struct Call {
    host_tiling::Dims inputs[kInputs];
    // The index of the types in kColumns.
    size_t column;
    host_tiling::Plan plan;
};

// For a supported combination of types: the type of the products' operands, the bytes of UB per element over all
// buffers of the epilogue (see the kernel's Init), and the kernel's kRowStep.
struct Column {
    matmul_tiling::DataType operands;
    int64_t epilogueBytes;
    int64_t rowStep;
};

const Column kColumns[] = {
    // float16, float16, float16
    {matmul_tiling::DataType::DT_FLOAT16, 24, 16},
    // bfloat16, bfloat16, bfloat16
    {matmul_tiling::DataType::DT_BF16, 24, 16},
    // float32, float32, float32
    {matmul_tiling::DataType::DT_FLOAT, 24, 8},
};

const symbols::Pattern kResultShape = {"y", {"...", "I"}};

// Binds the symbols to the inputs' shapes.
inline symbols::Shapes ShapesOf(const Call& call) {
    symbols::Shapes shapes;
    shapes.Bind({"x", {"...", "H"}}, call.inputs[0]);
    shapes.Bind({"w_gate", {"H", "I"}}, call.inputs[1]);
    shapes.Bind({"w_up", {"H", "I"}}, call.inputs[2]);
    return shapes;
}

// All results have the same shape. Dimensions and ranks that are not known stay unknown.
inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
    const symbols::Shapes shapes = ShapesOf(call);
    *shape = shapes.Of(kResultShape);
    return shapes.Unfit();
}

// Fills the tiling data and the launch parameters. Tiling key 0 multiplies. Tiling key 1 is for operands or results
// without elements, which need no products.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call,
                           SwiGLUTilingData* tiling, host_tiling::Launch* launch) {
    const symbols::Shapes shapes = ShapesOf(call);
    if (!shapes.Unfit().empty()) {
        return shapes.Unfit();
    }
    matmul_split::Sizes sizes;
    sizes.products = kProducts;
    sizes.finished = true;
    sizes.rows = shapes.Extent("...");
    sizes.inner = shapes.Extent("H");
    sizes.columns = shapes.Extent("I");
    const std::string tooLarge = matmul_split::CheckSizes(sizes);
    if (!tooLarge.empty()) {
        return tooLarge;
    }
    const Column& column = kColumns[call.column];
    const int64_t cubes = platform.GetCoreNumAic();
    const int64_t vectors = platform.GetCoreNumAiv();
    if (cubes <= 0 || vectors != cubes * matmul_split::kVectorsPerCube) {
        return Reason("the kernel wants two vector cores for each cube core, not %lld for %lld", Number(vectors),
                      Number(cubes));
    }
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
    const int64_t elements = ubBytes / column.epilogueBytes / matmul_split::kEpilogueStep * matmul_split::kEpilogueStep;
    if (elements <= 0) {
        return Reason("the epilogue of a row of %lld elements at %lld bytes does not fit: %lld bytes of UB",
                      Number(matmul_split::kEpilogueStep), Number(column.epilogueBytes), Number(ubBytes));
    }

    const matmul_tiling::DataType product = matmul_tiling::DataType::DT_FLOAT;
    const matmul_tiling::DataType bias = matmul_split::kNoBias;
    const matmul_split::Operands operands = {column.operands, false, false, product, bias};
    const matmul_split::Split split = matmul_split::SplitTiles(sizes, operands, cubes, call.plan);
    const bool multiplies = sizes.inner > 0 && split.tileCount > 0;
    *tiling = SwiGLUTilingData();
    if (multiplies) {
        const std::string unsuited =
            matmul_split::TileForCube(platform, sizes, operands, split, call.plan, &tiling->cubeTiling);
        if (!unsuited.empty()) {
            return unsuited;
        }
    }
    tiling->rowCount = sizes.rows;
    tiling->innerCount = sizes.inner;
    tiling->columnCount = sizes.columns;
    tiling->tileCount = split.tileCount;
    tiling->columnTiles = split.columnTiles;
    tiling->tileRows = static_cast<uint32_t>(split.tileRows);
    tiling->tileColumns = static_cast<uint32_t>(split.tileColumns);
    tiling->tileGroup = split.group;
    tiling->blockCount = split.blocks;
    tiling->workerCount = split.workers;
    tiling->epilogueElements = static_cast<uint32_t>(elements);
    tiling->epilogueRows = matmul_split::EpilogueRows(sizes, split, elements, column.rowStep);
    const size_t userBytes = multiplies ? matmul_split::WorkspaceBytes(split, kProducts) : 0;
    *launch = {multiplies ? 0U : 1U, split.blocks, platform.GetLibApiWorkSpaceSize() + userBytes};
    return "";
}

}  // namespace swi_glu_host_tiling

#endif  // SWI_GLU_HOST_TILING_H
