// A device that a kernel has brought into its error state.
//
// On hardware a kernel's fault stays: every later synchronisation reports it until the device is reset. Here that is so
// when launches come from torch_npu's task queue (TASK_QUEUE_ENABLE not 0), which drops what follows a fault and would
// otherwise hand out results that were never computed. Without the queue the caller has the error in hand at once, and
// can go on.
#pragma once

#include <cstdint>

#include "acl/acl_base.h"

namespace sim {

// Remembers the fault of a launch on the device, with the message of this thread's last failure.
void NoteFault(uint32_t device, aclError code, const char* opType);

// The same with and without the queue, for launches that return nothing.
void KeepFault(uint32_t device, aclError code, const char* opType);

// The fault of this thread's device, again with its message; ACL_SUCCESS without one.
aclError PendingFault();

void ForgetFault(uint32_t device);

}  // namespace sim
