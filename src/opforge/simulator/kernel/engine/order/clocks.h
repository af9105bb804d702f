// Which instruction of one pipe is known to be complete before the next instruction of another: a vector clock per
// pipe. Instructions run in program order here; on hardware only what these clocks order is ordered. Documentation:
// SIMD-API/基础API/同步控制/核内同步/关键特性说明
#ifndef OPFORGE_SIM_KERNEL_ORDER_CLOCKS_H
#define OPFORGE_SIM_KERNEL_ORDER_CLOCKS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "report/failure.h"

namespace sim {

inline constexpr int Index(Pipe pipe) { return static_cast<int>(pipe); }

const char* Name(Pipe pipe);

using Clock = std::array<uint32_t, kPipes>;

// What is known to be complete on every core of a launch, by Core::Index(); cores behind the end: nothing.
struct CoreClock {
    std::vector<Clock> cores;
    uint64_t time = 0;  // when it was sent, on the time line

    void Join(const CoreClock& other) {
        time = std::max(time, other.time);
        if (cores.size() < other.cores.size()) {
            cores.resize(other.cores.size());
        }
        for (size_t core = 0; core < other.cores.size(); ++core) {
            for (size_t pipe = 0; pipe < kPipes; ++pipe) {
                cores[core][pipe] = std::max(cores[core][pipe], other.cores[core][pipe]);
            }
        }
    }
};

class PipeClocks {
public:
    // `autoSync`: the compiler orders what its automatic synchronisation orders (--cce-auto-sync, on by default).
    void Reset(bool autoSync) {
        autoSync_ = autoSync;
        for (int pipe = 0; pipe < kPipes; ++pipe) {
            known_[pipe].fill(0);
        }
        count_.fill(0);
        // what the scalar unit says of itself is never nothing: another core can tell that it has been told
        count_[Index(Pipe::kScalar)] = 1;
        known_[Index(Pipe::kScalar)][Index(Pipe::kScalar)] = 1;
    }

    // Whether the compiler orders vector instructions among themselves, and the scalar unit with the other pipes.
    bool AutoSync() const { return autoSync_; }

    // The instruction's number on its pipe. Transfers of one MTE are not ordered among themselves.
    uint32_t Issue(Pipe pipe, const Call& call) {
        const int p = Index(pipe);
        const uint32_t number = ++count_[p];
        if ((pipe == Pipe::kVector && autoSync_) || pipe == Pipe::kScalar) {
            known_[p][p] = number;
        }
        Remember(p, number) = {call, number};
        return number;
    }

    // What a flag set by `pipe` now says once it has been waited for.
    Clock Snapshot(Pipe pipe) const {
        Clock clock = known_[Index(pipe)];
        clock[Index(pipe)] = count_[Index(pipe)];
        return clock;
    }

    void Join(Pipe pipe, const Clock& clock) {
        Clock& known = known_[Index(pipe)];
        for (int p = 0; p < kPipes; ++p) {
            known[p] = std::max(known[p], clock[p]);
        }
    }

    // The scalar unit waits for an instruction; it issues for all pipes, so all are ordered behind it.
    void JoinAll(const Clock& clock) {
        for (int p = 0; p < kPipes; ++p) {
            Join(static_cast<Pipe>(p), clock);
        }
    }
    void JoinAll(Pipe pipe, uint32_t number) {
        for (int p = 0; p < kPipes; ++p) {
            known_[p][Index(pipe)] = std::max(known_[p][Index(pipe)], number);
        }
    }

    void Barrier(Pipe pipe) { known_[Index(pipe)][Index(pipe)] = count_[Index(pipe)]; }
    void BarrierAll() { JoinAll(count_); }

    const Clock& Known(Pipe pipe) const { return known_[Index(pipe)]; }

    // The call that was instruction `number` of `pipe`, or null when it is too long ago.
    const Call* CallOf(int pipe, uint32_t number) const {
        const Issued& issued = history_[static_cast<size_t>(pipe) * kHistory + number % kHistory];
        return issued.number == number ? &issued.call : nullptr;
    }

private:
    struct Issued {
        Call call;
        uint32_t number;
    };
    static constexpr uint32_t kHistory = 1024;

    Issued& Remember(int pipe, uint32_t number) {
        return history_[static_cast<size_t>(pipe) * kHistory + number % kHistory];
    }

    bool autoSync_ = true;
    std::array<Clock, kPipes> known_{};
    Clock count_{};
    std::unique_ptr<Issued[]> history_{new Issued[static_cast<size_t>(kPipes) * kHistory]()};
};

}  // namespace sim

#endif
