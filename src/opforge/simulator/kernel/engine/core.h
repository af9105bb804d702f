// One simulated vector core while it runs one block. Everything a kernel does goes through CurrentCore().
#ifndef OPFORGE_SIM_KERNEL_CORE_H
#define OPFORGE_SIM_KERNEL_CORE_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "buffers.h"
#include "clocks.h"
#include "data_cache.h"
#include "events.h"
#include "failure.h"
#include "global_memory.h"
#include "sim_launch.h"
#include "ub_shadow.h"

namespace sim {

// What the blocks of one launch share.
struct Launch {
    const sim_launch* request;
    bool checks;                 // SIM_CHECKS_ALL
    std::vector<uint64_t> args;  // with our copy of the tiling data as the last
    std::atomic<bool> stop{false};
    LineOwners lineOwners;
};

class Core {
public:
    explicit Core(uint64_t ubBytes);

    void Begin(Launch& launch, uint32_t block);
    // After the kernel function has returned: what must not be left over.
    void End();

    bool Checks() const { return launch_->checks; }
    const sim_launch& Request() const { return *launch_->request; }
    const Launch& Shared() const { return *launch_; }
    uint32_t Block() const { return block_; }
    uint64_t UbBytes() const { return ubBytes_; }
    uint8_t* UbData(uint32_t addr) { return ub_.get() + addr; }
    // Leaves the kernel when another block has failed.
    void Poll() const {
        if (launch_->stop.load(std::memory_order_relaxed)) {
            throw Stopped{};
        }
    }

    PipeClocks clocks;
    UbShadow shadow;
    GlobalMemory gm;
    DataCache cache;
    Buffers buffers;
    Events events;

private:
    struct Release {
        void operator()(uint8_t* memory) const;
    };

    uint64_t ubBytes_;
    std::unique_ptr<uint8_t[], Release> ub_;
    Launch* launch_ = nullptr;
    uint32_t block_ = 0;
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

// Bounds, and with all checks alignment and liveness. `page` is below kVectorPages.
void CheckOperand(Core& core, const Operand& operand, const Call& call, const char* page);

}  // namespace sim

#endif
