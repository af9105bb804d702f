// The name under which operator repositories include it.
#ifndef OPFORGE_RUNTIME_KERNEL_RUN_CONTEXT_H
#define OPFORGE_RUNTIME_KERNEL_RUN_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"
#endif
