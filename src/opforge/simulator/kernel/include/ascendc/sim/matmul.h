// What the Matmul object asks of libascendc_sim. An object of a vector core is a client: its calls become messages to
// the block's cube core, which computes. An object of a cube core (ASCENDC_CUBE_ONLY) computes where it is called.
#include "private.h"
#ifndef ASCENDC_SIM_MATMUL_H
#define ASCENDC_SIM_MATMUL_H

#include "engine.h"

namespace sim {

// What an object's type says.
struct MatmulSpec {
    Dtype a, b, c, bias;
    bool aTransposable, bTransposable;
    bool multiDataLoad;    // the MDL template
    bool intrinsicsCheck;  // inner axes of 65535 elements and more are loaded in a loop
    bool cubeOnly;         // computes in place
    bool outputInUb;       // C lies in the unified buffer
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
};

struct MatmulWrite {
    uint8_t atomic;   // enAtomic
    bool sequential;  // enSequentialWrite
};

enum class MatmulOperand : uint8_t { kA, kB };

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
ASCENDC_SIM_API void MatmulDisableBias(int32_t object, const char* api, Site site);
ASCENDC_SIM_API void MatmulSetWorkspace(int32_t object, uint64_t addr, Site site);
ASCENDC_SIM_API void MatmulSetHf32(int32_t object, bool enable, Site site);

ASCENDC_SIM_API bool MatmulIterate(int32_t object, bool sync, bool partialSum, Site site);
ASCENDC_SIM_API void MatmulGetTensorC(int32_t object, bool sync, uint64_t gm, MatmulWrite write, Site site);
ASCENDC_SIM_API void MatmulGetTensorCInUb(int32_t object, const Ub& ub, MatmulWrite write, Site site);
// Whether the last Iterate was asynchronous, and the cached block that comes next.
ASCENDC_SIM_API bool MatmulIsCached(int32_t object, Site site);
ASCENDC_SIM_API uint64_t MatmulNextCached(int32_t object, Site site);
ASCENDC_SIM_API void MatmulIterateAll(int32_t object, bool sync, bool wait, uint64_t gm, MatmulWrite write, Site site);
ASCENDC_SIM_API void MatmulWaitIterateAll(int32_t object, Site site);
ASCENDC_SIM_API void MatmulEnd(int32_t object, Site site);

}  // namespace sim

#endif
