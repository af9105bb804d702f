// The older name of the log, with its events.
// Public: CANN 8.1.RC1 include/toolchain/slog.h
#ifndef OPFORGE_TOOLCHAIN_SLOG_H
#define OPFORGE_TOOLCHAIN_SLOG_H

#include "base/dlog_pub.h"

#define DLOG_EVENT 0x10
#define ALL_MODULE (0x0000FFFFU)

static const int32_t TMP_LOG = 0;

extern "C" {
inline void dlog_init(void) {}
}

#define dlog_event(moduleId, fmt, ...) DlogRecord(moduleId, DLOG_EVENT, fmt, ##__VA_ARGS__)

#endif
