// The name under which operator repositories include it.
#ifndef OPFORGE_OP_COMMON_LOG_ERROR_CODE_H
#define OPFORGE_OP_COMMON_LOG_ERROR_CODE_H
#include "log/error_code.h"
#endif
