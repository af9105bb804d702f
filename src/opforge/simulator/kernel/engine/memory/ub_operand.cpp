#include "ub_operand.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <string>

#include "core.h"

namespace sim {
namespace {

constexpr Rule kAligned = {"ub-alignment", "tensors in the unified buffer start at a multiple of 32 bytes",
                           "通用说明和约束, 通用地址对齐约束"};
constexpr Rule kAlignedLess = {"reduction-alignment",
                               "the result of a reduction starts at a multiple of what it writes",
                               "基础API/Memory矢量计算/归约计算/ReduceRepeat"};

constexpr Rule kOnVectorCore = {"vector-core-only",
                                "vector functions and tensors of the unified buffer are for AIVs: ASCEND_IS_AIV",
                                "guide/编程指南/高级编程/硬件实现/基本架构"};

constexpr DeviceRule kLeftOut = {
    {"vector-on-cube-core", kOnVectorCore.text, kOnVectorCore.page},
    "CANN's headers leave vector functions out on cube cores: nothing happens there",
    "asc-devkit 82b89a1, impl/basic_api/dav_c220/kernel_operator_vec_duplicate_impl.h:50; vllm-ascend 182b75ea, "
    "csrc/moe/hc_pre/op_kernel/hc_pre_base.h:66"};
constexpr const char* kNoVector = "called on an AIC, which has no vector unit and no unified buffer";

}  // namespace

bool IsLeftOut(const Core& core, const Call& call) {
    if (core.HasVector()) {
        return false;
    }
    LetPass(call, kLeftOut, "%s", kNoVector);
    return true;
}

void CheckVectorCore(Core& core, const Ub& place, const Call& call) {
    if (!core.HasVector()) {
        Fail(call, kOnVectorCore, "%s", kNoVector);
    }
    if (place.memory != Memory::kUb) {
        Fail(call, kOnVectorCore, "the tensor does not lie in the unified buffer");
    }
}

DeviceRule OperandRule(const char* page) {
    return {{"operand-length", "an operand lies inside its tensor", page},
            "the vector unit and the transfers take addresses: what lies behind the tensor in the same memory is read "
            "and written",
            "asc-devkit 82b89a1, impl/basic_api/kernel_tensor_impl.h:255 (lengths are asserted in debug builds alone); "
            "CANN 8.1, op_impl/ai_core/tbe/impl/ascendc/moe_gating_top_k/moe_gating_top_k_e_k_fullload.h"};
}

void CheckOperand(Core& core, const Operand& operand, const Call& call, const char* page) {
    const Ub& place = operand.place;
    CheckVectorCore(core, place, call);
    const uint64_t end = std::min<uint64_t>(place.end, core.UbBytes());
    const uint64_t needed = place.addr + operand.bytes;
    if (operand.bytes != 0 && needed > end) {
        const std::string whole = std::strncmp(page, "高阶API/", 10) == 0 ? page : kVectorPages + std::string(page);
        const DeviceRule rule = OperandRule(whole.c_str());
        constexpr const char* kSays =
            "%s needs %" PRIu64 " bytes from UB address %u, but its tensor ends at %" PRIu64 " (%" PRIu64 " too many)";
        if (needed > core.UbBytes() ||
            (end == 0 && place.buffer < 0)) {  // without InitBuffer a buffer has no place: its address means nothing
            Fail(call, rule.rule, kSays, operand.role, operand.bytes, place.addr, end, needed - end);
        }
        LetPass(call, rule, kSays, operand.role, operand.bytes, place.addr, end, needed - end);
    }
    if (core.Checks()) {
        core.memory.shadow.Touch(core.Shared().origins, place, operand.bytes, operand.write, call);
    }
    if (!core.Limits()) {
        return;
    }
    if (place.addr % operand.alignment != 0) {
        Fail(call, operand.alignment == 32 ? kAligned : kAlignedLess,
             "%s starts at UB address %u, %u bytes behind a multiple of %u", operand.role, place.addr,
             place.addr % operand.alignment, operand.alignment);
    }
    core.memory.buffers.Queues().CheckAlive(place, operand.role, operand.write, call);
}

}  // namespace sim
