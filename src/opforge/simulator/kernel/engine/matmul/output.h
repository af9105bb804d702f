// The base blocks of the Matmul object's C: where they lie, and how they leave L0C.
#ifndef OPFORGE_SIM_KERNEL_MATMUL_OUTPUT_H
#define OPFORGE_SIM_KERNEL_MATMUL_OUTPUT_H

#include "matmul.h"

namespace sim {

// The part of C that one base block is: where it starts in the output, and how its rows follow.
struct MatmulBlock {
    int32_t row, column;    // in elements of this computation
    int32_t rows, columns;  // what there is of it
    int64_t offset, stride;
};
MatmulBlock MatmulBlockOf(const MatmulState& state, const MatmulRound& round, uint32_t step, bool sequential,
                          int64_t base);
// TrianUpperMatmulPolicy and TrianLowerMatmulPolicy leave out the blocks on the other side of the diagonal.
bool MatmulComputes(const MatmulState& state, const MatmulBlock& block);

// The block as L0C has it: fractals, of which each column of 16 has all its rows. The object orders its own products.
void MatmulIntoL0c(const MatmulMessage& message, const MatmulBlock& block, const Ub& place);
// The sums that an Iterate adds to: those of the one before, or what the kernel has left in L0C.
void MatmulResume(const MatmulMessage& message, const MatmulBlock& block);
// Out of L0C to where the message says.
void MatmulWriteBlock(Core& cube, const MatmulMessage& message, const MatmulBlock& block);

}  // namespace sim

#endif
