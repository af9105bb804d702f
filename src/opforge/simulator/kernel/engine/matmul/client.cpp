// The Matmul object's computations: the books of a client, and the messages it sends to the cube core of its block.
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "vector/arithmetic.h"
#include "matmul.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr Rule kInnerAxis = {"matmul-inner-axis",
                             "an inner axis of 65535 elements or more needs intrinsicsCheck in the MatmulConfig",
                             MATMUL_PAGE("MatmulConfig")};
constexpr Rule kTensors = {"matmul-tensors", "a computation begins with SetTensorA and SetTensorB",
                           MATMUL_PAGE("Matmul使用说明")};
constexpr Rule kTaken = {"matmul-taken", "each Iterate is followed by one GetTensorC", MATMUL_PAGE("GetTensorC")};
constexpr Rule kIterated = {"matmul-iterated", "GetTensorC takes a block that Iterate has computed",
                            MATMUL_PAGE("GetTensorC")};
constexpr Rule kPartial = {"matmul-partial-shape", "enPartialSum needs singleCoreM == baseM and singleCoreN == baseN",
                           MATMUL_PAGE("Iterate")};
constexpr Rule kCache = {"matmul-workspace", "Iterate<false> needs SetWorkspace before it",
                         MATMUL_PAGE("SetWorkspace")};
constexpr Rule kMode = {"matmul-async", "GetTensorC is synchronous or asynchronous as the Iterate before it",
                        MATMUL_PAGE("GetTensorC")};
constexpr Rule kAtomic = {"matmul-atomic", "enAtomic is 0 (none), 1 (add), 2 (max) or 3 (min)",
                          MATMUL_PAGE("IterateAll")};
constexpr Rule kAtomicUb = {"matmul-atomic-gm", "enAtomic is for C in global memory", MATMUL_PAGE("GetTensorC")};
constexpr Rule kWait = {"matmul-wait", "WaitIterateAll waits for an IterateAll<false> with waitIterateAll true, once",
                        MATMUL_PAGE("WaitIterateAll")};
constexpr Rule kEnd = {"matmul-end", "End() stands between the computations of two Matmul objects", MATMUL_PAGE("End")};
constexpr Rule kAlignedInUb = {"matmul-rows-in-ub", "rows of C in VECIN with the format ND are multiples of 32 bytes",
                               MATMUL_PAGE("Matmul使用说明")};
constexpr Rule kUbBlocks = {"matmul-c-in-ub", "a tensor for C in the unified buffer is a multiple of 32 bytes",
                            MATMUL_PAGE("GetTensorC")};
constexpr Rule kScope = {"matmul-scope", "an object is used in the scope of its REGIST_MATMUL_OBJ",
                         MATMUL_PAGE("REGIST_MATMUL_OBJ")};
constexpr Rule kVector = {"matmul-vector", "A of the format VECTOR is one row", MATMUL_PAGE("SetTensorA")};
constexpr Rule kShared = {"ib-share-matrix", "with IBShare the two vector cores of a block pass the same matrix",
                          MATMUL_PAGE("MatmulConfig")};
constexpr int32_t kLongAxis = 65535;

void CheckInnerAxis(const MatmulState& state, const Call& call) {
    const MatmulRound& r = state.round;
    const int32_t a = r.aTransposed ? r.orgM : r.orgKa;
    const int32_t b = r.bTransposed ? r.orgKb : r.orgN;
    if (!state.spec.intrinsicsCheck && (a >= kLongAxis || b >= kLongAxis)) {
        Fail(call, kInnerAxis, "a row of %s has %d elements, and intrinsicsCheck is false", a >= kLongAxis ? "A" : "B",
             a >= kLongAxis ? a : b);
    }
}

}  // namespace

void CheckAtomic(uint8_t atomic, const Call& call) {
    if (atomic > static_cast<uint8_t>(Combine::kMin)) {
        Fail(call, kAtomic, "enAtomic is %u", atomic);
    }
}

void CheckRound(Core& core, MatmulState& state, const Call& call) {
    if (!state.haveA || !state.haveB) {
        Fail(call, kTensors, "%s has not been set", !state.haveA ? "A" : "B");
    }
    CheckInnerAxis(state, call);
    CheckCoupled(core, state, call);
    if (state.spec.aVector && (state.round.m != 1 || state.round.aTransposed)) {
        Fail(call, kVector, "M is %d%s", state.round.m, state.round.aTransposed ? ", transposed" : "");
    }
    MatmulClient& client = MatmulClientOf(core);
    for (size_t i = 0; i < client.count; ++i) {
        if (client.objects[i].open && &client.objects[i] != &state) {
            Fail(call, kEnd, "object %zu of this kernel has computed and has not been ended", i + 1);
        }
    }
}

void MatmulSend(Core& core, MatmulMessage message) {
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

void MatmulWait(Core& core, MatmulState& state, const Call& call) {
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

void MatmulShare(Core& core, int32_t object, MatmulMessage& message) {
    MatmulGroup& group = MatmulOf(core);
    const size_t other = 1 - core.SubBlock();
    if (core.Group().vectors.size() < 2) {
        return;
    }
    const MatmulSpec& spec = message.state->spec;
    auto& calls = group.shared[static_cast<size_t>(object)];
    const MatmulShared mine{message.fake, message.round.a, message.round.b};
    const size_t number = calls[core.SubBlock()].size();
    calls[core.SubBlock()].push_back(mine);
    message.shared = static_cast<int32_t>(number);
    if (number >= calls[other].size() || mine.fake || calls[other][number].fake) {
        return;
    }
    const MatmulShared& theirs = calls[other][number];
    if ((spec.aShared && mine.a != theirs.a) || (spec.bShared && mine.b != theirs.b)) {
        Fail(message.call, kShared, "call %zu of AIV %u has another %s than that of AIV %zu", number + 1,
             core.SubBlock(), spec.aShared && mine.a != theirs.a ? "A" : "B", other);
    }
}

void MatmulBegan(const Core& core, MatmulState& state) {
    state.fresh = false;
    if (!MatmulInPlace(core)) {
        state.round.bias = 0;
    }
}

namespace {

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
    MatmulSend(core, std::move(message));
    MatmulBegan(core, state);
}

}  // namespace

namespace {

bool Iterate(int32_t object, bool sync, bool partialSum, const Ub* co1, Site site) {
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
    message.intoCo1 = co1 != nullptr;
    message.co1 = co1 != nullptr ? *co1 : Ub{};
    state.cached = false;
    state.iterated = co1 == nullptr;
    state.open = true;
    // the next steps of this computation need its bias too
    const uint64_t bias = state.round.bias;
    MatmulSend(core, std::move(message));
    state.fresh = false;
    state.round.bias = MatmulInPlace(core) || state.BlocksOfM() * state.BlocksOfN() > state.step + 1 ? bias : 0;
    return true;
}

}  // namespace

bool MatmulIterate(int32_t object, bool sync, bool partialSum, Site site) {
    return Iterate(object, sync, partialSum, nullptr, site);
}

bool MatmulIterateInto(int32_t object, bool partialSum, const Ub& co1, Site site) {
    return Iterate(object, true, partialSum, &co1, site);
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
    MatmulSend(core, std::move(message));
    if (sync) {
        MatmulWait(core, state, call);
    }
}

void CheckUbForC(Core& core, const MatmulState& state, const Ub& ub, const Call& call) {
    const uint64_t row = static_cast<uint64_t>(state.round.n) * BytesOf(state.spec.c);
    const uint32_t bytes = BytesLeft(ub);
    if (!state.spec.cFractal && !state.spec.cAligned && row % 32 != 0) {
        Fail(call, kAlignedInUb, "a row of %d elements has %" PRIu64 " bytes", state.round.n, row);
    }
    if (bytes % 32 != 0) {
        Fail(call, kUbBlocks, "the tensor has %u bytes", bytes);
    }
    CheckOperand(core, {"the tensor for C", ub, bytes, true}, call, call.api);
}

void MatmulArrive(Core& core, MatmulState& state, const Ub& ub, const Call& call) {
    const MatmulTransit& transit = state.transit;
    const uint64_t moved =
        static_cast<uint64_t>(std::count(transit.defined.begin(), transit.defined.end(), uint8_t{0xff}));
    // on AI Cores with both units the vector unit itself takes it out of L0C
    const Pipe pipe = core.Kind() == CoreKind::kCoupled ? Pipe::kVector : Pipe::kMte2;
    const uint32_t number = core.Issue(pipe, call, pipe == Pipe::kVector ? Work::Move(moved) : Work::Load(moved));
    if (core.Checks()) {
        core.memory.shadow.Write(core.order.clocks, pipe, number, ub.addr, ub.addr + BytesLeft(ub), call);
        std::memcpy(core.memory.shadow.Defined(ub.addr), transit.defined.data(), transit.defined.size());
        core.order.clocks.Join(Pipe::kVector, core.order.clocks.Snapshot(pipe));
    }
    std::memcpy(core.UbData(ub.addr), transit.bytes.data(), transit.bytes.size());
}

void MatmulGetTensorCInUb(int32_t object, const Ub& ub, MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"GetTensorC", site};
    MatmulState& state = MatmulFind(core, object, call);
    MatmulMessage message = TakeBlock(core, state, true, write, call);
    if (write.atomic != 0) {
        Fail(call, kAtomicUb, "enAtomic is %u", write.atomic);
    }
    CheckUbForC(core, state, ub, call);
    state.transit = MatmulTransit(BytesLeft(ub));
    message.inTransit = true;
    MatmulSend(core, std::move(message));
    MatmulWait(core, state, call);
    MatmulArrive(core, state, ub, call);
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
        MatmulWait(core, state, call);
    }
    const uint64_t bytes = uint64_t{BytesOf(state.spec.c)} * static_cast<uint64_t>(state.blocks.baseM) *
                           static_cast<uint64_t>(state.blocks.baseN);
    return state.cache + bytes * state.taken++;
}

void MatmulIterateAll(int32_t object, bool sync, bool wait, bool fake, uint64_t gm, MatmulWrite write, Site site) {
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
    message.fake = fake;
    if (state.spec.aShared || state.spec.bShared) {
        MatmulShare(core, object, message);
    }
    state.iterated = false;
    state.cached = false;
    state.open = MatmulInPlace(core);  // the server ends its own
    MatmulSend(core, std::move(message));
    MatmulBegan(core, state);
    if (sync) {
        MatmulWait(core, state, call);
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
    MatmulWait(core, state, call);
}

void MatmulEnd(int32_t object, Site site) {
    Core& core = CurrentCore();
    const Call call{"End", site};
    MatmulState& state = MatmulFind(core, object, call, false);
    if (state.open) {
        state.open = false;
        state.iterated = false;
        MatmulSend(core, {MatmulAction::kEnd, call, &state, state.round});
    }
}

}  // namespace sim
