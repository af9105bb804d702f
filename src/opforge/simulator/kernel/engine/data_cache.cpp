#include "data_cache.h"

#include "core.h"

namespace sim {
namespace {

constexpr Rule kOneCore = {"cores that write global memory by SetValue stay a cache line of 64 bytes apart",
                           "基础API/数据结构/GlobalTensor/SetValue"};
constexpr Rule kWrittenBack = {"DataCacheCleanAndInvalid comes between SetValue and a transfer of the same line",
                               "基础API/缓存控制/DataCacheCleanAndInvalid"};

}  // namespace

void DataCache::Write(uint64_t addr, uint64_t bytes, const Call& call) {
    for (uint64_t line = addr / kCacheLine; line <= (addr + bytes - 1) / kCacheLine; ++line) {
        if (!dirty_.try_emplace(line, call.site).second) {
            continue;
        }
        const LineOwners::Owner owner = launch_->lineOwners.Claim(line, core_, call.site);
        if (owner.core != core_) {
            Fail(call, kOneCore, "writes a line of 64 bytes that %s writes too, at %s:%d",
                 launch_->ShortNameOf(owner.core).c_str(), owner.site.file, owner.site.line);
        }
        if (launch_->gmOrder != nullptr) {
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
            Fail(call, kWrittenBack,
                 "%s a line of 64 bytes that SetValue wrote at %s:%d and that is still in the data cache", verb,
                 site.file, site.line);
        }
    }
}

void DataCache::CheckOthers(uint64_t addr, uint64_t bytes, const char* verb, const Call& call) const {
    if (launch_->gmOrder == nullptr) {
        return;
    }
    const std::optional<LineOwners::Owner> owner =
        launch_->lineOwners.DirtyElsewhere(addr / kCacheLine, (addr + bytes - 1) / kCacheLine, core_);
    if (owner.has_value()) {
        Fail(call, kWrittenBack,
             "%s a line of 64 bytes that %s wrote by SetValue at %s:%d and that is still in its data cache", verb,
             launch_->ShortNameOf(owner->core).c_str(), owner->site.file, owner->site.line);
    }
}

void DataCache::Clean(uint64_t addr, bool all) {
    if (launch_->gmOrder != nullptr) {
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
