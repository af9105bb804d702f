// Events: the host's clock at the time they were recorded. Times between events are host times, not estimates of a
// device's.
#include <atomic>
#include <chrono>

#include "capture.h"
#include "device_error.h"
#include "error_message.h"
#include "events.h"
#include "exports.h"
#include "handles.h"
#include "streams.h"

namespace {

struct Event {
    std::atomic<int64_t> nanoseconds{-1};  // -1: not recorded
};

sim::Handles<Event>& Events() {
    static auto* instance = new sim::Handles<Event>;
    return *instance;
}

int64_t Now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

aclError CheckEvent(const char* function, aclrtEvent event) {
    return Events().Find(event) != nullptr ? ACL_SUCCESS : sim::FailHandle(function, "event", event);
}

// The same for functions that ask whether the event has happened.
aclError CheckHappened(const char* function, aclrtEvent event) {
    const aclError wrong = CheckEvent(function, event);
    return wrong != ACL_SUCCESS ? wrong : sim::CheckEventNotCaptured(function, event);
}

// The event's time in nanoseconds, or a failure when it was never recorded.
aclError TimeOf(const char* function, aclrtEvent event, int64_t* nanoseconds) {
    const Event* found = Events().Find(event);
    if (found == nullptr) {
        return sim::FailHandle(function, "event", event);
    }
    if (const aclError wrong = sim::CheckEventNotCaptured(function, event); wrong != ACL_SUCCESS) {
        return wrong;
    }
    *nanoseconds = found->nanoseconds;
    return *nanoseconds >= 0
               ? ACL_SUCCESS
               : sim::Fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s: the event %p was not recorded", function, event);
}

}  // namespace

int64_t sim::LiveEvents() { return Events().Count(); }

SIM_EXPORT aclError aclrtCreateEvent(aclrtEvent* event) {
    *event = Events().Make();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }
SIM_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }

SIM_EXPORT aclError aclrtDestroyEvent(aclrtEvent event) {
    sim::ForgetCapturedEvent(event);
    return Events().Destroy(event) ? ACL_SUCCESS : sim::FailHandle("aclrtDestroyEvent", "event", event);
}

SIM_EXPORT aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    if (const aclError wrong = sim::CheckStream("aclrtRecordEvent", stream); wrong != ACL_SUCCESS) {
        return wrong;
    }
    Event* found = Events().Find(event);
    if (found == nullptr) {
        return sim::FailHandle("aclrtRecordEvent", "event", event);
    }
    if (sim::Captures(stream)) {
        return sim::CaptureRecordEvent(event, stream);
    }
    sim::ForgetCapturedEvent(event);
    found->nanoseconds = Now();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtResetEvent(aclrtEvent event, aclrtStream) { return CheckEvent("aclrtResetEvent", event); }
SIM_EXPORT aclError aclrtSynchronizeEvent(aclrtEvent event) {
    const aclError wrong = CheckHappened("aclrtSynchronizeEvent", event);
    return wrong != ACL_SUCCESS ? wrong : sim::PendingFault();
}

SIM_EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    aclError wrong = sim::CheckStream("aclrtStreamWaitEvent", stream);
    wrong = wrong != ACL_SUCCESS ? wrong : CheckEvent("aclrtStreamWaitEvent", event);
    if (wrong == ACL_SUCCESS && sim::WaitsInCapture(stream, event)) {
        const Event* found = Events().Find(event);
        return sim::CaptureWaitEvent(stream, event, found != nullptr && found->nanoseconds >= 0);
    }
    return wrong;
}

// An event nobody recorded counts as complete, as nothing is there to wait for.
SIM_EXPORT aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return CheckHappened("aclrtQueryEventStatus", event);
}

SIM_EXPORT aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
    *status = ACL_EVENT_WAIT_STATUS_COMPLETE;
    return CheckHappened("aclrtQueryEventWaitStatus", event);
}

SIM_EXPORT aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent start, aclrtEvent end) {
    int64_t from = 0;
    int64_t to = 0;
    aclError wrong = TimeOf("aclrtEventElapsedTime", start, &from);
    wrong = wrong != ACL_SUCCESS ? wrong : TimeOf("aclrtEventElapsedTime", end, &to);
    *milliseconds = static_cast<float>(to - from) / 1e6F;
    return wrong;
}

SIM_EXPORT aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* microseconds) {
    int64_t at = 0;
    const aclError wrong = TimeOf("aclrtEventGetTimestamp", event, &at);
    *microseconds = static_cast<uint64_t>(at / 1000);
    return wrong;
}
