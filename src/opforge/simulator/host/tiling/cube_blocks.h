// The blocks of a core's part on Atlas A2 and A3: base blocks for L0, and how many of them lie in L1.
#ifndef OPFORGE_HOST_TILING_CUBE_BLOCKS_H
#define OPFORGE_HOST_TILING_CUBE_BLOCKS_H

#include <cstdint>

namespace matmul_tiling {

// What the search needs of a request. Rows and columns count 16 elements, groups of K 32 bytes.
struct CubePart {
    int64_t m, n, k;            // of the core's part
    int64_t element;            // bytes of A and B
    bool aAcross, bAcross;      // transposed
    int64_t fixedM, fixedN;     // SetFixSplit; 0 for nothing
    int64_t mostN;              // of a base block: the BiasTable's
    int64_t l0a, l0b, l0c, l1;  // bytes; bias_bytes of L1 are the bias's for each 16 columns of a base block
    int64_t biasBytes;
};

struct CubeBase {
    int64_t m = 0, n = 0, k = 0;  // m 0: no block fits
};

// How base blocks of one matrix lie in L1.
struct CubeDepth {
    int64_t step = 1;     // stepM, stepN
    int64_t stepK = 1;    // stepKa, stepKb
    int64_t buffers = 1;  // 2: the next ones are loaded meanwhile
};

struct CubeL1 {
    CubeDepth a, b;
    bool columnsFirst = false;  // iterateOrder 1
    int64_t loaded = 0;         // what the search compares: rows and columns brought into L1
};

CubeBase ChooseCubeBase(const CubePart& part);
CubeL1 ChooseCubeL1(const CubePart& part, const CubeBase& base);

}  // namespace matmul_tiling
#endif
