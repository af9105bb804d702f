// The Matmul object on the cube core: takes the clients' messages in turn, and sums base blocks in float32.
#include <algorithm>
#include <cstring>

#include "vector/arithmetic.h"
#include "operands.h"
#include "output.h"

namespace sim {
namespace {

constexpr Rule kWait = {"matmul-never-waited",
                        "an asynchronous IterateAll with waitIterateAll is waited for by WaitIterateAll",
                        "高阶API/矩阵计算/Matmul-Kernel侧接口/IterateAll"};
constexpr Rule kCubeOnly = {"matmul-cube-only",
                            "a kernel of cube cores alone defines ASCENDC_CUBE_ONLY before lib/matmul_intf.h",
                            "高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明"};
constexpr Rule kNoCube = {"matmul-no-cube",
                          "the Matmul object needs cube cores: KERNEL_TYPE_MIX_AIC_1_1, MIX_AIC_1_2 or AIC_ONLY",
                          "高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明"};
constexpr Rule kPaired = {"ib-share-calls",
                          "with IBShare both vector cores of a block call IterateAll equally often, with fakeMsg where "
                          "one has nothing to compute",
                          "高阶API/矩阵计算/Matmul-Kernel侧接口/IterateAll"};

// One base block into L0C.
void Sum(Core& cube, const MatmulMessage& message, const MatmulBlock& block, bool accumulate) {
    MatmulState& state = *message.state;
    if (!MatmulComputes(state, block)) {
        return;
    }
    const MatmulRound& r = message.round;
    std::vector<uint8_t> plainA, plainB;
    // callback functions are called for what is not yet in L1, which the counters then take for loaded
    GemmOperand left = MatmulPart(cube, message, SideA(state, r), block.row, block.rows, plainA);
    GemmOperand right = MatmulPart(cube, message, SideB(state, r), block.column, block.columns, plainB);
    left.hf32 = right.hf32 = r.hf32;
    CountMatmulBlock(cube, state, message, block.row, block.column, !accumulate && r.bias != 0);
    UseMatmulRoom(cube, state, message.call);
    state.sums.resize(static_cast<size_t>(state.blocks.baseM) * static_cast<size_t>(state.blocks.baseN));
    float* sums = state.sums.data();
    const int64_t columns = block.columns;
    if (!accumulate && r.bias != 0) {
        const uint8_t* bias =
            reinterpret_cast<const uint8_t*>(r.bias) + static_cast<size_t>(block.column) * BytesOf(state.spec.bias);
        if (state.spec.bias == Dtype::kInt32) {
            std::memcpy(sums, bias, static_cast<size_t>(columns) * 4);
        } else {
            WidenRow(bias, state.spec.bias, columns, sums);
        }
        for (int64_t i = 1; i < block.rows; ++i) {
            std::copy(sums, sums + columns, sums + i * columns);
        }
        accumulate = true;
    }
    if (state.spec.a == Dtype::kInt8) {
        GemmIntegers(block.rows, columns, r.k, left, right, accumulate, reinterpret_cast<int32_t*>(sums), columns);
    } else {
        Gemm(block.rows, columns, r.k, left, right, accumulate, sums, columns);
    }
    state.sumsDefined = true;
}

// Of two vector cores that share both matrices the first one's call computes for both.
bool WaitsForOther(const MatmulGroup& group, size_t client) {
    const MatmulMessage& message = group.clients[client].queue.front();
    const MatmulSpec& spec = message.state->spec;
    if (client == 0 || message.shared < 0 || !spec.aShared || !spec.bShared) {
        return false;
    }
    const size_t object = static_cast<size_t>(message.state - group.clients[client].objects.data());
    return group.sharedDone[object] <= message.shared;
}

void IterateAllBlocks(Core& cube, const MatmulMessage& message) {
    MatmulState& state = *message.state;
    MatmulGroup& group = MatmulOf(cube);
    if (message.shared >= 0 && state.spec.aShared && state.spec.bShared) {
        const auto first = group.clients[0].objects.data();
        const bool ofFirst = &state >= first && &state < first + kMostMatmulObjects;
        if (!ofFirst) {
            return;
        }
        group.sharedDone[static_cast<size_t>(&state - first)] = message.shared + 1;
    }
    if (message.fake) {
        return;
    }
    const MatmulRound& r = message.round;
    const uint32_t blocks = static_cast<uint32_t>((r.m + state.blocks.baseM - 1) / state.blocks.baseM) *
                            static_cast<uint32_t>((r.n + state.blocks.baseN - 1) / state.blocks.baseN);
    ReadMatmulInputs(cube, message);
    for (uint32_t step = 0; step < blocks; ++step) {
        const MatmulBlock block = MatmulBlockOf(state, r, step, message.write.sequential,
                                                int64_t{step} * state.blocks.baseM * state.blocks.baseN);
        Sum(cube, message, block, false);
        MatmulWriteBlock(cube, message, block);
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
                ReadMatmulInputs(cube, message);
            }
            {
                const MatmulBlock block = MatmulBlockOf(state, message.round, message.step, true, 0);
                if (message.partial) {
                    MatmulResume(message, block);
                }
                Sum(cube, message, block, message.partial);
                if (message.intoCo1) {
                    MatmulIntoL0c(message, block, message.co1);
                }
            }
            break;
        case MatmulAction::kGetTensorC: {
            const MatmulBlock block = MatmulBlockOf(state, message.round, message.step, message.write.sequential, 0);
            if (!MatmulComputes(state, block)) {
                break;
            }
            MatmulWriteBlock(cube, message, block);
            break;
        }
    }
    if (message.notify) {
        // the object orders its own steps: C is complete when what it was computed from has been read
        if (cube.Checks()) {
            cube.order.clocks.Join(Pipe::kFix, cube.order.clocks.Snapshot(Pipe::kMte2));
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
        if (!group.clients[client].queue.empty() && !WaitsForOther(group, client)) {
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
    if (core.Kind() == CoreKind::kCoupled) {
        return false;
    }
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
    for (const auto& calls : group.shared) {
        if (calls[0].size() != calls[1].size()) {
            FailDeadlock(call, kPaired, "AIV 0 has called it %zu times, AIV 1 %zu times", calls[0].size(),
                         calls[1].size());
        }
    }
    return true;
}

}  // namespace sim
