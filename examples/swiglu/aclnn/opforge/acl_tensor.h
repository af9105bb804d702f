// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Arguments of aclnn's functions. A null pointer is a missing optional argument.
#ifndef ACL_TENSOR_H
#define ACL_TENSOR_H

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <vector>
#include "aclnn/acl_meta.h"
#include "trial.h"

// Destroys an argument. A list destroys its elements.
struct AclDelete {
    void operator()(aclTensor* tensor) const { Report(aclDestroyTensor(tensor), "aclDestroyTensor"); }
    void operator()(aclTensorList* list) const { Report(aclDestroyTensorList(list), "aclDestroyTensorList"); }
    void operator()(aclScalar* scalar) const { Report(aclDestroyScalar(scalar), "aclDestroyScalar"); }
    void operator()(aclScalarList* list) const { Report(aclDestroyScalarList(list), "aclDestroyScalarList"); }
    void operator()(aclIntArray* array) const { Report(aclDestroyIntArray(array), "aclDestroyIntArray"); }
    void operator()(aclFloatArray* array) const { Report(aclDestroyFloatArray(array), "aclDestroyFloatArray"); }
    void operator()(aclBoolArray* array) const { Report(aclDestroyBoolArray(array), "aclDestroyBoolArray"); }
};

template <typename T>
using AclPointer = std::unique_ptr<T, AclDelete>;

template <typename T>
inline AclPointer<T> Made(T* argument, const char* call) {
    if (argument == nullptr) {
        throw std::runtime_error(Failure(call, 0));
    }
    return AclPointer<T>(argument);
}

// The description of a device tensor.
inline AclPointer<aclTensor> NewTensor(const DeviceTensor& tensor) {
    if (tensor.Missing()) {
        return nullptr;
    }
    const Shape& shape = tensor.shape;
    Shape strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * shape[i];
    }
    return Made(aclCreateTensor(shape.data(), shape.size(), tensor.type, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                                shape.size(), tensor.Address()),
                "aclCreateTensor");
}

// The descriptions of `count` device tensors from `first` on.
inline AclPointer<aclTensorList> NewTensorList(const std::vector<DeviceTensor>& tensors, size_t first, size_t count) {
    std::vector<AclPointer<aclTensor>> owned;
    std::vector<const aclTensor*> listed;
    for (size_t i = first; i < first + count && !tensors[i].Missing(); i++) {
        owned.push_back(NewTensor(tensors[i]));
        listed.push_back(owned.back().get());
    }
    if (listed.empty()) {
        return nullptr;
    }
    AclPointer<aclTensorList> list = Made(aclCreateTensorList(listed.data(), listed.size()), "aclCreateTensorList");
    for (AclPointer<aclTensor>& tensor : owned) {
        tensor.release();
    }
    return list;
}

// The first value of a tensor.
inline AclPointer<aclScalar> NewScalar(const DeviceTensor& tensor) {
    if (tensor.Missing()) {
        return nullptr;
    }
    return Made(aclCreateScalar(tensor.Bytes().data(), tensor.type), "aclCreateScalar");
}

// All values of a tensor.
inline AclPointer<aclScalarList> NewScalarList(const DeviceTensor& tensor) {
    std::vector<uint8_t> bytes = tensor.Bytes();
    std::vector<AclPointer<aclScalar>> owned;
    std::vector<const aclScalar*> listed;
    for (size_t at = 0; at < bytes.size(); at += BytesOf(tensor.type)) {
        owned.push_back(Made(aclCreateScalar(&bytes[at], tensor.type), "aclCreateScalar"));
        listed.push_back(owned.back().get());
    }
    AclPointer<aclScalarList> list = Made(aclCreateScalarList(listed.data(), listed.size()), "aclCreateScalarList");
    for (AclPointer<aclScalar>& scalar : owned) {
        scalar.release();
    }
    return list;
}

inline AclPointer<aclIntArray> NewIntArray(std::initializer_list<int64_t> values) {
    return Made(aclCreateIntArray(values.begin(), values.size()), "aclCreateIntArray");
}

inline AclPointer<aclFloatArray> NewFloatArray(std::initializer_list<float> values) {
    return Made(aclCreateFloatArray(values.begin(), values.size()), "aclCreateFloatArray");
}

inline AclPointer<aclBoolArray> NewBoolArray(std::initializer_list<bool> values) {
    return Made(aclCreateBoolArray(values.begin(), values.size()), "aclCreateBoolArray");
}

// All values of a tensor, for an input that the host reads.
inline AclPointer<aclIntArray> NewIntArray(const DeviceTensor& tensor) {
    const std::vector<double> values = tensor.Values();
    const std::vector<int64_t> integers(values.begin(), values.end());
    return tensor.Missing() ? nullptr : Made(aclCreateIntArray(integers.data(), integers.size()), "aclCreateIntArray");
}

inline AclPointer<aclFloatArray> NewFloatArray(const DeviceTensor& tensor) {
    const std::vector<double> values = tensor.Values();
    const std::vector<float> floats(values.begin(), values.end());
    return tensor.Missing() ? nullptr : Made(aclCreateFloatArray(floats.data(), floats.size()), "aclCreateFloatArray");
}

inline AclPointer<aclBoolArray> NewBoolArray(const DeviceTensor& tensor) {
    const std::vector<double> values = tensor.Values();
    const std::unique_ptr<bool[]> flags(new bool[values.size()]);
    for (size_t i = 0; i < values.size(); i++) {
        flags[i] = values[i] != 0;
    }
    return tensor.Missing() ? nullptr : Made(aclCreateBoolArray(flags.get(), values.size()), "aclCreateBoolArray");
}

#endif  // ACL_TENSOR_H
