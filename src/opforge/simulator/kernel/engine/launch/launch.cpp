#include "launch.h"

namespace sim {
namespace {

std::string CoreName(const Launch& launch, uint32_t core, const std::string& of) {
    const uint32_t cores = launch.type->Cores();
    std::string name = "block " + std::to_string(core / cores) + of;
    if (launch.type->cubes != 0) {
        const uint32_t place = core % cores;
        name += place == 0 ? ", AIC" : ", AIV " + std::to_string(place - 1);
    }
    return name;
}

}  // namespace

const KernelType* KernelTypeOf(uint32_t value) {
    static constexpr KernelType kTypes[] = {
        {SIM_KERNEL_AIV_ONLY, "KERNEL_TYPE_AIV_ONLY", 0, 1, false, false},
        {SIM_KERNEL_AIC_ONLY, "KERNEL_TYPE_AIC_ONLY", 1, 0, false, false},
        {SIM_KERNEL_MIX_AIC_1_1, "KERNEL_TYPE_MIX_AIC_1_1", 1, 1, true, false},
        {SIM_KERNEL_MIX_AIC_1_2, "KERNEL_TYPE_MIX_AIC_1_2", 1, 2, true, false},
        {SIM_KERNEL_MIX_AIV_1_0, "KERNEL_TYPE_MIX_AIV_1_0", 0, 1, true, false},
        {SIM_KERNEL_MIX_AIC_1_0, "KERNEL_TYPE_MIX_AIC_1_0", 1, 0, true, false},
        {SIM_KERNEL_AICORE, "KERNEL_TYPE_AICORE", 0, 0, false, true},
        {SIM_KERNEL_MIX_VECTOR_CORE, "KERNEL_TYPE_MIX_VECTOR_CORE", 0, 0, false, true},
    };
    for (const KernelType& type : kTypes) {
        if (static_cast<uint32_t>(type.value) == value) {
            return &type;
        }
    }
    return nullptr;
}

std::string Launch::NameOf(uint32_t core) const {
    return CoreName(*this, core, " of " + std::to_string(request->block_dim));
}

std::string Launch::ShortNameOf(uint32_t core) const { return CoreName(*this, core, ""); }

}  // namespace sim
