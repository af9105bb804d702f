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
#include "opforge/matmul_split.h"
#include "opforge/rows.h"
#include "opforge/symbols.h"

namespace {{ stem }}_host_tiling {

using host_tiling::Number;
using host_tiling::Reason;
using host_tiling::ShapeText;

constexpr size_t kInputs = {{ input_count }};
constexpr int64_t kProducts = {{ product_count }};
constexpr int64_t kLineBytes = 512;  // each product begins at a line of the L2 cache
// What the rows are computed from: the products, and then inputs.
constexpr size_t kReadTensors = {{ read_count }};

// The arguments of a call.
struct Call {
    host_tiling::Dims inputs[kInputs];
    // The index of the types in kColumns.
    size_t column;
{% if optional %}
    // False for an optional input that is left out.
    bool given[kInputs];
{% endif %}
{% for attr in attrs %}
    {{ attr.ctype }} {{ attr.member }};
{% endfor %}
};

// For a supported combination of types: the type of the products' operands, the bytes of UB per element of a tile of
// rows over all buffers of the kernel (see its Init), and the kernel's kRowStep.
struct Column {
    matmul_tiling::DataType operands;
    int64_t bytesPerElement;
    int64_t rowStep;
};

const Column kColumns[] = {
{% for column in columns %}
    // {{ column.dtypes }}
    { {{ column.values | wrap }} },
{% endfor %}
};

// The bytes of UB that tiles cannot use: values of rows, and work space of instructions.
constexpr int64_t kReservedUb = {{ reserved }};

// The kernel's buffers of a whole row that stays in UB while it is read in parts.
constexpr int64_t kKept = {{ kept }};

// The dimensions that are reduced: bits, counted from the innermost, or all.
const rows::Axes kAxes = {{ axes }};

// The shape of the products, whose last dimension is a row.
const symbols::Pattern kProductShape = {{ product_pattern }};

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

{% if results %}
// Dimensions and ranks that are not known stay unknown.
inline std::string OutputShapes(const Call& call, host_tiling::Dims (&results)[{{ output_count }}]) {
    const symbols::Shapes shapes = ShapesOf(call);
    const host_tiling::Dims shape = shapes.Of(kProductShape);
{% for result in results %}
    results[{{ loop.index0 }}] = {{ result }};
{% endfor %}
    return shapes.Unfit();
}
{% else %}
// All results have the shape of the products. Dimensions and ranks that are not known stay unknown.
inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
    const symbols::Shapes shapes = ShapesOf(call);
    *shape = shapes.Of(kProductShape);
    return shapes.Unfit();
}
{% endif %}

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
// Splits the products into tiles, and the tiles over the cube cores.
inline std::string SetProducts(const platform_ascendc::PlatformAscendC& platform, const matmul_split::Sizes& sizes,
                               const matmul_split::Split& split, const matmul_split::Operands& operands,
                               ProductTiling* tiling) {
    tiling->rowCount = sizes.rows;
    tiling->innerCount = sizes.inner;
    tiling->columnCount = sizes.columns;
    const int64_t bytes = sizes.rows * sizes.columns * static_cast<int64_t>(sizeof(float));
    tiling->productBytes = host_tiling::RoundUp(bytes, kLineBytes);
    tiling->tileCount = split.tileCount;
    tiling->columnTiles = split.columnTiles;
    tiling->tileRows = static_cast<uint32_t>(split.tileRows);
    tiling->tileColumns = static_cast<uint32_t>(split.tileColumns);
    tiling->workerCount = split.workers;
    if (sizes.inner == 0 || split.tileCount == 0) {
        return "";
    }
    return matmul_split::TileForCube(platform, sizes, operands, split, host_tiling::Plan(), &tiling->cubeTiling);
}

// Fills the tiling data and the launch parameters. Tiling keys 0 and 1 multiply; 2 and 3 are for operands or results
// without elements, which need no products. With keys 0 and 2 whole rows fit in a tile.
inline std::string Compute({{ compute_parameters | wrap }}) {
    const symbols::Shapes shapes = ShapesOf(call);
    if (!shapes.Unfit().empty()) {
        return shapes.Unfit();
    }
    const matmul_split::Sizes sizes = {kProducts, false, shapes.Extent("{{ rows }}"), shapes.Extent("{{ inner }}"),
                                       shapes.Extent("{{ columns_symbol }}")};
    const std::string tooLarge = matmul_split::CheckSizes(sizes);
    if (!tooLarge.empty()) {
        return tooLarge;
    }
    const int64_t cubes = platform.GetCoreNumAic();
    const int64_t vectors = platform.GetCoreNumAiv();
    if (cubes <= 0 || vectors != cubes * matmul_split::kVectorsPerCube) {
        return Reason("the kernel wants two vector cores for each cube core, not %lld for %lld", Number(vectors),
                      Number(cubes));
    }
    const host_tiling::Dims shape = shapes.Of(kProductShape);
{% if optional %}
    // A missing input counts as having the products' shape.
{% endif %}
    const host_tiling::Dims tensors[kReadTensors] = { {{ read_shapes | wrap }} };
    rows::Shape<kReadTensors + 1> rowShape;
    if (!rows::ReadShape(shape, tensors, kAxes, &rowShape)) {
        return Reason("shape %s alternates between more than %zu broadcast patterns", ShapeText(shape).c_str(),
                      rows::kMaxDims);
    }
    const Column& column = kColumns[call.column];
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - kReservedUb;
    if (ubBytes < column.bytesPerElement * rows::kTileStep) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB", Number(rows::kTileStep),
                      Number(column.bytesPerElement), Number(ubBytes));
    }

    const matmul_split::Operands operands = {column.operands, {{ transposes }}, matmul_tiling::DataType::DT_FLOAT,
                                             matmul_split::kNoBias};
    const matmul_split::Split productSplit =
        matmul_split::SplitTiles(sizes, operands, cubes, host_tiling::Plan());
    const rows::Room room = {ubBytes, column.bytesPerElement, kKept, 0};
    const rows::Split split = rows::SplitRows(rowShape, vectors, room, column.rowStep);
    *tiling = {{ op_type }}TilingData();
    const std::string unsuited = SetProducts(platform, sizes, productSplit, operands, &tiling->productTiling);
    if (!unsuited.empty()) {
        return unsuited;
    }
    const bool multiplies = sizes.inner > 0 && productSplit.tileCount > 0;
    const uint32_t rowBlocks = (split.blocks + matmul_split::kVectorsPerCube - 1) / matmul_split::kVectorsPerCube;
    const uint32_t blocks = multiplies ? std::max(productSplit.blocks, rowBlocks) : rowBlocks;
    tiling->productTiling.blockCount = blocks;
    rows::SetSplit(split, rowShape, tiling);
{% for strides in strides %}
    std::copy_n(rowShape.strides[{{ strides.index }}], rows::kMaxDims, tiling->{{ strides.name }});
{% endfor %}
{% for flag in flags %}
    tiling->{{ flag.member }} = call.given[{{ flag.index }}] ? 1 : 0;
{% endfor %}
{% if scalars.members %}
    SetScalars(call, tiling);
{% endif %}
    const size_t userBytes = multiplies ? static_cast<size_t>(kProducts * tiling->productTiling.productBytes) : 0;
    *launch = {(multiplies ? 0U : 2U) + (split.parts ? 1U : 0U), blocks, platform.GetLibApiWorkSpaceSize() + userBytes};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
