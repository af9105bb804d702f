// What op_host tells the kernel of RowSumWorkspace.
#ifndef ROW_SUM_WORKSPACE_TILING_H
#define ROW_SUM_WORKSPACE_TILING_H

#include <cstdint>

struct RowSumWorkspaceTilingData {
    uint32_t rows;
    uint32_t columns;
    uint32_t perBlock;  // columns of each core but the last
};

#endif  // ROW_SUM_WORKSPACE_TILING_H
