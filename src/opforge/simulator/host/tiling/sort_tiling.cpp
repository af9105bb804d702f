// Temporary room and tiling of Concat, Sort and TopK.
// Pages: SIMD-API/高阶API/排序操作/GetConcatTmpSize, GetSortTmpSize, TopK-Tiling
#include "lib/sort/sort_tiling_intf.h"
#include "lib/sort/topk_tiling.h"

namespace AscendC {
namespace {

constexpr uint32_t kPairBytes = 8;         // a score with its index
constexpr uint32_t kProposalElements = 8;  // of a region proposal
constexpr uint32_t kMaskBytes = 64;

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

typedef AscendC::tiling::TopkTiling Tiling;

int32_t Int(uint32_t value) { return static_cast<int32_t>(value); }

// What a call of TopK is: `count` elements are sorted at once, one row or, of the small mode, all rows.
struct Call {
    uint32_t inner, rows, k, typeSize;
    bool givenIndex, small, largest;
    uint32_t Count() const { return small ? inner * rows : inner; }
    bool Half() const { return typeSize == 2; }
};

// Bytes of the two places for records, of the mask, of indices where the call brings none, and of negated scores, which
// the normal mode has in the source's place.
uint32_t PairRoom(const Call& call, uint32_t scoreBytes) {
    uint32_t bytes = call.Count() * (call.small ? 1 : 2) * kPairBytes;
    bytes += call.givenIndex ? 0 : call.Count() * static_cast<uint32_t>(sizeof(int32_t));
    if (call.small) {
        bytes += kMaskBytes + (call.largest ? 0 : call.Count() * scoreBytes);
    }
    return bytes;
}

// The small mode's proposals lie beside the sorted ones, and indices in them; the normal mode has a place for indices.
uint32_t ProposalRoom(const Call& call) {
    const uint32_t bytes = call.Count() * 2 * kProposalElements * call.typeSize;
    return call.small ? bytes : bytes + call.Count() * static_cast<uint32_t>(sizeof(int32_t));
}

// `count` bits, `step` apart, from bit `first` on; the word with the number `word` of them.
uint32_t BitsApart(uint32_t count, uint32_t step, uint32_t first, uint32_t word, uint32_t width) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t bit = i * step + first;
        if (bit / width == word) {
            bits |= 1u << (bit % width);
        }
    }
    return bits;
}

// Pairs of a score and an index are taken apart by masks: of 32 bits, and for half's scores of 16.
void SetPairMasks(Tiling& t, const Call& call) {
    t.vreduceIdxMask0 = BitsApart(call.k, 2, 1, 0, 32);
    t.vreduceIdxMask1 = BitsApart(call.k, 2, 1, 1, 32);
    if (!call.Half()) {
        t.vreduceValMask0 = BitsApart(call.k, 2, 0, 0, 32);
        t.vreduceValMask1 = BitsApart(call.k, 2, 0, 1, 32);
        return;
    }
    const auto half = [&](uint32_t word) { return static_cast<uint16_t>(BitsApart(call.k, 4, 0, word, 16)); };
    t.vreducehalfValMask0 = half(0);
    t.vreducehalfValMask1 = half(1);
    t.vreducehalfValMask2 = half(2);
    t.vreducehalfValMask3 = half(3);
    t.vreducehalfValMask4 = half(4);
    t.vreducehalfValMask5 = half(5);
    t.vreducehalfValMask6 = half(6);
    t.vreducehalfValMask7 = half(7);
}

// The queues of a merge of records of `each` elements.
void SetQueues(Tiling& t, uint32_t each) {
    t.mrgSortSrc1offset = Int(each);
    t.mrgSortSrc2offset = Int(2 * each);
    t.mrgSortSrc3offset = Int(3 * each);
}

void SetPairs(Tiling& t, const Call& call) {
    const uint32_t each = kPairBytes / call.typeSize;  // elements of a record
    const uint32_t records = call.Count() * each;
    t.tmpLocalSize = Int(PairRoom(call, call.typeSize) / call.typeSize);
    t.allDataSize = Int(call.inner * call.rows);
    t.innerDataSize = Int(records);
    if (call.small) {
        t.topkMrgSrc1MaskSizeOffset = Int(records + (call.largest ? 0 : call.Count()));
        t.topkNSmallSrcIndexOffset =
            call.givenIndex ? 0 : t.topkMrgSrc1MaskSizeOffset + Int(kMaskBytes / call.typeSize);
        SetPairMasks(t, call);
        return;
    }
    t.sortRepeat = call.inner / 32;
    t.maskVreducev2FourBytes = Int(2 * call.k);
    t.maskVreducev2TwoBytes = Int(4 * call.k);
    SetQueues(t, each);
    t.mrgSortTwoQueueSrc1Offset = Int(each);
    t.mrgFourQueueTailPara1 = Int(2 * call.inner);
    t.mrgFourQueueTailPara2 = Int(each / 2);
    t.srcIndexOffset = call.givenIndex ? 0 : Int(2 * records);
    t.copyUbToUbBlockCount = call.inner * kPairBytes / 32;
}

void SetProposals(Tiling& t, const Call& call) {
    const uint32_t count = call.Count();
    const uint32_t records = count * kProposalElements;
    t.tmpLocalSize = Int(ProposalRoom(call) / call.typeSize);
    t.innerDataSize = Int(records);
    t.sortRepeat = count / 16;
    t.copyUbToUbBlockCount = records * call.typeSize / 32;
    if (!call.small) {
        SetQueues(t, kProposalElements);
        t.srcIndexOffset = Int(2 * records);
        return;
    }
    t.allDataSize = Int(count);
    t.mrgSortSrc1offset = 256;
    t.mrgSortTwoQueueSrc1Offset = 128;
    t.topkNSmallSrcIndexOffset = Int(records + count);
    t.srcIndexOffset = Int(records + (call.Half() ? 2 : 1) * count);
    t.vreduceIdxMask0 = BitsApart(call.k, 1, 0, 0, 32);
    t.vreduceValMask0 = BitsApart(call.k, 1, 0, 0, call.Half() ? 16 : 32);
    t.vreduceValMask1 = BitsApart(call.k, 1, 0, 1, call.Half() ? 16 : 32);
}

// Every field has the value that CANN's public library gives (measured: tests/fidelity/tiling).
template <typename Set>
bool Solve(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outter, int32_t k,
           uint32_t dataTypeSize, bool isInitIndex, TopKMode mode, bool isLargest, Set set) {
    if (k < 1 || k > inner || !Possible(inner, outter, mode, dataTypeSize)) {
        return false;
    }
    const Call call{static_cast<uint32_t>(inner),
                    static_cast<uint32_t>(outter),
                    static_cast<uint32_t>(k),
                    dataTypeSize,
                    isInitIndex,
                    mode == TopKMode::TOPK_NSMALL,
                    isLargest};
    const bool proposals = OnProposals(platform);
    Tiling tiling;
    if (!call.small || !proposals) {
        tiling.kAlignFourBytes = (k + 7) / 8 * 8;
    }
    if (call.small) {
        tiling.maskOffset = k * outter;
    } else {
        tiling.mrgSortRepeat = inner / 4;
        tiling.kAlignTwoBytes = (k + 15) / 16 * 16;
        tiling.maskOffset = (call.Half() ? tiling.kAlignTwoBytes : tiling.kAlignFourBytes) * outter;
    }
    if (proposals) {
        SetProposals(tiling, call);
    } else {
        SetPairs(tiling, call);
    }
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

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner,
                          const int32_t outter, const bool, const bool isInitIndex, enum TopKMode mode,
                          const bool isLargest, const uint32_t dataTypeSize, uint32_t& maxValue, uint32_t& minValue) {
    if (!Possible(inner, outter, mode, dataTypeSize)) {
        return false;
    }
    const Call call{static_cast<uint32_t>(inner),
                    static_cast<uint32_t>(outter),
                    0,
                    dataTypeSize,
                    isInitIndex,
                    mode == TopKMode::TOPK_NSMALL,
                    isLargest};
    minValue = OnProposals(ascendcPlatform) ? ProposalRoom(call) : PairRoom(call, sizeof(float));
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
