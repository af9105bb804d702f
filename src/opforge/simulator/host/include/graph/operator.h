// ge::Operator as far as op_host names it: the argument of check functions that only graph mode calls.
#ifndef OPFORGE_GRAPH_OPERATOR_H
#define OPFORGE_GRAPH_OPERATOR_H

#include <map>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

using std::map;  // tiling functions that include this header call it so

namespace ge {
class Operator;
}
#endif
