#include "device_error.h"

#include <atomic>
#include <mutex>
#include <string>

#include "current_device.h"
#include "error_message.h"
#include "exports.h"
#include "settings.h"

namespace sim {
namespace {

struct Faults {
    std::mutex mutex;
    std::atomic<aclError> code[kMaxDevices] = {};
    std::string text[kMaxDevices];
};

Faults& AllFaults() {
    static auto* instance = new Faults;
    return *instance;
}

}  // namespace

void NoteFault(uint32_t device, aclError code, const char* opType) {
    if (CurrentSettings().queued && code != ACL_SUCCESS) {
        KeepFault(device, code, opType);
    }
}

void KeepFault(uint32_t device, aclError code, const char* opType) {
    const std::string text = aclGetRecentErrMsg();
    FailWith(code, text.c_str());  // the launch itself still fails with it
    std::lock_guard<std::mutex> lock(AllFaults().mutex);
    if (AllFaults().code[device] == ACL_SUCCESS) {
        AllFaults().text[device] = "simulated device " + std::to_string(device) + " is in an error state since " +
                                   opType + "; start the process anew\n" + text;
        AllFaults().code[device] = code;
    }
}

aclError PendingFault() {
    const int32_t device = CurrentDevice();
    const aclError code = device < 0 ? ACL_SUCCESS : AllFaults().code[device].load();
    if (code != ACL_SUCCESS) {
        std::lock_guard<std::mutex> lock(AllFaults().mutex);
        FailWith(code, AllFaults().text[device].c_str());
    }
    return code;
}

void ForgetFault(uint32_t device) {
    std::lock_guard<std::mutex> lock(AllFaults().mutex);
    AllFaults().code[device] = ACL_SUCCESS;
    AllFaults().text[device].clear();
}

}  // namespace sim
