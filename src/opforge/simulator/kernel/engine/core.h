// One simulated core, a vector core (AIV) or a cube core (AIC), while it runs one block. Everything a kernel does goes
// through CurrentCore().
#ifndef OPFORGE_SIM_KERNEL_CORE_H
#define OPFORGE_SIM_KERNEL_CORE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "buffers.h"
#include "clocks.h"
#include "counters.h"
#include "data_cache.h"
#include "events.h"
#include "failure.h"
#include "global_memory.h"
#include "sim_launch.h"
#include "ub_shadow.h"

namespace sim {

enum class CoreKind : uint8_t { kVector, kCube };

class CrossCore;
class GmOrder;
class Schedule;
struct Group;

// How blocks are made of cores: SIM_KERNEL_*. Documentation: 基础API/Kernel-Tiling/设置Kernel类型
struct KernelType {
    int value;
    const char* name;   // "KERNEL_TYPE_MIX_AIC_1_2"
    uint32_t cubes;     // per block: 0 or 1
    uint32_t vectors;   // per block: 0, 1 or 2
    bool synchronises;  // cores can wait for each other by hardware flags

    uint32_t Cores() const { return cubes + vectors; }
    bool Mix() const { return cubes != 0 && vectors != 0; }
};
// Null for a value that is none.
const KernelType* KernelTypeOf(uint32_t value);

// What the cores of one launch share.
struct Launch {
    const sim_launch* request = nullptr;
    const KernelType* type = nullptr;
    bool checks = false;         // SIM_CHECKS_ALL
    std::vector<uint64_t> args;  // with our copy of the tiling data as the last
    std::atomic<bool> stop{false};
    LineOwners lineOwners;
    std::mutex atomics;  // held while a transfer combines
    Schedule* schedule = nullptr;
    GmOrder* gmOrder = nullptr;      // null unless accesses of global memory are checked against other cores'
    CrossCore* crossCore = nullptr;  // flags between cores
    sim_counts* counts = nullptr;    // null unless somebody asks

    // "block 3 of 8", and which core of the block where there are cube cores: "block 3 of 8, AIV 1".
    std::string NameOf(uint32_t core) const;
    // The same without the number of blocks, for the second core of a message.
    std::string ShortNameOf(uint32_t core) const;
};

class Core {
public:
    explicit Core(uint64_t ubBytes);

    // `index` counts the cores of the launch: a block's AIC first, then its AIVs, then the next block's.
    void Begin(Launch& launch, uint32_t index, Group& group);
    // After the kernel function has returned: what must not be left over.
    void End();
    sim_core_counts Counts() const;

    bool Checks() const { return launch_->checks; }
    const sim_launch& Request() const { return *launch_->request; }
    Launch& Shared() const { return *launch_; }
    CoreKind Kind() const { return kind_; }
    uint32_t Index() const { return index_; }
    uint32_t Block() const { return block_; }
    // Of an AIV: 0 or 1, which of its block's it is.
    uint32_t SubBlock() const { return subBlock_; }
    sim::Group& Group() const { return *group_; }
    std::string Name() const { return launch_->NameOf(index_); }
    uint64_t UbBytes() const { return ubBytes_; }
    uint8_t* UbData(uint32_t addr) { return ub_.get() + addr; }
    // Leaves the kernel when another core has failed.
    void Poll() const {
        if (launch_->stop.load(std::memory_order_relaxed)) {
            throw Stopped{};
        }
    }

    PipeClocks clocks;
    CoreClock others;  // what this core has been told of other cores' pipes
    UbShadow shadow;
    GlobalMemory gm;
    DataCache cache;
    Buffers buffers;
    Events events;
    Counters counters;
    Atomic atomic = Atomic::kNone;  // SetAtomicAdd and the like
    Dtype atomicType = Dtype::kFloat;
    uint64_t systemWorkspace = 0;  // the launch's workspace, or what SetSysWorkspace has said

private:
    struct Release {
        void operator()(uint8_t* memory) const;
    };

    uint64_t ubBytes_;
    std::unique_ptr<uint8_t[], Release> ub_;
    Launch* launch_ = nullptr;
    sim::Group* group_ = nullptr;
    CoreKind kind_ = CoreKind::kVector;
    uint32_t index_ = 0;
    uint32_t block_ = 0;
    uint32_t subBlock_ = 0;
};

// The core the calling thread simulates.
Core& CurrentCore();
void SetCurrentCore(Core* core);

// What one operand of an instruction touches.
struct Operand {
    const char* role;  // "dst", "src0"
    Ub place;
    uint64_t bytes;
    bool write;
};

// Where the pages of the vector functions and copies lie.
inline constexpr const char* kVectorPages = "基础API/Memory矢量计算/";

// Fails unless this is an AIV and `place` lies in its unified buffer.
void CheckVectorCore(Core& core, const Ub& place, const Call& call);

// Bounds, and with all checks alignment and liveness. `page` is below kVectorPages.
void CheckOperand(Core& core, const Operand& operand, const Call& call, const char* page);

}  // namespace sim

#endif
