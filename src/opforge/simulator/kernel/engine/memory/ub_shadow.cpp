#include "ub_shadow.h"

#include <cstring>

#include "report/call_chain.h"

namespace sim {
namespace {

constexpr uint32_t kNumberBits = 28;
constexpr uint32_t kNumberMask = (1u << kNumberBits) - 1u;

uint32_t Pack(Pipe pipe, uint32_t number) { return static_cast<uint32_t>(Index(pipe)) << kNumberBits | number; }

constexpr Rule kPipeOrder = {
    "pipe-order",
    "instructions of MTE2, V and MTE3 are ordered only by EnQue/DeQue, AllocTensor/FreeTensor or SetFlag/WaitFlag",
    "基础API/同步控制/核内同步/关键特性说明",
    "EnQue and DeQue the tensor between the two calls, or SetFlag and WaitFlag an event of the two pipes"};
constexpr Rule kTransferOrder = {"transfer-order",
                                 "transfers of one MTE whose addresses overlap need a PipeBarrier between them",
                                 "基础API/同步控制/核内同步/PipeBarrier(ISASI)"};

constexpr Rule kVectorOrder = {
    "vector-order",
    "with --cce-auto-sync=off a vector instruction that needs another's result is behind a PipeBarrier<PIPE_V>",
    "基础API/同步控制/核内同步/关键特性说明"};
constexpr Rule kScalarOrder = {"scalar-order",
                               "with --cce-auto-sync=off SetFlag/WaitFlag order the scalar unit and the other pipes",
                               "基础API/同步控制/核内同步/关键特性说明"};

[[noreturn]] void FailUnordered(const PipeClocks& clocks, Pipe pipe, const char* verb, uint32_t granule,
                                const char* earlierVerb, int earlierPipe, uint32_t earlierNumber, const Call& call) {
    const Pipe earlier = static_cast<Pipe>(earlierPipe);
    const Call* earlierCall = clocks.CallOf(earlierPipe, earlierNumber);
    const char* api = earlierCall != nullptr ? earlierCall->api : "an earlier instruction";
    const std::string place = earlierCall != nullptr ? Where(earlierCall->site) : "?:0";
    if (earlier == pipe && pipe == Pipe::kVector) {
        Fail(call, kVectorOrder, "%s UB address %u, which %s %s at %s, without a PipeBarrier<PIPE_V>", verb,
             granule * UbShadow::kGranule, api, earlierVerb, place.c_str());
    }
    if (earlier == pipe) {
        Fail(call, kTransferOrder,
             "%s UB address %u, which %s on the same pipe %s %s at %s, without a PipeBarrier<PIPE_%s>", verb,
             granule * UbShadow::kGranule, api, Name(pipe), earlierVerb, place.c_str(), Name(pipe));
    }
    const bool scalar = earlier == Pipe::kScalar || pipe == Pipe::kScalar;
    Fail(call, scalar ? kScalarOrder : kPipeOrder,
         "pipe %s %s UB address %u, which %s on pipe %s %s at %s, without a synchronisation %s to %s", Name(pipe), verb,
         granule * UbShadow::kGranule, api, Name(earlier), earlierVerb, place.c_str(), Name(earlier), Name(pipe));
}

}  // namespace

UbShadow::UbShadow(uint32_t bytes) : writer_(bytes / kGranule + 1), defined_(bytes + kGranule) {
    for (auto& reader : reader_) {
        reader.resize(bytes / kGranule + 1);
    }
}

void UbShadow::Reset() {
    std::fill(writer_.begin(), writer_.end(), 0u);
    for (auto& reader : reader_) {
        std::fill(reader.begin(), reader.end(), 0u);
    }
    std::fill(defined_.begin(), defined_.end(), uint8_t{0});
    origin_.clear();
    overrun_.clear();
}

void UbShadow::CheckWriters(PipeClocks& clocks, Pipe pipe, uint32_t number, const char* verb, uint32_t first,
                            uint32_t last, const Call& call) {
    const Clock& known = clocks.Known(pipe);
    uint32_t checked = pipe == Pipe::kVector ? Pack(pipe, number) : 0;  // a repeat of the same instruction
    for (uint32_t g = first; g <= last; ++g) {
        const uint32_t writer = writer_[g];
        if (writer == checked) {
            continue;  // a buffer is mostly written by one instruction
        }
        const uint32_t writerPipe = writer >> kNumberBits;
        if ((writer & kNumberMask) > known[writerPipe]) {
            FailUnordered(clocks, pipe, verb, g, "wrote", static_cast<int>(writerPipe), writer & kNumberMask, call);
        }
        checked = writer;
    }
}

void UbShadow::CheckReaders(PipeClocks& clocks, Pipe pipe, uint32_t first, uint32_t last, const Call& call) {
    const Clock& known = clocks.Known(pipe);
    constexpr Pipe kReaderPipe[kReaders] = {Pipe::kVector, Pipe::kMte3};
    for (int r = 0; r < kReaders; ++r) {
        const uint32_t limit = known[Index(kReaderPipe[r])];
        if (kReaderPipe[r] == pipe) {
            continue;  // a pipe reads its operands before a later instruction of the same pipe writes
        }
        const uint32_t* reader = reader_[r].data();
        uint32_t latest = 0;
        for (uint32_t g = first; g <= last; ++g) {
            latest = std::max(latest, reader[g]);
        }
        if (latest > limit) {
            uint32_t g = first;
            while (reader[g] <= limit) {
                ++g;
            }
            FailUnordered(clocks, pipe, "overwrites", g, "reads", Index(kReaderPipe[r]), reader[g], call);
        }
    }
}

void UbShadow::Read(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, const Call& call) {
    if (begin == end) {
        return;
    }
    const uint32_t first = begin / kGranule;
    const uint32_t last = (end - 1) / kGranule;
    CheckWriters(clocks, pipe, number, "reads", first, last, call);
    std::fill(reader_[ReaderOf(pipe)].begin() + first, reader_[ReaderOf(pipe)].begin() + last + 1, number);
}

void UbShadow::Write(PipeClocks& clocks, Pipe pipe, uint32_t number, uint32_t begin, uint32_t end, const Call& call) {
    if (begin == end) {
        return;
    }
    const uint32_t first = begin / kGranule;
    const uint32_t last = (end - 1) / kGranule;
    CheckWriters(clocks, pipe, number, "overwrites", first, last, call);
    CheckReaders(clocks, pipe, first, last, call);
    std::fill(writer_.begin() + first, writer_.begin() + last + 1, Pack(pipe, number));
    if (!overrun_.empty()) {
        Overrun(begin, end);
    }
}

void UbShadow::ReadScalar(PipeClocks& clocks, uint32_t begin, uint32_t end, const Call& call) {
    const uint32_t first = begin / kGranule;
    const uint32_t last = (end - 1) / kGranule;
    if (!clocks.AutoSync()) {
        CheckWriters(clocks, Pipe::kScalar, 0, "reads", first, last, call);
        return;
    }
    for (uint32_t g = first; g <= last; ++g) {
        clocks.JoinAll(static_cast<Pipe>(writer_[g] >> kNumberBits), writer_[g] & kNumberMask);
    }
}

void UbShadow::WriteScalar(PipeClocks& clocks, uint32_t begin, uint32_t end, const Call& call) {
    if (!overrun_.empty()) {
        Overrun(begin, end);
    }
    const uint32_t first = begin / kGranule;
    const uint32_t last = (end - 1) / kGranule;
    if (!clocks.AutoSync()) {
        const uint32_t number = clocks.Issue(Pipe::kScalar, call);
        CheckWriters(clocks, Pipe::kScalar, number, "overwrites", first, last, call);
        CheckReaders(clocks, Pipe::kScalar, first, last, call);
        std::fill(writer_.begin() + first, writer_.begin() + last + 1, Pack(Pipe::kScalar, number));
        return;
    }
    ReadScalar(clocks, begin, end, call);
    for (uint32_t g = first; g <= last; ++g) {
        clocks.JoinAll(Pipe::kVector, reader_[kByVector][g]);
        clocks.JoinAll(Pipe::kMte3, reader_[kByMte3][g]);
        writer_[g] = 0;
    }
}

bool UbShadow::AllDefined(uint32_t addr, uint64_t bytes) const {
    if (bytes == 0) {
        return true;
    }
    const uint8_t* defined = defined_.data() + addr;
    return defined[0] == 0xff && std::memcmp(defined, defined + 1, bytes - 1) == 0;
}

Origin UbShadow::Weakest(uint32_t addr, uint64_t bytes) const {
    if (AllDefined(addr, bytes)) {
        return kValue;
    }
    Origin weakest = kValue;
    for (uint64_t i = 0; i < bytes; ++i) {
        if (defined_[addr + i] != 0xff) {
            weakest = OriginOf(static_cast<uint32_t>(addr + i));
            if (!Origins::IsOld(weakest)) {
                break;
            }
        }
    }
    return weakest;
}

void UbShadow::Mark(uint32_t addr, uint64_t bytes, Origin origin) {
    std::memset(Defined(addr), origin == kValue ? 0xff : 0, bytes);
    if (origin == kValue || (origin == Origins::kNone && origin_.empty())) {
        return;
    }
    origin_.resize(defined_.size());
    std::memset(OriginAt(addr), origin, bytes);
}

void UbShadow::Known(uint32_t addr, uint64_t bytes, bool old, uint8_t* to) const {
    std::memcpy(to, defined_.data() + addr, bytes);
    for (uint64_t i = 0; old && !origin_.empty() && i < bytes; ++i) {
        if (to[i] != 0xff && Origins::IsOld(origin_[addr + i])) {
            to[i] = 0xff;
        }
    }
}

void UbShadow::Age(uint32_t begin, uint32_t end, Origin origin) {
    if (begin == end) {
        return;
    }
    origin_.resize(defined_.size());
    uint8_t* __restrict const defined = Defined(begin);
    Origin* __restrict const origins = OriginAt(begin);
    const uint32_t count = end - begin;
    if (AllDefined(begin, count)) {  // each AllocTensor but the first
        std::memset(origins, origin, count);
    } else {
        for (uint32_t i = 0; i < count; ++i) {
            origins[i] = defined[i] == 0xff ? origin : origins[i];
        }
    }
    std::memset(defined, 0, count);
}

void UbShadow::Touch(Origins& origins, const Ub& place, uint64_t bytes, bool write, const Call& call) {
    const bool beyond = place.addr + bytes > place.end;
    if (!beyond && overrun_.empty()) {
        return;
    }
    if (write) {
        limit_ = place.end;
        if (beyond) {
            overrun_.resize(defined_.size());
            overruns_ = origins.Of(call, nullptr, [&] {
                return std::string("has been overwritten by ") + call.api + " at " + Where(call.site) +
                       ", behind the end of its own tensor";
            });
        }
        return;
    }
    const uint64_t end = std::min<uint64_t>(place.end, place.addr + bytes);
    for (uint32_t at = place.addr; !overrun_.empty() && at < end; ++at) {
        if (overrun_[at] != Origins::kNone) {
            Mark(at, 1, overrun_[at]);
            overrun_[at] = Origins::kNone;
        }
    }
}

void UbShadow::Overrun(uint32_t begin, uint32_t end) {
    const uint32_t inside = std::min(std::max(begin, limit_), end);
    std::fill(overrun_.begin() + begin, overrun_.begin() + inside, Origins::kNone);
    std::fill(overrun_.begin() + inside, overrun_.begin() + end, overruns_);
}

}  // namespace sim
