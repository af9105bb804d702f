// The tiling data that op_host passes to the kernel: a plain struct with the same layout on both sides.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>
{% if multiplies %}
#include "opforge/product_tiling.h"
{% endif %}

struct {{ op_type }}TilingData {
{% if multiplies %}
    // The products that the rows are computed from. Tiling keys 2 and 3 are keys 0 and 1 without products.
    ProductTiling productTiling;

{% endif %}
    // The largest number of elements in a tile, limited by the kernel's buffers.
    uint32_t tileElements;

{% if along %}
    // The largest numbers of rows and columns of a tile. Tiling keys 0 to 2: rows lie along its rows, with key 0 whole
    // ones, otherwise parts of one. Tiling keys 3 to 5: they lie down its columns, with key 3 whole ones.
{% elif across %}
    // The largest numbers of rows and columns of a tile. Rows of the op lie down its columns: with tiling key 0 whole
    // ones, with tiling keys 1 and 2 parts of them.
{% elif spreads %}
    // The largest numbers of rows and columns of a tile. Tiling key 0: a tile has whole rows. Tiling keys 1 and 2: it
    // is a part of one row.
{% else %}
    // The largest numbers of rows and columns of a tile. Tiling key 0: a tile has whole rows. Tiling key 1: it is a part
    // of one row.
{% endif %}
    uint32_t tileRows;
    uint32_t tileColumns;
{% if bypasses %}

    // Whole rows in tiles: whether inputs stay out of the L2 cache, which cannot hold all tensors.
    uint32_t bypassL2;
{% endif %}

    // The elements of a row that is read in parts and stays in UB for all passes; otherwise 0.
    uint32_t keptElements;
{% if spreads %}

    // {{ spread_keys }}: the elements from one part's reduction in the workspace to the next one's.
    uint32_t partialFloats;
{% endif %}
{% if sums %}

    // Sums over all rows: the elements of each in UB, or 0 if there is no room; and the columns of which a core adds the
    // sums of all shares at a time.
    uint32_t sumElements;
    uint32_t sumColumns;
{% endif %}
{% if flags %}
    // Whether an optional input is given.
{% for flag in flags %}
    uint32_t {{ flag.member }};
{% endfor %}
{% endif %}
{% for scalar in scalars %}
    {{ scalar.ctype }} {{ scalar.member }};
{% endfor %}

{% if sums %}
    // The shares of the rows: each is summed by one core. Then the elements from one sum in the workspace to the next one.
    int64_t shareCount;
    int64_t sumPitch;

    // The groups of rows, one tile each with tiling key 0: all, and those of each share but the last; with tiling key 2,
    // the parts of each core but the last. Then the tiles that cover dimensions 1 and 0, and the parts of a row.
    int64_t groupCount;
    int64_t groupsPerBlock;
    int64_t partsPerBlock;
{% elif spreads %}
    // The groups of rows, one tile each with tiling key 0: those of all cores, and those of each core but the last;
    // with tiling key 2, the parts of each core but the last. Then the tiles that cover dimensions 1 and 0, and the
    // parts of a row.
    int64_t groupCount;
    int64_t groupsPerBlock;
    int64_t partsPerBlock;
{% else %}
    // The groups of rows, one tile each with tiling key 0: those of all cores, and those of each core but the last. Then
    // the tiles that cover dimensions 1 and 0, and the parts of a row.
    int64_t groupCount;
    int64_t groupsPerBlock;
{% endif %}
    int64_t rowTiles;
    int64_t columnTiles;
    int64_t partCount;
{% if along %}
    // The shape, innermost dimension first: rows along tiles come before the other dimensions, rows across after
    // dimension 0. Each tensor's strides are in elements, 0 for a broadcast dimension.
{% elif across %}
    // The shape, innermost dimension first: dimensions of a row come after dimension 0. Each tensor's strides are in
    // elements, 0 for a broadcast dimension.
{% else %}
    // The shape, innermost dimension first: dimensions of a row come before the others. Each tensor's strides are in
    // elements, 0 for a broadcast dimension.
{% endif %}
    int64_t outputShape[8];
{% for strides in strides %}
    int64_t {{ strides }}[8];
{% endfor %}
};

#endif  // {{ guard }}_TILING_H
