// What op_host tells the kernel of {{ op_type }}. Add what your kernel needs, and compute it in
// op_host/{{ stem }}_host_tiling.h: opforge never changes this file once you have edited it.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include "{{ stem }}_args.h"

// A plain struct: both sides see the same bytes.
struct {{ op_type }}TilingData {
    // What follows from opforge.yaml: attributes, which inputs are given.
    {{ op_type }}Args args;

    // Elements of each core's part of the first output, but the last.
    int64_t elementsPerBlock;
    // Elements that two buffers for every tensor have room for.
    uint32_t tileElements;
};

#endif  // {{ guard }}_TILING_H
