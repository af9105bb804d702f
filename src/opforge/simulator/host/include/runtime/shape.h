// The name under which operator repositories include it.
#ifndef OPFORGE_RUNTIME_SHAPE_H
#define OPFORGE_RUNTIME_SHAPE_H
#include "exe_graph/runtime/shape.h"
#endif
