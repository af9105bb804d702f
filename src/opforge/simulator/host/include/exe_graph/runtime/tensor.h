// gert::Tensor and gert::CompileTimeTensorDesc: what a context tells of one tensor.
// Pages: "Tensor", "CompileTimeTensorDesc", "StorageFormat".
#ifndef OPFORGE_EXE_GRAPH_TENSOR_H
#define OPFORGE_EXE_GRAPH_TENSOR_H

#include "exe_graph/runtime/storage_shape.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace gert {

class StorageFormat {
public:
    StorageFormat() : origin_(ge::FORMAT_ND), storage_(ge::FORMAT_ND) {}
    StorageFormat(ge::Format origin, ge::Format storage) : origin_(origin), storage_(storage) {}
    ge::Format GetOriginFormat() const { return origin_; }
    ge::Format GetStorageFormat() const { return storage_; }

private:
    ge::Format origin_;
    ge::Format storage_;
};

class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() : type_(ge::DT_UNDEFINED) {}
    CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format) : type_(type), format_(format) {}
    ge::DataType GetDataType() const { return type_; }
    const StorageFormat& GetFormat() const { return format_; }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    void SetDataType(ge::DataType type) { type_ = type; }

private:
    ge::DataType type_;
    StorageFormat format_;
};

// Host-side view of a tensor. GetData is null unless the value is known to the host (ValueDepend).
enum TensorPlacement : int32_t { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };

class TensorPlacementUtils {
public:
    static bool IsOnDevice(TensorPlacement placement) { return placement == kOnDeviceHbm || placement == kOnDeviceP2p; }
    static bool IsOnHost(TensorPlacement placement) { return placement == kOnHost || placement == kFollowing; }
    static bool IsOnHostFollowing(TensorPlacement placement) { return placement == kFollowing; }
    static bool IsOnHostNotFollowing(TensorPlacement placement) { return placement == kOnHost; }
    static bool IsOnDeviceHbm(TensorPlacement placement) { return placement == kOnDeviceHbm; }
    static bool IsOnDeviceP2p(TensorPlacement placement) { return placement == kOnDeviceP2p; }
};

class Tensor {
public:
    Tensor() : host_value_(nullptr) {}
    Tensor(const StorageShape& shape, const CompileTimeTensorDesc& desc, const void* host_value)
        : shape_(shape), desc_(desc), host_value_(host_value) {}
    StorageShape& GetShape() { return shape_; }
    const StorageShape& GetShape() const { return shape_; }
    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
    ge::DataType GetDataType() const { return desc_.GetDataType(); }
    const StorageFormat& GetFormat() const { return desc_.GetFormat(); }
    ge::Format GetOriginFormat() const { return desc_.GetOriginFormat(); }
    ge::Format GetStorageFormat() const { return desc_.GetStorageFormat(); }
    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
    template <typename T>
    const T* GetData() const {
        return static_cast<const T*>(host_value_);
    }
    template <typename T>
    T* GetData() {
        return static_cast<T*>(const_cast<void*>(host_value_));
    }
    const void* GetAddr() const { return host_value_; }
    void* GetAddr() { return const_cast<void*>(host_value_); }
    // Bytes of the elements; 0 for types without a whole number of bytes.
    size_t GetSize() const {
        const int bytes = ge::GetSizeByDataType(GetDataType());
        const int64_t count = GetShapeSize();
        const bool whole = bytes > 0 && bytes < ge::kDataTypeSizeBitOffset && count >= 0;
        return whole ? static_cast<size_t>(bytes) * static_cast<size_t>(count) : 0;
    }
    TensorPlacement GetPlacement() const { return host_value_ == nullptr ? kOnDeviceHbm : kOnHost; }
    Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }
    Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }

private:
    StorageShape shape_;
    CompileTimeTensorDesc desc_;
    const void* host_value_;
};

}  // namespace gert
#endif
