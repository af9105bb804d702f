// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The results of VectorAdd in double precision on the host, and the trials of this folder's programs.
#ifndef VECTOR_ADD_GOLDEN_H
#define VECTOR_ADD_GOLDEN_H

#include <cmath>
#include <limits>
#include <vector>
#include "trial.h"

namespace vector_add_golden {

const std::vector<Trial> kTrials = {
    // one element
    {{{1}, {1}}, {{1}}},
    // less than a block
    {{{31}, {31}}, {{31}}},
    // several dimensions
    {{{2, 3, 257}, {2, 3, 257}}, {{2, 3, 257}}},
    // every core at work
    {{{7, 40961}, {7, 40961}}, {{7, 40961}}},
    // no elements
    {{{0, 5}, {0, 5}}, {{0, 5}}},
    // a repeated row
    {{{5, 67}, {67}}, {{5, 67}}},
};

// The supported combinations of types: of the inputs and then the results.
const std::vector<std::vector<aclDataType>> kTypes = {
    {ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16},
    {ACL_BF16, ACL_BF16, ACL_BF16},
    {ACL_FLOAT, ACL_FLOAT, ACL_FLOAT},
};

// The indices of the results among the tensors, inputs first.
const std::vector<size_t> kPlaces = {2};

// z = x + y
inline void Compute(const std::vector<HostTensor>& inputTensors, std::vector<HostTensor>* resultTensors) {
    const Shape& resultShape = (*resultTensors)[0].shape;
    for (size_t elementIndex = 0; elementIndex < (*resultTensors)[0].values.size(); elementIndex++) {
        const double x = inputTensors[0].At(elementIndex, resultShape);
        const double y = inputTensors[1].At(elementIndex, resultShape);
        const double z = x + y;
        (*resultTensors)[0].values[elementIndex] = z;
    }
}

}  // namespace vector_add_golden

#endif  // VECTOR_ADD_GOLDEN_H
