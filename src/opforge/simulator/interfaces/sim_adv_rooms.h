// The room that functions above the instructions need beside their operands (sharedTmpBuffer): one table for the host's
// GetXxxMaxMinTmpSize and for what the engine asks of a kernel's buffer. Pages: SIMD-API/高阶API/*/GetXxxMaxMinTmpSize
//
// Sizes with a rule here are those that CANN's public library answers (measured: tests/fidelity/tiling): a kernel that
// asks for less than `least` is told, and all of its buffer up to `most` is undefined after the call. Functions of rows
// and of normalisation have theirs in sim_adv_row_rooms.h and sim_adv_norm_rooms.h.
// tests/fidelity/tiling/known_differences_others.json lists every measured size that the host answers otherwise.
#ifndef OPFORGE_INTERFACES_SIM_ADV_ROOMS_H
#define OPFORGE_INTERFACES_SIM_ADV_ROOMS_H

#include <algorithm>
#include <cstdint>
#include <cstring>

// X(function, bytes for an element of 2 bytes, bytes for one of 4, least elements of 2 bytes, nodes saved): functions
// with both getters, with only Get<function>MaxMinTmpSize or Get<function>TmpBufferFactorSize of the plain form, and
// those with forms of their own. A step has 64 floats, and 128 or 64 halves; some save a node where the source may be
// overwritten. RoundM200 is Round on Ascend310P.
#define SIM_ADV_PLAIN_ROOMS(X) \
    X(Acos, 12, 8, 128, 0)     \
    X(Acosh, 4, 4, 128, 0)     \
    X(Asin, 12, 8, 128, 0)     \
    X(Asinh, 6, 12, 128, 0)    \
    X(Atan, 24, 20, 128, 0)    \
    X(Atanh, 8, 4, 128, 0)     \
    X(Axpy, 8, 0, 128, 0)      \
    X(Ceil, 4, 4, 128, 0)      \
    X(Clamp, 1, 1, 128, 0)     \
    X(Cos, 16, 12, 128, 1)     \
    X(Cosh, 12, 8, 128, 0)     \
    X(Digamma, 32, 28, 128, 1) \
    X(Erf, 16, 12, 128, 0)     \
    X(Erfc, 32, 28, 128, 0)    \
    X(Floor, 4, 0, 128, 0)     \
    X(Fmod, 16, 4, 128, 0)     \
    X(Frac, 8, 0, 128, 0)      \
    X(Lgamma, 52, 32, 128, 1)  \
    X(Log, 0, 0, 128, 0)       \
    X(Log10, 0, 0, 128, 0)     \
    X(Log2, 4, 0, 64, 0)       \
    X(Sign, 6, 12, 128, 0)     \
    X(Sin, 16, 12, 128, 1)     \
    X(Sinh, 8, 4, 128, 0)      \
    X(Tan, 20, 16, 128, 0)     \
    X(Tanh, 8, 4, 128, 0)      \
    X(Trunc, 4, 4, 128, 0)     \
    X(Xor, 2, 4, 128, 0)       \
    X(GeGLU, 8, 0, 128, 0)
#define SIM_ADV_SIZE_ROOMS(X) X(Sigmoid, 2, 4, 128, 0)
#define SIM_ADV_FACTOR_ROOMS(X) \
    X(Exp, 16, 12, 64, 1)       \
    X(SwiGLU, 12, 0, 128, 0)
#define SIM_ADV_OWN_ROOMS(X)   \
    X(ReGlu, 12, 0, 128, 0)    \
    X(Round, 2, 0, 128, 0)     \
    X(RoundM200, 4, 4, 128, 0) \
    X(Gelu, 12, 12, 64, 0)     \
    X(Silu, 0, 0, 128, 0)      \
    X(Swish, 0, 0, 128, 0)     \
    X(DropOut, 8, 8, 64, 0)

struct sim_adv_room {
    const char* function;
    uint32_t bytes2;
    uint32_t bytes4;
    uint32_t step2;
    uint32_t saved;
};

struct sim_adv_sizes {
    uint64_t least;
    uint64_t most;
};

constexpr uint32_t SIM_ADV_STEP_BYTES = 256;

// Null for a function without a row.
inline const sim_adv_room* sim_adv_room_of(const char* function) {
#define SIM_ADV_ROW(name, two, four, step, saved) {#name, two, four, step, saved},
    static constexpr sim_adv_room kRooms[] = {SIM_ADV_PLAIN_ROOMS(SIM_ADV_ROW) SIM_ADV_SIZE_ROOMS(SIM_ADV_ROW)
                                                  SIM_ADV_FACTOR_ROOMS(SIM_ADV_ROW) SIM_ADV_OWN_ROOMS(SIM_ADV_ROW)};
#undef SIM_ADV_ROW
    for (const sim_adv_room& room : kRooms) {
        if (std::strcmp(room.function, function) == 0) {
            return &room;
        }
    }
    return nullptr;
}

// Intermediate values of the source's width that a function holds at once; less than one counts as one.
inline uint32_t sim_adv_nodes(const sim_adv_room& room, uint32_t type_bytes) {
    const uint32_t width = type_bytes <= 2 ? 2 : 4;
    return ((width == 2 ? room.bytes2 : room.bytes4) + width - 1) / width;
}

// The least that a function works with, and the most that it uses for `elements` of `type_bytes`. `reuse`: the source
// may be overwritten (isReuseSource), which counts for float, and for cosine and sine of half, which then take none.
inline sim_adv_sizes sim_adv_sizes_of(const sim_adv_room& room, uint32_t type_bytes, uint64_t elements, bool reuse) {
    const bool two = type_bytes <= 2;
    uint64_t each = two ? room.bytes2 : room.bytes4;
    if (reuse && two && (std::strcmp(room.function, "Cos") == 0 || std::strcmp(room.function, "Sin") == 0)) {
        each = 0;
    }
    if (reuse && !two) {
        each -= uint64_t{room.saved} * sizeof(float);
    }
    const uint64_t least = each * (two ? room.step2 : 64);
    return {least, std::max(least, each * elements)};
}

// Power: a scalar operand is laid out too, but for half; floats take 256 bytes more, and Ascend310P (`m200`) a value.
inline sim_adv_sizes sim_adv_power(bool whole, bool tensors, uint32_t type_bytes, uint64_t elements, bool m200) {
    const uint64_t extra = whole ? 0 : 256;
    const uint64_t each = (type_bytes <= 2 ? 28 : uint64_t{whole ? 6u : 4u} * 4 + (tensors ? 0 : 4)) + (m200 ? 4 : 0);
    const uint64_t least = each * 64 + extra;
    return {least, std::max(least, each * elements + extra)};
}

// ReduceXorSum holds the sum and, where the sources must stay, one more value of 2 bytes.
inline sim_adv_sizes sim_adv_xor_sum(uint64_t elements, bool reuse) {
    const uint64_t each = reuse ? 4 : 6;
    const uint64_t all = std::max<uint64_t>(each * 128, elements * each);
    return {all, all};
}

// Sum: a partial result for each 256 bytes of the row, in whole blocks.
inline uint64_t sim_adv_sum(uint64_t n, uint32_t type_bytes) {
    return ((n * type_bytes + 255) / 256 * type_bytes + 31) / 32 * 32;
}

// Mean: the same with partial results of one byte, and the row as float where half is summed as float.
inline uint64_t sim_adv_mean(uint64_t n, uint32_t type_bytes, uint32_t sum_bytes) {
    const uint64_t parts = ((n * sum_bytes + 255) / 256 + 31) / 32 * 32;
    return type_bytes == sum_bytes ? parts : parts + (n + 15) / 16 * 16 * sum_bytes;
}

inline sim_adv_sizes sim_adv_quant(uint64_t elements) { return {512, std::max<uint64_t>(512, 2 * elements)}; }

// AscendDequant: scale and one row as float, or all rows.
inline sim_adv_sizes sim_adv_dequant(uint64_t rows, uint64_t columns) {
    const uint64_t scale = 4 * columns + 288;
    return {scale + 4 * columns, scale + 4 * rows * columns};
}

// Softmax and its relatives, by bytes for a row: rows of float, maxima and sums in blocks of `type_bytes` elements, and
// 64 floats to reduce with. The most is that of all rows.
enum class sim_adv_softmax_kind { plain, flash_update, flash_v2, flash_v3, grad };
inline sim_adv_sizes sim_adv_softmax(sim_adv_softmax_kind kind, uint64_t rows, uint64_t columns, uint32_t type_bytes,
                                     uint32_t sum_bytes) {
    typedef sim_adv_softmax_kind Kind;
    const uint64_t block = 128 / (kind == Kind::flash_v2 || kind == Kind::flash_v3 ? sum_bytes : type_bytes);
    const bool half = type_bytes == 2;
    uint64_t row = 4 * columns + block + 256;
    switch (kind) {
        case Kind::plain:
            break;
        case Kind::flash_update:
            row = 8 * columns + 4 * block;
            break;
        case Kind::flash_v2:
            row = half ? row + block : block + 256;
            break;
        case Kind::flash_v3:
            row = 8 * columns + 5 * block + 256;
            break;
        case Kind::grad:
            row = half ? 12 * columns + 6 * block : row + block;
            break;
    }
    return {row, row * rows};
}

// FlashV2's with isBasicBlock: eight rows at once, without a second block for the sums, and rows of 1024 elements with
// 64 floats more. The most is halved until 255 repeats of 64 elements do.
constexpr uint64_t SIM_ADV_BASIC_ELEMENTS = 255 * 64;
inline sim_adv_sizes sim_adv_softmax_basic(uint64_t rows, uint64_t columns, uint32_t type_bytes, uint32_t sum_bytes) {
    const sim_adv_sizes plain = sim_adv_softmax(sim_adv_softmax_kind::flash_v2, rows, columns, type_bytes, sum_bytes);
    const uint64_t row =
        (type_bytes == 2 ? 4 * columns : 0) + 128 / sum_bytes + (columns == 1024 ? 2 : 1) * SIM_ADV_STEP_BYTES;
    if (rows % 8 != 0) {
        return {row * 8, plain.most};
    }
    while (rows * columns > SIM_ADV_BASIC_ELEMENTS) {
        rows /= 2;
    }
    return {row * 8, row * rows};
}

// RmsNorm: rows of float, twice for half, and a sum for each row in whole blocks of the type.
inline uint64_t sim_adv_rms_norm_row(uint64_t columns, uint32_t type_bytes) {
    return columns * (type_bytes == 2 ? 8 : 4);
}
inline sim_adv_sizes sim_adv_rms_norm(uint64_t rows, uint64_t columns, uint32_t type_bytes) {
    const uint64_t row = sim_adv_rms_norm_row(columns, type_bytes);
    const uint64_t block = 32 / type_bytes;
    return {row + 32, row * rows + (rows + block - 1) / block * block * sizeof(float)};
}

// Pad takes 64 bytes for each element in whole sixteens, and 1024 at least.
constexpr uint32_t SIM_ADV_PAD_BYTES = 1024;
inline uint64_t sim_adv_pad_most(uint64_t elements) {
    return std::max<uint64_t>(SIM_ADV_PAD_BYTES, (elements + 15) / 16 * 16 * 64);
}

#endif
