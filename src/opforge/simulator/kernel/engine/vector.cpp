// The vector instructions: checks their operands, runs the loop, and keeps what is known about the unified buffer.
#include <cinttypes>
#include <cstring>
#include <vector>

#include "arithmetic.h"
#include "core.h"

namespace sim {
namespace {

constexpr Rule kCount = {"count is the number of elements from the start of the tensors",
                         "基础API/Memory矢量计算/SIMD计算说明/连续计算"};
constexpr Rule kOverlap = {"source and destination are the same tensor or do not overlap",
                           "通用说明和约束, 通用地址重叠约束"};
constexpr Rule kRoundModes = {"each pair of data types takes the rounding modes of its row",
                              "基础API/Memory矢量计算/类型转换/Cast"};
constexpr Rule kCompareCount = {"the compared elements fill whole repeats of 256 bytes",
                                "基础API/Memory矢量计算/比较与选择/Compare"};
constexpr Rule kCompareMode = {"int32_t is compared with EQ only", "基础API/Memory矢量计算/比较与选择/Compare"};
constexpr Rule kMask = {"a mask selects 1 to 256 / sizeof(T) lanes", "基础API/Memory矢量计算/SIMD计算说明/掩码"};
constexpr Rule kDstStride = {"dstBlkStride is at least 1", "基础API/Memory矢量计算/SIMD计算说明/高维切分"};
constexpr Rule kShift = {"a shift is by 0 to 16 bits for 16-bit types and by 0 to 32 for 32-bit types",
                         "基础API/Memory矢量计算/逻辑计算/ShiftLeft"};

constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kBlockBytes = 32;

struct Source {
    const char* role;
    Ub place;
    uint32_t element;  // bytes
};

// One vector instruction, ready to run.
struct Instruction {
    Call call;
    const char* page;
    Loop loop;
    Ub dst;
    uint32_t element;  // bytes of a destination element
    bool readsDst;
    Source sources[2];
    int sourceCount;
    uint64_t scalar;
};

// dst is defined where all its sources are. Shadows are bytes, so elements of other sizes are looked at one by one.
void PropagateDefined(Core& core, const Instruction& in, uint32_t dst, const uint32_t* sources, uint64_t count) {
    bool all = true;
    for (int s = 0; s < in.sourceCount; ++s) {
        all = all && core.shadow.AllDefined(sources[s], count * in.sources[s].element);
    }
    if (in.readsDst) {
        all = all && core.shadow.AllDefined(dst, count * in.element);
    }
    uint8_t* defined = core.shadow.Defined(dst);
    if (all) {
        std::memset(defined, 0xff, count * in.element);
        return;
    }
    const auto whole = [&core](uint32_t addr, uint32_t bytes) {
        for (uint32_t i = 0; i < bytes; ++i) {
            if (*core.shadow.Defined(addr + i) != 0xff) {
                return false;
            }
        }
        return true;
    };
    // from the end where dst grows over a source that starts with it
    for (uint64_t n = count; n-- > 0;) {
        bool known = !in.readsDst || whole(dst + static_cast<uint32_t>(n * in.element), in.element);
        for (int s = 0; s < in.sourceCount; ++s) {
            known =
                known && whole(sources[s] + static_cast<uint32_t>(n * in.sources[s].element), in.sources[s].element);
        }
        std::memset(defined + n * in.element, known ? 0xff : 0, in.element);
    }
}

void CheckOverlap(const Instruction& in, uint64_t count) {
    for (int s = 0; s < in.sourceCount; ++s) {
        const Source& source = in.sources[s];
        const uint64_t dstEnd = in.dst.addr + count * in.element;
        const uint64_t srcEnd = source.place.addr + count * source.element;
        const bool apart = dstEnd <= source.place.addr || srcEnd <= in.dst.addr;
        if (!apart && source.place.addr != in.dst.addr) {
            Fail(in.call, kOverlap, "dst covers UB addresses %u to %" PRIu64 ", %s %u to %" PRIu64, in.dst.addr, dstEnd,
                 source.role, source.place.addr, srcEnd);
        }
    }
}

// The form with a count.
void Run(const Instruction& in, int64_t count) {
    Core& core = CurrentCore();
    core.Poll();
    if (count < 0) {
        Fail(in.call, kCount, "count is %" PRId64, count);
    }
    if (count == 0) {
        return;  // documented as no operation on Atlas A2 and A3
    }
    const uint64_t n = static_cast<uint64_t>(count);
    CheckOperand(core, {"dst", in.dst, n * in.element, true}, in.call, in.page);
    for (int s = 0; s < in.sourceCount; ++s) {
        CheckOperand(core, {in.sources[s].role, in.sources[s].place, n * in.sources[s].element, false}, in.call,
                     in.page);
    }
    if (core.Checks()) {
        CheckOverlap(in, n);
        const uint32_t number = core.clocks.Issue(Pipe::kVector, in.call);
        uint32_t sources[2] = {0, 0};
        for (int s = 0; s < in.sourceCount; ++s) {
            sources[s] = in.sources[s].place.addr;
            core.shadow.Read(core.clocks, Pipe::kVector, number, sources[s],
                             static_cast<uint32_t>(sources[s] + n * in.sources[s].element), in.call);
        }
        core.shadow.Write(core.clocks, Pipe::kVector, number, in.dst.addr,
                          static_cast<uint32_t>(in.dst.addr + n * in.element), in.call);
        PropagateDefined(core, in, in.dst.addr, sources, n);
    }
    const bool widens =
        in.sourceCount > 0 && in.sources[0].element < in.element && in.sources[0].place.addr == in.dst.addr;
    std::vector<uint8_t> copy;  // a source that dst grows over
    const void* src0 = in.sourceCount > 0 ? core.UbData(in.sources[0].place.addr) : nullptr;
    if (widens) {
        copy.assign(static_cast<const uint8_t*>(src0), static_cast<const uint8_t*>(src0) + n * in.sources[0].element);
        src0 = copy.data();
    }
    core.counters.Vector(n);
    in.loop({core.UbData(in.dst.addr), src0, in.sourceCount > 1 ? core.UbData(in.sources[1].place.addr) : nullptr,
             in.scalar, static_cast<size_t>(n)});
}

// The form with repeats: gathers each repeat's lanes, computes them together and puts back the lanes of the mask.
void Run(const Instruction& in, const Repeats& repeats) {
    Core& core = CurrentCore();
    core.Poll();
    if (repeats.times == 0) {
        return;
    }
    uint32_t widest = in.element;
    for (int s = 0; s < in.sourceCount; ++s) {
        widest = std::max(widest, in.sources[s].element);
    }
    const uint32_t lanes = kRepeatBytes / widest;
    if (repeats.lanes > lanes || (repeats.lanes == 0 && repeats.mask[0] == 0 && repeats.mask[1] == 0)) {
        Fail(in.call, kMask, "the mask selects %" PRIu64 " lanes, a repeat has %u", repeats.lanes, lanes);
    }
    if (repeats.dstBlock == 0) {
        Fail(in.call, kDstStride, "dstBlkStride is 0");
    }
    const auto selected = [&repeats](uint32_t lane) { return (repeats.mask[lane / 64] >> (lane % 64) & 1) != 0; };
    const auto addrOf = [](const Ub& place, uint32_t element, uint32_t block, uint32_t repeat, uint32_t r,
                           uint32_t lane) {
        const uint32_t byte = lane * element;
        return place.addr + (r * repeat + byte / kBlockBytes * block) * kBlockBytes + byte % kBlockBytes;
    };
    core.counters.Vector(repeats.times * static_cast<uint64_t>(__builtin_popcountll(repeats.mask[0]) +
                                                               __builtin_popcountll(repeats.mask[1])));
    const uint32_t number = core.Checks() ? core.clocks.Issue(Pipe::kVector, in.call) : 0;
    const auto touch = [&](const char* role, const Ub& place, uint32_t addr, uint32_t element, bool write) {
        CheckOperand(core, {role, place, addr - place.addr + element, write}, in.call, in.page);
        if (core.Checks() && write) {
            core.shadow.Write(core.clocks, Pipe::kVector, number, addr, addr + element, in.call);
        } else if (core.Checks()) {
            core.shadow.Read(core.clocks, Pipe::kVector, number, addr, addr + element, in.call);
        }
    };
    alignas(32) uint8_t dst[kRepeatBytes], src[2][kRepeatBytes];
    for (uint32_t r = 0; r < repeats.times; ++r) {
        std::memset(src, 0, sizeof(src));
        std::memset(dst, 0, sizeof(dst));
        bool known[kRepeatBytes];
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            known[lane] = true;
            if (!selected(lane)) {
                continue;
            }
            for (int s = 0; s < in.sourceCount; ++s) {
                const Source& source = in.sources[s];
                const uint32_t addr =
                    addrOf(source.place, source.element, repeats.srcBlock[s], repeats.srcRepeat[s], r, lane);
                touch(source.role, source.place, addr, source.element, false);
                std::memcpy(src[s] + lane * source.element, core.UbData(addr), source.element);
                known[lane] = known[lane] && (!core.Checks() || core.shadow.AllDefined(addr, source.element));
            }
            const uint32_t addr = addrOf(in.dst, in.element, repeats.dstBlock, repeats.dstRepeat, r, lane);
            touch("dst", in.dst, addr, in.element, true);
            std::memcpy(dst + lane * in.element, core.UbData(addr), in.element);
            known[lane] = known[lane] && (!in.readsDst || !core.Checks() || core.shadow.AllDefined(addr, in.element));
        }
        in.loop({dst, in.sourceCount > 0 ? src[0] : nullptr, in.sourceCount > 1 ? src[1] : nullptr, in.scalar, lanes});
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (selected(lane)) {
                const uint32_t addr = addrOf(in.dst, in.element, repeats.dstBlock, repeats.dstRepeat, r, lane);
                std::memcpy(core.UbData(addr), dst + lane * in.element, in.element);
                if (core.Checks()) {
                    std::memset(core.shadow.Defined(addr), known[lane] ? 0xff : 0, in.element);
                }
            }
        }
    }
}

void RunEither(const Instruction& in, int64_t count, const Repeats* repeats) {
    if (repeats != nullptr) {
        Run(in, *repeats);
    } else {
        Run(in, count);
    }
}

Call Of(const VectorCall& call) { return {call.api, call.site}; }

bool ReadsDst(BinaryOp op) {
    return op == BinaryOp::kMulAddDst || op == BinaryOp::kFusedMulAdd || op == BinaryOp::kMulAddRelu;
}

}  // namespace

void Unary(const VectorCall& call, UnaryOp op, Dtype type, const Ub& dst, const Ub& src, int64_t count,
           const Repeats* repeats) {
    const uint32_t bytes = BytesOf(type);
    RunEither({Of(call), call.page, UnaryLoop(op, type), dst, bytes, false, {{"src", src, bytes}, {}}, 1, 0}, count,
              repeats);
}

void Binary(const VectorCall& call, BinaryOp op, Dtype type, Dtype from, const Ub& dst, const Ub& src0, const Ub& src1,
            int64_t count, const Repeats* repeats) {
    const uint32_t bytes = BytesOf(from);
    RunEither({Of(call),
               call.page,
               BinaryLoop(op, type, from),
               dst,
               BytesOf(type),
               ReadsDst(op),
               {{"src0", src0, bytes}, {"src1", src1, bytes}},
               2,
               0},
              count, repeats);
}

void BinaryScalar(const VectorCall& call, ScalarOp op, Dtype type, Dtype from, const Ub& dst, const Ub& src,
                  uint64_t scalar, int64_t count, const Repeats* repeats) {
    if (op == ScalarOp::kShiftLeft || op == ScalarOp::kShiftRight) {
        const uint64_t most = BytesOf(type) * 8;
        if (scalar > most) {
            Fail(Of(call), kShift, "the shift is by %" PRIu64 " bits", scalar);
        }
    }
    RunEither({Of(call),
               call.page,
               ScalarLoop(op, type, from),
               dst,
               BytesOf(type),
               op == ScalarOp::kAxpy,
               {{"src", src, BytesOf(from)}, {}},
               1,
               scalar},
              count, repeats);
}

void Cast(const VectorCall& call, Dtype type, Dtype from, uint32_t roundMode, const Ub& dst, const Ub& src,
          int64_t count, const Repeats* repeats) {
    const Loop loop = CastLoop(type, from, static_cast<AscendC::RoundMode>(roundMode));
    if (loop == nullptr) {
        constexpr const char* kModes[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                          "CAST_ROUND", "CAST_TRUNC", "CAST_ODD",   "CAST_HYBRID"};
        Fail(Of(call), kRoundModes, "%s to %s does not take RoundMode::%s", Name(from), Name(type),
             roundMode < 8 ? kModes[roundMode] : "?");
    }
    RunEither({Of(call), call.page, loop, dst, BytesOf(type), false, {{"src", src, BytesOf(from)}, {}}, 1, 0}, count,
              repeats);
}

void Duplicate(const VectorCall& call, Dtype type, const Ub& dst, uint64_t scalar, int64_t count,
               const Repeats* repeats) {
    RunEither({Of(call), call.page, FillLoop(type), dst, BytesOf(type), false, {{}, {}}, 0, scalar}, count, repeats);
}

namespace {

// Compare and Compares write one bit per element.
void RunCompare(const VectorCall& vectorCall, Loop loop, Dtype type, const Ub& dst, const Ub& src0, const Ub* src1,
                uint64_t scalar, int64_t count) {
    const Call call = Of(vectorCall);
    const char* page = vectorCall.page;
    Core& core = CurrentCore();
    core.Poll();
    if (loop == nullptr) {
        Fail(call, kCompareMode, "this CMPMODE is not supported for %s", Name(type));
    }
    if (count == 0) {
        return;
    }
    const uint32_t element = BytesOf(type);
    const uint64_t n = static_cast<uint64_t>(count);
    if (n * element % kRepeatBytes != 0) {
        Fail(call, kCompareCount, "%" PRIu64 " elements of %s are %" PRIu64 " bytes", n, Name(type), n * element);
    }
    CheckOperand(core, {"dst", dst, n / 8, true}, call, page);
    CheckOperand(core, {"src0", src0, n * element, false}, call, page);
    if (src1 != nullptr) {
        CheckOperand(core, {"src1", *src1, n * element, false}, call, page);
    }
    if (core.Checks()) {
        const uint32_t number = core.clocks.Issue(Pipe::kVector, call);
        const uint32_t bytes = static_cast<uint32_t>(n * element);
        core.shadow.Read(core.clocks, Pipe::kVector, number, src0.addr, src0.addr + bytes, call);
        if (src1 != nullptr) {
            core.shadow.Read(core.clocks, Pipe::kVector, number, src1->addr, src1->addr + bytes, call);
        }
        core.shadow.Write(core.clocks, Pipe::kVector, number, dst.addr, static_cast<uint32_t>(dst.addr + n / 8), call);
        if (core.shadow.AllDefined(src0.addr, bytes) &&
            (src1 == nullptr || core.shadow.AllDefined(src1->addr, bytes))) {
            std::memset(core.shadow.Defined(dst.addr), 0xff, n / 8);
        } else {
            // the shadow has eight bits a byte: one for each result bit
            for (uint64_t i = 0; i < n; ++i) {
                const uint32_t offset = static_cast<uint32_t>(i * element);
                const bool known = core.shadow.AllDefined(src0.addr + offset, element) &&
                                   (src1 == nullptr || core.shadow.AllDefined(src1->addr + offset, element));
                uint8_t* bits = core.shadow.Defined(static_cast<uint32_t>(dst.addr + i / 8));
                *bits = static_cast<uint8_t>((*bits & ~(1u << i % 8)) | static_cast<unsigned>(known) << i % 8);
            }
        }
    }
    core.counters.Vector(n);
    loop({core.UbData(dst.addr), core.UbData(src0.addr), src1 != nullptr ? core.UbData(src1->addr) : nullptr, scalar,
          static_cast<size_t>(n)});
}

}  // namespace

void Compare(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& src0, const Ub& src1,
             int64_t count) {
    RunCompare(call, CompareLoop(static_cast<AscendC::CMPMODE>(mode), type), type, dst, src0, &src1, 0, count);
}

void CompareScalar(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& src, uint64_t scalar,
                   int64_t count) {
    RunCompare(call, CompareScalarLoop(static_cast<AscendC::CMPMODE>(mode), type), type, dst, src, nullptr, scalar,
               count);
}

}  // namespace sim
