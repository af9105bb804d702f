// Devices and contexts. A context is only the memory of which device a thread works on.
#include <mutex>
#include <set>
#include <unistd.h>

#include "current_device.h"
#include "device_error.h"
#include "device_memory.h"
#include "error_message.h"
#include "exports.h"
#include "settings.h"
#include "soc.h"

namespace sim {
namespace {

struct Context {
    int32_t device;
};

struct Contexts {
    std::mutex mutex;
    std::set<const Context*> live;  // made by aclrtCreateContext
    Context primary[kMaxDevices];   // what aclrtSetDevice selects
    bool active[kMaxDevices] = {};
};

Contexts& AllContexts() {
    static Contexts* instance = [] {
        auto* made = new Contexts;
        for (uint32_t i = 0; i < kMaxDevices; ++i) {
            made->primary[i].device = static_cast<int32_t>(i);
        }
        return made;
    }();
    return *instance;
}

thread_local const Context* current = nullptr;

bool IsLive(const void* handle) {
    Contexts& all = AllContexts();
    std::lock_guard<std::mutex> lock(all.mutex);
    const auto* context = static_cast<const Context*>(handle);
    return (context >= all.primary && context < all.primary + kMaxDevices) || all.live.count(context) != 0;
}

aclError CheckDevice(const char* function, int32_t device) {
    if (!CurrentSettings().error.empty()) {
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "%s: %s", function, CurrentSettings().error.c_str());
    }
    if (!SocError().empty()) {
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "%s: %s", function, SocError().c_str());
    }
    if (device < 0 || static_cast<uint32_t>(device) >= CurrentSettings().devices) {
        return Fail(ACL_ERROR_RT_INVALID_DEVICEID,
                    "%s: there is no device %d; the simulated machine has %u (OPFORGE_SIM_DEVICES)", function, device,
                    CurrentSettings().devices);
    }
    return ACL_SUCCESS;
}

}  // namespace

int32_t CurrentDevice() { return current == nullptr ? -1 : current->device; }

}  // namespace sim

using sim::AllContexts;
using sim::current;
using sim::Fail;

SIM_EXPORT aclError aclrtGetDeviceCount(uint32_t* count) {
    *count = sim::CurrentSettings().devices;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetHardwareSyncAddr(void** addr) {
    static char place;
    *addr = &place;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtSetDevice(int32_t device) {
    if (const aclError wrong = sim::CheckDevice("aclrtSetDevice", device); wrong != ACL_SUCCESS) {
        return wrong;
    }
    if (sim::ForkedAfterOpen()) {
        return sim::FailForked("aclrtSetDevice");
    }
    current = &AllContexts().primary[device];
    AllContexts().active[device] = true;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetDevice(int32_t* device) {
    if (current == nullptr) {
        return Fail(ACL_ERROR_RT_CONTEXT_NULL, "no device was set on this thread (aclrtSetDevice)");
    }
    *device = current->device;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtResetDevice(int32_t device) {
    if (const aclError wrong = sim::CheckDevice("aclrtResetDevice", device); wrong != ACL_SUCCESS) {
        return wrong;
    }
    AllContexts().active[device] = false;
    sim::ForgetFault(static_cast<uint32_t>(device));
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtResetDeviceForce(int32_t device) { return aclrtResetDevice(device); }

SIM_EXPORT aclError aclrtCreateContext(aclrtContext* context, int32_t device) {
    if (const aclError wrong = sim::CheckDevice("aclrtCreateContext", device); wrong != ACL_SUCCESS) {
        return wrong;
    }
    auto* made = new sim::Context{device};
    {
        std::lock_guard<std::mutex> lock(AllContexts().mutex);
        AllContexts().live.insert(made);
    }
    current = made;  // as CANN's: a new context becomes the thread's
    *context = made;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtDestroyContext(aclrtContext context) {
    std::lock_guard<std::mutex> lock(AllContexts().mutex);
    const auto* gone = static_cast<const sim::Context*>(context);
    if (AllContexts().live.erase(gone) == 0) {
        return sim::FailHandle("aclrtDestroyContext", "context", context);
    }
    current = current == gone ? nullptr : current;
    delete gone;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetCurrentContext(aclrtContext* context) {
    if (current == nullptr) {
        return Fail(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no context (aclrtSetDevice)");
    }
    *context = const_cast<sim::Context*>(current);
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtSetCurrentContext(aclrtContext context) {
    if (!sim::IsLive(context)) {
        return sim::FailHandle("aclrtSetCurrentContext", "context", context);
    }
    current = static_cast<const sim::Context*>(context);
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetPrimaryCtxState(int32_t device, uint32_t* flags, int32_t* active) {
    if (const aclError wrong = sim::CheckDevice("aclrtGetPrimaryCtxState", device); wrong != ACL_SUCCESS) {
        return wrong;
    }
    if (flags != nullptr) {
        *flags = 0;
    }
    *active = AllContexts().active[device] ? 1 : 0;
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtDeviceCanAccessPeer(int32_t* canAccess, int32_t device, int32_t peer) {
    *canAccess = device == peer ? 0 : 1;
    return sim::CheckDevice("aclrtDeviceCanAccessPeer", peer);
}

SIM_EXPORT aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t) {
    return sim::CheckDevice("aclrtDeviceEnablePeerAccess", peer);
}

SIM_EXPORT aclError aclrtDeviceGetBareTgid(int32_t* pid) {
    *pid = getpid();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevice, int32_t* logicDevice) {
    *logicDevice = userDevice;
    return ACL_SUCCESS;
}
