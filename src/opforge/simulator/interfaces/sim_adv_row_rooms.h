// The room that reductions, broadcasts, running sums and selections of matrices need beside their operands, as
// sim_adv_rooms.h has it for the others. Pages: SIMD-API/高阶API: 归约操作, 张量变换, 数学计算/CumSum, 数据过滤,
// 量化操作
//
// CANN's public library answers these sizes (measured: tests/fidelity/tiling).
#ifndef OPFORGE_INTERFACES_SIM_ADV_ROW_ROOMS_H
#define OPFORGE_INTERFACES_SIM_ADV_ROW_ROOMS_H

#include <algorithm>
#include <cstdint>

#include "sim_adv_rooms.h"

inline uint64_t sim_adv_up(uint64_t length, uint64_t step) { return (length + step - 1) / step * step; }

// The first power of two of a reduction by halves: the largest below `count`, or for one row not above it.
inline uint64_t sim_adv_half(uint64_t count, bool itself = false) {
    uint64_t half = 1;
    while (half * 2 < count || (itself && half * 2 == count)) {
        half *= 2;
    }
    return half;
}

// A reduction of columns holds the half of the rows that is added to the other; none where the source may be changed.
inline sim_adv_sizes sim_adv_reduce_columns(uint64_t rows, uint64_t columns, uint32_t type_bytes, bool reuse) {
    const uint64_t bytes = reuse ? 0 : sim_adv_half(rows) * sim_adv_up(columns * type_bytes, 32);
    return {bytes, bytes};
}

// Reductions of rows: sums by halves of all rows, products by halves row by row, largest and smallest in steps of 64
// floats, and truth as half.
enum class sim_adv_reduce_kind { sum, product, extreme, truth };
inline sim_adv_sizes sim_adv_reduce_rows(sim_adv_reduce_kind kind, uint64_t rows, uint64_t columns, bool reuse) {
    const uint64_t half = sim_adv_half(columns, rows == 1) * sizeof(float);
    uint64_t bytes = 0;
    switch (kind) {
        case sim_adv_reduce_kind::sum:
            bytes = reuse || columns <= 64 ? 0 : rows * half;
            break;
        case sim_adv_reduce_kind::product:
            bytes = SIM_ADV_STEP_BYTES + (reuse ? 0 : sim_adv_up(half, 32) + 32 * rows);
            break;
        case sim_adv_reduce_kind::extreme:
            bytes = reuse || columns <= 8 ? 0 : rows * (columns < 64 ? 32 : SIM_ADV_STEP_BYTES);
            break;
        case sim_adv_reduce_kind::truth:
            bytes = 2 * sim_adv_up(columns, 32) + 32 * rows;
            break;
    }
    return {bytes, bytes};
}

// CumSum: sixteen rows or all are transposed, as float; down the rows half has them all as float.
inline sim_adv_sizes sim_adv_cumulative(uint64_t rows, uint64_t columns, uint32_t type_bytes, bool last_axis) {
    if (last_axis) {
        const uint64_t sixteen = 16 * columns * (type_bytes == 2 ? 6 : 8);
        return {sixteen, (rows + 15) / 16 * sixteen};
    }
    const uint64_t bytes = type_bytes == 2 ? rows * columns * sizeof(float) : 0;
    return {bytes, bytes};
}

// Select and SelectWithBytesMask: the mask as half, 4096 elements or all; a mask of longer rows is cut,
// in a place of its own where the source must stay.
inline sim_adv_sizes sim_adv_select(uint64_t rows, uint64_t columns, uint64_t mask_columns, bool reuse) {
    const uint64_t elements = sim_adv_up(rows * columns, 32);
    const uint64_t cut = reuse || mask_columns == columns ? 0 : elements;
    const uint64_t whole = std::max<uint64_t>(512, 2 * elements) + 512;
    return {std::min<uint64_t>(whole, 8704) + cut, whole + cut};
}

// AscendAntiQuant to half needs none. To bfloat16: a scale for each column or row as float with what it is spread to,
// or the source as float.
enum class sim_adv_scales { one, columns, rows };
inline sim_adv_sizes sim_adv_anti_quant(sim_adv_scales scales, uint64_t rows, uint64_t columns, bool to_half) {
    if (to_half) {
        return {0, 0};
    }
    if (scales == sim_adv_scales::one) {
        return {1024, rows * columns * sizeof(float)};
    }
    const uint64_t bytes = scales == sim_adv_scales::rows ? 320 * rows : 8 * columns + 256 * rows;
    return {bytes, bytes};
}

// Broadcast: bytes are widened to half; the last axis is filled from blocks of eight rows, and its rows that end at no
// block are cut from longer ones. Ascend310P (`m200`) transposes it instead.
inline sim_adv_sizes sim_adv_broadcast(uint64_t from, uint64_t rows, uint64_t columns, bool last_axis,
                                       uint32_t type_bytes, bool m200) {
    const bool byte = type_bytes == 1;
    const uint32_t element = byte ? 2 : type_bytes;
    const uint64_t widened = byte ? sim_adv_up(2 * from, 32) + sim_adv_up(2 * rows * columns, 32) : 0;
    if (from == 1 || from == rows * columns) {
        const uint64_t bytes = byte ? widened + 32 : 0;
        return {bytes, bytes};
    }
    if (!last_axis) {
        return {widened + 32, widened + 32};
    }
    if (m200) {
        return {widened + sim_adv_up(4 * columns, 32) + 32, widened + rows * columns * element + 32};
    }
    const uint64_t row = sim_adv_up(columns * element, 32);
    const uint64_t padded = row == columns * element ? 0 : row;
    const uint64_t step = element == 2 ? 16 : 8;
    return {widened + 32 * step + step * padded, widened + (rows + 7) / 8 * SIM_ADV_STEP_BYTES + rows * padded};
}

// TransData between NCDHW and NDC1HWC0, or FRACTAL_Z_3D with N in whole sixteens: elements of two bytes.
inline sim_adv_sizes sim_adv_trans_data(uint64_t n, uint64_t c, uint64_t d, uint64_t plane, bool fractal, bool back) {
    const uint64_t channels = sim_adv_up(c, 16);
    const uint64_t row = 2 * d * sim_adv_up(plane, 16);
    uint64_t bytes = back ? row * channels + 512 : row * (channels + 1);
    if (fractal) {
        const uint64_t sixteens = (n + 15) / 16;
        bytes = sixteens * row * (16 * channels * (back ? 2 : 1) + (back ? 0 : std::max<uint64_t>(c, 16)));
    }
    return {bytes, bytes};
}

#endif
