// aclrtMalloc to aclrtPointerGetAttributes: memory of the device and of the host.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "capture.h"
#include "current_device.h"
#include "device_memory.h"
#include "error_message.h"
#include "exports.h"
#include "settings.h"

namespace sim {
namespace {

// Pinned host memory: ordinary memory of which we remember the extent.
struct HostMemory {
    std::mutex mutex;
    std::map<uintptr_t, size_t> blocks;
};

HostMemory& AllHostMemory() {
    static HostMemory* instance = new HostMemory;
    return *instance;
}

bool IsPinnedHost(const void* pointer) {
    HostMemory& host = AllHostMemory();
    std::lock_guard<std::mutex> lock(host.mutex);
    auto found = host.blocks.upper_bound(reinterpret_cast<uintptr_t>(pointer));
    if (found == host.blocks.begin()) {
        return false;
    }
    --found;
    return reinterpret_cast<uintptr_t>(pointer) < found->first + (found->second == 0 ? 1 : found->second);
}

// Where the runtime itself reaches `count` bytes of a pointer of either kind. nullptr: the message says why.
void* Reachable(const char* function, const char* role, const void* pointer, size_t count) {
    const int device = DeviceOfAddress(pointer);
    if (device < 0) {
        if (pointer == nullptr) {
            Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the %s is NULL", function, role);
        }
        return const_cast<void*>(pointer);
    }
    if (ForkedAfterOpen()) {
        FailForked(function);
        return nullptr;
    }
    void* view = MemoryOf(static_cast<uint32_t>(device)).HostView(pointer, count);
    if (view == nullptr) {
        Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the %s %p with %zu bytes is not inside one allocation of device %d",
             function, role, pointer, count, device);
    }
    return view;
}

// A kind that names the wrong side is refused, as on hardware, where the address would be another memory's.
bool SideFits(const void* pointer, bool deviceExpected) { return (DeviceOfAddress(pointer) >= 0) == deviceExpected; }

aclError CheckKind(const void* to, const void* from, aclrtMemcpyKind kind) {
    bool toDevice = false;
    bool fromDevice = false;
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST:
            break;
        case ACL_MEMCPY_HOST_TO_DEVICE:
        case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
            toDevice = true;
            break;
        case ACL_MEMCPY_DEVICE_TO_HOST:
            fromDevice = true;
            break;
        case ACL_MEMCPY_DEVICE_TO_DEVICE:
        case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
        case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
            toDevice = fromDevice = true;
            break;
        case ACL_MEMCPY_DEFAULT:
            return ACL_SUCCESS;
        default:
            return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy: unknown kind %d", static_cast<int>(kind));
    }
    if (!SideFits(to, toDevice) || !SideFits(from, fromDevice)) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtMemcpy: kind %d copies from %s to %s memory, but the source %p is %s and the destination %p "
                    "is %s memory",
                    static_cast<int>(kind), fromDevice ? "device" : "host", toDevice ? "device" : "host", from,
                    DeviceOfAddress(from) >= 0 ? "device" : "host", to, DeviceOfAddress(to) >= 0 ? "device" : "host");
    }
    return ACL_SUCCESS;
}

// What the copying functions do, at once or at a replay.
aclError Copy(void* to, size_t toMax, const void* from, size_t count, aclrtMemcpyKind kind) {
    if (count > toMax) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy: %zu bytes into a destination of %zu", count, toMax);
    }
    if (count == 0) {
        return ACL_SUCCESS;
    }
    if (const aclError wrong = CheckKind(to, from, kind); wrong != ACL_SUCCESS) {
        return wrong;
    }
    void* target = Reachable("aclrtMemcpy", "destination", to, count);
    const void* source = target == nullptr ? nullptr : Reachable("aclrtMemcpy", "source", from, count);
    if (source == nullptr) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    std::memmove(target, source, count);
    return ACL_SUCCESS;
}

aclError Set(void* pointer, size_t max, int32_t value, size_t count) {
    if (count > max) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset: %zu bytes into a destination of %zu", count, max);
    }
    void* target = Reachable("aclrtMemset", "destination", pointer, count);
    if (target == nullptr) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    std::memset(target, value, count);
    return ACL_SUCCESS;
}

// A graph copies from and to the same host memory at each replay, so that memory must stay where it is.
bool CanBeReplayed(const void* pointer) { return DeviceOfAddress(pointer) >= 0 || IsPinnedHost(pointer); }

}  // namespace
}  // namespace sim

using sim::Fail;

SIM_EXPORT aclError aclrtMalloc(void** pointer, size_t size, aclrtMemMallocPolicy) {
    if (pointer == nullptr || size == 0) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMalloc: %s",
                    size == 0 ? "the size is 0" : "no place for the result");
    }
    int32_t device = 0;
    const aclError current = aclrtGetDevice(&device);
    return current != ACL_SUCCESS ? current : sim::MemoryOf(static_cast<uint32_t>(device)).Allocate(size, pointer);
}

SIM_EXPORT aclError aclrtMallocAlign32(void** pointer, size_t size, aclrtMemMallocPolicy policy) {
    return aclrtMalloc(pointer, size, policy);
}

SIM_EXPORT aclError aclrtFree(void* pointer) {
    const int device = sim::DeviceOfAddress(pointer);
    if (device < 0) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree: %p is not device memory", pointer);
    }
    return sim::MemoryOf(static_cast<uint32_t>(device)).Release(pointer);
}

SIM_EXPORT aclError aclrtMallocHost(void** pointer, size_t size) {
    if (pointer == nullptr || size == 0) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost: no place for the result, or size 0");
    }
    if (posix_memalign(pointer, 4096, size) != 0) {
        return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocHost: the host has no %zu bytes", size);
    }
    sim::HostMemory& host = sim::AllHostMemory();
    std::lock_guard<std::mutex> lock(host.mutex);
    host.blocks[reinterpret_cast<uintptr_t>(*pointer)] = size;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtFreeHost(void* pointer) {
    sim::HostMemory& host = sim::AllHostMemory();
    {
        std::lock_guard<std::mutex> lock(host.mutex);
        if (host.blocks.erase(reinterpret_cast<uintptr_t>(pointer)) == 0) {
            return Fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost: %p was not given by aclrtMallocHost, or is freed",
                        pointer);
        }
    }
    std::free(pointer);
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtMemcpy(void* to, size_t toMax, const void* from, size_t count, aclrtMemcpyKind kind) {
    const aclError wrong = sim::CheckCopyAtOnce("aclrtMemcpy");
    return wrong != ACL_SUCCESS ? wrong : sim::Copy(to, toMax, from, count, kind);
}

SIM_EXPORT aclError aclrtMemcpyAsync(void* to, size_t toMax, const void* from, size_t count, aclrtMemcpyKind kind,
                                     aclrtStream stream) {
    if (!sim::Captures(stream)) {  // a copy from or to pageable memory waits for its end
        const bool async = sim::CanBeReplayed(to) && sim::CanBeReplayed(from);
        const aclError wrong =
            async ? ACL_SUCCESS : sim::CheckCopyAtOnce("aclrtMemcpyAsync", ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC);
        return wrong != ACL_SUCCESS ? wrong : sim::Copy(to, toMax, from, count, kind);
    }
    if (!sim::CanBeReplayed(to) || !sim::CanBeReplayed(from)) {
        return sim::RefuseCapture(stream, ACL_ERROR_RT_PARAM_INVALID,
                                  "aclrtMemcpyAsync: the pageable memory copy task does not support graph capture. "
                                  "Host memory of a captured copy must be pinned (aclrtMallocHost, pin_memory())");
    }
    return sim::Record(stream, "aclrtMemcpyAsync", [=] { return sim::Copy(to, toMax, from, count, kind); });
}

SIM_EXPORT aclError aclrtMemcpyAsyncWithCondition(void* to, size_t toMax, const void* from, size_t count,
                                                  aclrtMemcpyKind kind, aclrtStream stream) {
    return aclrtMemcpyAsync(to, toMax, from, count, kind, stream);
}

SIM_EXPORT aclError aclrtMemset(void* pointer, size_t max, int32_t value, size_t count) {
    const aclError wrong = sim::CheckCopyAtOnce("aclrtMemset");
    return wrong != ACL_SUCCESS ? wrong : sim::Set(pointer, max, value, count);
}

SIM_EXPORT aclError aclrtMemsetAsync(void* pointer, size_t max, int32_t value, size_t count, aclrtStream stream) {
    const auto set = [=] { return sim::Set(pointer, max, value, count); };
    return sim::Captures(stream) ? sim::Record(stream, "aclrtMemsetAsync", set) : set();
}

SIM_EXPORT aclError aclrtGetMemInfo(aclrtMemAttr, size_t* freeBytes, size_t* totalBytes) {
    int32_t device = 0;
    if (const aclError current = aclrtGetDevice(&device); current != ACL_SUCCESS) {
        return current;
    }
    sim::MemoryOf(static_cast<uint32_t>(device)).Usage(freeBytes, totalBytes);
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtPointerGetAttributes(const void* pointer, aclrtPtrAttributes* attributes) {
    std::memset(attributes, 0, sizeof *attributes);
    const int device = sim::DeviceOfAddress(pointer);
    attributes->pageSize = 4096;
    if (device >= 0 && sim::MemoryOf(static_cast<uint32_t>(device)).HostView(pointer, 1) != nullptr) {
        attributes->location.id = static_cast<uint32_t>(device);
        attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    } else {
        attributes->location.type =
            sim::IsPinnedHost(pointer) ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    }
    return ACL_SUCCESS;
}

SIM_EXPORT void* sim_host_view(const void* deviceAddress) {
    const int device = sim::DeviceOfAddress(deviceAddress);
    if (device < 0) {
        return nullptr;
    }
    if (sim::ForkedAfterOpen()) {
        sim::FailForked("reading device memory");
        return nullptr;
    }
    void* view = sim::MemoryOf(static_cast<uint32_t>(device)).HostView(deviceAddress, 0);
    if (view == nullptr) {
        Fail(ACL_ERROR_RT_PARAM_INVALID, "%p is not live memory of device %d", deviceAddress, device);
    }
    return view;
}

SIM_EXPORT int sim_is_pinned(const void* address) { return sim::IsPinnedHost(address) ? 1 : 0; }
