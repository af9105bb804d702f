// The name under which CANN installed it until 8.1.
#ifndef OPFORGE_ACLNN_OPDEV_OP_LOG_H
#define OPFORGE_ACLNN_OPDEV_OP_LOG_H
#include "opdev/op_log.h"
#endif
