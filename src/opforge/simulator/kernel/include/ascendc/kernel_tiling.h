// Tiling data, tiling keys and the kernel type, as a kernel states them.
// Documentation: SIMD-API/基础API/Kernel-Tiling
#ifndef ASCENDC_KERNEL_TILING_H
#define ASCENDC_KERNEL_TILING_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

// Of which cores a block is made. Documentation: SIMD-API/基础API/Kernel-Tiling/设置Kernel类型
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

namespace sim {

// asc_opc reads the arguments where the preprocessor has put them, and exports them from the kernel object.
constexpr bool KernelTaskTypeDefault(KernelMetaType type) { return type <= KERNEL_TYPE_MIX_AIC_1_2; }
constexpr bool KernelTaskType(uint64_t, KernelMetaType type) { return type <= KERNEL_TYPE_MIX_AIC_1_2; }

}  // namespace sim

// asc_opc has refused other types by their names before.
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(sim::KernelTaskTypeDefault(type))
#define KERNEL_TASK_TYPE(key, type) static_assert(sim::KernelTaskType(key, type))

#define TILING_KEY_VAR (sim::TilingKey())
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))

// Names the plain struct of the kernel's tiling data for GET_TILING_DATA.
#define REGISTER_TILING_DEFAULT(Struct) using TilingStruct_of_REGISTER_TILING_DEFAULT = Struct

namespace sim {

template <typename Struct>
const Struct& TilingOf(const void* tiling, Site site = Site::Here()) {
    static_assert(std::is_trivially_copyable<Struct>::value,
                  "GET_TILING_DATA: the tiling struct is not plain: members only, no constructors, pointers or virtual "
                  "functions");
    return *static_cast<const Struct*>(TilingData(tiling, sizeof(Struct), site));
}

}  // namespace sim

// A constant copy: on the device the data may be a constant of the compiler, so a kernel must not write to it.
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, tiling) const Struct name = sim::TilingOf<Struct>(tiling)
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(TilingStruct_of_REGISTER_TILING_DEFAULT, name, tiling)
#define GET_TILING_DATA_MEMBER(Struct, member, name, tiling) \
    const decltype(Struct::member) name = sim::TilingOf<Struct>(tiling).member

// The system's part of the workspace, which the Matmul object and others use; kernels built as custom operators have
// it set by the framework. It stands in no namespace. Documentation: SIMD-API/基础API/资源管理/workspace
inline GM_ADDR GetSysWorkSpacePtr(sim::Site site = sim::Site::Here()) {
    return reinterpret_cast<GM_ADDR>(sim::SystemWorkspace(site));
}

namespace AscendC {

inline void SetSysWorkspace(GM_ADDR workspace, sim::Site site = sim::Site::Here()) {
    sim::SetSystemWorkspace(reinterpret_cast<uint64_t>(workspace), site);
}
// The user's part, behind the 16 MiB that Atlas A2 and A3 reserve: the tiling function asks for
// GetLibApiWorkSpaceSize() plus its own.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace, sim::Site site = sim::Site::Here()) {
    return reinterpret_cast<GM_ADDR>(sim::UserWorkspace(reinterpret_cast<uint64_t>(workspace), site));
}

}  // namespace AscendC

#endif
