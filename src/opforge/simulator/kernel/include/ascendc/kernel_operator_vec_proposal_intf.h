// Sort32, MrgSort, Sort, Concat, Extract and the functions of region proposals.
// Documentation: SIMD-API/基础API/Memory矢量计算/排序组合（ISASI）, SIMD-API/高阶API/排序操作
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_PROPOSAL_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_PROPOSAL_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_operator_vec_gather_intf.h"
#include "kernel_tensor.h"
#include "sim/index.h"

namespace AscendC {

struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[4], const bool suspend, const uint16_t valid, const uint16_t times)
        : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]},
          ifExhaustedSuspension(suspend),
          validBit(valid),
          repeatTimes(static_cast<uint8_t>(times)) {}

    uint16_t elementLengths[4] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth) {}

    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

}  // namespace AscendC

namespace sim {

// Of region proposals: where the score and its index stand.
enum ProposalField : int32_t { kY1Field = 1, kScoreField = 4, kLabelField = 5 };

template <typename T, bool onM200, bool onA2>
constexpr bool kSorted = kOneOf<T, half, float> && (kOnM200 ? onM200 : onA2);

template <typename T>
void MergeLists(const VectorCall& call, const Ub& dst, const AscendC::MrgSortSrcList<T>& src,
                const AscendC::MrgSort4Info& info, bool proposals) {
    const uint16_t (&n)[4] = info.elementLengths;
    Merge(call, kDtype<T>, dst,
          {{src.src1.Place(), src.src2.Place(), src.src3.Place(), src.src4.Place()},
           {n[0], n[1], n[2], n[3]},
           info.validBit,
           info.ifExhaustedSuspension,
           info.repeatTimes,
           proposals});
}

}  // namespace sim

namespace AscendC {

// Groups of 32 scores in descending order, each with its index in 8 bytes.
template <typename T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
            const int32_t repeatTime, sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kSorted<T, false, true>,
        "Sort32: the data type is not one of half, float, or the product has none (排序组合（ISASI）/Sort32)");
    sim::Sort32({"Sort32", "排序组合（ISASI）/Sort32", site}, sim::kDtype<T>, dst.Place(), src0.Place(), src1.Place(),
                repeatTime);
}

// Two to four lists in descending order become one.
template <typename T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
             sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kSorted<T, false, true>,
        "MrgSort: the data type is not one of half, float, or the product has none (排序组合（ISASI）/MrgSort)");
    sim::MergeLists({"MrgSort", "排序组合（ISASI）/MrgSort", site}, dst.Place(), src, params, false);
}

// What Atlas inference products have instead: lists of region proposals.
template <typename T>
void MrgSort4(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
              sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kSorted<T, true, false>,
        "MrgSort4: the data type is not one of half, float, or the product has none (排序组合（ISASI）/MrgSort4)");
    sim::MergeLists({"MrgSort4", "排序组合（ISASI）/MrgSort4", site}, dst.Place(), src, params, true);
}

// How much of each list the last MrgSort with ifExhaustedSuspension has taken.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4, sim::Site site = sim::Site::Here()) {
    uint16_t taken[4];
    sim::MergeResult(taken, site);
    mrgSortList1 = taken[0];
    mrgSortList2 = taken[1];
    mrgSortList3 = taken[2];
    mrgSortList4 = taken[3];
}

// The high-level form; sortedNum is written only with isExhaustedSuspension.
template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSorted<T, true, true>,
                  "MrgSort: the data type is not one of half, float (排序操作/MrgSort-93)");
    const MrgSort4Info info(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTime));
    sim::MergeLists({"MrgSort", "高阶API/排序操作/MrgSort-93", site}, dst.Place(), sortList, info, sim::kOnM200);
    if (isExhaustedSuspension) {
        uint16_t taken[4];
        sim::MergeResult(taken, site);
        for (int i = 0; i < 4; ++i) {
            sortedNum[i] = taken[i];
        }
    }
}

// Field modeNumber of region proposals from consecutive elements, 16 a repeat, and back.
template <typename T>
void ProposalConcat(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                    const int32_t modeNumber, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSorted<T, true, false>,
                  "ProposalConcat: the data type is not one of half, float, or the "
                  "product has none (排序组合（ISASI）/ProposalConcat)");
    sim::ProposalConcat({"ProposalConcat", "排序组合（ISASI）/ProposalConcat", site}, sim::kDtype<T>, dst.Place(),
                        src.Place(), repeatTime, modeNumber);
}

template <typename T>
void ProposalExtract(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                     const int32_t modeNumber, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSorted<T, true, false>,
                  "ProposalExtract: the data type is not one of half, float, or the "
                  "product has none (排序组合（ISASI）/ProposalExtract)");
    sim::ProposalExtract({"ProposalExtract", "排序组合（ISASI）/ProposalExtract", site}, sim::kDtype<T>, dst.Place(),
                         src.Place(), repeatTime, modeNumber);
}

// Groups of 16 region proposals in descending order of their scores.
template <typename T>
void RpSort16(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
              sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kSorted<T, true, false>,
        "RpSort16: the data type is not one of half, float, or the product has none (排序组合（ISASI）/RpSort16)");
    sim::SortProposals({"RpSort16", "排序组合（ISASI）/RpSort16", site}, sim::kDtype<T>, dst.Place(), src.Place(),
                       repeatTime);
}

// What Sort takes: on Atlas A2 and A3 the scores as they are, on inference products region proposals in tmp.
template <typename T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& tmp, const int32_t repeatTime,
            sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSorted<T, true, true>, "Concat: the data type is not one of half, float (排序操作/Concat)");
    if constexpr (sim::kOnM200) {
        sim::ProposalConcat({"Concat", "高阶API/排序操作/Concat", site}, sim::kDtype<T>, tmp.Place(), src.Place(),
                            repeatTime, sim::kScoreField);
        concat = tmp;
    } else {
        sim::CheckRepeats({"Concat", "高阶API/排序操作/Concat", site}, repeatTime);
        concat = src;
    }
}

// Groups of 32 (inference products: 16) in descending order, or with isFullSort all of them.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
          LocalTensor<T>& tmp, const int32_t repeatTime, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSorted<T, true, true>, "Sort: the data type is not one of half, float (排序操作/Sort)");
    const sim::VectorCall call{"Sort", "高阶API/排序操作/Sort", site};
    if constexpr (!sim::kOnM200) {
        sim::Sort32(call, sim::kDtype<T>, dst.Place(), concat.Place(), index.Place(), repeatTime);
    } else {
        if (index.GetSize() != 0) {
            if constexpr (sizeof(T) == 2) {
                // half: the lower halves of the indices become y1, the upper ones the label
                for (const uint32_t half : {1u, 2u}) {
                    sim::GatherMask(
                        call, dst.Place(), index.Place(),
                        {2, nullptr, half, 6, true, true, static_cast<uint32_t>(repeatTime) * 32, 1, 1, 8, 0});
                    sim::ProposalConcat(call, sim::kDtype<T>, concat.Place(), dst.Place(), repeatTime,
                                        half == 1 ? sim::kY1Field : sim::kLabelField);
                }
            } else {
                sim::ProposalConcat(call, sim::kDtype<T>, concat.Place(), index.Place(), repeatTime, sim::kLabelField);
            }
        }
        sim::SortProposals(call, sim::kDtype<T>, dst.Place(), concat.Place(), repeatTime);
    }
    if constexpr (isFullSort) {
        sim::FullSort(call, sim::kDtype<T>, dst.Place(), tmp.Place(), repeatTime, sim::kOnM200);
    }
}

// The scores and the indices of sorted data, 32 (inference products: 16) a repeat.
template <typename T>
void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
             const int32_t repeatTime, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSorted<T, true, true>, "Extract: the data type is not one of half, float (排序操作/Extract)");
    const sim::VectorCall call{"Extract", "高阶API/排序操作/Extract", site};
    if constexpr (!sim::kOnM200) {
        sim::ExtractSorted(call, sim::kDtype<T>, dstValue.Place(), dstIndex.Place(), sorted.Place(), repeatTime);
    } else {
        sim::ProposalExtract(call, sim::kDtype<T>, dstValue.Place(), sorted.Place(), repeatTime, sim::kScoreField);
        if (dstIndex.GetSize() != 0) {
            if constexpr (sizeof(T) == 2) {
                sim::GatherMask(call, dstIndex.Place(), sorted.Place(),
                                {2, nullptr, 4, 6, false, true, 0, 1, static_cast<uint32_t>(repeatTime), 8, 0});
            } else {
                sim::ProposalExtract(call, sim::kDtype<T>, dstIndex.Place(), sorted.Place(), repeatTime,
                                     sim::kLabelField);
            }
        }
    }
}

// Sorted data of so many elements, and where element elemOffset of it stands, in elements of T.
template <typename T>
uint32_t GetSortLen(const uint32_t elemCount) {
    static_assert(sim::kSorted<T, true, true>,
                  "GetSortLen: the data type is not one of half, float (排序操作/GetSortLen)");
    return elemCount * (sim::kOnM200 ? 8u : 8u / static_cast<uint32_t>(sizeof(T)));
}

template <typename T>
uint32_t GetSortOffset(const uint32_t elemOffset) {
    static_assert(sim::kSorted<T, true, true>,
                  "GetSortOffset: the data type is not one of half, float (排序操作/GetSortOffset)");
    return elemOffset * (sim::kOnM200 ? 8u : 8u / static_cast<uint32_t>(sizeof(T)));
}

}  // namespace AscendC

#endif
