// The Matmul object on the cube core: takes the clients' messages in turn, reads A, B and bias by MTE2, sums in
// float32 and writes C by FIX.
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "arithmetic.h"
#include "matmul.h"

namespace sim {
namespace {

constexpr Rule kPartial = {"enPartialSum adds to the block that an Iterate before has left in L0C",
                           "高阶API/矩阵计算/Matmul-Kernel侧接口/Iterate"};
constexpr Rule kRoom = {"the tensor for C has room for a base block",
                        "高阶API/矩阵计算/Matmul-Kernel侧接口/GetTensorC"};
constexpr Rule kWait = {"an asynchronous IterateAll with waitIterateAll is waited for by WaitIterateAll",
                        "高阶API/矩阵计算/Matmul-Kernel侧接口/IterateAll"};
constexpr Rule kCubeOnly = {"a kernel of cube cores alone defines ASCENDC_CUBE_ONLY before lib/matmul_intf.h",
                            "高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明"};
constexpr Rule kNoCube = {"the Matmul object needs cube cores: KERNEL_TYPE_MIX_AIC_1_1, MIX_AIC_1_2 or AIC_ONLY",
                          "高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明"};

// A matrix, or a part of one, in global memory.
struct Area {
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

void Read(Core& cube, const char* name, const Area& area, const Call& call) {
    char verb[96];
    std::snprintf(verb, sizeof(verb), "matrix %s of %" PRId64 " x %" PRId64 " (a row each %" PRId64 ") reads", name,
                  area.rows, area.columns, area.stride);
    cube.gm.Check(call, verb, area.addr, area.Bytes(), false);
    if (cube.Checks()) {
        GmRead(cube, Pipe::kMte2, cube.clocks.Issue(Pipe::kMte2, call), area.Span(), call);
    }
}

// The part of C that one base block is: where it starts in the output, and how its rows follow.
struct Block {
    int32_t row, column;    // in elements of this computation
    int32_t rows, columns;  // what there is of it
    int64_t offset, stride;
};

Block BlockOf(const MatmulState& state, const MatmulRound& round, uint32_t step, bool sequential, int64_t base) {
    const MatmulBlocks& b = state.blocks;
    const uint32_t ofM = static_cast<uint32_t>((round.m + b.baseM - 1) / b.baseM);
    const uint32_t ofN = static_cast<uint32_t>((round.n + b.baseN - 1) / b.baseN);
    const int32_t i = static_cast<int32_t>(b.iterateOrder == 0 ? step % ofM : step / ofN);
    const int32_t j = static_cast<int32_t>(b.iterateOrder == 0 ? step / ofM : step % ofN);
    Block block{};
    block.row = i * b.baseM;
    block.column = j * b.baseN;
    block.rows = std::min(b.baseM, round.m - block.row);
    block.columns = std::min(b.baseN, round.n - block.column);
    const int64_t pitch = round.orgKc != 0 ? round.orgKc : round.orgN;
    block.stride = sequential ? block.columns : pitch;
    block.offset = sequential ? base : block.row * pitch + block.column;
    return block;
}

// All of A, B and bias that this computation reads.
void ReadInputs(Core& cube, const MatmulMessage& message) {
    const MatmulRound& r = message.round;
    const MatmulSpec& spec = message.state->spec;
    message.state->residentA = -1;
    message.state->residentB = -1;
    const uint32_t a = BytesOf(spec.a);
    const uint32_t b = BytesOf(spec.b);
    Read(cube, "A", r.aTransposed ? Area{r.a, r.k, r.m, r.orgM, a} : Area{r.a, r.m, r.k, r.orgKa, a}, message.call);
    Read(cube, "B", r.bTransposed ? Area{r.b, r.n, r.k, r.orgKb, b} : Area{r.b, r.k, r.n, r.orgN, b}, message.call);
    if (r.bias != 0) {
        Read(cube, "bias", {r.bias, 1, r.n, r.n, BytesOf(spec.bias)}, message.call);
    }
}

// One base block into L0C.
void Sum(Core& cube, const MatmulMessage& message, const Block& block, bool accumulate) {
    MatmulState& state = *message.state;
    const MatmulRound& r = message.round;
    CountMatmulBlock(cube, state, r, block.row, block.column, !accumulate && r.bias != 0);
    const uint32_t bytesA = BytesOf(state.spec.a);
    const uint32_t bytesB = BytesOf(state.spec.b);
    state.sums.resize(static_cast<size_t>(state.blocks.baseM) * static_cast<size_t>(state.blocks.baseN));
    float* sums = state.sums.data();
    const int64_t columns = block.columns;
    if (!accumulate && r.bias != 0) {
        WidenRow(
            reinterpret_cast<const uint8_t*>(r.bias) + static_cast<size_t>(block.column) * BytesOf(state.spec.bias),
            state.spec.bias, columns, sums);
        for (int64_t i = 1; i < block.rows; ++i) {
            std::copy(sums, sums + columns, sums + i * columns);
        }
        accumulate = true;
    }
    const int64_t firstA = r.aTransposed ? block.row : int64_t{block.row} * r.orgKa;
    const int64_t firstB = r.bTransposed ? int64_t{block.column} * r.orgKb : block.column;
    Gemm(block.rows, columns, r.k,
         {reinterpret_cast<const uint8_t*>(r.a) + firstA * bytesA, state.spec.a, r.aTransposed ? r.orgM : r.orgKa,
          r.aTransposed},
         {reinterpret_cast<const uint8_t*>(r.b) + firstB * bytesB, state.spec.b, r.bTransposed ? r.orgKb : r.orgN,
          r.bTransposed},
         accumulate, sums, columns);
    state.sumsDefined = true;
}

// L0C into global memory.
void WriteOut(Core& cube, const MatmulMessage& message, const Block& block) {
    const MatmulState& state = *message.state;
    const uint32_t bytes = BytesOf(state.spec.c);
    const Area area{message.gm + static_cast<uint64_t>(block.offset) * bytes, block.rows, block.columns, block.stride,
                    bytes};
    char verb[112];
    std::snprintf(verb, sizeof(verb), "block of C of %d x %d at [%d, %d] (a row each %" PRId64 ") writes", block.rows,
                  block.columns, block.row, block.column, block.stride);
    cube.gm.Check(message.call, verb, area.addr, area.Bytes(), true);
    cube.counters.Store(static_cast<uint64_t>(block.rows) * static_cast<uint64_t>(block.columns) * bytes);
    if (cube.Checks()) {
        GmWrite(cube, Pipe::kFix, cube.clocks.Issue(Pipe::kFix, message.call), area.Span(), message.call);
    }
    for (int64_t i = 0; i < block.rows; ++i) {
        StoreSums(state.sums.data() + i * block.columns, block.columns, state.spec.c,
                  static_cast<Combine>(message.write.atomic),
                  reinterpret_cast<uint8_t*>(area.addr) + i * block.stride * bytes);
    }
}

// L0C towards the unified buffer of the client.
void WriteTransit(Core& cube, const MatmulMessage& message, const Block& block) {
    MatmulState& state = *message.state;
    const int64_t bytes = BytesOf(state.spec.c);
    const int64_t room = static_cast<int64_t>(state.transit.bytes.size()) / bytes;
    const int64_t need = block.offset + (block.rows - 1) * block.stride + block.columns;
    if (need > room) {
        Fail(message.call, kRoom,
             "the block of C of %d x %d at [%d, %d] (a row each %" PRId64 ") needs %" PRId64
             " elements, the tensor has %" PRId64,
             block.rows, block.columns, block.row, block.column, block.stride, need, room);
    }
    cube.counters.Store(static_cast<uint64_t>(block.rows * block.columns * bytes));
    for (int64_t i = 0; i < block.rows; ++i) {
        const size_t at = static_cast<size_t>((block.offset + i * block.stride) * bytes);
        StoreSums(state.sums.data() + i * block.columns, block.columns, state.spec.c, Combine::kReplace,
                  state.transit.bytes.data() + at);
        std::memset(state.transit.defined.data() + at, 0xff, static_cast<size_t>(block.columns * bytes));
    }
}

void IterateAllBlocks(Core& cube, const MatmulMessage& message) {
    MatmulState& state = *message.state;
    const MatmulRound& r = message.round;
    const uint32_t blocks = static_cast<uint32_t>((r.m + state.blocks.baseM - 1) / state.blocks.baseM) *
                            static_cast<uint32_t>((r.n + state.blocks.baseN - 1) / state.blocks.baseN);
    ReadInputs(cube, message);
    for (uint32_t step = 0; step < blocks; ++step) {
        const Block block =
            BlockOf(state, r, step, message.write.sequential, int64_t{step} * state.blocks.baseM * state.blocks.baseN);
        Sum(cube, message, block, false);
        WriteOut(cube, message, block);
        cube.Poll();
    }
    state.sumsDefined = false;
}

}  // namespace

void MatmulCompute(Core& cube, const MatmulMessage& message) {
    MatmulState& state = *message.state;
    switch (message.action) {
        case MatmulAction::kEnd:
            state.sumsDefined = false;
            break;
        case MatmulAction::kIterateAll:
            IterateAllBlocks(cube, message);
            break;
        case MatmulAction::kIterate:
            if (message.step == 0) {
                ReadInputs(cube, message);
            }
            if (message.partial && !state.sumsDefined) {
                Fail(message.call, kPartial, "L0C holds no block of this object");
            }
            Sum(cube, message, BlockOf(state, message.round, message.step, true, 0), message.partial);
            break;
        case MatmulAction::kGetTensorC: {
            const Block block = BlockOf(state, message.round, message.step, message.write.sequential, 0);
            if (message.inTransit) {
                WriteTransit(cube, message, block);
            } else {
                WriteOut(cube, message, block);
            }
            break;
        }
    }
    if (message.notify) {
        // the object orders its own steps: C is complete when what it was computed from has been read
        if (cube.Checks()) {
            cube.clocks.Join(Pipe::kFix, cube.clocks.Snapshot(Pipe::kMte2));
        }
        state.done.push_back({Release(cube, Pipe::kFix), message.call});
    }
}

namespace {

// The client whose message is next, or -1.
int32_t NextClient(MatmulGroup& group, size_t vectors) {
    if (group.held >= 0) {
        MatmulClient& held = group.clients[static_cast<size_t>(group.held)];
        if (!held.queue.empty()) {
            return group.held;
        }
        if (!held.left) {
            return -1;
        }
        group.held = -1;
    }
    for (size_t i = 0; i < vectors; ++i) {
        const size_t client = (group.next + i) % vectors;
        if (!group.clients[client].queue.empty()) {
            return static_cast<int32_t>(client);
        }
    }
    return -1;
}

std::string WaitsFor(const MatmulGroup& group) {
    return group.held >= 0 ? "waits for the next call of AIV " + std::to_string(group.held) +
                                 ", whose Iterate has not been ended by End()"
                           : std::string("waits for a call of the Matmul object on an AIV");
}

}  // namespace

bool MatmulServe(bool cubeOnly, Site site) {
    Core& core = CurrentCore();
    const Call call{"REGIST_MATMUL_OBJ", site};
    const bool cube = core.Kind() == CoreKind::kCube;
    Group& block = core.Group();
    if (block.cube == nullptr) {
        Fail(call, kNoCube, "the blocks of this kernel have vector cores only");
    }
    if (cubeOnly || !cube) {
        return cubeOnly && !cube;  // the vector cores of a kernel for cube cores have no part in it
    }
    if (block.vectors.empty()) {
        Fail(call, kCubeOnly, "this kernel has no vector cores that could call the object");
    }
    MatmulGroup& group = MatmulOf(core);
    for (;;) {
        int32_t client = -1;
        Await(
            call,
            [&] {
                client = NextClient(group, block.vectors.size());
                return client >= 0 || block.endedVectors == block.vectors.size();
            },
            [&] { return WaitsFor(group); });
        if (client < 0) {
            break;
        }
        MatmulClient& from = group.clients[static_cast<size_t>(client)];
        const MatmulMessage message = std::move(from.queue.front());
        from.queue.pop_front();
        Acquire(core, message.clock);
        MatmulCompute(core, message);
        group.held = message.hold ? client : -1;
        group.next = message.hold ? group.next : static_cast<uint32_t>(client) + 1;
        Changed();
    }
    group.served = true;
    for (size_t i = 0; i < block.vectors.size(); ++i) {
        for (const MatmulState& state : group.clients[i].objects) {
            if (state.waited < state.done.size()) {
                Fail(state.done[state.waited].call, kWait, "AIV %zu has ended without WaitIterateAll", i);
            }
        }
    }
    return true;
}

}  // namespace sim
