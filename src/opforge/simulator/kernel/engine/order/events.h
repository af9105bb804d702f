// The flags between two pipes of one core, and their ids.
// Documentation: SIMD-API/基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)
#ifndef OPFORGE_SIM_KERNEL_ORDER_EVENTS_H
#define OPFORGE_SIM_KERNEL_ORDER_EVENTS_H

#include <array>

#include "clocks.h"

namespace sim {

class Events {
public:
    static constexpr int32_t kIds = 8;

    void Reset();
    void Set(PipeClocks& clocks, Pipe from, Pipe to, int32_t id, const Call& call);
    // PipeBarrier<PIPE_ALL>: fails where a flag has been set twice.
    void CheckBarrier(const Call& call) const;
    void Wait(PipeClocks& clocks, Pipe from, Pipe to, int32_t id, const Call& call);
    int32_t Alloc(Pipe from, Pipe to, bool occupy, const Call& call);
    void Release(Pipe from, Pipe to, int32_t id, const Call& call);
    // No id is allocated any more (TPipe::Reset).
    void Forget();
    // Fails for a flag that was set and never waited for.
    void Finish() const;

private:
    struct Flag {
        bool set = false;
        bool occupied = false;
        Clock clock{};
        Call call{};
        // devices count to two
        bool again = false;
        Clock second{};
        Call secondCall{};
    };

    Flag& At(Pipe from, Pipe to, int32_t id, const Call& call);

    std::array<Flag, static_cast<size_t>(kPipes) * kPipes * kIds> flags_{};
    uint32_t twice_ = 0;  // how many flags have been set again
};

}  // namespace sim

#endif
