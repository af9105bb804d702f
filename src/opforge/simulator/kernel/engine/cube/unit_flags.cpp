#include "unit_flags.h"

#include <cinttypes>

namespace sim {
namespace {

constexpr Rule kHandedOver = {
    "unit-flags",
    "with unitFlag Mmad waits until Fixpipe has taken a block of L0C (unitFlag 3), and Fixpipe "
    "until an Mmad has left one (unitFlag 3)",
    "基础API/矩阵计算（ISASI）/Mmad计算关键特性说明/UnitFlag"};
constexpr uint32_t kUnit = 512;
constexpr uint64_t kFractal = 1024;

}  // namespace

UnitFlags::UnitFlags(Core& core, const Ub& place, const Call& call)
    : flags_(core.registers.cube.unitFlags), place_(place), call_(call) {
    flags_.resize(core.Request().soc->l0c_bytes / kUnit);
}

void UnitFlags::BeforeMmad(uint64_t bytes, bool set) {
    const uint64_t begin = place_.addr;
    for (uint64_t unit = begin / kUnit; unit * kUnit < begin + bytes; ++unit) {
        if (flags_[unit]) {
            FailDeadlock(call_, kHandedOver, "the block at L0C address %" PRIu64 " is full, and no Fixpipe takes it",
                         unit * kUnit);
        }
        flags_[unit] = set;
    }
}

void UnitFlags::BeforeFixpipe(uint64_t offset, uint64_t bytes) const {
    const uint64_t begin = (place_.addr + offset) / kFractal * kFractal;
    for (uint64_t unit = begin / kUnit; unit * kUnit < begin + bytes; ++unit) {
        if (!flags_[unit]) {
            FailDeadlock(call_, kHandedOver, "the block at L0C address %" PRIu64 " is empty: no Mmad has left it",
                         unit * kUnit);
        }
    }
}

void UnitFlags::AfterFixpipe(uint64_t offset, uint64_t bytes) {
    const uint64_t begin = (place_.addr + offset) / kFractal * kFractal;
    for (uint64_t unit = begin / kUnit; unit * kUnit < begin + bytes; ++unit) {
        flags_[unit] = false;
    }
}

}  // namespace sim
