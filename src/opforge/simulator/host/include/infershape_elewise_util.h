// The name under which operator repositories include it.
#ifndef OPFORGE_INFERSHAPE_ELEWISE_UTIL_H
#define OPFORGE_INFERSHAPE_ELEWISE_UTIL_H
#include "op_common/op_host/infershape_elewise_util.h"
#endif
