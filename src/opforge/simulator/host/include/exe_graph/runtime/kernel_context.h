// The name under which operator repositories include it.
#ifndef OPFORGE_EXE_GRAPH_RUNTIME_KERNEL_CONTEXT_H
#define OPFORGE_EXE_GRAPH_RUNTIME_KERNEL_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"
#endif
