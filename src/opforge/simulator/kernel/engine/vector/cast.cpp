// Cast: every documented pair of types with every rounding mode it takes.
// Documentation: 类型转换/Cast, 数据结构/precision_conversion. Integers saturate, a NaN becomes 0; a float too large
// for half or bfloat16_t becomes infinite where the mode rounds away from zero, else the largest finite value.
#include <cmath>
#include <limits>

#include "loops.h"

namespace sim {
namespace {

using AscendC::RoundMode;

constexpr uint32_t Bit(RoundMode mode) { return 1u << static_cast<uint32_t>(mode); }
constexpr uint32_t kNone = Bit(RoundMode::CAST_NONE);
constexpr uint32_t kFive = Bit(RoundMode::CAST_RINT) | Bit(RoundMode::CAST_FLOOR) | Bit(RoundMode::CAST_CEIL) |
                           Bit(RoundMode::CAST_ROUND) | Bit(RoundMode::CAST_TRUNC);

// Drops `shift` low bits (1 to 63) of a magnitude.
template <RoundMode mode>
constexpr uint64_t DropBits(uint64_t value, uint32_t shift, bool negative) {
    const uint64_t kept = value >> shift;
    const uint64_t rest = value & ((uint64_t{1} << shift) - 1);
    const uint64_t tie = uint64_t{1} << (shift - 1);
    switch (mode) {
        case RoundMode::CAST_FLOOR:
            return kept + (negative && rest != 0 ? 1 : 0);
        case RoundMode::CAST_CEIL:
            return kept + (!negative && rest != 0 ? 1 : 0);
        case RoundMode::CAST_ROUND:
            return kept + (rest >= tie ? 1 : 0);
        case RoundMode::CAST_TRUNC:
            return kept;
        case RoundMode::CAST_ODD:
            return kept | (rest != 0 ? 1 : 0);
        default:
            return kept + (rest > tie || (rest == tie && (kept & 1) != 0) ? 1 : 0);
    }
}

// Whether a finite value beyond the largest of the target becomes infinite.
template <RoundMode mode>
constexpr bool OverflowsToInfinity(bool negative) {
    switch (mode) {
        case RoundMode::CAST_FLOOR:
            return negative;
        case RoundMode::CAST_CEIL:
            return !negative;
        case RoundMode::CAST_TRUNC:
        case RoundMode::CAST_ODD:
            return false;
        default:
            return true;
    }
}

template <RoundMode mode>
uint16_t ToHalf(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const bool negative = (bits >> 31) != 0;
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
        return HalfBits(value);
    }
    uint64_t half = 0;
    if (magnitude < 0x38800000u) {  // subnormal in half: the exponent says how many bits go
        const uint32_t exponent = magnitude >> 23;
        const uint32_t mantissa = exponent == 0 ? (magnitude != 0 ? 1u : 0u) : (magnitude & 0x7fffffu) | 0x800000u;
        half = DropBits<mode>(mantissa, std::min(126u - exponent, 31u), negative);
    } else {
        half = DropBits<mode>(magnitude - 0x38000000u, 13, negative);
    }
    if (half >= 0x7c00u) {
        half = OverflowsToInfinity<mode>(negative) ? 0x7c00u : 0x7bffu;
    }
    return static_cast<uint16_t>(sign | half);
}

template <RoundMode mode>
uint16_t ToBfloat(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const bool negative = (bits >> 31) != 0;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
        return BfloatBits(value);
    }
    uint64_t result = DropBits<mode>(magnitude, 16, negative);
    if (result >= 0x7f80u) {
        result = OverflowsToInfinity<mode>(negative) ? 0x7f80u : 0x7f7fu;
    }
    return static_cast<uint16_t>(((bits >> 16) & 0x8000u) | result);
}

template <RoundMode mode>
double Integral(double value) {
    switch (mode) {
        case RoundMode::CAST_FLOOR:
            return std::floor(value);
        case RoundMode::CAST_CEIL:
            return std::ceil(value);
        case RoundMode::CAST_TRUNC:
            return std::trunc(value);
        case RoundMode::CAST_ROUND:
            return std::trunc(value + std::copysign(0.5, value));
        default:
            return std::nearbyint(value);
    }
}

template <RoundMode mode, typename I>
I ToInteger(float value) {
    const double rounded = Integral<mode>(static_cast<double>(value));
    // the first value too large; one more than the largest, which double may not be able to hold
    const double beyond = std::ldexp(1.0, std::numeric_limits<I>::digits);
    if (!(rounded < beyond)) {
        return value != value ? I{0} : std::numeric_limits<I>::max();
    }
    return rounded < static_cast<double>(std::numeric_limits<I>::min()) ? std::numeric_limits<I>::min()
                                                                        : static_cast<I>(rounded);
}

template <RoundMode mode>
float FromInteger(int64_t value) {
    const bool negative = value < 0;
    const uint64_t magnitude = negative ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
    const int length = magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude);
    if (length <= 24) {
        return static_cast<float>(value);
    }
    const uint32_t shift = static_cast<uint32_t>(length - 24);
    // at most 2^24, which float holds exactly
    const float kept = static_cast<float>(DropBits<mode>(magnitude, shift, negative));
    const float result = kept * static_cast<float>(uint64_t{1} << shift);
    return negative ? -result : result;
}

template <typename I, typename From>
I Clamp(From value) {
    constexpr From kMost = static_cast<From>(std::numeric_limits<I>::max());
    constexpr From kLeast = static_cast<From>(std::numeric_limits<I>::min());
    return static_cast<I>(value > kMost ? kMost : (value < kLeast ? kLeast : value));
}

template <typename To, typename From, typename F>
void Convert(const Lanes& lanes, F convert) {
    To* dst = static_cast<To*>(lanes.dst);
    const From* src = static_cast<const From*>(lanes.src0);
    for (size_t i = 0; i < lanes.count; ++i) {
        dst[i] = convert(src[i]);
    }
}

// One conversion, chosen at compile time by mode.
template <RoundMode mode>
struct With {
    static void FloatToHalfBits(const Lanes& lanes) {
        if (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) {
            FloatToHalf(static_cast<const float*>(lanes.src0), static_cast<uint16_t*>(lanes.dst), lanes.count);
        } else {
            Convert<uint16_t, float>(lanes, ToHalf<mode>);
        }
    }
    static void FloatToBfloat(const Lanes& lanes) {
        if (mode == RoundMode::CAST_RINT) {
            Convert<uint16_t, float>(lanes, BfloatBits);
        } else {
            Convert<uint16_t, float>(lanes, ToBfloat<mode>);
        }
    }
    static void FloatToFloat(const Lanes& lanes) {
        Convert<float, float>(lanes,
                              [](float v) { return static_cast<float>(Integral<mode>(static_cast<double>(v))); });
    }
    template <typename I>
    static void FloatTo(const Lanes& lanes) {
        Convert<I, float>(lanes, ToInteger<mode, I>);
    }
    template <typename I>
    static void HalfTo(const Lanes& lanes) {
        Convert<I, uint16_t>(lanes, [](uint16_t v) { return ToInteger<mode, I>(HalfValue(v)); });
    }
    template <typename I>
    static void BfloatTo(const Lanes& lanes) {
        Convert<I, uint16_t>(lanes, [](uint16_t v) { return ToInteger<mode, I>(BfloatValue(v)); });
    }
    static void Int16ToHalf(const Lanes& lanes) {
        Convert<uint16_t, int16_t>(lanes, [](int16_t v) { return ToHalf<mode>(static_cast<float>(v)); });
    }
    template <typename I>
    static void IntegerToFloat(const Lanes& lanes) {
        Convert<float, I>(lanes, [](I v) { return FromInteger<mode>(v); });
    }
};

void HalfToFloatLanes(const Lanes& lanes) {
    HalfToFloat(static_cast<const uint16_t*>(lanes.src0), static_cast<float*>(lanes.dst), lanes.count);
}
void BfloatToFloatLanes(const Lanes& lanes) { Convert<float, uint16_t>(lanes, BfloatValue); }
template <typename I>
void SmallToHalf(const Lanes& lanes) {
    Convert<uint16_t, I>(lanes, [](I v) { return HalfBits(static_cast<float>(v)); });
}
template <typename To, typename From>
void Widen(const Lanes& lanes) {
    Convert<To, From>(lanes, [](From v) { return static_cast<To>(v); });
}
template <typename To, typename From>
void Saturate(const Lanes& lanes) {
    Convert<To, From>(lanes, [](From v) { return Clamp<To>(v); });
}

// int4b_t: two elements a byte, the first in its low half.
void NibblesToHalf(const Lanes& lanes) {
    uint16_t* dst = static_cast<uint16_t*>(lanes.dst);
    const uint8_t* src = static_cast<const uint8_t*>(lanes.src0);
    for (size_t i = 0; i < lanes.count; ++i) {
        const int nibble = src[i / 2] >> (i % 2 * 4) & 0xf;
        dst[i] = HalfBits(static_cast<float>(nibble < 8 ? nibble : nibble - 16));
    }
}
template <RoundMode mode>
void HalfToNibbles(const Lanes& lanes) {
    uint8_t* dst = static_cast<uint8_t*>(lanes.dst);
    const uint16_t* src = static_cast<const uint16_t*>(lanes.src0);
    for (size_t i = 0; i < lanes.count; i += 2) {
        unsigned byte = 0;
        for (size_t k = 0; k < 2; ++k) {
            const int value = ToInteger<mode, int8_t>(HalfValue(src[i + k]));
            byte |= (static_cast<unsigned>(value > 7 ? 7 : (value < -8 ? -8 : value)) & 0xf) << (4 * k);
        }
        dst[i / 2] = static_cast<uint8_t>(byte);
    }
}

// By the scale of SetDeqScale.
void ScaledToHalf(const Lanes& lanes) {
    const float scale = HalfValue(static_cast<uint16_t>(lanes.scalar));
    Convert<uint16_t, int32_t>(lanes, [scale](int32_t v) { return HalfBits(static_cast<float>(v) * scale); });
}

constexpr uint32_t Pair(Dtype from, Dtype to) { return static_cast<uint32_t>(from) * 16 + static_cast<uint32_t>(to); }

uint32_t ModesOf(Dtype from, Dtype to) {
    switch (Pair(from, to)) {
        case Pair(Dtype::kInt4, Dtype::kHalf):
        case Pair(Dtype::kInt8, Dtype::kHalf):
        case Pair(Dtype::kUint8, Dtype::kHalf):
        case Pair(Dtype::kInt16, Dtype::kFloat):
        case Pair(Dtype::kHalf, Dtype::kFloat):
        case Pair(Dtype::kBfloat16, Dtype::kFloat):
        case Pair(Dtype::kInt32, Dtype::kInt16):
        case Pair(Dtype::kInt32, Dtype::kInt64):
        case Pair(Dtype::kInt64, Dtype::kInt32):
            return kNone;
        case Pair(Dtype::kInt16, Dtype::kHalf):
        case Pair(Dtype::kHalf, Dtype::kInt4):
        case Pair(Dtype::kHalf, Dtype::kInt8):
        case Pair(Dtype::kHalf, Dtype::kUint8):
        case Pair(Dtype::kInt32, Dtype::kFloat):
            return kFive | kNone;
        case Pair(Dtype::kInt32, Dtype::kHalf):
            return ~0u;  // the mode does nothing
        case Pair(Dtype::kHalf, Dtype::kInt16):
        case Pair(Dtype::kHalf, Dtype::kInt32):
        case Pair(Dtype::kBfloat16, Dtype::kInt32):
        case Pair(Dtype::kFloat, Dtype::kInt16):
        case Pair(Dtype::kFloat, Dtype::kBfloat16):
        case Pair(Dtype::kFloat, Dtype::kInt32):
        case Pair(Dtype::kFloat, Dtype::kFloat):
        case Pair(Dtype::kFloat, Dtype::kInt64):
        case Pair(Dtype::kInt64, Dtype::kFloat):
            return kFive;
        case Pair(Dtype::kFloat, Dtype::kHalf):
            return kFive | kNone | Bit(RoundMode::CAST_ODD);
        default:
            return 0;
    }
}

// The table of ascend310p.
uint32_t ModesOnM200(Dtype from, Dtype to) {
    switch (Pair(from, to)) {
        case Pair(Dtype::kInt8, Dtype::kHalf):
        case Pair(Dtype::kUint8, Dtype::kHalf):
        case Pair(Dtype::kInt16, Dtype::kHalf):
        case Pair(Dtype::kHalf, Dtype::kInt4):
        case Pair(Dtype::kHalf, Dtype::kFloat):
        case Pair(Dtype::kInt32, Dtype::kInt16):
        case Pair(Dtype::kInt32, Dtype::kFloat):
            return kNone;
        case Pair(Dtype::kHalf, Dtype::kInt8):
        case Pair(Dtype::kHalf, Dtype::kUint8):
            return (kFive & ~Bit(RoundMode::CAST_RINT)) | kNone;
        case Pair(Dtype::kHalf, Dtype::kInt16):
            return Bit(RoundMode::CAST_RINT);
        case Pair(Dtype::kHalf, Dtype::kInt32):
        case Pair(Dtype::kFloat, Dtype::kInt64):
            return kFive;
        case Pair(Dtype::kInt32, Dtype::kHalf):
            return ~0u;
        case Pair(Dtype::kFloat, Dtype::kHalf):
            return kNone | Bit(RoundMode::CAST_ODD);
        default:
            return 0;
    }
}

template <RoundMode mode>
Loop Chosen(Dtype from, Dtype to) {
    switch (Pair(from, to)) {
        case Pair(Dtype::kInt8, Dtype::kHalf):
            return SmallToHalf<int8_t>;
        case Pair(Dtype::kUint8, Dtype::kHalf):
            return SmallToHalf<uint8_t>;
        case Pair(Dtype::kInt16, Dtype::kFloat):
            return Widen<float, int16_t>;
        case Pair(Dtype::kHalf, Dtype::kFloat):
            return HalfToFloatLanes;
        case Pair(Dtype::kBfloat16, Dtype::kFloat):
            return BfloatToFloatLanes;
        case Pair(Dtype::kInt4, Dtype::kHalf):
            return NibblesToHalf;
        case Pair(Dtype::kHalf, Dtype::kInt4):
            return HalfToNibbles<mode>;
        case Pair(Dtype::kInt32, Dtype::kHalf):
            return ScaledToHalf;
        case Pair(Dtype::kInt32, Dtype::kInt16):
            return Saturate<int16_t, int32_t>;
        case Pair(Dtype::kInt32, Dtype::kInt64):
            return Widen<int64_t, int32_t>;
        case Pair(Dtype::kInt64, Dtype::kInt32):
            return Saturate<int32_t, int64_t>;
        case Pair(Dtype::kInt16, Dtype::kHalf):
            return With<mode>::Int16ToHalf;
        case Pair(Dtype::kHalf, Dtype::kInt8):
            return With<mode>::template HalfTo<int8_t>;
        case Pair(Dtype::kHalf, Dtype::kUint8):
            return With<mode>::template HalfTo<uint8_t>;
        case Pair(Dtype::kHalf, Dtype::kInt16):
            return With<mode>::template HalfTo<int16_t>;
        case Pair(Dtype::kHalf, Dtype::kInt32):
            return With<mode>::template HalfTo<int32_t>;
        case Pair(Dtype::kBfloat16, Dtype::kInt32):
            return With<mode>::template BfloatTo<int32_t>;
        case Pair(Dtype::kInt32, Dtype::kFloat):
            return With<mode>::template IntegerToFloat<int32_t>;
        case Pair(Dtype::kInt64, Dtype::kFloat):
            return With<mode>::template IntegerToFloat<int64_t>;
        case Pair(Dtype::kFloat, Dtype::kInt16):
            return With<mode>::template FloatTo<int16_t>;
        case Pair(Dtype::kFloat, Dtype::kInt32):
            return With<mode>::template FloatTo<int32_t>;
        case Pair(Dtype::kFloat, Dtype::kInt64):
            return With<mode>::template FloatTo<int64_t>;
        case Pair(Dtype::kFloat, Dtype::kHalf):
            return With<mode>::FloatToHalfBits;
        case Pair(Dtype::kFloat, Dtype::kBfloat16):
            return With<mode>::FloatToBfloat;
        case Pair(Dtype::kFloat, Dtype::kFloat):
            return With<mode>::FloatToFloat;
        default:
            return nullptr;
    }
}

}  // namespace

Loop CastLoop(Dtype to, Dtype from, RoundMode mode, bool m200) {
    const uint32_t modes = m200 ? ModesOnM200(from, to) : ModesOf(from, to);
    if (static_cast<uint32_t>(mode) > 31 || (modes & Bit(mode)) == 0) {
        return nullptr;
    }
    switch (mode) {
        case RoundMode::CAST_NONE:
        case RoundMode::CAST_RINT:
            return Chosen<RoundMode::CAST_RINT>(from, to);
        case RoundMode::CAST_FLOOR:
            return Chosen<RoundMode::CAST_FLOOR>(from, to);
        case RoundMode::CAST_CEIL:
            return Chosen<RoundMode::CAST_CEIL>(from, to);
        case RoundMode::CAST_ROUND:
            return Chosen<RoundMode::CAST_ROUND>(from, to);
        case RoundMode::CAST_TRUNC:
            return Chosen<RoundMode::CAST_TRUNC>(from, to);
        case RoundMode::CAST_ODD:
            return Chosen<RoundMode::CAST_ODD>(from, to);
        case RoundMode::UNKNOWN:
            return nullptr;
    }
    return nullptr;
}

}  // namespace sim
