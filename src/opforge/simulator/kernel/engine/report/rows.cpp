#include "rows.h"

#include <algorithm>

#include "vector/lanewise.h"

namespace sim {
namespace {

constexpr uint32_t kBank = 32;          // bytes of a bank's row
constexpr uint32_t kGroups = 16;        // bank groups, which follow each other in the unified buffer
constexpr uint32_t kBankBytes = 65536;  // after which the next bank of each group follows

// What an operand uses in a repeat: `width` bank groups from that of `addr` on. The next repeat begins `step` later.
struct Banks {
    uint32_t addr;
    uint32_t width;
    uint32_t step;

    uint32_t At(uint32_t repeat) const { return (addr / kBank + repeat * step) % kGroups; }
};

// Whether `a` in one repeat and `b` in another share a bank group.
bool Meet(const Banks& a, uint32_t repeatOfA, const Banks& b, uint32_t repeatOfB) {
    const uint32_t distance = (b.At(repeatOfB) - a.At(repeatOfA) + kGroups) % kGroups;
    return distance < a.width || kGroups - distance < b.width;
}

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

// Source: asc-devkit, examples/01_simd_cpp_api/05_best_practices/04_memory_access/bank_conflict_ub. Two reads conflict
// in one bank group, a read and a write in one bank. A write may wait for the next repeat if that avoids its conflicts.
// Casts to wider or narrower types are not in the source: their writes have no conflict here. A beat reads at most two
// operands (复合计算/概述): three take two beats, if all of them change.
Work WithConflicts(const Core& core, Work work, const Lanewise& in, const Strided& dst, const Strided (&sources)[2],
                   uint32_t lanes, uint64_t times) {
    if (!core.Timed() || times == 0) {
        return work;
    }
    const auto banks = [lanes](const Strided& each) {
        const uint32_t blocks = std::max(lanes * each.operand.bits / 8 / kBank, 1u);
        return Banks{each.operand.place.addr, each.block == 0 ? 1 : blocks, each.repeat};
    };
    const Banks written = banks(dst);
    Banks read[3];
    int readers = 0;
    const auto add = [&](const Banks& each) {
        const auto isSame = [&](const Banks& other) { return other.addr == each.addr && other.step == each.step; };
        if (std::none_of(read, read + readers, isSame)) {
            read[readers++] = each;
        }
    };
    for (int s = 0; s < in.sourceCount; ++s) {
        add(banks(sources[s]));
    }
    if (in.readsDst) {
        add(written);
    }
    const bool isCast = dst.operand.bits != sources[0].operand.bits;
    // Positions come again after 16 repeats. An operand that stays where it is is read in the first repeat only.
    const uint32_t first = times > kGroups ? 1 : 0;
    const uint32_t counted = static_cast<uint32_t>(std::min<uint64_t>(times, kGroups));
    uint32_t reads = 0;
    uint32_t writes[2] = {0, 0};  // in the same repeat, and in the next one
    for (uint32_t repeat = first; repeat < first + counted; ++repeat) {
        int together = 0;
        bool meet = false;
        bool isHeld[2] = {false, false};  // whether a write in the same repeat, or in the next one, meets a read
        for (int r = 0; r < readers; ++r) {
            if (repeat > 0 && read[r].step == 0) {
                continue;
            }
            ++together;
            for (int other = 0; other < r; ++other) {
                meet = meet || ((repeat == 0 || read[other].step != 0) && Meet(read[other], repeat, read[r], repeat));
            }
            for (uint32_t later = 0; later < 2 && !isCast && repeat >= later; ++later) {
                const bool isBank = read[r].addr / kBankBytes == written.addr / kBankBytes;
                isHeld[later] = isHeld[later] || (isBank && Meet(read[r], repeat, written, repeat - later));
            }
        }
        reads += meet || together > 2;
        writes[0] += isHeld[0];
        writes[1] += isHeld[1];
    }
    work.readConflict = static_cast<float>(reads) / static_cast<float>(counted);
    work.writeConflict = static_cast<float>(std::min(writes[0], writes[1])) / static_cast<float>(counted);
    return work;
}

}  // namespace sim
