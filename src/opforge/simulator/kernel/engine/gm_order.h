// Which core touched which bytes of writable global memory last, for launches whose cores work together.
#ifndef OPFORGE_SIM_KERNEL_GM_ORDER_H
#define OPFORGE_SIM_KERNEL_GM_ORDER_H

#include <map>
#include <mutex>
#include <vector>

#include "contexts.h"

namespace sim {

class GmOrder {
public:
    explicit GmOrder(const sim_launch& launch);

    void Read(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call);
    // Atomic writes of several cores need no order among themselves.
    void Write(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, bool atomic, const Call& call);

private:
    struct Access {
        uint32_t core;
        uint32_t number;
        Pipe pipe;
        bool atomic;
        Call call;
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
    static void Check(Core& core, const Region& region, const Accesses& earlier, bool mayBeAtomic, const char* verb,
                      const char* earlierVerb, uint64_t begin, uint64_t end, const Call& call);

    std::vector<std::unique_ptr<Region>> regions_;
};

}  // namespace sim

#endif
