#include "timeline.h"

#include "call_chain.h"
#include "costs.h"

namespace sim {

void Timeline::Begin(bool wanted, const TimeConstants* times) {
    wanted_ = wanted;
    issue_ = times == nullptr ? 0 : static_cast<uint64_t>(times->issue);
    scalar_ = 0;
    free_.fill(0);
    for (std::vector<uint64_t>& ends : ends_) {
        ends.clear();
    }
    events_.clear();
    busy_.fill(0);
    crossed_ = 0;
    bypassed_ = 0;
    leftOut_ = 0;
    last_ = 0;
}

void Timeline::Tell(sim_core_counts* counts) const {
    std::copy(busy_.begin(), busy_.end(), counts->busy);
    counts->span = last_;
    counts->crossed = crossed_;
    counts->bypassed = bypassed_;
}

// When all instructions that are known to be complete are.
uint64_t Timeline::After(const Clock& known, int without) const {
    uint64_t time = 0;
    for (int p = 0; p < kPipes; ++p) {
        const std::vector<uint64_t>& ends = ends_[static_cast<size_t>(p)];
        const size_t number = std::min<size_t>(known[static_cast<size_t>(p)], ends.size());
        if (p != without && number != 0) {
            time = std::max(time, ends[number - 1]);
        }
    }
    return time;
}

void Timeline::Add(const PipeClocks& clocks, Pipe pipe, uint32_t number, const Call& call, const Work& work,
                   const Cost& cost) {
    scalar_ = std::max(scalar_, After(clocks.Known(Pipe::kScalar), Index(Pipe::kScalar)));
    const uint64_t cycles = cost.busy;
    uint64_t& free = free_[static_cast<size_t>(Index(pipe))];
    uint64_t start = std::max({scalar_, free, After(clocks.Known(pipe), Index(pipe))});
    if (pipe == Pipe::kScalar) {
        scalar_ = start + cycles;
    } else if (cycles != 0) {
        scalar_ += issue_;
        start = std::max(start, scalar_);
    }
    free = std::max(free, start + cycles);
    std::vector<uint64_t>& ends = ends_[static_cast<size_t>(Index(pipe))];
    ends.resize(std::max<size_t>(ends.size(), number), free + cost.latency);
    ends[number - 1] = free + cost.latency;
    last_ = std::max(last_, free + cost.latency);
    if (!wanted_) {
        return;
    }
    if (cycles != 0 && events_.size() == kMostEvents) {
        ++leftOut_;
    } else if (cycles != 0) {
        const uint64_t bytes = work.read + work.written + work.moved;
        const uint64_t amount = work.macs != 0 ? work.macs : work.elements != 0 ? work.elements : bytes;
        events_.push_back({pipe, start, cycles, call, amount});
    }
}

std::string Timeline::Fields() const {
    const std::string begin = "\"events\":[";
    std::string json = begin;
    for (const Event& event : events_) {
        json += json.size() == begin.size() ? "[\"" : ",[\"";
        json += std::string(Name(event.pipe)) + "\"," + std::to_string(event.start) + ',' +
                std::to_string(event.cycles) + ",\"" + event.call.api + "\",\"";
        const SourceLine place = PlaceOf(event.call.site);
        for (const char c : place.file) {
            json += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        }
        json += "\"," + std::to_string(place.line) + ',' + std::to_string(event.amount) + ']';
    }
    return json + "],\"left_out\":" + std::to_string(leftOut_) + ",\"last\":" + std::to_string(last_);
}

}  // namespace sim
