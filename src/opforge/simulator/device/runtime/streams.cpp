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

std::atomic<int32_t> nextId{1};  // 0 is the default stream

struct Stream {
    int32_t id = nextId++;
    uint32_t overflowSwitch = 0;
};

Handles<Stream>& Streams() {
    static auto* instance = new Handles<Stream>;
    return *instance;
}

}  // namespace

aclError CheckStream(const char* function, aclrtStream stream) {
    if (stream != nullptr && Streams().Find(stream) == nullptr) {
        return FailHandle(function, "stream", stream);
    }
    return ACL_SUCCESS;
}

int64_t LiveStreams() { return Streams().Count(); }

}  // namespace sim

using sim::CheckStream;
using sim::Streams;

SIM_EXPORT aclError aclrtCreateStream(aclrtStream* stream) {
    *stream = Streams().Make();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return aclrtCreateStream(stream);
}

SIM_EXPORT aclError aclrtDestroyStream(aclrtStream stream) {
    return Streams().Destroy(stream) ? ACL_SUCCESS : sim::FailHandle("aclrtDestroyStream", "stream", stream);
}

SIM_EXPORT aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

SIM_EXPORT aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t) {
    return CheckStream("aclrtSetStreamFailureMode", stream);
}

SIM_EXPORT aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
    sim::Stream* found = Streams().Find(stream);
    if (found != nullptr) {
        found->overflowSwitch = flag;
    }
    return CheckStream("aclrtSetStreamOverflowSwitch", stream);
}

SIM_EXPORT aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
    const sim::Stream* found = Streams().Find(stream);
    *flag = found == nullptr ? 0 : found->overflowSwitch;
    return CheckStream("aclrtGetStreamOverflowSwitch", stream);
}

SIM_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream) {
    const aclError wrong = CheckStream("aclrtSynchronizeStream", stream);
    return wrong != ACL_SUCCESS ? wrong : sim::PendingFault();
}

SIM_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
    return aclrtSynchronizeStream(stream);
}

SIM_EXPORT aclError aclrtSynchronizeDevice(void) { return sim::PendingFault(); }

SIM_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return sim::PendingFault(); }

SIM_EXPORT aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    *status = ACL_STREAM_STATUS_COMPLETE;
    return CheckStream("aclrtStreamQuery", stream);
}

SIM_EXPORT aclError aclrtStreamGetId(aclrtStream stream, int32_t* id) {
    const sim::Stream* found = Streams().Find(stream);
    *id = found == nullptr ? 0 : found->id;
    return CheckStream("aclrtStreamGetId", stream);
}

SIM_EXPORT aclError aclrtLaunchCallback(aclrtCallback function, void* userData, aclrtCallbackBlockType,
                                        aclrtStream stream) {
    if (const aclError wrong = CheckStream("aclrtLaunchCallback", stream); wrong != ACL_SUCCESS) {
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
    return CheckStream("aclrtSubscribeReport", stream);
}

SIM_EXPORT aclError aclrtUnSubscribeReport(uint64_t, aclrtStream stream) {
    return CheckStream("aclrtUnSubscribeReport", stream);
}
