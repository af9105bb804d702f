// Ops::Base: what the platform has, from a TilingContext or TilingParseContext; 0 where it is not known.
#ifndef OPFORGE_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_UTIL_PLATFORM_UTIL_H

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "op_common/log/log.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {

template <typename T>
uint32_t GetAivCoreNum(const T* context) {
    fe::PlatFormInfos* platform = context == nullptr ? nullptr : context->GetPlatformInfo();
    return platform == nullptr ? 0 : platform_ascendc::PlatformAscendC(platform).GetCoreNumAiv();
}

template <typename T>
uint32_t GetAicCoreNum(const T* context) {
    fe::PlatFormInfos* platform = context == nullptr ? nullptr : context->GetPlatformInfo();
    return platform == nullptr ? 0 : platform_ascendc::PlatformAscendC(platform).GetCoreNumAic();
}

template <typename T>
uint32_t GetUbSize(const T* context) {
    fe::PlatFormInfos* platform = context == nullptr ? nullptr : context->GetPlatformInfo();
    uint64_t bytes = 0;
    if (platform != nullptr) {
        platform_ascendc::PlatformAscendC(platform).GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    }
    return static_cast<uint32_t>(bytes);
}

template <typename T>
uint32_t GetWorkspaceSize(const T* context) {
    fe::PlatFormInfos* platform = context == nullptr ? nullptr : context->GetPlatformInfo();
    return platform == nullptr ? 0 : platform_ascendc::PlatformAscendC(platform).GetLibApiWorkSpaceSize();
}

// Bytes; the same on every SoC.
template <typename T>
uint32_t GetUbBlockSize(const T*) {
    return 32;
}
template <typename T>
uint32_t GetVRegSize(const T*) {
    return 256;
}
template <typename T>
uint32_t GetCacheLineSize(const T*) {
    return 256;
}

}  // namespace Base
}  // namespace Ops
#endif
