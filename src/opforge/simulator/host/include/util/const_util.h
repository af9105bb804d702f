// The name under which operator repositories include it.
#ifndef OPFORGE_UTIL_CONST_UTIL_H
#define OPFORGE_UTIL_CONST_UTIL_H
#include "op_common/op_host/util/const_util.h"
#endif
