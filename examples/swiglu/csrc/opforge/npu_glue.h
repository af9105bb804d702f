// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The adapter's access to torch_npu, as a plain C interface.
//
// torch_npu's C++ headers take longer to compile than all other code here, and its C++ symbols change with every
// release. Only npu_glue.cpp uses them. This file is the same in every project and is built once per (torch, torch_npu,
// compiler). The adapter links only torch, and opens the glue at the first call on an NPU tensor.
#ifndef OPFORGE_NPU_GLUE_H
#define OPFORGE_NPU_GLUE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Increases with every change of this interface. The adapter refuses a glue of another version.
enum { OPFORGE_NPU_GLUE_VERSION = 3 };

// Results of opforge_npu_launch. NOT_RUN: it failed before the call ran, possibly because of an earlier call.
enum { OPFORGE_NPU_LAUNCHED = 0, OPFORGE_NPU_FAILED = 1, OPFORGE_NPU_OUT_OF_MEMORY = 2, OPFORGE_NPU_NOT_RUN = 3 };

// Phase two of an aclnn call, for the current stream of the current device.
typedef struct opforge_npu_call {
    const char* name;                                        // shown by the profiler and in errors: "aclnnVectorAdd"
    uint64_t workspace_bytes;                                // may be 0
    int (*run)(void* state, void* workspace, void* stream);  // returns an aclnnStatus; another thread may call it
    void (*release)(void* state);                            // called exactly once in all cases
    void* state;
} opforge_npu_call;

// Receives an error message before the failing function returns.
typedef void (*opforge_npu_report)(void* context, const char* message);

int opforge_npu_glue_version(void);

// Queues the call after all calls on the current stream. Every result except OPFORGE_NPU_LAUNCHED follows a report.
// With TASK_QUEUE_ENABLE=0, errors of the operator itself are reported here; otherwise torch_npu reports them at a
// later call, under this call's name.
int opforge_npu_launch(const opforge_npu_call* call, opforge_npu_report report, void* context);

// The storage format (aclFormat) of an NPU tensor, given the address of an at::Tensor; -1 after a report.
int64_t opforge_npu_format(const void* tensor, opforge_npu_report report, void* context);

#ifdef __cplusplus
}
#endif

#endif  // OPFORGE_NPU_GLUE_H
