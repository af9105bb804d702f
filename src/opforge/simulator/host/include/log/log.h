// OP_LOGE and its kin, as operator repositories write them: errors and warnings go to stderr, where a failing tiling's
// reason becomes part of the aclnn error message; information and debug lines are dropped, as at the default log level.
#ifndef OPFORGE_LOG_LOG_H
#define OPFORGE_LOG_LOG_H

#include <unistd.h>  // as CANN's: op_host calls access() without asking for it

#include <cstdarg>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "base/err_msg.h"
#include "base/log_levels.h"
#include "exe_graph/runtime/shape.h"
#include "graph/ge_error_codes.h"
#include "graph/utils/type_utils.h"

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
// A message alone, where the name should be, is one that operator repositories write.
inline void Say() {}
__attribute__((format(printf, 1, 2))) inline void Say(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
}
inline std::string Text(const std::string& text) { return text; }
template <typename T>
std::string Text(const T& value) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
}
}  // namespace op_log

namespace Ops {
namespace Base {

// What a message calls an op: a name, or type and name of a context's node.
inline const std::string& GetOpInfo(const std::string& name) { return name; }
inline const char* GetOpInfo(const char* name) { return name == nullptr ? "nil" : name; }
template <typename T>
auto GetOpInfo(const T* context) -> decltype(std::string(context->GetNodeName())) {
    return context == nullptr ? "nil:nil" : std::string(context->GetNodeType()) + ":" + context->GetNodeName();
}
inline const char* GetSafeStr(const char* text) { return text; }
inline const char* GetSafeStr(const std::string& text) { return text.c_str(); }

inline std::string ToString(ge::DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }
inline std::string ToString(ge::Format format) { return ge::TypeUtils::FormatToSerialString(format); }
// "[2, 3]"
inline std::string ToString(const gert::Shape& shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
    }
    return text + "]";
}
inline std::string ToString(const std::vector<const gert::Shape*>& shapes) {
    std::string text = "[";
    for (size_t i = 0; i < shapes.size(); ++i) {
        text += (i == 0 ? "" : ", ") + (shapes[i] == nullptr ? std::string("nil") : ToString(*shapes[i]));
    }
    return text + "]";
}

}  // namespace Base
}  // namespace Ops

#define OPFORGE_OP_LOG(level, op_name, ...)                                                          \
    do {                                                                                             \
        std::fprintf(stderr, "[%s] %s:%d %s: ", level, __FILE__, __LINE__, op_log::NameOf(op_name)); \
        op_log::Say(__VA_ARGS__);                                                                    \
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

#define D_OP_LOGE(op_name, format, ...) OP_LOGE(op_name, format, ##__VA_ARGS__)
#define D_OP_LOGW(op_name, format, ...) OP_LOGW(op_name, format, ##__VA_ARGS__)
#define D_OP_LOGI(op_name, format, ...) OP_LOGI(op_name, format, ##__VA_ARGS__)
#define D_OP_LOGD(op_name, format, ...) OP_LOGD(op_name, format, ##__VA_ARGS__)

// For those who call the log themselves: the messages from warnings on are said.
#define OpLogSub(module, level, op_name, format, ...)                                                  \
    do {                                                                                               \
        if (CheckLogLevel(module, level) == 1) {                                                       \
            OPFORGE_OP_LOG((level) >= DLOG_ERROR ? "ERROR" : "WARNING", Ops::Base::GetOpInfo(op_name), \
                           format, ##__VA_ARGS__);                                                     \
        }                                                                                              \
    } while (0)

#ifndef likely
#define likely(condition) __builtin_expect(static_cast<bool>(condition), 1)
#endif
#ifndef unlikely
#define unlikely(condition) __builtin_expect(static_cast<bool>(condition), 0)
#endif

#define OP_LOGE_IF(condition, return_value, op_name, ...) \
    do {                                                  \
        if (condition) {                                  \
            OP_LOGE(op_name, __VA_ARGS__);                \
            return return_value;                          \
        }                                                 \
    } while (0)

#define OP_LOGE_WITHOUT_REPORT(op_name, ...) OP_LOGE(op_name, __VA_ARGS__)

// "Add: x has a wrong shape [2]: it must be [3]"; the forms WITH_REASON end in the reason. The arguments are strings,
// or whatever a stream takes.
#define OPFORGE_OP_LOG_WRONG(entity, names, what, found, tail, text)                                \
    OP_LOGE(op_log::Text(entity), "%s: wrong " what " %s: " tail "%s", op_log::Text(names).c_str(), \
            op_log::Text(found).c_str(), op_log::Text(text).c_str())
#define OP_LOGE_FOR_INVALID_SHAPE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "shape", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "shape", found, "", reason)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "shape", found, "", reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of dimensions", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of dimensions", found, "", reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "number of dimensions", found, "", reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of elements", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of elements", found, "", reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "number of elements", found, "", reason)
#define OP_LOGE_FOR_INVALID_FORMAT(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "format", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "format", found, "", reason)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "format", found, "", reason)
#define OP_LOGE_FOR_INVALID_DTYPE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "data type", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "data type", found, "", reason)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "data type", found, "", reason)
#define OP_LOGE_FOR_INVALID_TENSORNUM(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of tensors", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_TENSORNUM_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of tensors", found, "", reason)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "number of tensors", found, "", reason)
#define OP_LOGE_FOR_INVALID_VALUE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "value", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "value", found, "", reason)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "value", found, "", reason)
#define OP_LOGE_FOR_INVALID_LISTSIZE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "list size", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "list size", found, "", reason)
#define OP_LOGE_FOR_INVALID_LISTSIZES_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "list size", found, "", reason)
#define OP_LOGE_FOR_INVALID_STRIDE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "stride", found, "it must be ", correct)
#define OP_LOGE_FOR_INVALID_STRIDE_WITH_REASON(entity, name, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "stride", found, "", reason)
#define OP_LOGE_FOR_INVALID_STRIDES_WITH_REASON(entity, names, found, reason) \
    OPFORGE_OP_LOG_WRONG(entity, names, "stride", found, "", reason)
#define OP_LOGE_FOR_INVALID_ARGUMENT_WITH_REASON(entity, name, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "argument", "", "", reason)
#define OP_LOGE_FOR_INVALID_CONFIG_WITH_REASON(entity, found, name, owner, reason) \
    OPFORGE_OP_LOG_WRONG(entity, name, "configuration", found, "", reason)
#define OP_LOGE_WITH_INVALID_ATTR(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "value", found, "it must be ", correct)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "number of values", found, "it must be ", correct)
#define OP_LOGE_WITH_INVALID_INPUT(entity, name) \
    OP_LOGE(op_log::Text(entity), "%s is required, but absent", op_log::Text(name).c_str())
#define OP_LOGE_WITH_INVALID_INPUT_SHAPE(entity, index, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, "input " + op_log::Text(index), "shape", found, "it must be ", correct)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPESIZE(entity, index, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, "input " + op_log::Text(index), "number of elements", found, "it must be ", correct)
#define OP_LOGE_WITH_INVALID_INPUT_FORMAT(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "format", found, "it must be ", correct)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(entity, name, found, correct) \
    OPFORGE_OP_LOG_WRONG(entity, name, "data type", found, "it must be ", correct)

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
