#include "gm_order.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "report/call_chain.h"

namespace sim {
namespace {

constexpr Rule kCoreOrder = {
    "core-order",
    "accesses of two cores to the same global memory are ordered only by CrossCoreSetFlag/CrossCoreWaitFlag, SyncAll, "
    "IBSet/IBWait or the wait for a Matmul object's result",
    "基础API/同步控制/核间同步/核间同步能力概述",
    "SyncAll, or CrossCoreSetFlag and CrossCoreWaitFlag, between the two accesses"};
constexpr Rule kOwnPart = {
    "core-parts",
    "cores that do not wait for each other touch different bytes of global memory, or write the same values there",
    "基础API/同步控制/核间同步/核间同步能力概述",
    "each core has a part of its own (GetBlockIdx()); sums of several cores take SetAtomicAdd, or SyncAll before the "
    "last step"};

// Calls visit(begin, end, data) for every stretch of the span.
template <typename F>
void EachRow(const GmSpan& span, F visit) {
    if (span.bytes == 0 || span.rows == 0) {
        return;
    }
    if (span.rows == 1 || (span.pitch == span.bytes && (span.data == nullptr || span.dataPitch == span.bytes))) {
        visit(span.addr, span.addr + span.rows * span.bytes, span.data);
        return;
    }
    for (uint64_t row = 0; row < span.rows; ++row) {
        const uint64_t begin = span.addr + row * span.pitch;
        visit(begin, begin + span.bytes, span.data == nullptr ? nullptr : span.data + row * span.dataPitch);
    }
}

// The part of [begin, end) that a transfer of whole blocks surely wants.
uint64_t SurelyRead(uint64_t begin, uint64_t end) { return end - std::min<uint64_t>(31, end - begin - 1); }

uint32_t Known(const Core& core, uint32_t other, Pipe pipe) {
    return other < core.order.others.cores.size() ? core.order.others.cores[other][static_cast<size_t>(Index(pipe))]
                                                  : 0;
}

}  // namespace

void GmOrder::Accesses::Add(const Access& access) {
    const auto same = [&](const Access& other) { return other.core == access.core && other.pipe == access.pipe; };
    if (!any_ || same(first_)) {
        any_ = true;
        first_ = access;
        return;
    }
    for (Access& other : more_) {
        if (same(other)) {
            other = access;
            return;
        }
    }
    more_.push_back(access);
}

GmOrder::GmOrder(const sim_launch& launch, uint32_t cores, bool together) : together_(together), storing_(cores) {
    for (uint32_t i = 0; i < launch.region_count; ++i) {
        const sim_region& region = launch.regions[i];
        // where devices let pass that an input is written, the cores' accesses to it need an order too
        const bool written = region.writable != 0 || (MayWriteInputs(launch) && region.role == SIM_REGION_INPUT);
        if (written && region.bytes != 0) {
            regions_.push_back(std::make_unique<Region>());
            regions_.back()->begin = region.addr;
            regions_.back()->end = region.addr + region.bytes;
            regions_.back()->name = region.name;
        }
    }
}

// Outputs and the workspace do not overlap each other; an input may be the memory of an output.
GmOrder::Region* GmOrder::RegionOf(const GmSpan& span) {
    for (const std::unique_ptr<Region>& region : regions_) {
        if (region->begin <= span.addr && span.addr < region->end) {
            return region.get();
        }
    }
    return nullptr;
}

std::map<uint64_t, GmOrder::Piece>::iterator GmOrder::Region::Split(uint64_t at) {
    auto next = pieces.lower_bound(at);
    if (next == pieces.begin() || (next != pieces.end() && next->first == at)) {
        return next;
    }
    auto before = std::prev(next);
    if (before->second.end <= at) {
        return next;
    }
    Piece rest = before->second;
    before->second.end = at;
    return pieces.emplace_hint(next, at, std::move(rest));
}

void GmOrder::Check(Core& core, Pipe pipe, const Region& region, const Accesses& earlier, bool mayBeAtomic,
                    const char* verb, const char* earlierVerb, uint64_t begin, uint64_t end, const Call& call,
                    const uint64_t* fill) {
    const Access* unordered = earlier.Find([&](const Access& access) {
        return access.core != core.Index() && !(mayBeAtomic && access.atomic) &&
               !(fill != nullptr && access.fills && access.value == *fill) &&
               access.number > Known(core, access.core, access.pipe);
    });
    if (unordered == nullptr) {
        return;
    }
    if (!together_ && pipe == Pipe::kScalar && unordered->pipe == Pipe::kScalar) {
        byHand_.store(true);
        return;
    }
    const std::string other = core.Shared().ShortNameOf(unordered->core);
    const bool told =
        unordered->core < core.order.others.cores.size() && core.order.others.cores[unordered->core] != Clock{};
    Fail(call, together_ ? kCoreOrder : kOwnPart,
         "%s %" PRIu64 " bytes at offset %" PRIu64 " of %s that %s %s by %s on pipe %s at %s, and %s", verb,
         end - begin, begin - region.begin, region.name, other.c_str(), earlierVerb, unordered->call.api,
         Name(unordered->pipe), Where(unordered->call.site).c_str(),
         told ? "what this core has waited for was sent before that, or by another pipe"
              : "this core has waited for nothing that comes from there");
}

bool GmOrder::Same(Core& core, const Accesses& earlier, const uint8_t* data, uint64_t begin, uint64_t end) {
    if (data == nullptr) {
        return false;
    }
    const auto stores = [&](const Access& access) {
        return access.core != core.Index() && storing_[access.core].load(std::memory_order_acquire);
    };
    while (earlier.Find(stores) != nullptr) {
        core.Poll();
    }
    return std::memcmp(reinterpret_cast<const void*>(begin), data, end - begin) == 0;
}

// Cores write side by side for long stretches: one piece, not one for each transfer.
void GmOrder::Keep(Region& region, uint64_t begin, uint64_t end, const Access& access) {
    auto next = region.pieces.lower_bound(begin);
    if (next != region.pieces.begin()) {
        auto before = std::prev(next);
        if (before->second.end == begin && before->second.readers.None() && before->second.writers.Only(access.core)) {
            before->second.end = end;
            return;
        }
    }
    region.pieces.emplace_hint(next, begin, Piece{end, {}, {}})->second.writers.Set(access);
}

void GmOrder::Read(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call) {
    core.Stored();
    Region* const region = RegionOf(span);
    if (region == nullptr || byHand_.load()) {
        return;
    }
    const Access access{core.Index(), number, pipe, false, call};
    const std::lock_guard<std::mutex> lock(region->mutex);
    EachRow(span, [&](uint64_t begin, uint64_t last, const uint8_t*) {
        const uint64_t end = std::min(together_ ? last : SurelyRead(begin, last), region->end);
        auto piece = region->Split(begin);
        region->Split(end);
        for (uint64_t at = begin; at < end; ++piece) {
            if (piece == region->pieces.end() || piece->first > at) {
                const uint64_t until = piece == region->pieces.end() ? end : std::min(end, piece->first);
                piece = region->pieces.emplace_hint(piece, at, Piece{until, {}, {}});
            }
            Check(core, pipe, *region, piece->second.writers, false, "reads", "wrote", at, piece->second.end, call);
            piece->second.readers.Add(access);
            at = piece->second.end;
        }
    });
}

void GmOrder::Write(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, bool atomic, const Call& call) {
    core.Stored();
    Region* const region = RegionOf(span);
    if (region == nullptr || byHand_.load()) {
        return;
    }
    const bool fills = span.fill != nullptr;
    const Access access{core.Index(), number, pipe, atomic, call, fills, fills ? *span.fill : 0};
    const std::lock_guard<std::mutex> lock(region->mutex);
    if (!together_) {
        core.BeginStore(storing_[core.Index()]);
    }
    EachRow(span, [&](uint64_t begin, uint64_t until, const uint8_t* data) {
        // what lies outside is GlobalMemory::Check's
        const uint64_t end = std::min(until, region->end);
        if (begin < region->begin || begin >= end) {
            return;
        }
        auto first = region->Split(begin);
        auto last = region->Split(end);
        first = region->pieces.lower_bound(begin);  // the second split may have moved it
        for (auto piece = first; piece != last; ++piece) {
            const uint8_t* const values = data == nullptr ? nullptr : data + (piece->first - begin);
            const auto isAtomic = [](const Access& earlier) { return earlier.atomic; };
            if (together_ || atomic || piece->second.writers.Find(isAtomic) != nullptr ||
                !Same(core, piece->second.writers, values, piece->first, piece->second.end)) {
                Check(core, pipe, *region, piece->second.writers, atomic, "overwrites", "wrote", piece->first,
                      piece->second.end, call, span.fill);
            }
            Check(core, pipe, *region, piece->second.readers, false, "overwrites", "read", piece->first,
                  piece->second.end, call);
        }
        if (!atomic) {
            first = region->pieces.erase(first, last);
            if (!together_) {
                return Keep(*region, begin, end, access);
            }
            region->pieces.emplace_hint(first, begin, Piece{end, {}, {}})->second.writers.Set(access);
            return;
        }
        uint64_t at = begin;
        for (auto piece = first; at < end; ++piece) {
            if (piece == region->pieces.end() || piece->first > at) {
                const uint64_t until = piece == region->pieces.end() ? end : std::min(end, piece->first);
                piece = region->pieces.emplace_hint(piece, at, Piece{until, {}, {}});
            }
            piece->second.writers.Add(access);
            at = piece->second.end;
        }
    });
    if (core.Storing() != nullptr) {
        core.Storing()->store(true, std::memory_order_relaxed);  // seen by whoever takes the lock after us
    }
}

CoreClock Release(const Core& core, Pipe pipe) {
    CoreClock clock;
    if (core.Checks()) {
        clock = core.order.others;
        clock.time = core.order.timeline.Done(pipe);
        if (clock.cores.size() <= core.Index()) {
            clock.cores.resize(core.Index() + 1);
        }
        Clock& own = clock.cores[core.Index()];
        own = core.order.clocks.Snapshot(pipe);
        // the scalar unit, which issued the signal, does one thing after the other
        own[static_cast<size_t>(Index(Pipe::kScalar))] =
            core.order.clocks.Snapshot(Pipe::kScalar)[static_cast<size_t>(Index(Pipe::kScalar))];
    }
    return clock;
}

void Acquire(Core& core, const CoreClock& clock) {
    if (!core.Checks()) {
        return;
    }
    core.order.others.Join(clock);
    core.order.timeline.Arrive(clock.time);
    if (core.Index() < clock.cores.size()) {
        core.order.clocks.JoinAll(clock.cores[core.Index()]);
    }
}

void GmRead(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call) {
    if (core.Shared().gmOrder != nullptr) {
        core.Shared().gmOrder->Read(core, pipe, number, span, call);
    }
}

void GmWrite(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call, bool atomic) {
    if (core.Shared().gmOrder != nullptr) {
        core.Shared().gmOrder->Write(core, pipe, number, span, atomic, call);
    }
}

}  // namespace sim
