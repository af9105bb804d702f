// ge::graphStatus: what op_host functions return.
#ifndef OPFORGE_GRAPH_GE_ERROR_CODES_H
#define OPFORGE_GRAPH_GE_ERROR_CODES_H

#include <cstdint>

namespace ge {

typedef uint32_t graphStatus;

const graphStatus GRAPH_SUCCESS = 0;
const graphStatus GRAPH_FAILED = 0xFFFFFFFF;
const graphStatus GRAPH_PARAM_INVALID = 50331649;
const graphStatus GRAPH_NODE_WITHOUT_CONST_INPUT = 50331648;
const graphStatus GRAPH_NOT_CHANGED = 1343242304;

}  // namespace ge
#endif
