// How to split the work of ops at shapes for which `opforge tune` found a better way than the tiling's own. Written by
// the build from tuning/*.json, without plans of kernels that have changed since. C++11.
#ifndef TUNED_PLANS_H
#define TUNED_PLANS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include "host_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace tuned_plans {

// The shapes of an input that a plan is for: the last dimension, and the product of all others. A number and a missing
// input count as one element.
struct Shapes {
    int64_t leastRows;
    int64_t mostRows;
    int64_t columns;
};

// A plan for an op, the index of the types in its kColumns, chips with so many vector cores, and the inputs' shapes.
struct Tuned {
    std::string op;
    size_t column;
    int64_t cores;
    std::vector<Shapes> inputs;
    host_tiling::Plan plan;
};

inline const std::vector<Tuned>& Table() {
    static const std::vector<Tuned> table = {
{% for each in entries %}
        // {{ each.note }}
        {"{{ each.op }}", {{ each.column }}, {{ each.cores }}, {{ each.inputs }}, {{ each.plan }}},
{% endfor %}
    };
    return table;
}

inline bool Fits(const host_tiling::Dims& dims, const Shapes& shapes) {
    const int64_t columns = host_tiling::Extent(dims, 0);
    const int64_t elements = host_tiling::ElementsOf(dims);
    const int64_t rows = columns > 0 ? elements / columns : 0;
    return columns == shapes.columns && rows >= shapes.leastRows && rows <= shapes.mostRows;
}

// The plan for a call; all zeros, which leave the choice to the tiling, if there is none.
template <typename Call>
host_tiling::Plan PlanOf(const std::string& op, const platform_ascendc::PlatformAscendC& platform, const Call& call) {
    for (const Tuned& tuned : Table()) {
        bool fits = tuned.op == op && tuned.column == call.column && tuned.cores == platform.GetCoreNumAiv();
        for (size_t i = 0; fits && i < tuned.inputs.size(); i++) {
            fits = Fits(call.inputs[i], tuned.inputs[i]);
        }
        if (fits) {
            return tuned.plan;
        }
    }
    return host_tiling::Plan();
}

}  // namespace tuned_plans

#endif  // TUNED_PLANS_H
