// What the device says about itself: cores, limits, versions, modes.
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include "error_message.h"
#include "exports.h"
#include "settings.h"

namespace {

// The CANN version whose interfaces the simulator follows. torch_npu branches on it.
constexpr const char* kCannVersion = "8.5.0";

aclError CoreCount(const char* function, aclrtDevResLimitType type, uint32_t* value) {
    switch (type) {
        case ACL_RT_DEV_RES_CUBE_CORE:
            *value = sim_current_soc()->cube_cores;
            return ACL_SUCCESS;
        case ACL_RT_DEV_RES_VECTOR_CORE:
            *value = sim_current_soc()->vector_cores;
            return ACL_SUCCESS;
    }
    return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: unknown resource %d", function, static_cast<int>(type));
}

// A limit equal to what the device has changes nothing; a smaller one is not simulated.
aclError SetCoreCount(const char* function, aclrtDevResLimitType type, uint32_t value) {
    uint32_t all = 0;
    if (const aclError wrong = CoreCount(function, type, &all); wrong != ACL_SUCCESS) {
        return wrong;
    }
    if (value != all) {
        return sim::Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: core limits are not simulated (%u asked, %u there)",
                         function, value, all);
    }
    return ACL_SUCCESS;
}

std::atomic<int> overflowMode{ACL_RT_OVERFLOW_MODE_INFNAN};

struct SystemOptions {
    std::mutex mutex;
    int64_t value[3] = {0, 0, 0};
};
SystemOptions processOptions;
SystemOptions contextOptions;

aclError GetOption(SystemOptions& options, aclSysParamOpt option, int64_t* value) {
    if (option < 0 || option > ACL_OPT_STRONG_CONSISTENCY) {
        return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "unknown system option %d", static_cast<int>(option));
    }
    std::lock_guard<std::mutex> lock(options.mutex);
    *value = options.value[option];
    return ACL_SUCCESS;
}

aclError SetOption(SystemOptions& options, aclSysParamOpt option, int64_t value) {
    if (option < 0 || option > ACL_OPT_STRONG_CONSISTENCY) {
        return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "unknown system option %d", static_cast<int>(option));
    }
    std::lock_guard<std::mutex> lock(options.mutex);
    options.value[option] = value;
    return ACL_SUCCESS;
}

}  // namespace

SIM_EXPORT aclError aclGetDeviceCapability(uint32_t, aclDeviceInfo info, int64_t* value) {
    switch (info) {
        case ACL_DEVICE_INFO_AI_CORE_NUM:
            *value = sim_current_soc()->cube_cores;
            return ACL_SUCCESS;
        case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
            *value = sim_current_soc()->vector_cores;
            return ACL_SUCCESS;
        default:
            break;
    }
    return sim::Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclGetDeviceCapability: %d is not simulated",
                     static_cast<int>(info));
}

SIM_EXPORT aclError aclrtGetDeviceInfo(uint32_t, aclrtDevAttr attribute, int64_t* value) {
    switch (attribute) {
        case ACL_DEV_ATTR_AICPU_CORE_NUM:
            *value = 0;
            return ACL_SUCCESS;
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
        case ACL_DEV_ATTR_CUBE_CORE_NUM:
            *value = sim_current_soc()->cube_cores;
            return ACL_SUCCESS;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM:
            *value = sim_current_soc()->vector_cores;
            return ACL_SUCCESS;
        case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
            *value = static_cast<int64_t>(sim_current_soc()->ub_bytes);
            return ACL_SUCCESS;
        case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
            *value = static_cast<int64_t>(sim::CurrentSettings().memoryBytes);
            return ACL_SUCCESS;
    }
    return sim::Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtGetDeviceInfo: attribute %d is not simulated",
                     static_cast<int>(attribute));
}

SIM_EXPORT aclError aclrtGetDeviceResLimit(int32_t, aclrtDevResLimitType type, uint32_t* value) {
    return CoreCount("aclrtGetDeviceResLimit", type, value);
}

SIM_EXPORT aclError aclrtSetDeviceResLimit(int32_t, aclrtDevResLimitType type, uint32_t value) {
    return SetCoreCount("aclrtSetDeviceResLimit", type, value);
}

SIM_EXPORT aclError aclrtResetDeviceResLimit(int32_t) { return ACL_SUCCESS; }

SIM_EXPORT aclError aclrtGetStreamResLimit(aclrtStream, aclrtDevResLimitType type, uint32_t* value) {
    return CoreCount("aclrtGetStreamResLimit", type, value);
}

SIM_EXPORT aclError aclrtSetStreamResLimit(aclrtStream, aclrtDevResLimitType type, uint32_t value) {
    return SetCoreCount("aclrtSetStreamResLimit", type, value);
}

SIM_EXPORT aclError aclrtResetStreamResLimit(aclrtStream) { return ACL_SUCCESS; }

SIM_EXPORT aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
    return CoreCount("aclrtGetResInCurrentThread", type, value);
}

SIM_EXPORT aclError aclrtUseStreamResInCurrentThread(aclrtStream) { return ACL_SUCCESS; }
SIM_EXPORT aclError aclrtUnuseStreamResInCurrentThread(aclrtStream) { return ACL_SUCCESS; }

// The simulated vector unit keeps infinities and NaNs (the 910B's default mode) and knows bfloat16.
SIM_EXPORT aclError aclGetCannAttribute(aclCannAttr attribute, int32_t* value) {
    *value = attribute == ACL_CANN_ATTR_INF_NAN || attribute == ACL_CANN_ATTR_BF16 ? 1 : 0;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclGetCannAttributeList(const aclCannAttr** attributes, size_t* count) {
    static const aclCannAttr list[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
    *attributes = list;
    *count = 2;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
    *mode = static_cast<aclrtFloatOverflowMode>(overflowMode.load());
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
    if (mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
        return sim::Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtSetDeviceSatMode: only the INF/NAN mode is simulated");
    }
    overflowMode = mode;
    return ACL_SUCCESS;
}

// Nothing here can be idle or busy by itself: the device works in the caller's time.
SIM_EXPORT aclError aclrtGetDeviceUtilizationRate(int32_t, aclrtUtilizationInfo* info) {
    info->cubeUtilization = info->vectorUtilization = info->aicpuUtilization = info->memoryUtilization = 0;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtSetOpExecuteTimeOut(uint32_t) { return ACL_SUCCESS; }
SIM_EXPORT aclError aclrtSetOpWaitTimeout(uint32_t) { return ACL_SUCCESS; }

SIM_EXPORT aclError aclrtSetOpExecuteTimeOutV2(uint64_t microseconds, uint64_t* actual) {
    if (actual != nullptr) {
        *actual = microseconds;
    }
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetRunMode(aclrtRunMode* mode) {
    *mode = ACL_HOST;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
    return GetOption(processOptions, option, value);
}
SIM_EXPORT aclError aclrtSetSysParamOpt(aclSysParamOpt option, int64_t value) {
    return SetOption(processOptions, option, value);
}
SIM_EXPORT aclError aclrtCtxGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
    return GetOption(contextOptions, option, value);
}
SIM_EXPORT aclError aclrtCtxSetSysParamOpt(aclSysParamOpt option, int64_t value) {
    return SetOption(contextOptions, option, value);
}

// torch_npu hands the collective library its settings before anyone communicates; there is nothing to set.
SIM_EXPORT int HcclSetConfig(int, int64_t) { return 0; }

SIM_EXPORT aclError aclsysGetVersionStr(char*, char* version) {
    std::strcpy(version, kCannVersion);
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion* version) {
    std::memset(version, 0, sizeof *version);
    const std::string text = kCannVersion;
    const size_t first = text.find('.');
    const size_t second = text.find('.', first + 1);
    std::strcpy(version->version, kCannVersion);
    text.copy(version->majorVersion, first);
    text.copy(version->minorVersion, second - first - 1, first + 1);
    text.copy(version->releaseVersion, std::string::npos, second + 1);
    return ACL_SUCCESS;
}
