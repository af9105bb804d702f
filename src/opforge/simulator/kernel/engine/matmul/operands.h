// Where the Matmul object's operands come from: global memory, the unified buffer, L1, or the kernel's own functions.
#ifndef OPFORGE_SIM_KERNEL_MATMUL_OPERANDS_H
#define OPFORGE_SIM_KERNEL_MATMUL_OPERANDS_H

#include "memory/global_memory.h"
#include "matmul.h"

namespace sim {

// A matrix, or a part of one, in global memory.
struct MatmulArea {
    uint64_t addr;
    int64_t rows;
    int64_t columns;
    int64_t stride;  // elements
    uint32_t element;

    GmSpan Span() const {
        return {addr, static_cast<uint64_t>(columns) * element, static_cast<uint64_t>(rows),
                static_cast<uint64_t>(stride) * element};
    }
    uint64_t Bytes() const { return static_cast<uint64_t>((rows - 1) * stride + columns) * element; }
};

// How one operand lies in L1, and which pieces of K stay there until other rows or columns are needed.
struct MatmulBuffering {
    int64_t base;   // rows of A or columns of B in a base block
    int64_t total;  // of this computation
    int64_t step;   // base blocks loaded together along it
    int64_t depth;
    int64_t piece;  // of K
    bool multiDataLoad;
};
int64_t MatmulKept(const MatmulBuffering& in, int64_t pieces);

// One of the two operands of a computation.
struct MatmulSide {
    const char* name;
    bool isA;
    uint64_t gm;
    Dtype type;
    bool transposed, fractal;
    int32_t length, k;  // rows of A or columns of B, over K
    int32_t orgLength, orgK;
    const MatmulLocal* local;   // null: in global memory
    const MatmulLocal* inside;  // the same, as this computation has it
    MatmulCallbacks::In copy;   // the kernel's own function, or null
    Ub* tiles;                  // where that copies to
    int32_t* resident;          // which rows or columns lie in L1
    int32_t baseK;
    MatmulBuffering in;
};
MatmulSide SideA(MatmulState& state, const MatmulRound& round);
MatmulSide SideB(MatmulState& state, const MatmulRound& round);

// L1 of this core, as MTE1 reads it: a cube core's, or a vector core's part.
std::shared_ptr<const MatmulLocal> MatmulFromL1(const Ub& place, const Call& call);
// All of A, B, bias and scales that this computation reads.
void ReadMatmulInputs(Core& cube, const MatmulMessage& message);
// Rows of A, or columns of B, from `first` on over all of K, as the product takes them; fractals are put in order in
// `plain`.
GemmOperand MatmulPart(Core& cube, const MatmulMessage& message, const MatmulSide& side, int32_t first, int32_t count,
                       std::vector<uint8_t>& plain);

}  // namespace sim

#endif
