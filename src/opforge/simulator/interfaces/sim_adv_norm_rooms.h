// The room that functions of normalisation need beside their operands, as sim_adv_rooms.h has it for the others.
// Pages: SIMD-API/高阶API/归一化操作: the *-Tiling pages
//
// CANN's public library answers these sizes (measured: tests/fidelity/tiling).
#ifndef OPFORGE_INTERFACES_SIM_ADV_NORM_ROOMS_H
#define OPFORGE_INTERFACES_SIM_ADV_NORM_ROOMS_H

#include <algorithm>
#include <cstdint>

#include "sim_adv_rooms.h"

inline uint64_t sim_adv_in_steps(uint64_t length, uint64_t step) { return (length + step - 1) / step * step; }

// Mean and variance of each row as float, in whole blocks.
inline uint64_t sim_adv_moments(uint64_t rows) { return 2 * sizeof(float) * sim_adv_in_steps(rows, 8); }

// Rows of float that LayerNorm, DeepNorm, GroupNorm and BatchNorm hold at once: float's source may be one of them.
inline uint32_t sim_adv_norm_buffers(uint32_t type_bytes, bool reuse) { return type_bytes == 4 && reuse ? 2 : 3; }

// LayerNorm, DeepNorm and GroupNorm: moments, and one row or all rows. DeepNorm's basic blocks are no different.
inline sim_adv_sizes sim_adv_layer_norm(uint64_t rows, uint64_t columns, uint32_t type_bytes, bool reuse) {
    const uint64_t row = columns * sizeof(float) * sim_adv_norm_buffers(type_bytes, reuse);
    const uint64_t moments = sim_adv_moments(rows);
    return {row + moments, row * rows + moments};
}

// Normalize: two rows of float, and a third and fourth for half; all rows in whole eights with one more.
inline sim_adv_sizes sim_adv_normalize(uint64_t rows, uint64_t columns, uint32_t type_bytes) {
    return {std::max(columns * (type_bytes == 2 ? 16 : 8), sim_adv_moments(rows) / 2),
            columns * 8 * (sim_adv_in_steps(rows, 8) + 1)};
}

// LayerNorm that writes means and reciprocal deviations: Normalize and the moments.
inline sim_adv_sizes sim_adv_layer_norm_rstd(uint64_t rows, uint64_t columns, uint32_t type_bytes) {
    const sim_adv_sizes normalize = sim_adv_normalize(rows, columns, type_bytes);
    const uint64_t means = sim_adv_moments(rows) / 2;
    return {normalize.least + means, normalize.most + means};
}

// BatchNorm: the moments of all columns, and blocks of them, or all, with their rows.
inline uint32_t sim_adv_batch_norm_block(uint32_t type_bytes, bool basic) { return basic ? 64 : 32 / type_bytes; }
inline sim_adv_sizes sim_adv_batch_norm(uint64_t rows, uint64_t columns, uint32_t type_bytes, bool basic) {
    const uint64_t moments = 2 * columns * sizeof(float);
    const uint64_t column = rows * 3 * sizeof(float);
    return {moments + column * sim_adv_batch_norm_block(type_bytes, basic), moments + column * columns};
}

// LayerNormGrad: all rows are the least, as many rows as columns the most, or the other way round.
inline sim_adv_sizes sim_adv_layer_norm_grad(uint64_t rows, uint64_t columns, uint32_t type_bytes, bool reuse) {
    const uint64_t each = type_bytes == 2 ? 18 : reuse ? 16 : 24;
    const uint64_t row = columns * each;
    return {row * std::min(rows, columns), row * std::max(rows, columns)};
}

// LayerNormGradBeta: source and gradient as float, twice for half.
inline sim_adv_sizes sim_adv_layer_norm_grad_beta(uint64_t rows, uint64_t columns, uint32_t type_bytes) {
    const uint64_t row = columns * (type_bytes == 2 ? 16 : 8);
    return {row, row * rows};
}

// WelfordUpdate: values of float in steps of 64; float may have its source for one, half has three.
inline sim_adv_sizes sim_adv_welford_update(uint64_t elements, uint32_t type_bytes, bool reuse) {
    const uint64_t each = type_bytes == 2 ? 12 : reuse ? 4 : 8;
    return {each * 64, each * sim_adv_in_steps(elements, 64)};
}

// WelfordFinalize: two values of float for each mean, and two steps to reduce with.
inline sim_adv_sizes sim_adv_welford_finalize(uint64_t means) {
    return {1024, std::max<uint64_t>(1024, 8 * means + 512)};
}

#endif
