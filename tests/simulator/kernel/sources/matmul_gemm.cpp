// The engine's matrix product for ctypes.
#include "cube/gemm.h"

extern "C" void gemm(int64_t m, int64_t n, int64_t k, const void* a, int64_t aStride, int aTransposed, const void* b,
                     int64_t bStride, int bTransposed, int type, int accumulate, float* c, int64_t cStride) {
    const sim::Dtype dtype = static_cast<sim::Dtype>(type);
    sim::Gemm(m, n, k, {a, dtype, aStride, aTransposed != 0}, {b, dtype, bStride, bTransposed != 0}, accumulate != 0, c,
              cStride);
}

extern "C" void store(const float* from, int64_t count, int type, int combine, void* to) {
    sim::StoreSums(from, count, static_cast<sim::Dtype>(type), static_cast<sim::Combine>(combine), to);
}
