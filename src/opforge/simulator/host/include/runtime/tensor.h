// The name under which operator repositories include it.
#ifndef OPFORGE_RUNTIME_TENSOR_H
#define OPFORGE_RUNTIME_TENSOR_H
#include "exe_graph/runtime/tensor.h"
#endif
