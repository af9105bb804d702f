// The name under which operator repositories include it.
#ifndef OPFORGE_RUNTIME_RUNTIME_ATTRS_H
#define OPFORGE_RUNTIME_RUNTIME_ATTRS_H
#include "exe_graph/runtime/runtime_attrs.h"
#endif
