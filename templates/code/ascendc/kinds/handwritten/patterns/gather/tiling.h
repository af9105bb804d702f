// The tiling data that op_host passes to the kernel of {{ op_type }}.
// Add what your kernel needs, and compute it in op_host/{{ stem }}_host_tiling.h.
// opforge never changes this file once you have edited it.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include "{{ stem }}_args.h"

// A plain struct with the same layout on both sides.
struct {{ op_type }}TilingData {
    // Generated from opforge.yaml: attributes, and which inputs are given.
    {{ op_type }}Args args;

    // {{ output.name }} as a matrix: rowCount rows of columnCount elements.
    int64_t rowCount;
    int64_t columnCount;
    // The rows of each core but the last.
    int64_t rowsPerBlock;
    // Indices, and elements of a row, that are in UB at the same time.
    uint32_t tileIndices;
    uint32_t tileColumns;
};

#endif  // {{ guard }}_TILING_H
