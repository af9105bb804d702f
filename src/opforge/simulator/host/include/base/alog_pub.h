// The log as operator repositories call it.
// Public: runtime include/dfx/base/alog_pub.h
#ifndef OPFORGE_BASE_ALOG_PUB_H
#define OPFORGE_BASE_ALOG_PUB_H

#include <stdint.h>

#include "base/log_types.h"

extern "C" {
__attribute__((format(printf, 4, 5))) inline int32_t AlogRecord(uint32_t, uint32_t, int32_t level, const char* format,
                                                                ...) {
    va_list arguments;
    va_start(arguments, format);
    op_log::SayLine(level, format, arguments);
    va_end(arguments);
    return 0;
}
}

#endif
