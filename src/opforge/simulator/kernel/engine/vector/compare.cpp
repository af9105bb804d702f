// Compare and Compares: one result bit per element, the first element in the lowest bit.
#include "loops.h"

namespace sim {
namespace {

using AscendC::CMPMODE;

template <CMPMODE mode, typename T>
bool Holds(T a, T b) {
    switch (mode) {
        case CMPMODE::LT:
            return a < b;
        case CMPMODE::GT:
            return a > b;
        case CMPMODE::EQ:
            return a == b;
        case CMPMODE::LE:
            return a <= b;
        case CMPMODE::GE:
            return a >= b;
        case CMPMODE::NE:
            return a != b;
    }
    return false;
}

template <CMPMODE mode, typename T, typename Get0, typename Get1>
void Pack(uint8_t* dst, size_t count, Get0 get0, Get1 get1) {
    for (size_t byte = 0; byte < count / 8; ++byte) {
        unsigned bits = 0;
        for (size_t bit = 0; bit < 8; ++bit) {
            bits |= static_cast<unsigned>(Holds<mode, T>(get0(byte * 8 + bit), get1(byte * 8 + bit))) << bit;
        }
        dst[byte] = static_cast<uint8_t>(bits);
    }
}

template <CMPMODE mode, typename T, bool scalar>
void CompareLanes(const Lanes& lanes) {
    uint8_t* dst = static_cast<uint8_t*>(lanes.dst);
    const T* a = static_cast<const T*>(lanes.src0);
    const T* b = static_cast<const T*>(lanes.src1);
    const T value = ScalarOf<T>(lanes.scalar);
    Pack<mode, T>(dst, lanes.count, [&](size_t i) { return a[i]; }, [&](size_t i) { return scalar ? value : b[i]; });
}

template <CMPMODE mode, bool scalar>
void CompareHalf(const Lanes& lanes) {
    uint8_t* dst = static_cast<uint8_t*>(lanes.dst);
    const uint16_t* a = static_cast<const uint16_t*>(lanes.src0);
    const uint16_t* b = static_cast<const uint16_t*>(lanes.src1);
    const float value = HalfValue(static_cast<uint16_t>(lanes.scalar));
    float x[kHalfChunk], y[kHalfChunk];
    for (size_t done = 0; done < lanes.count; done += kHalfChunk) {
        const size_t n = std::min(kHalfChunk, lanes.count - done);
        HalfToFloat(a + done, x, n);
        if (!scalar) {
            HalfToFloat(b + done, y, n);
        }
        Pack<mode, float>(
            dst + done / 8, n, [&](size_t i) { return x[i]; }, [&](size_t i) { return scalar ? value : y[i]; });
    }
}

template <CMPMODE mode, bool scalar>
Loop Chosen(Dtype type) {
    switch (type) {
        case Dtype::kFloat:
            return CompareLanes<mode, float, scalar>;
        case Dtype::kHalf:
            return CompareHalf<mode, scalar>;
        case Dtype::kInt32:
            return mode == CMPMODE::EQ ? CompareLanes<mode, int32_t, scalar> : nullptr;
        default:
            return nullptr;
    }
}

template <bool scalar>
Loop Chosen(CMPMODE mode, Dtype type) {
    switch (mode) {
        case CMPMODE::LT:
            return Chosen<CMPMODE::LT, scalar>(type);
        case CMPMODE::GT:
            return Chosen<CMPMODE::GT, scalar>(type);
        case CMPMODE::EQ:
            return Chosen<CMPMODE::EQ, scalar>(type);
        case CMPMODE::LE:
            return Chosen<CMPMODE::LE, scalar>(type);
        case CMPMODE::GE:
            return Chosen<CMPMODE::GE, scalar>(type);
        case CMPMODE::NE:
            return Chosen<CMPMODE::NE, scalar>(type);
    }
    return nullptr;
}

}  // namespace

Loop CompareLoop(CMPMODE mode, Dtype type) { return Chosen<false>(mode, type); }
Loop CompareScalarLoop(CMPMODE mode, Dtype type) { return Chosen<true>(mode, type); }

}  // namespace sim
