// Reductions: of repeats, of blocks, of pairs, and of a tensor.
// Documentation: SIMD-API/基础API/Memory矢量计算/归约计算 and 归约计算辅助配置接口; the same data types on all SoCs.
// The names WholeReduceX, BlockReduceX, PairReduceSum and RepeatReduceSum are older ones of ReduceRepeat,
// ReduceDataBlock and ReducePairElem, with the order of mask and repeatTime as it was.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_REDUCE_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_REDUCE_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

enum class ReduceType { NONE = -1, SUM, MAX, MIN };

}  // namespace AscendC

namespace sim {

constexpr ReduceOp ReduceOpOf(AscendC::ReduceType type) {
    return type == AscendC::ReduceType::SUM ? ReduceOp::kSum
                                            : (type == AscendC::ReduceType::MAX ? ReduceOp::kMax : ReduceOp::kMin);
}

template <typename T, typename U>
void Reduced(const VectorCall& call, ReduceOp op, ReduceUnit unit, AscendC::ReduceOrder order,
             const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src, const MaskArgument& mask,
             int32_t times, int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {
    const Repeats repeats{{mask.mask[0], mask.mask[1]},
                          mask.from,
                          1,
                          1,
                          {static_cast<uint32_t>(srcBlkStride), 0},
                          static_cast<uint32_t>(dstRepStride),
                          {static_cast<uint32_t>(srcRepStride), 0}};
    ReduceRepeats(call, {op, unit, static_cast<uint8_t>(order)}, kDtype<T>, dst.Place(), src.Place(), repeats, times);
}

template <typename T>
void ReducedAll(const VectorCall& call, ReduceOp op, const AscendC::LocalTensor<T>& dst,
                const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<T>& work, const MaskArgument& mask,
                int32_t times, int32_t srcRepStride, bool calIndex) {
    const Repeats repeats{
        {mask.mask[0], mask.mask[1]}, mask.from, 1, 1, {1, 0}, 1, {static_cast<uint32_t>(srcRepStride), 0}};
    ReduceAll(call, op, kDtype<T>, dst.Place(), src.Place(), work.Place(), -1, &repeats, times, calIndex);
}

}  // namespace sim

namespace AscendC {

#define ASCENDC_SIM_REDUCE_REPEAT(Function, op, page, ...)                                                      \
    template <typename T, bool isSetMask = true>                                                                \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const sim::ConstMask32& mask,           \
                  const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,             \
                  const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,               \
                  sim::Site site = sim::Site::Here()) {                                                         \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                              \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                   \
        sim::Reduced({#Function, page, site}, sim::ReduceOp::op, sim::ReduceUnit::kRepeat, order, dst, src,     \
                     sim::MaskArgument(isSetMask, mask), repeatTime, dstRepStride, srcBlkStride, srcRepStride); \
    }

ASCENDC_SIM_REDUCE_REPEAT(WholeReduceMax, kMax, "归约计算/ReduceRepeat", half, float)
ASCENDC_SIM_REDUCE_REPEAT(WholeReduceMin, kMin, "归约计算/ReduceRepeat", half, float)

#undef ASCENDC_SIM_REDUCE_REPEAT

template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const sim::ConstMask32& mask,
                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                    const int32_t srcRepStride, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>,
                  "WholeReduceSum: the data type is not one of half, float (归约计算/ReduceRepeat)");
    sim::Reduced({"WholeReduceSum", "归约计算/ReduceRepeat", site}, sim::ReduceOp::kSum, sim::ReduceUnit::kRepeat,
                 ReduceOrder::ORDER_ONLY_VALUE, dst, src, sim::MaskArgument(isSetMask, mask), repeatTime, dstRepStride,
                 srcBlkStride, srcRepStride);
}

// WholeReduceSum with other places for its arguments; dstBlkStride does nothing.
template <typename T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask,
                     const int32_t dstBlkStride, const int32_t srcBlkStride, const int32_t dstRepStride,
                     const int32_t srcRepStride, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>,
                  "RepeatReduceSum: the data type is not one of half, float (归约计算/ReduceRepeat)");
    (void)dstBlkStride;
    sim::Reduced({"RepeatReduceSum", "归约计算/ReduceRepeat", site}, sim::ReduceOp::kSum, sim::ReduceUnit::kRepeat,
                 ReduceOrder::ORDER_ONLY_VALUE, dst, src, sim::MaskArgument(isSetMask, static_cast<uint64_t>(mask)),
                 repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

#define ASCENDC_SIM_REDUCE_BLOCK(Function, op, unit, page, ...)                                                        \
    template <typename T, bool isSetMask = true>                                                                       \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,                      \
                  const sim::ConstMask32& mask, const int32_t dstRepStride, const int32_t srcBlkStride,                \
                  const int32_t srcRepStride, sim::Site site = sim::Site::Here()) {                                    \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                     \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                          \
        sim::Reduced({#Function, page, site}, sim::ReduceOp::op, sim::ReduceUnit::unit, ReduceOrder::ORDER_ONLY_VALUE, \
                     dst, src, sim::MaskArgument(isSetMask, mask), repeatTime, dstRepStride, srcBlkStride,             \
                     srcRepStride);                                                                                    \
    }

ASCENDC_SIM_REDUCE_BLOCK(BlockReduceSum, kSum, kBlock, "归约计算/ReduceDataBlock", half, float)
ASCENDC_SIM_REDUCE_BLOCK(BlockReduceMax, kMax, kBlock, "归约计算/ReduceDataBlock", half, float)
ASCENDC_SIM_REDUCE_BLOCK(BlockReduceMin, kMin, kBlock, "归约计算/ReduceDataBlock", half, float)
ASCENDC_SIM_REDUCE_BLOCK(PairReduceSum, kSum, kPair, "归约计算/ReducePairElem", half, float)

#undef ASCENDC_SIM_REDUCE_BLOCK

// `Parameters` and `order`: only the reduction of repeats says in which order it writes value and index.
#define ASCENDC_SIM_REDUCE_TYPED(Function, unit, order, page, Parameters)                                             \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                   \
    void Function Parameters {                                                                                        \
        static_assert(reduceType != ReduceType::NONE, #Function ": reduceType is SUM, MAX or MIN (" page ")");        \
        static_assert(sim::kOneOf<T, half, float>, #Function ": the data type is not one of half, float (" page ")"); \
        static_assert(std::is_same<T, U>::value,                                                                      \
                      #Function ": source and destination are of different types (" page ")");                        \
        sim::Reduced({#Function, page, site}, sim::ReduceOpOf(reduceType), sim::ReduceUnit::unit, order, dst, src,    \
                     sim::MaskArgument(isSetMask, mask), repeatTime, dstRepStride, srcBlkStride, srcRepStride);       \
    }

ASCENDC_SIM_REDUCE_TYPED(ReduceRepeat, kRepeat, order, "归约计算/ReduceRepeat",
                         (const LocalTensor<T>& dst, const LocalTensor<U>& src, const sim::ConstMask32& mask,
                          const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                          const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                          sim::Site site = sim::Site::Here()))
ASCENDC_SIM_REDUCE_TYPED(ReduceDataBlock, kBlock, ReduceOrder::ORDER_ONLY_VALUE, "归约计算/ReduceDataBlock",
                         (const LocalTensor<T>& dst, const LocalTensor<U>& src, const sim::ConstMask32& mask,
                          const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                          const int32_t srcRepStride, sim::Site site = sim::Site::Here()))
ASCENDC_SIM_REDUCE_TYPED(ReducePairElem, kPair, ReduceOrder::ORDER_ONLY_VALUE, "归约计算/ReducePairElem",
                         (const LocalTensor<T>& dst, const LocalTensor<U>& src, const sim::ConstMask32& mask,
                          const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                          const int32_t srcRepStride, sim::Site site = sim::Site::Here()))

#undef ASCENDC_SIM_REDUCE_TYPED

// Of all elements. By count on Atlas A2 and A3 the sums of repeats are added in order and sharedTmpBuffer is not
// touched; else it holds what each round leaves.
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               const int32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>,
                  "ReduceSum: the data type is not one of half, float (归约计算/ReduceSum)");
    const sim::Repeats repeats = sim::RegisterRepeats(sizeof(T), sizeof(T));
    sim::ReduceAll({"ReduceSum", "归约计算/ReduceSum", site}, sim::ReduceOp::kSum, sim::kDtype<T>, dst.Place(),
                   src.Place(), sharedTmpBuffer.Place(), count, isSetMask ? nullptr : &repeats, 1, false);
}

template <typename T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               const sim::ConstMask32& mask, const int32_t repeatTime, const int32_t srcRepStride,
               sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>,
                  "ReduceSum: the data type is not one of half, float (归约计算/ReduceSum)");
    sim::ReducedAll({"ReduceSum", "归约计算/ReduceSum", site}, sim::ReduceOp::kSum, dst, src, sharedTmpBuffer,
                    sim::MaskArgument(true, mask), repeatTime, srcRepStride, false);
}

// With calIndex the index follows the value, in the bits of T.
#define ASCENDC_SIM_REDUCE_EXTREME(Function, op, page, ...)                                                    \
    template <typename T>                                                                                      \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, \
                  const int32_t count, bool calIndex = false, sim::Site site = sim::Site::Here()) {            \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                             \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                  \
        sim::ReduceAll({#Function, page, site}, sim::ReduceOp::op, sim::kDtype<T>, dst.Place(), src.Place(),   \
                       sharedTmpBuffer.Place(), count, nullptr, 0, calIndex);                                  \
    }                                                                                                          \
    template <typename T>                                                                                      \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, \
                  const sim::ConstMask32& mask, const int32_t repeatTime, const int32_t srcRepStride,          \
                  bool calIndex = false, sim::Site site = sim::Site::Here()) {                                 \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                             \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                  \
        sim::ReducedAll({#Function, page, site}, sim::ReduceOp::op, dst, src, sharedTmpBuffer,                 \
                        sim::MaskArgument(true, mask), repeatTime, srcRepStride, calIndex);                    \
    }

ASCENDC_SIM_REDUCE_EXTREME(ReduceMax, kMax, "归约计算/ReduceMax", half, float)
ASCENDC_SIM_REDUCE_EXTREME(ReduceMin, kMin, "归约计算/ReduceMin", half, float)

#undef ASCENDC_SIM_REDUCE_EXTREME

#define ASCENDC_SIM_NO_EXTREME_REGISTER                                                            \
    "GetReduceRepeatMaxMinSpr: not there on ascend950: take ReduceMax or ReduceMin with an index " \
    "(归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI))"

// What the last reduction has left in the registers; the index in the bits of T.
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, ASCENDC_SIM_NO_EXTREME_REGISTER);
    static_assert(sim::kNotOnM200<T>,
                  "GetReduceRepeatMaxMinSpr: without an index on ascend310p "
                  "(归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI))");
    uint64_t index = 0;
    const uint64_t value =
        sim::ReducedExtreme(sim::kDtype<T>, &index,
                            {"GetReduceRepeatMaxMinSpr", "归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI)", site});
    __builtin_memcpy(&maxMinValue, &value, sizeof(T));
    __builtin_memcpy(&maxMinIndex, &index, sizeof(T));
}

template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, ASCENDC_SIM_NO_EXTREME_REGISTER);
    const uint64_t value =
        sim::ReducedExtreme(sim::kDtype<T>, nullptr,
                            {"GetReduceRepeatMaxMinSpr", "归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI)", site});
    __builtin_memcpy(&maxMinValue, &value, sizeof(T));
}

// The same as bits, whatever T is.
template <typename T>
void GetReduceRepeatMaxMinSpr(uint32_t& maxMinValue, uint32_t& maxMinIndex, sim::Site site = sim::Site::Here()) {
    T value, index;
    GetReduceRepeatMaxMinSpr(value, index, site);
    maxMinValue = static_cast<uint32_t>(sim::ScalarBits(value));
    maxMinIndex = static_cast<uint32_t>(sim::ScalarBits(index));
}

template <typename T>
void GetReduceRepeatMaxMinSpr(uint32_t& maxMinValue, sim::Site site = sim::Site::Here()) {
    T value;
    GetReduceRepeatMaxMinSpr(value, site);
    maxMinValue = static_cast<uint32_t>(sim::ScalarBits(value));
}

template <typename T>
void GetReduceMaxMinCount(uint32_t& maxMinValue, sim::Site site = sim::Site::Here()) {
    GetReduceRepeatMaxMinSpr<T>(maxMinValue, site);
}

template <typename T>
void GetReduceMaxMinCount(uint32_t& maxMinValue, uint32_t& maxMinIndex, sim::Site site = sim::Site::Here()) {
    GetReduceRepeatMaxMinSpr<T>(maxMinValue, maxMinIndex, site);
}

// The older name of GetReduceRepeatMaxMinSpr.
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex, sim::Site site = sim::Site::Here()) {
    GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex, site);
}

template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, sim::Site site = sim::Site::Here()) {
    GetReduceRepeatMaxMinSpr(maxMinValue, site);
}

template <typename T>
T GetReduceRepeatSumSpr(sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOnM200<T>,
                  "GetReduceRepeatSumSpr: not there on ascend310p "
                  "(归约计算辅助配置接口/GetReduceRepeatSumSpr(ISASI))");
    const uint64_t value = sim::ReducedSum(
        sim::kDtype<T>, {"GetReduceRepeatSumSpr", "归约计算辅助配置接口/GetReduceRepeatSumSpr(ISASI)", site});
    T sum;
    __builtin_memcpy(&sum, &value, sizeof(T));
    return sum;
}

// The same as bits, in the low bytes.
inline int64_t GetReduceRepeatSumSpr(sim::Site site = sim::Site::Here()) {
    return static_cast<int64_t>(sim::ReducedSum(
        sim::Dtype::kFloat, {"GetReduceRepeatSumSpr", "归约计算辅助配置接口/GetReduceRepeatSumSpr(ISASI)", site}));
}

// The older name of GetReduceRepeatSumSpr.
template <typename T>
T GetAccVal(sim::Site site = sim::Site::Here()) {
    return GetReduceRepeatSumSpr<T>(site);
}

inline int64_t GetAccVal(sim::Site site = sim::Site::Here()) { return GetReduceRepeatSumSpr(site); }

}  // namespace AscendC

#endif
