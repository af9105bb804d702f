// When each instruction of a core would start and end by the estimates of costs.h: when its pipe is free, the scalar
// unit has come to issue it, and what the clocks say it waits for is done.
#ifndef OPFORGE_SIM_KERNEL_REPORT_TIMELINE_H
#define OPFORGE_SIM_KERNEL_REPORT_TIMELINE_H

#include <array>
#include <string>
#include <vector>

#include "costs.h"
#include "counters.h"
#include "order/clocks.h"
#include "sim_launch.h"

namespace sim {

class Timeline {
public:
    // `wanted`: the events as well.
    void Begin(bool wanted, const TimeConstants* times);

    // How long its pipe is busy with an instruction.
    void Busy(Pipe pipe, const Cost& cost, const Work& work) {
        busy_[static_cast<size_t>(Index(pipe))] += cost.busy;
        crossed_ += work.crossed;
        bypassed_ += work.bypassed;
    }
    // Instruction `number` of the pipe, which may already know itself.
    void Add(const PipeClocks& clocks, Pipe pipe, uint32_t number, const Call& call, const Work& work,
             const Cost& cost);
    void Tell(sim_core_counts* counts) const;
    // When all that the pipe was given so far is done, and when it is told so by another core.
    uint64_t Done(Pipe pipe) const { return free_[static_cast<size_t>(Index(pipe))]; }
    void Arrive(uint64_t time) { scalar_ = std::max(scalar_, time); }

    // As fields of a JSON object: "events" with ["V",start,cycles,"Add","file",line,multiplications, else elements,
    // else bytes] for each of the first kMostEvents, "left_out", how many more there were, and "last", when all are
    // done.
    std::string Fields() const;

private:
    // More than this nobody looks at; a page that shows ten million instructions of 48 cores does not open either.
    static constexpr size_t kMostEvents = 1 << 14;
    struct Event {
        Pipe pipe;
        uint64_t start;
        uint64_t cycles;
        Call call;
        uint64_t amount;
    };
    uint64_t After(const Clock& known, int without) const;

    bool wanted_ = false;
    uint64_t scalar_ = 0;
    std::array<uint64_t, kPipes> free_{};
    std::array<std::vector<uint64_t>, kPipes> ends_;  // by number
    std::vector<Event> events_;
    uint64_t leftOut_ = 0;
    uint64_t last_ = 0;
    uint64_t issue_ = 0;
    std::array<uint64_t, kPipes> busy_{};
    uint64_t crossed_ = 0;
    uint64_t bypassed_ = 0;
};

}  // namespace sim

#endif
