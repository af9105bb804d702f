// Tiling data, tiling keys and the kernel type, as a kernel states them.
// Documentation: SIMD-API/基础API/Kernel-Tiling
#ifndef ASCENDC_KERNEL_TILING_H
#define ASCENDC_KERNEL_TILING_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

// Of which cores a block is made. Documentation: SIMD-API/基础API/Kernel-Tiling/设置Kernel类型
enum KernelMetaType : uint8_t {
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
constexpr bool KernelTaskTypeDefault(KernelMetaType type) { return type < KERNEL_TYPE_MAX; }
template <typename... Keys>
constexpr bool IsOneOf(uint64_t key, const Keys&... keys) {
    return ((key == static_cast<uint64_t>(keys)) || ...);
}
constexpr bool KernelTaskType(uint64_t, KernelMetaType type) { return type < KERNEL_TYPE_MAX; }

}  // namespace sim

// asc_opc has refused other types by their names before.
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(sim::KernelTaskTypeDefault(type))
#define KERNEL_TASK_TYPE(key, type) static_assert(sim::KernelTaskType(key, type))

#define TILING_KEY_VAR (sim::TilingKey())
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))
#define TILING_KEY_LIST(...) (sim::IsOneOf(TILING_KEY_VAR, __VA_ARGS__))

// Names the plain struct of the kernel's tiling data for GET_TILING_DATA.
#define REGISTER_TILING_DEFAULT(Struct) using TilingStruct_of_REGISTER_TILING_DEFAULT = Struct
// Structs for GET_TILING_DATA_WITH_STRUCT: they need no registration here, only to be structs.
#define REGISTER_TILING_FOR_TILINGKEY(expression, Struct) \
    static_assert(sim::IsTilingExpression(expression) && sizeof(Struct) != 0, "REGISTER_TILING_FOR_TILINGKEY")
#define REGISTER_NONE_TILING static_assert(true, "REGISTER_NONE_TILING")

namespace sim {

// A condition on the key names it; TRUE, which CANN's own operators write, is that of every key.
constexpr bool IsTilingExpression(const char* text) {
    if (text[0] == 'T' && text[1] == 'R' && text[2] == 'U' && text[3] == 'E' && text[4] == '\0') {
        return true;
    }
    for (; *text != '\0'; ++text) {
        const char* name = "TILING_KEY_VAR";
        const char* at = text;
        for (; *name != '\0' && *at == *name; ++at) {
            ++name;
        }
        if (*name == '\0') {
            return true;
        }
    }
    return false;
}

template <typename Struct>
const Struct& TilingOf(const void* tiling, Site site = Site::Here()) {
    static_assert(std::is_trivially_copyable<Struct>::value,
                  "GET_TILING_DATA: the tiling struct is not plain: members only, no constructors, pointers or virtual "
                  "functions");
    return *static_cast<const Struct*>(TilingData(tiling, sizeof(Struct), site));
}

}  // namespace sim

// A copy of the kernel's own, as on the device: libraries' functions take parts of it by reference.
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, tiling) Struct name = sim::TilingOf<Struct>(tiling)
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(TilingStruct_of_REGISTER_TILING_DEFAULT, name, tiling)
#define GET_TILING_DATA_MEMBER(Struct, member, name, tiling) \
    decltype(Struct::member) name = sim::TilingOf<Struct>(tiling).member
// The data where they lie, in global memory, and copies of their parts on the stack.
#define __tiling_data_ptr__ const
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, tiling) const Struct* name = &sim::TilingOf<Struct>(tiling)
#define COPY_TILING_WITH_STRUCT(Struct, source, name) \
    const Struct name##_copy = (source);              \
    const Struct* name = &name##_copy
#define COPY_TILING_WITH_ARRAY(type, count, source, name)          \
    type name##_copy[count];                                       \
    __builtin_memcpy(name##_copy, &(source), sizeof(name##_copy)); \
    const type(*name)[count] = &name##_copy

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
// GetLibApiWorkSpaceSize() plus its own. Where it has not, whoever uses the part is refused: kernels ask for it also
// with tiling keys that do not.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
    return reinterpret_cast<GM_ADDR>(sim::UserWorkspace(reinterpret_cast<uint64_t>(workspace)));
}

}  // namespace AscendC

#endif
