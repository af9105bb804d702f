// ge::Operator as far as op_host names it: the argument of check functions that only graph mode calls.
#ifndef OPFORGE_GRAPH_OPERATOR_H
#define OPFORGE_GRAPH_OPERATOR_H

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {
class Operator;
}
#endif
