// What LoadData, Mmad, Fixpipe and the copies into L1 ask of libascendc_sim.
// Documentation: SIMD-API/基础API/矩阵计算（ISASI）
#include "private.h"
#ifndef ASCENDC_SIM_CUBE_H
#define ASCENDC_SIM_CUBE_H

#include "engine.h"

// A function that the documentation lists and that is not simulated, below AscendC.
#define ASCENDC_SIM_REFUSED(name, page)                                                          \
    template <typename... Arguments>                                                             \
    void name(Arguments&&...) {                                                                  \
        static_assert(sizeof...(Arguments) == ~size_t{0}, #name " is not simulated (" page ")"); \
    }                                                                                            \
    static_assert(true, "")

namespace sim {

// Copies. `dst` lies in L1; lengths in bytes.
ASCENDC_SIM_API void CopyUbToL1(const Bursts& bursts, const Ub& dst, const Ub& src, Site site);
ASCENDC_SIM_API void CopyGmToL1(const Bursts& bursts, const Ub& dst, uint64_t src, Site site);
ASCENDC_SIM_API void CopyL1ToGm(const Bursts& bursts, uint64_t dst, const Ub& src, Site site);
// Nd2NzParams: rows of global memory into fractal columns of L1.
struct Nd2Nz {
    uint16_t matrices, rows, columns;
    uint16_t srcMatrix;  // elements, as srcRow and dstMatrix
    uint16_t srcRow;
    uint16_t dstColumn;  // 32 bytes, as dstRow
    uint16_t dstRow;
    uint16_t dstMatrix;
    uint32_t element;  // bytes
};
ASCENDC_SIM_API void CopyNd2Nz(const Nd2Nz& params, const Ub& dst, uint64_t src, Site site);
// L1 into the BiasTable buffer (pipe MTE1) or the Fixpipe buffer (FIX). `type` and `from` differ where half becomes
// float on its way into the BiasTable. Lengths and the gap of the destination in units of `unit` bytes, 0: 64 or 128.
struct TableCopy {
    uint32_t count;
    uint32_t length;  // bytes of one block in L1
    uint32_t srcGap;  // bytes
    uint32_t dstGap;
    Dtype type;
    Dtype from;
};
ASCENDC_SIM_API void CopyL1ToTable(const TableCopy& params, const Ub& dst, const Ub& src, Site site);

// DataCopyEnhancedParams with BLOCK_MODE_MATRIX: fractals of L0C into the unified buffer, on cores with both units.
struct MatrixCopy {
    uint32_t count;
    uint32_t length;  // of one block, in fractals, as srcGap
    uint32_t srcGap;
    uint32_t dstGap;  // bytes
    uint32_t mode;    // a BlockMode
    uint32_t scale;   // a DeqScale
    uint16_t factor;  // a half, for DEQ
    bool relu;
    Dtype from, to;
};
ASCENDC_SIM_API void CopyL0cToUb(const MatrixCopy& params, const Ub& dst, const Ub& src, Site site);

// BroadCastVecToMM: rows of sixteen from the unified buffer, each as the sixteen rows of a fractal of L0C.
struct RowsToFractals {
    int32_t count;
    uint32_t length;  // of one block, in rows of sixteen
    uint32_t srcGap;  // 32 bytes
    uint32_t dstGap;  // fractals
    uint32_t element;
};
ASCENDC_SIM_API void CopyRowsToL0c(const RowsToFractals& params, const Ub& dst, const Ub& src, Site site);

// LoadData2DParams, in fractals of 512 bytes.
struct FractalLoad {
    uint16_t first;
    uint8_t times;
    uint16_t srcStride;
    uint16_t dstGap;
    bool transpose;
    bool backwards;
};
ASCENDC_SIM_API void LoadFractals(const FractalLoad& load, Dtype type, const Ub& dst, const Ub& src, Site site);
ASCENDC_SIM_API void LoadFractals(const FractalLoad& load, Dtype type, const Ub& dst, uint64_t src, Site site);
// LoadData2dTransposeParams: squares of 1, 2 or 4 fractals.
struct SquareLoad {
    uint16_t first;
    uint8_t times;
    uint16_t srcStride;
    uint16_t dstGap;
    uint16_t dstFractalGap;
    bool backwards;
};
ASCENDC_SIM_API void LoadTransposed(const SquareLoad& load, Dtype type, const Ub& dst, const Ub& src, Site site);
// LoadData3DParamsV2: a window of the image's columns.
struct ImageShape {
    uint16_t height, width;
    uint8_t pad[4];  // left, right, top, bottom
};
struct ImageLoad {
    ImageShape shape;
    uint16_t channels;
    uint16_t kExtension, mExtension, kStart, mStart;
    uint8_t strideW, strideH;
    uint16_t filterW, filterH;
    uint8_t dilationW, dilationH;
    bool transpose;
    bool setShape;    // else SetFmatrix's
    bool setPadding;  // else SetLoadDataPaddingValue's
    uint64_t padding;
};
ASCENDC_SIM_API void LoadImage(const ImageLoad& load, Dtype type, const Ub& dst, const Ub& src, Site site);
// The registers that LoadImage reads.
ASCENDC_SIM_API void SetImageShape(const ImageShape& shape, Site site);
ASCENDC_SIM_API void SetImagePadding(uint64_t value, Site site);
ASCENDC_SIM_API void SetImageBoundary(uint32_t bytes, Site site);
ASCENDC_SIM_API void SetImageRepeat(uint16_t stride, uint8_t times, uint8_t mode, Site site);
// InitConstValueParams.
struct LocalFill {
    uint16_t times, blocks, dstGap;
    uint64_t value;
    uint32_t element;  // bytes
};
ASCENDC_SIM_API void FillLocal(const LocalFill& fill, const char* api, const Ub& dst, Site site);

// MmadParams.
struct MmadCall {
    uint16_t m, n, k;
    uint8_t unitFlag;
    bool alignK;     // kDirectionAlign
    bool fromTable;  // cmatrixSource
    bool zero;       // cmatrixInitVal
    Dtype a, b, c, bias;
};
// `bias`: in the BiasTable or in L0C, or null.
ASCENDC_SIM_API void MultiplyAdd(const MmadCall& call, const Ub& dst, const Ub& a, const Ub& b, const Ub* bias,
                                 Site site);
// How float becomes HF32 before it is multiplied: 11 bits of mantissa, and where two are equally near, which one.
enum class Hf32 : uint8_t { kOff, kEven, kTowardsZero, kAwayFromZero };
ASCENDC_SIM_API void SetHf32(bool enable, Site site);
ASCENDC_SIM_API void SetHf32Ties(Hf32 ties, Site site);
// A call that changes neither results nor what the simulator counts.
ASCENDC_SIM_API void OnCubeCore(const char* api, Site site);

// FixpipeParamsV220, and DataCopyCO12DstParams. `quant` is a QuantMode_t.
struct FixpipeCall {
    const char* api;
    const char* page;
    uint16_t n, m;
    uint16_t srcStride;  // 16 elements
    uint32_t dstStride;  // elements with nz2nd, else 32 bytes
    uint32_t quant;
    uint64_t scale;  // of the scalar modes
    bool setScale;   // else SetFixpipePreQuantFlag's
    uint16_t matrices, srcMatrix, dstMatrix;
    bool setMatrices;  // else SetFixpipeNz2ndFlag's
    bool nz2nd;
    bool relu;
    bool channelSplit;
    uint8_t unitFlag;
    Dtype from, to;
};
// `scales`: in L1, for the vector modes, or null: SetFixPipeConfig's.
ASCENDC_SIM_API void FixpipeToGm(const FixpipeCall& call, uint64_t dst, const Ub& src, const Ub* scales, Site site);
ASCENDC_SIM_API void FixpipeToL1(const FixpipeCall& call, const Ub& dst, const Ub& src, const Ub* scales, Site site);
ASCENDC_SIM_API void SetFixpipeMatrices(uint16_t matrices, uint16_t srcMatrix, uint16_t dstMatrix, Site site);
ASCENDC_SIM_API void SetFixpipeScale(uint64_t scale, Site site);
ASCENDC_SIM_API void SetFixpipeScales(const Ub* scales, bool clearUnitFlags, Site site);

}  // namespace sim

#endif
