// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Converts CANN's contexts to plain numbers and strings: shapes, types, attributes, and values that the host may read.
// op_host is compiled as C++11. An input is identified by its index in the definition. In a call, an input has one
// tensor, none if it is optional and missing, or several if it is a list.
#ifndef OP_CONTEXT_H
#define OP_CONTEXT_H

#include <cstdio>
#include <string>
#include <vector>
#include "host_tiling.h"
#include "register/op_def_registry.h"

namespace op_context {

inline host_tiling::Dims DimsOf(const gert::Shape& shape) {
    host_tiling::Dims dims(shape.GetDimNum());
    for (size_t i = 0; i < dims.size(); i++) {
        dims[i] = shape.GetDim(i);
    }
    return dims;
}

inline void SetDims(const host_tiling::Dims& dims, gert::Shape* shape) {
    shape->SetDimNum(dims.size());
    for (size_t i = 0; i < dims.size(); i++) {
        shape->SetDim(i, dims[i]);
    }
}

// Tiling and inference use different functions to access one tensor of the call.
inline const gert::Shape* ShapeAt(const gert::TilingContext* context, size_t tensor) {
    const gert::StorageShape* shape = context->GetInputShape(tensor);
    return shape == nullptr ? nullptr : &shape->GetOriginShape();
}

inline const gert::Shape* ShapeAt(const gert::InferShapeContext* context, size_t tensor) {
    return context->GetInputShape(tensor);
}

inline ge::DataType TypeAt(const gert::TilingContext* context, size_t tensor) {
    const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(tensor);
    return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

inline ge::DataType TypeAt(const gert::InferDataTypeContext* context, size_t tensor) {
    return context->GetInputDataType(tensor);
}

// The shapes of an input's tensors.
template <typename Context>
inline std::vector<host_tiling::Dims> ShapesOf(const Context* context, size_t input) {
    std::vector<host_tiling::Dims> shapes;
    const gert::AnchorInstanceInfo* tensors = context->GetIrInputInstanceInfo(input);
    for (size_t i = 0; tensors != nullptr && i < tensors->GetInstanceNum(); i++) {
        const gert::Shape* shape = ShapeAt(context, tensors->GetInstanceStart() + i);
        if (shape != nullptr) {
            shapes.push_back(DimsOf(*shape));
        }
    }
    return shapes;
}

// Whether all of an input's tensors are of this type.
template <typename Context>
inline bool HasType(const Context* context, size_t input, ge::DataType type) {
    const gert::AnchorInstanceInfo* tensors = context->GetIrInputInstanceInfo(input);
    bool matches = true;
    for (size_t i = 0; tensors != nullptr && i < tensors->GetInstanceNum(); i++) {
        matches = matches && TypeAt(context, tensors->GetInstanceStart() + i) == type;
    }
    return matches;
}

// Attributes by their index in the definition. Returns false for a missing attribute.
template <typename T>
inline bool ReadAttribute(const gert::RuntimeAttrs& attributes, size_t index, T* value) {
    const T* found = attributes.GetAttrPointer<T>(index);
    if (found != nullptr) {
        *value = *found;
    }
    return found != nullptr;
}

inline bool ReadAttribute(const gert::RuntimeAttrs& attributes, size_t index, std::string* text) {
    const char* found = attributes.GetStr(index);
    if (found != nullptr) {
        *text = found;
    }
    return found != nullptr;
}

template <typename T>
inline bool ReadAttribute(const gert::RuntimeAttrs& attributes, size_t index, std::vector<T>* values) {
    const auto* found = attributes.GetAttrPointer<gert::TypedContinuousVector<T>>(index);
    if (found != nullptr) {
        values->assign(found->GetData(), found->GetData() + found->GetSize());
    }
    return found != nullptr;
}

// Reads an attribute for int32 arithmetic of kernels.
inline bool FitsInt32(int64_t value) { return static_cast<int32_t>(value) == value; }

template <typename Stored, typename T>
inline bool Append(const gert::Tensor& tensor, std::vector<T>* values) {
    const Stored* stored = tensor.GetData<Stored>();
    const int64_t count = tensor.GetShapeSize();
    for (int64_t i = 0; stored != nullptr && i < count; i++) {
        values->push_back(static_cast<T>(stored[i]));
    }
    return stored != nullptr || count == 0;
}

// The values of an input that was registered with ValueDepend. Returns false if the host does not know them.
template <typename Context, typename T>
inline bool ReadValues(const Context* context, size_t input, std::vector<T>* values) {
    values->clear();
    const gert::AnchorInstanceInfo* tensors = context->GetIrInputInstanceInfo(input);
    if (tensors == nullptr || tensors->GetInstanceNum() == 0) {
        return true;
    }
    const gert::Tensor* tensor = context->GetInputTensor(tensors->GetInstanceStart());
    if (tensor == nullptr) {
        return false;
    }
    switch (tensor->GetDataType()) {
        case ge::DT_INT64:
            return Append<int64_t>(*tensor, values);
        case ge::DT_INT32:
            return Append<int32_t>(*tensor, values);
        case ge::DT_FLOAT:
            return Append<float>(*tensor, values);
        case ge::DT_BOOL:
            return Append<bool>(*tensor, values);
        default:
            return false;
    }
}

// Reports why an op cannot run, and returns failure.
inline ge::graphStatus Refuse(const char* op, const std::string& reason) {
    std::fprintf(stderr, "[ERROR] %s: %s\n", op, reason.c_str());
    return ge::GRAPH_FAILED;
}

}  // namespace op_context

#endif  // OP_CONTEXT_H
