// The Matmul object on AI Cores with both units (ascend310p). It computes where it is called, and has no copies that
// change formats: A and B become fractals in the unified buffer, and C comes out of L0C through it. That takes room
// there, which SetLocalWorkspace gives. Documentation: 高阶API/矩阵计算/Matmul-Kernel侧接口/SetLocalWorkspace
#include <algorithm>
#include <cstring>

#include "vector/arithmetic.h"
#include "matmul.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr Rule kRoom = {
    "matmul-local-workspace",
    "on ascend310p a product takes room in the unified buffer where A or B is ND, or C is ND or in global memory: "
    "SetLocalWorkspace",
    MATMUL_PAGE("SetLocalWorkspace")};
constexpr Rule kRoomBytes = {"matmul-local-size",
                             "the tensor for SetLocalWorkspace has as many bytes as MatmulGetTmpBufSize says",
                             MATMUL_PAGE("SetLocalWorkspace")};
constexpr Rule kWholeRows = {
    "matmul-310p-rows",
    "on ascend310p rows of C with the format ND are multiples of 32 bytes: N, and where C has rows of its own, orgKc",
    MATMUL_PAGE("Matmul使用说明")};
constexpr Rule kTurnedBytes = {"matmul-310p-int8", "on ascend310p matrices A of int8_t are not transposed",
                               MATMUL_PAGE("SetTensorA")};

// What MatmulGetTmpBufSize says of the unified buffer.
int64_t RoomOf(const MatmulBlocks& blocks) { return std::max(blocks.shareUbSize, 2 * blocks.transLength); }

bool NeedsRoom(const MatmulState& state) {
    const MatmulSpec& spec = state.spec;
    return !spec.aFractal || !spec.bFractal || !spec.cFractal || !spec.outputInUb || state.round.bias != 0;
}

}  // namespace

void MatmulSetLocalWorkspace(int32_t object, const Ub& room, Site site) {
    Core& core = CurrentCore();
    const Call call{"SetLocalWorkspace", site};
    MatmulState& state = MatmulFind(core, object, call);
    CheckOperand(core, {"tmpBuffer", room, BytesLeft(room), true}, call, MATMUL_PAGE("SetLocalWorkspace"));
    const int64_t bytes = BytesLeft(room);
    if (bytes < RoomOf(state.blocks)) {
        Fail(call, kRoomBytes, "the tensor has %lld bytes, transLength %d and shareUbSize %d ask for %lld",
             static_cast<long long>(bytes), state.blocks.transLength, state.blocks.shareUbSize,
             static_cast<long long>(RoomOf(state.blocks)));
    }
    state.room = room;
    state.haveRoom = true;
}

void CheckCoupled(Core& core, const MatmulState& state, const Call& call) {
    if (core.Kind() != CoreKind::kCoupled) {
        return;
    }
    if (NeedsRoom(state) && !state.haveRoom) {
        Fail(call, kRoom, "it has not been called");
    }
    const MatmulSpec& spec = state.spec;
    const MatmulRound& round = state.round;
    const int64_t across = 32 / BytesOf(spec.c);
    const int32_t pitch = round.orgKc != 0 ? round.orgKc : round.orgN;
    if (!spec.cFractal && !spec.cAligned && (round.n % across != 0 || pitch % across != 0)) {
        Fail(call, kWholeRows, "this computation has %d columns, rows of C are %d elements apart, of %u bytes each",
             round.n, pitch, BytesOf(spec.c));
    }
    if (spec.a == Dtype::kInt8 && round.aTransposed) {
        Fail(call, kTurnedBytes, "isTransposeA is true");
    }
}

void UseMatmulRoom(Core& core, const MatmulState& state, const Call& call) {
    if (core.Kind() != CoreKind::kCoupled) {
        return;
    }
    const Work none = Work::None();
    // the object's own events: loads, the change of format, the way into L1, products, C into the unified buffer and
    // out
    const auto follows = [&](Pipe pipe, Pipe after) {
        core.order.clocks.Join(pipe, core.order.clocks.Snapshot(after));
    };
    if (state.haveRoom && core.Checks()) {
        const Ub& room = state.room;
        const uint32_t end = room.addr + static_cast<uint32_t>(RoomOf(state.blocks));
        core.memory.buffers.Queues().CheckAlive(room, "tmpBuffer", true, call);
        core.memory.shadow.Write(core.order.clocks, Pipe::kMte2, core.Issue(Pipe::kMte2, call, none), room.addr, end,
                                 call);
        follows(Pipe::kVector, Pipe::kMte2);
        core.memory.shadow.Write(core.order.clocks, Pipe::kVector, core.Issue(Pipe::kVector, call, none), room.addr,
                                 end, call);
        core.memory.shadow.Undefine(room.addr, end - room.addr);
        follows(Pipe::kMte3, Pipe::kVector);
        core.memory.shadow.Read(core.order.clocks, Pipe::kMte3, core.Issue(Pipe::kMte3, call, none), room.addr, end,
                                call);
        follows(Pipe::kVector, Pipe::kMte3);
        follows(Pipe::kMte2, Pipe::kVector);
    }
    follows(Pipe::kMte3, Pipe::kVector);
}

}  // namespace sim
