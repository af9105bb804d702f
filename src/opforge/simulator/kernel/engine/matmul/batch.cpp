// Products in batches: IterateBatch and IterateNBatch. Each product is a message of its own.
#include <algorithm>
#include <cinttypes>

#include "vector/arithmetic.h"
#include "matmul.h"
#include "rounding.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr Rule kBatches = {"batch-count",
                           "the number of products is a multiple of batchA and of batchB, which are above 0",
                           MATMUL_PAGE("IterateBatch")};
constexpr Rule kBatchSum = {"batch-partial-sum",
                            "IterateBatch with enPartialSum is not simulated: call Iterate for each product",
                            MATMUL_PAGE("IterateBatch")};
constexpr Rule kAxes = {"batch-layouts",
                        "the layouts BSNGD, SBNGD and BNGS1S2 need SetALayout, SetBLayout and SetCLayout in the tiling",
                        MATMUL_PAGE("IterateBatch")};
constexpr Rule kGroups = {"batch-groups", "ALayoutInfoG / batchA is BLayoutInfoG / batchB",
                          MATMUL_PAGE("IterateBatch")};
constexpr Rule kLines = {"batch-lines", "with BSNGD, N * G of A is a multiple of batchA and N * G of B of batchB",
                         MATMUL_PAGE("IterateBatch")};
constexpr Rule kBroadcast = {"batch-broadcast",
                             "of the layouts' axes G may differ between A and B, with C's the larger: other broadcasts "
                             "and sums over G are not simulated",
                             MATMUL_PAGE("IterateBatch")};
constexpr Rule kSequential = {"batch-sequential",
                              "with BSNGD and SBNGD nothing is written one behind the other (enSequentialWrite)",
                              MATMUL_PAGE("IterateBatch")};
constexpr Rule kInL1 = {"batch-in-l1",
                        "the batches of A and B, filled up to fractals, fit into L1 together: with NORMAL say "
                        "BATCH_LARGE_THAN_L1 where they do not",
                        MATMUL_PAGE("IterateBatch")};
constexpr Rule kCache = {"batch-workspace", "IterateNBatch needs SetWorkspace before it", MATMUL_PAGE("IterateNBatch")};
constexpr Rule kNext = {"batch-taken",
                        "GetBatchTensorC takes what an IterateNBatch has computed, once for each of its batches",
                        MATMUL_PAGE("GetBatchTensorC")};

// How the matrices of one side follow each other; elements.
struct Pitch {
    int64_t row;    // from row to row of one
    int64_t batch;  // from one to the next
    int64_t group;  // how many stand side by side,
    int64_t line;   // and from there to the first behind them

    int64_t At(int64_t i) const { return i / group * line + i % group * batch; }
};

Pitch PitchOf(MatmulLayout layout, const MatmulAxes& x, int64_t rows, int64_t columns) {
    const int64_t ng = int64_t{x.n} * x.g;
    switch (layout) {
        case MatmulLayout::kBsngd:
            return {ng * x.d, x.d, ng, int64_t{x.s} * ng * x.d};
        case MatmulLayout::kSbngd:
            return {int64_t{x.b} * ng * x.d, x.d, INT64_MAX, 0};
        case MatmulLayout::kBngs1s2:
            return {x.d, int64_t{x.s} * x.d, INT64_MAX, 0};
        case MatmulLayout::kNormal:
            break;
    }
    return {columns, rows * columns, INT64_MAX, 0};
}

void CheckAxes(const MatmulState& state, const MatmulBatches& batches, MatmulWrite write, const Call& call) {
    const MatmulSpec& spec = state.spec;
    const struct {
        const char* name;
        MatmulLayout layout;
        const MatmulAxes& axes;
    } sides[] = {
        {"A", spec.aLayout, state.blocks.a}, {"B", spec.bLayout, state.blocks.b}, {"C", spec.cLayout, state.blocks.c}};
    for (const auto& side : sides) {
        const MatmulAxes& x = side.axes;
        if (side.layout != MatmulLayout::kNormal && (x.b <= 0 || x.s <= 0 || x.n <= 0 || x.g <= 0 || x.d <= 0)) {
            Fail(call, kAxes, "the axes of %s are B %d, S %d, N %d, G %d, D %d", side.name, x.b, x.s, x.n, x.g, x.d);
        }
    }
    if (spec.aLayout == MatmulLayout::kNormal) {
        return;
    }
    const MatmulAxes &a = state.blocks.a, &b = state.blocks.b, &c = state.blocks.c;
    if (int64_t{a.g} * batches.ofB != int64_t{b.g} * batches.ofA) {
        Fail(call, kGroups, "G is %d of A and %d of B, batchA %u, batchB %u", a.g, b.g, batches.ofA, batches.ofB);
    }
    if (a.n != b.n || a.b != b.b || c.g != std::max(a.g, b.g)) {
        Fail(call, kBroadcast, "B, N and G are %d, %d and %d of A, %d, %d and %d of B, %d, %d and %d of C", a.b, a.n,
             a.g, b.b, b.n, b.g, c.b, c.n, c.g);
    }
    if (spec.aLayout == MatmulLayout::kBsngd &&
        (a.n * a.g % static_cast<int32_t>(batches.ofA) != 0 || b.n * b.g % static_cast<int32_t>(batches.ofB) != 0)) {
        Fail(call, kLines, "they are %d and %d, batchA is %u, batchB %u", a.n * a.g, b.n * b.g, batches.ofA,
             batches.ofB);
    }
    if (write.sequential && spec.cLayout != MatmulLayout::kBngs1s2) {
        Fail(call, kSequential, "enSequentialWrite is true");
    }
}

void CheckBatches(Core& core, const MatmulState& state, const MatmulBatches& batches, MatmulWrite write,
                  const Call& call) {
    CheckAtomic(write.atomic, call);
    const uint32_t most = std::max(batches.ofA, batches.ofB);
    if (batches.ofA == 0 || batches.ofB == 0 || most % batches.ofA != 0 || most % batches.ofB != 0) {
        Fail(call, kBatches, "batchA is %u, batchB %u", batches.ofA, batches.ofB);
    }
    if (batches.partialSum) {
        Fail(call, kBatchSum, "enPartialSum is true");
    }
    CheckAxes(state, batches, write, call);
    const MatmulRound& r = state.round;
    const int64_t bytesA = BytesOf(state.spec.a), bytesB = BytesOf(state.spec.b);
    const int64_t a = batches.ofA * RoundUp(r.m, 16) * RoundUp(r.k * bytesA, 32);
    const int64_t b = batches.ofB * RoundUp(r.n, 16) * RoundUp(r.k * bytesB, 32);
    const uint64_t l1 = core.Request().soc->l1_bytes;
    const bool all = state.spec.batchesInL1 || state.spec.aLayout != MatmulLayout::kNormal;
    if (all && static_cast<uint64_t>(a + b) > l1) {
        Fail(call, kInL1, "%u of A take %" PRId64 " bytes, %u of B %" PRId64 ", L1 has %" PRIu64, batches.ofA, a,
             batches.ofB, b, l1);
    }
}

// The products of one IterateBatch, of A, B and bias as `all` has them. The last message is told of.
struct Products {
    Core& core;
    MatmulState& state;
    const MatmulBatches& batches;
    MatmulMessage first;  // what all have in common

    void Send(const MatmulRound& all, uint64_t gm, bool notify) const {
        const MatmulSpec& spec = state.spec;
        const MatmulBlocks& x = state.blocks;
        const int64_t ofC = all.orgKc != 0 ? all.orgKc : all.orgN;
        const bool turnedA = all.aTransposed, turnedB = all.bTransposed;
        Pitch a = PitchOf(spec.aLayout, x.a, turnedA ? all.orgKa : all.orgM, turnedA ? all.orgM : all.orgKa);
        Pitch b = PitchOf(spec.bLayout, x.b, turnedB ? all.orgN : all.orgKb, turnedB ? all.orgKb : all.orgN);
        const Pitch c = PitchOf(spec.cLayout, x.c, all.orgM, ofC);
        a.batch = batches.strideA != 0 ? batches.strideA : a.batch;
        b.batch = batches.strideB != 0 ? batches.strideB : b.batch;
        const uint32_t most = std::max(batches.ofA, batches.ofB);
        const uint64_t bias = batches.ofBias ? static_cast<uint64_t>(all.n) * BytesOf(spec.bias) : 0;
        for (uint32_t i = 0; i < most; ++i) {
            MatmulMessage message = first;
            MatmulRound& round = message.round;
            round = all;
            (turnedA ? round.orgM : round.orgKa) = static_cast<int32_t>(a.row);
            (turnedB ? round.orgKb : round.orgN) = static_cast<int32_t>(b.row);
            round.orgKc = first.inTransit ? all.n : static_cast<int32_t>(c.row);
            round.a += static_cast<uint64_t>(a.At(i / (most / batches.ofA))) * BytesOf(spec.a);
            round.b += static_cast<uint64_t>(b.At(i / (most / batches.ofB))) * BytesOf(spec.b);
            round.bias += all.bias != 0 ? i * bias : 0;
            message.notify = notify && i + 1 == most && !MatmulInPlace(core);
            message.transitOffset = int64_t{i} * all.m * all.n;
            const int64_t stride = batches.strideC != 0 ? int64_t{i} * batches.strideC : c.At(i);
            message.gm = gm + static_cast<uint64_t>(stride) * BytesOf(spec.c);
            MatmulSend(core, std::move(message));
        }
    }
};

void Began(Core& core, MatmulState& state) {
    state.iterated = false;
    state.cached = false;
    state.loops = 0;
    state.open = MatmulInPlace(core);
    MatmulBegan(core, state);
}

}  // namespace

void MatmulIterateBatch(int32_t object, bool sync, bool wait, uint64_t gm, const MatmulBatches& batches,
                        MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"IterateBatch", site};
    MatmulState& state = MatmulFind(core, object, call);
    CheckRound(core, state, call);
    CheckBatches(core, state, batches, write, call);
    MatmulMessage message{MatmulAction::kIterateAll, call, &state, state.round};
    message.write = write;
    Products{core, state, batches, message}.Send(state.round, gm, sync || wait);
    Began(core, state);
    if (sync) {
        MatmulWait(core, state, call);
    }
}

void MatmulIterateBatchInUb(int32_t object, const Ub& ub, const MatmulBatches& batches, MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"IterateBatch", site};
    MatmulState& state = MatmulFind(core, object, call);
    CheckRound(core, state, call);
    CheckBatches(core, state, batches, write, call);
    CheckUbForC(core, state, ub, call);
    state.transit = MatmulTransit(BytesLeft(ub));
    MatmulMessage message{MatmulAction::kIterateAll, call, &state, state.round};
    message.write = {0, false};
    message.inTransit = true;
    Products{core, state, batches, message}.Send(state.round, 0, true);
    Began(core, state);
    MatmulWait(core, state, call);
    MatmulArrive(core, state, ub, call);
}

void MatmulIterateNBatch(int32_t object, bool sync, bool wait, uint32_t loops, const MatmulBatches& batches,
                         MatmulWrite write, Site site) {
    Core& core = CurrentCore();
    const Call call{"IterateNBatch", site};
    MatmulState& state = MatmulFind(core, object, call);
    CheckRound(core, state, call);
    CheckBatches(core, state, batches, write, call);
    if (state.cache == 0) {
        Fail(call, kCache, "no workspace has been set");
    }
    MatmulMessage message{MatmulAction::kIterateAll, call, &state, state.round};
    message.write = write;
    const MatmulSpec& spec = state.spec;
    const MatmulBlocks& x = state.blocks;
    const uint32_t most = std::max(batches.ofA, batches.ofB);
    const MatmulRound all = state.round;
    const Pitch a = PitchOf(spec.aLayout, x.a, x.a.s, x.a.d);
    const Pitch b = PitchOf(spec.bLayout, x.b, x.b.s, x.b.d);
    const Pitch c = PitchOf(spec.cLayout, x.c, x.c.s, x.c.d);
    for (uint32_t loop = 0; loop < loops; ++loop) {
        MatmulRound round = all;
        round.a += static_cast<uint64_t>(a.At(int64_t{loop} * batches.ofA)) * BytesOf(spec.a);
        round.b += static_cast<uint64_t>(b.At(int64_t{loop} * batches.ofB)) * BytesOf(spec.b);
        round.bias += all.bias != 0 ? uint64_t{loop} * most * static_cast<uint64_t>(x.c.d) * BytesOf(spec.bias) : 0;
        const uint64_t to = static_cast<uint64_t>(c.At(int64_t{loop} * most)) * BytesOf(spec.c);
        // without a wait for all, GetBatchTensorC waits for each
        const bool each = !sync && !wait;
        Products{core, state, batches, message}.Send(round, state.cache + to, each || loop + 1 == loops);
    }
    Began(core, state);
    state.loops = sync || wait ? 0 : loops;
    state.taken = 0;
    if (sync) {
        MatmulWait(core, state, call);
    }
}

uint64_t MatmulNextBatch(int32_t object, uint32_t batchA, uint32_t batchB, Site site) {
    Core& core = CurrentCore();
    const Call call{"GetBatchTensorC", site};
    MatmulState& state = MatmulFind(core, object, call);
    if (state.taken >= state.loops) {
        Fail(call, kNext, "%u of %u batches have been taken", state.taken, state.loops);
    }
    MatmulWait(core, state, call);
    const uint64_t products = uint64_t{std::max(batchA, batchB)} * state.taken++;
    return state.cache + products * static_cast<uint64_t>(state.blocks.singleM) *
                             static_cast<uint64_t>(state.blocks.singleN) * BytesOf(state.spec.c);
}

}  // namespace sim
