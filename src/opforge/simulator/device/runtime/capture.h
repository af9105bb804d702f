// Graph capture: which streams record their work, the graphs that get it, and what may not be called meanwhile.
//
// Sources: "aclmdlRICaptureBegin" and "aclmdlRICaptureThreadExchangeMode" of the acl API reference, page "单流捕获";
// the codes are those of CANN's public runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_rt.h"

namespace sim {

struct Task {
    std::string name;
    std::function<aclError()> run;
};

struct Graph {
    enum class State { kCapturing, kReady, kInvalid };
    uint32_t id = 0;
    State state = State::kCapturing;
    std::string reason;         // why it is invalid
    bool backAtOrigin = false;  // the first stream has waited for another one
    std::vector<Task> tasks;
};

// Whether any stream is captured.
bool CapturesAnything();
// Whether work on the stream is recorded.
bool Captures(aclrtStream stream);

// Adds work to the graph that captures the stream.
aclError Record(aclrtStream stream, const std::string& name, std::function<aclError()> run);

// Refuses work on a captured stream: the capture is invalid from now on. Leaves the message, returns the code.
aclError RefuseCapture(aclrtStream stream, aclError code, const std::string& message);

// What waits for a stream or asks for its state is refused while the stream is captured.
aclError CheckNotCaptured(const char* function, aclrtStream stream);
// The same for all streams of this thread's device.
aclError CheckNothingCaptured(const char* function);
// The same for an event that a captured stream has recorded.
aclError CheckEventNotCaptured(const char* function, aclrtEvent event);
// What copies or sets memory at once is refused where the mode of a capture forbids it.
aclError CheckCopyAtOnce(const char* function, aclError code = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);

// Events order the streams of a capture. A stream that waits for a captured stream's event takes part from then on.
aclError CaptureRecordEvent(aclrtEvent event, aclrtStream stream);
// Whether the stream or the event belongs to a capture, so that CaptureWaitEvent must be called.
bool WaitsInCapture(aclrtStream stream, aclrtEvent event);
// `recorded`: a stream has recorded the event outside of a capture.
aclError CaptureWaitEvent(aclrtStream stream, aclrtEvent event, bool recorded);
// The event was recorded again outside of a capture, or destroyed.
void ForgetCapturedEvent(aclrtEvent event);

// Graphs that are alive: captured or under capture.
int64_t LiveGraphs();

}  // namespace sim
