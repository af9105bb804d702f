// The vector instructions that go lane by lane: which loop computes them, and what their pages demand beside it.
#include <cinttypes>
#include <cstring>

#include "lanewise.h"

namespace sim {
namespace {

constexpr Rule kRoundModes = {"cast-mode", "each pair of data types takes the rounding modes of its row",
                              "基础API/Memory矢量计算/类型转换/Cast"};
constexpr Rule kShift = {"shift-range", "a shift is by 0 to 16 bits for 16-bit types and by 0 to 32 for 32-bit types",
                         "基础API/Memory矢量计算/逻辑计算/ShiftLeft"};
constexpr Rule kDeqScale = {"deq-scale", "the scale of int32_t to half is set by SetDeqScale(half)",
                            "基础API/Memory矢量计算/类型转换辅助配置接口/SetDeqScale"};
constexpr Rule kCopyStride = {"copy-stride", "dstRepeatSize and srcRepeatSize are at most 4095",
                              "基础API/Memory矢量计算/数据搬运/Copy（UBToUB掩码式高维数据搬运）"};

void RunEither(const Lanewise& in, Loop loop, uint64_t scalar, int64_t count, const Repeats* repeats) {
    const LoopBody body(loop, scalar);
    if (repeats != nullptr) {
        RunRepeats(in, body, *repeats);
    } else {
        RunCount(in, body, count);
    }
}

bool ReadsDst(BinaryOp op) {
    return op == BinaryOp::kMulAddDst || op == BinaryOp::kFusedMulAdd || op == BinaryOp::kMulAddRelu;
}

// 通用地址重叠约束: these may add up into one destination.
bool Accumulates(BinaryOp op, Dtype type) {
    switch (op) {
        case BinaryOp::kAdd:
        case BinaryOp::kSub:
        case BinaryOp::kMul:
        case BinaryOp::kMax:
        case BinaryOp::kMin:
        case BinaryOp::kAddRelu:
        case BinaryOp::kSubRelu:
            return type == Dtype::kHalf || type == Dtype::kInt32 || type == Dtype::kFloat;
        default:
            return false;
    }
}

uint64_t DeqScale(const Call& call) {
    const VectorRegisters& registers = CurrentCore().registers.vector;
    if (registers.deq != VectorRegisters::Deq::kHalf) {
        Fail(call, kDeqScale, "no SetDeqScale(half) has been called");
    }
    return registers.deqHalf;
}

}  // namespace

void Unary(const VectorCall& call, UnaryOp op, Dtype type, const Ub& dst, const Ub& src, int64_t count,
           const Repeats* repeats) {
    const uint32_t bits = BitsOf(type);
    const bool bitwise = op == UnaryOp::kNot;
    RunEither({Of(call), call.page, {"dst", dst, bits}, false, {{"src", src, bits}, {}}, 1, false, false, bitwise},
              UnaryLoop(op, type), 0, count, repeats);
}

void Binary(const VectorCall& call, BinaryOp op, Dtype type, Dtype from, const Ub& dst, const Ub& src0, const Ub& src1,
            int64_t count, const Repeats* repeats) {
    const uint32_t bits = BitsOf(from);
    RunEither({Of(call),
               call.page,
               {"dst", dst, BitsOf(type)},
               ReadsDst(op),
               {{"src0", src0, bits}, {"src1", src1, bits}},
               2,
               Accumulates(op, type),
               op == BinaryOp::kSub && (type == Dtype::kInt16 || type == Dtype::kInt32),
               op == BinaryOp::kAnd || op == BinaryOp::kOr},
              BinaryLoop(op, type, from), op == BinaryOp::kAddDeqRelu ? DeqScale(Of(call)) : 0, count, repeats);
}

void BinaryScalar(const VectorCall& call, ScalarOp op, Dtype type, Dtype from, const Ub& dst, const Ub& src,
                  uint64_t scalar, int64_t count, const Repeats* repeats, bool round) {
    if (op == ScalarOp::kShiftLeft || op == ScalarOp::kShiftRight) {
        const uint64_t most = BitsOf(type);
        if (scalar > most) {
            Fail(Of(call), kShift, "the shift is by %" PRIu64 " bits", scalar);
        }
    }
    const Loop loop = round ? RoundedShiftLoop(type) : ScalarLoop(op, type, from);
    RunEither(
        {Of(call), call.page, {"dst", dst, BitsOf(type)}, op == ScalarOp::kAxpy, {{"src", src, BitsOf(from)}, {}}, 1},
        loop, scalar, count, repeats);
}

void Cast(const VectorCall& call, Dtype type, Dtype from, uint32_t roundMode, const Ub& dst, const Ub& src,
          int64_t count, const Repeats* repeats) {
    const bool m200 = std::strcmp(CurrentCore().Request().soc->short_name, "ascend310p") == 0;
    const Loop loop = CastLoop(type, from, static_cast<AscendC::RoundMode>(roundMode), m200);
    if (loop == nullptr) {
        constexpr const char* kModes[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                          "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
        Fail(Of(call), kRoundModes, "%s to %s does not take RoundMode::%s", Name(from), Name(type),
             roundMode < std::size(kModes) ? kModes[roundMode] : "?");
    }
    const bool scaled = from == Dtype::kInt32 && type == Dtype::kHalf;
    RunEither({Of(call), call.page, {"dst", dst, BitsOf(type)}, false, {{"src", src, BitsOf(from)}, {}}, 1}, loop,
              scaled ? DeqScale(Of(call)) : 0, count, repeats);
}

void SetDeqScaleHalf(uint16_t scale, Site) {
    CurrentCore().registers.vector.deq = VectorRegisters::Deq::kHalf;
    CurrentCore().registers.vector.deqHalf = scale;
}

void Duplicate(const VectorCall& call, Dtype type, const Ub& dst, uint64_t scalar, int64_t count,
               const Repeats* repeats) {
    RunEither({Of(call), call.page, {"dst", dst, BitsOf(type)}, false, {{}, {}}, 0}, FillLoop(type), scalar, count,
              repeats);
}

void CopyLanes(const VectorCall& call, uint32_t bytes, const Ub& dst, const Ub& src, const Repeats& repeats) {
    Core& core = CurrentCore();
    core.Poll();
    const uint32_t worst = std::max(repeats.dstRepeat, repeats.srcRepeat[0]);
    if (worst > 4095) {
        Fail(Of(call), kCopyStride, "a repeat starts %u blocks behind the one before", worst);
    }
    const Lanewise in{Of(call), call.page, {"dst", dst, bytes * 8}, false, {{"src", src, bytes * 8}, {}}, 1};
    const LoopBody body(CopyLoop(bytes), 0);
    const uint32_t lanes = LanesOf(in);
    const MaskedLanes mask = core.registers.vector.Take(repeats, lanes, in.call);
    if (!core.registers.vector.counter) {
        RunMasked(in, body, repeats, mask, lanes);
        return;
    }
    // in counter mode each repeat moves as many elements as the mask says, 256 bytes behind each other
    for (uint32_t r = 0; r < repeats.times; ++r) {
        const auto from = [r](Ub place, uint32_t repeat) {
            place.addr += r * repeat * kBlockBytes;
            return place;
        };
        Lanewise one = in;
        one.dst.place = from(dst, repeats.dstRepeat);
        one.sources[0].place = from(src, repeats.srcRepeat[0]);
        Repeats inner = repeats;
        inner.dstRepeat = 8 * repeats.dstBlock;
        inner.srcRepeat[0] = 8 * repeats.srcBlock[0];
        RunMasked(one, body, inner, mask, lanes);
    }
}

}  // namespace sim
