// The name under which operator repositories include it.
#ifndef OPFORGE_OP_HOST_UTIL_PLATFORM_UTIL_H
#define OPFORGE_OP_HOST_UTIL_PLATFORM_UTIL_H
#include "op_common/op_host/util/platform_util.h"
#endif
