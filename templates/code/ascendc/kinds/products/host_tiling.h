// The tiling of {{ op_type }}: computes tiling data and
// launch from the inputs' shapes, without CANN's contexts. C++11.
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
{% if scalars.members %}
#include <cmath>
{% endif %}
#include <cstdint>
{% if scalars.members %}
#include <limits>
{% endif %}
#include <string>
#include "../op_kernel/{{ stem }}_tiling.h"
{% if shares_sums %}
#include "opforge/inner_split.h"
{% endif %}
#include "opforge/matmul_split.h"
#include "opforge/symbols.h"

namespace {{ stem }}_host_tiling {

using host_tiling::Number;
using host_tiling::Reason;

constexpr size_t kInputs = {{ input_count }};
constexpr int64_t kProducts = {{ product_count }};
{% if widens %}
constexpr int64_t kBiases = {{ biases }};
{% endif %}
{% if shares_sums %}
constexpr uint64_t kPartsKey = 2;
{% endif %}

// The arguments of a call.
struct Call {
    host_tiling::Dims inputs[kInputs];
    // The index of the types in kColumns.
    size_t column;
    host_tiling::Plan plan;
{% if optional %}
    // False for an optional input that is left out.
    bool given[kInputs];
{% endif %}
{% for attr in attrs %}
    {{ attr.ctype }} {{ attr.member }};
{% endfor %}
};

{% if cubes_alone %}
{% if biased %}
// For a supported combination of types: the types of the products' operands, of the results, and of the bias in a cube.
{% else %}
// For a supported combination of types: the type of the products' operands, and that of the results.
{% endif %}
struct Column {
    matmul_tiling::DataType operands;
    matmul_tiling::DataType results;
{% if biased %}
    matmul_tiling::DataType bias;
{% endif %}
};
{% else %}
// For a supported combination of types: the type of the products' operands, the bytes of UB per element over all
// buffers of the epilogue (see the kernel's Init), and the kernel's kRowStep.
struct Column {
    matmul_tiling::DataType operands;
    int64_t epilogueBytes;
    int64_t rowStep;
};
{% endif %}

const Column kColumns[] = {
{% for column in columns %}
    // {{ column.dtypes }}
    { {{ column.values | wrap }} },
{% endfor %}
};

const symbols::Pattern kResultShape = {{ result_pattern }};

{% if reserved %}
// The bytes of UB that tiles cannot use: coefficients, and what Select needs at the end.
constexpr int64_t kReservedUb = {{ reserved }};

{% endif %}
// Binds the symbols to the inputs' shapes.
inline symbols::Shapes ShapesOf(const Call& call) {
    symbols::Shapes shapes;
{% for bind in binds %}
{% if bind.optional %}
    if (call.given[{{ bind.index }}]) {
        shapes.Bind({{ bind.pattern }}, call.inputs[{{ bind.index }}]);
    }
{% else %}
    shapes.Bind({{ bind.pattern }}, call.inputs[{{ bind.index }}]);
{% endif %}
{% endfor %}
    return shapes;
}

// All results have the same shape. Dimensions and ranks that are not known stay unknown.
inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
    const symbols::Shapes shapes = ShapesOf(call);
    *shape = shapes.Of(kResultShape);
    return shapes.Unfit();
}

{% if scalars.members %}
// Computes the parts of the expression that depend only on attributes, with the kernel's arithmetic.
inline void SetScalars(const Call& call, {{ op_type }}TilingData* tiling) {
{% for variable in scalars.variables %}
    const {{ variable.type }} {{ variable.name }} = {{ variable.value | wrap }};
{% endfor %}
{% for scalar in scalars.members %}
    tiling->{{ scalar.member }} = {{ scalar.value }};
{% endfor %}
}

{% endif %}
// Fills the tiling data and the launch parameters. Tiling key 0 multiplies. Tiling key 1 is for operands or results
// without elements, which need no products.
{% if shares_sums %}
// With tiling key 2, the cube cores multiply parts of K, and the vector cores add them.
{% endif %}
inline std::string Compute({{ compute_parameters | wrap }}) {
    const symbols::Shapes shapes = ShapesOf(call);
    if (!shapes.Unfit().empty()) {
        return shapes.Unfit();
    }
    matmul_split::Sizes sizes;
    sizes.products = kProducts;
    sizes.finished = {{ finished }};
    sizes.rows = shapes.Extent("{{ rows }}");
    sizes.inner = shapes.Extent("{{ inner }}");
    sizes.columns = shapes.Extent("{{ columns_symbol }}");
    const std::string tooLarge = matmul_split::CheckSizes(sizes);
    if (!tooLarge.empty()) {
        return tooLarge;
    }
    const Column& column = kColumns[call.column];
    const int64_t cubes = platform.GetCoreNumAic();
{% if cubes_alone %}
    if (cubes <= 0) {
        return Reason("the kernel wants cube cores, not %lld", Number(cubes));
    }
{% else %}
    const int64_t vectors = platform.GetCoreNumAiv();
{% if coupled %}
    const matmul_split::Cores cores = matmul_split::CoresOf(platform);
    if (cubes <= 0 || vectors != cubes * cores.vectorsPerCube) {
        return Reason("the kernel wants %lld vector cores for each cube core, not %lld for %lld",
                      Number(cores.vectorsPerCube), Number(vectors), Number(cubes));
    }
{% else %}
    if (cubes <= 0 || vectors != cubes * matmul_split::kVectorsPerCube) {
        return Reason("the kernel wants two vector cores for each cube core, not %lld for %lld", Number(vectors),
                      Number(cubes));
    }
{% endif %}
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
{% if coupled %}
{% if reserved %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - kReservedUb - cores.formattingUb;
{% else %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - cores.formattingUb;
{% endif %}
{% else %}
{% if reserved %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - kReservedUb;
{% else %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
{% endif %}
{% endif %}
{% if shares_sums %}
    int64_t elements = ubBytes / column.epilogueBytes / matmul_split::kEpilogueStep * matmul_split::kEpilogueStep;
{% else %}
    const int64_t elements = ubBytes / column.epilogueBytes / matmul_split::kEpilogueStep * matmul_split::kEpilogueStep;
{% endif %}
    if (elements <= 0) {
        return Reason("the epilogue of a row of %lld elements at %lld bytes does not fit: %lld bytes of UB",
                      Number(matmul_split::kEpilogueStep), Number(column.epilogueBytes), Number(ubBytes));
    }
{% endif %}

    const matmul_tiling::DataType product = {{ product_type }};
    const matmul_tiling::DataType bias = {{ bias }};
    const matmul_split::Operands operands = {column.operands, {{ transposes }}, product, bias};
{% if cubes_alone %}
    matmul_split::Split split = matmul_split::SplitTiles(sizes, operands, cubes, call.plan);
    split.workers = split.blocks;
{% if shares_sums %}
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    inner_split::Parts parts;
    const std::string wrongParts =
        inner_split::SplitInner(sizes, operands, cubes, static_cast<int64_t>(ubSize), call.plan, &split, &parts);
    if (!wrongParts.empty()) {
        return wrongParts;
    }
{% endif %}
{% else %}
{% if coupled %}
    const matmul_split::Split split =
        matmul_split::SplitTiles(sizes, operands, cubes, cores, column.rowStep, call.plan);
{% elif shares_sums %}
    matmul_split::Split split = matmul_split::SplitTiles(sizes, operands, cubes, call.plan);
    inner_split::Parts parts;
    const std::string wrongParts =
        inner_split::SplitInner(sizes, operands, cubes, ubBytes, call.plan, &split, &parts);
    if (!wrongParts.empty()) {
        return wrongParts;
    }
    matmul_split::Split finished = split;
    if (parts.count > 1) {
        const int64_t bytes = column.epilogueBytes + kProducts * inner_split::kAddBuffers * int64_t{sizeof(float)};
        elements = ubBytes / bytes / matmul_split::kEpilogueStep * matmul_split::kEpilogueStep;
        finished = inner_split::SplitFinished(sizes, vectors / cubes * split.blocks);
    }
{% else %}
    const matmul_split::Split split = matmul_split::SplitTiles(sizes, operands, cubes, call.plan);
{% endif %}
{% endif %}
    const bool multiplies = sizes.inner > 0 && split.tileCount > 0;
    *tiling = {{ op_type }}TilingData();
    if (multiplies) {
{% if coupled %}
        const std::string unsuited =
            matmul_split::TileForCube(platform, sizes, operands, split, cores, call.plan, &tiling->cubeTiling);
        if (!unsuited.empty()) {
            return unsuited;
        }
        tiling->formattingBytes = matmul_split::FormattingBytes(&tiling->cubeTiling);
{% else %}
{% if shares_sums %}
        const std::string unsuited =
            inner_split::TileForCube(platform, sizes, operands, split, parts, call.plan, &tiling->cubeTiling);
{% else %}
        const std::string unsuited =
            matmul_split::TileForCube(platform, sizes, operands, split, call.plan, &tiling->cubeTiling);
{% endif %}
        if (!unsuited.empty()) {
            return unsuited;
        }
{% endif %}
    }
    tiling->rowCount = sizes.rows;
    tiling->innerCount = sizes.inner;
    tiling->columnCount = sizes.columns;
    tiling->tileCount = split.tileCount;
    tiling->columnTiles = split.columnTiles;
    tiling->tileRows = static_cast<uint32_t>(split.tileRows);
    tiling->tileColumns = static_cast<uint32_t>(split.tileColumns);
    tiling->tileGroup = split.group;
{% if shares_sums %}
    tiling->partCount = parts.count;
    tiling->partInner = parts.inner;
    tiling->partElements = parts.elements;
    tiling->addElements = parts.addElements;
{% if not cubes_alone %}
    tiling->finishedTiles = finished.tileCount;
    tiling->finishedColumnTiles = finished.columnTiles;
    tiling->finishedRows = static_cast<uint32_t>(finished.tileRows);
    tiling->finishedColumns = static_cast<uint32_t>(finished.tileColumns);
{% endif %}
{% endif %}
{% if not cubes_alone %}
    tiling->blockCount = split.blocks;
{% if shares_sums %}
    tiling->workerCount = finished.workers;
{% else %}
    tiling->workerCount = split.workers;
{% endif %}
{% if coupled %}
    tiling->tilesTogether = split.together;
{% endif %}
    tiling->epilogueElements = static_cast<uint32_t>(elements);
{% if shares_sums %}
    tiling->epilogueRows = matmul_split::EpilogueRows(sizes, finished, elements, column.rowStep);
{% else %}
    tiling->epilogueRows = matmul_split::EpilogueRows(sizes, split, elements, column.rowStep);
{% endif %}
{% endif %}
{% for flag in flags %}
    tiling->{{ flag.member }} = call.given[{{ flag.index }}] ? 1 : 0;
{% endfor %}
{% if scalars.members %}
    SetScalars(call, tiling);
{% endif %}
{% if shares_sums %}
    if (multiplies && parts.count > 1) {
        const size_t partBytes = static_cast<size_t>(kProducts * parts.count * parts.elements) * sizeof(float);
        *launch = {kPartsKey, split.blocks, platform.GetLibApiWorkSpaceSize() + partBytes};
        return "";
    }
{% endif %}
{% if cubes_alone %}
{% if widens %}
    tiling->biasPitch = column.bias == column.operands ? 0 : matmul_split::RoundUp(sizes.columns, matmul_split::kLine);
    const size_t userBytes = static_cast<size_t>(split.blocks * kBiases * tiling->biasPitch) * sizeof(float);
    *launch = {multiplies ? 0U : 1U, split.blocks, platform.GetLibApiWorkSpaceSize() + userBytes};
{% else %}
    *launch = {multiplies ? 0U : 1U, split.blocks, platform.GetLibApiWorkSpaceSize()};
{% endif %}
{% else %}
    const size_t userBytes = multiplies ? matmul_split::WorkspaceBytes(split, kProducts) : 0;
    *launch = {multiplies ? 0U : 1U, split.blocks, platform.GetLibApiWorkSpaceSize() + userBytes};
{% endif %}
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
