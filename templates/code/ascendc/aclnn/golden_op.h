// What {{ op_type }} gives, computed on the host in double precision, and what the programs of this folder try.
#ifndef {{ guard }}_GOLDEN_H
#define {{ guard }}_GOLDEN_H

#include <cmath>
#include <limits>
#include <vector>
#include "trial.h"

namespace {{ stem }}_golden {

const std::vector<Trial> kTrials = {
{% for trial in trials %}
    // {{ trial.note }}
    {{ trial.shapes }},
{% endfor %}
};

// The supported combinations of types: of the inputs and then the results.
const std::vector<std::vector<aclDataType>> kTypes = {
{% for types in types %}
    {{ types }},
{% endfor %}
};

{% for line in formulas %}
// {{ line }}
{% endfor %}
inline void Compute(const std::vector<HostTensor>& theInputs, std::vector<HostTensor>* theResults) {
{% for line in operand_lines %}
    {{ line }}
{% endfor %}
    for (size_t theIndex = 0; theIndex < (*theResults)[0].values.size(); theIndex++) {
{% for line in element_lines %}
        {{ line }}
{% endfor %}
    }
}

}  // namespace {{ stem }}_golden

#endif  // {{ guard }}_GOLDEN_H
