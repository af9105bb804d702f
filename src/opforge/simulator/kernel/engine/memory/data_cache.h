// The data cache through which a core's scalar unit reaches global memory: lines of 64 bytes that neither the DMA units
// nor other cores see before they are written back.
// Documentation: 基础API/缓存控制/DataCacheCleanAndInvalid, 基础API/数据结构/GlobalTensor/SetValue
#ifndef OPFORGE_SIM_KERNEL_MEMORY_DATA_CACHE_H
#define OPFORGE_SIM_KERNEL_MEMORY_DATA_CACHE_H

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "report/failure.h"

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

    // Lines that are in a core's cache and not yet in global memory.
    void SetDirty(uint64_t line, uint32_t core, Site site) {
        const std::lock_guard<std::mutex> lock(mutex_);
        dirty_[line] = Owner{core, site};
        dirtyCount_.store(dirty_.size());
    }
    void SetClean(uint64_t line) {
        const std::lock_guard<std::mutex> lock(mutex_);
        dirty_.erase(line);
        dirtyCount_.store(dirty_.size());
    }
    // A line of [first, last] in the cache of a core other than `core`.
    std::optional<Owner> DirtyElsewhere(uint64_t first, uint64_t last, uint32_t core) {
        if (dirtyCount_.load() == 0) {
            return std::nullopt;
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = dirty_.lower_bound(first); it != dirty_.end() && it->first <= last; ++it) {
            if (it->second.core != core) {
                return it->second;
            }
        }
        return std::nullopt;
    }

private:
    std::mutex mutex_;
    std::unordered_map<uint64_t, Owner> owners_;
    std::map<uint64_t, Owner> dirty_;
    std::atomic<size_t> dirtyCount_{0};
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
    // Nor must any access meet one of another core, where cores can wait for each other.
    void CheckOthers(uint64_t addr, uint64_t bytes, const char* verb, const Call& call) const;
    void Clean(uint64_t addr, bool all);

private:
    bool Together() const;

    Launch* launch_ = nullptr;
    uint32_t core_ = 0;
    std::unordered_map<uint64_t, Site> dirty_;
};

}  // namespace sim

#endif
