// Add, Sub, Mul, Div, Max, Min, And, Or and the fused functions of two sources.
// Integers wrap: CTRL[53] is 0 unless a kernel sets it (基础API/特殊寄存器访问/SetCtrlSpr(ISASI)).
#include <cmath>
#include <limits>

#include "loops.h"

namespace sim {
namespace {

struct OfSources {
    static constexpr bool kReadsDst = false;
};
struct OfSourcesAndDst {
    static constexpr bool kReadsDst = true;
};

// Wrapping integer arithmetic is that of the unsigned type; int16_t must not be promoted to a signed int that
// overflows.
template <typename T>
struct WideOf {
    using Type = uint32_t;
};
template <>
struct WideOf<float> {
    using Type = float;
};
template <typename T>
using Wide = typename WideOf<T>::Type;

template <typename T>
struct AddOf : OfSources {
    T operator()(T, T a, T b, T) const { return static_cast<T>(Wide<T>(a) + Wide<T>(b)); }
};
template <typename T>
struct SubOf : OfSources {
    T operator()(T, T a, T b, T) const { return static_cast<T>(Wide<T>(a) - Wide<T>(b)); }
};
template <typename T>
struct MulOf : OfSources {
    T operator()(T, T a, T b, T) const { return static_cast<T>(Wide<T>(a) * Wide<T>(b)); }
};
struct DivOf : OfSources {
    float operator()(float, float a, float b, float) const { return a / b; }
};
template <typename T>
struct MaxOf : OfSources {
    // a NaN in either source is the result
    T operator()(T, T a, T b, T) const { return a != a ? a : (a > b ? a : b); }
};
template <typename T>
struct MinOf : OfSources {
    T operator()(T, T a, T b, T) const { return a != a ? a : (a < b ? a : b); }
};
template <typename T>
struct AndOf : OfSources {
    T operator()(T, T a, T b, T) const { return static_cast<T>(a & b); }
};
template <typename T>
struct OrOf : OfSources {
    T operator()(T, T a, T b, T) const { return static_cast<T>(a | b); }
};
template <typename T>
T Positive(T value) {
    return value != value ? value : (value > T(0) ? value : T(0));
}
template <typename T>
struct AddReluOf : OfSources {
    T operator()(T d, T a, T b, T s) const { return Positive(AddOf<T>()(d, a, b, s)); }
};
template <typename T>
struct SubReluOf : OfSources {
    T operator()(T d, T a, T b, T s) const { return Positive(SubOf<T>()(d, a, b, s)); }
};
struct MulAddDstOf : OfSourcesAndDst {
    float operator()(float d, float a, float b, float) const { return a * b + d; }
};
struct FusedMulAddOf : OfSourcesAndDst {
    float operator()(float d, float a, float b, float) const { return a * d + b; }
};
struct MulAddReluOf : OfSourcesAndDst {
    float operator()(float d, float a, float b, float) const { return Positive(a * d + b); }
};

// The functions that convert what they have computed, to nearest even and saturating.
template <typename To>
To Converted(float value) {
    const float rounded = std::nearbyint(value);
    const float most = static_cast<float>(std::numeric_limits<To>::max());
    const float least = static_cast<float>(std::numeric_limits<To>::min());
    return static_cast<To>(rounded != rounded ? 0.0f : (rounded > most ? most : (rounded < least ? least : rounded)));
}

template <typename To, typename F>
void HalfToIntegerLoop(const Lanes& lanes) {
    To* dst = static_cast<To*>(lanes.dst);
    const uint16_t* a = static_cast<const uint16_t*>(lanes.src0);
    const uint16_t* b = static_cast<const uint16_t*>(lanes.src1);
    for (size_t i = 0; i < lanes.count; ++i) {
        dst[i] = Converted<To>(F()(0.0f, HalfValue(a[i]), HalfValue(b[i]), 0.0f));
    }
}

template <typename F>
void FloatToHalfLoop(const Lanes& lanes) {
    uint16_t* dst = static_cast<uint16_t*>(lanes.dst);
    const float* a = static_cast<const float*>(lanes.src0);
    const float* b = static_cast<const float*>(lanes.src1);
    for (size_t i = 0; i < lanes.count; ++i) {
        dst[i] = HalfBits(F()(0.0f, a[i], b[i], 0.0f));
    }
}

template <typename F>
void Int16ToInt8Loop(const Lanes& lanes) {
    int8_t* dst = static_cast<int8_t*>(lanes.dst);
    const int16_t* a = static_cast<const int16_t*>(lanes.src0);
    const int16_t* b = static_cast<const int16_t*>(lanes.src1);
    for (size_t i = 0; i < lanes.count; ++i) {
        const int16_t value = F()(int16_t{0}, a[i], b[i], int16_t{0});
        dst[i] = static_cast<int8_t>(value > 127 ? 127 : (value < -128 ? -128 : value));
    }
}

// 复合计算/AddDeqRelu: the scalar is SetDeqScale's.
void AddDeqReluLoop(const Lanes& lanes) {
    uint16_t* dst = static_cast<uint16_t*>(lanes.dst);
    const int32_t* a = static_cast<const int32_t*>(lanes.src0);
    const int32_t* b = static_cast<const int32_t*>(lanes.src1);
    const float scale = HalfValue(static_cast<uint16_t>(lanes.scalar));
    for (size_t i = 0; i < lanes.count; ++i) {
        dst[i] = HalfBits(Positive(static_cast<float>(AddOf<int32_t>()(0, a[i], b[i], 0)) * scale));
    }
}

template <template <typename> class F>
Loop ReluCastLoop(Dtype type, Dtype from) {
    if (from == Dtype::kFloat) {
        return type == Dtype::kHalf ? FloatToHalfLoop<F<float>> : nullptr;
    }
    if (type != Dtype::kInt8) {
        return nullptr;
    }
    return from == Dtype::kHalf ? HalfToIntegerLoop<int8_t, F<float>> : Int16ToInt8Loop<F<int16_t>>;
}

template <template <typename> class F>
Loop NumberLoop(Dtype type, bool int32 = true) {
    switch (type) {
        case Dtype::kFloat:
            return PlainLoop<float, F<float>>;
        case Dtype::kHalf:
            return HalfLoop<F<float>>;
        case Dtype::kInt16:
            return PlainLoop<int16_t, F<int16_t>>;
        case Dtype::kInt32:
            return int32 ? PlainLoop<int32_t, F<int32_t>> : nullptr;
        default:
            return nullptr;
    }
}

template <typename F>
Loop FloatLoop(Dtype type, Dtype from) {
    if (type == Dtype::kFloat) {
        return from == Dtype::kHalf ? WideningLoop<F> : PlainLoop<float, F>;
    }
    return type == Dtype::kHalf ? HalfLoop<F> : nullptr;
}

template <template <typename> class F>
Loop BitLoop(Dtype type) {
    return type == Dtype::kInt16 || type == Dtype::kUint16 ? PlainLoop<uint16_t, F<uint16_t>> : nullptr;
}

}  // namespace

Loop BinaryLoop(BinaryOp op, Dtype type, Dtype from) {
    switch (op) {
        case BinaryOp::kAdd:
            return NumberLoop<AddOf>(type);
        case BinaryOp::kSub:
            return NumberLoop<SubOf>(type);
        case BinaryOp::kMul:
            return NumberLoop<MulOf>(type);
        case BinaryOp::kDiv:
            return FloatLoop<DivOf>(type, from);
        case BinaryOp::kMax:
            return NumberLoop<MaxOf>(type);
        case BinaryOp::kMin:
            return NumberLoop<MinOf>(type);
        case BinaryOp::kAnd:
            return BitLoop<AndOf>(type);
        case BinaryOp::kOr:
            return BitLoop<OrOf>(type);
        case BinaryOp::kAddRelu:
            return NumberLoop<AddReluOf>(type, false);
        case BinaryOp::kSubRelu:
            return NumberLoop<SubReluOf>(type, false);
        case BinaryOp::kMulAddDst:
            return FloatLoop<MulAddDstOf>(type, from);
        case BinaryOp::kFusedMulAdd:
            return FloatLoop<FusedMulAddOf>(type, from);
        case BinaryOp::kMulAddRelu:
            return FloatLoop<MulAddReluOf>(type, from);
        case BinaryOp::kAddReluCast:
            return ReluCastLoop<AddReluOf>(type, from);
        case BinaryOp::kSubReluCast:
            return ReluCastLoop<SubReluOf>(type, from);
        case BinaryOp::kMulCast:
            return type == Dtype::kInt8 ? HalfToIntegerLoop<int8_t, MulOf<float>>
                                        : HalfToIntegerLoop<uint8_t, MulOf<float>>;
        case BinaryOp::kAddDeqRelu:
            return AddDeqReluLoop;
        case BinaryOp::kCount:
            break;
    }
    return nullptr;
}

}  // namespace sim
