// The shapes of the outputs of {{ op_type }} that are `shape: handwritten` in opforge.yaml. Write them here: opforge never
// changes this file once you have edited it. C++11, without CANN's headers: op_host and the PyTorch adapter compile it.
// {{ stem }}_call.h, which opforge generates, has the arguments of a call.
#ifndef {{ guard }}_SHAPES_H
#define {{ guard }}_SHAPES_H

#include "{{ stem }}_call.h"

namespace {{ stem }}_host_tiling {

// Returns why a call has no such results; empty if it has. In shape inference, an extent may be
// host_tiling::kUnknownDim, and a shape of unknown rank is {host_tiling::kUnknownRank}.
// The arguments:
{% for input in inputs %}
//   call.inputs[{{ input.constant }}]: the shapes of its tensors, of which a list has several and a missing input none
{% endfor %}
{% for member in members %}
//   call.{{ member.member }} ({{ member.ctype }})
{% endfor %}
{% if listed %}
inline std::string ComputeShapes(const Call& /* call */, Shapes (&results)[kOutputs]) {
    // SHAPES NOT WRITTEN YET: the shapes of each output's tensors.
{% for output in own %}
    results[{{ output }}] = {};
{% endfor %}
{% else %}
inline std::string ComputeShapes(const Call& /* call */, host_tiling::Dims (&results)[kOutputs]) {
    // SHAPES NOT WRITTEN YET
{% for output in own %}
    results[{{ output }}] = {};
{% endfor %}
{% endif %}
    return "its shapes are not written yet: op_host/{{ stem }}_shapes.h";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_SHAPES_H
