// Kernel objects of the tests; -DKERNEL= chooses one. Plain C++: the engine calls the entry once for each block.
#include <cstdint>
#include <cstring>
#include <type_traits>

#define EXPORT extern "C" __attribute__((visibility("default")))

template <typename T>
static T* At(uint64_t address) {
    return reinterpret_cast<T*>(address);
}

#if KERNEL == 6 || KERNEL == 7
EXPORT uint32_t sim_kernel_type(uint64_t) { return 3; }  // SIM_KERNEL_MIX_AIC_1_2
#else
EXPORT uint32_t sim_kernel_type(uint64_t) { return 0; }
#endif

EXPORT void sim_kernel_entry(const uint64_t* args) {
#if KERNEL == 0  // z = x + alpha * y; arguments x, y, z, workspace, tiling; float32
    struct Tiling {
        uint64_t length;
        uint64_t ubBytes;
        uint32_t aivCores;
        float alpha;
    };
    const Tiling& tiling = *At<const Tiling>(args[4]);
    for (uint64_t i = 0; i < tiling.length; ++i) {
        At<float>(args[2])[i] = At<const float>(args[0])[i] + tiling.alpha * At<const float>(args[1])[i];
    }
#elif KERNEL == 1  // the same place, for float16: z is the bits of x
    const uint64_t length = *At<const uint64_t>(args[4]);
    for (uint64_t i = 0; i < length; ++i) {
        At<uint16_t>(args[2])[i] = At<const uint16_t>(args[0])[i];
    }
#elif KERNEL == 2  // row_mean[0..] = the tiling data; arguments x, beta, axes, y, row_mean, workspace, tiling
    std::memcpy(At<void>(args[4]), At<const void>(args[6]), 56);
    At<int32_t>(args[3])[0] = At<const int32_t>(args[2])[0];
#elif KERNEL == 3  // x *= factor; arguments x, factor, x, workspace, tiling
    const uint64_t length = *At<const uint64_t>(args[4]);
    for (uint64_t i = 0; i < length; ++i) {
        At<float>(args[2])[i] = At<const float>(args[0])[i] * At<const float>(args[1])[0];
    }
#elif KERNEL == 4  // z = the tiling data; arguments x, z, workspace, tiling
    std::memcpy(At<void>(args[1]), At<const void>(args[3]), 64);
#elif KERNEL == 5  // sum[0] += 1, most[1] = by, most[2] = shift; arguments x, by, shift, sum, most, workspace, tiling
    *At<float>(args[3]) += 1;
    At<uint16_t>(args[4])[1] = *At<const uint16_t>(args[1]);
    At<uint16_t>(args[4])[2] = static_cast<uint16_t>(*At<const int32_t>(args[2]));
#elif KERNEL == 6 || KERNEL == 7  // y[0] = the kernel's number, y[1] = bias[0] or -1, y[2] = usedCoreNum, y[3] = N
    struct Tiling {  // arguments x, weight, bias, y, workspace, tiling
        int32_t cube[50];
        uint64_t workspaceBytes;
        uint32_t hasBias;
        int32_t biasType;
    };
    using Number = std::conditional<KERNEL == 6, float, uint16_t>::type;
    const Tiling& tiling = *At<const Tiling>(args[5]);
    At<Number>(args[3])[0] = static_cast<Number>(KERNEL);
    At<Number>(args[3])[1] = args[2] == 0 ? static_cast<Number>(-1) : At<const Number>(args[2])[0];
    At<Number>(args[3])[2] = static_cast<Number>(tiling.cube[0]);
    At<Number>(args[3])[3] = static_cast<Number>(tiling.cube[2]);
    At<unsigned char>(args[4])[tiling.workspaceBytes - 1] = 0x77;
#elif KERNEL == 8  // shapes = words but where they are -2; arguments words, y, count, z, shapes, workspace, tiling
    for (int i = 0; i < 18; ++i) {
        const int64_t word = At<const int64_t>(args[0])[i];
        if (word != -2) {
            At<int64_t>(args[4])[i] = word;
        }
    }
    At<int64_t>(args[2])[0] = static_cast<int64_t>(args[4] % 8);
#endif
}
