{% if computed %}
// The results of {{ op_type }} in double precision on the host, and the trials of this folder's programs.
{% else %}
// The trials of this folder's programs for {{ op_type }}. They have no expected results.
{% endif %}
#ifndef {{ guard }}_GOLDEN_H
#define {{ guard }}_GOLDEN_H

{% if rows %}
#include <algorithm>
{% endif %}
{% if computed %}
#include <cmath>
#include <limits>
{% endif %}
#include <vector>
#include "trial.h"

namespace {{ stem }}_golden {

const std::vector<Trial> kTrials = {
{% for trial in trials %}
    // {{ trial.note }}
    { {{ trial.shapes | wrap }} },
{% endfor %}
};

// The supported combinations of types: of the inputs and then the results.
const std::vector<std::vector<aclDataType>> kTypes = {
{% for types in types %}
    { {{ types | wrap }} },
{% endfor %}
};

// The indices of the results among the tensors, inputs first.
const std::vector<size_t> kPlaces = { {{ places | wrap }} };

{% if rows %}
// The broadcast shape of all inputs.
inline Shape WholeShape(const std::vector<HostTensor>& tensors) {
    Shape whole;
    for (const HostTensor& tensor : tensors) {
        const size_t rank = tensor.Missing() ? 0 : tensor.shape.size();
        if (rank > whole.size()) {
            whole.insert(whole.begin(), rank - whole.size(), 1);
        }
        for (size_t fromEnd = 1; fromEnd <= rank; fromEnd++) {
            const int64_t extent = tensor.shape[rank - fromEnd];
            whole[whole.size() - fromEnd] = extent == 1 ? whole[whole.size() - fromEnd] : extent;
        }
    }
    return whole;
}

// A shape with another last dimension.
inline Shape WithLast(Shape shape, size_t last) {
    shape.back() = static_cast<int64_t>(last);
    return shape;
}

// Whether a row has all of a dimension, counted from the innermost.
{% if in_row_of_rank %}
inline bool InRow(size_t fromEnd, size_t rank) { return {{ in_row }}; }
{% else %}
inline bool InRow(size_t fromEnd, size_t) { return {{ in_row }}; }
{% endif %}

// Calls `visit` for the elements of the row that element `index` of a result belongs to.
template <typename Visit>
void VisitRow(size_t index, const Shape& result, const Visit& visit, size_t fromEnd = 0, size_t step = 1) {
    if (fromEnd == result.size()) {
        visit(index);
        return;
    }
    const size_t extent = static_cast<size_t>(result[result.size() - 1 - fromEnd]);
    const size_t own = index / step % extent;
    for (size_t i = InRow(fromEnd, result.size()) ? 0 : own; i < extent; i = InRow(fromEnd, result.size()) ? i + 1 : extent) {
        VisitRow(index - own * step + i * step, result, visit, fromEnd + 1, step * extent);
    }
}

// The number of the row that element `index` belongs to.
inline size_t RowOf(size_t index, const Shape& result) {
    size_t row = 0;
    size_t rows = 1;
    for (size_t fromEnd = 0; fromEnd < result.size(); fromEnd++) {
        const size_t extent = static_cast<size_t>(result[result.size() - 1 - fromEnd]);
        row += InRow(fromEnd, result.size()) ? 0 : index % extent * rows;
        rows *= InRow(fromEnd, result.size()) ? 1 : extent;
        index /= extent;
    }
    return row;
}

{% if numbers %}
// The number of element `index` in its row, which has one dimension.
inline size_t NumberInRow(size_t index, const Shape& result) {
    size_t fromEnd = 0;
    for (; fromEnd < result.size() && !InRow(fromEnd, result.size()); fromEnd++) {
        index /= static_cast<size_t>(result[result.size() - 1 - fromEnd]);
    }
    return fromEnd < result.size() ? index % static_cast<size_t>(result[result.size() - 1 - fromEnd]) : 0;
}

{% endif %}
// Reductions of the row that element `index` of a result belongs to. `element` computes an element.
template <typename Element>
double SumOfRow(size_t index, const Shape& result, Element element) {
    double sum = 0;
    VisitRow(index, result, [&](size_t at) { sum += element(at); });
    return sum;
}

template <typename Element>
double ProductOfRow(size_t index, const Shape& result, Element element) {
    double product = 1;
    VisitRow(index, result, [&](size_t at) { product *= element(at); });
    return product;
}

template <typename Element>
double LargestOfRow(size_t index, const Shape& result, Element element) {
    double largest = element(index);
    VisitRow(index, result, [&](size_t at) { largest = std::max(largest, element(at)); });
    return largest;
}

template <typename Element>
double LeastOfRow(size_t index, const Shape& result, Element element) {
    return -LargestOfRow(index, result, [&](size_t at) { return -element(at); });
}

{% endif %}
{% if totals %}
// Calls `visit` for the first element of each row.
template <typename Visit>
void VisitRows(const Shape& whole, const Visit& visit) {
    size_t elements = 1;
    for (const int64_t extent : whole) {
        elements *= static_cast<size_t>(extent);
    }
    size_t rows = 0;
    for (size_t i = 0; i < elements; i++) {
        if (RowOf(i, whole) == rows) {
            visit(i);
            rows++;
        }
    }
}

inline size_t RowCount(const Shape& whole) {
    size_t rows = 0;
    VisitRows(whole, [&](size_t) { rows++; });
    return rows;
}

// Reductions of the values of all rows. `value` computes that of the row of an element.
template <typename Value>
double SumOfAll(const Shape& whole, Value value) {
    double sum = 0;
    VisitRows(whole, [&](size_t at) { sum += value(at); });
    return sum;
}

template <typename Value>
double LargestOfAll(const Shape& whole, Value value) {
    double largest = value(0);
    VisitRows(whole, [&](size_t at) { largest = std::max(largest, value(at)); });
    return largest;
}

template <typename Value>
double LeastOfAll(const Shape& whole, Value value) {
    return -LargestOfAll(whole, [&](size_t at) { return -value(at); });
}

{% endif %}
{% if computed %}
{{ formula | comment }}
{% if unsqueezed %}
inline void Compute(const std::vector<HostTensor>& givenTensors, std::vector<HostTensor>* resultTensors) {
    std::vector<HostTensor> inputTensors = givenTensors;
{% for place in unsqueezed %}
    inputTensors[{{ place }}].shape.push_back(1);  // one element for each row
{% endfor %}
{% else %}
inline void Compute(const std::vector<HostTensor>& inputTensors, std::vector<HostTensor>* resultTensors) {
{% endif %}
{% for variable in operands %}
    const {{ variable.type }} {{ variable.name }} = {{ variable.value | wrap }};
{% endfor %}
{% if totals %}
    const Shape resultShape = {{ whole_shape }};
{% for variable in elements %}
    const {{ variable.type }} {{ variable.name }} = {{ variable.value | wrap }};
{% endfor %}
{% for result in results %}
    (*resultTensors)[{{ loop.index0 }}].values[0] = {{ result.value }};
{% endfor %}
}
{% else %}
{% if rows %}
    const Shape resultShape = {{ whole_shape }};
    size_t elementCount = 1;
    for (const int64_t extent : resultShape) {
        elementCount *= static_cast<size_t>(extent);
    }
    for (size_t elementIndex = 0; elementIndex < elementCount; elementIndex++) {
{% else %}
{% if broadcast %}
    const Shape& resultShape = (*resultTensors)[0].shape;
{% endif %}
    for (size_t elementIndex = 0; elementIndex < (*resultTensors)[0].values.size(); elementIndex++) {
{% endif %}
{% for variable in elements %}
        const {{ variable.type }} {{ variable.name }} = {{ variable.value | wrap }};
{% endfor %}
{% for result in results %}
        (*resultTensors)[{{ loop.index0 }}].values[{{ result.index }}] = {{ result.value }};
{% endfor %}
    }
}
{% endif %}
{% else %}
const Golden Compute = nullptr;
{% endif %}

}  // namespace {{ stem }}_golden

#endif  // {{ guard }}_GOLDEN_H
