// What the headers of the functions above the instructions (SIMD-API/高阶API) ask of libascendc_sim. `room` is the
// kernel's sharedTmpBuffer, or null where the function takes what TPipe has not given out.
#include "private.h"
#ifndef ASCENDC_SIM_ADV_H
#define ASCENDC_SIM_ADV_H

#include "engine.h"

// The data types of a function's page for the product that the kernel is compiled for.
#define ASCENDC_SIM_ADV_DTYPE(Function, page, ...) \
    static_assert(sim::kListed<T, __VA_ARGS__>,    \
                  #Function ": the data type is not one of the page's for this product (高阶API/" page ")")

namespace sim {

// Element by element, on one or two tensors and a scalar.
enum class MathOp : uint8_t {
    kAcos,
    kAcosh,
    kAsin,
    kAsinh,
    kAtan,
    kAtanh,
    kCeil,
    kClampMax,
    kClampMin,
    kCos,
    kCosh,
    kDigamma,
    kErf,
    kErfc,
    kExp,
    kFloor,
    kFmod,
    kFrac,
    kLgamma,
    kLog,
    kLog10,
    kLog2,
    kPower,
    kRound,
    kSign,
    kSin,
    kSinh,
    kTan,
    kTanh,
    kTrunc,
    kXor,
    kFasterGelu,
    kFasterGeluV2,
    kGeGLU,
    kGelu,
    kReGlu,
    kSigmoid,
    kSilu,
    kSwiGLU,
    kSwish,
    kCount
};

// The scalar of ClampMax, Swish, SwiGLU and Power; the number of terms for Exp.
struct MathOperands {
    Ub dst;
    const Ub* src0;  // null: the scalar
    const Ub* src1;  // null: the scalar, or none
    double scalar;
    const Ub* room;
    uint64_t count;
    bool reuse = false;  // isReuseSource
};
ASCENDC_SIM_API void Math(const VectorCall& call, MathOp op, Dtype type, const MathOperands& operands);
// dst += scalar * src, rounded after the product and after the sum.
ASCENDC_SIM_API void AxpyInTwoSteps(const VectorCall& call, Dtype type, Dtype from, const Ub& dst, const Ub& src,
                                    uint64_t scalar, const Ub& room, uint64_t count);

// Softmax and its relatives on the rows of a matrix.
enum class SoftmaxOp : uint8_t { kSoftMax, kFlash, kFlashV2, kGrad, kGradFront, kSimple, kLog, kCount };
struct SoftmaxOperands {
    SoftmaxOp op;
    Dtype type;                   // of src, dst and expMax
    Dtype reduced;                // of sums and maxima
    bool update;                  // goes on from inSum and inMax
    bool front;                   // SoftmaxGrad stops at the sums
    bool basic;                   // isBasicBlock
    bool alone;                   // SOFTMAX_OUTPUT_WITHOUT_BRC: one element a row, not a block
    uint32_t m, k, usedM, usedK;  // srcM, srcK, oriSrcM, oriSrcK
    Ub dst, src;
    // Null where the form has none.
    const Ub *sum, *max, *expMax, *reduceMax;  // written
    const Ub *grad, *inSum, *inMax;            // read
    const Ub* room;
};
ASCENDC_SIM_API void Softmax(const VectorCall& call, const SoftmaxOperands& operands);
// Softmax of rows that come in blocks, each row moved by the means of its eight parts.
struct SoftmaxMeansOperands {
    bool update;
    uint32_t m, k, usedM, usedK, loop, parts;
    double alpha;
    Ub dst, mean, sum, max, src, expMax, inMean, inSum, inMax;
    const Ub* room;
};
ASCENDC_SIM_API void SoftmaxMeans(const VectorCall& call, const SoftmaxMeansOperands& operands);
// Rows of `result` whose maximum has the bits `from` become `to`; says whether there was one.
ASCENDC_SIM_API bool AdjustSoftmax(const VectorCall& call, Dtype type, Dtype reduced, const Ub& result, const Ub& max,
                                   uint32_t from, uint64_t to, uint32_t m, uint32_t k);

// Reductions of a matrix [rows, columns] whose rows lie `stride` elements apart: of each row (AR) or of each column
// (RA).
enum class AdvReduceOp : uint8_t { kSum, kMean, kMax, kMin, kProd, kAll, kAny, kCount };
struct ReduceOperands {
    AdvReduceOp op;
    Dtype type;
    bool columns;  // RA
    uint64_t rows, used, stride;
    Ub dst, src;
    const Ub* room;
    bool reuse = false;  // isReuseSource
};
ASCENDC_SIM_API void ReduceMatrix(const VectorCall& call, const ReduceOperands& operands);
// The sum of src0 ^ src1, kept between -32768 and 32767.
ASCENDC_SIM_API void ReduceXor(const VectorCall& call, const Ub& dst, const Ub& src0, const Ub& src1, const Ub* room,
                               uint64_t count);
// [m, 1] or [1, k] to [m, k].
ASCENDC_SIM_API void BroadcastMatrix(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src,
                                     const uint32_t* to, const uint32_t* from, uint32_t rank, uint32_t axis,
                                     const Ub* room);
// Where an element of the mask is 0 the first of tensor and scalar, else the second.
struct BytesMask {
    Dtype type, mask;
    bool tensorFirst;
    uint32_t rows, columns, maskColumns;
    Ub dst, src, masks;
    uint64_t scalar;
    Ub room;
    bool reuse;  // isReuseMask
};
ASCENDC_SIM_API void SelectByBytes(const VectorCall& call, const BytesMask& operands);
ASCENDC_SIM_API void CumulativeSum(const VectorCall& call, Dtype type, bool lastAxis, const Ub& dst, const Ub* lastRow,
                                   const Ub& src, const Ub* room, uint32_t rows, uint32_t columns);
// Rows of `columns` int32_t, of which the first `used` are multiplied by a scalar or a scale each.
struct DequantOperands {
    Dtype type, scaleType;
    uint32_t rows, columns, used;
    bool split;  // one row of n is n / used rows, where that fits
    Ub dst, src;
    const Ub* scale;  // null: the scalar
    double scalar;
    const Ub* room;
};
ASCENDC_SIM_API void Dequant(const VectorCall& call, const DequantOperands& operands);
// int8_t of src * scale + offset, in steps of half. Of a tensor the scales repeat after scaleCount.
struct QuantOperands {
    Dtype type;
    uint64_t count;
    Ub dst, src;
    const Ub *scale, *offset;  // null: the scalars
    double scaleValue, offsetValue;
    uint64_t scaleCount, offsetCount;
    const Ub* room;
};
ASCENDC_SIM_API void Quant(const VectorCall& call, const QuantOperands& operands);
// (src + offset) * scale of int8_t: a scale for each column of [k, n], or with `transposed` for each row of [n, k].
struct AntiQuantOperands {
    Dtype type;
    bool transposed;
    uint32_t k;
    uint64_t count;
    Ub dst, src;
    const Ub *scale, *offset;  // null: the scalars
    double scaleValue, offsetValue;
    const Ub* room;
};
ASCENDC_SIM_API void AntiQuant(const VectorCall& call, const AntiQuantOperands& operands);

// A scalar operand as the functions compute with it.
template <typename T>
double ScalarValue(const T& value) {
    if constexpr (std::is_arithmetic<T>::value) {
        return static_cast<double>(value);
    } else {
        return static_cast<double>(static_cast<float>(value));
    }
}

}  // namespace sim

#endif
