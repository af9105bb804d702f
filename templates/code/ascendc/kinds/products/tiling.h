// The tiling data that op_host passes to the kernel: a plain struct with the same layout on both sides.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>
#include "kernel_tiling/kernel_tiling.h"

struct {{ op_type }}TilingData {
    // Tiling key 0: how the cube core computes one tile of a product. The same for all products.
    TCubeTiling cubeTiling;
    // Each product multiplies matrices of rowCount x innerCount and innerCount x columnCount elements.
    int64_t rowCount;
    int64_t innerCount;
    int64_t columnCount;
    // Tiles of the output: columnTiles of them in a row, and the rows and columns of each tile but the last ones. Cores
    // take them column by column within groups of tileGroup rows of tiles.
    int64_t tileCount;
    int64_t columnTiles;
    uint32_t tileRows;
    uint32_t tileColumns;
    uint32_t tileGroup;
{% if widens %}
    // The elements that a widened bias takes in the workspace, which has one for each block; 0 if none is widened.
    int64_t biasPitch;
{% endif %}
{% if shares_sums %}
    // Tiling key 2: parts of K, the elements of K in each part but the last one, and the elements that a part of a
    // product takes in the workspace.
    int64_t partCount;
    int64_t partInner;
    int64_t partElements;
    // The elements of a part that each buffer of the vector cores holds.
    int64_t addElements;
{% if not cubes_alone %}
    // Tiles of the results that vector cores finish, and those of tiling key 2: how many lie in a row, and the rows and
    // columns of each but the last ones.
    int64_t finishedTiles;
    int64_t finishedColumnTiles;
    uint32_t finishedRows;
    uint32_t finishedColumns;
{% endif %}
{% endif %}
{% if not cubes_alone %}
{% if coupled %}
    // Blocks, and vector cores that have tiles. A block is one cube core with two vector cores, or one core that is
    // both.
    uint32_t blockCount;
    uint32_t workerCount;
    // The number of consecutive tiles that go to one vector core, and the bytes of UB that Matmul needs to convert
    // formats.
    uint32_t tilesTogether;
    uint32_t formattingBytes;
{% else %}
    // Blocks of one cube core and two vector cores each, and vector cores that have tiles.
    uint32_t blockCount;
    uint32_t workerCount;
{% endif %}
    // The elements that each buffer of the epilogue holds, and the largest number of tile rows that it processes at
    // once.
    uint32_t epilogueElements;
    uint32_t epilogueRows;
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
};

#endif  // {{ guard }}_TILING_H
