// aclAppLog: by CANN's two variables, to stdout or nowhere (the simulator keeps no log files).
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "exports.h"

namespace {

// ASCEND_SLOG_PRINT_TO_STDOUT=1 shows, ASCEND_GLOBAL_LOG_LEVEL (0 debug .. 3 error, the default) filters.
int ShownLevel() {
    static const int level = [] {
        const char* print = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
        const char* least = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
        const bool shown = print != nullptr && print[0] == '1';
        return !shown ? ACL_ERROR + 1 : least != nullptr ? std::atoi(least) : static_cast<int>(ACL_ERROR);
    }();
    return level;
}

}  // namespace

SIM_EXPORT void aclAppLog(aclLogLevel level, const char* function, const char* file, uint32_t line, const char* format,
                          ...) {
    if (static_cast<int>(level) < ShownLevel()) {
        return;
    }
    static const char* const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    char text[2048];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    std::printf("[%s] APP %s (%s:%u) %s\n", names[level & 3], function, file, line, text);
}
