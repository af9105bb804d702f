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

    // The elements of each core but the last.
    int64_t elementsPerBlock;
    // The elements that are in UB at the same time.
    uint32_t tileElements;
};

#endif  // {{ guard }}_TILING_H
