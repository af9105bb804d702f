// The name under which operator repositories include it.
#ifndef OPFORGE_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H
#define OPFORGE_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H
#include "exe_graph/runtime/infer_shape_range_context.h"
#endif
