// Written by op_build from op_host; changes here are lost.
#ifndef ACLNN_LAYER_NORM_X_H_
#define ACLNN_LAYER_NORM_X_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* function: aclnnLayerNormXGetWorkspaceSize
 * parameters :
 * x : required
 * betaInOptional : optional
 * axes : required
 * epsilon : optional
 * axis : required
 * dimsOptional : optional
 * modeNameOptional : optional
 * isTraining : optional
 * yOut : required
 * rowMeanOut : required
 * workspaceSize : size of workspace(output).
 * executor : executor context(output).
 */
__attribute__((visibility("default")))
aclnnStatus aclnnLayerNormXGetWorkspaceSize(
    const aclTensor *x,
    const aclTensor *betaInOptional,
    const aclIntArray *axes,
    double epsilon,
    int64_t axis,
    const aclIntArray *dimsOptional,
    char *modeNameOptional,
    bool isTraining,
    const aclTensor *yOut,
    const aclTensor *rowMeanOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);

__attribute__((visibility("default")))
aclnnStatus aclnnLayerNormXTensorGetWorkspaceSize(
    const aclTensor *x,
    const aclTensor *betaInOptional,
    const aclTensor *axes,
    double epsilon,
    int64_t axis,
    const aclIntArray *dimsOptional,
    char *modeNameOptional,
    bool isTraining,
    const aclTensor *yOut,
    const aclTensor *rowMeanOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* function: aclnnLayerNormX
 * parameters :
 * workspace : workspace memory addr(input).
 * workspaceSize : size of workspace(input).
 * executor : executor context(input).
 * stream : acl stream.
 */
__attribute__((visibility("default")))
aclnnStatus aclnnLayerNormX(
    void *workspace,
    uint64_t workspaceSize,
    aclOpExecutor *executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
