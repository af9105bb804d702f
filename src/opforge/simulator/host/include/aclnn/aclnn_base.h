// aclnn status type, its codes, and the library's start and end. Page: "aclnn return codes".
#ifndef OPFORGE_ACLNN_ACLNN_BASE_H
#define OPFORGE_ACLNN_ACLNN_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t aclnnStatus;

#ifndef OPFORGE_ACLNN_CODES
#define OPFORGE_ACLNN_CODES
enum {
    OK = 0,
    ACLNN_SUCCESS = 0,
    ACLNN_ERR_PARAM_NULLPTR = 161001,
    ACLNN_ERR_PARAM_INVALID = 161002,
    ACLNN_ERR_RUNTIME_ERROR = 361001,
    ACLNN_ERR_INNER = 561000,
    ACLNN_ERR_INNER_INFERSHAPE_ERROR = 561001,
    ACLNN_ERR_INNER_TILING_ERROR = 561002,
    ACLNN_ERR_INNER_FIND_KERNEL_ERROR = 561003,
    ACLNN_ERR_INNER_CREATE_EXECUTOR = 561101,
    ACLNN_ERR_INNER_NULLPTR = 561103,
    ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND = 561107,
    ACLNN_ERR_INNER_LOAD_JSON_FAILED = 561108,
    ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND = 561112
};
#endif

__attribute__((visibility("default"))) aclnnStatus aclnnInit(const char* config_path);
__attribute__((visibility("default"))) aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif
#endif
