// Which core touched which bytes of writable global memory last.
#ifndef OPFORGE_SIM_KERNEL_ORDER_GM_ORDER_H
#define OPFORGE_SIM_KERNEL_ORDER_GM_ORDER_H

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "launch/contexts.h"

namespace sim {

class GmOrder {
public:
    // `together`: the launch's cores can wait for each other. Where they cannot, two of them may still write the same
    // values to the same place, as overlapping tails do, and what a transfer of whole blocks reads behind its last
    // element is not looked at.
    GmOrder(const sim_launch& launch, uint32_t cores, bool together);

    void Read(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call);
    // Atomic writes of several cores need no order among themselves, nor Fills with one value: every core fills all of
    // the workspace of SyncAll.
    void Write(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, bool atomic, const Call& call);

private:
    struct Access {
        uint32_t core;
        uint32_t number;
        Pipe pipe;
        bool atomic;
        Call call;
        bool fills = false;  // with `value` repeated
        uint64_t value = 0;
    };
    // The accesses a later one must be ordered behind: mostly one.
    class Accesses {
    public:
        template <typename F>
        const Access* Find(F wanted) const {
            if (any_ && wanted(first_)) {
                return &first_;
            }
            for (const Access& access : more_) {
                if (wanted(access)) {
                    return &access;
                }
            }
            return nullptr;
        }
        void Set(const Access& access) {
            any_ = true;
            first_ = access;
            more_.clear();
        }
        void Add(const Access& access);
        bool None() const { return !any_; }
        // Nobody but this core has been here.
        bool Only(uint32_t core) const { return any_ && first_.core == core && !first_.atomic && more_.empty(); }

    private:
        bool any_ = false;
        Access first_{};
        std::vector<Access> more_;
    };
    struct Piece {
        uint64_t end;
        Accesses writers;
        Accesses readers;
    };
    struct Region {
        uint64_t begin;
        uint64_t end;
        const char* name;
        std::mutex mutex;
        std::map<uint64_t, Piece> pieces;  // by their first byte; they do not overlap

        // Makes `at` a boundary; the first piece at or behind it.
        std::map<uint64_t, Piece>::iterator Split(uint64_t at);
    };

    Region* RegionOf(const GmSpan& span);
    void Check(Core& core, Pipe pipe, const Region& region, const Accesses& earlier, bool mayBeAtomic, const char* verb,
               const char* earlierVerb, uint64_t begin, uint64_t end, const Call& call, const uint64_t* fill = nullptr);
    // Of lone cores: whether the bytes at `data` are those that others have written at `begin`.
    bool Same(Core& core, const Accesses& earlier, const uint8_t* data, uint64_t begin, uint64_t end);
    static void Keep(Region& region, uint64_t begin, uint64_t end, const Access& access);

    std::vector<std::unique_ptr<Region>> regions_;
    bool together_;
    // Lone cores have met at a place by their scalar units: a signal of their own making, which orders nobody knows
    // what.
    std::atomic<bool> byHand_{false};
    // By core: its last write has been noted here and may not have reached the memory. Until the core's next
    // instruction.
    std::vector<std::atomic<bool>> storing_;
};

}  // namespace sim

#endif
