// To int8_t and back. Pages: SIMD-API/高阶API/量化操作/AscendQuant, AscendDequant, AscendAntiQuant
#include <algorithm>
#include <cmath>
#include <cstring>

#include "adv_call.h"
#include "sim_adv_row_rooms.h"
#include "rounding.h"

namespace sim {
namespace {

double AsHalf(double value) { return static_cast<double>(HalfValue(HalfBits(static_cast<float>(value)))); }

// A scale of uint64_t holds a float in its lower half.
double ScaleAt(Dtype type, const uint8_t* scales, uint64_t index) {
    double value = 0.0;
    if (type == Dtype::kUint64) {
        LoadValues(Dtype::kFloat, scales + index * 8, 1, &value);
    } else {
        LoadValues(type, scales + index * BytesOf(type), 1, &value);
    }
    return value;
}

}  // namespace

void Dequant(const VectorCall& call, const DequantOperands& operands) {
    DequantOperands x = operands;
    const uint32_t element = BytesOf(x.type);
    AdvCall adv(call);
    if (x.columns == 0 || x.columns % 8 != 0 || x.used == 0 || x.used > x.columns) {
        adv.Refuse("a row of n int32_t is a multiple of 32 bytes, and calCount 1 to n of them",
                   "n is %u and calCount %u", x.columns, x.used);
    }
    if (x.split && x.rows == 1 && x.used * element % 32 == 0 && x.columns % x.used == 0) {
        x.rows = x.columns / x.used;
        x.columns = x.used;
    }
    const uint64_t width = RoundUp(uint64_t{x.columns} * element, 32);  // of a row of dst, in bytes
    const uint32_t scaleBytes = BytesOf(x.scaleType);
    uint8_t* dst = adv.Writes("dst", x.dst, (x.rows - 1) * width + uint64_t{x.used} * element);
    const uint8_t* src = adv.Reads("src", x.src, (uint64_t{x.rows - 1} * x.columns + x.used) * 4);
    const uint8_t* scales =
        x.scale == nullptr ? nullptr : adv.Reads("deqScale", *x.scale, uint64_t{x.used} * scaleBytes);
    adv.KeepApart(false);
    const sim_adv_sizes sizes = sim_adv_dequant(x.rows, x.columns);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(uint64_t{x.rows} * x.used);
    for (uint32_t row = 0; row < x.rows; ++row) {
        for (uint32_t i = 0; i < x.used; ++i) {
            const uint64_t place = (uint64_t{row} * x.columns + i) * 4;
            double value = 0.0;
            LoadValues(Dtype::kInt32, src + place, 1, &value);
            const float scale = static_cast<float>(scales == nullptr ? x.scalar : ScaleAt(x.scaleType, scales, i));
            value = static_cast<double>(static_cast<float>(value) * scale);
            StoreValues(x.type, &value, 1, dst + row * width + uint64_t{i} * element);
            const bool known = in.Known(x.src, place, 4) &&
                               (scales == nullptr || in.Known(*x.scale, uint64_t{i} * scaleBytes, scaleBytes));
            in.Define(x.dst, element, row * width + uint64_t{i} * element, known);
        }
    }
}

void Quant(const VectorCall& call, const QuantOperands& x) {
    const uint32_t element = BytesOf(x.type);
    AdvCall adv(call);
    if (x.count % 32 != 0 || (x.scale != nullptr && (x.scaleCount == 0 || x.count % x.scaleCount != 0)) ||
        (x.offset != nullptr && x.offsetCount != x.scaleCount)) {
        adv.Refuse("calCount is a multiple of 32 bytes of results and of scaleCount, which offsetCount is too",
                   "calCount is %llu, scaleCount %llu, offsetCount %llu", static_cast<unsigned long long>(x.count),
                   static_cast<unsigned long long>(x.scaleCount), static_cast<unsigned long long>(x.offsetCount));
    }
    uint8_t* dst = adv.Writes("dst", x.dst, x.count);
    const uint8_t* src = adv.Reads("src", x.src, x.count * element);
    const uint8_t* scales = x.scale == nullptr ? nullptr : adv.Reads("scale", *x.scale, x.scaleCount * element);
    const uint8_t* offsets = x.offset == nullptr ? nullptr : adv.Reads("offset", *x.offset, x.offsetCount * element);
    adv.KeepApart(true);
    const sim_adv_sizes sizes = sim_adv_quant(x.count);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(x.count);
    std::vector<double> values(x.count);
    std::vector<bool> known(x.count, true);  // dst may lie on src
    LoadValues(x.type, src, x.count, values.data());
    for (uint64_t i = 0; i < x.count; ++i) {
        const uint64_t at = x.scale == nullptr ? 0 : i % x.scaleCount;
        const double scale = AsHalf(scales == nullptr ? x.scaleValue : ScaleAt(x.type, scales, at));
        const double offset = AsHalf(offsets == nullptr ? x.offsetValue : ScaleAt(x.type, offsets, at));
        const double scaled = AsHalf(AsHalf(AsHalf(values[i]) * scale) + offset);
        values[i] = std::isnan(scaled) ? 0.0 : std::clamp(std::nearbyint(scaled), -128.0, 127.0);
        known[i] = in.Known(x.src, i * element, element) &&
                   (scales == nullptr || in.Known(*x.scale, at * element, element)) &&
                   (offsets == nullptr || in.Known(*x.offset, at * element, element));
    }
    StoreValues(Dtype::kInt8, values.data(), x.count, dst);
    for (uint64_t i = 0; i < x.count; ++i) {
        in.Define(x.dst, 1, i, known[i]);
    }
}

void AntiQuant(const VectorCall& call, const AntiQuantOperands& x) {
    const uint32_t element = BytesOf(x.type);
    AdvCall adv(call);
    if (x.k == 0 || x.count % x.k != 0) {
        adv.Refuse("the source has whole rows or columns of k elements", "%llu elements, k is %u",
                   static_cast<unsigned long long>(x.count), x.k);
    }
    const uint64_t n = x.count / x.k;
    uint8_t* dst = adv.Writes("dst", x.dst, x.count * element);
    const uint8_t* src = adv.Reads("src", x.src, x.count);
    const uint8_t* scales = x.scale == nullptr ? nullptr : adv.Reads("scale", *x.scale, n * element);
    const uint8_t* offsets = x.offset == nullptr ? nullptr : adv.Reads("offset", *x.offset, n * element);
    adv.KeepApart(false);
    const sim_adv_scales kind = scales == nullptr || n == 1 ? sim_adv_scales::one
                                : x.transposed              ? sim_adv_scales::rows
                                                            : sim_adv_scales::columns;
    const sim_adv_sizes sizes =
        sim_adv_anti_quant(kind, x.transposed ? n : x.k, x.transposed ? x.k : n, x.type == Dtype::kHalf);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(x.count);
    for (uint64_t i = 0; i < x.count; ++i) {
        const uint64_t at = x.transposed ? i / x.k : i % n;
        double value = 0.0;
        LoadValues(Dtype::kInt8, src + i, 1, &value);
        const double offset = offsets == nullptr ? x.offsetValue : ScaleAt(x.type, offsets, at);
        const double scale = scales == nullptr ? x.scaleValue : ScaleAt(x.type, scales, at);
        // The page's steps: Add and Mul of half; bfloat16_t is computed in float.
        value = (x.type == Dtype::kHalf ? AsHalf(value + offset) : value + offset) * scale;
        StoreValues(x.type, &value, 1, dst + i * element);
        const bool known = in.Known(x.src, i, 1) && (scales == nullptr || in.Known(*x.scale, at * element, element)) &&
                           (offsets == nullptr || in.Known(*x.offset, at * element, element));
        in.Define(x.dst, element, i * element, known);
    }
}

}  // namespace sim
