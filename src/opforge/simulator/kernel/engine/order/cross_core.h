// What cores use to wait for each other: the hardware's flags, SyncAll, and IBSet/IBWait over global memory.
// Documentation: SIMD-API/基础API/同步控制/核间同步
#ifndef OPFORGE_SIM_KERNEL_ORDER_CROSS_CORE_H
#define OPFORGE_SIM_KERNEL_ORDER_CROSS_CORE_H

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "launch/contexts.h"

namespace sim {

class CrossCore {
public:
    static constexpr uint32_t kFlags = 16;

    explicit CrossCore(Launch& launch) : launch_(launch) {}

    void Set(Core& core, uint32_t mode, Pipe pipe, uint32_t flag, const Call& call);
    void Wait(Core& core, uint32_t flag, const Call& call);
    // Until every AIV (on an AIC: every AIC) has come here; with `mix` every core of the launch.
    void SyncAll(Core& core, bool mix, const Call& call);
    // The same for `used` AIVs, through their counters in global memory.
    void SyncAll(Core& core, uint64_t counters, uint32_t used, const Call& call);
    void Set(Core& core, uint64_t slot, const Call& call);
    void Wait(Core& core, uint64_t slot, const Call& call);

    // Turns in the order of the AIVs, by the workspace's address.
    void BeginTurns(uint64_t gm);
    void WaitTurn(Core& core, uint64_t gm, uint32_t own, const Call& call);
    void PassTurn(Core& core, uint64_t gm, uint32_t next, const Call& call);

    // After the last core has returned: what was set and never waited for.
    std::optional<Failure> Unpaired() const;

private:
    // Signals of cores that take part in one synchronisation, until each of them has sent its own.
    struct Gathering {
        std::map<uint32_t, std::deque<std::pair<CoreClock, Call>>> sent;  // by Core::Index()
    };
    struct Flag {
        std::deque<CoreClock> signals;  // the counter, and what each count says
        uint32_t mode = 0;
        uint32_t setter = 0;  // of the last signal
        Call call{};
    };
    struct Barrier {
        uint32_t arrived = 0;
        uint32_t round = 0;
        std::vector<bool> here;  // by Core::Index()
        CoreClock clock;
        std::map<uint32_t, CoreClock> told;  // by round
    };

    using Flags = std::array<Flag, kFlags>;
    std::vector<uint32_t> Participants(const Core& core, uint32_t mode) const;
    std::string Missing(const Barrier& barrier, const std::vector<uint32_t>& cores) const;
    void Meet(Core& core, Barrier& barrier, const std::vector<uint32_t>& cores, const Call& call);
    void RequireFlags(const Core& core, const Call& call) const;
    Flags& FlagsOf(uint32_t core);

    Launch& launch_;
    mutable std::mutex mutex_;                                 // guards what follows, and the counters in global memory
    std::map<std::array<uint32_t, 4>, Gathering> gatherings_;  // mode, kind, block, flag
    std::map<uint32_t, Flags> flags_;                          // by Core::Index()
    Barrier vectors_, cubes_, all_;
    std::map<uint64_t, Barrier> soft_;  // by the counters' address
    struct Turn {
        uint32_t next = 0;  // whose turn it is
        CoreClock clock;
    };
    std::map<uint64_t, Turn> turns_;
    std::map<uint64_t, CoreClock> slots_;  // what a value in global memory says
};

}  // namespace sim

#endif
