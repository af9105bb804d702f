// ge::Shape: the dims of a tensor, as the tiling functions of the high-level API take them.
// Page: SIMD-API/高阶API/数据结构/TensorShape
#ifndef OPFORGE_GRAPH_TENSOR_H
#define OPFORGE_GRAPH_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/types.h"

namespace ge {

class Shape {
public:
    Shape() = default;
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

    size_t GetDimNum() const { return dims_.size(); }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    // The number of elements; 0 of a shape without dims.
    int64_t GetShapeSize() const {
        int64_t size = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge

#endif
