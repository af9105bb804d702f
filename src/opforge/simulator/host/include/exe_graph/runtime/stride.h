// gert::Stride: how many elements lie between neighbours of each dimension of a view.
#ifndef OPFORGE_EXE_GRAPH_STRIDE_H
#define OPFORGE_EXE_GRAPH_STRIDE_H

#include "exe_graph/runtime/shape.h"

namespace gert {

class Stride {
public:
    Stride() {}
    Stride(const std::initializer_list<int64_t>& strides) : values_(strides) {}
    size_t GetDimNum() const { return values_.GetDimNum(); }
    void SetDimNum(size_t count) { values_.SetDimNum(count); }
    // Shape::kInvalidDimValue for a dimension that there is not.
    int64_t GetStride(size_t index) const { return values_.GetDim(index); }
    void SetStride(size_t index, int64_t value) { values_.SetDim(index, value); }
    Stride& AppendStride(int64_t value) {
        values_.AppendDim(value);
        return *this;
    }
    const int64_t& operator[](size_t index) const { return values_[index]; }
    int64_t& operator[](size_t index) { return values_[index]; }
    bool operator==(const Stride& other) const { return values_ == other.values_; }
    bool operator!=(const Stride& other) const { return !(*this == other); }

private:
    Shape values_;
};

}  // namespace gert
#endif
