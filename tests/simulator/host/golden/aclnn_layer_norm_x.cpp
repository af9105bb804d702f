// Written by op_build from op_host; changes here are lost.
#include "aclnn_layer_norm_x.h"
#include "aclnn/sim_aclnn.h"

namespace {

const sim_param kInputs[] = {
    {"x", "x", SIM_PARAM_REQUIRED, -1},
    {"beta_in", "betaInOptional", SIM_PARAM_OPTIONAL, -1},
    {"axes", "axes", SIM_PARAM_REQUIRED, -1},
};
const sim_param kOutputs[] = {
    {"y", "yOut", SIM_PARAM_REQUIRED, -1},
    {"row_mean", "rowMeanOut", SIM_PARAM_REQUIRED, -1},
};
const char* const kAttrNames[] = {"epsilon", "axis", "dims", "mode_name", "is_training"};
const sim_type_format kColumns0[] = {
    {1, 2}, {0, 2}, {3, 2}, {1, 2}, {0, 2},  // float16, float32, int32, float16, float32
    {0, 2}, {0, 2}, {3, 2}, {0, 2}, {0, 2},  // float32, float32, int32, float32, float32
};
const uint32_t kInputFlags0[] = {0, 0, SIM_PARAM_HOST_VALUE};
const sim_soc_support kSocs[] = {
    {"ascend910b", 2, kColumns0, kInputFlags0},
};
const sim_op kOp = {"LayerNormX", "layer_norm_x", 3, kInputs, 2, kOutputs, 5, kAttrNames, 1, kSocs, 0};

}  // namespace

aclnnStatus aclnnLayerNormXGetWorkspaceSize(const aclTensor* x, const aclTensor* betaInOptional,
                                            const aclIntArray* axes, double epsilon, int64_t axis,
                                            const aclIntArray* dimsOptional, char* modeNameOptional, bool isTraining,
                                            const aclTensor* yOut, const aclTensor* rowMeanOut, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
    const sim_argument inputs[] = {
        {SIM_TENSOR, x},
        {SIM_TENSOR, betaInOptional},
        {SIM_INT_ARRAY, axes},
    };
    const sim_argument outputs[] = {
        {SIM_TENSOR, yOut},
        {SIM_TENSOR, rowMeanOut},
    };
    static const int64_t dimsOptionalDefault[] = {3, -4};
    const sim_attr_value attrs[] = {
        {SIM_ATTR_FLOAT, 0, epsilon, nullptr, 0},
        {SIM_ATTR_INT, axis, 0.0, nullptr, 0},
        {dimsOptional != nullptr ? SIM_ATTR_INT_ARRAY : SIM_ATTR_INTS, 0, 0.0,
         dimsOptional != nullptr ? static_cast<const void*>(dimsOptional) : dimsOptionalDefault, 2},
        {SIM_ATTR_STRING, 0, 0.0, modeNameOptional != nullptr ? modeNameOptional : "a\"b", 0},
        {SIM_ATTR_BOOL, isTraining ? 1 : 0, 0.0, nullptr, 0},
    };
    return sim_aclnn_prepare(&kOp, inputs, outputs, attrs, workspaceSize, executor);
}

aclnnStatus aclnnLayerNormXTensorGetWorkspaceSize(const aclTensor* x, const aclTensor* betaInOptional,
                                                  const aclTensor* axes, double epsilon, int64_t axis,
                                                  const aclIntArray* dimsOptional, char* modeNameOptional,
                                                  bool isTraining, const aclTensor* yOut, const aclTensor* rowMeanOut,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor) {
    const sim_argument inputs[] = {
        {SIM_TENSOR, x},
        {SIM_TENSOR, betaInOptional},
        {SIM_TENSOR, axes},
    };
    const sim_argument outputs[] = {
        {SIM_TENSOR, yOut},
        {SIM_TENSOR, rowMeanOut},
    };
    static const int64_t dimsOptionalDefault[] = {3, -4};
    const sim_attr_value attrs[] = {
        {SIM_ATTR_FLOAT, 0, epsilon, nullptr, 0},
        {SIM_ATTR_INT, axis, 0.0, nullptr, 0},
        {dimsOptional != nullptr ? SIM_ATTR_INT_ARRAY : SIM_ATTR_INTS, 0, 0.0,
         dimsOptional != nullptr ? static_cast<const void*>(dimsOptional) : dimsOptionalDefault, 2},
        {SIM_ATTR_STRING, 0, 0.0, modeNameOptional != nullptr ? modeNameOptional : "a\"b", 0},
        {SIM_ATTR_BOOL, isTraining ? 1 : 0, 0.0, nullptr, 0},
    };
    return sim_aclnn_prepare(&kOp, inputs, outputs, attrs, workspaceSize, executor);
}

aclnnStatus aclnnLayerNormX(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
    return sim_aclnn_run(workspace, workspaceSize, executor, stream);
}
