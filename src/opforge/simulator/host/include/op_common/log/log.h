// The name under which CANN installs it.
#ifndef OPFORGE_OP_COMMON_LOG_LOG_H
#define OPFORGE_OP_COMMON_LOG_LOG_H
#include "log/log.h"
#include "op_common/op_host/util/opbase_export.h"
#endif
