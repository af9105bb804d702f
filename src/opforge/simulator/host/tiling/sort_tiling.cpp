// Temporary room and tiling of Concat, Sort and TopK.
// Pages: SIMD-API/高阶API/排序操作/GetConcatTmpSize, GetSortTmpSize, TopK-Tiling
#include "lib/sort/sort_tiling_intf.h"
#include "lib/sort/topk_tiling.h"

namespace AscendC {
namespace {

constexpr uint32_t kPairBytes = 8;         // a score with its index
constexpr uint32_t kProposalElements = 8;  // of a region proposal

bool OnProposals(const platform_ascendc::PlatformAscendC& platform) {
    return platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
}

uint32_t RecordBytes(const platform_ascendc::PlatformAscendC& platform, uint32_t dataTypeSize) {
    return OnProposals(platform) ? kProposalElements * dataTypeSize : kPairBytes;
}

bool Possible(int32_t inner, int32_t outter, TopKMode mode, uint32_t dataTypeSize) {
    const bool shape =
        inner > 0 && outter > 0 && inner % 32 == 0 && (mode == TopKMode::TOPK_NSMALL ? inner == 32 : inner <= 4096);
    return shape && (dataTypeSize == 2 || dataTypeSize == 4);
}

template <typename Set>
bool Solve(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outter, int32_t k,
           uint32_t dataTypeSize, bool isInitIndex, TopKMode mode, bool isLargest, Set set) {
    uint32_t most = 0;
    uint32_t least = 0;
    if (k < 1 || k > inner ||
        !GetTopKMaxMinTmpSize(platform, inner, outter, false, isInitIndex, mode, isLargest, dataTypeSize, most,
                              least)) {
        return false;
    }
    AscendC::tiling::TopkTiling tiling;
    tiling.tmpLocalSize = static_cast<int32_t>(least / dataTypeSize);
    tiling.allDataSize = inner * outter;
    tiling.innerDataSize = inner;
    tiling.sortRepeat = static_cast<uint32_t>(inner / 32);
    tiling.kAlignFourBytes = (k + 7) / 8 * 8;
    tiling.kAlignTwoBytes = (k + 15) / 16 * 16;
    set(tiling);
    return true;
}

}  // namespace

uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t elemCount,
                          const uint32_t dataTypeSize) {
    return OnProposals(ascendcPlatform) ? elemCount * RecordBytes(ascendcPlatform, dataTypeSize) : 0;
}

uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t elemCount,
                        const uint32_t dataTypeSize) {
    return elemCount * RecordBytes(ascendcPlatform, dataTypeSize);
}

// The records of a row (of all rows in the small mode) twice, for they are merged from one place into the other, their
// indices where the call brings none, and negated scores where the smallest are wanted.
bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner,
                          const int32_t outter, const bool, const bool isInitIndex, enum TopKMode mode,
                          const bool isLargest, const uint32_t dataTypeSize, uint32_t& maxValue, uint32_t& minValue) {
    if (!Possible(inner, outter, mode, dataTypeSize)) {
        return false;
    }
    const uint32_t count = static_cast<uint32_t>(mode == TopKMode::TOPK_NSMALL ? inner * outter : inner);
    uint32_t each = 2 * RecordBytes(ascendcPlatform, dataTypeSize);
    each += isInitIndex ? 0 : static_cast<uint32_t>(sizeof(int32_t));
    each += isLargest ? 0 : dataTypeSize;
    minValue = count * each;
    maxValue = minValue;
    return true;
}

bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner, const int32_t outter,
                    const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode,
                    const bool isLargest, optiling::TopkTiling& topKTiling) {
    return Solve(ascendcPlatform, inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest,
                 [&](const AscendC::tiling::TopkTiling& tiling) {
#define OPFORGE_FIELD(type, name) topKTiling.set_##name(tiling.name);
                     OPFORGE_TOPK_TILING_FIELDS(OPFORGE_FIELD)
#undef OPFORGE_FIELD
                 });
}

bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner, const int32_t outter,
                    const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode,
                    const bool isLargest, AscendC::tiling::TopkTiling& topKTiling) {
    return Solve(ascendcPlatform, inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest,
                 [&](const AscendC::tiling::TopkTiling& tiling) { topKTiling = tiling; });
}

}  // namespace AscendC
