// gert::Shape: a rank and up to 25 dimensions. Page: "Shape" of the tiling and InferShape context classes.
#ifndef OPFORGE_EXE_GRAPH_SHAPE_H
#define OPFORGE_EXE_GRAPH_SHAPE_H

#include <array>  // this and others: as the public header includes them, for tiling functions that do not
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <type_traits>

namespace gert {

class Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() : dim_num_(0) {}
    Shape(const std::initializer_list<int64_t>& dims) : dim_num_(0) {
        for (const int64_t* dim = dims.begin(); dim != dims.end(); ++dim) {
            AppendDim(*dim);
        }
    }

    bool operator==(const Shape& other) const {
        if (dim_num_ != other.dim_num_) {
            return false;
        }
        for (size_t i = 0; i < dim_num_; ++i) {
            if (dims_[i] != other.dims_[i]) {
                return false;
            }
        }
        return true;
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }

    // Number of elements: 1 for a scalar, -1 where a dimension is unknown (negative) or the product leaves int64.
    int64_t GetShapeSize() const {
        int64_t size = 1;
        bool overflow = false;
        for (size_t i = 0; i < dim_num_; ++i) {
            if (dims_[i] < 0) {
                return -1;
            }
            if (dims_[i] == 0) {
                size = 0;
                overflow = false;
            } else if (size > INT64_MAX / dims_[i]) {
                overflow = true;
            } else if (!overflow) {
                size *= dims_[i];
            }
        }
        return overflow && size != 0 ? -1 : size;
    }
    bool IsScalar() const { return dim_num_ == 0; }
    size_t GetDimNum() const { return dim_num_; }
    void SetScalar() { dim_num_ = 0; }
    void SetDimNum(size_t dim_num) {
        dim_num_ = dim_num;
        if (dim_num_ > kMaxDimNum) {
            dim_num_ = kMaxDimNum;
        }
    }
    int64_t GetDim(size_t index) const {
        if (index >= dim_num_) {
            return kInvalidDimValue;
        }
        return dims_[index];
    }
    const int64_t& operator[](size_t index) const {
        static const int64_t kNone = kInvalidDimValue;
        return index < dim_num_ ? dims_[index] : kNone;
    }
    int64_t& operator[](size_t index) {
        if (index > kMaxDimNum) {
            index = kMaxDimNum;
        }
        return dims_[index];
    }
    void SetDim(size_t index, int64_t value) {
        if (index < kMaxDimNum) {
            dims_[index] = value;
        }
    }
    Shape& AppendDim(int64_t value) {
        if (dim_num_ < kMaxDimNum) {
            dims_[dim_num_++] = value;
        }
        return *this;
    }

private:
    size_t dim_num_;
    int64_t dims_[kMaxDimNum + 1];  // one spare, so that a wrong index of operator[] writes nobody's memory
};

}  // namespace gert
#endif
