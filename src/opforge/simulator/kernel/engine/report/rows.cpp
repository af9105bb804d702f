#include "rows.h"

#include <algorithm>

#include "vector/lanewise.h"

namespace sim {
namespace {

constexpr uint32_t kBank = 32;          // bytes of a bank's row
constexpr uint32_t kGroups = 16;        // bank groups, which follow each other in the unified buffer
constexpr uint32_t kBankBytes = 65536;  // after which the next bank of each group follows

// Bank groups between the first of one operand and the first of another.
uint32_t Distance(uint32_t from, uint32_t to) { return (to / kBank - from / kBank) % kGroups; }

}  // namespace

Work WithRows(const Core& core, Work work, const GmSpan& span) {
    if (!core.Timed()) {
        return work;
    }
    const bool whole = span.rows <= 1 || span.pitch == span.bytes;  // one row after all
    const uint64_t rows = whole ? 1 : span.rows;
    const uint64_t bytes = whole ? span.bytes * std::max<uint64_t>(span.rows, 1) : span.bytes;
    const uint64_t sector = static_cast<uint64_t>(core.Shared().times->sector);
    const auto extra = [&](uint64_t addr) {
        const uint64_t touched = (addr + bytes - 1) / sector - addr / sector + 1;
        return (touched - (bytes + sector - 1) / sector) * std::min(sector, bytes);
    };
    work.rows += rows;
    work.isAgain = work.written == 0 && core.memory.gm.touched.HasRead(span.addr);
    if (bytes == 0) {
        return work;
    }
    if (span.pitch % sector == 0) {
        work.crossed += rows * extra(span.addr);
        return work;
    }
    for (uint64_t row = 0; row < rows; ++row) {
        work.crossed += extra(span.addr + row * span.pitch);
    }
    return work;
}

// Source: asc-devkit, examples/01_simd_cpp_api/05_best_practices/04_memory_access/bank_conflict_ub.
Work WithConflicts(const Core& core, Work work, const Lanewise& in) {
    if (!core.Timed()) {
        return work;
    }
    const auto groups = [](const LaneOperand& operand, uint32_t widest) { return 8 * operand.bits / widest; };
    const uint32_t widest = std::max(in.dst.bits, in.sources[0].bits);
    const auto meet = [&](const LaneOperand& a, const LaneOperand& b) {
        const uint32_t distance = Distance(a.place.addr, b.place.addr);
        return distance < groups(a, widest) || kGroups - distance < groups(b, widest);
    };
    if (in.sourceCount > 1 && in.sources[0].place.addr != in.sources[1].place.addr &&
        meet(in.sources[0], in.sources[1])) {
        work.readConflict = 1;
    }
    for (int s = 0; s < in.sourceCount; ++s) {
        const LaneOperand& source = in.sources[s];
        const bool bank = source.place.addr / kBankBytes == in.dst.place.addr / kBankBytes;
        if (bank && Distance(source.place.addr, in.dst.place.addr) != 0 && meet(source, in.dst)) {
            work.writeConflict = 1;
        }
    }
    return work;
}

}  // namespace sim
