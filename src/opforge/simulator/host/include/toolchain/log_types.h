// The name beside toolchain/slog.h.
#ifndef OPFORGE_TOOLCHAIN_LOG_TYPES_H
#define OPFORGE_TOOLCHAIN_LOG_TYPES_H
#include "base/log_types.h"
#endif
