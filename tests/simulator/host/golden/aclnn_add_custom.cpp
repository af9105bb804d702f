// Written by op_build from op_host; changes here are lost.
#include "aclnn_add_custom.h"
#include "aclnn/sim_aclnn.h"

namespace {

const sim_param kInputs[] = {
    {"x", "x", SIM_PARAM_REQUIRED, -1},
    {"y", "y", SIM_PARAM_REQUIRED, -1},
};
const sim_param kOutputs[] = {
    {"z", "out", SIM_PARAM_REQUIRED, -1},
};
const char* const kAttrNames[] = {"alpha"};
const sim_type_format kColumns0[] = {
    {1, 2}, {1, 2}, {1, 2},  // float16, float16, float16
    {0, 2}, {0, 2}, {0, 2},  // float32, float32, float32
    {3, 2}, {3, 2}, {3, 2},  // int32, int32, int32
};
const uint32_t kInputFlags0[] = {SIM_PARAM_AUTO_CONTIGUOUS, SIM_PARAM_AUTO_CONTIGUOUS};
const sim_type_format kColumns1[] = {
    {1, 2}, {1, 2}, {1, 2},  // float16, float16, float16
    {0, 2}, {0, 2}, {0, 2},  // float32, float32, float32
};
const uint32_t kInputFlags1[] = {SIM_PARAM_AUTO_CONTIGUOUS, SIM_PARAM_AUTO_CONTIGUOUS};
const sim_soc_support kSocs[] = {
    {"ascend910_93", 3, kColumns0, kInputFlags0},
    {"ascend910b", 2, kColumns1, kInputFlags1},
};
const sim_op kOp = {"AddCustom", "add_custom", 2, kInputs, 1, kOutputs, 1, kAttrNames, 2, kSocs, 0};

}  // namespace

aclnnStatus aclnnAddCustomGetWorkspaceSize(const aclTensor* x, const aclTensor* y, double alpha, const aclTensor* out,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
    const sim_argument inputs[] = {
        {SIM_TENSOR, x},
        {SIM_TENSOR, y},
    };
    const sim_argument outputs[] = {
        {SIM_TENSOR, out},
    };
    const sim_attr_value attrs[] = {
        {SIM_ATTR_FLOAT, 0, alpha, nullptr, 0},
    };
    return sim_aclnn_prepare(&kOp, inputs, outputs, attrs, workspaceSize, executor);
}

aclnnStatus aclnnAddCustom(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
    return sim_aclnn_run(workspace, workspaceSize, executor, stream);
}
