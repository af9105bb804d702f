// gert::InferShapeRangeContext: named by op_host, called by graph mode only, which the simulator has not.
#ifndef OPFORGE_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#define OPFORGE_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H

namespace gert {
class InferShapeRangeContext;
}
#endif
