// Changes of a tensor's storage between rows (ND) and blocks (FRACTAL_NZ): what TransData does on hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "acl/acl_base.h"

namespace sim {

// A tensor's elements: their number in each dimension, how they lie in memory, and where.
struct Stored {
    const std::vector<int64_t>& dims;         // of the tensor: [..., rows, columns]
    const std::vector<int64_t>& storageDims;  // in FRACTAL_NZ [..., blocks of columns, blocks of rows, 16, columns]
    aclFormat format;
    void* data;
    size_t bytes;
};

// Writes the elements of `from` to `to`, zeros where a block has more. On failure leaves the message and returns the
// code: other formats, shapes that do not belong together, too few bytes.
aclError CastFormat(const Stored& from, const Stored& to, size_t elementBytes);

}  // namespace sim
