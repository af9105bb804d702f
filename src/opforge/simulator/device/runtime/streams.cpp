#include "streams.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "capture.h"
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
    uint32_t tag = 0;
    uint32_t cachesOpInfo = 0;
    uint32_t priority = 0;
    uint64_t failureMode = 0;
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

namespace {

// Where an attribute of 32 bits is kept; nullptr for others, and for streams that are not alive.
uint32_t* AttributeOf(aclrtStream stream, aclrtStreamAttr attribute) {
    sim::Stream* found = Streams().Find(stream);
    switch (found == nullptr ? ACL_STREAM_ATTR_FAILURE_MODE : attribute) {
        case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            return &found->overflowSwitch;
        case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
            return &found->tag;
        case ACL_STREAM_ATTR_CACHE_OP_INFO:
            return &found->cachesOpInfo;
        case ACL_STREAM_ATTR_PRIORITY:
            return &found->priority;
        default:
            return nullptr;
    }
}

aclError FailAttribute(const char* function, aclrtStreamAttr attribute) {
    return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: unknown attribute %d", function, static_cast<int>(attribute));
}

}  // namespace

SIM_EXPORT aclError aclrtCreateStream(aclrtStream* stream) {
    *stream = Streams().Make();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return aclrtCreateStream(stream);
}

SIM_EXPORT aclError aclrtDestroyStream(aclrtStream stream) {
    if (const aclError wrong = sim::CheckNotCaptured("aclrtDestroyStream", stream); wrong != ACL_SUCCESS) {
        return wrong;
    }
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

SIM_EXPORT aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr attribute,
                                            aclrtStreamAttrValue* value) {
    uint32_t* place = AttributeOf(stream, attribute);
    sim::Stream* found = Streams().Find(stream);
    if (found != nullptr && attribute == ACL_STREAM_ATTR_FAILURE_MODE) {
        found->failureMode = value->failureMode;
    } else if (place != nullptr) {
        *place = value->overflowSwitch;  // all others are 32 bits at the same place
    } else if (found != nullptr) {
        return FailAttribute("aclrtSetStreamAttribute", attribute);
    }
    return CheckStream("aclrtSetStreamAttribute", stream);
}

SIM_EXPORT aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr attribute,
                                            aclrtStreamAttrValue* value) {
    const uint32_t* place = AttributeOf(stream, attribute);
    const sim::Stream* found = Streams().Find(stream);
    *value = {};
    if (found != nullptr && attribute == ACL_STREAM_ATTR_FAILURE_MODE) {
        value->failureMode = found->failureMode;
    } else if (place != nullptr) {
        value->overflowSwitch = *place;
    } else if (found != nullptr) {
        return FailAttribute("aclrtGetStreamAttribute", attribute);
    }
    return CheckStream("aclrtGetStreamAttribute", stream);
}

SIM_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream) {
    aclError wrong = CheckStream("aclrtSynchronizeStream", stream);
    wrong = wrong != ACL_SUCCESS ? wrong : sim::CheckNotCaptured("aclrtSynchronizeStream", stream);
    return wrong != ACL_SUCCESS ? wrong : sim::PendingFault();
}

SIM_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
    return aclrtSynchronizeStream(stream);
}

SIM_EXPORT aclError aclrtSynchronizeDevice(void) {
    const aclError wrong = sim::CheckNothingCaptured("aclrtSynchronizeDevice");
    return wrong != ACL_SUCCESS ? wrong : sim::PendingFault();
}

SIM_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return aclrtSynchronizeDevice(); }

SIM_EXPORT aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    *status = ACL_STREAM_STATUS_COMPLETE;
    const aclError wrong = CheckStream("aclrtStreamQuery", stream);
    return wrong != ACL_SUCCESS ? wrong : sim::CheckNotCaptured("aclrtStreamQuery", stream);
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
    const auto call = [function, userData] {
        function(userData);
        return ACL_SUCCESS;
    };
    return sim::Captures(stream) ? sim::Record(stream, "aclrtLaunchCallback", call) : call();
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
