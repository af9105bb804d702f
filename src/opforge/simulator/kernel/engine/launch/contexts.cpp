#include "contexts.h"

#include <exception>

#include "context.h"
#include "schedule.h"

namespace sim {
namespace {

constexpr uint64_t kReadsAlone = 1000;          // that bring nothing new, before others get a turn
constexpr uint64_t kReadsInVain = 1000 * 1000;  // from which on it can only be another core that ends the loop

}  // namespace

void Await(const Call& call, const std::function<bool()>& ready, const std::function<std::string()>& waitsFor) {
    Context& context = *RunningContext();
    Launch& launch = context.core.Shared();
    if (std::uncaught_exceptions() != 0) {
        return;  // called by a destructor while the kernel is being left
    }
    for (;;) {
        if (launch.stop.load()) {
            launch.schedule->WaitsInVain(context.core.Index());
        }
        context.core.Poll();
        context.asked = launch.schedule->changes_.load();
        if (ready()) {
            return;
        }
        context.call = &call;
        context.ready = &ready;
        context.waitsFor = &waitsFor;
        context.fiber.Suspend();
    }
}

void Polled(Core& core, const Call& call, uint64_t addr, uint64_t bytes) {
    Polling& polling = core.order.polling;
    polling.Read(addr, bytes);
    if (polling.Repeats() % kReadsAlone != 0 || polling.Repeats() == 0) {
        return;
    }
    Context& context = *RunningContext();
    Schedule& schedule = *core.Shared().schedule;
    const bool inVain = polling.Idle() >= kReadsInVain;
    std::atomic<bool> turn{false};
    const std::function<bool()> ready = [&] { return polling.Changed() || turn.load(); };
    context.turn = inVain ? nullptr : &turn;
    schedule.BeginPolling();
    const auto end = [&](void*) {
        context.turn = nullptr;
        schedule.EndPolling();
    };
    const std::unique_ptr<void, decltype(end)> ended(&turn, end);
    Await(call, ready, [&] { return polling.Text(core.memory.gm); });
}

void LeaveKernel() { RunningContext()->fiber.Leave(); }

void Changed() { CurrentCore().Shared().schedule->Changed(); }

}  // namespace sim
