// What the functions of the vector unit ask of libascendc_sim.
#include "private.h"
#ifndef ASCENDC_SIM_VECTOR_H
#define ASCENDC_SIM_VECTOR_H

#include "engine.h"

namespace sim {

// What a function that goes by repeats says of its lanes. Documentation:
// SIMD-API/基础API/Memory矢量计算/SIMD计算说明/掩码
enum class MaskFrom : uint8_t {
    kLanes,     // mask[0]: how many of the first lanes of a repeat; in counter mode, how many elements in all
    kBits,      // a bit for each lane of a repeat; in counter mode mask[0] is the number of elements
    kRegister,  // isSetMask = false: what SetVectorMask, or an earlier function, has left
};

// Repeats with strides, the "tensor高维切分" form, in blocks of 32 bytes. Documentation:
// SIMD-API/基础API/Memory矢量计算/SIMD计算说明/高维切分
struct Repeats {
    uint64_t mask[2];
    MaskFrom from;
    uint32_t times;
    uint32_t dstBlock, srcBlock[2];
    uint32_t dstRepeat, srcRepeat[2];
};

enum class UnaryOp : uint8_t { kAbs, kExp, kLn, kSqrt, kRsqrt, kReciprocal, kRelu, kNot, kCount };
enum class BinaryOp : uint8_t {
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMax,
    kMin,
    kAnd,
    kOr,
    kAddRelu,
    kSubRelu,
    kMulAddDst,
    kFusedMulAdd,
    kMulAddRelu,
    kAddReluCast,
    kSubReluCast,
    kMulCast,
    kAddDeqRelu,
    kCount
};
enum class ScalarOp : uint8_t { kAdds, kMuls, kMaxs, kMins, kLeakyRelu, kShiftLeft, kShiftRight, kAxpy, kCount };

// By the first `count` elements, or by repeats where `repeats` is not null.
ASCENDC_SIM_API void Unary(const VectorCall& call, UnaryOp op, Dtype type, const Ub& dst, const Ub& src, int64_t count,
                           const Repeats* repeats);
// `from` is the sources' type where it differs from the destination's (MulAddDst), else the same.
ASCENDC_SIM_API void Binary(const VectorCall& call, BinaryOp op, Dtype type, Dtype from, const Ub& dst, const Ub& src0,
                            const Ub& src1, int64_t count, const Repeats* repeats);
// `round`: ShiftRight's roundEn.
ASCENDC_SIM_API void BinaryScalar(const VectorCall& call, ScalarOp op, Dtype type, Dtype from, const Ub& dst,
                                  const Ub& src, uint64_t scalar, int64_t count, const Repeats* repeats,
                                  bool round = false);
ASCENDC_SIM_API void Cast(const VectorCall& call, Dtype type, Dtype from, uint32_t roundMode, const Ub& dst,
                          const Ub& src, int64_t count, const Repeats* repeats);
ASCENDC_SIM_API void Duplicate(const VectorCall& call, Dtype type, const Ub& dst, uint64_t scalar, int64_t count,
                               const Repeats* repeats);
// Copy from the unified buffer to itself; `bytes` of an element.
ASCENDC_SIM_API void CopyLanes(const VectorCall& call, uint32_t bytes, const Ub& dst, const Ub& src,
                               const Repeats& repeats);

// The mask register and its mode.
ASCENDC_SIM_API void SetMaskMode(bool counter);
ASCENDC_SIM_API void SetMask(uint64_t high, uint64_t low);
// The first `length` lanes of `bytes` each, or in counter mode so many elements.
ASCENDC_SIM_API void SetMaskLength(int64_t length, bool counter, uint32_t bytes, const VectorCall& call);

// One bit an element. `src1` is null where a scalar is compared with; `dst` where the result goes to the register.
ASCENDC_SIM_API void Compare(const VectorCall& call, uint32_t mode, Dtype type, const Ub* dst, const Ub& src0,
                             const Ub* src1, uint64_t scalar, int64_t count, const Repeats* repeats);
// `selMask` is null where the register holds it, `src1` where it is a scalar: `scalar`, or of the register as well.
ASCENDC_SIM_API void Select(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub* selMask,
                            const Ub& src0, const Ub* src1, const uint64_t* scalar, int64_t count,
                            const Repeats* repeats);
ASCENDC_SIM_API void ReadCmpMask(const VectorCall& call, const Ub& dst);
ASCENDC_SIM_API void WriteCmpMask(const VectorCall& call, const Ub& src);

// SetDeqScale: of int32_t to half, of int16_t to 8 bits, and 16 of the latter in the unified buffer.
ASCENDC_SIM_API void SetDeqScaleHalf(uint16_t scale, Site site);

// Reductions. `order` is AscendC::ReduceOrder.
enum class ReduceOp : uint8_t { kSum, kMax, kMin };
// What is reduced to one: the lanes of a repeat, of a block, or two neighbours.
enum class ReduceUnit : uint8_t { kRepeat, kBlock, kPair };
struct Reduction {
    ReduceOp op;
    ReduceUnit unit;
    uint8_t order;
};
// srcBlock, srcRepeat and dstRepeat as in the call; repeats.dstRepeat in results.
ASCENDC_SIM_API void ReduceRepeats(const VectorCall& call, const Reduction& reduction, Dtype type, const Ub& dst,
                                   const Ub& src, const Repeats& repeats, int64_t times);
// ReduceSum, ReduceMax and ReduceMin of all: by count where `repeats` is null. `work` is sharedTmpBuffer.
ASCENDC_SIM_API void ReduceAll(const VectorCall& call, ReduceOp op, Dtype type, const Ub& dst, const Ub& src,
                               const Ub& work, int64_t count, const Repeats* repeats, int64_t times, bool calIndex);
// What the last reduction has left in the registers; `index` is null where it is not asked for.
ASCENDC_SIM_API uint64_t ReducedSum(Dtype type, const VectorCall& call);
ASCENDC_SIM_API uint64_t ReducedExtreme(Dtype type, uint64_t* index, const VectorCall& call);

// Eight elements a repeat, each filling a block.
ASCENDC_SIM_API void BroadcastBlocks(const VectorCall& call, uint32_t bytes, const Ub& dst, const Ub& src,
                                     uint32_t times, uint32_t dstBlock, uint32_t dstRepeat);

}  // namespace sim

#endif
