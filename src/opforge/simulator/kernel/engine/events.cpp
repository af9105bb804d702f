#include "events.h"

namespace sim {
namespace {

constexpr Rule kRange = {"event ids are 0 to 7", "基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)"};
constexpr Rule kPaired = {"SetFlag and WaitFlag of one event and id come in pairs",
                          "基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)"};
constexpr Rule kAllocated = {"AllocEventID and ReleaseEventID come in pairs, and each event has 8 ids",
                             "基础API/资源管理/TPipe/AllocEventID"};

}  // namespace

void Events::Reset() { flags_.fill(Flag{}); }

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
        Fail(call, kPaired, "event %s_%s id %d is set again before it was waited for (set at %s:%d)", Name(from),
             Name(to), id, flag.call.site.file, flag.call.site.line);
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
    flag.set = false;
    if (to == Pipe::kScalar) {
        clocks.JoinAll(flag.clock);
    } else {
        clocks.Join(to, flag.clock);
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
