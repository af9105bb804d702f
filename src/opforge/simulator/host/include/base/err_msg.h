// Reports of errors, which CANN keeps for aclGetRecentErrMsg. Here they go to stderr, like the log's.
// Public: runtime include/dfx/base/err_msg.h
#ifndef OPFORGE_BASE_ERR_MSG_H
#define OPFORGE_BASE_ERR_MSG_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace error_message {
constexpr size_t const LIMIT_PER_MSG = 1024U;
using char_t = char;

inline int32_t RegisterFormatErrorMessage(const char*, size_t) { return 0; }

__attribute__((format(printf, 5, 6))) inline int32_t ReportInnerErrMsg(const char* file_name, const char* func,
                                                                       uint32_t line, const char* error_code,
                                                                       const char* format, ...) {
    std::fprintf(stderr, "[ERROR] %s:%u %s: %s: ", file_name, line, func, error_code);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    return 0;
}

__attribute__((format(printf, 2, 3))) inline int32_t ReportUserDefinedErrMsg(const char* error_code, const char* format,
                                                                             ...) {
    std::fprintf(stderr, "[ERROR] %s: ", error_code);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    return 0;
}

// The texts of the codes are in a table of CANN's; the values are said.
inline int32_t ReportPredefinedErrMsg(const char* error_code, const std::vector<const char*>& key,
                                      const std::vector<const char*>& value) {
    std::fprintf(stderr, "[ERROR] %s:", error_code);
    for (size_t i = 0; i < key.size() && i < value.size(); ++i) {
        std::fprintf(stderr, " %s %s", key[i], value[i]);
    }
    std::fputc('\n', stderr);
    return 0;
}
inline int32_t ReportPredefinedErrMsg(const char* error_code) { return ReportPredefinedErrMsg(error_code, {}, {}); }
}  // namespace error_message

namespace ge {
using error_message::ReportInnerErrMsg;
using error_message::ReportPredefinedErrMsg;
using error_message::ReportUserDefinedErrMsg;
}  // namespace ge

#undef REPORT_INNER_ERR_MSG
#define REPORT_INNER_ERR_MSG(error_code, format, ...) \
    (void)error_message::ReportInnerErrMsg(__FILE__, __FUNCTION__, __LINE__, (error_code), (format), ##__VA_ARGS__)
#define REPORT_USER_DEFINED_ERR_MSG(error_code, format, ...) \
    (void)error_message::ReportUserDefinedErrMsg((error_code), (format), ##__VA_ARGS__)
#define REPORT_PREDEFINED_ERR_MSG(...) error_message::ReportPredefinedErrMsg(__VA_ARGS__)

#endif
