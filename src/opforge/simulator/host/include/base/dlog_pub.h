// The log as CANN's own host code calls it.
// Public: runtime pkg_inc/base/dlog_pub.h
#ifndef OPFORGE_BASE_DLOG_PUB_H
#define OPFORGE_BASE_DLOG_PUB_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/log_types.h"

#define DLOG_FILE_NAME __FILE__
#define __FILENAME__ DLOG_FILE_NAME

extern "C" {
inline int32_t dlog_getlevel(int32_t, int32_t* enable_event) {
    if (enable_event != nullptr) {
        *enable_event = 0;
    }
    return DLOG_WARN;
}
inline int32_t dlog_setlevel(int32_t, int32_t, int32_t) { return 0; }  // the level stays
inline int32_t DlogSetAttr(LogAttr) { return 0; }
inline void DlogVaList(int32_t, int32_t level, const char* format, va_list list) {
    op_log::SayLine(level, format, list);
}
inline void DlogFlush(void) {}
}

#define Dlog(moduleId, level, fmt, ...)                                                          \
    do {                                                                                         \
        if (CheckLogLevel(moduleId, level) == 1) {                                               \
            DlogRecord(moduleId, level, "[%s:%d]" fmt, DLOG_FILE_NAME, __LINE__, ##__VA_ARGS__); \
        }                                                                                        \
    } while (0)
#define DlogSub(moduleId, submodule, level, fmt, ...) Dlog(moduleId, level, "[%s]" fmt, submodule, ##__VA_ARGS__)
#define dlog_error(moduleId, fmt, ...) Dlog(moduleId, DLOG_ERROR, fmt, ##__VA_ARGS__)
#define dlog_warn(moduleId, fmt, ...) Dlog(moduleId, DLOG_WARN, fmt, ##__VA_ARGS__)
#define dlog_info(moduleId, fmt, ...) Dlog(moduleId, DLOG_INFO, fmt, ##__VA_ARGS__)
#define dlog_debug(moduleId, fmt, ...) Dlog(moduleId, DLOG_DEBUG, fmt, ##__VA_ARGS__)

#endif
