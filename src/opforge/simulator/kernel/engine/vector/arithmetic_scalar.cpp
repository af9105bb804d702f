// Adds, Muls, Maxs, Mins, LeakyRelu, ShiftLeft, ShiftRight, Axpy, and Duplicate's fill.
#include <type_traits>

#include "loops.h"

namespace sim {
namespace {

struct OfSource {
    static constexpr bool kReadsDst = false;
};

template <typename T>
using Wide = std::conditional_t<std::is_same<T, float>::value, float, uint32_t>;

template <typename T>
struct AddsOf : OfSource {
    T operator()(T, T a, T, T s) const { return static_cast<T>(Wide<T>(a) + Wide<T>(s)); }
};
template <typename T>
struct MulsOf : OfSource {
    T operator()(T, T a, T, T s) const { return static_cast<T>(Wide<T>(a) * Wide<T>(s)); }
};
template <typename T>
struct MaxsOf : OfSource {
    T operator()(T, T a, T, T s) const { return a != a ? a : (a > s ? a : s); }
};
template <typename T>
struct MinsOf : OfSource {
    T operator()(T, T a, T, T s) const { return a != a ? a : (a < s ? a : s); }
};
struct LeakyReluOf : OfSource {
    float operator()(float, float a, float, float s) const { return a >= 0.0f ? a : a * s; }
};
// A signed shift to the left keeps the sign bit and drops the one below it (逻辑计算/ShiftLeft).
template <typename T>
struct ShiftLeftOf : OfSource {
    T operator()(T, T a, T, T s) const {
        using U = std::make_unsigned_t<T>;
        constexpr U kSign = static_cast<U>(U{1} << (sizeof(T) * 8 - 1));
        const U shifted =
            static_cast<U>(s) < sizeof(T) * 8 ? static_cast<U>(static_cast<U>(a) << static_cast<U>(s)) : U{0};
        if (std::is_signed<T>::value) {
            return static_cast<T>((shifted & static_cast<U>(~kSign)) | (static_cast<U>(a) & kSign));
        }
        return static_cast<T>(shifted);
    }
};
template <typename T>
struct ShiftRightOf : OfSource {
    T operator()(T, T a, T, T s) const {
        const unsigned amount = static_cast<unsigned>(s);
        if (amount >= sizeof(T) * 8) {
            return static_cast<T>(std::is_signed<T>::value && a < T(0) ? -1 : 0);
        }
        return static_cast<T>(a >> amount);
    }
};
// roundEn: the highest bit shifted out is added (逻辑计算/ShiftRight).
template <typename T>
struct RoundedShiftOf : OfSource {
    T operator()(T, T a, T, T s) const {
        const unsigned amount = static_cast<unsigned>(s);
        const int64_t wide = a;
        return static_cast<T>(amount == 0 ? wide : (wide >> amount) + (wide >> (amount - 1) & 1));
    }
};
struct AxpyOf {
    static constexpr bool kReadsDst = true;
    float operator()(float d, float a, float, float s) const { return s * a + d; }
};

template <template <typename> class F>
Loop NumberLoop(Dtype type) {
    switch (type) {
        case Dtype::kFloat:
            return PlainLoop<float, F<float>>;
        case Dtype::kHalf:
            return HalfLoop<F<float>>;
        case Dtype::kInt16:
            return PlainLoop<int16_t, F<int16_t>>;
        case Dtype::kInt32:
            return PlainLoop<int32_t, F<int32_t>>;
        default:
            return nullptr;
    }
}

template <template <typename> class F>
Loop ShiftLoop(Dtype type) {
    switch (type) {
        case Dtype::kInt16:
            return PlainLoop<int16_t, F<int16_t>>;
        case Dtype::kUint16:
            return PlainLoop<uint16_t, F<uint16_t>>;
        case Dtype::kInt32:
            return PlainLoop<int32_t, F<int32_t>>;
        case Dtype::kUint32:
            return PlainLoop<uint32_t, F<uint32_t>>;
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

template <size_t bytes>
void Copied(const Lanes& lanes) {
    std::memcpy(lanes.dst, lanes.src0, lanes.count * bytes);
}

template <typename T>
void Fill(const Lanes& lanes) {
    std::fill_n(static_cast<T*>(lanes.dst), lanes.count, static_cast<T>(lanes.scalar));
}

}  // namespace

Loop ScalarLoop(ScalarOp op, Dtype type, Dtype from) {
    switch (op) {
        case ScalarOp::kAdds:
            return NumberLoop<AddsOf>(type);
        case ScalarOp::kMuls:
            return NumberLoop<MulsOf>(type);
        case ScalarOp::kMaxs:
            return NumberLoop<MaxsOf>(type);
        case ScalarOp::kMins:
            return NumberLoop<MinsOf>(type);
        case ScalarOp::kLeakyRelu:
            return FloatLoop<LeakyReluOf>(type, from);
        case ScalarOp::kShiftLeft:
            return ShiftLoop<ShiftLeftOf>(type);
        case ScalarOp::kShiftRight:
            return ShiftLoop<ShiftRightOf>(type);
        case ScalarOp::kAxpy:
            return FloatLoop<AxpyOf>(type, from);
        case ScalarOp::kCount:
            break;
    }
    return nullptr;
}

Loop RoundedShiftLoop(Dtype type) {
    // of unsigned types the switch does nothing
    return type == Dtype::kInt16   ? PlainLoop<int16_t, RoundedShiftOf<int16_t>>
           : type == Dtype::kInt32 ? PlainLoop<int32_t, RoundedShiftOf<int32_t>>
                                   : ShiftLoop<ShiftRightOf>(type);
}

Loop CopyLoop(uint32_t bytes) { return bytes == 2 ? Copied<2> : Copied<4>; }

Loop FillLoop(Dtype type) {
    switch (BytesOf(type)) {
        case 2:
            return Fill<uint16_t>;
        case 4:
            return Fill<uint32_t>;
        default:
            return nullptr;
    }
}

float CubeBytesOf(Dtype type) {
    return type == Dtype::kFloat ? 8 : type == Dtype::kInt4 ? 0.5F : static_cast<float>(BytesOf(type));
}

uint32_t BitsOf(Dtype type) { return type == Dtype::kInt4 ? 4 : BytesOf(type) * 8; }

uint32_t BytesOf(Dtype type) {
    switch (type) {
        case Dtype::kInt8:
        case Dtype::kUint8:
        case Dtype::kInt4:  // two of them
            return 1;
        case Dtype::kHalf:
        case Dtype::kBfloat16:
        case Dtype::kInt16:
        case Dtype::kUint16:
            return 2;
        case Dtype::kFloat:
        case Dtype::kInt32:
        case Dtype::kUint32:
            return 4;
        case Dtype::kInt64:
        case Dtype::kUint64:
        case Dtype::kDouble:
            return 8;
    }
    return 0;
}

const char* Name(Dtype type) {
    switch (type) {
        case Dtype::kHalf:
            return "half";
        case Dtype::kBfloat16:
            return "bfloat16_t";
        case Dtype::kFloat:
            return "float";
        case Dtype::kInt8:
            return "int8_t";
        case Dtype::kUint8:
            return "uint8_t";
        case Dtype::kInt16:
            return "int16_t";
        case Dtype::kUint16:
            return "uint16_t";
        case Dtype::kInt32:
            return "int32_t";
        case Dtype::kUint32:
            return "uint32_t";
        case Dtype::kInt64:
            return "int64_t";
        case Dtype::kUint64:
            return "uint64_t";
        case Dtype::kDouble:
            return "double";
        case Dtype::kInt4:
            return "int4b_t";
    }
    return "?";
}

}  // namespace sim
