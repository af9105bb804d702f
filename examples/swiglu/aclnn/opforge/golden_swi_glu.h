// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The results of SwiGLU in double precision on the host, and the trials of this folder's programs.
#ifndef SWI_GLU_GOLDEN_H
#define SWI_GLU_GOLDEN_H

#include <cmath>
#include <limits>
#include <vector>
#include "trial.h"

namespace swi_glu_golden {

const std::vector<Trial> kTrials = {
    // one element
    {{{1, 1}, {1, 1}, {1, 1}}, {{1, 1}}},
    // less than a tile
    {{{3, 17}, {17, 33}, {17, 33}}, {{3, 33}}},
    // several tiles
    {{{2, 65, 129}, {129, 257}, {129, 257}}, {{2, 65, 257}}},
    // no inner elements: products are zero
    {{{4, 0}, {0, 5}, {0, 5}}, {{4, 5}}},
    // no rows
    {{{0, 16}, {16, 16}, {16, 16}}, {{0, 16}}},
};

// The supported combinations of types: of the inputs and then the results.
const std::vector<std::vector<aclDataType>> kTypes = {
    {ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16},
    {ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16},
    {ACL_FLOAT, ACL_FLOAT, ACL_FLOAT, ACL_FLOAT},
};

// The indices of the results among the tensors, inputs first.
const std::vector<size_t> kPlaces = {3};

// y = silu(x @ w_gate) * (x @ w_up)
inline void Compute(const std::vector<HostTensor>& inputTensors, std::vector<HostTensor>* resultTensors) {
    const HostTensor& xMatrix = inputTensors[0];
    const HostTensor& w_gateMatrix = inputTensors[1];
    const HostTensor& w_upMatrix = inputTensors[2];
    const size_t innerSize = w_gateMatrix.shape[0];
    const size_t columnCount = w_gateMatrix.shape[1];
    for (size_t elementIndex = 0; elementIndex < (*resultTensors)[0].values.size(); elementIndex++) {
        const size_t rowIndex = elementIndex / columnCount;
        const size_t columnIndex = elementIndex % columnCount;
        const double gate = Dot(xMatrix, rowIndex * innerSize, 1, w_gateMatrix, columnIndex, columnCount, innerSize);
        const double valueOf4 = gate / (1.0 + std::exp(-gate));
        const double up = Dot(xMatrix, rowIndex * innerSize, 1, w_upMatrix, columnIndex, columnCount, innerSize);
        const double y = valueOf4 * up;
        (*resultTensors)[0].values[elementIndex] = y;
    }
}

}  // namespace swi_glu_golden

#endif  // SWI_GLU_GOLDEN_H
