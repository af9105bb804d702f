// The log of handwritten aclnn functions, whose messages begin with an error's number. Some tiling functions include it
// and use nothing of it.
// Public: opbase include/nnopbase/opdev/op_log.h
#ifndef OPFORGE_OPDEV_OP_LOG_H
#define OPFORGE_OPDEV_OP_LOG_H

#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "base/log_levels.h"

#ifndef OP_LOGE
#define OP_LOGE(errorCode, FMT, ...) DlogRecord(OP, DLOG_ERROR, "%d: " FMT, static_cast<int>(errorCode), ##__VA_ARGS__)
#define OP_LOGW(FMT, ...) DlogRecord(OP, DLOG_WARN, FMT, ##__VA_ARGS__)
#define OP_LOGI(FMT, ...) DlogRecord(OP, DLOG_INFO, FMT, ##__VA_ARGS__)
#define OP_LOGD(FMT, ...) DlogRecord(OP, DLOG_DEBUG, FMT, ##__VA_ARGS__)
#endif

#endif
