// The name under which operator repositories include it.
#ifndef OPFORGE_UTIL_MATH_UTIL_H
#define OPFORGE_UTIL_MATH_UTIL_H
#include "op_common/op_host/util/math_util.h"
#endif
