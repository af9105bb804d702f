// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Broadcast shapes with as few dimensions as possible, for kernels that copy operands part by part. C++11.
#ifndef COLLAPSE_H
#define COLLAPSE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include "host_tiling.h"

namespace collapse {

using host_tiling::Dims;
using host_tiling::Extent;

constexpr size_t kMaxDims = 8;  // of a collapsed shape: the maximum of an aclTensor

// The output's shape without dimensions of extent 1. Neighbouring dimensions are merged if the strides of all inputs
// allow it. Innermost dimension first; unused extents are 1, unused strides 0.
template <size_t kInputs>
struct Collapsed {
    size_t rank;
    int64_t elements;
    bool broadcast;  // the shape of at least one input differs from the output's
    int64_t shape[kMaxDims];
    int64_t strides[kInputs][kMaxDims];
};

// Returns false if more than kMaxDims dimensions remain.
template <size_t kInputs>
inline bool Collapse(const Dims& output, const Dims (&inputs)[kInputs], Collapsed<kInputs>& result) {
    result.rank = 0;
    result.elements = 1;
    result.broadcast = false;
    std::fill_n(result.shape, kMaxDims, 1);
    std::fill_n(&result.strides[0][0], kInputs * kMaxDims, 0);
    int64_t step[kInputs];  // elements of each input from one index of the current dimension to the next
    bool repeated[kInputs] = {};
    std::fill_n(step, kInputs, 1);
    for (size_t fromEnd = 0; fromEnd < output.size(); fromEnd++) {
        const int64_t extent = Extent(output, fromEnd);
        result.elements *= extent;
        if (extent == 1) {
            continue;
        }
        bool joins = result.rank > 0;
        for (size_t i = 0; i < kInputs; i++) {
            const bool repeats = Extent(inputs[i], fromEnd) == 1;
            joins = joins && repeats == repeated[i];
            repeated[i] = repeats;
            result.broadcast = result.broadcast || repeats;
        }
        if (!joins) {
            if (result.rank == kMaxDims) {
                return false;
            }
            for (size_t i = 0; i < kInputs; i++) {
                result.strides[i][result.rank] = repeated[i] ? 0 : step[i];
            }
            result.rank++;
        }
        result.shape[result.rank - 1] *= extent;
        for (size_t i = 0; i < kInputs; i++) {
            step[i] *= repeated[i] ? 1 : extent;
        }
    }
    return true;
}

}  // namespace collapse

#endif  // COLLAPSE_H
