// A program that launches kernels itself and asks the platform without any context: argv[1] is a chip, or nothing.
#include <cstdio>

#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

int main(int argc, char** argv) {
    platform_ascendc::PlatformAscendC* platform = argc > 1
                                                      ? platform_ascendc::PlatformAscendCManager::GetInstance(argv[1])
                                                      : platform_ascendc::PlatformAscendCManager::GetInstance();
    if (platform == nullptr) {
        std::puts("none");
        return 0;
    }
    uint64_t sizes[9];
    for (int type = 0; type < 9; ++type) {
        platform->GetCoreMemSize(static_cast<platform_ascendc::CoreMemType>(type), sizes[type]);
    }
    std::printf("%u %u %u %u %d %u %u", platform->GetCoreNum(), platform->GetCoreNumAic(), platform->GetCoreNumAiv(),
                platform->GetCoreNumVector(), static_cast<int>(platform->GetSocVersion()),
                platform->GetLibApiWorkSpaceSize(), platform->GetResGroupBarrierWorkSpaceSize());
    for (const uint64_t size : sizes) {
        std::printf(" %llu", static_cast<unsigned long long>(size));
    }
    const uint32_t aic = platform->GetCoreNumAic(), aiv = platform->GetCoreNumAiv();
    std::printf(" %u %u %u", platform->CalcTschBlockDim(1, aic, aiv), platform->CalcTschBlockDim(aiv, aic, aiv),
                platform->CalcTschBlockDim(7, 0, aiv));
    // The first call decided: a name comes too late.
    const bool one = platform == platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B4");
    matmul_tiling::MultiCoreMatmulTiling tiling(*platform);
    tiling.SetDim(static_cast<int32_t>(aiv));
    fe::PlatformInfo info;
    fe::OptionalInfo optional;
    const uint32_t failed = fe::PlatformInfoManager::Instance().GetPlatformInfoWithOutSocVersion(info, optional);
    std::printf(" %d %u %s %s\n", one ? 1 : 0, failed, info.str_info.short_soc_version.c_str(),
                optional.soc_version.c_str());
    return 0;
}
