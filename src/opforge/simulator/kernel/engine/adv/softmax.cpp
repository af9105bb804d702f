// Softmax and its relatives, row by row: computed in double, each result rounded once.
// Pages: SIMD-API/高阶API/激活函数/SoftMax接口, LogSoftMax接口
#include <algorithm>
#include <cmath>
#include <cstring>

#include "adv_call.h"
#include "sim_adv_rooms.h"

namespace sim {
namespace {

// The columns of a row are whole blocks; those above usedK are padding, which takes no part and becomes undefined.
void CheckShape(const AdvCall& adv, const SoftmaxOperands& x) {
    const uint32_t element = BytesOf(x.type);
    if (x.k == 0 || x.m == 0 || x.k * element % 32 != 0) {
        adv.Refuse("srcM and srcK are not 0, and a row of srcK elements is a multiple of 32 bytes",
                   "srcM is %u and srcK %u", x.m, x.k);
    }
    if (x.usedM > x.m || x.usedK > x.k || x.usedK == 0) {
        adv.Refuse("oriSrcM and oriSrcK are at most srcM and srcK", "%u of %u rows, and %u of %u columns", x.usedM, x.m,
                   x.usedK, x.k);
    }
    if (x.basic && (x.m % 8 != 0 || x.k % 64 != 0 || x.k >= 2048 || x.k * element < 256)) {
        adv.Refuse("isBasicBlock needs a multiple of 8 rows of 256 / sizeof(T) to 2047 elements, a multiple of 64",
                   "srcM is %u and srcK %u", x.m, x.k);
    }
}

double SumOf(const std::vector<double>& row) {
    double sum = 0.0;
    for (const double value : row) {
        sum += value;
    }
    return sum;
}

sim_adv_sizes RoomOf(const SoftmaxOperands& x) {
    typedef sim_adv_softmax_kind Kind;
    const uint32_t wide = BytesOf(x.type);
    const uint32_t narrow = BytesOf(x.reduced);
    if (x.op == SoftmaxOp::kFlashV2 && x.basic) {
        return sim_adv_softmax_basic(x.m, x.k, wide, narrow);
    }
    const bool sums = x.op == SoftmaxOp::kGradFront || (x.op == SoftmaxOp::kGrad && x.front);
    const Kind kind = x.op == SoftmaxOp::kFlashV2             ? Kind::flash_v2
                      : x.op == SoftmaxOp::kFlash && x.update ? Kind::flash_update
                      : x.op == SoftmaxOp::kGrad || sums      ? (sums && wide == 4 ? Kind::plain : Kind::grad)
                                                              : Kind::plain;
    return sim_adv_softmax(kind, x.m, x.k, wide, narrow);
}

}  // namespace

void Softmax(const VectorCall& call, const SoftmaxOperands& x) {
    AdvCall adv(call);
    CheckShape(adv, x);
    const uint32_t wide = BytesOf(x.type);
    const uint32_t narrow = BytesOf(x.reduced);
    const uint64_t bytes = uint64_t{x.m} * x.k * wide;
    const uint64_t copies = x.alone ? 1 : 32 / narrow;  // of a row's sum and maximum
    const uint64_t typed = x.alone ? 1 : 32 / wide;     // of what has the type of src
    const bool sums = x.op == SoftmaxOp::kGradFront || (x.op == SoftmaxOp::kGrad && x.front);
    uint8_t* dst = adv.Writes("dst", x.dst, sums ? x.m * typed * wide : bytes);
    const uint8_t* src = adv.Reads("src", x.src, bytes);
    const auto writes = [&](const char* role, const Ub* place, uint64_t count, uint32_t element) {
        return place == nullptr ? nullptr : adv.Writes(role, *place, x.m * count * element);
    };
    const auto reads = [&](const char* role, const Ub* place) {
        return place == nullptr ? nullptr : adv.Reads(role, *place, x.m * copies * narrow);
    };
    uint8_t* sum = writes("sum", x.sum, copies, narrow);
    uint8_t* max = writes("max", x.max, copies, narrow);
    uint8_t* reduceMax = writes("outReduceMax", x.update ? x.reduceMax : nullptr, copies, narrow);
    uint8_t* expMax = writes("expMax", x.update ? x.expMax : nullptr, typed, wide);
    const bool goesOn = x.update || x.op == SoftmaxOp::kSimple;
    const uint8_t* inSum = reads("inSum", goesOn ? x.inSum : nullptr);
    const uint8_t* inMax = reads("inMax", goesOn ? x.inMax : nullptr);
    const uint8_t* grad = x.grad == nullptr ? nullptr : adv.Reads("grad", *x.grad, bytes);
    adv.KeepApart(x.op != SoftmaxOp::kLog);
    const sim_adv_sizes sizes = RoomOf(x);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(uint64_t{x.m} * x.k);
    adv.Require("src", x.src, x.usedM, x.k, x.usedK, x.type);
    if (grad != nullptr) {
        adv.Require("grad", *x.grad, x.usedM, x.k, x.usedK, x.type);
    }
    for (const Ub* place : {inSum != nullptr ? x.inSum : nullptr, inMax != nullptr ? x.inMax : nullptr}) {
        if (place != nullptr) {
            adv.Require(place == x.inSum ? "inSum" : "inMax", *place, x.usedM, copies, copies, x.reduced);
        }
    }

    std::vector<double> row(x.usedK), other(x.usedK);
    const auto repeat = [&](double value, uint8_t* to, uint32_t line, uint64_t count, Dtype type) {
        if (to != nullptr) {
            const std::vector<double> values(count, value);
            StoreValues(type, values.data(), count, to + line * count * BytesOf(type));
        }
    };
    for (uint32_t line = 0; line < x.usedM; ++line) {
        const uint64_t offset = uint64_t{line} * x.k * wide;
        LoadValues(x.type, src + offset, x.usedK, row.data());
        if (grad != nullptr) {  // dst = (grad - sum(grad * src)) * src
            LoadValues(x.type, grad + offset, x.usedK, other.data());
            double total = 0.0;
            for (uint32_t i = 0; i < x.usedK; ++i) {
                total += row[i] * other[i];
            }
            if (sums) {
                repeat(total, dst, line, typed, x.type);
                continue;
            }
            for (uint32_t i = 0; i < x.usedK; ++i) {
                row[i] *= other[i] - total;
            }
            StoreValues(x.type, row.data(), x.usedK, dst + offset);
            continue;
        }
        double before = 0.0;  // of inMax and inSum
        double beforeSum = 0.0;
        if (goesOn) {
            LoadValues(x.reduced, inMax + line * copies * narrow, 1, &before);
            LoadValues(x.reduced, inSum + line * copies * narrow, 1, &beforeSum);
        }
        const double own = *std::max_element(row.begin(), row.end());
        const double top = x.op == SoftmaxOp::kSimple ? before : (x.update ? std::fmax(own, before) : own);
        for (double& value : row) {
            value = std::exp(value - top);
        }
        const double scale = x.update ? std::exp(before - top) : 0.0;
        double total = x.op == SoftmaxOp::kSimple ? beforeSum : SumOf(row) + scale * beforeSum;
        if (x.op != SoftmaxOp::kFlashV2) {
            for (double& value : row) {
                value /= total;
                value = x.op == SoftmaxOp::kLog ? std::log10(value) : value;  // as documented, to the base of 10
            }
        }
        StoreValues(x.type, row.data(), x.usedK, dst + offset);
        repeat(total, sum, line, copies, x.reduced);
        repeat(top, max, line, copies, x.reduced);
        repeat(own, reduceMax, line, copies, x.reduced);
        repeat(x.op == SoftmaxOp::kFlash ? scale * beforeSum / total : scale, expMax, line, typed, x.type);
    }

    if (sums) {
        in.Define(x.dst, x.usedM * typed * wide);
        return;
    }
    in.Define(x.dst, bytes, 0, false);
    for (uint32_t line = 0; line < x.usedM; ++line) {
        in.Define(x.dst, uint64_t{x.usedK} * wide, uint64_t{line} * x.k * wide);
    }
    for (const Ub* place : {sum != nullptr ? x.sum : nullptr, max != nullptr ? x.max : nullptr,
                            reduceMax != nullptr ? x.reduceMax : nullptr}) {
        if (place != nullptr) {
            in.Define(*place, x.usedM * copies * narrow);
        }
    }
    if (expMax != nullptr) {
        in.Define(*x.expMax, x.usedM * typed * wide);
    }
}

bool AdjustSoftmax(const VectorCall& call, Dtype type, Dtype reduced, const Ub& result, const Ub& max, uint32_t from,
                   uint64_t to, uint32_t m, uint32_t k) {
    const uint32_t wide = BytesOf(type);
    const uint32_t narrow = BytesOf(reduced);
    AdvCall adv(call);
    uint8_t* dst = adv.Writes("softMaxRes", result, uint64_t{m} * k * wide);
    const uint8_t* maxima = adv.Reads("max", max, uint64_t{m} * 32);
    adv.KeepApart(false);
    Instruction& in = adv.Begin(uint64_t{m} * k);
    adv.Require("max", max, m, 32 / narrow, 32 / narrow, reduced);
    bool found = false;
    for (uint32_t line = 0; line < m; ++line) {
        uint32_t bits = 0;
        std::memcpy(&bits, maxima + uint64_t{line} * 32, narrow);
        if (bits == from) {
            found = true;
            for (uint32_t i = 0; i < k; ++i) {
                std::memcpy(dst + (uint64_t{line} * k + i) * wide, &to, wide);
            }
            in.Define(result, uint64_t{k} * wide, uint64_t{line} * k * wide);
        }
    }
    return found;
}

}  // namespace sim
