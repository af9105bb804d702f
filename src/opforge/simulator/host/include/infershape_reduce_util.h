// The name under which operator repositories include it.
#ifndef OPFORGE_INFERSHAPE_REDUCE_UTIL_H
#define OPFORGE_INFERSHAPE_REDUCE_UTIL_H
#include "op_common/op_host/infershape_reduce_util.h"
#endif
