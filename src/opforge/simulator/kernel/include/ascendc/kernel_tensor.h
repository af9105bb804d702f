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
    struct NoNumber {};

public:
    ElementReference(const Tensor& tensor, uint64_t index, sim::Site site)
        : tensor_(tensor), index_(index), site_(site) {}
    operator T() const { return tensor_.GetValue(index_, site_); }
    // half is a built-in number of the device, which an element of it converts from as any other.
    operator std::conditional_t<std::is_same_v<T, half>, float, NoNumber>() const {
        if constexpr (std::is_same_v<T, half>) {
            return tensor_.GetValue(index_, site_);
        } else {
            return {};
        }
    }
    const ElementReference& operator=(const T& value) const {
        tensor_.Write(index_, value, site_);
        return *this;
    }
    const ElementReference& operator=(const ElementReference& other) const { return *this = static_cast<T>(other); }
    template <typename U>
    const ElementReference& operator+=(const U& value) const {
        return *this = static_cast<T>(static_cast<T>(*this) + value);
    }
    template <typename U>
    const ElementReference& operator-=(const U& value) const {
        return *this = static_cast<T>(static_cast<T>(*this) - value);
    }
    template <typename U>
    const ElementReference& operator*=(const U& value) const {
        return *this = static_cast<T>(static_cast<T>(*this) * value);
    }
    template <typename U>
    const ElementReference& operator/=(const U& value) const {
        return *this = static_cast<T>(static_cast<T>(*this) / value);
    }

private:
    const Tensor& tensor_;
    uint64_t index_;
    sim::Site site_;
};

using TBufHandle = uint8_t*;

// Where a LocalTensor lies, which kernels may read and write.
struct TBuffAddr {
    uint32_t dataLen = 0;  // in bytes
    uint32_t bufferAddr = 0;
    TBufHandle bufferHandle = nullptr;
    uint8_t logicPos = static_cast<uint8_t>(TPosition::VECCALC);
};

template <typename T>
class LocalTensor;

// What an operator of two tensors returns. Its instruction runs when it is assigned, for all elements of that tensor.
#define ASCENDC_SIM_SYMBOL(times, Function)                                                                \
    template <typename T>                                                                                  \
    class SymbolOverride##Function {                                                                       \
    public:                                                                                                \
        SymbolOverride##Function(const LocalTensor<T>& a, const LocalTensor<T>& b) : src0_(a), src1_(b) {} \
        void Process(const LocalTensor<T>& dst) const {                                                    \
            Function(dst, src0_, src1_, static_cast<int32_t>(dst.GetSize()) * (times));                    \
        }                                                                                                  \
                                                                                                           \
    private:                                                                                               \
        const LocalTensor<T>& src0_;                                                                       \
        const LocalTensor<T>& src1_;                                                                       \
    };
ASCENDC_SIM_SYMBOL((1), Add)
ASCENDC_SIM_SYMBOL((1), Sub)
ASCENDC_SIM_SYMBOL((1), Mul)
ASCENDC_SIM_SYMBOL((1), Div)
ASCENDC_SIM_SYMBOL(sim::kOn950 ? 1 : sim::kHalves<T>, And)
ASCENDC_SIM_SYMBOL(sim::kOn950 ? 1 : sim::kHalves<T>, Or)
#undef ASCENDC_SIM_SYMBOL

// As they, for all elements of the first source: the result has one bit of each.
template <typename T>
class SymbolOverrideCompare {
public:
    SymbolOverrideCompare(const LocalTensor<T>& a, const LocalTensor<T>& b, CMPMODE mode)
        : src0_(a), src1_(b), mode_(mode) {}
    template <typename U>
    void Process(const LocalTensor<U>& dst) const {
        Compare(dst, src0_, src1_, mode_, src0_.GetSize());
    }

private:
    const LocalTensor<T>& src0_;
    const LocalTensor<T>& src1_;
    CMPMODE mode_;
};

template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    LocalTensor(const LocalTensor&) = default;
    LocalTensor& operator=(const LocalTensor&) = default;
    SymbolOverrideAdd<T> operator+(const LocalTensor<T>& src1) const { return {*this, src1}; }
    SymbolOverrideSub<T> operator-(const LocalTensor<T>& src1) const { return {*this, src1}; }
    SymbolOverrideMul<T> operator*(const LocalTensor<T>& src1) const { return {*this, src1}; }
    SymbolOverrideDiv<T> operator/(const LocalTensor<T>& src1) const { return {*this, src1}; }
    SymbolOverrideAnd<T> operator&(const LocalTensor<T>& src1) const { return {*this, src1}; }
    SymbolOverrideOr<T> operator|(const LocalTensor<T>& src1) const { return {*this, src1}; }
    SymbolOverrideCompare<T> operator<(const LocalTensor<T>& src1) const { return {*this, src1, CMPMODE::LT}; }
    SymbolOverrideCompare<T> operator>(const LocalTensor<T>& src1) const { return {*this, src1, CMPMODE::GT}; }
    SymbolOverrideCompare<T> operator==(const LocalTensor<T>& src1) const { return {*this, src1, CMPMODE::EQ}; }
    SymbolOverrideCompare<T> operator<=(const LocalTensor<T>& src1) const { return {*this, src1, CMPMODE::LE}; }
    SymbolOverrideCompare<T> operator>=(const LocalTensor<T>& src1) const { return {*this, src1, CMPMODE::GE}; }
    SymbolOverrideCompare<T> operator!=(const LocalTensor<T>& src1) const { return {*this, src1, CMPMODE::NE}; }
    void operator=(const SymbolOverrideAdd<T>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideSub<T>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideMul<T>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideDiv<T>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideAnd<T>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideOr<T>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideCompare<float>& symbolOverride) { symbolOverride.Process(*this); }
    void operator=(const SymbolOverrideCompare<half>& symbolOverride) { symbolOverride.Process(*this); }
    LocalTensor(const sim::Ub& place, TPosition position) { Lie(place, position); }
    // A tensor at a fixed address, for kernels that place their buffers themselves.
    LocalTensor(TPosition position, uint32_t addr, uint32_t size, sim::Site site = sim::Site::Here()) {
        Lie(sim::UbAt(sim::MemoryOf(position), addr, sim::BytesOf<T>(size), site), position);
    }

    uint64_t GetPhyAddr() const { return address_.bufferAddr; }
    uint64_t GetPhyAddr(uint32_t offset) const { return address_.bufferAddr + sim::BytesOf<T>(offset); }
    uint32_t GetSize() const { return static_cast<uint32_t>(sim::ElementsIn<T>(address_.dataLen)); }
    uint32_t GetLength() const { return address_.dataLen; }
    int32_t GetPosition() const { return address_.logicPos; }
    TBufHandle GetBufferHandle() const { return address_.bufferHandle; }
    // May shorten or lengthen the view; what lies behind the buffer is still refused when it is touched.
    void SetSize(uint32_t size) { address_.dataLen = static_cast<uint32_t>(sim::BytesOf<T>(size)); }
    void SetBufferLen(uint32_t bytes) { address_.dataLen = bytes; }
    // Kernels that place their buffers themselves; the device's own header calls both its own.
    void SetAddr(const TBuffAddr& bufferAddr) { address_ = bufferAddr; }
    void InitBuffer(uint32_t bufferOffset, uint32_t bufferSize) {
        address_.bufferAddr = bufferOffset;
        address_.dataLen = static_cast<uint32_t>(sim::BytesOf<T>(bufferSize));
    }
    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    // Becomes `src` from its element `offset` on. The device's own header calls it deprecated.
    template <typename U>
    void SetAddrWithOffset(LocalTensor<U>& src, uint32_t offset) {
        Lie(src[offset].Place(), static_cast<TPosition>(src.GetPosition()));
    }

    T GetValue(uint32_t index, sim::Site site = sim::Site::Here()) const {
        static_assert(sim::kBitsOf<T> >= 8, "LocalTensor::GetValue: an element of int4b_t has no address");
        const uint64_t bits = sim::ReadUb(Place(), index, sizeof(T), site);
        T value;
        __builtin_memcpy(&value, &bits, sizeof(T));
        return value;
    }
    template <typename U>
    void SetValue(uint32_t index, U value, sim::Site site = sim::Site::Here()) const {
        static_assert(sim::kBitsOf<T> >= 8, "LocalTensor::SetValue: an element of int4b_t has no address");
        sim::WriteUb(Place(), index, sizeof(T), sim::ScalarBits(static_cast<T>(value)), site);
    }
    ElementReference<LocalTensor, T> operator()(uint32_t index, sim::Site site = sim::Site::Here()) const {
        return {*this, index, site};
    }
    LocalTensor operator[](uint32_t offset) const {
        LocalTensor view = *this;
        view.Lie(sim::Slice(Place(), sim::BytesOf<T>(offset)), static_cast<TPosition>(address_.logicPos));
        return view;
    }
    template <typename U>
    LocalTensor<U> ReinterpretCast() const {
        return LocalTensor<U>(Place(), static_cast<TPosition>(address_.logicPos));
    }

    // Follows address_, which the kernel may have changed: a place of its own choice is of no queue's buffer.
    const sim::Ub& Place() const {
        if (address_.bufferAddr != place_.addr || address_.logicPos != position_) {
            place_ = {address_.bufferAddr, 0, -1, 0, sim::MemoryOf(static_cast<TPosition>(address_.logicPos))};
            position_ = address_.logicPos;
        }
        place_.end = address_.bufferAddr + address_.dataLen;
        return place_;
    }

    TBuffAddr address_;

private:
    friend ElementReference<LocalTensor, T>;
    void Write(uint32_t index, T value, sim::Site site) const { SetValue(index, value, site); }

    void Lie(const sim::Ub& place, TPosition position) {
        place_ = place;
        position_ = static_cast<uint8_t>(position);
        address_ = {place.end - place.addr, place.addr, nullptr, position_};
    }

    mutable sim::Ub place_;
    mutable uint8_t position_ = static_cast<uint8_t>(TPosition::VECCALC);  // of place_
    TTagType tag_ = 0;
    ShapeInfo shape_;
};

template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
        address_ = buffer;
        size_ = size;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }
    const __gm__ T* GetPhyAddr() const { return address_; }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T*>(Address() + sim::BytesOf<T>(offset)); }
    uint64_t GetSize() const { return size_; }

    T GetValue(uint64_t offset, sim::Site site = sim::Site::Here()) const {
        static_assert(sim::kBitsOf<T> >= 8, "GlobalTensor::GetValue: an element of int4b_t has no address");
        const uint64_t bits = sim::ReadGm(Address(), offset, sizeof(T), site);
        T value;
        __builtin_memcpy(&value, &bits, sizeof(T));
        return value;
    }
    void SetValue(uint64_t offset, T value, sim::Site site = sim::Site::Here()) { Write(offset, value, site); }
    ElementReference<GlobalTensor, T> operator()(uint64_t offset, sim::Site site = sim::Site::Here()) const {
        return {*this, offset, site};
    }
    GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor view = *this;
        view.address_ = GetPhyAddr(offset);
        view.size_ = size_ > offset ? size_ - offset : 0;
        return view;
    }
    template <typename U>
    GlobalTensor<U> ReinterpretCast() const {
        static_assert(sim::kNever<U>,
                      "GlobalTensor::ReinterpretCast: not there on Atlas A2, A3 and ascend310p: SetGlobalBuffer with a "
                      "pointer of the other type (GlobalTensor/ReinterpretCast)");
        return {};
    }

    void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = shapeInfo; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    // How the L2 cache treats the tensor changes when data arrive, not which: only the model of time asks.
    template <CacheRwMode rwMode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode mode) {
        cacheMode_ = mode;
    }
    bool BypassesL2() const { return cacheMode_ == CacheMode::CACHE_MODE_DISABLE; }

    uint64_t Address() const { return reinterpret_cast<uint64_t>(address_); }

    __gm__ T* address_ = nullptr;  // as the device's own header has it, which kernels read

private:
    friend ElementReference<GlobalTensor, T>;
    // An element is written through a constant tensor too: operator() refers to it. SetValue is not constant.
    void Write(uint64_t offset, T value, sim::Site site) const {
        static_assert(sim::kBitsOf<T> >= 8, "GlobalTensor::SetValue: an element of int4b_t has no address");
        sim::WriteGm(Address(), offset, sizeof(T), sim::ScalarBits(value), site);
    }

    uint64_t size_ = 0;
    CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;
    ShapeInfo shape_;
};

// Tensors at addresses that follow each other, for kernels without a TPipe.
// Documentation: SIMD-API/基础API/资源管理/LocalMemAllocator
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
    static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                  "LocalMemAllocator: the memory is UB, L1, L0A, L0B, L0C, BIAS or FIXBUF (LocalMemAllocator构造函数)");

public:
    uint32_t GetCurAddr() const { return head_; }
    template <TPosition pos, class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(sim::Site site = sim::Site::Here()) {
        return Alloc<pos, DataType>(tileSize, site);
    }
    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, sim::Site site = sim::Site::Here()) {
        static_assert(sim::MemoryOf(pos) == sim::MemoryOf(hard),
                      "LocalMemAllocator::Alloc: the position lies in another memory (LocalMemAllocator/Alloc)");
        const LocalTensor<DataType> tensor(pos, head_, tileSize, site);
        head_ += static_cast<uint32_t>((sim::BytesOf<DataType>(tileSize) + 31) / 32 * 32);
        return tensor;
    }
    template <class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(sim::Site site = sim::Site::Here()) {
        return Alloc<sim::PositionOf(hard), DataType>(tileSize, site);
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, sim::Site site = sim::Site::Here()) {
        return Alloc<sim::PositionOf(hard), DataType>(tileSize, site);
    }

private:
    uint32_t head_ = 0;
};

}  // namespace AscendC

#endif
