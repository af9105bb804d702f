// What gathers, sorts and transposes ask of the library.
#include "private.h"
#ifndef ASCENDC_SIM_INDEX_H
#define ASCENDC_SIM_INDEX_H

#include "engine.h"

namespace sim {

// The mask arguments of a call: so many lanes, or where `bits` is there lane i where bit i is set.
struct MaskArgs {
    uint64_t lanes = 0;
    const uint64_t* bits = nullptr;
};

// Gather and Scatter: element i of the tensor at hand and the byte offsets[i] + base of the other one. With `times` 0
// the first `count` elements, else repeats of a mask; `stride` is the repeat stride of the tensor at hand.
struct Indexed {
    uint32_t element;  // bytes
    Ub dst, src, offsets;
    uint32_t base;
    int64_t count;
    const MaskArgs* mask;
    uint32_t times;
    uint32_t stride;
};
ASCENDC_SIM_API void Gather(const VectorCall& call, const Indexed& args);
ASCENDC_SIM_API void Scatter(const VectorCall& call, const Indexed& args);
ASCENDC_SIM_API void GatherBlocks(const VectorCall& call, const Ub& dst, const Ub& src, const Ub& offsets,
                                  uint32_t times, uint32_t dstBlock, uint32_t dstRepeat);

struct GatherMaskArgs {
    uint32_t element;   // bytes
    const Ub* bits;     // the user's pattern, or null:
    uint32_t pattern;   // 1 to kPatterns
    uint32_t patterns;  // of this product
    bool counter;
    bool total;  // in counter mode the mask counts all elements, not those of a repeat
    uint32_t mask;
    uint32_t blockStride, times, repeatStride, patternStride;
};
// How many elements were kept.
ASCENDC_SIM_API uint64_t GatherMask(const VectorCall& call, const Ub& dst, const Ub& src, const GatherMaskArgs& args);
ASCENDC_SIM_API uint64_t GatherMaskCount();

// first, first + 1, ... by count, or by repeats of a mask; `first` as bits.
ASCENDC_SIM_API void CreateIndex(const VectorCall& call, Dtype type, const Ub& dst, uint64_t first, int64_t count);
ASCENDC_SIM_API void CreateIndexRepeats(const VectorCall& call, Dtype type, const Ub& dst, uint64_t first,
                                        const MaskArgs& mask, uint32_t times, uint32_t block, uint32_t repeat);
ASCENDC_SIM_API void Arange(const VectorCall& call, Dtype type, const Ub& dst, uint64_t first, uint64_t step,
                            int64_t count);

// Sorted data: a score and its index in 8 bytes, or a region proposal of eight elements.
// `type` is half or float.
ASCENDC_SIM_API void Sort32(const VectorCall& call, Dtype type, const Ub& dst, const Ub& score, const Ub& index,
                            int64_t times);
struct MergeArgs {
    Ub lists[4];
    uint32_t lengths[4];
    uint32_t valid;
    bool suspend;  // where a list is exhausted
    int64_t times;
    bool proposals;
};
ASCENDC_SIM_API void Merge(const VectorCall& call, Dtype type, const Ub& dst, const MergeArgs& args);
// Fails where `times` is none of a repeat.
ASCENDC_SIM_API void CheckRepeats(const VectorCall& call, int64_t times);
ASCENDC_SIM_API void MergeResult(uint16_t (&taken)[4], Site site);
// Sorts all of `times` groups: what Sort32 or SortProposals has left in dst.
ASCENDC_SIM_API void FullSort(const VectorCall& call, Dtype type, const Ub& dst, const Ub& tmp, int64_t times,
                              bool proposals);
ASCENDC_SIM_API void ExtractSorted(const VectorCall& call, Dtype type, const Ub& value, const Ub& index,
                                   const Ub& sorted, int64_t times);
ASCENDC_SIM_API void ProposalConcat(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, int64_t times,
                                    int32_t field);
ASCENDC_SIM_API void ProposalExtract(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, int64_t times,
                                     int32_t field);
ASCENDC_SIM_API void SortProposals(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, int64_t times);

// `srcIndex`, `finish` and `tmp` are null where the call has none; `tiled` and `tiledRoom` are of the tiling: elements.
struct TopKArgs {
    Ub value, index, src;
    const Ub *srcIndex, *finish, *tmp;
    bool small, largest;
    int32_t k, outer, inner, n;
    int32_t tiled, tiledRoom;
};
ASCENDC_SIM_API void TopK(const VectorCall& call, Dtype type, const TopKArgs& args);

// A 16 x 16 matrix of 2-byte elements.
ASCENDC_SIM_API void Transpose16(const VectorCall& call, const Ub& dst, const Ub& src);
struct To5HdArgs {
    uint32_t element;  // bytes; 0: of a data type that the instruction has not
    Ub dst[16], src[16];
    bool dstHigh, srcHigh;
    uint32_t times, dstRepeat, srcRepeat;
};
ASCENDC_SIM_API void TransDataTo5Hd(const VectorCall& call, const To5HdArgs& args);
// `type` is an AscendC::TransposeType; `tmp` is null where the product needs none.
ASCENDC_SIM_API void TransposeBy(const VectorCall& call, uint32_t type, Dtype dtype, const Ub& dst, const Ub& src,
                                 const Ub* tmp, uint32_t n, uint32_t c, uint32_t hw);

}  // namespace sim

#endif
