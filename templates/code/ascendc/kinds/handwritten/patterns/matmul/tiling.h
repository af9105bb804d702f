// The tiling data that op_host passes to the kernel of {{ op_type }}.
// Add what your kernel needs, and compute it in op_host/{{ stem }}_host_tiling.h.
// opforge never changes this file once you have edited it.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include "kernel_tiling/kernel_tiling.h"
#include "{{ stem }}_args.h"

// A plain struct with the same layout on both sides.
struct {{ op_type }}TilingData {
    // How the cube cores compute the product; CANN's library fills it.
    TCubeTiling cube;
    // Generated from opforge.yaml: attributes, and which inputs are given.
    {{ op_type }}Args args;

    // The vector cores that request a part of the product; 0 if {{ output.name }} has no elements.
    int32_t workers;
};

#endif  // {{ guard }}_TILING_H
