// What libascendcl gives to the library of ATen operators (device/aten/), which is built and loaded apart from it.
#ifndef OPFORGE_SIM_ATEN_H
#define OPFORGE_SIM_ATEN_H

#include "sim_capture.h"

#ifdef __cplusplus
extern "C" {
#endif

// Functions of sim_launch.h, sim_capture.h and acl_base.h.
typedef struct sim_aten_runtime {
    void* (*host_view)(const void* device_address);
    const char* (*recent_error)(void);
    void (*set_error)(const char* message);
    int (*captures_anything)(void);
    int (*stream_captures)(void* stream);
    int (*capture_record)(void* stream, const sim_task* task);
    int (*capture_refuse)(void* stream, int code, const char* message);
    int (*capture_check_copy)(const char* function);
    int (*is_pinned)(const void* address);
} sim_aten_runtime;

#ifdef __cplusplus
}
#endif
#endif
