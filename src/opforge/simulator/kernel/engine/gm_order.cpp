// The order between cores: what a signal carries, and accesses of global memory that no signal orders.
#include "contexts.h"

namespace sim {

CoreClock Release(const Core& core, Pipe pipe) {
    CoreClock clock;
    if (core.Checks()) {
        clock = core.others;
        if (clock.cores.size() <= core.Index()) {
            clock.cores.resize(core.Index() + 1);
        }
        clock.cores[core.Index()] = core.clocks.Snapshot(pipe);
    }
    return clock;
}

void Acquire(Core& core, const CoreClock& clock) {
    if (!core.Checks()) {
        return;
    }
    core.others.Join(clock);
    if (core.Index() < clock.cores.size()) {
        core.clocks.JoinAll(clock.cores[core.Index()]);
    }
}

void GmRead(Core&, Pipe, uint32_t, const GmSpan&, const Call&) {}
void GmWrite(Core&, Pipe, uint32_t, const GmSpan&, const Call&) {}

}  // namespace sim
