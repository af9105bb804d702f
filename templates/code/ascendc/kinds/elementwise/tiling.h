// The tiling data that op_host passes to the kernel: a plain struct with the same layout on both sides.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>

struct {{ op_type }}TilingData {
    // Elements of the output.
    int64_t totalElements;
    // The largest number of elements in a tile, limited by the kernel's buffers.
    uint32_t tileElements;

    // Tiling key 1, broadcast: the largest numbers of rows and columns of a tile.
    uint32_t tileRows;
    uint32_t tileColumns;
{% if bypasses %}
    // Tiling key 0: whether inputs stay out of the L2 cache, which cannot hold all tensors.
    uint32_t bypassL2;
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

    // Tiling key 0, all shapes equal: the elements of each core but the last.
    int64_t elementsPerBlock;

    // Tiling key 1: tiles of all cores, tiles of each core but the last, and the tiles that cover dimensions 1 and 0.
    int64_t tileCount;
    int64_t tilesPerBlock;
    int64_t rowTiles;
    int64_t columnTiles;
    // Tiling key 1: the collapsed shape, innermost dimension first, and each input's strides in elements (0 for a
    // broadcast dimension).
    int64_t outputShape[8];
{% for strides in strides %}
    int64_t {{ strides }}[8];
{% endfor %}
};

#endif  // {{ guard }}_TILING_H
