// One simulated core, a vector core (AIV) or a cube core (AIC), while it runs one block. Everything a kernel does goes
// through CurrentCore().
#ifndef OPFORGE_SIM_KERNEL_CORE_H
#define OPFORGE_SIM_KERNEL_CORE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core_kind.h"
#include "core_registers.h"
#include "launch/launch.h"
#include "report/costs.h"
#include "report/counters.h"
#include "order/endless.h"
#include "memory/core_memory.h"
#include "memory/local_memory.h"
#include "order/order.h"

namespace sim {

struct Group;

// What computes while the control register asks for the saturating mode, which is not simulated.
void RefuseSaturation(const ControlRegister& control, Pipe pipe, const Call& call);

// A scalar whose bits are not all defined, on its way from one place of the unified buffer to another.
struct Carried {
    Failure failure;  // what is said if it goes nowhere
    uint64_t value;
    uint32_t bytes;
    uint32_t addr;  // where it was read
};

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
        RefuseCarried();
        Count(work);
        if (registers.control.saturates) {
            RefuseSaturation(registers.control, pipe, call);
        }
        if (work.written != 0 || (pipe != Pipe::kScalar && pipe != Pipe::kMte2)) {
            order.polling.Worked();
        }
        Cost cost;
        if (Timed()) {
            cost = CostOf(*launch_->times, launch_->rates, kind_, call, pipe, work);
            order.timeline.Busy(pipe, cost, work);
        }
        if (!Checks()) {
            return 0;
        }
        Stored();
        const uint32_t number = order.clocks.Issue(pipe, call);
        if (Timed()) {
            order.timeline.Add(order.clocks, pipe, number, call, work, cost);
        }
        return number;
    }
    // What is not an instruction of a pipe is only counted.
    void Count(const Work& work) { counters_.Add(work); }
    // A write to global memory is under way: until Stored(), `flag` is one that says so to other cores.
    void BeginStore(std::atomic<bool>& flag) { storing_ = &flag; }
    std::atomic<bool>* Storing() const { return storing_; }
    // What has last been written to global memory is there.
    void Stored() {
        if (storing_ != nullptr) {
            storing_->store(false, std::memory_order_release);
            storing_ = nullptr;
        }
    }
    // Whether somebody asks how long the kernel takes on hardware.
    bool Timed() const { return launch_->times != nullptr; }
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
    // GetValue has read what has no value. That is refused at the core's next call, unless it is a SetValue that only
    // puts the same bits elsewhere: whoever reads them there is asked then.
    void Carry(Carried carried) { carried_ = std::make_unique<const Carried>(std::move(carried)); }
    // What SetValue puts down, if it is that; else null.
    std::unique_ptr<const Carried> Carries(uint64_t value, uint32_t bytes) {
        const bool same = carried_ != nullptr && carried_->value == value && carried_->bytes == bytes;
        return same ? std::move(carried_) : nullptr;
    }
    void RefuseCarried() const {
        if (carried_ != nullptr) {
            throw carried_->failure;
        }
    }
    // Leaves the kernel when another core has failed.
    void Poll() const {
        RefuseCarried();
        if (launch_->stop.load(std::memory_order_relaxed)) {
            throw Stopped{};
        }
        if (watching.load(std::memory_order_relaxed)) {
            LookAgain(*this);
        }
    }

    Order order;
    CoreMemory memory;
    CoreRegisters registers;

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
    Counters counters_;
    std::atomic<bool>* storing_ = nullptr;  // GmOrder's, while a write is under way
    std::vector<std::pair<const char*, Site>> told_;
    std::unique_ptr<const Carried> carried_;
};

// The core the calling thread simulates; null for none.
Core* RunningCore();
Core& CurrentCore();
void SetCurrentCore(Core* core);

}  // namespace sim

#endif
