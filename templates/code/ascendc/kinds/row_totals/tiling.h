// The tiling data that op_host passes to the kernel: a plain struct with the same layout on both sides.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>
#include "{{ stem }}_rows_tiling.h"
#include "{{ stem }}_totals_tiling.h"

struct {{ op_type }}TilingData {
    // The rows, with the op's tiling keys, and then their values as one row, which is read in parts.
    {{ op_type }}RowsTilingData rows;
    {{ op_type }}TotalsTilingData totals;

    // The bytes of the workspace from one value of all rows to the next one.
    uint64_t valueBytes;
};

#endif  // {{ guard }}_TILING_H
