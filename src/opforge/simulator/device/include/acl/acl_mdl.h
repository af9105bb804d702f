// Dump control of the model interface, by CANN's names: the only part of it that torch_npu links.
#ifndef OPFORGE_ACL_MDL_H
#define OPFORGE_ACL_MDL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

aclError aclmdlInitDump(void);
aclError aclmdlSetDump(const char* configPath);
aclError aclmdlFinalizeDump(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
