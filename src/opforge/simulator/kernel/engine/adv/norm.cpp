// Normalisation, row by row: computed in double, each result rounded once.
// Pages: SIMD-API/高阶API/归一化操作/RmsNorm, LayerNorm, Normalize, DeepNorm, GroupNorm
#include <cmath>

#include "adv_call.h"
#include "sim_adv_norm_rooms.h"
#include "sim/adv_norm.h"

namespace sim {
namespace {

void CheckShape(const AdvCall& adv, const NormOperands& x) {
    const uint32_t block = 32 / BytesOf(x.type);
    if (x.rows == 0 || x.used == 0 || x.used > x.stride || x.stride % block != 0) {
        adv.Refuse("there is a row, of an element or more, and the rows are multiples of 32 bytes apart",
                   "%u rows of %u elements, %u apart", x.rows, x.used, x.stride);
    }
    if (x.op == NormOp::kDeep && x.stride > 2040) {
        adv.Refuse("H is at most 2040", "it is %u", x.stride);
    }
    if (x.op == NormOp::kGroup && (x.plane * BytesOf(x.type) % 32 != 0 || x.used != x.stride)) {
        adv.Refuse("a plane H * W is a multiple of 32 bytes: the page does not say how others lie",
                   "it has %u elements", x.plane);
    }
    if (x.basic && (x.rows % 8 != 0 || x.used % 64 != 0 || x.used != x.stride || x.used >= 2048)) {
        adv.Refuse("isBasicBlock needs a multiple of 8 rows of a multiple of 64 elements, fewer than 2048",
                   "%u rows of %u elements, %u apart", x.rows, x.used, x.stride);
    }
    if (x.op == NormOp::kLayer && x.used != x.stride) {
        adv.Refuse("storageHLength and originHLength of the tiling's shape are the same",
                   "the tiling was made for %u and %u", x.stride, x.used);
    }
    if (x.op == NormOp::kLayerRstd && (x.rows > x.tilingRows || x.used != x.tilingUsed || x.stride - x.used >= block)) {
        adv.Refuse(
            "aLength is at most the A of the tiling's shape, rLength its R, and rLengthWithPadding that of a row"
            " rounded up to 32 bytes",
            "aLength is %u, rLength %u, rLengthWithPadding %u, and the tiling was made for [%u, %u]", x.rows, x.used,
            x.stride, x.tilingRows, x.tilingUsed);
    }
    if (x.op == NormOp::kNormalize && x.rows != x.tilingRows) {
        adv.Refuse("the aLength of NormalizeConfig is -1 or that of NormalizePara", "they are %u and %u", x.tilingRows,
                   x.rows);
    }
}

sim_adv_sizes RoomOf(const NormOperands& x) {
    const uint32_t wide = BytesOf(x.type);
    switch (x.op) {
        case NormOp::kRms:
            return sim_adv_rms_norm(x.rows, x.stride, wide);
        case NormOp::kLayerRstd:
            return sim_adv_layer_norm_rstd(x.rows, x.stride, wide);
        case NormOp::kNormalize:
            return sim_adv_normalize(x.rows, x.stride, BytesOf(x.scaleType));
        default:
            return sim_adv_layer_norm(x.rows, x.stride, wide, x.reuse);
    }
}

struct Statistics {
    double mean, variance;
};

Statistics Of(const std::vector<double>& row, uint32_t used, bool centred) {
    double sum = 0.0;
    for (uint32_t i = 0; centred && i < used; ++i) {
        sum += row[i];
    }
    const double mean = sum / used;
    double squares = 0.0;
    for (uint32_t i = 0; i < used; ++i) {
        squares += (row[i] - mean) * (row[i] - mean);
    }
    return {mean, squares / used};
}

// gamma or beta: values, and whether each was written.
struct Scales {
    std::vector<double> values;
    std::vector<bool> known;
};

Scales ScalesOf(const Instruction& in, const Ub* place, const uint8_t* from, Dtype type, uint32_t count, double none) {
    Scales scales{std::vector<double>(count, none), std::vector<bool>(count, true)};
    if (place != nullptr) {
        LoadValues(type, from, count, scales.values.data());
        for (uint32_t i = 0; i < count; ++i) {
            scales.known[i] = in.Known(*place, uint64_t{i} * BytesOf(type), BytesOf(type));
        }
    }
    return scales;
}

}  // namespace

void Norm(const VectorCall& call, const NormOperands& x) {
    AdvCall adv(call);
    CheckShape(adv, x);
    const bool given = x.op == NormOp::kNormalize;
    const uint32_t wide = BytesOf(x.type);
    const uint32_t narrow = BytesOf(x.statType);
    const uint64_t bytes = uint64_t{x.rows} * x.stride * wide;
    // RmsNorm computes the padding of a row, too.
    const uint32_t columns = x.op == NormOp::kRms ? x.stride : x.used;
    const uint32_t scales = x.op == NormOp::kGroup ? x.channels : columns;
    const uint64_t stats = uint64_t{x.rows} * narrow;
    const auto reads = [&](const char* role, const Ub* place, uint64_t size) {
        return place == nullptr ? nullptr : adv.Reads(role, *place, size);
    };
    const auto writes = [&](const char* role, const Ub* place) {
        return place == nullptr ? nullptr : adv.Writes(role, *place, stats);
    };
    uint8_t* dst = adv.Writes("dst", x.dst, bytes);
    const uint8_t* src = adv.Reads("src", x.src, bytes);
    const uint8_t* residual = reads("gx", x.residual, bytes);
    const uint8_t* gamma = reads("gamma", x.gamma, uint64_t{scales} * BytesOf(x.scaleType));
    const uint8_t* beta = reads("beta", x.beta, uint64_t{scales} * BytesOf(x.scaleType));
    const uint8_t* meanIn = reads("inputMean", given ? x.mean : nullptr, stats);
    const uint8_t* varianceIn = reads("inputVariance", given ? x.variance : nullptr, stats);
    uint8_t* mean = writes("outputMean", given ? nullptr : x.mean);
    uint8_t* variance = writes("outputVariance", given ? nullptr : x.variance);
    uint8_t* rstd = writes("outputRstd", x.rstd);
    if (x.op == NormOp::kRms || x.op == NormOp::kLayer || (x.op == NormOp::kDeep && x.reuse)) {
        adv.KeepApartButFirst();
    } else {
        adv.KeepApart(false);
    }
    const sim_adv_sizes sizes = RoomOf(x);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(uint64_t{x.rows} * columns);
    if (!given) {
        adv.Require("src", x.src, x.rows, x.stride, x.used, x.type);
    }
    if (residual != nullptr) {
        adv.Require("gx", *x.residual, x.rows, x.stride, x.used, x.type);
    }
    const Scales scale = ScalesOf(in, x.gamma, gamma, x.scaleType, scales, 1.0);
    const Scales shift = ScalesOf(in, x.beta, beta, x.scaleType, scales, 0.0);

    std::vector<double> row(columns), other(residual == nullptr ? 0 : columns);
    std::vector<bool> known(columns);
    for (uint32_t line = 0; line < x.rows; ++line) {
        const uint64_t offset = uint64_t{line} * x.stride * wide;
        const uint64_t at = uint64_t{line} * narrow;
        LoadValues(x.type, src + offset, columns, row.data());
        if (residual != nullptr) {
            LoadValues(x.type, residual + offset, columns, other.data());
            for (uint32_t i = 0; i < columns; ++i) {
                row[i] = x.alpha * row[i] + other[i];
            }
        }
        Statistics of{};
        bool knownMean = true;
        bool knownVariance = true;
        if (given) {
            LoadValues(x.statType, meanIn + at, 1, &of.mean);
            LoadValues(x.statType, varianceIn + at, 1, &of.variance);
            knownMean = in.Known(*x.mean, at, narrow);
            knownVariance = in.Known(*x.variance, at, narrow);
        } else {
            of = Of(row, x.used, x.op != NormOp::kRms);
        }
        const double inverse = 1.0 / std::sqrt(of.variance + x.epsilon);
        for (uint32_t i = 0; i < columns; ++i) {
            const uint32_t s = x.op == NormOp::kGroup ? (line * (columns / x.plane) + i / x.plane) % x.channels : i;
            known[i] = knownMean && knownVariance && scale.known[s] && shift.known[s] &&
                       in.Known(x.src, offset + uint64_t{i} * wide, wide);
            row[i] = (row[i] - of.mean) * inverse * scale.values[s] + shift.values[s];
        }
        StoreValues(x.type, row.data(), columns, dst + offset);
        in.Define(x.dst, uint64_t{x.stride} * wide, offset, false);
        for (uint32_t i = 0; i < columns; ++i) {
            in.Define(x.dst, wide, offset + uint64_t{i} * wide, known[i]);
        }
        const auto note = [&](uint8_t* to, const Ub* place, double value, bool defined) {
            if (to != nullptr) {
                StoreValues(x.statType, &value, 1, to + at);
                in.Define(*place, narrow, at, defined);
            }
        };
        note(mean, x.mean, of.mean, true);
        note(variance, x.variance, of.variance, true);
        note(rstd, x.rstd, inverse, knownVariance);
    }
    if (x.reuse && x.src.addr != x.dst.addr) {
        in.Define(x.src, bytes, 0, false);
    }
}

}  // namespace sim
