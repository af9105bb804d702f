// The flags by which Mmad and Fixpipe hand over L0C block by block, 512 bytes each, instead of by events.
// Documentation: 基础API/矩阵计算（ISASI）/Mmad计算关键特性说明/UnitFlag
#ifndef OPFORGE_SIM_KERNEL_CUBE_UNIT_FLAGS_H
#define OPFORGE_SIM_KERNEL_CUBE_UNIT_FLAGS_H

#include "core.h"

namespace sim {

// Whole fractals change hands: what an Mmad of 16 rows has left, a Fixpipe of two takes (ops-transformer c29bc106,
// attention/mla_prolog/op_kernel/service_matmul.h).
class UnitFlags {
public:
    UnitFlags(Core& core, const Ub& place, const Call& call);

    // Mmad writes where the flags are 0, and sets them with unitFlag 3.
    void BeforeMmad(uint64_t bytes, bool set);
    // Fixpipe reads where they are 1, and clears them with unitFlag 3.
    void BeforeFixpipe(uint64_t offset, uint64_t bytes) const;
    void AfterFixpipe(uint64_t offset, uint64_t bytes);

private:
    std::vector<bool>& flags_;
    const Ub& place_;
    Call call_;
};

}  // namespace sim

#endif
