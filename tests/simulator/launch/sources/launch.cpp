// launch scale <count> <allocated> | fold | shift <system workspace> | nowhere
// Prints results, or the runtime's reason.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "acl/acl.h"
#include "aclrtlaunch_fold.h"
#include "aclrtlaunch_scale.h"
#include "aclrtlaunch_shift.h"

namespace {

int Refused(uint32_t code) {
    std::printf("%u: %s\n", code, aclGetRecentErrMsg());
    return 1;
}

void* Device(const void* data, size_t bytes) {
    void* memory = nullptr;
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (data != nullptr) {
        aclrtMemcpy(memory, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    }
    return memory;
}

int Scale(int32_t count, size_t allocated, aclrtStream stream) {
    std::vector<float> x(allocated), y(allocated);
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = static_cast<float>(i);
    }
    void* from = Device(x.data(), allocated * sizeof(float));
    void* to = Device(nullptr, allocated * sizeof(float));
    if (uint32_t code = ACLRT_LAUNCH_KERNEL(scale)(1, stream, from, to, count, 0.5f, nullptr)) {
        return Refused(code);
    }
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(y.data(), count * sizeof(float), to, count * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
    for (int32_t i = 0; i < count; i++) {
        std::printf("%g ", static_cast<double>(y[i]));
    }
    std::printf("\n");
    return 0;
}

int Fold(aclrtStream stream) {
    const int64_t numbers[] = {1LL << 40, 5, -7};
    const size_t system = 16 * 1024 * 1024;
    void* from = Device(numbers, sizeof(numbers));
    void* workspace = Device(nullptr, system + 16);
    if (uint32_t code = ACLRT_LAUNCH_KERNEL(fold)(1, stream, from, 3, workspace)) {
        return Refused(code);
    }
    int64_t sum = 0;
    aclrtMemcpy(&sum, sizeof(sum), static_cast<char*>(workspace) + system + 8, sizeof(sum), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%lld\n", static_cast<long long>(sum));
    return 0;
}

int Shift(size_t system, aclrtStream stream) {
    const int64_t tiling[] = {42};
    void* from = Device(tiling, sizeof(tiling));
    void* to = Device(nullptr, sizeof(int64_t));
    if (uint32_t code = ACLRT_LAUNCH_KERNEL(shift)(1, stream, to, Device(nullptr, system + 8), from)) {
        return Refused(code);
    }
    int64_t sum = 0;
    aclrtMemcpy(&sum, sizeof(sum), to, sizeof(sum), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%lld\n", static_cast<long long>(sum));
    return 0;
}

}  // namespace

int main(int, char** words) {
    const std::string what = words[1];
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    if (what == "scale") {
        return Scale(std::atoi(words[2]), static_cast<size_t>(std::atoi(words[3])), stream);
    }
    if (what == "fold") {
        return Fold(stream);
    }
    if (what == "shift") {
        return Shift(static_cast<size_t>(std::atoi(words[2])), stream);
    }
    float here = 0;
    return Refused(ACLRT_LAUNCH_KERNEL(scale)(1, stream, &here, &here, 1, 0.5f, nullptr));
}
