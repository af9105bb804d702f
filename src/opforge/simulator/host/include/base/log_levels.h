// What log/log.h and the log's own headers share: levels, the module of operators, and the functions below the
// macros. Warnings and errors go to stderr, where a failing tiling's reason becomes part of the aclnn error message;
// the rest is dropped, as at the default level.
#ifndef OPFORGE_BASE_LOG_LEVELS_H
#define OPFORGE_BASE_LOG_LEVELS_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#ifndef DLOG_DEBUG
#define DLOG_DEBUG 0
#define DLOG_INFO 1
#define DLOG_WARN 2
#define DLOG_ERROR 3
#endif

constexpr int OP = 63;

namespace op_log {
inline bool IsSaid(int32_t level) { return level == DLOG_WARN || level == DLOG_ERROR; }
inline void SayLine(int32_t level, const char* format, va_list arguments) {
    if (IsSaid(level)) {
        std::fputs(level == DLOG_ERROR ? "[ERROR] " : "[WARNING] ", stderr);
        std::vfprintf(stderr, format, arguments);
        std::fputc('\n', stderr);
    }
}
}  // namespace op_log

extern "C" {
inline int32_t CheckLogLevel(int32_t, int32_t level) { return op_log::IsSaid(level) ? 1 : 0; }
inline int32_t AlogCheckDebugLevel(uint32_t, int32_t level) { return op_log::IsSaid(level) ? 1 : 0; }
inline void DlogRecord(int32_t, int32_t level, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    op_log::SayLine(level, format, arguments);
    va_end(arguments);
}
}

#endif
