// What a cube core moves between global memory and L1 for a computation, by its TCubeTiling, and what it keeps.
//
// The operands' base blocks come into L1 in pieces of K: of baseK with the Norm template, of baseK * stepK with MDL.
// depthA1 and depthB1 say for how many base blocks there is room. Pieces that stay are not loaded again for the next
// base block of C in the same rows (A) or columns (B). Documentation:
// 高阶API/矩阵计算/Matmul-Tiling类/TCubeTiling结构体, MatmulConfig (Norm, MDL).
#include <algorithm>

#include "arithmetic.h"
#include "matmul.h"

namespace sim {
namespace {

// How one operand lies in L1.
struct Buffering {
    int64_t base;   // rows of A or columns of B in a base block
    int64_t total;  // of this computation
    int64_t step;   // base blocks loaded together along it
    int64_t depth;
    int64_t piece;  // of K
    bool multiDataLoad;
};

// How many pieces of K stay until other rows or columns are needed.
int64_t Kept(const Buffering& in, int64_t pieces) {
    if (in.multiDataLoad) {
        return pieces == 1 ? 1 : 0;
    }
    const bool whole = in.depth >= pieces * in.step;
    if (in.depth > 2) {
        return whole ? pieces : std::min(pieces, in.depth - 2);  // two are for what passes through
    }
    return whole && !(pieces == 1 && in.depth == 2) ? pieces : 0;  // two pieces of one: a double buffer
}

void Load(Core& cube, int32_t* resident, int32_t index, int64_t k, uint32_t element, const Buffering& in) {
    const int64_t pieces = (k + in.piece - 1) / in.piece;
    const int64_t kept = Kept(in, pieces);
    const int64_t together = kept == pieces ? in.step : 1;
    const int32_t group = static_cast<int32_t>(index / together);
    const bool again = *resident == group;
    *resident = group;
    const int64_t first = group * together * in.base;
    const int64_t length = std::min(in.total - first, together * in.base);
    const int64_t there = again ? kept : 0;
    const int64_t rest = k - std::min(k, there * in.piece);
    if (rest > 0) {
        cube.counters.Load(static_cast<uint64_t>(length * rest) * element, static_cast<uint64_t>(pieces - there));
    }
}

int64_t BytesInL1(const MatmulState& state) {
    const MatmulBlocks& b = state.blocks;
    return int64_t{b.baseM} * b.baseK * b.depthA1 * BytesOf(state.spec.a) +
           int64_t{b.baseN} * b.baseK * b.depthB1 * BytesOf(state.spec.b) +
           (b.isBias != 0 ? int64_t{b.baseN} * BytesOf(state.spec.bias) : 0);
}

}  // namespace

void CountMatmulBlock(Core& cube, MatmulState& state, const MatmulRound& r, int32_t row, int32_t column, bool bias) {
    const MatmulBlocks& b = state.blocks;
    const bool mdl = state.spec.multiDataLoad;
    Load(cube, &state.residentA, row / b.baseM, r.k, BytesOf(state.spec.a),
         {b.baseM, r.m, b.stepM, b.depthA1, int64_t{b.baseK} * (mdl ? b.stepKa : 1), mdl});
    Load(cube, &state.residentB, column / b.baseN, r.k, BytesOf(state.spec.b),
         {b.baseN, r.n, b.stepN, b.depthB1, int64_t{b.baseK} * (mdl ? b.stepKb : 1), mdl});
    const int64_t rows = std::min(b.baseM, r.m - row);
    const int64_t columns = std::min(b.baseN, r.n - column);
    if (bias) {
        cube.counters.Load(static_cast<uint64_t>(columns) * BytesOf(state.spec.bias));
    }
    cube.counters.macs += static_cast<uint64_t>(rows * columns) * static_cast<uint64_t>(r.k);
    cube.counters.instructions += static_cast<uint64_t>((r.k + b.baseK - 1) / b.baseK);
}

void CountMatmulBuffers(Core& core) {
    const MatmulClient& client = MatmulClientOf(core);
    Buffers& buffers = MatmulInPlace(core) ? core.buffers : core.Group().cube->buffers;
    int64_t inL1 = 0;
    for (size_t i = 0; i < client.count; ++i) {
        const MatmulState& state = client.objects[i];
        if (!state.ready) {
            continue;
        }
        const MatmulBlocks& b = state.blocks;
        inL1 += BytesInL1(state);  // each object has its own blocks there; L0 is handed from one to the next
        buffers.TakeForMatmul(Memory::kL0A,
                              uint64_t{BytesOf(state.spec.a)} * static_cast<uint64_t>(b.baseM * b.baseK * b.dbL0A));
        buffers.TakeForMatmul(Memory::kL0B,
                              uint64_t{BytesOf(state.spec.b)} * static_cast<uint64_t>(b.baseN * b.baseK * b.dbL0B));
        buffers.TakeForMatmul(Memory::kL0C, sizeof(float) * static_cast<uint64_t>(b.baseM * b.baseN * b.dbL0C));
    }
    buffers.TakeForMatmul(Memory::kL1, static_cast<uint64_t>(inL1));
}

}  // namespace sim
