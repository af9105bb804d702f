// Creating, reading and destroying tensors, scalars, arrays and lists.
#include "meta.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "messages.h"

namespace nnopbase {

uint64_t BytesOf(ge::DataType type, uint64_t elements) {
    const int size = ge::GetSizeByDataType(type);
    if (size < 0) {
        return 0;
    }
    if (size > ge::kDataTypeSizeBitOffset) {
        return (elements * static_cast<uint64_t>(size - ge::kDataTypeSizeBitOffset) + 7) / 8;
    }
    return elements * static_cast<uint64_t>(size);
}

namespace {

template <typename List>
aclnnStatus Size(const List* list, uint64_t* size) {
    if (list == nullptr || size == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *size = list->values.size();
    return OK;
}

aclnnStatus CopyDims(const std::vector<int64_t>& dims, int64_t** out, uint64_t* count) {
    if (out == nullptr || count == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *count = dims.size();
    *out = new int64_t[dims.size() + 1];
    std::copy(dims.begin(), dims.end(), *out);
    return OK;
}

bool AnyNegative(const int64_t* dims, uint64_t count) {
    return std::any_of(dims, dims + count, [](int64_t dim) { return dim < 0; });
}

template <typename T>
aclnnStatus Destroy(const T* object) {
    delete object;
    return OK;
}

}  // namespace
}  // namespace nnopbase

uint64_t aclTensor::Elements() const {
    uint64_t elements = 1;
    for (const int64_t dim : view) {
        elements *= static_cast<uint64_t>(dim);
    }
    return elements;
}

bool aclTensor::IsContiguous() const {
    if (Elements() == 0) {
        return true;
    }
    int64_t expected = 1;
    for (size_t i = view.size(); i-- > 0;) {
        if (view[i] != 1 && strides[i] != expected) {
            return false;
        }
        expected *= view[i];
    }
    return true;
}

uint64_t aclTensor::Extent() const {
    if (Elements() == 0) {
        return 0;
    }
    uint64_t last = 0;
    for (size_t i = 0; i < view.size(); ++i) {
        last += static_cast<uint64_t>(view[i] - 1) * static_cast<uint64_t>(strides[i]);
    }
    return last + 1;
}

uint64_t aclTensor::Address() const {
    return reinterpret_cast<uint64_t>(data) + nnopbase::BytesOf(type, static_cast<uint64_t>(offset));
}

uint64_t aclTensor::StorageElements() const {
    uint64_t elements = storage.empty() ? 0 : 1;
    for (const int64_t dim : storage) {
        elements *= dim < 0 ? 0 : static_cast<uint64_t>(dim);
    }
    return elements;
}

uint64_t aclTensor::StorageBytes() const {
    const uint64_t elements = StorageElements();
    const bool reaches = elements >= static_cast<uint64_t>(offset) + Extent();
    return reaches ? nnopbase::BytesOf(type, elements) : 0;
}

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
    if ((viewDims == nullptr && viewDimsNum > 0) || (storageDims == nullptr && storageDimsNum > 0)) {
        nnopbase::Report("EZ1001", "aclCreateTensor: dims are null although their number is not 0");
        return nullptr;
    }
    if (nnopbase::AnyNegative(viewDims, viewDimsNum) || offset < 0) {
        nnopbase::Report("EZ1001", "aclCreateTensor: a dimension or the offset is negative");
        return nullptr;
    }
    if (stride != nullptr && nnopbase::AnyNegative(stride, viewDimsNum)) {
        nnopbase::Report("EZ1001", "aclCreateTensor: a stride is negative");
        return nullptr;
    }
    auto* tensor = new aclTensor;
    tensor->view.assign(viewDims, viewDims + viewDimsNum);
    tensor->storage.assign(storageDims, storageDims + storageDimsNum);
    if (stride != nullptr) {
        tensor->strides.assign(stride, stride + viewDimsNum);
    } else {
        tensor->strides.resize(viewDimsNum);
        int64_t step = 1;
        for (size_t i = viewDimsNum; i-- > 0;) {
            tensor->strides[i] = step;
            step *= viewDims[i];
        }
    }
    tensor->type = static_cast<ge::DataType>(dataType);
    tensor->format = static_cast<ge::Format>(format);
    tensor->offset = offset;
    tensor->data = tensorData;
    return tensor;
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    const uint64_t bytes = nnopbase::BytesOf(static_cast<ge::DataType>(dataType), 1);
    if (value == nullptr || bytes == 0 || bytes > sizeof(aclScalar::value)) {
        nnopbase::Report("EZ1001", "aclCreateScalar: the value is null or its dtype has no size");
        return nullptr;
    }
    auto* scalar = new aclScalar;
    scalar->type = static_cast<ge::DataType>(dataType);
    std::memset(scalar->value, 0, sizeof(scalar->value));
    std::memcpy(scalar->value, value, bytes);
    return scalar;
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    auto* array = new aclIntArray;
    array->values.assign(value, value + size);
    return array;
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    auto* array = new aclFloatArray;
    array->values.assign(value, value + size);
    return array;
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    auto* array = new aclBoolArray;
    array->values.assign(value, value + size);
    return array;
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    auto* list = new aclTensorList;
    list->values.assign(value, value + size);
    return list;
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    auto* list = new aclScalarList;
    list->values.assign(value, value + size);
    return list;
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) { return nnopbase::Destroy(tensor); }
aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return nnopbase::Destroy(scalar); }
aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return nnopbase::Destroy(array); }
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) { return nnopbase::Destroy(array); }
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) { return nnopbase::Destroy(array); }
aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
    if (array != nullptr) {
        for (const aclTensor* tensor : array->values) {
            delete tensor;
        }
    }
    return nnopbase::Destroy(array);
}
aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
    if (array != nullptr) {
        for (const aclScalar* scalar : array->values) {
            delete scalar;
        }
    }
    return nnopbase::Destroy(array);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    return tensor == nullptr ? ACLNN_ERR_PARAM_NULLPTR : nnopbase::CopyDims(tensor->view, viewDims, viewDimsNum);
}
aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
    return tensor == nullptr ? ACLNN_ERR_PARAM_NULLPTR
                             : nnopbase::CopyDims(tensor->storage, storageDims, storageDimsNum);
}
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
    return tensor == nullptr ? ACLNN_ERR_PARAM_NULLPTR : nnopbase::CopyDims(tensor->strides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    if (tensor == nullptr || offset == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *offset = tensor->offset;
    return OK;
}
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    if (tensor == nullptr || format == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *format = static_cast<aclFormat>(tensor->format);
    return OK;
}
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    if (tensor == nullptr || dataType == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *dataType = static_cast<aclDataType>(tensor->type);
    return OK;
}
aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    if (tensor == nullptr || addr == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    *addr = tensor->data;
    return OK;
}
aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    if (tensor == nullptr) {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    tensor->data = addr;
    return OK;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) { return nnopbase::Size(array, size); }
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) { return nnopbase::Size(array, size); }
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) { return nnopbase::Size(array, size); }
aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size) { return nnopbase::Size(list, size); }
aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size) { return nnopbase::Size(list, size); }

// The environment is read at first use, so there is nothing to prepare or to give back.
aclnnStatus aclnnInit(const char*) { return OK; }
aclnnStatus aclnnFinalize(void) { return OK; }
