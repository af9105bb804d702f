// What the Matmul object asks of libascendc_sim. An object of a vector core is a client: its calls become messages to
// the block's cube core, which computes. An object of a cube core (ASCENDC_CUBE_ONLY) computes where it is called.
#include "private.h"
#ifndef ASCENDC_SIM_MATMUL_H
#define ASCENDC_SIM_MATMUL_H

#include "engine.h"

namespace sim {

// How the matrices of a batch lie: one behind the other, or between those of other heads (IterateBatch).
enum class MatmulLayout : uint8_t { kNormal, kBsngd, kSbngd, kBngs1s2 };

// Of the base blocks: all, those on and above the diagonal, on and below it; all, with 3 x 3 of A kept in L1.
enum class MatmulPolicyKind : uint8_t { kAll, kUpper, kLower, kNBuffer33 };

// What of an output block its callback function is told (DataCopyOutParams).
struct MatmulCopyOut {
    uint16_t bursts, length, columns;
    uint32_t stride;
    int32_t row, column;
};
// The kernel's functions that copy a base block of A or B into L1, and one of C out of L0C; null: the object's own.
struct MatmulCallbacks {
    using In = void (*)(const Ub& l1, uint64_t gm, int32_t row, int32_t column, int32_t ofRow, int32_t ofColumn,
                        uint64_t info, uint64_t data);
    using Out = void (*)(uint64_t gm, const Ub& co1, const MatmulCopyOut& params, uint64_t info, uint64_t data);
    Out out;
    In a, b;
};

// What an object's type says.
struct MatmulSpec {
    Dtype a, b, c, bias;
    bool aTransposable, bTransposable;
    bool multiDataLoad;                 // the MDL template
    bool intrinsicsCheck;               // inner axes of 65535 elements and more are loaded in a loop
    bool unitFlag;                      // Fixpipe takes a block out of L0C while Mmad works on the next one
    bool cubeOnly;                      // computes in place
    bool outputInUb;                    // C lies in the unified buffer
    bool aFractal, bFractal, cFractal;  // the format NZ: columns of 32 bytes (C: 16 elements), one behind the other
    MatmulLayout aLayout, bLayout, cLayout;
    bool batchesInL1;       // BATCH_LESS_THAN_L1
    bool cAligned;          // ND_ALIGN: rows of C filled up to 32 bytes
    bool aVector;           // VECTOR: one row
    bool aInL1, bInL1;      // TSCM, A1, B1: the kernel keeps the matrix in L1 itself, the object takes no room for it
    bool aShared, bShared;  // IBSHARE: by the two vector cores of a block
    MatmulCallbacks callbacks;
    MatmulPolicyKind policy;
};

// The axes of a layout.
struct MatmulAxes {
    int32_t b, s, n, g, d;
};

// TCubeTiling, as far as it means something here. Lengths in elements.
struct MatmulBlocks {
    int32_t usedCores;
    int32_t m, n, ka, kb;
    int32_t singleM, singleN, singleK;
    int32_t baseM, baseN, baseK;
    int32_t depthA1, depthB1;
    int32_t stepM, stepN, stepKa, stepKb;
    int32_t isBias;
    int32_t iterateOrder;
    int32_t dbL0A, dbL0B, dbL0C;
    MatmulAxes a, b, c;
    int32_t transLength, shareUbSize;  // bytes of the unified buffer, on AI Cores with both units
};

struct MatmulWrite {
    uint8_t atomic;   // enAtomic
    bool sequential;  // enSequentialWrite
};

enum class MatmulOperand : uint8_t { kA, kB, kBias };

// The object's number on this core, by which all other calls name it.
ASCENDC_SIM_API int32_t MatmulRegister(const MatmulSpec& spec, void* pipe, const void* workspace, Site site);
// On a cube core that serves vector cores: computes for them until all have left, then returns true. Else false.
ASCENDC_SIM_API bool MatmulServe(bool cubeOnly, Site site);
// Says that the vector core will send no more.
ASCENDC_SIM_API void MatmulLeave();

ASCENDC_SIM_API void MatmulInit(int32_t object, const MatmulBlocks& blocks, Site site);
ASCENDC_SIM_API void MatmulSetOrgShape(int32_t object, const int32_t (&shape)[5], Site site);
ASCENDC_SIM_API void MatmulSetSingleShape(int32_t object, const char* api, int32_t m, int32_t n, int32_t k, Site site);
ASCENDC_SIM_API void MatmulSetTensor(int32_t object, MatmulOperand operand, uint64_t addr, bool transposed, Site site);
ASCENDC_SIM_API void MatmulSetBias(int32_t object, uint64_t addr, Site site);
// In the unified buffer of the calling core (A, B, bias) or in L1 (A, B).
ASCENDC_SIM_API void MatmulSetLocal(int32_t object, MatmulOperand operand, const Ub& place, bool transposed, Site site);
// One value in all of A.
ASCENDC_SIM_API void MatmulSetScalarA(int32_t object, uint64_t bits, Site site);
// What callback functions are given.
ASCENDC_SIM_API void MatmulSetInfo(int32_t object, uint64_t info, Site site);
ASCENDC_SIM_API void MatmulSetData(int32_t object, uint64_t data, Site site);
ASCENDC_SIM_API void MatmulDisableBias(int32_t object, const char* api, Site site);
ASCENDC_SIM_API void MatmulSetWorkspace(int32_t object, uint64_t addr, Site site);
ASCENDC_SIM_API void MatmulSetLocalWorkspace(int32_t object, const Ub& room, Site site);
ASCENDC_SIM_API void MatmulSetHf32(int32_t object, bool enable, int32_t ties, Site site);

ASCENDC_SIM_API bool MatmulIterate(int32_t object, bool sync, bool partialSum, Site site);
// Into L0C of the kernel's own.
ASCENDC_SIM_API bool MatmulIterateInto(int32_t object, bool partialSum, const Ub& co1, Site site);
ASCENDC_SIM_API void MatmulGetTensorC(int32_t object, bool sync, uint64_t gm, MatmulWrite write, Site site);
ASCENDC_SIM_API void MatmulGetTensorCInUb(int32_t object, const Ub& ub, MatmulWrite write, Site site);
// Whether the last Iterate was asynchronous, and the cached block that comes next.
ASCENDC_SIM_API bool MatmulIsCached(int32_t object, Site site);
ASCENDC_SIM_API uint64_t MatmulNextCached(int32_t object, Site site);
ASCENDC_SIM_API void MatmulIterateAll(int32_t object, bool sync, bool wait, bool fake, uint64_t gm, MatmulWrite write,
                                      Site site);
ASCENDC_SIM_API void MatmulWaitIterateAll(int32_t object, Site site);
// Products one behind the other.
struct MatmulBatches {
    uint32_t ofA, ofB;
    uint32_t strideA, strideB, strideC;  // elements; 0: matrices without gaps
    bool ofBias;                         // a bias for each
    bool partialSum;
};
ASCENDC_SIM_API void MatmulIterateBatch(int32_t object, bool sync, bool wait, uint64_t gm, const MatmulBatches& batches,
                                        MatmulWrite write, Site site);
ASCENDC_SIM_API void MatmulIterateBatchInUb(int32_t object, const Ub& ub, const MatmulBatches& batches,
                                            MatmulWrite write, Site site);
// `loops` such calls, into the workspace, and the result of the next of them there.
ASCENDC_SIM_API void MatmulIterateNBatch(int32_t object, bool sync, bool wait, uint32_t loops,
                                         const MatmulBatches& batches, MatmulWrite write, Site site);
ASCENDC_SIM_API uint64_t MatmulNextBatch(int32_t object, uint32_t batchA, uint32_t batchB, Site site);
// A word for all columns, or the address of one for each; see Fixpipe.
ASCENDC_SIM_API void MatmulSetQuant(int32_t object, const char* api, uint64_t scalar, uint64_t vector, Site site);
ASCENDC_SIM_API void MatmulEnd(int32_t object, Site site);

}  // namespace sim

#endif
