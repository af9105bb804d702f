// OP_LOGE and its kin, as operator repositories write them: errors and warnings go to stderr, where a failing tiling's
// reason becomes part of the aclnn error message; information and debug lines are dropped, as at the default log level.
#ifndef OPFORGE_LOG_LOG_H
#define OPFORGE_LOG_LOG_H

#include <cstdio>

#include "graph/ge_error_codes.h"

// The op's name may be a C string, or anything with c_str() or GetString().
namespace op_log {
inline const char* NameOf(const char* name) { return name == nullptr ? "" : name; }
template <typename T>
auto NameOf(const T& name) -> decltype(name.c_str()) {
    return name.c_str();
}
template <typename T>
auto NameOf(const T& name) -> decltype(name.GetString()) {
    return name.GetString();
}
template <typename T>
auto NameOf(const T* context) -> decltype(context->GetNodeName()) {
    return context == nullptr ? "" : context->GetNodeName();
}
}  // namespace op_log

#define OPFORGE_OP_LOG(level, op_name, ...)                                                          \
    do {                                                                                             \
        std::fprintf(stderr, "[%s] %s:%d %s: ", level, __FILE__, __LINE__, op_log::NameOf(op_name)); \
        std::fprintf(stderr, __VA_ARGS__);                                                           \
        std::fputc('\n', stderr);                                                                    \
    } while (0)

#define OP_LOGE(op_name, ...) OPFORGE_OP_LOG("ERROR", op_name, __VA_ARGS__)
#define OP_LOGW(op_name, ...) OPFORGE_OP_LOG("WARNING", op_name, __VA_ARGS__)
// Compiled, so that their arguments stay right, and never run.
#define OPFORGE_OP_LOG_DROPPED(op_name, ...)              \
    do {                                                  \
        if (false) {                                      \
            OPFORGE_OP_LOG("INFO", op_name, __VA_ARGS__); \
        }                                                 \
    } while (0)
#define OP_LOGI(op_name, ...) OPFORGE_OP_LOG_DROPPED(op_name, __VA_ARGS__)
#define OP_LOGD(op_name, ...) OPFORGE_OP_LOG_DROPPED(op_name, __VA_ARGS__)

#define OP_LOGE_IF(condition, return_value, op_name, ...) \
    do {                                                  \
        if (condition) {                                  \
            OP_LOGE(op_name, __VA_ARGS__);                \
            return return_value;                          \
        }                                                 \
    } while (0)

#define OP_CHECK_IF(condition, log, return_expression) \
    do {                                               \
        if (condition) {                               \
            log;                                       \
            return_expression;                         \
        }                                              \
    } while (0)

#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)                   \
    do {                                                               \
        if ((pointer) == nullptr) {                                    \
            OP_LOGE((context)->GetNodeName(), "%s is null", #pointer); \
            return ge::GRAPH_FAILED;                                   \
        }                                                              \
    } while (0)

#endif
