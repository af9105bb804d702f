// aclnn status type, and the library's start and end. Page: "aclnn return codes".
#ifndef OPFORGE_ACLNN_ACLNN_BASE_H
#define OPFORGE_ACLNN_ACLNN_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t aclnnStatus;

static const aclnnStatus OK = 0;

__attribute__((visibility("default"))) aclnnStatus aclnnInit(const char* config_path);
__attribute__((visibility("default"))) aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif
#endif
