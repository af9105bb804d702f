#include "gm_marks.h"

#include <algorithm>
#include <cstring>

#include "report/findings.h"

namespace sim {
namespace {

constexpr Rule kUndefined = {"result-undefined", "a result is computed from values that have been written",
                             "基础API/资源管理/TQue/AllocTensor"};
constexpr Rule kUnwritten = {"result-unwritten", "a kernel writes all of its outputs",
                             "guide/编程指南/编程模型/AI-Core-SIMD编程/核函数",
                             "InitGlobalMemory fills an output; where it is meant to keep its values, the op is in "
                             "place: an input and an output "
                             "of one name"};

// "bytes 512 to 1023 (elements 128 to 255)"
std::string Span(uint64_t begin, uint64_t end, uint32_t element) {
    std::string text = "bytes " + std::to_string(begin) + " to " + std::to_string(end - 1);
    if (element > 1) {
        const uint64_t first = begin / element, last = (end - 1) / element;
        text += first == last ? " (element " + std::to_string(first) + ")"
                              : " (elements " + std::to_string(first) + " to " + std::to_string(last) + ")";
    }
    return text;
}

Failure Found(const sim_launch& launch, const Call& call, const Rule& rule, bool open, std::string detail) {
    std::string message = std::string(launch.op_type) + ": " + detail + LineOf(rule);
    Defect defect{};
    defect.call = call;
    defect.detail = std::move(detail);
    defect.id = rule.id;
    defect.rule = rule.text;
    defect.page = rule.page;
    defect.hint = rule.hint != nullptr ? rule.hint : "";
    defect.open = open;
    return {Status::kVectorException, std::move(message), std::make_shared<const Defect>(std::move(defect))};
}

}  // namespace

GmMarks::Chunk GmMarks::kAllDefined;

GmMarks::GmMarks(const sim_launch& launch) {
    // an output may be the memory of an input, and holds what that holds
    for (const bool defined : {true, false}) {
        for (uint32_t i = 0; i < launch.region_count; ++i) {
            const sim_region& region = launch.regions[i];
            const bool empty = region.role == SIM_REGION_OUTPUT || region.role == SIM_REGION_SHAPED ||
                               region.role == SIM_REGION_WORKSPACE;
            if (region.bytes != 0 && empty != defined) {
                const Region* const over = RegionOf(region.addr);
                const bool holds = over != nullptr && over->defined && over->Has(region.addr + region.bytes - 1);
                regions_.push_back(std::make_unique<Region>(region, defined || holds));
            }
        }
    }
}

const GmMarks::Region* GmMarks::RegionOf(uint64_t addr) const {
    for (const std::unique_ptr<Region>& region : regions_) {
        if (region->Has(addr)) {
            return region.get();
        }
    }
    return nullptr;
}

void GmMarks::Read(uint64_t addr, uint64_t bytes, Origin* marks) const {
    const uint64_t end = addr + bytes;
    while (addr < end) {
        const Region* const region = RegionOf(addr);
        if (region == nullptr) {
            *marks++ = InTiling(addr) ? kValue : Origins::kNone;
            ++addr;
            continue;
        }
        const uint64_t at = addr - region->of->addr;
        const uint64_t count = std::min({end - addr, kChunk - at % kChunk, region->of->bytes - at});
        const Chunk* const chunk = region->chunks[at / kChunk].load(std::memory_order_acquire);
        if (chunk == nullptr) {
            std::memset(marks, region->defined ? kValue : Origins::kNone, count);
        } else if (chunk == &kAllDefined) {
            std::memset(marks, kValue, count);
        } else {
            std::memcpy(marks, chunk->marks + at % kChunk, count);
        }
        marks += count;
        addr += count;
    }
}

bool GmMarks::AllDefined(uint64_t addr, uint64_t bytes) const {
    const uint64_t end = addr + bytes;
    while (addr < end) {
        const Region* const region = RegionOf(addr);
        if (region == nullptr && InTiling(addr)) {
            ++addr;
            continue;
        }
        if (region == nullptr) {
            return false;
        }
        const uint64_t at = addr - region->of->addr;
        const uint64_t count = std::min({end - addr, kChunk - at % kChunk, region->of->bytes - at});
        const Chunk* const chunk = region->chunks[at / kChunk].load(std::memory_order_acquire);
        if (chunk == nullptr
                ? !region->defined
                : chunk != &kAllDefined &&
                      !(chunk->marks[at % kChunk] == kValue &&
                        std::memcmp(chunk->marks + at % kChunk, chunk->marks + at % kChunk + 1, count - 1) == 0)) {
            return false;
        }
        addr += count;
    }
    return true;
}

void GmMarks::Reading(uint64_t addr, uint64_t bytes) {
    for (const std::unique_ptr<Region>& each : regions_) {
        Region& region = *each;
        const uint64_t end = std::min(addr + bytes, region.End());
        if (region.written.empty() || region.readBack.load(std::memory_order_relaxed)) {
            continue;
        }
        for (uint64_t next = std::max(addr, region.of->addr); next < end;) {
            const uint64_t at = next - region.of->addr;
            const uint64_t count = std::min(end - next, kChunk - at % kChunk);
            if ((region.written[at / kChunk].load(std::memory_order_relaxed) & Region::Bits(at, count)) != 0) {
                region.readBack.store(true);
                break;
            }
            next += count;
        }
    }
}

std::vector<uint64_t> GmMarks::ReadBack() const {
    std::vector<uint64_t> found;
    for (const std::unique_ptr<Region>& region : regions_) {
        if (region->readBack.load()) {
            found.push_back(region->of->addr);
        }
    }
    return found;
}

GmMarks::Chunk* GmMarks::Own(Region& region, size_t index) {
    std::atomic<Chunk*>& place = region.chunks[index];
    Chunk* chunk = place.load(std::memory_order_acquire);
    if (chunk != nullptr && chunk != &kAllDefined) {
        return chunk;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    chunk = place.load();
    if (chunk == nullptr || chunk == &kAllDefined) {
        const bool defined = chunk != nullptr || region.defined;
        owned_.push_back(std::make_unique<Chunk>());
        chunk = owned_.back().get();
        std::memset(chunk->marks, defined ? kValue : Origins::kNone, kChunk);
        place.store(chunk, std::memory_order_release);
    }
    return chunk;
}

void GmMarks::Write(uint64_t addr, uint64_t bytes, const Origin* marks) {
    for (const std::unique_ptr<Region>& each : regions_) {
        Region& region = *each;
        const uint64_t begin = std::max(addr, region.of->addr);
        const uint64_t end = std::min(addr + bytes, region.End());
        for (uint64_t next = begin; next < end;) {
            const uint64_t at = next - region.of->addr;
            const uint64_t count = std::min(end - next, kChunk - at % kChunk);
            std::atomic<Chunk*>& place = region.chunks[at / kChunk];
            Chunk* const chunk = place.load(std::memory_order_acquire);
            if (!region.written.empty()) {
                region.written[at / kChunk].fetch_or(Region::Bits(at, count), std::memory_order_relaxed);
            }
            if (marks == nullptr && (chunk == &kAllDefined || (chunk == nullptr && region.defined))) {
                // as it was
            } else if (marks == nullptr && chunk == nullptr && count == kChunk) {
                Chunk* none = nullptr;
                if (!place.compare_exchange_strong(none, &kAllDefined)) {
                    continue;
                }
            } else {
                Origin* const to = Own(region, at / kChunk)->marks + at % kChunk;
                if (marks == nullptr) {
                    std::memset(to, kValue, count);
                } else {
                    std::memcpy(to, marks + (next - addr), count);
                }
            }
            next += count;
        }
    }
}

bool GmMarks::IsUntouched(const Region& region) {
    return std::all_of(region.chunks.begin(), region.chunks.end(),
                       [](const auto& chunk) { return chunk.load() == nullptr; });
}

std::optional<Failure> GmMarks::Missing(const sim_launch& launch, const Origins& origins,
                                        const Findings& findings) const {
    for (const std::unique_ptr<Region>& region : regions_) {
        if (region->of->role == SIM_REGION_WORKSPACE || region->readBack.load()) {
            continue;
        }
        if (std::optional<Failure> failure = MissingOf(*region, launch, origins, findings)) {
            return failure;
        }
    }
    return std::nullopt;
}

std::optional<Failure> GmMarks::MissingOf(const Region& region, const sim_launch& launch, const Origins& origins,
                                          const Findings& findings) const {
    const uint64_t bytes = region.of->bytes;
    const bool whole = region.of->role == SIM_REGION_OUTPUT;
    const auto markAt = [&](uint64_t at) {
        const Chunk* const chunk = region.chunks[at / kChunk].load();
        return chunk == nullptr ? (region.defined ? kValue : Origins::kNone)
                                : (chunk == &kAllDefined ? kValue : chunk->marks[at % kChunk]);
    };
    // an output of any shape ends where the kernel has written its last element
    const auto misses = [&](Origin mark) { return mark != kValue && (whole || mark != Origins::kNone); };
    uint64_t begin = bytes, end = bytes, more = 0;
    Origin first = kValue;
    for (uint64_t at = 0; at < bytes;) {
        const Chunk* const chunk = region.chunks[at / kChunk].load();
        const uint64_t next = std::min(bytes, (at / kChunk + 1) * kChunk);
        const bool good = chunk == &kAllDefined || (chunk == nullptr && (region.defined || !whole)) ||
                          (chunk != nullptr && chunk->marks[0] == kValue &&
                           std::memcmp(chunk->marks, chunk->marks + 1, next - at - 1) == 0);
        for (; !good && at < next; ++at) {
            const Origin mark = markAt(at);
            if (!misses(mark)) {
                continue;
            }
            if (begin == bytes) {
                begin = at;
                first = mark;
                end = at;
            }
            if (mark == first && at == end) {
                ++end;
            } else {
                ++more;
            }
        }
        at = next;
    }
    if (begin == bytes) {
        return std::nullopt;
    }
    std::string detail = (IsOutput(region) ? "output " : "") + std::string(region.of->name) + ": " +
                         Span(begin, end, region.of->element);
    const std::string others = more == 0 ? "" : ", and " + std::to_string(more) + " other bytes";
    if (first != Origins::kNone) {
        return Found(launch, origins.CallOf(first), kUndefined, false,
                     detail + ": the value " + origins.Text(first) + others);
    }
    // An output that a device gives back as it was, beside one that is written: reserved, as some of CANN's are.
    const bool reserved = IsUntouched(region) && std::any_of(regions_.begin(), regions_.end(), [](const auto& other) {
                              return IsOutput(*other) && !IsUntouched(*other);
                          });
    const Verdict verdict = findings.Of(kUnwritten, Site{}, reserved);
    if (verdict == Verdict::kSilent) {
        return std::nullopt;
    }
    Failure failure = Found(launch, Call{"", Site{nullptr, 0}}, kUnwritten, true,
                            detail + " have not been written by any core" + others);
    if (verdict == Verdict::kWarn) {
        findings.Warn(failure);
        return std::nullopt;
    }
    return failure;
}

}  // namespace sim
