// LocalTensor and GlobalTensor.
// Documentation: SIMD-API/基础API/数据结构/LocalTensor, SIMD-API/基础API/数据结构/GlobalTensor
#ifndef ASCENDC_KERNEL_TENSOR_H
#define ASCENDC_KERNEL_TENSOR_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace AscendC {

// What LocalTensor::operator() and GlobalTensor::operator() return: an element that is read or written where it stands.
template <typename Tensor, typename T>
class ElementReference {
public:
    ElementReference(const Tensor& tensor, uint64_t index, sim::Site site)
        : tensor_(tensor), index_(index), site_(site) {}
    operator T() const { return tensor_.GetValue(index_, site_); }
    const ElementReference& operator=(const T& value) const {
        tensor_.SetValue(index_, value, site_);
        return *this;
    }
    const ElementReference& operator=(const ElementReference& other) const { return *this = static_cast<T>(other); }

private:
    const Tensor& tensor_;
    uint64_t index_;
    sim::Site site_;
};

template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    LocalTensor(const sim::Ub& place, TPosition position) : place_(place), position_(position) {}
    // A tensor at a fixed address, for kernels that place their buffers themselves.
    LocalTensor(TPosition position, uint32_t addr, uint32_t size, sim::Site site = sim::Site::Here())
        : place_(sim::UbAt(sim::MemoryOf(position), addr, static_cast<uint64_t>(size) * sizeof(T), site)),
          position_(position) {}

    uint64_t GetPhyAddr() const { return place_.addr; }
    uint64_t GetPhyAddr(uint32_t offset) const { return place_.addr + static_cast<uint64_t>(offset) * sizeof(T); }
    uint32_t GetSize() const { return (place_.end - place_.addr) / static_cast<uint32_t>(sizeof(T)); }
    uint32_t GetLength() const { return place_.end - place_.addr; }
    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    // May shorten or lengthen the view; what lies behind the buffer is still refused when it is touched.
    void SetSize(uint32_t size) { place_.end = place_.addr + size * static_cast<uint32_t>(sizeof(T)); }
    void SetBufferLen(uint32_t bytes) { place_.end = place_.addr + bytes; }
    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }

    T GetValue(uint32_t index, sim::Site site = sim::Site::Here()) const {
        const uint64_t bits = sim::ReadUb(place_, index, sizeof(T), site);
        T value;
        __builtin_memcpy(&value, &bits, sizeof(T));
        return value;
    }
    template <typename U>
    void SetValue(uint32_t index, U value, sim::Site site = sim::Site::Here()) const {
        sim::WriteUb(place_, index, sizeof(T), sim::ScalarBits(static_cast<T>(value)), site);
    }
    ElementReference<LocalTensor, T> operator()(uint32_t index, sim::Site site = sim::Site::Here()) const {
        return {*this, index, site};
    }
    LocalTensor operator[](uint32_t offset) const {
        LocalTensor view = *this;
        view.place_ = sim::Slice(place_, static_cast<uint64_t>(offset) * sizeof(T));
        return view;
    }
    template <typename U>
    LocalTensor<U> ReinterpretCast() const {
        return LocalTensor<U>(place_, position_);
    }

    const sim::Ub& Place() const { return place_; }

private:
    sim::Ub place_;
    TPosition position_ = TPosition::VECCALC;
    TTagType tag_ = 0;
};

template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
        address_ = reinterpret_cast<uint64_t>(buffer);
        size_ = size;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }
    const __gm__ T* GetPhyAddr() const { return reinterpret_cast<const T*>(address_); }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T*>(address_ + offset * sizeof(T)); }
    uint64_t GetSize() const { return size_; }

    T GetValue(uint64_t offset, sim::Site site = sim::Site::Here()) const {
        const uint64_t bits = sim::ReadGm(address_, offset, sizeof(T), site);
        T value;
        __builtin_memcpy(&value, &bits, sizeof(T));
        return value;
    }
    void SetValue(uint64_t offset, T value, sim::Site site = sim::Site::Here()) const {
        sim::WriteGm(address_, offset, sizeof(T), sim::ScalarBits(value), site);
    }
    ElementReference<GlobalTensor, T> operator()(uint64_t offset, sim::Site site = sim::Site::Here()) const {
        return {*this, offset, site};
    }
    GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor view = *this;
        view.address_ = address_ + offset * sizeof(T);
        view.size_ = size_ > offset ? size_ - offset : 0;
        return view;
    }
    template <typename U>
    GlobalTensor<U> ReinterpretCast() const {
        GlobalTensor<U> view;
        view.SetGlobalBuffer(reinterpret_cast<U*>(address_), size_ * sizeof(T) / sizeof(U));
        return view;
    }

    uint64_t Address() const { return address_; }

private:
    uint64_t address_ = 0;
    uint64_t size_ = 0;
};

}  // namespace AscendC

#endif
