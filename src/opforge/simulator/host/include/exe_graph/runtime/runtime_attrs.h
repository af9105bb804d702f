// gert::RuntimeAttrs: the attributes of a call by declaration index. Page: "RuntimeAttrs".
#ifndef OPFORGE_EXE_GRAPH_RUNTIME_ATTRS_H
#define OPFORGE_EXE_GRAPH_RUNTIME_ATTRS_H

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

class __attribute__((visibility("default"))) RuntimeAttrs {
public:
    // Null where the index is out of range. T is int64_t, float, bool, char or a (Typed)ContinuousVector.
    template <typename T>
    const T* GetAttrPointer(size_t index) const {
        return static_cast<const T*>(Find(index));
    }
    const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float>* GetListFloat(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    size_t GetAttrNum() const;

protected:
    RuntimeAttrs() {}

private:
    const void* Find(size_t index) const;
};

}  // namespace gert
#endif
