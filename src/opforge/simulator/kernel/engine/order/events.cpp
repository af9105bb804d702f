#include "events.h"

namespace sim {
namespace {

constexpr Rule kRange = {"event-id", "event ids are 0 to 7", "基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)"};
constexpr Rule kPaired = {"flag-pairs", "SetFlag and WaitFlag of one event and id come in pairs",
                          "基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)"};
constexpr DeviceRule kTwice = {
    {"flag-set-twice", kPaired.text, kPaired.page},
    "a flag counts: the second WaitFlag takes the second SetFlag",
    "CANN 8.1, op_impl/ai_core/tbe/impl/ascendc/add_rms_norm/add_rms_norm_single_n.h:76-84 (two of one id, then two "
    "waits)"};
constexpr Rule kAllocated = {"event-ids", "AllocEventID and ReleaseEventID come in pairs, and each event has 8 ids",
                             "基础API/资源管理/TPipe/AllocEventID"};

}  // namespace

void Events::Reset() {
    flags_.fill(Flag{});
    twice_ = 0;
}

Events::Flag& Events::At(Pipe from, Pipe to, int32_t id, const Call& call) {
    if (id < 0 || id >= kIds) {
        Fail(call, kRange, "event %s_%s has no id %d", Name(from), Name(to), id);
    }
    return flags_[(static_cast<size_t>(Index(from)) * kPipes + static_cast<size_t>(Index(to))) * kIds +
                  static_cast<size_t>(id)];
}

void Events::Set(PipeClocks& clocks, Pipe from, Pipe to, int32_t id, const Call& call) {
    Flag& flag = At(from, to, id, call);
    if (flag.set) {
        constexpr const char* kSays = "event %s_%s id %d is set again before it was waited for (set at %s:%d)";
        if (flag.again) {
            Fail(call, kTwice.rule, kSays, Name(from), Name(to), id, flag.secondCall.site.file,
                 flag.secondCall.site.line);
        }
        LetPass(call, kTwice, kSays, Name(from), Name(to), id, flag.call.site.file, flag.call.site.line);
        flag.again = true;
        flag.second = clocks.Snapshot(from);
        flag.secondCall = call;
        ++twice_;
        return;
    }
    flag.set = true;
    flag.clock = clocks.Snapshot(from);
    flag.call = call;
}

void Events::Wait(PipeClocks& clocks, Pipe from, Pipe to, int32_t id, const Call& call) {
    Flag& flag = At(from, to, id, call);
    if (!flag.set) {
        FailDeadlock(call, kPaired, "event %s_%s id %d has not been set: the pipe waits for ever", Name(from), Name(to),
                     id);
    }
    const Clock clock = flag.clock;
    flag.set = flag.again;
    if (flag.again) {
        flag.again = false;
        flag.clock = flag.second;
        flag.call = flag.secondCall;
        --twice_;
    }
    if (to == Pipe::kScalar) {
        clocks.JoinAll(clock);
    } else {
        clocks.Join(to, clock);
    }
}

void Events::CheckBarrier(const Call& call) const {
    for (size_t i = 0; twice_ != 0 && i < flags_.size(); ++i) {
        if (flags_[i].again) {
            const Flag& flag = flags_[i];
            FailDeadlock(call, kPaired,
                         "event %s_%s id %d has been set twice (at %s:%d and %s:%d): PIPE_ALL never ends",
                         Name(static_cast<Pipe>(i / kIds / kPipes)), Name(static_cast<Pipe>(i / kIds % kPipes)),
                         static_cast<int>(i % kIds), flag.call.site.file, flag.call.site.line,
                         flag.secondCall.site.file, flag.secondCall.site.line);
        }
    }
}

int32_t Events::Alloc(Pipe from, Pipe to, bool occupy, const Call& call) {
    for (int32_t id = 0; id < kIds; ++id) {
        Flag& flag = At(from, to, id, call);
        if (!flag.occupied) {
            flag.occupied = occupy;
            return id;
        }
    }
    Fail(call, kAllocated, "all %d ids of event %s_%s are in use", kIds, Name(from), Name(to));
}

void Events::Release(Pipe from, Pipe to, int32_t id, const Call& call) {
    Flag& flag = At(from, to, id, call);
    if (!flag.occupied) {
        Fail(call, kAllocated, "id %d of event %s_%s was not allocated", id, Name(from), Name(to));
    }
    flag.occupied = false;
}

void Events::Forget() {
    for (Flag& flag : flags_) {
        flag.occupied = false;
    }
}

void Events::Finish() const {
    for (size_t i = 0; i < flags_.size(); ++i) {
        if (flags_[i].set) {
            const Pipe from = static_cast<Pipe>(i / kIds / kPipes);
            const Pipe to = static_cast<Pipe>(i / kIds % kPipes);
            Fail(flags_[i].call, kPaired, "event %s_%s id %d is never waited for", Name(from), Name(to),
                 static_cast<int>(i % kIds));
        }
    }
}

}  // namespace sim
