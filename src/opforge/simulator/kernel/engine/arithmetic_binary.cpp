// Add, Sub, Mul, Div, Max, Min, And, Or and the fused functions of two sources.
// Integers wrap: CTRL[53] is 0 unless a kernel sets it (基础API/特殊寄存器访问/SetCtrlSpr(ISASI)).
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
        case BinaryOp::kCount:
            break;
    }
    return nullptr;
}

}  // namespace sim
