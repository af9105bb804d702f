// REG_OP and its chain, as op_proto.h uses it: the graph prototype of an op.
// The simulator has no graph engine: the chain records the prototype's names in a value and nothing reads it. It is
// here so that op_proto.h of real projects compiles.
#ifndef OPFORGE_GRAPH_OPERATOR_REG_H
#define OPFORGE_GRAPH_OPERATOR_REG_H

#include "graph/operator.h"

namespace ge {

class OpPrototype {
public:
    explicit OpPrototype(const char* op_type) : op_type_(op_type), inputs_(0), outputs_(0), attrs_(0) {}
    OpPrototype& AddInput(const char*) {
        ++inputs_;
        return *this;
    }
    OpPrototype& AddOutput(const char*) {
        ++outputs_;
        return *this;
    }
    OpPrototype& AddAttr(const char*) {
        ++attrs_;
        return *this;
    }
    OpPrototype& End() { return *this; }
    const char* GetOpType() const { return op_type_; }
    unsigned GetInputNum() const { return inputs_; }
    unsigned GetOutputNum() const { return outputs_; }
    unsigned GetAttrNum() const { return attrs_; }

private:
    const char* op_type_;
    unsigned inputs_;
    unsigned outputs_;
    unsigned attrs_;
};

}  // namespace ge

#define REG_OP(op_type) \
    static const ge::OpPrototype __attribute__((unused)) g_op_prototype_##op_type = ge::OpPrototype(#op_type)
#define INPUT(name, type) AddInput(#name)
#define OPTIONAL_INPUT(name, type) AddInput(#name)
#define DYNAMIC_INPUT(name, type) AddInput(#name)
#define OUTPUT(name, type) AddOutput(#name)
#define DYNAMIC_OUTPUT(name, type) AddOutput(#name)
#define ATTR(name, type, ...) AddAttr(#name)
#define REQUIRED_ATTR(name, type) AddAttr(#name)
#define OP_END_FACTORY_REG(op_type) End();

#endif
