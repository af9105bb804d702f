// Fractals of L0C into the unified buffer, on AI Cores with both units (ascend310p): converted and scaled on their way,
// by the vector unit. Documentation: 基础API/矩阵计算（ISASI）/矩阵计算的搬出/DataCopy（L0C到UB数据搬运）
#include <algorithm>
#include <cstring>

#include "vector/arithmetic.h"
#include "gm.h"

namespace sim {
namespace {

constexpr const char* kPage = "基础API/矩阵计算（ISASI）/矩阵计算的搬出/DataCopy（L0C到UB数据搬运）";
constexpr Rule kMode = {
    "l0c-copy-mode",
    "out of L0C a DataCopy takes fractals of 16 x 16, BLOCK_MODE_MATRIX: where those of 1 x 16 lie is not documented",
    kPage};
constexpr Rule kScales = {
    "l0c-copy-scale",
    "out of L0C half, float, int32_t and uint32_t stay what they are and float becomes half with DEQ_NONE, int32_t and "
    "half become half with DEQ: the other scales are not simulated",
    kPage};
constexpr Rule kRelu = {"l0c-copy-relu", "out of L0C isRelu goes with half, float and int32_t, and not with DEQ",
                        kPage};

constexpr uint32_t kElements = 256;  // of a fractal
constexpr uint32_t kMatrixMode = 1, kNoScale = 0, kHalfScale = 1;

bool Fits(const MatrixCopy& p) {
    if (p.scale == kHalfScale) {
        return p.to == Dtype::kHalf && (p.from == Dtype::kHalf || p.from == Dtype::kInt32);
    }
    return p.scale == kNoScale && !(p.from == Dtype::kInt32 && p.to == Dtype::kHalf);
}

const char* ScaleName(uint32_t scale) {
    static constexpr const char* kNames[] = {"DEQ_NONE", "DEQ", "VDEQ", "DEQ8", "VDEQ8", "DEQ16", "VDEQ16"};
    return scale < std::size(kNames) ? kNames[scale] : "?";
}

template <typename T>
void Clip(uint8_t* values) {
    T* each = reinterpret_cast<T*>(values);
    std::transform(each, each + kElements, each, [](T value) { return value > T(0) ? value : T(0); });
}

// One fractal. Products with the scale are float, rounded once to half.
void Convert(const MatrixCopy& p, const uint8_t* from, uint8_t* to) {
    if (p.from == p.to && p.scale == kNoScale && !(p.relu && p.to == Dtype::kHalf)) {
        std::memcpy(to, from, kElements * BytesOf(p.to));
        if (p.relu) {
            p.to == Dtype::kFloat ? Clip<float>(to) : Clip<int32_t>(to);
        }
        return;
    }
    float values[kElements];
    if (p.from == Dtype::kHalf) {
        WidenRow(from, p.from, kElements, values);
    } else if (p.from == Dtype::kFloat) {
        std::memcpy(values, from, sizeof(values));
    } else {
        const int32_t* integers = reinterpret_cast<const int32_t*>(from);
        std::transform(integers, integers + kElements, values, [](int32_t value) { return static_cast<float>(value); });
    }
    if (p.scale == kHalfScale) {
        const float factor = HalfValue(p.factor);
        std::transform(values, values + kElements, values, [factor](float value) { return value * factor; });
    }
    if (p.relu) {
        Clip<float>(reinterpret_cast<uint8_t*>(values));
    }
    StoreSums(values, kElements, p.to, Combine::kReplace, to);
}

}  // namespace

void CopyL0cToUb(const MatrixCopy& p, const Ub& dst, const Ub& src, Site site) {
    LocalAccess access({"DataCopy", site}, kPage, Pipe::kVector);
    if (p.count == 0 || p.length == 0) {
        return;
    }
    if (p.mode != kMatrixMode) {
        Fail(access.Where(), kMode, "blockMode is %u", p.mode);
    }
    if (!Fits(p)) {
        Fail(access.Where(), kScales, "deqScale is %s for %s to %s", ScaleName(p.scale), Name(p.from), Name(p.to));
    }
    if (p.relu && (p.scale != kNoScale || p.from == Dtype::kUint32)) {
        Fail(access.Where(), kRelu, "isRelu is true for %s with %s", Name(p.from), ScaleName(p.scale));
    }
    const uint32_t source = BytesOf(p.from), result = BytesOf(p.to);
    const uint64_t srcStep = (uint64_t{p.length} + p.srcGap) * kElements * source;
    const uint64_t dstStep = uint64_t{p.length} * kElements * result + p.dstGap;
    access.Check("dst", dst, Memory::kUb, (p.count - 1) * dstStep + uint64_t{p.length} * kElements * result, 32);
    access.Check("src", src, Memory::kL0C, (p.count - 1) * srcStep + uint64_t{p.length} * kElements * source, 64);
    access.Issue(Work::Move(uint64_t{p.count} * p.length * kElements * result));
    for (uint32_t i = 0; i < p.count; ++i) {
        for (uint32_t j = 0; j < p.length; ++j) {
            const uint64_t from = i * srcStep + uint64_t{j} * kElements * source;
            const uint64_t to = i * dstStep + uint64_t{j} * kElements * result;
            const uint8_t* data = access.Read(src, from, kElements * source);
            Convert(p, data, access.Write(dst, to, kElements * result));
            if (source == result) {
                access.CopyDefined(dst, to, src, from, kElements * source);
                continue;
            }
            for (uint32_t x = 0; access.On().Checks() && x < kElements; ++x) {
                access.Define(dst, to + x * result, result, access.AllDefined(src, from + x * source, source));
            }
        }
    }
}

}  // namespace sim
