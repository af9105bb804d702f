// The name under which operator repositories include it.
#ifndef OPFORGE_UTIL_SHAPE_UTIL_H
#define OPFORGE_UTIL_SHAPE_UTIL_H
#include "op_common/op_host/util/shape_util.h"
#endif
