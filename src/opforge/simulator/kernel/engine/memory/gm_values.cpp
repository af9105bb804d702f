#include "gm_values.h"

#include <algorithm>

#include "report/call_chain.h"
#include "gm_marks.h"

namespace sim {
namespace {

constexpr Rule kScalar = {"gm-undefined", "a scalar read of global memory needs a value that has been written",
                          "基础API/资源管理/workspace/GetUserWorkspace",
                          "the first core that needs it writes it first: InitGlobalMemory, or a copy and SyncAll"};

std::string At(const Call& call) { return std::string(call.api) + " at " + Where(call.site); }

// Why a byte that `call` reads has no value, for bytes that nobody has written.
Origin OriginOf(Core& core, uint64_t addr, const Call& call) {
    const sim_region* const region = core.memory.gm.RegionAt(addr);
    return core.Shared().origins.Of(call, region, [&] {
        return region != nullptr
                   ? std::string("depends on bytes of ") + region->name + " that no core has written, read by " +
                         At(call) + " (SyncAll orders it behind another core's writes)"
                   : "depends on what " + At(call) + " reads behind the end of a tensor";
    });
}

}  // namespace

void MarkLoaded(Core& core, uint64_t from, uint64_t bytes, uint32_t to, const Call& call) {
    GmMarks& marks = *core.Shared().gmMarks;
    marks.Reading(from, bytes);
    if (core.memory.gm.HasData(from) || marks.AllDefined(from, bytes)) {
        core.memory.shadow.Mark(to, bytes, UbShadow::kValue);
        return;
    }
    std::vector<Origin> read(bytes);
    marks.Read(from, bytes, read.data());
    for (uint64_t begin = 0; begin < bytes;) {
        uint64_t end = begin;
        while (end < bytes && read[end] == read[begin]) {
            ++end;
        }
        const Origin mark = read[begin] != Origins::kNone ? read[begin] : OriginOf(core, from + begin, call);
        core.memory.shadow.Mark(static_cast<uint32_t>(to + begin), end - begin, mark);
        begin = end;
    }
}

bool DefinedInGm(const Core& core, uint64_t addr, uint64_t bytes) {
    core.Shared().gmMarks->Reading(addr, bytes);
    return core.memory.gm.HasData(addr) || core.Shared().gmMarks->AllDefined(addr, bytes);
}

std::string WhyLackingInGm(Core& core, uint64_t addr, uint64_t bytes, const Call& call) {
    std::vector<Origin> read(bytes);
    core.Shared().gmMarks->Read(addr, bytes, read.data());
    const auto at = std::find_if(read.begin(), read.end(), [](Origin mark) { return mark != GmMarks::kValue; });
    const Origin mark =
        *at != Origins::kNone ? *at : OriginOf(core, addr + static_cast<uint64_t>(at - read.begin()), call);
    return core.Shared().origins.Text(mark);
}

void RequireGm(Core& core, uint64_t addr, uint64_t bytes, const Call& call) {
    if (!DefinedInGm(core, addr, bytes)) {
        Fail(call, kScalar, "the value at %s %s", core.memory.gm.Place(addr).c_str(),
             WhyLackingInGm(core, addr, bytes, call).c_str());
    }
}

void MarkStored(Core& core, uint64_t to, uint64_t bytes, const Origin* marks) {
    core.Shared().gmMarks->Write(to, bytes, marks);
}

void MarkCombined(Core& core, uint64_t to, uint64_t bytes, const Origin* marks, const Call& call) {
    GmMarks& all = *core.Shared().gmMarks;
    if (marks == nullptr && all.AllDefined(to, bytes)) {
        return;
    }
    std::vector<Origin> there(bytes);
    all.Read(to, bytes, there.data());
    for (uint64_t i = 0; i < bytes; ++i) {
        if (there[i] == Origins::kNone) {
            const sim_region* const region = core.memory.gm.RegionAt(to + i);
            there[i] = core.Shared().origins.Of(call, region, [&] {
                return "depends on what was there before: " + At(call) + " adds to bytes that no core has written";
            });
        }
        there[i] = marks == nullptr ? there[i] : Weaker(there[i], marks[i]);
    }
    all.Write(to, bytes, there.data());
}

Leaving::Leaving(Core& core, uint32_t begin, uint32_t end, uint64_t to, const Call& call) {
    if (core.memory.shadow.AllDefined(begin, end - begin)) {
        return;
    }
    const uint32_t lacking = core.FirstLacking(begin, end, call);
    if (lacking == end) {
        return;
    }
    if (!core.AsDevice()) {
        const sim_region* const region = core.memory.gm.RegionAt(to + (lacking - begin));
        if (region != nullptr && region->role != SIM_REGION_GIVEN) {
            refused = lacking;
        }
        if (region == nullptr || refused) {
            return;
        }
    }
    marks_.assign(end - begin, GmMarks::kValue);
    Origins& origins = core.Shared().origins;
    for (uint32_t at = lacking; at < end;) {
        const Origin origin = core.memory.shadow.Weakest(at, 1);
        uint32_t next = at + 1;
        while (next < end && core.memory.shadow.Weakest(next, 1) == origin) {
            ++next;
        }
        if (!Origins::IsOld(origin)) {
            const std::string why = origins.Text(origin) + ", stored by " + At(call);
            const auto* const subject = reinterpret_cast<const void*>(uintptr_t{origin});
            std::fill_n(marks_.begin() + (at - begin), next - at, origins.Of(call, subject, [&] { return why; }));
        } else if (origin != UbShadow::kValue) {
            core.FirstLacking(at, next, call);
        }
        at = next;
    }
}

}  // namespace sim
