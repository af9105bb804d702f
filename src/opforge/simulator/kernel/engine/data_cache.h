// The data cache through which a core's scalar unit reaches global memory: lines of 64 bytes that neither the DMA units
// nor other cores see before they are written back.
// Documentation: 基础API/缓存控制/DataCacheCleanAndInvalid, 基础API/数据结构/GlobalTensor/SetValue
#ifndef OPFORGE_SIM_KERNEL_DATA_CACHE_H
#define OPFORGE_SIM_KERNEL_DATA_CACHE_H

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "failure.h"

namespace sim {

inline constexpr uint64_t kCacheLine = 64;

struct Launch;

// Which core has written a line through its cache. Shared by the cores of a launch: a line belongs to one of them.
class LineOwners {
public:
    struct Owner {
        uint32_t core;  // Core::Index
        Site site;
    };

    // The owner of the line, which is `core` itself if nobody wrote there before.
    Owner Claim(uint64_t line, uint32_t core, Site site) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return owners_.try_emplace(line, Owner{core, site}).first->second;
    }

private:
    std::mutex mutex_;
    std::unordered_map<uint64_t, Owner> owners_;
};

// The lines of one core that hold values global memory does not have yet.
class DataCache {
public:
    void Begin(Launch& launch, uint32_t core) {
        launch_ = &launch;
        core_ = core;
        dirty_.clear();
    }
    void Write(uint64_t addr, uint64_t bytes, const Call& call);
    // A transfer of MTE2 or MTE3 must not meet a line that has not been written back.
    void CheckTransfer(uint64_t addr, uint64_t bytes, const char* verb, const Call& call) const;
    void Clean(uint64_t addr, bool all);

private:
    Launch* launch_ = nullptr;
    uint32_t core_ = 0;
    std::unordered_map<uint64_t, Site> dirty_;
};

}  // namespace sim

#endif
