// platform_ascendc::PlatformAscendC: what a tiling function asks of the hardware.
// Pages: Utils-API, platform information: "PlatformAscendC", "PlatformAscendCManager".
#ifndef OPFORGE_TILING_PLATFORM_PLATFORM_ASCENDC_H
#define OPFORGE_TILING_PLATFORM_PLATFORM_ASCENDC_H

#include <cstdint>

#include "platform/soc_spec.h"

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

// Operators ask also for SoCs that are not simulated.
enum class SocVersion {
    ASCEND910 = 0,  // Ascend910A, Ascend910B
    ASCEND910B,     // Ascend910B1 and its kin, Ascend910_93
    ASCEND310P,
    ASCEND310B,
    ASCEND950,
    ASCEND910_55,
    ASCEND910_95 = ASCEND950,  // its name before, which the documentation calls deprecated
    ASCEND310 = 8,
    ASCEND610,
    ASCEND610Lite,
    ASCEND910_93,  // reserved: GetSocVersion says ASCEND910B there
    KIRINX90 = 19,
    KIRIN9030,
    RESERVED_VERSION = 99999
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class __attribute__((visibility("default"))) PlatformAscendC {
public:
    PlatformAscendC() = delete;
    explicit PlatformAscendC(fe::PlatFormInfos* platform_info) : platform_info_(platform_info), reserved_(0) {}

    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumAic() const;
    uint32_t GetCoreNumAiv() const;
    // The vector cores beside the AI Cores of 310P; 0 elsewhere.
    uint32_t GetCoreNumVector() const;
    // Blocks to launch when slices of work are spread over coupled cube and vector cores; 0 where they do not fit.
    uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const;
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
        return CalcTschNumBlocks(slices, aic_cores, aiv_cores);
    }
    uint32_t GetLibApiWorkSpaceSize() const;
    uint32_t GetResCubeGroupWorkSpaceSize() const;
    uint32_t GetResGroupBarrierWorkSpaceSize() const;
    // Bytes for the operator: on 910B, 256 bytes of UB and L1 belong to the system.
    void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const;
    void GetCoreMemBw(const CoreMemType& type, uint64_t& bandwidth) const;
    void ReserveLocalMemory(ReservedSize size);
    SocVersion GetSocVersion() const;
    NpuArch GetCurNpuArch() const;

private:
    fe::PlatFormInfos* platform_info_;
    uint32_t reserved_;
};

class __attribute__((visibility("default"))) PlatformAscendCManager {
public:
    // The current SoC's; null where the toolkit has no table for it.
    static PlatformAscendC* GetInstance() { return GetInstance(nullptr); }
    static PlatformAscendC* GetInstance(const char* soc_version);
};

}  // namespace platform_ascendc
#endif
