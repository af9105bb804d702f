// What a kernel asks about its launch: which core it runs on, workspace, tiling.
#include <cinttypes>

#include "core.h"

namespace sim {
namespace {

constexpr Rule kTiling = {"tiling-size", "the kernel's tiling struct is the one the tiling function filled",
                          "基础API/Kernel-Tiling/GET_TILING_DATA"};
constexpr DeviceRule kTilingPadding = {
    {"tiling-padding", kTiling.text, kTiling.page},
    "behind the tiling data the launch has arguments of its own: who reads the padding of a struct reads these",
    "opbase aa3cd74, src/nnopbase/individual_op/executor/indv_args.cpp:238; vllm-ascend 182b75ea, "
    "csrc/moe/moe_grouped_matmul/op_kernel/moe_grouped_matmul_tiling_data.h:9 (a struct of alignas(8))"};

// What is reserved at the workspace's start: GetLibApiWorkSpaceSize() of Atlas A2 and A3, and of AI Cores with both
// units.
uint64_t SystemBytes(const Core& core) { return uint64_t{core.Kind() == CoreKind::kCoupled ? 2u : 16u} << 20; }

// Bytes of the launch's memory from `workspace` on.
uint64_t WorkspaceRoom(const Core& core, uint64_t workspace) {
    const sim_launch& request = core.Request();
    uint64_t room = 0;
    for (uint32_t i = 0; i < request.region_count; ++i) {
        const sim_region& region = request.regions[i];
        if (region.addr <= workspace && workspace - region.addr < region.bytes) {
            room = region.bytes - (workspace - region.addr);
        }
    }
    return room;
}

}  // namespace

bool OnCubeCore() { return CurrentCore().Kind() == CoreKind::kCube; }

bool OnVectorCore() { return CurrentCore().Kind() == CoreKind::kVector; }
int64_t BlockIndex() { return CurrentCore().Block(); }
int64_t BlockCount() { return CurrentCore().Request().block_dim; }
int64_t SubBlockIndex() { return CurrentCore().SubBlock(); }
int64_t SubBlockCount() { return OnVectorCore() ? CurrentCore().Shared().type->vectors : 1; }

uint64_t SystemWorkspace(Site site) {
    const Core& core = CurrentCore();
    if (core.registers.systemWorkspace == 0 && core.Request().logical_blocks != 0) {
        return 0;  // no __kfc_workspace__: who needs one says so
    }
    const uint64_t room = WorkspaceRoom(core, core.registers.systemWorkspace);
    if (room < SystemBytes(core)) {
        GlobalMemory::FailWorkspace({"GetSysWorkSpacePtr", site}, room, SystemBytes(core));
    }
    return core.registers.systemWorkspace;
}

void SetSystemWorkspace(uint64_t workspace, Site) { CurrentCore().registers.systemWorkspace = workspace; }

uint64_t UserWorkspace(uint64_t workspace) {
    Core& core = CurrentCore();
    const uint64_t room = WorkspaceRoom(core, workspace);
    const uint64_t system = SystemBytes(core);
    return room < system ? core.memory.gm.NoUserWorkspace(workspace, room, system) : workspace + system;
}
uint64_t TilingKey() { return CurrentCore().Request().tiling_key; }
uint32_t UbBytes() { return static_cast<uint32_t>(CurrentCore().UbBytes()); }

const void* TilingData(const void* tiling, uint64_t bytes, Site site) {
    const Core& core = CurrentCore();
    const sim_launch& request = core.Request();
    const uint64_t own = core.Shared().args.empty() ? 0 : core.Shared().args.back();
    const bool isOwn = reinterpret_cast<uint64_t>(tiling) == own;
    if (isOwn && bytes <= request.tiling_bytes) {
        return tiling;
    }
    const Call call{"GET_TILING_DATA", site};
    constexpr const char* kSays = "the kernel reads %" PRIu64 " bytes of tiling data, the launch has %" PRIu64 "%s";
    if (isOwn && request.tiling_bytes != 0 && bytes <= (request.tiling_bytes + 7) / 8 * 8) {
        LetPass(call, kTilingPadding, kSays, bytes, request.tiling_bytes, "");
    } else {
        Fail(call, kTiling, kSays, bytes, request.tiling_bytes,
             isOwn ? "" : ", and the pointer is not the last argument of the kernel");
    }
    return tiling;
}

}  // namespace sim
