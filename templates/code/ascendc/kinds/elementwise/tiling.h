// What op_host tells the kernel. A plain struct: both sides see the same bytes.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>

struct {{ op_type }}TilingData {
    // Elements of the output.
    int64_t totalElements;
    // Most elements of a tile: what the kernel's buffers hold.
    uint32_t tileElements;

    // Tiling key 1, broadcast: most rows and columns of a tile.
    uint32_t tileRows;
    uint32_t tileColumns;
{% if flags %}
    // Whether an optional input is given.
{% for flag in flags %}
    uint32_t {{ flag.member }};
{% endfor %}
{% endif %}
{% for scalar in scalars %}
    {{ scalar.ctype }} {{ scalar.member }};
{% endfor %}

    // Tiling key 0, all shapes equal: elements of each core but the last.
    int64_t elementsPerBlock;

    // Tiling key 1: tiles of all cores, tiles of each core but the last, and how many cover dimensions 1 and 0.
    int64_t tileCount;
    int64_t tilesPerBlock;
    int64_t rowTiles;
    int64_t columnTiles;
    // Tiling key 1: the collapsed shape, innermost dimension first, and how many elements each input's next index is
    // away: 0 where it is broadcast.
    int64_t outputShape[8];
{% for strides in strides %}
    int64_t {{ strides }}[8];
{% endfor %}
};

#endif  // {{ guard }}_TILING_H
