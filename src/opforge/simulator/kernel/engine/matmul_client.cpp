// The Matmul object's computations: the books of a client, and the messages it sends to the cube core of its block.
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "arithmetic.h"
#include "matmul.h"

namespace sim {
namespace {

constexpr Rule kInnerAxis = {"an inner axis of 65535 elements or more needs intrinsicsCheck in the MatmulConfig",
                             MATMUL_PAGE("MatmulConfig")};
constexpr Rule kTensors = {"a computation begins with SetTensorA and SetTensorB", MATMUL_PAGE("Matmul使用说明")};
constexpr Rule kTaken = {"each Iterate is followed by one GetTensorC", MATMUL_PAGE("GetTensorC")};
constexpr Rule kIterated = {"GetTensorC takes a block that Iterate has computed", MATMUL_PAGE("GetTensorC")};
constexpr Rule kPartial = {"enPartialSum needs singleCoreM == baseM and singleCoreN == baseN", MATMUL_PAGE("Iterate")};
constexpr Rule kCache = {"Iterate<false> needs SetWorkspace before it", MATMUL_PAGE("SetWorkspace")};
constexpr Rule kMode = {"GetTensorC is synchronous or asynchronous as the Iterate before it",
                        MATMUL_PAGE("GetTensorC")};
constexpr Rule kAtomic = {"enAtomic is 0 (none), 1 (add), 2 (max) or 3 (min)", MATMUL_PAGE("IterateAll")};
constexpr Rule kAtomicUb = {"enAtomic is for C in global memory", MATMUL_PAGE("GetTensorC")};
constexpr Rule kWait = {"WaitIterateAll waits for an IterateAll<false> with waitIterateAll true, once",
                        MATMUL_PAGE("WaitIterateAll")};
constexpr Rule kEnd = {"End() stands between the computations of two Matmul objects", MATMUL_PAGE("End")};
constexpr Rule kAlignedInUb = {"rows of C in VECIN with the format ND are multiples of 32 bytes",
                               MATMUL_PAGE("Matmul使用说明")};
constexpr Rule kUbBlocks = {"a tensor for C in the unified buffer is a multiple of 32 bytes",
                            MATMUL_PAGE("GetTensorC")};
constexpr Rule kScope = {"an object is used in the scope of its REGIST_MATMUL_OBJ", MATMUL_PAGE("REGIST_MATMUL_OBJ")};
constexpr int32_t kLongAxis = 65535;

void CheckAtomic(uint8_t atomic, const Call& call) {
    if (atomic > static_cast<uint8_t>(Combine::kMin)) {
        Fail(call, kAtomic, "enAtomic is %u", atomic);
    }
}

void CheckInnerAxis(const MatmulState& state, const Call& call) {
    const MatmulRound& r = state.round;
    const int32_t a = r.aTransposed ? r.orgM : r.orgKa;
    const int32_t b = r.bTransposed ? r.orgKb : r.orgN;
    if (!state.spec.intrinsicsCheck && (a >= kLongAxis || b >= kLongAxis)) {
        Fail(call, kInnerAxis, "a row of %s has %d elements, and intrinsicsCheck is false", a >= kLongAxis ? "A" : "B",
             a >= kLongAxis ? a : b);
    }
}

// Before a computation.
void CheckRound(Core& core, MatmulState& state, const Call& call) {
    if (!state.haveA || !state.haveB) {
        Fail(call, kTensors, "%s has not been set", !state.haveA ? "A" : "B");
    }
    CheckInnerAxis(state, call);
    MatmulClient& client = MatmulClientOf(core);
    for (size_t i = 0; i < client.count; ++i) {
        if (client.objects[i].open && &client.objects[i] != &state) {
            Fail(call, kEnd, "object %zu of this kernel has computed and has not been ended", i + 1);
        }
    }
}

void Send(Core& core, MatmulMessage message) {
    if (MatmulInPlace(core)) {
        message.notify = false;
        MatmulCompute(core, message);
        return;
    }
    MatmulGroup& group = MatmulOf(core);
    if (MatmulClientOf(core).left || group.served) {
        Fail(message.call, kScope, "that scope has ended, and with it the cube core's part of the kernel");
    }
    // the message itself is a transfer of MTE3, behind all that this pipe has been given before
    message.clock = Release(core, Pipe::kMte3);
    message.state->pending += message.notify ? 1u : 0u;
    MatmulClientOf(core).queue.push_back(std::move(message));
    Changed();
}

// Until the cube core has done the oldest message that nobody has waited for.
void Wait(Core& core, MatmulState& state, const Call& call) {
    if (MatmulInPlace(core)) {
        return;
    }
    MatmulGroup& group = MatmulOf(core);
    Await(
        call, [&] { return state.done.size() > state.waited; },
        [&] {
            return group.held >= 0 && group.held != static_cast<int32_t>(core.SubBlock())
                       ? "waits for the AIC, which serves AIV " + std::to_string(group.held) + " until its End()"
                       : std::string("waits for the AIC");
        });
    Acquire(core, state.done[state.waited++].clock);
    --state.pending;
    if (state.waited == state.done.size()) {
        state.done.clear();
        state.waited = 0;
    }
}

}  // namespace

namespace {

// A client's bias goes with one message; on a cube core it stays.
void Began(const Core& core, MatmulState& state) {
    state.fresh = false;
    if (!MatmulInPlace(core)) {
        state.round.bias = 0;
    }
}

// Iterate<false>: all blocks into the workspace, one behind the other.
void IterateIntoCache(Core& core, MatmulState& state, const Call& call) {
    if (state.cache == 0) {
        Fail(call, kCache, "no workspace has been set");
    }
    MatmulMessage message{MatmulAction::kIterateAll, call, &state, state.round};
    message.notify = true;
    message.gm = state.cache;
    message.write = {0, true};
    state.cached = true;
    state.taken = 0;
    state.iterated = true;
    Send(core, std::move(message));
    Began(core, state);
}

}  // namespace

bool MatmulIterate(int32_t object, bool sync, bool partialSum, Site site) {
    Core& core = CurrentCore();
    const Call call{"Iterate", site};
    MatmulState& state = MatmulFind(core, object, call);
    CheckRound(core, state, call);
    const bool first = state.fresh;
    if (first) {
        state.step = 0;
    } else if (++state.step >= state.BlocksOfM() * state.BlocksOfN()) {
        return false;
    } else if (state.cached) {
        return true;
    }
    if (!sync) {
        IterateIntoCache(core, state, call);
        return true;
    }
    if (!first && state.iterated && !partialSum) {
        Fail(call, kTaken, "block %u would be computed before GetTensorC has taken block %u", state.step,
             state.step - 1);
    }
    if (partialSum && (state.round.m != state.blocks.baseM || state.round.n != state.blocks.baseN) &&
        (state.BlocksOfM() != 1 || state.BlocksOfN() != 1)) {
        Fail(call, kPartial, "this computation is %d x %d, a base block %d x %d", state.round.m, state.round.n,
             state.blocks.baseM, state.blocks.baseN);
    }
    MatmulMessage message{MatmulAction::kIterate, call, &state, state.round};
    message.step = state.step;
    message.partial = partialSum;
    message.hold = true;
    state.cached = false;
    state.iterated = true;
    state.open = true;
    // the next steps of this computation need its bias too
    const uint64_t bias = state.round.bias;
    Send(core, std::move(message));
    state.fresh = false;
    state.round.bias = MatmulInPlace(core) || state.BlocksOfM() * state.BlocksOfN() > state.step + 1 ? bias : 0;
    return true;
}

namespace {

MatmulMessage TakeBlock(Core& core, MatmulState& state, bool sync, MatmulWrite write, const Call& call) {
    CheckAtomic(write.atomic, call);
    if (!state.iterated) {
        Fail(call, kIterated, "there is no block: Iterate has not been called since the last one was taken");
    }
    if (state.cached) {
        Fail(call, kMode, "the Iterate before was asynchronous: its blocks lie in the workspace");
    }
    state.iterated = false;
    MatmulMessage message{MatmulAction::kGetTensorC, call, &state, state.round};
    message.step = state.step;
    message.hold = true;
    message.notify = sync && !MatmulInPlace(core);
    message.write = write;
    return message;
}

}  // namespace

void MatmulGetTensorC(int32_t object, bool sync, uint64_t gm, MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"GetTensorC", site};
    MatmulState& state = MatmulFind(core, object, call);
    MatmulMessage message = TakeBlock(core, state, sync, write, call);
    message.gm = gm;
    Send(core, std::move(message));
    if (sync) {
        Wait(core, state, call);
    }
}

void MatmulGetTensorCInUb(int32_t object, const Ub& ub, MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"GetTensorC", site};
    MatmulState& state = MatmulFind(core, object, call);
    MatmulMessage message = TakeBlock(core, state, true, write, call);
    if (write.atomic != 0) {
        Fail(call, kAtomicUb, "enAtomic is %u", write.atomic);
    }
    const uint32_t element = BytesOf(state.spec.c);
    const uint32_t bytes = ub.end - ub.addr;
    const int32_t columns = state.round.n;
    if (static_cast<uint64_t>(columns) * element % 32 != 0) {
        Fail(call, kAlignedInUb, "a row of %d elements has %" PRIu64 " bytes", columns,
             static_cast<uint64_t>(columns) * element);
    }
    if (bytes % 32 != 0) {
        Fail(call, kUbBlocks, "the tensor has %u bytes", bytes);
    }
    CheckOperand(core, {"the tensor for C", ub, bytes, true}, call, "GetTensorC");
    state.transit.bytes.assign(bytes, 0);
    state.transit.defined.assign(bytes, 0);
    message.inTransit = true;
    Send(core, std::move(message));
    Wait(core, state, call);
    // out of the workspace by MTE2, and the vector unit waits for it
    core.counters.Load(
        static_cast<uint64_t>(std::count(state.transit.defined.begin(), state.transit.defined.end(), uint8_t{0xff})));
    if (core.Checks()) {
        const uint32_t number = core.clocks.Issue(Pipe::kMte2, call);
        core.shadow.Write(core.clocks, Pipe::kMte2, number, ub.addr, ub.end, call);
        std::memcpy(core.shadow.Defined(ub.addr), state.transit.defined.data(), bytes);
        core.clocks.Join(Pipe::kVector, core.clocks.Snapshot(Pipe::kMte2));
    }
    std::memcpy(core.UbData(ub.addr), state.transit.bytes.data(), bytes);
}

bool MatmulIsCached(int32_t object, Site site) {
    return MatmulFind(CurrentCore(), object, {"GetTensorC", site}).cached;
}

uint64_t MatmulNextCached(int32_t object, Site site) {
    Core& core = CurrentCore();
    const Call call{"GetTensorC", site};
    MatmulState& state = MatmulFind(core, object, call);
    if (!state.iterated || !state.cached) {
        Fail(call, kIterated, "there is no Iterate<false> whose blocks could be taken");
    }
    if (state.taken == state.BlocksOfM() * state.BlocksOfN()) {
        Fail(call, kIterated, "all %u blocks of the Iterate<false> have been taken", state.taken);
    }
    if (state.taken == 0) {
        Wait(core, state, call);
    }
    const uint64_t bytes = uint64_t{BytesOf(state.spec.c)} * static_cast<uint64_t>(state.blocks.baseM) *
                           static_cast<uint64_t>(state.blocks.baseN);
    return state.cache + bytes * state.taken++;
}

void MatmulIterateAll(int32_t object, bool sync, bool wait, uint64_t gm, MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"IterateAll", site};
    MatmulState& state = MatmulFind(core, object, call);
    CheckRound(core, state, call);
    CheckAtomic(write.atomic, call);
    if (!state.fresh) {
        Fail(call, kTensors, "no tensor has been set since the last computation");
    }
    MatmulMessage message{MatmulAction::kIterateAll, call, &state, state.round};
    message.notify = (sync || wait) && !MatmulInPlace(core);
    message.gm = gm;
    message.write = write;
    state.iterated = false;
    state.cached = false;
    state.open = MatmulInPlace(core);  // the server ends its own
    Send(core, std::move(message));
    Began(core, state);
    if (sync) {
        Wait(core, state, call);
    }
}

void MatmulWaitIterateAll(int32_t object, Site site) {
    Core& core = CurrentCore();
    const Call call{"WaitIterateAll", site};
    MatmulState& state = MatmulFind(core, object, call);
    if (MatmulInPlace(core)) {
        return;
    }
    if (state.pending == 0) {
        FailDeadlock(call, kWait, "no IterateAll<false> with waitIterateAll true is under way: it waits for ever");
    }
    Wait(core, state, call);
}

void MatmulEnd(int32_t object, Site site) {
    Core& core = CurrentCore();
    const Call call{"End", site};
    MatmulState& state = MatmulFind(core, object, call, false);
    if (state.open) {
        state.open = false;
        state.iterated = false;
        Send(core, {MatmulAction::kEnd, call, &state, state.round});
    }
}

}  // namespace sim
