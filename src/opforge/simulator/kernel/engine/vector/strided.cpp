#include "strided.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

bool AnyOf(const uint64_t (&mask)[2], uint32_t first, uint32_t lanes) {
    for (uint32_t lane = first; lane < first + lanes; ++lane) {
        if (Selects(mask, lane)) {
            return true;
        }
    }
    return false;
}

}  // namespace

uint64_t ExtentOf(const Strided& s, const MaskedLanes& mask, uint32_t lanes) {
    uint64_t most = 0;
    for (int part = 0; part < 2; ++part) {
        const uint64_t (&bits)[2] = part == 0 ? mask.last : mask.bits;
        if (part == 1 && mask.times < 2) {
            break;
        }
        const uint64_t start =
            static_cast<uint64_t>(mask.times - 1 - static_cast<uint32_t>(part)) * s.repeat * kBlockBytes;
        const uint32_t perBlock = kBlockBytes * 8 / s.operand.bits;
        for (uint32_t first = 0; first < lanes; first += perBlock) {
            for (uint32_t lane = std::min(first + perBlock, lanes); lane-- > first;) {
                if (Selects(bits, lane)) {
                    const uint64_t end = BytesFor(lane - first + 1, s.operand.bits);
                    most =
                        std::max(most, start + static_cast<uint64_t>(first / perBlock) * s.block * kBlockBytes + end);
                    break;
                }
            }
        }
    }
    return most;
}

void Gather(Core& core, const Strided& s, uint32_t repeat, const uint64_t (&mask)[2], uint32_t lanes, uint8_t* values,
            Origin* origins) {
    const uint32_t bits = s.operand.bits;
    const uint32_t perBlock = std::min(kBlockBytes * 8 / bits, lanes);
    for (uint32_t first = 0; first < lanes; first += perBlock) {
        if (!AnyOf(mask, first, perBlock)) {
            continue;
        }
        const uint32_t addr = AddrOf(s, repeat, first * bits / 8);
        std::memcpy(values + first * bits / 8, core.UbData(addr), perBlock * bits / 8);
        if (origins == nullptr || core.memory.shadow.AllDefined(addr, perBlock * bits / 8)) {
            continue;
        }
        const uint32_t width = std::max(bits / 8, 1u);
        for (uint32_t lane = 0; lane < perBlock; ++lane) {
            origins[first + lane] =
                Weaker(origins[first + lane], core.memory.shadow.Weakest(addr + lane * bits / 8, width));
        }
    }
}

void ReadRepeat(Core& core, const Strided& s, uint32_t repeat, const uint64_t (&mask)[2], uint32_t lanes,
                uint32_t number, const Call& call) {
    const uint32_t perBlock = std::min(kBlockBytes * 8 / s.operand.bits, lanes);
    const uint32_t bytes = perBlock * s.operand.bits / 8;
    for (uint32_t first = 0; first < lanes; first += perBlock) {
        if (AnyOf(mask, first, perBlock)) {
            const uint32_t addr = AddrOf(s, repeat, first * s.operand.bits / 8);
            core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, addr, addr + bytes, call);
        }
    }
}

}  // namespace sim
