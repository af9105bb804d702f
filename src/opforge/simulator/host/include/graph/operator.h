// ge::Operator as far as op_host names it: the argument of check functions that only graph mode calls.
#ifndef OPFORGE_GRAPH_OPERATOR_H
#define OPFORGE_GRAPH_OPERATOR_H

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

// Tiling functions that include this header or operator_reg.h call these so.
using std::function;
using std::map;
using std::shared_ptr;
using std::string;
using std::vector;

namespace ge {
class Operator;
}
#endif
