// Columns added to a matrix, columns taken off, and elements dropped by a mask.
// Pages: SIMD-API/高阶API/张量变换/Pad, UnPad; 数据过滤/DropOut
#include <cstring>

#include "adv_call.h"
#include "sim_adv_rooms.h"
#include "rounding.h"
#include "sim/adv_pad.h"

namespace sim {
namespace {

constexpr uint32_t kBlock = 32;

// Moves `count` elements with their definedness.
void Move(Instruction& in, const PadOperands& x, uint8_t* dst, uint64_t to, const uint8_t* src, uint64_t from,
          uint64_t count) {
    std::memcpy(dst + to * x.element, src + from * x.element, count * x.element);
    for (uint64_t i = 0; i < count; ++i) {
        in.DefineAs(x.dst, x.element, (to + i) * x.element, in.OriginOf(x.src, (from + i) * x.element, x.element));
    }
}

void Fill(Instruction& in, const PadOperands& x, uint8_t* dst, uint64_t to, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(dst + (to + i) * x.element, &x.value, x.element);
    }
    in.Define(x.dst, count * x.element, to * x.element);
}

}  // namespace

void Pad(const VectorCall& call, const PadOperands& x) {
    AdvCall adv(call);
    const uint32_t block = kBlock / x.element;
    const bool aligned = x.columns % block == 0;
    if (x.rows == 0 || x.columns == 0 || uint64_t{x.rows} * x.columns % block != 0) {
        adv.Refuse("the source has a row, and is a multiple of 32 bytes", "it has %u rows of %u elements of %u bytes",
                   x.rows, x.columns, x.element);
    }
    if (aligned && x.usedColumns == x.columns) {
        adv.Refuse("a width that is a multiple of 32 bytes has columns without data",
                   "the width and the original width are %u", x.columns);
    }
    if (aligned && (x.usedColumns == 0 || x.usedColumns > x.columns || x.columns - x.usedColumns >= block ||
                    x.left != 0 || x.right > x.columns - x.usedColumns)) {
        adv.Refuse("a width that is a multiple of 32 bytes is padded on the right, where it has no data",
                   "leftPad is %u, rightPad %u, the width %u, the original width %u", x.left, x.right, x.columns,
                   x.usedColumns);
    }
    const uint32_t padded = static_cast<uint32_t>(RoundUp(x.columns, block));
    if (!aligned && (x.usedColumns != x.columns || x.left + x.right != padded - x.columns)) {
        adv.Refuse("another width has data throughout, and is padded up to a multiple of 32 bytes",
                   "leftPad is %u, rightPad %u, the width %u, the original width %u", x.left, x.right, x.columns,
                   x.usedColumns);
    }
    const uint64_t elements = uint64_t{x.rows} * padded;
    uint8_t* dst = adv.Writes("dst", x.dst, elements * x.element);
    const uint8_t* src = adv.Reads("src", x.src, uint64_t{x.rows} * x.columns * x.element);
    adv.KeepApart(false);
    adv.Uses(x.room, SIM_ADV_PAD_BYTES, sim_adv_pad_most(uint64_t{x.rows} * x.columns));
    Instruction& in = adv.Begin(elements);
    for (uint64_t row = 0; row < x.rows; ++row) {
        const uint64_t to = row * padded;
        const uint64_t from = row * x.columns;
        if (aligned) {
            Move(in, x, dst, to, src, from, x.columns);
            Fill(in, x, dst, to + x.usedColumns, x.right);
        } else {
            Fill(in, x, dst, to, x.left);
            Move(in, x, dst, to + x.left, src, from, x.columns);
            Fill(in, x, dst, to + x.left + x.columns, x.right);
        }
    }
}

// leftPad has no effect, as the page says.
void UnPad(const VectorCall& call, const PadOperands& x) {
    AdvCall adv(call);
    const uint32_t block = kBlock / x.element;
    if (x.rows == 0 || x.columns == 0 || x.columns % block != 0) {
        adv.Refuse("the source has a row, and its width is a multiple of 32 bytes",
                   "it has %u rows of %u elements of %u bytes", x.rows, x.columns, x.element);
    }
    if (x.right == 0 || x.right >= block || x.left >= block) {
        adv.Refuse("rightPad is more than no bytes and less than 32, and leftPad less than 32",
                   "they are %u and %u elements of %u bytes", x.right, x.left, x.element);
    }
    const uint64_t kept = x.columns - x.right;
    uint8_t* dst = adv.Writes("dst", x.dst, x.rows * kept * x.element);
    const uint8_t* src = adv.Reads("src", x.src, uint64_t{x.rows} * x.columns * x.element);
    adv.KeepApart(false);
    adv.Uses(x.room, 0, x.room == nullptr ? 0 : sim_adv_pad_most(uint64_t{x.rows} * x.columns));
    Instruction& in = adv.Begin(x.rows * kept);
    for (uint64_t row = 0; row < x.rows; ++row) {
        Move(in, x, dst, row * kept, src, row * x.columns, kept);
    }
}

namespace {

enum DropOutMode : uint32_t { kInferred, kBytesPadded, kBytes, kBits, kBitsPadded };

uint32_t ModeOf(const DropOutOperands& x) {
    if (x.mode != kInferred) {
        return x.mode;
    }
    if (x.columns <= x.maskColumns) {
        return x.columns == x.maskColumns ? kBytes : kBytesPadded;
    }
    return x.columns == uint64_t{x.maskColumns} * 8 ? kBits : kBitsPadded;
}

}  // namespace

void DropOut(const VectorCall& call, const DropOutOperands& x) {
    AdvCall adv(call);
    const uint32_t mode = ModeOf(x);
    const bool bits = mode == kBits || mode == kBitsPadded;
    const bool padded = mode == kBytesPadded || mode == kBitsPadded;
    const uint32_t valid = bits ? x.columns / 8 : x.columns;  // of a row of the mask
    if (x.rows == 0 || x.columns == 0 || x.maskColumns == 0) {
        adv.Refuse("firstAxis, srcLastAxis and maskLastAxis are more than 0", "they are %u, %u and %u", x.rows,
                   x.columns, x.maskColumns);
    }
    if (!(x.keepProb > 0.0 && x.keepProb < 1.0)) {
        adv.Refuse("keepProb lies between 0 and 1", "it is %g", x.keepProb);
    }
    if (bits && x.rows > 1 && x.columns % 8 != 0) {
        adv.Refuse("a row of bits is whole bytes", "srcLastAxis is %u", x.columns);
    }
    if (padded && (x.maskColumns % kBlock != 0 || valid > x.maskColumns || valid == 0 || valid % 2 != 0)) {
        adv.Refuse("a padded row of the mask is a multiple of 32 bytes, of which an even number is used",
                   "maskLastAxis is %u, of which %u are used", x.maskColumns, valid);
    }
    if (mode == kBitsPadded && x.columns * BytesOf(x.type) % kBlock != 0) {
        adv.Refuse("with padded rows of bits a row of the source is a multiple of 32 bytes", "srcLastAxis is %u",
                   x.columns);
    }
    const uint64_t count = uint64_t{x.rows} * x.columns;
    const uint32_t wide = BytesOf(x.type);
    const uint64_t maskBytes = padded ? uint64_t{x.rows} * x.maskColumns : bits ? (count + 7) / 8 : count;
    uint8_t* dst = adv.Writes("dst", x.dst, count * wide);
    const uint8_t* src = adv.Reads("src", x.src, count * wide);
    const uint8_t* mask = adv.Reads("mask", x.mask, maskBytes);
    adv.KeepApartButFirst();
    const sim_adv_sizes sizes = sim_adv_sizes_of(*sim_adv_room_of("DropOut"), wide, count, false);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(count);
    for (uint64_t row = 0; row < x.rows && padded; ++row) {
        Ub part = x.mask;
        part.addr += static_cast<uint32_t>(row * x.maskColumns);
        adv.Require("mask", part, 1, valid, valid, Dtype::kUint8);
    }
    if (!padded) {
        adv.Require("mask", x.mask, 1, maskBytes, maskBytes, Dtype::kUint8);
    }
    std::vector<double> values(count);
    std::vector<bool> known(count, true);
    LoadValues(x.type, src, count, values.data());
    // Muls takes 1 / keepProb in the tensor's type.
    double factor = 1.0 / static_cast<float>(x.keepProb);
    uint32_t rounded = 0;
    StoreValues(x.type, &factor, 1, &rounded);
    LoadValues(x.type, &rounded, 1, &factor);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t at = padded ? i / x.columns * x.maskColumns * (bits ? 8 : 1) + i % x.columns : i;
        const uint8_t byte = mask[bits ? at / 8 : at];
        if (!bits && byte > 1) {
            adv.Refuse("a byte of the mask is 0 or 1", "byte %llu is %u", static_cast<unsigned long long>(at), byte);
        }
        const bool kept = bits ? (byte >> at % 8 & 1) != 0 : byte != 0;
        values[i] = kept ? values[i] * factor : 0.0;
        known[i] = !kept || in.Known(x.src, i * wide, wide);
    }
    StoreValues(x.type, values.data(), count, dst);
    for (uint64_t i = 0; i < count; ++i) {
        in.Define(x.dst, wide, i * wide, known[i]);
    }
    if (padded) {
        in.Define(x.mask, maskBytes, 0, false);
    }
}

}  // namespace sim
