// One simulated core, a vector core (AIV) or a cube core (AIC), while it runs one block. Everything a kernel does goes
// through CurrentCore().
#ifndef OPFORGE_SIM_KERNEL_CORE_H
#define OPFORGE_SIM_KERNEL_CORE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/buffers.h"
#include "core_kind.h"
#include "launch/launch.h"
#include "order/clocks.h"
#include "report/counters.h"
#include "cube/cube_registers.h"
#include "memory/data_cache.h"
#include "order/endless.h"
#include "order/events.h"
#include "vector/gather.h"
#include "memory/global_memory.h"
#include "memory/local_memory.h"
#include "order/polling.h"
#include "report/timeline.h"
#include "memory/ub_shadow.h"
#include "vector/vector_registers.h"

namespace sim {

struct Group;

class Core {
public:
    explicit Core(uint64_t ubBytes);

    // `index` counts the cores of the launch: a block's AIC first, then its AIVs, then the next block's.
    void Begin(Launch& launch, uint32_t index, Group& group);
    // After the kernel function has returned: what must not be left over.
    void End();
    // What InitSocState, a new TPipe and its Reset bring about.
    void InitState();
    sim_core_counts Counts() const;

    // Whether order, undefined bytes and the scalar cache are looked at.
    bool Checks() const { return launch_->checks; }
    // Whether anything is looked at that the process does not need for itself. Bounds always are.
    bool Limits() const { return launch_->limits; }
    // Every instruction passes here, once its operands have been found good: the books of what was done, and its number
    // on its pipe for the clocks, the shadows and GmRead and GmWrite. 0 without checks.
    uint32_t Issue(Pipe pipe, const Call& call, const Work& work) {
        counters.Add(work);
        if (saturates) {
            RefuseSaturation(pipe, call);
        }
        if (work.written != 0 || (pipe != Pipe::kScalar && pipe != Pipe::kMte2)) {
            polling.Worked();
        }
        if (!Checks()) {
            return 0;
        }
        Stored();
        const uint32_t number = clocks.Issue(pipe, call);
        if (timeline.Wanted()) {
            timeline.Add(clocks, pipe, number, call, work);
        }
        return number;
    }
    // What computes while the control register asks for the saturating mode, which is not simulated.
    void RefuseSaturation(Pipe pipe, const Call& call) const;
    // What has last been written to global memory is there.
    void Stored() {
        if (storing != nullptr) {
            storing->store(false, std::memory_order_release);
            storing = nullptr;
        }
    }
    const sim_launch& Request() const { return *launch_->request; }
    Launch& Shared() const { return *launch_; }
    CoreKind Kind() const { return kind_; }
    bool HasVector() const { return kind_ != CoreKind::kCube; }
    bool HasCube() const { return kind_ != CoreKind::kVector; }
    uint32_t Index() const { return index_; }
    uint32_t Block() const { return block_; }
    // Of an AIV: 0 or 1, which of its block's it is.
    uint32_t SubBlock() const { return subBlock_; }
    sim::Group& Group() const { return *group_; }
    std::string Name() const { return launch_->NameOf(index_); }
    uint64_t UbBytes() const { return ubBytes_; }
    uint8_t* UbData(uint32_t addr) { return ub_.get() + addr; }
    const uint8_t* UbData(uint32_t addr) const { return ub_.get() + addr; }
    // Of the cube unit: any but kUb.
    LocalMemory& Local(Memory memory) { return local_[static_cast<size_t>(memory)]; }
    // Whether LetPass has nothing more to say of this rule and line.
    bool WasTold(const char* rule, const Site& site) const {
        for (const auto& [id, at] : told_) {
            if (id == rule && at.file == site.file && at.line == site.line) {
                return true;
            }
        }
        return false;
    }
    void Told(const char* rule, const Site& site) { told_.emplace_back(rule, site); }
    // Whether rules that devices do not enforce are broken as on a device.
    bool AsDevice() const { return launch_->findings->AsDevice(); }
    // The first byte of the unified buffer in [begin, end) that has no value, or `end`. Values from before AllocTensor
    // are let pass.
    uint32_t FirstLacking(uint32_t begin, uint32_t end, const Call& call);
    // The same for one value, `what`, that is known to be such an old one.
    void LetOld(Origin origin, const std::string& what, const Call& call) const;
    // "has never been written", or where the value that is missing at this address has got lost.
    std::string WhyLacking(uint32_t addr) const;
    // Leaves the kernel when another core has failed.
    void Poll() const {
        if (launch_->stop.load(std::memory_order_relaxed)) {
            throw Stopped{};
        }
        if (watching.load(std::memory_order_relaxed)) {
            LookAgain(*this);
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
    Timeline timeline;
    IndexRegisters indexRegisters;
    CubeRegisters cube;
    Polling polling;
    std::atomic<bool>* storing = nullptr;  // GmOrder's, while a write is under way
    Atomic atomic = Atomic::kNone;         // SetAtomicAdd and the like
    Dtype atomicType = Dtype::kFloat;
    VectorRegisters registers;
    std::optional<uint64_t> padValue;      // SetPadValue
    uint64_t control = uint64_t{1} << 48;  // the control register: infinities and NaN are kept
    bool saturates = false;                // its bit 48 is 0
    Site saturatesSince{};
    uint64_t systemWorkspace = 0;  // the launch's workspace, or what SetSysWorkspace has said

private:
    struct Release {
        void operator()(uint8_t* memory) const;
    };

    uint64_t ubBytes_;
    std::unique_ptr<uint8_t[], Release> ub_;
    std::array<LocalMemory, static_cast<size_t>(Memory::kCount)> local_;
    Launch* launch_ = nullptr;
    sim::Group* group_ = nullptr;
    CoreKind kind_ = CoreKind::kVector;
    uint32_t index_ = 0;
    uint32_t block_ = 0;
    uint32_t subBlock_ = 0;
    std::vector<std::pair<const char*, Site>> told_;
};

// The core the calling thread simulates; null for none.
Core* RunningCore();
Core& CurrentCore();
void SetCurrentCore(Core* core);

}  // namespace sim

#endif
