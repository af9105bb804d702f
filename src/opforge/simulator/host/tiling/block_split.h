// What the searches behind GetTiling share: parts for cores, blocks for one instruction, blocks kept in L1.
#ifndef OPFORGE_HOST_TILING_BLOCK_SPLIT_H
#define OPFORGE_HOST_TILING_BLOCK_SPLIT_H

#include <string>

#include "lib/matmul/matmul_tiling_base.h"

namespace matmul_tiling {

// What the searches need of a request.
struct Product {
    int64_t m, n, k;
    int64_t aBytes, bBytes, biasBytes;  // of an element; bias_bytes 0 without one
    int64_t mStep, nStep, kStep;        // base blocks are multiples of these
    int64_t biasColumns;                // of a base block, at most: the BiasTable has no room for more
    bool aAcross, bAcross;              // transposed
};

int32_t BytesOf(DataType type);       // of one element; 0 for types that are no matrix of the simulated Matmul object
std::string TypeText(DataType type);  // "DT_FLOAT16"
std::string SizesText(int64_t m, int64_t n, int64_t k);  // "M 1, N 2, K 3"

// Why these settings have no tiling whatever the blocks; empty where they may have one.
std::string Misuse(const TilingRequest& request, bool manyCores);

// AI Cores with both units change formats in the unified buffer: how many bytes a base block takes there at most, once
// for each of A, B, C and bias. 0 on other SoCs.
int64_t TransBytes(const TilingRequest& request, int64_t baseM, int64_t baseN, int64_t baseK);

// The product's size: SetShape's, and where that is -1 the whole matrices'.
Sizes ShapeOf(const TilingRequest& request);

// A product of DT_INT4 as one of DT_INT8 with half the K, since two elements fill a byte; other requests unchanged.
TilingRequest InBytes(const TilingRequest& request);

// Fills tiling and returns an empty text, or says why there is none. The request has passed Misuse.
std::string SplitBlocks(const TilingRequest& request, bool manyCores, AscendC::tiling::TCubeTiling* tiling);

}  // namespace matmul_tiling
#endif
