// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// What the adapter needs of torch_npu, as a plain C interface.
//
// torch_npu's C++ headers cost more to compile than everything else here, and its C++ symbols change from release to
// release. So they are used in one unit, npu_glue.cpp, which is the same for every project and built once per
// (torch, torch_npu, compiler); the adapter links torch only and opens the glue at the first call on an NPU tensor.
#ifndef OPFORGE_NPU_GLUE_H
#define OPFORGE_NPU_GLUE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Grows with every change of this interface; the adapter refuses a glue of another version.
enum { OPFORGE_NPU_GLUE_VERSION = 3 };

// What opforge_npu_launch returns. NOT_RUN: it failed before the call was run, maybe for what another call did.
enum { OPFORGE_NPU_LAUNCHED = 0, OPFORGE_NPU_FAILED = 1, OPFORGE_NPU_OUT_OF_MEMORY = 2, OPFORGE_NPU_NOT_RUN = 3 };

// Phase two of an aclnn call, to be put on the current stream of the current device.
typedef struct opforge_npu_call {
    const char* name;                                        // shown by the profiler and in errors: "aclnnVectorAdd"
    uint64_t workspace_bytes;                                // may be 0
    int (*run)(void* state, void* workspace, void* stream);  // returns an aclnnStatus; another thread may call it
    void (*release)(void* state);                            // called exactly once, whatever happens
    void* state;
} opforge_npu_call;

// Receives the text of an error before the failing function returns.
typedef void (*opforge_npu_report)(void* context, const char* message);

int opforge_npu_glue_version(void);

// Queues the call behind everything already queued on the current stream. Anything but OPFORGE_NPU_LAUNCHED comes after
// a report. With TASK_QUEUE_ENABLE=0 an error of the operator itself is reported here, else by torch_npu at a later
// call, under the call's name.
int opforge_npu_launch(const opforge_npu_call* call, opforge_npu_report report, void* context);

// The storage format (aclFormat) of an NPU tensor, given the address of an at::Tensor; -1 after a report.
int64_t opforge_npu_format(const void* tensor, opforge_npu_report report, void* context);

#ifdef __cplusplus
}
#endif

#endif  // OPFORGE_NPU_GLUE_H
