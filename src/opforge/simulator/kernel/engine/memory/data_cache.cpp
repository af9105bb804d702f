#include "data_cache.h"

#include "report/call_chain.h"
#include "core.h"

namespace sim {
namespace {

constexpr Rule kOneCore = {"cache-line-shared",
                           "cores that write global memory by SetValue stay a cache line of 64 bytes apart",
                           "基础API/数据结构/GlobalTensor/SetValue"};
constexpr Rule kWrittenBack = {"cache-line-dirty",
                               "DataCacheCleanAndInvalid comes between SetValue and a transfer of the same line",
                               "基础API/缓存控制/DataCacheCleanAndInvalid",
                               "DataCacheCleanAndInvalid after the last SetValue of the line, before the transfer"};

const char* Writer(const Site& site) { return IsCode(site) ? "a __gm__ pointer" : "SetValue"; }

}  // namespace

bool DataCache::Together() const { return launch_->gmOrder != nullptr && launch_->together; }

void DataCache::Write(uint64_t addr, uint64_t bytes, const Call& call) {
    for (uint64_t line = addr / kCacheLine; line <= (addr + bytes - 1) / kCacheLine; ++line) {
        if (!dirty_.try_emplace(line, call.site).second) {
            continue;
        }
        const LineOwners::Owner owner = launch_->lineOwners.Claim(line, core_, call.site);
        if (owner.core != core_) {
            Fail(call, kOneCore, "writes a line of 64 bytes that %s writes too, at %s",
                 launch_->ShortNameOf(owner.core).c_str(), Where(owner.site).c_str());
        }
        if (Together()) {
            launch_->lineOwners.SetDirty(line, core_, call.site);
        }
    }
}

void DataCache::CheckTransfer(uint64_t addr, uint64_t bytes, const char* verb, const Call& call) const {
    CheckOthers(addr, bytes, verb, call);
    if (dirty_.empty()) {
        return;
    }
    for (const auto& [line, site] : dirty_) {
        if (line * kCacheLine < addr + bytes && addr < (line + 1) * kCacheLine) {
            Fail(call, kWrittenBack, "%s a line of 64 bytes that %s wrote at %s and that is still in the data cache",
                 verb, Writer(site), Where(site).c_str());
        }
    }
}

void DataCache::CheckOthers(uint64_t addr, uint64_t bytes, const char* verb, const Call& call) const {
    if (!Together()) {
        return;
    }
    const std::optional<LineOwners::Owner> owner =
        launch_->lineOwners.DirtyElsewhere(addr / kCacheLine, (addr + bytes - 1) / kCacheLine, core_);
    if (owner.has_value()) {
        Fail(call, kWrittenBack, "%s a line of 64 bytes that %s wrote by %s at %s and that is still in its data cache",
             verb, launch_->ShortNameOf(owner->core).c_str(), Writer(owner->site), Where(owner->site).c_str());
    }
}

void DataCache::Clean(uint64_t addr, bool all) {
    if (Together()) {
        for (const auto& [line, site] : dirty_) {
            if (all || line == addr / kCacheLine) {
                launch_->lineOwners.SetClean(line);
            }
        }
    }
    if (all) {
        dirty_.clear();
    } else {
        dirty_.erase(addr / kCacheLine);
    }
}

}  // namespace sim
