// gert::TypedContinuousVector: a list attribute as the host code reads it. Page: "ContinuousVector".
#ifndef OPFORGE_EXE_GRAPH_CONTINUOUS_VECTOR_H
#define OPFORGE_EXE_GRAPH_CONTINUOUS_VECTOR_H

#include <cstddef>

namespace gert {

class ContinuousVector {
public:
    ContinuousVector() : data_(nullptr), size_(0) {}
    ContinuousVector(const void* data, size_t size) : data_(data), size_(size) {}
    size_t GetSize() const { return size_; }
    size_t GetCapacity() const { return size_; }
    const void* GetData() const { return data_; }

private:
    const void* data_;
    size_t size_;
};

template <typename T>
class TypedContinuousVector : public ContinuousVector {
public:
    TypedContinuousVector() {}
    TypedContinuousVector(const T* data, size_t size) : ContinuousVector(data, size) {}
    const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
};

}  // namespace gert
#endif
