// The platform as functions without a context ask for it, and the name under which older op_host sources include its
// table.
#ifndef OPFORGE_PLATFORM_PLATFORM_INFO_H
#define OPFORGE_PLATFORM_PLATFORM_INFO_H

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"

extern "C" {
// The table of the simulated chip; null where the process has none.
__attribute__((visibility("default"))) fe::PlatFormInfos* sim_current_platform_infos();
}

namespace fe {

struct StrInfo {
    std::string short_soc_version;  // "Ascend910B"
};

struct PlatformInfo {
    StrInfo str_info;
};

struct OptionalInfo {
    std::string soc_version;  // "Ascend910B1"
};

// Hidden: op_host may be of another std::string than other libraries of the process.
class __attribute__((visibility("hidden"))) PlatformInfoManager {
public:
    static PlatformInfoManager& Instance() {
        static PlatformInfoManager manager;
        return manager;
    }
    // 0, or another number where no chip is known.
    uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform, OptionalInfo& optional) {
        PlatFormInfos* infos = sim_current_platform_infos();
        return infos != nullptr && infos->GetPlatformRes("version", "SoC_version", optional.soc_version) &&
                       infos->GetPlatformRes("version", "Short_SoC_version", platform.str_info.short_soc_version)
                   ? 0
                   : UINT32_MAX;
    }
};

}  // namespace fe
#endif
