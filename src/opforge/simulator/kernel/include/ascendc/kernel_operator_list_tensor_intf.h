// ListTensorDesc and TensorDesc: the tensors of a dynamic input or output, whose description the kernel's argument is.
// Documentation: SIMD-API/基础API/辅助数据结构/ListTensorDesc
#ifndef ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

namespace AscendC {

class ListTensorDesc;

template <class T>
class TensorDesc {
public:
    // Room for as many dims as the tensor has.
    void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
    uint64_t GetDim() { return rank_; }
    uint64_t GetIndex() { return index_; }
    uint64_t GetShape(uint32_t offset, sim::Site site = sim::Site::Here()) {
        sim::ListDim(rank_, offset, site);
        return shape_[offset];
    }
    __gm__ T* GetDataPtr() { return data_; }
    // Its GetSize is in bytes, as in CANN's own header.
    GlobalTensor<T> GetDataObj() {
        uint64_t bytes = sizeof(T);
        for (uint64_t i = 0; i < rank_; ++i) {
            bytes *= shape_[i];
        }
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_, bytes);
        return tensor;
    }

private:
    friend class ListTensorDesc;

    uint64_t rank_ = 0;
    uint64_t index_ = 0;
    uint64_t* shape_ = nullptr;
    __gm__ T* data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() = default;
    // length and shapeSize are checked where both are given.
    ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
                   sim::Site site = sim::Site::Here()) {
        Init(data, length, shapeSize, site);
    }
    void Init(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
              sim::Site site = sim::Site::Here()) {
        list_ = sim::ListOpen(reinterpret_cast<uint64_t>(data), length, shapeSize, site);
    }
    template <class T>
    void GetDesc(TensorDesc<T>& desc, uint32_t index, sim::Site site = sim::Site::Here()) {
        sim::ListDims(list_, index, desc.shape_, site);
        desc.rank_ = list_.rank;
        desc.index_ = index;
        desc.data_ = GetDataPtr<T>(index, site);
    }
    template <class T>
    __gm__ T* GetDataPtr(uint32_t index, sim::Site site = sim::Site::Here()) {
        return reinterpret_cast<T*>(sim::ListPointer(list_, index, site));
    }
    uint32_t GetSize(sim::Site site = sim::Site::Here()) { return sim::ListSize(list_, site); }

private:
    sim::TensorList list_ = {};
};

}  // namespace AscendC

#endif
