// What a cube core moves between global memory and L1 for a computation, by its TCubeTiling, and what it keeps.
//
// The operands' base blocks come into L1 in pieces of K: of baseK with the Norm template, of baseK * stepK with MDL.
// depthA1 and depthB1 say for how many base blocks there is room. Pieces that stay are not loaded again for the next
// base block of C in the same rows (A) or columns (B). Documentation:
// 高阶API/矩阵计算/Matmul-Tiling类/TCubeTiling结构体, MatmulConfig (Norm, MDL).
#include <algorithm>

#include "vector/arithmetic.h"
#include "operands.h"
#include "report/rows.h"

namespace sim {
namespace {

// The rows in global memory of `length` rows or columns over the last `rest` of K, which come in pieces of K.
GmSpan RowsOf(const MatmulSide& side, int64_t first, int64_t length, int64_t there, int64_t rest) {
    const uint64_t bytes = BytesOf(side.type);
    const uint64_t lines = static_cast<uint64_t>(length), depth = static_cast<uint64_t>(rest);
    if (side.fractal) {
        return {side.gm, lines * depth * bytes};
    }
    const uint64_t skipped = static_cast<uint64_t>(there * side.in.piece);
    if (side.isA == side.transposed) {  // rows are those of K
        const uint64_t pitch = static_cast<uint64_t>(side.orgLength) * bytes;
        return {side.gm + skipped * pitch + static_cast<uint64_t>(first) * bytes, lines * bytes, depth, pitch};
    }
    const uint64_t pitch = static_cast<uint64_t>(side.orgK) * bytes;
    const uint64_t pieces = (depth + static_cast<uint64_t>(side.in.piece) - 1) / static_cast<uint64_t>(side.in.piece);
    return {side.gm + static_cast<uint64_t>(first) * pitch + skipped * bytes,
            std::min(depth, static_cast<uint64_t>(side.in.piece)) * bytes, lines * pieces, pitch};
}

// The base block at `index` of one operand, unless the kernel keeps that in L1 itself.
void Load(Core& cube, const Call& call, const MatmulSide& side, int64_t index) {
    if (side.local != nullptr && side.local->inL1) {
        return;
    }
    const MatmulBuffering& in = side.in;
    const int64_t pieces = (side.k + in.piece - 1) / in.piece;
    const int64_t kept = MatmulKept(in, pieces);
    const int64_t together = kept == pieces ? in.step : 1;
    const int32_t group = static_cast<int32_t>(index / together);
    const bool again = *side.resident == group;
    *side.resident = group;
    const int64_t first = group * together * in.base;
    const int64_t length = std::min(in.total - first, together * in.base);
    const int64_t there = again ? kept : 0;
    const int64_t rest = side.k - std::min<int64_t>(side.k, there * in.piece);
    if (rest > 0) {
        Work work = Work::Load(static_cast<uint64_t>(length * rest) * BytesOf(side.type));
        work.instructions = static_cast<uint64_t>(pieces - there);
        cube.Issue(Pipe::kMte2, call, WithRows(cube, work, RowsOf(side, first, length, there, rest)));
    }
}

int64_t BytesInL1(const MatmulState& state) {
    const MatmulBlocks& b = state.blocks;
    return MatmulBytesOfA(state.spec, b) + MatmulBytesOfB(state.spec, b) +
           (b.isBias != 0 ? int64_t{b.baseN} * BytesOf(state.spec.bias) : 0);
}

}  // namespace

// How many pieces of K stay until other rows or columns are needed.
int64_t MatmulKept(const MatmulBuffering& in, int64_t pieces) {
    if (in.multiDataLoad) {
        return pieces == 1 ? 1 : 0;
    }
    const bool whole = in.depth >= pieces * in.step;
    if (in.depth > 2) {
        return whole ? pieces : std::min(pieces, in.depth - 2);  // two are for what passes through
    }
    return whole && !(pieces == 1 && in.depth == 2) ? pieces : 0;  // two pieces of one: a double buffer
}

void CountMatmulBlock(Core& cube, MatmulState& state, const MatmulMessage& message, int32_t row, int32_t column,
                      bool bias) {
    const MatmulRound& r = message.round;
    const Call& call = message.call;
    const MatmulBlocks& b = state.blocks;
    Load(cube, call, SideA(state, r), row / b.baseM);
    Load(cube, call, SideB(state, r), column / b.baseN);
    const int64_t rows = std::min(b.baseM, r.m - row);
    const int64_t columns = std::min(b.baseN, r.n - column);
    if (bias) {
        cube.Issue(Pipe::kMte2, call, Work::Load(static_cast<uint64_t>(columns) * BytesOf(state.spec.bias)));
    }
    Work work = Work::None();
    work.macs = static_cast<uint64_t>(rows * columns) * static_cast<uint64_t>(r.k);
    work.instructions = static_cast<uint64_t>((r.k + b.baseK - 1) / b.baseK);
    work.bytesOfCube = CubeBytesOf(state.spec.a) / (r.hf32 != Hf32::kOff && state.spec.a == Dtype::kFloat ? 2 : 1);
    cube.order.clocks.Join(Pipe::kMatrix, cube.order.clocks.Snapshot(Pipe::kMte2));  // the object's own flags
    cube.Issue(Pipe::kMatrix, call, work);
    cube.order.clocks.Join(cube.Kind() == CoreKind::kCoupled ? Pipe::kVector : Pipe::kFix,
                           cube.order.clocks.Snapshot(Pipe::kMatrix));
}

void CountMatmulBuffers(Core& core) {
    const MatmulClient& client = MatmulClientOf(core);
    Buffers& buffers = MatmulInPlace(core) ? core.memory.buffers : core.Group().cube->memory.buffers;
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
