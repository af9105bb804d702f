// Mathematics and activations, element by element. Pages: SIMD-API/高阶API/数学计算, 激活函数
#include <cmath>
#include <cstring>
#include <utility>

#include "adv_call.h"
#include "sim_adv_rooms.h"

namespace sim {
namespace {

using Element = double (*)(double a, double b, double s);

double LgammaOf(double x) {
    int sign = 0;
    return lgamma_r(x, &sign);
}

// The derivative of ln(gamma): upwards to where the asymptotic series holds; reflected for negative values.
double DigammaOf(double x) {
    if (std::isinf(x)) {
        return x > 0 ? x : std::nan("");
    }
    if (x <= 0.0 && x == std::floor(x)) {
        return std::nan("");  // a pole
    }
    if (x < 0.0) {
        const double part = x - std::floor(x);
        return DigammaOf(1.0 - x) - M_PI / std::tan(M_PI * part);
    }
    double result = 0.0;
    for (; x < 12.0; x += 1.0) {
        result -= 1.0 / x;
    }
    const double r = 1.0 / (x * x);
    const double series =
        r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760))))));
    return result + std::log(x) - 0.5 / x - series;
}

// By the terms of the Taylor series up to x^n / n!, of what is left above the integer part.
// Page: 数学计算/Exp接口/Exp-81
double ExpBySeries(double x, double terms) {
    if (terms == 0.0 || !std::isfinite(x)) {
        return std::exp(x);
    }
    const double whole = std::floor(x);
    const double part = x - whole;
    double sum = 1.0;
    double term = 1.0;
    for (double k = 1.0; k <= terms; k += 1.0) {
        term *= part / k;
        sum += term;
    }
    return std::exp(whole) * sum;
}

double Logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// x * logistic(s * x); the limit where e^-sx overflows.
double SwishOf(double x, double s) { return x / (1.0 + std::exp(-s * x)); }

double GeluOf(double x) { return x / (1.0 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x))); }

// Page: 激活函数/GeGLU接口/GeGLU, with its two constants.
double GeGluFactor(double x) { return x / (1.0 + std::exp(-0.0713548162726 * (x * x * x + 22.363860002236 * x))); }

// Page: 激活函数/Gelu接口/FasterGeluV2
double FasterGeluV2Of(double x) {
    const double clipped = std::fmin(std::fabs(0.70710678118654752 * x), 1.769) - 1.769;
    const double sign = (x + 1e-12) / std::fabs(x + 1e-12);
    return x * (sign * (-0.1444 * clipped * clipped + 0.5) + 0.5);
}

double SignOf(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }

// Of int32_t: products wrap around, and a negative exponent leaves nothing of all bases but 1 and -1.
double WholePower(double base, double exponent) {
    const int64_t e = static_cast<int64_t>(exponent);
    if (e < 0) {
        return base == 1.0 || (base == -1.0 && e % 2 == 0) ? 1.0 : (base == -1.0 ? -1.0 : 0.0);
    }
    uint32_t result = 1;
    uint32_t square = static_cast<uint32_t>(static_cast<int64_t>(base));
    for (uint64_t rest = static_cast<uint64_t>(e); rest != 0; rest >>= 1) {
        result = (rest & 1) != 0 ? result * square : result;
        square *= square;
    }
    return static_cast<double>(static_cast<int32_t>(result));
}

// Whether dst may be the source.
enum class InPlace : uint8_t {
    kNo,
    kOnDevice,  // by what CANN does, not by the page
    kYes,
};

struct Row {
    MathOp op;
    const char* room;  // the function whose row of sim_adv_rooms.h says what it needs
    InPlace inPlace;
    Element element;
};

constexpr DeviceRule kLaneByLane = {
    {"function-in-place", "the function's source and destination do not overlap", "通用说明和约束, 通用地址重叠约束"},
    "the function reads a lane of its source before it writes that lane of dst, and never again",
    "asc-devkit 82b89a1, impl/adv_api/detail/math/ceil/ceil_v220_impl.h:27, math/log/log_common_impl.h:102 and :159; "
    "ops-nn e5c3fa93, foreach/foreach_log10/op_kernel/foreach_log10.cpp:28"};

#define OF_ONE(expression) [](double a, double, double) -> double { return expression; }
#define OF_TWO(expression) [](double a, double b, double) -> double { return expression; }
#define OF_SCALAR(expression) [](double a, double, double s) -> double { return expression; }

// In the order of MathOp.
constexpr Row kRows[] = {
    {MathOp::kAcos, "Acos", InPlace::kNo, OF_ONE(std::acos(a))},
    {MathOp::kAcosh, "Acosh", InPlace::kNo, OF_ONE(std::acosh(a))},
    {MathOp::kAsin, "Asin", InPlace::kNo, OF_ONE(std::asin(a))},
    {MathOp::kAsinh, "Asinh", InPlace::kNo, OF_ONE(std::asinh(a))},
    {MathOp::kAtan, "Atan", InPlace::kNo, OF_ONE(std::atan(a))},
    {MathOp::kAtanh, "Atanh", InPlace::kNo, OF_ONE(std::atanh(a))},
    {MathOp::kCeil, "Ceil", InPlace::kOnDevice, OF_ONE(std::ceil(a))},
    {MathOp::kClampMax, "Clamp", InPlace::kNo, OF_SCALAR(a > s ? s : a)},
    {MathOp::kClampMin, "Clamp", InPlace::kNo, OF_SCALAR(a < s ? s : a)},
    {MathOp::kCos, "Cos", InPlace::kNo, OF_ONE(std::cos(a))},
    {MathOp::kCosh, "Cosh", InPlace::kNo, OF_ONE(std::cosh(a))},
    {MathOp::kDigamma, "Digamma", InPlace::kNo, OF_ONE(DigammaOf(a))},
    {MathOp::kErf, "Erf", InPlace::kNo, OF_ONE(std::erf(a))},
    {MathOp::kErfc, "Erfc", InPlace::kNo, OF_ONE(std::erfc(a))},
    {MathOp::kExp, "Exp", InPlace::kNo, OF_SCALAR(ExpBySeries(a, s))},
    {MathOp::kFloor, "Floor", InPlace::kOnDevice, OF_ONE(std::floor(a))},
    {MathOp::kFmod, "Fmod", InPlace::kNo, OF_TWO(std::fmod(a, b))},
    {MathOp::kFrac, "Frac", InPlace::kNo, OF_ONE(a - std::trunc(a))},
    {MathOp::kLgamma, "Lgamma", InPlace::kNo, OF_ONE(LgammaOf(a))},
    {MathOp::kLog, "Log", InPlace::kOnDevice, OF_ONE(std::log(a))},
    {MathOp::kLog10, "Log10", InPlace::kOnDevice, OF_ONE(std::log10(a))},
    {MathOp::kLog2, "Log2", InPlace::kOnDevice, OF_ONE(std::log2(a))},
    {MathOp::kPower, "Power", InPlace::kNo, OF_TWO(std::pow(a, b))},
    {MathOp::kRound, "Round", InPlace::kYes, OF_ONE(std::nearbyint(a))},
    {MathOp::kSign, "Sign", InPlace::kNo, OF_ONE(SignOf(a))},
    {MathOp::kSin, "Sin", InPlace::kNo, OF_ONE(std::sin(a))},
    {MathOp::kSinh, "Sinh", InPlace::kNo, OF_ONE(std::sinh(a))},
    {MathOp::kTan, "Tan", InPlace::kNo, OF_ONE(std::tan(a))},
    {MathOp::kTanh, "Tanh", InPlace::kNo, OF_ONE(std::tanh(a))},
    {MathOp::kTrunc, "Trunc", InPlace::kYes, OF_ONE(std::trunc(a))},
    {MathOp::kXor, "Xor", InPlace::kNo, OF_TWO(static_cast<double>(static_cast<int32_t>(a) ^ static_cast<int32_t>(b)))},
    {MathOp::kFasterGelu, "Gelu", InPlace::kYes, OF_ONE(SwishOf(a, 1.702))},
    {MathOp::kFasterGeluV2, "Gelu", InPlace::kYes, OF_ONE(FasterGeluV2Of(a))},
    {MathOp::kGeGLU, "GeGLU", InPlace::kNo, OF_TWO(a * GeGluFactor(b))},
    {MathOp::kGelu, "Gelu", InPlace::kYes, OF_ONE(GeluOf(a))},
    {MathOp::kReGlu, "ReGlu", InPlace::kNo, OF_TWO(a * (b > 0.0 ? b : (b != b ? b : 0.0)))},
    {MathOp::kSigmoid, "Sigmoid", InPlace::kNo, OF_ONE(Logistic(a))},
    {MathOp::kSilu, "Silu", InPlace::kNo, OF_ONE(SwishOf(a, 1.0))},
    {MathOp::kSwiGLU, "SwiGLU", InPlace::kNo, [](double a, double b, double s) -> double { return a * SwishOf(b, s); }},
    {MathOp::kSwish, "Swish", InPlace::kNo, OF_SCALAR(SwishOf(a, s))},
};
static_assert(std::size(kRows) == static_cast<size_t>(MathOp::kCount));

#undef OF_ONE
#undef OF_TWO
#undef OF_SCALAR

constexpr size_t kChunk = 256;

}  // namespace

void Math(const VectorCall& call, MathOp op, Dtype type, const MathOperands& x) {
    const Row& row = kRows[static_cast<size_t>(op)];
    if (x.count == 0) {
        return;
    }
    const uint32_t element = BytesOf(type);
    const uint64_t bytes = x.count * element;
    AdvCall adv(call);
    uint8_t* dst = adv.Writes("dst", x.dst, bytes);
    const bool two = x.src0 != nullptr && x.src1 != nullptr;
    const uint8_t* a = x.src0 != nullptr ? adv.Reads(two ? "src0" : "src", *x.src0, bytes) : nullptr;
    const uint8_t* b = x.src1 != nullptr ? adv.Reads(two ? "src1" : "src", *x.src1, bytes) : nullptr;
    if (row.inPlace == InPlace::kOnDevice) {
        adv.KeepApart(kLaneByLane);
    } else {
        adv.KeepApart(row.inPlace == InPlace::kYes);
    }
    const bool m200 = adv.OnM200();
    const char* room = op == MathOp::kRound && m200 ? "RoundM200" : row.room;
    const sim_adv_sizes sizes = op == MathOp::kPower
                                    ? sim_adv_power(type == Dtype::kInt32, two, element, x.count, m200)
                                    : sim_adv_sizes_of(*sim_adv_room_of(room), element, x.count, x.reuse);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(x.count);
    const Instruction::Lane to{x.dst, element};
    if (two) {
        in.DefineLanes(to, {{*x.src0, element}, {*x.src1, element}}, x.count);
    } else {
        in.DefineLanes(to, {{a != nullptr ? *x.src0 : *x.src1, element}}, x.count);
    }
    const Element f = op == MathOp::kPower && type == Dtype::kInt32
        ? [](double base, double exponent, double) -> double { return WholePower(base, exponent); }
    : row.element;
    double left[kChunk], right[kChunk];
    std::fill_n(left, kChunk, x.scalar);
    std::fill_n(right, kChunk, x.scalar);
    for (size_t done = 0; done < x.count; done += kChunk) {
        const size_t n = std::min(kChunk, x.count - done);
        if (a != nullptr) {
            LoadValues(type, a + done * element, n, left);
        }
        if (b != nullptr) {
            LoadValues(type, b + done * element, n, right);
        }
        double result[kChunk];
        for (size_t i = 0; i < n; ++i) {
            result[i] = f(left[i], right[i], x.scalar);
        }
        StoreValues(type, result, n, dst + done * element);
    }
}

void AxpyInTwoSteps(const VectorCall& call, Dtype type, Dtype from, const Ub& dst, const Ub& src, uint64_t scalar,
                    const Ub& room, uint64_t count) {
    if (count == 0) {
        return;
    }
    const uint32_t wide = BytesOf(type);
    const uint32_t narrow = BytesOf(from);
    AdvCall adv(call);
    uint8_t* z = adv.Writes("dst", dst, count * wide);
    const uint8_t* a = adv.Reads("src", src, count * narrow);
    adv.KeepApart(false);
    const sim_adv_sizes sizes = sim_adv_sizes_of(*sim_adv_room_of("Axpy"), wide, count, false);
    adv.Uses(&room, sizes.least, sizes.most);
    adv.Begin(count).DefineLanes({dst, wide}, {{dst, wide}, {src, narrow}}, count);
    double s = 0.0;
    LoadValues(from, &scalar, 1, &s);
    for (uint64_t i = 0; i < count; ++i) {
        double x = 0.0;
        double y = 0.0;
        LoadValues(from, a + i * narrow, 1, &x);
        LoadValues(type, z + i * wide, 1, &y);
        const float product = static_cast<float>(s) * static_cast<float>(x);
        y = static_cast<double>(product + static_cast<float>(y));
        StoreValues(type, &y, 1, z + i * wide);
    }
}

}  // namespace sim
