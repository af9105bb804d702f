// The second word of the user's workspace becomes the sum of the words of `numbers`, scalar work of one block.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void fold(GM_ADDR numbers, uint32_t count, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto* words = reinterpret_cast<__gm__ const int64_t*>(numbers);
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += words[i];
    }
    reinterpret_cast<__gm__ int64_t*>(workspace)[1] = sum;
}
