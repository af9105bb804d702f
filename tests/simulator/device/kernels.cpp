// Kernel objects of the tests; -DKERNEL= chooses one. Arguments: x, z, the tiling data (count, first of all).
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" __attribute__((visibility("default"), noinline)) void follow_wild_index(const float* x, int64_t index) {
    const_cast<volatile float*>(x)[index] = 1.0F;
}

extern "C" __attribute__((visibility("default"))) void sim_kernel_entry(const uint64_t* args) {
    auto* x = reinterpret_cast<const float*>(args[0]);
    auto* z = reinterpret_cast<float*>(args[1]);
    const int64_t count = *reinterpret_cast<const int64_t*>(args[2]);
#if KERNEL == 0  // z = x + STEP
#ifndef STEP
#define STEP 1.0F
#endif
    for (int64_t i = 0; i < count; ++i) {
        z[i] = x[i] + STEP;
    }
#elif KERNEL == 1  // writes far outside
    (void)z;
    (void)count;
    std::puts("a line before the crash");
    follow_wild_index(x, int64_t{1} << 40);
#elif KERNEL == 2
    (void)x, (void)z, (void)count;
    std::abort();
#elif KERNEL == 3
    (void)x, (void)z;
    for (volatile int64_t i = count; i >= 0;) {
    }
#elif KERNEL == 4
    (void)x, (void)z, (void)count;
    std::puts("a line from the kernel");
    std::exit(3);
#endif
}
