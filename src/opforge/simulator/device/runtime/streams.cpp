#include "streams.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "device_error.h"
#include "error_message.h"
#include "exports.h"
#include "handles.h"

namespace sim {
namespace {

std::atomic<int32_t> next_id{1};  // 0 is the default stream

struct Stream {
    int32_t id = next_id++;
    uint32_t overflow_switch = 0;
};

Handles<Stream>& streams() {
    static auto* instance = new Handles<Stream>;
    return *instance;
}

}  // namespace

aclError check_stream(const char* function, aclrtStream stream) {
    if (stream != nullptr && streams().find(stream) == nullptr) {
        return fail_handle(function, "stream", stream);
    }
    return ACL_SUCCESS;
}

int64_t live_streams() { return streams().count(); }

}  // namespace sim

using sim::check_stream;
using sim::streams;

SIM_EXPORT aclError aclrtCreateStream(aclrtStream* stream) {
    *stream = streams().make();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return aclrtCreateStream(stream);
}

SIM_EXPORT aclError aclrtDestroyStream(aclrtStream stream) {
    return streams().destroy(stream) ? ACL_SUCCESS : sim::fail_handle("aclrtDestroyStream", "stream", stream);
}

SIM_EXPORT aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

SIM_EXPORT aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t) {
    return check_stream("aclrtSetStreamFailureMode", stream);
}

SIM_EXPORT aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
    sim::Stream* found = streams().find(stream);
    if (found != nullptr) {
        found->overflow_switch = flag;
    }
    return check_stream("aclrtSetStreamOverflowSwitch", stream);
}

SIM_EXPORT aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
    const sim::Stream* found = streams().find(stream);
    *flag = found == nullptr ? 0 : found->overflow_switch;
    return check_stream("aclrtGetStreamOverflowSwitch", stream);
}

SIM_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream) {
    const aclError wrong = check_stream("aclrtSynchronizeStream", stream);
    return wrong != ACL_SUCCESS ? wrong : sim::pending_fault();
}

SIM_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
    return aclrtSynchronizeStream(stream);
}

SIM_EXPORT aclError aclrtSynchronizeDevice(void) { return sim::pending_fault(); }

SIM_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return sim::pending_fault(); }

SIM_EXPORT aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    *status = ACL_STREAM_STATUS_COMPLETE;
    return check_stream("aclrtStreamQuery", stream);
}

SIM_EXPORT aclError aclrtStreamGetId(aclrtStream stream, int32_t* id) {
    const sim::Stream* found = streams().find(stream);
    *id = found == nullptr ? 0 : found->id;
    return check_stream("aclrtStreamGetId", stream);
}

SIM_EXPORT aclError aclrtLaunchCallback(aclrtCallback function, void* userData, aclrtCallbackBlockType,
                                        aclrtStream stream) {
    if (const aclError wrong = check_stream("aclrtLaunchCallback", stream); wrong != ACL_SUCCESS) {
        return wrong;
    }
    function(userData);
    return ACL_SUCCESS;
}

// Callbacks have run already, so there is never a report to process: wait as the caller asked, but stay wakeable.
SIM_EXPORT aclError aclrtProcessReport(int32_t timeoutMs) {
    std::this_thread::sleep_for(std::chrono::milliseconds(timeoutMs < 0 || timeoutMs > 10 ? 10 : timeoutMs));
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtSubscribeReport(uint64_t, aclrtStream stream) {
    return check_stream("aclrtSubscribeReport", stream);
}

SIM_EXPORT aclError aclrtUnSubscribeReport(uint64_t, aclrtStream stream) {
    return check_stream("aclrtUnSubscribeReport", stream);
}
