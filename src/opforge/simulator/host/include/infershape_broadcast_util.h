// The name under which operator repositories include it.
#ifndef OPFORGE_INFERSHAPE_BROADCAST_UTIL_H
#define OPFORGE_INFERSHAPE_BROADCAST_UTIL_H
#include "op_common/op_host/infershape_broadcast_util.h"
#endif
