// The name under which operator repositories include it.
#ifndef OPFORGE_RUNTIME_TILING_CONTEXT_H
#define OPFORGE_RUNTIME_TILING_CONTEXT_H
#include "exe_graph/runtime/tiling_context.h"
#endif
