// Written by op_build from op_host; changes here are lost.
#ifndef ACLNN_SCALE_IN_PLACE_H_
#define ACLNN_SCALE_IN_PLACE_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* function: aclnnScaleInPlaceGetWorkspaceSize
 * parameters :
 * xInRef : required
 * factor : required
 * xInRef : required
 * workspaceSize : size of workspace(output).
 * executor : executor context(output).
 */
__attribute__((visibility("default")))
aclnnStatus aclnnScaleInPlaceGetWorkspaceSize(
    aclTensor *xInRef,
    const aclScalar *factor,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* function: aclnnScaleInPlace
 * parameters :
 * workspace : workspace memory addr(input).
 * workspaceSize : size of workspace(input).
 * executor : executor context(input).
 * stream : acl stream.
 */
__attribute__((visibility("default")))
aclnnStatus aclnnScaleInPlace(
    void *workspace,
    uint64_t workspaceSize,
    aclOpExecutor *executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
