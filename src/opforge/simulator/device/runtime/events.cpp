// Events: the host's clock at the time they were recorded. Times between events are host times, not estimates of a
// device's.
#include <atomic>
#include <chrono>

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

sim::Handles<Event>& events() {
    static auto* instance = new sim::Handles<Event>;
    return *instance;
}

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

aclError check_event(const char* function, aclrtEvent event) {
    return events().find(event) != nullptr ? ACL_SUCCESS : sim::fail_handle(function, "event", event);
}

// The event's time in nanoseconds, or a failure when it was never recorded.
aclError time_of(const char* function, aclrtEvent event, int64_t* nanoseconds) {
    const Event* found = events().find(event);
    if (found == nullptr) {
        return sim::fail_handle(function, "event", event);
    }
    *nanoseconds = found->nanoseconds;
    return *nanoseconds >= 0
               ? ACL_SUCCESS
               : sim::fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s: the event %p was not recorded", function, event);
}

}  // namespace

int64_t sim::live_events() { return events().count(); }

SIM_EXPORT aclError aclrtCreateEvent(aclrtEvent* event) {
    *event = events().make();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }
SIM_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }

SIM_EXPORT aclError aclrtDestroyEvent(aclrtEvent event) {
    return events().destroy(event) ? ACL_SUCCESS : sim::fail_handle("aclrtDestroyEvent", "event", event);
}

SIM_EXPORT aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    if (const aclError wrong = sim::check_stream("aclrtRecordEvent", stream); wrong != ACL_SUCCESS) {
        return wrong;
    }
    Event* found = events().find(event);
    if (found == nullptr) {
        return sim::fail_handle("aclrtRecordEvent", "event", event);
    }
    found->nanoseconds = now();
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclrtResetEvent(aclrtEvent event, aclrtStream) { return check_event("aclrtResetEvent", event); }
SIM_EXPORT aclError aclrtSynchronizeEvent(aclrtEvent event) {
    const aclError wrong = check_event("aclrtSynchronizeEvent", event);
    return wrong != ACL_SUCCESS ? wrong : sim::pending_fault();
}

SIM_EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    const aclError wrong = sim::check_stream("aclrtStreamWaitEvent", stream);
    return wrong != ACL_SUCCESS ? wrong : check_event("aclrtStreamWaitEvent", event);
}

// An event nobody recorded counts as complete, as nothing is there to wait for.
SIM_EXPORT aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return check_event("aclrtQueryEventStatus", event);
}

SIM_EXPORT aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
    *status = ACL_EVENT_WAIT_STATUS_COMPLETE;
    return check_event("aclrtQueryEventWaitStatus", event);
}

SIM_EXPORT aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent start, aclrtEvent end) {
    int64_t from = 0;
    int64_t to = 0;
    aclError wrong = time_of("aclrtEventElapsedTime", start, &from);
    wrong = wrong != ACL_SUCCESS ? wrong : time_of("aclrtEventElapsedTime", end, &to);
    *milliseconds = static_cast<float>(to - from) / 1e6F;
    return wrong;
}

SIM_EXPORT aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* microseconds) {
    int64_t at = 0;
    const aclError wrong = time_of("aclrtEventGetTimestamp", event, &at);
    *microseconds = static_cast<uint64_t>(at / 1000);
    return wrong;
}
