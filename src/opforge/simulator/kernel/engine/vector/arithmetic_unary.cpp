// Abs, Exp, Ln, Sqrt, Rsqrt, Reciprocal, Relu and Not.
#include <cmath>

#include "loops.h"
#include "transcendental.h"

namespace sim {
namespace {

struct OfSource {
    static constexpr bool kReadsDst = false;
};

struct AbsOf : OfSource {
    float operator()(float, float a, float, float) const { return std::fabs(a); }
};
struct ExpLane : OfSource {
    float operator()(float, float a, float, float) const { return ExpOf(a); }
};
struct LnLane : OfSource {
    float operator()(float, float a, float, float) const { return LnOf(a); }
};
struct SqrtOf : OfSource {
    float operator()(float, float a, float, float) const { return std::sqrt(a); }
};
struct RsqrtOf : OfSource {
    // through double, so that the result is rounded once
    float operator()(float, float a, float, float) const {
        return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
    }
};
struct ReciprocalOf : OfSource {
    float operator()(float, float a, float, float) const { return 1.0f / a; }
};
template <typename T>
struct ReluOf : OfSource {
    // a NaN stays one
    T operator()(T, T a, T, T) const { return a != a ? a : (a > T(0) ? a : T(0)); }
};
template <typename T>
struct NotOf : OfSource {
    T operator()(T, T a, T, T) const { return static_cast<T>(~a); }
};

template <typename F>
Loop FloatLoop(Dtype type) {
    return type == Dtype::kFloat ? PlainLoop<float, F> : type == Dtype::kHalf ? HalfLoop<F> : nullptr;
}

}  // namespace

Loop UnaryLoop(UnaryOp op, Dtype type) {
    switch (op) {
        case UnaryOp::kAbs:
            return FloatLoop<AbsOf>(type);
        case UnaryOp::kExp:
            return FloatLoop<ExpLane>(type);
        case UnaryOp::kLn:
            return FloatLoop<LnLane>(type);
        case UnaryOp::kSqrt:
            return FloatLoop<SqrtOf>(type);
        case UnaryOp::kRsqrt:
            return FloatLoop<RsqrtOf>(type);
        case UnaryOp::kReciprocal:
            return FloatLoop<ReciprocalOf>(type);
        case UnaryOp::kRelu:
            return type == Dtype::kInt32 ? PlainLoop<int32_t, ReluOf<int32_t>> : FloatLoop<ReluOf<float>>(type);
        case UnaryOp::kNot:
            return type == Dtype::kInt16 || type == Dtype::kUint16 ? PlainLoop<uint16_t, NotOf<uint16_t>> : nullptr;
        case UnaryOp::kCount:
            break;
    }
    return nullptr;
}

}  // namespace sim
