// PlatformAscendC's answers, from the SoC's platform table.
#include "tiling/platform/platform_ascendc.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "platform/platform_info.h"
#include "sim_launch.h"

namespace platform_ascendc {

namespace {

constexpr uint64_t kSystemLocalBytes = 256;            // of UB and L1 on 910B, for the kernel framework
constexpr uint32_t kWorkspaceBytes = 2 * 1024 * 1024;  // "GetLibApiWorkSpaceSize"; 16 MiB on 910B and 950
constexpr uint32_t kLargeWorkspaceBytes = 16 * 1024 * 1024;
constexpr uint32_t kGroupWorkspaceBytes = 1024 * 1024;
constexpr uint32_t kUnsupported = 0xFFFFFFFF;

uint32_t Number(const fe::PlatFormInfos* infos, const char* section, const char* key) {
    const char* text = infos->Find(section, key);
    return text == nullptr ? 0 : static_cast<uint32_t>(strtoul(text, nullptr, 10));
}

// On SoCs whose cube and vector units are separate cores, each kind is counted by itself.
bool HasSplitCores(const fe::PlatFormInfos* infos, NpuArch arch) {
    if (const char* cores = infos->Find("SoCInfo", "core_type_list")) {
        return strcmp(cores, "CubeCore,VectorCore") == 0;
    }
    return arch == NpuArch::DAV_2201 || arch == NpuArch::DAV_3510;
}

// The device library, which knows the simulated chip; null where there is none. Opened at run time: op_build uses this
// library without any. By its name first, as the process may have one already; else the one beside this library.
void* DeviceLibrary() {
    const char* name = "libascendcl.so";
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
        return library;
    }
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&sim_platform_infos), &info) == 0) {
        return nullptr;
    }
    std::string path = info.dli_fname;
    path.resize(path.rfind('/') + 1);  // of no slash: 0
    return dlopen((path + name).c_str(), RTLD_LAZY | RTLD_LOCAL);
}

}  // namespace

uint32_t PlatformAscendC::GetCoreNum() const { return platform_info_->GetCoreNum(); }

uint32_t PlatformAscendC::GetCoreNumAic() const {
    const bool split = HasSplitCores(platform_info_, GetCurNpuArch());
    return Number(platform_info_, "SoCInfo", split ? "cube_core_cnt" : "ai_core_cnt");
}

uint32_t PlatformAscendC::GetCoreNumAiv() const {
    const bool split = HasSplitCores(platform_info_, GetCurNpuArch());
    return Number(platform_info_, "SoCInfo", split ? "vector_core_cnt" : "ai_core_cnt");
}

uint32_t PlatformAscendC::GetCoreNumVector() const {
    return GetSocVersion() == SocVersion::ASCEND310P ? Number(platform_info_, "SoCInfo", "vector_core_cnt") : 0;
}

uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t slices, uint32_t aicCores, uint32_t aivCores) const {
    if (aicCores == 0 || aivCores == 0 || aicCores > aivCores) {
        return slices;
    }
    const uint32_t ratio = aivCores / aicCores;
    const uint32_t blocks = (slices + ratio - 1) / ratio;
    return ratio == 2 && blocks > aicCores ? 0 : blocks;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const {
    switch (GetCurNpuArch()) {
        case NpuArch::DAV_RESV:
            return kUnsupported;
        case NpuArch::DAV_2201:
        case NpuArch::DAV_3510:
            return kLargeWorkspaceBytes;
        default:
            return kWorkspaceBytes;
    }
}

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const {
    return GetSocVersion() == SocVersion::ASCEND910B ? kGroupWorkspaceBytes : kUnsupported;
}

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const {
    return GetSocVersion() == SocVersion::ASCEND910B ? kGroupWorkspaceBytes : kUnsupported;
}

void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& size) const {
    if (type == CoreMemType::FB || type == CoreMemType::BT) {
        size = Number(platform_info_, "AICoreSpec", type == CoreMemType::FB ? "fb0_size" : "bt_size");
        return;
    }
    platform_info_->GetLocalMemSize(static_cast<fe::LocalMemType>(type), size);
    if ((type == CoreMemType::UB || type == CoreMemType::L1) && GetSocVersion() == SocVersion::ASCEND910B) {
        size -= size < kSystemLocalBytes ? size : kSystemLocalBytes;
    }
    if (type == CoreMemType::UB) {
        size -= size < reserved_ ? size : reserved_;
    }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bandwidth) const {
    platform_info_->GetLocalMemBw(static_cast<fe::LocalMemType>(type), bandwidth);
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size) {
    switch (size) {
        case ReservedSize::RESERVED_SIZE_8K:
            reserved_ = 8 * 1024;
            break;
        case ReservedSize::RESERVED_SIZE_16K:
            reserved_ = 16 * 1024;
            break;
        case ReservedSize::RESERVED_SIZE_32K:
            reserved_ = 32 * 1024;
            break;
    }
}

SocVersion PlatformAscendC::GetSocVersion() const {
    static const std::map<std::string, SocVersion> versions = {
        {"Ascend910", SocVersion::ASCEND910},     {"Ascend910B", SocVersion::ASCEND910B},
        {"Ascend910_93", SocVersion::ASCEND910B}, {"Ascend310P", SocVersion::ASCEND310P},
        {"Ascend310B", SocVersion::ASCEND310B},   {"Ascend950", SocVersion::ASCEND950},
    };
    const char* text = platform_info_->Find("version", "Short_SoC_version");
    const auto found = versions.find(text == nullptr ? "" : text);
    return found == versions.end() ? SocVersion::RESERVED_VERSION : found->second;
}

NpuArch PlatformAscendC::GetCurNpuArch() const {
    if (const uint32_t arch = Number(platform_info_, "version", "NpuArch")) {
        return static_cast<NpuArch>(arch);
    }
    // Tables of CANN 8.1 have no NpuArch.
    switch (GetSocVersion()) {
        case SocVersion::ASCEND910:
            return NpuArch::DAV_1001;
        case SocVersion::ASCEND910B:
            return NpuArch::DAV_2201;
        case SocVersion::ASCEND310P:
            return NpuArch::DAV_2002;
        case SocVersion::ASCEND310B:
            return NpuArch::DAV_3002;
        case SocVersion::ASCEND950:
            return NpuArch::DAV_3510;
        default:
            return NpuArch::DAV_RESV;
    }
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* socVersion) {
    static std::mutex mutex;
    static std::unique_ptr<PlatformAscendC> instance;
    std::lock_guard<std::mutex> lock(mutex);
    if (!instance) {
        const bool named = socVersion != nullptr && socVersion[0] != '\0';
        if (fe::PlatFormInfos* infos = named ? sim_platform_infos(socVersion) : sim_current_platform_infos()) {
            instance.reset(new PlatformAscendC(infos));
        }
    }
    return instance.get();
}

}  // namespace platform_ascendc

fe::PlatFormInfos* sim_current_platform_infos() {
    void* device = platform_ascendc::DeviceLibrary();
    void* function = device == nullptr ? nullptr : dlsym(device, "sim_current_soc");
    return function == nullptr ? nullptr : sim_platform_infos(reinterpret_cast<const sim_soc* (*)()>(function)()->name);
}
