// Tiling data, tiling keys and the kernel type, as a kernel states them.
// Documentation: SIMD-API/基础API/Kernel-Tiling
#ifndef ASCENDC_KERNEL_TILING_H
#define ASCENDC_KERNEL_TILING_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

// How a kernel's blocks are mapped to cores; only AIV-only kernels are simulated.
enum KernelMetaType {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE,
    KERNEL_TYPE_MAX,
};

#define KERNEL_TASK_TYPE_DEFAULT(type)                                                 \
    static_assert((type) == KERNEL_TYPE_AIV_ONLY || (type) == KERNEL_TYPE_MIX_AIV_1_0, \
                  "KERNEL_TASK_TYPE_DEFAULT: only KERNEL_TYPE_AIV_ONLY kernels are simulated yet")
#define KERNEL_TASK_TYPE(key, type)                                                    \
    static_assert((type) == KERNEL_TYPE_AIV_ONLY || (type) == KERNEL_TYPE_MIX_AIV_1_0, \
                  "KERNEL_TASK_TYPE: only KERNEL_TYPE_AIV_ONLY kernels are simulated yet")

#define TILING_KEY_VAR (sim::TilingKey())
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))

// Names the plain struct of the kernel's tiling data for GET_TILING_DATA.
#define REGISTER_TILING_DEFAULT(Struct) using TilingStruct_of_REGISTER_TILING_DEFAULT = Struct

namespace sim {

template <typename Struct>
const Struct& TilingOf(const void* tiling, Site site = Site::Here()) {
    static_assert(std::is_trivially_copyable<Struct>::value, "tiling data is a plain struct");
    return *static_cast<const Struct*>(TilingData(tiling, sizeof(Struct), site));
}

}  // namespace sim

// A constant copy: on the device the data may be a constant of the compiler, so a kernel must not write to it.
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, tiling) const Struct name = sim::TilingOf<Struct>(tiling)
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(TilingStruct_of_REGISTER_TILING_DEFAULT, name, tiling)
#define GET_TILING_DATA_MEMBER(Struct, member, name, tiling) \
    const decltype(Struct::member) name = sim::TilingOf<Struct>(tiling).member

namespace AscendC {

// The user's part of the workspace, behind the 16 MiB that Atlas A2 and A3 reserve: the tiling function must ask for
// GetLibApiWorkSpaceSize() plus its own. Documentation: SIMD-API/基础API/workspace/GetUserWorkspace
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace + 16 * 1024 * 1024; }

}  // namespace AscendC

#endif
