// Lists of tensors, as a dynamic input reaches the kernel: a description in global memory that the scalar unit reads.
#include <cinttypes>
#include <cstring>

#include "core.h"

namespace sim {
namespace {

constexpr const char* kPage = "基础API/辅助数据结构/ListTensorDesc";

constexpr Rule kLayout = {
    "list-layout",
    "a list begins with the offset of its data pointers, then says of each tensor its rank and dims: is the argument a "
    "dynamic input or output?",
    kPage};
constexpr Rule kGiven = {"list-length", "length and shapeSize are the list's own, or are left out", kPage};
constexpr Rule kIndex = {"list-index",
                         "an index lies inside the list: how many tensors it has the tiling data must say", kPage};
// CANN's aclnn runtime writes 1 beside every rank, where GetSize looks for the number of tensors.
constexpr Rule kSize = {
    "list-size",
    "GetSize of a list that an aclnn call passes is 1, however many tensors there are: pass their number in the tiling "
    "data",
    kPage};
constexpr Rule kRanks = {
    "list-ranks", "GetDesc finds its way only where all tensors of the list have the rank of the first, 1 or more",
    kPage};
constexpr Rule kShape = {"list-shape", "SetShapeAddr gives the room for a tensor's dims before GetDesc", kPage};
constexpr Rule kDim = {"list-dim", "GetShape takes 0 to GetDim() - 1, after GetDesc",
                       "基础API/辅助数据结构/TensorDesc/GetShape-138"};

constexpr uint64_t kWord = sizeof(uint64_t);
constexpr uint64_t kNoShape = 0xffffffff;  // stands behind a rank of 0 where a list has pointers only
constexpr uint32_t kNotGiven = 0xffffffff;
// More words than any list has: 256 tensors of 25 dims.
constexpr uint64_t kMostWords = 256 * 26;

uint64_t Word(Core& core, uint64_t addr, const Call& call) {
    core.memory.gm.Check(call, "reads", addr, kWord, false);
    core.Count(Work::Scalar(kWord, 0));
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(addr), kWord);
    return word;
}

}  // namespace

TensorList ListOpen(uint64_t addr, uint32_t length, uint32_t count, Site site) {
    Core& core = CurrentCore();
    const Call call{"ListTensorDesc", site};
    const uint64_t offset = Word(core, addr, call);
    if (offset % kWord != 0 || offset < 2 * kWord || offset / kWord > kMostWords) {
        Fail(call, kLayout, "%" PRIu64 " is not an offset of data pointers", offset);
    }
    TensorList list = {};
    list.descriptions = addr + kWord;
    list.pointers = addr + offset;
    uint64_t at = list.descriptions;
    while (at < list.pointers) {
        const uint64_t word = Word(core, at, call);
        const uint64_t rank = word & 0xffffffff;
        const uint64_t high = word >> 32;
        const bool only_pointers = rank == 0 && at + kWord < list.pointers && Word(core, at + kWord, call) == kNoShape;
        if (list.described == 0) {
            list.rank = static_cast<uint32_t>(rank);
            list.said = static_cast<uint32_t>(high);
        }
        list.sameRanks = list.described == 0 || (list.sameRanks && rank == list.rank);
        list.last = static_cast<uint32_t>(high);
        ++list.described;
        at += (1 + (only_pointers ? 1 : rank)) * kWord;
    }
    if (at != list.pointers) {
        Fail(call, kLayout, "the dims of tensor %u end behind the offset %" PRIu64 " of the data pointers",
             list.described - 1, offset);
    }
    // One description may stand for all tensors; else each has its own.
    list.count = list.described > 1 ? list.described : list.said == 0 ? 1 : list.said;
    const uint64_t bytes = offset + list.count * kWord;
    if (length != kNotGiven && count != kNotGiven && (length != bytes || count != list.count)) {
        Fail(call, kGiven, "length %u and shapeSize %u, but the list has %" PRIu64 " bytes and %u tensors", length,
             count, bytes, list.count);
    }
    return list;
}

uint32_t ListSize(const TensorList& list, Site site) {
    const uint32_t said = list.said != 0 ? list.said : list.last + 1;
    if (said != list.count) {
        Fail({"GetSize", site}, kSize, "the list says %u, but describes %u tensors", said, list.count);
    }
    return said;
}

uint64_t ListPointer(const TensorList& list, uint32_t index, Site site) {
    const Call call{"GetDataPtr", site};
    if (index >= list.count) {
        Fail(call, kIndex, "tensor %u of a list of %u", index, list.count);
    }
    return Word(CurrentCore(), list.pointers + index * kWord, call);
}

void ListDims(const TensorList& list, uint32_t index, uint64_t* dims, Site site) {
    Core& core = CurrentCore();
    const Call call{"GetDesc", site};
    if (index >= list.count) {
        Fail(call, kIndex, "tensor %u of a list of %u", index, list.count);
    }
    if (!list.sameRanks || list.rank == 0) {
        Fail(call, kRanks, "%s",
             list.rank == 0 ? "the first tensor of the list has no dims" : "the tensors of the list differ in rank");
    }
    if (dims == nullptr) {
        Fail(call, kShape, "the TensorDesc has no room for %u dims", list.rank);
    }
    const uint64_t described = list.described == 1 ? 0 : index;  // one description for all
    const uint64_t at = list.descriptions + (described * (1 + list.rank) + 1) * kWord;
    for (uint32_t i = 0; i < list.rank; ++i) {
        dims[i] = Word(core, at + i * kWord, call);
    }
}

void ListDim(uint64_t rank, uint32_t dim, Site site) {
    if (dim >= rank) {
        Fail({"GetShape", site}, kDim, "dim %u of a tensor of %" PRIu64 " dims", dim, rank);
    }
}

}  // namespace sim
