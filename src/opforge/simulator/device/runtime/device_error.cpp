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

Faults& faults() {
    static auto* instance = new Faults;
    return *instance;
}

}  // namespace

void note_fault(uint32_t device, aclError code, const char* op_type) {
    if (settings().queued && code != ACL_SUCCESS) {
        keep_fault(device, code, op_type);
    }
}

void keep_fault(uint32_t device, aclError code, const char* op_type) {
    const std::string text = aclGetRecentErrMsg();
    fail_with(code, text.c_str());  // the launch itself still fails with it
    std::lock_guard<std::mutex> lock(faults().mutex);
    if (faults().code[device] == ACL_SUCCESS) {
        faults().text[device] = "simulated device " + std::to_string(device) + " is in an error state since " +
                                op_type + "; start the process anew\n" + text;
        faults().code[device] = code;
    }
}

aclError pending_fault() {
    const int32_t device = current_device();
    const aclError code = device < 0 ? ACL_SUCCESS : faults().code[device].load();
    if (code != ACL_SUCCESS) {
        std::lock_guard<std::mutex> lock(faults().mutex);
        fail_with(code, faults().text[device].c_str());
    }
    return code;
}

void forget_fault(uint32_t device) {
    std::lock_guard<std::mutex> lock(faults().mutex);
    faults().code[device] = ACL_SUCCESS;
    faults().text[device].clear();
}

}  // namespace sim
