#include "capture.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "current_device.h"
#include "error_message.h"
#include "exports.h"
#include "graphs.h"

namespace sim {
namespace {

constexpr int kNoCapture = ACL_MODEL_RI_CAPTURE_MODE_RELAXED + 1;
constexpr const char* kModeNames[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED"};

struct CapturedStream {
    std::shared_ptr<Graph> graph;
    bool origin = false;  // aclmdlRICaptureBegin was called for it; else an event has brought it in
    int mode = kNoCapture;
    std::thread::id thread;
    int32_t device = -1;
    uint64_t tasks = 0;   // how many it has recorded
    bool joined = false;  // another stream has waited for its last task
};

struct CapturedEvent {
    std::shared_ptr<Graph> graph;
    aclrtStream stream = nullptr;
    uint64_t tasks = 0;  // of the stream when it was recorded
};

struct State {
    std::mutex mutex;
    std::atomic<int> count{0};  // of captured streams: 0 in programs without graphs
    std::map<aclrtStream, CapturedStream> streams;
    std::map<aclrtEvent, CapturedEvent> events;
    std::map<const void*, std::shared_ptr<Graph>> graphs;
    uint32_t nextId = 1;
};

State& All() {
    static auto* instance = new State;
    return *instance;
}

thread_local int exchangedMode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

bool Nothing() { return All().count.load(std::memory_order_relaxed) == 0; }

// Below, names that end in Locked are for holders of the mutex.

CapturedStream* FindLocked(aclrtStream stream) {
    const auto found = All().streams.find(stream);
    return found == All().streams.end() ? nullptr : &found->second;
}

void InvalidateLocked(Graph& graph, const std::string& reason) {
    if (graph.state == Graph::State::kCapturing) {
        graph.state = Graph::State::kInvalid;
        graph.reason = reason;
    }
}

aclError RefuseLocked(Graph& graph, aclError code, const std::string& message) {
    InvalidateLocked(graph, message);
    return FailWith(code, message.c_str());
}

aclError RecordLocked(CapturedStream& stream, const std::string& name, std::function<aclError()> run) {
    Graph& graph = *stream.graph;
    if (graph.state != Graph::State::kCapturing) {
        return Fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "%s: the capture of this stream is not valid any more: %s",
                    name.c_str(), graph.reason.c_str());
    }
    ++stream.tasks;
    stream.joined = false;
    graph.tasks.push_back({name, std::move(run)});
    return ACL_SUCCESS;
}

void JoinLocked(aclrtStream stream, const CapturedStream& captured) {
    All().streams[stream] = captured;
    All().count.store(static_cast<int>(All().streams.size()));
}

// Streams and events that belonged to a capture are ordinary ones again.
void LeaveLocked(const std::shared_ptr<Graph>& graph) {
    for (auto stream = All().streams.begin(); stream != All().streams.end();) {
        stream = stream->second.graph == graph ? All().streams.erase(stream) : std::next(stream);
    }
    for (auto event = All().events.begin(); event != All().events.end();) {
        event = event->second.graph == graph ? All().events.erase(event) : std::next(event);
    }
    All().count.store(static_cast<int>(All().streams.size()));
}

// Whether each stream that events have brought in has come back to the first one.
bool JoinedLocked(const std::shared_ptr<Graph>& graph) {
    bool alone = true;
    for (const auto& [handle, stream] : All().streams) {
        if (stream.graph == graph && !stream.origin) {
            alone = false;
            if (!stream.joined) {
                return false;
            }
        }
    }
    return alone || graph->backAtOrigin;
}

// The strictest modes of the captures of a device: all of them, and those that this thread has begun.
void ModesLocked(int32_t device, int* any, int* mine, std::vector<CapturedStream*>* here) {
    *any = *mine = kNoCapture;
    for (auto& [handle, stream] : All().streams) {
        if (!stream.origin || stream.device != device) {
            continue;
        }
        *any = std::min(*any, stream.mode);
        if (stream.thread == std::this_thread::get_id()) {
            *mine = std::min(*mine, stream.mode);
            here->push_back(&stream);
        }
    }
}

}  // namespace

bool CapturesAnything() { return !Nothing(); }

bool Captures(aclrtStream stream) {
    if (Nothing()) {
        return false;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    return FindLocked(stream) != nullptr;
}

aclError Record(aclrtStream stream, const std::string& name, std::function<aclError()> run) {
    std::lock_guard<std::mutex> lock(All().mutex);
    CapturedStream* captured = FindLocked(stream);
    if (captured == nullptr) {
        return Fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "%s: the stream %p is not captured", name.c_str(), stream);
    }
    return RecordLocked(*captured, name, std::move(run));
}

aclError RefuseCapture(aclrtStream stream, aclError code, const std::string& message) {
    std::lock_guard<std::mutex> lock(All().mutex);
    CapturedStream* captured = FindLocked(stream);
    return captured == nullptr ? FailWith(code, message.c_str()) : RefuseLocked(*captured->graph, code, message);
}

aclError CheckNotCaptured(const char* function, aclrtStream stream) {
    if (Nothing()) {
        return ACL_SUCCESS;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    CapturedStream* captured = FindLocked(stream);
    if (captured == nullptr) {
        return ACL_SUCCESS;
    }
    return RefuseLocked(*captured->graph, ACL_ERROR_RT_STREAM_CAPTURED,
                        std::string(function) +
                            ": stream is captured. Its work is recorded and has not run, so there is nothing to wait "
                            "for or to read: do this before the capture or after a replay");
}

aclError CheckNothingCaptured(const char* function) {
    if (Nothing()) {
        return ACL_SUCCESS;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    for (auto& [handle, stream] : All().streams) {
        if (stream.device == CurrentDevice()) {
            return RefuseLocked(*stream.graph, ACL_ERROR_RT_STREAM_CAPTURED,
                                std::string(function) +
                                    ": stream is captured. A device cannot be waited for while one of its streams is "
                                    "captured: do this before the capture or after a replay");
        }
    }
    return ACL_SUCCESS;
}

aclError CheckEventNotCaptured(const char* function, aclrtEvent event) {
    if (Nothing()) {
        return ACL_SUCCESS;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    const auto found = All().events.find(event);
    if (found == All().events.end()) {
        return ACL_SUCCESS;
    }
    return RefuseLocked(*found->second.graph, ACL_ERROR_RT_EVENT_CAPTURED,
                        std::string(function) +
                            ": event is captured. A captured stream has recorded it, so it has no time and no end yet");
}

aclError CheckCopyAtOnce(const char* function, aclError code) {
    if (Nothing()) {
        return ACL_SUCCESS;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    int any = kNoCapture;
    int mine = kNoCapture;
    std::vector<CapturedStream*> here;
    ModesLocked(CurrentDevice(), &any, &mine, &here);
    const bool forbidden =
        (exchangedMode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
         (any == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || mine == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL)) ||
        (exchangedMode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && mine <= ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
    if (!forbidden) {
        return ACL_SUCCESS;
    }
    const std::string message =
        std::string(function) +
        ": operation not permitted when a stream is capturing and the specified capture mode is not relaxed (" +
        (here.empty() ? "another thread captures, mode " : "this thread captures, mode ") +
        kModeNames[here.empty() ? any : mine] +
        "). It copies or reads at once, and what the stream has recorded has not run: do this before the capture or "
        "after a replay, or copy on the captured stream (non_blocking=True, host memory pinned)";
    for (CapturedStream* stream : here) {
        InvalidateLocked(*stream->graph, message);
    }
    return FailWith(code, message.c_str());
}

bool WaitsInCapture(aclrtStream stream, aclrtEvent event) {
    if (Nothing()) {
        return false;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    return FindLocked(stream) != nullptr || All().events.count(event) != 0;
}

aclError CaptureRecordEvent(aclrtEvent event, aclrtStream stream) {
    std::lock_guard<std::mutex> lock(All().mutex);
    CapturedStream* captured = FindLocked(stream);
    const aclError failed = RecordLocked(*captured, "aclrtRecordEvent", nullptr);
    if (failed == ACL_SUCCESS) {
        All().events[event] = {captured->graph, stream, captured->tasks};
    }
    return failed;
}

aclError CaptureWaitEvent(aclrtStream stream, aclrtEvent event, bool recorded) {
    constexpr const char* kWait = "aclrtStreamWaitEvent";
    std::lock_guard<std::mutex> lock(All().mutex);
    CapturedStream* captured = FindLocked(stream);
    const auto found = All().events.find(event);
    if (found == All().events.end()) {
        return !recorded ? RecordLocked(*captured, kWait, nullptr)
                         : RefuseLocked(*captured->graph, ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                                        std::string(kWait) +
                                            ": in the model capture scenario, the event wait task has no corresponding "
                                            "event record task. The event was recorded before the capture: wait for it "
                                            "before the capture, too");
    }
    const CapturedEvent& origin = found->second;
    if (stream == nullptr) {
        return RefuseLocked(*origin.graph, ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                            std::string(kWait) + ": the default stream cannot take part in a capture");
    }
    if (captured == nullptr) {
        CapturedStream joining = All().streams[origin.stream];
        joining.origin = joining.joined = false;
        joining.tasks = 0;
        JoinLocked(stream, joining);
        captured = FindLocked(stream);
    }
    if (captured->graph != origin.graph) {
        InvalidateLocked(*captured->graph, "one of its streams waited for an event of another capture");
        return RefuseLocked(*origin.graph, ACL_ERROR_STREAM_CAPTURE_CONFLICT,
                            std::string(kWait) + ": the event belongs to another capture than the stream");
    }
    const aclError failed = RecordLocked(*captured, kWait, nullptr);
    CapturedStream* other = FindLocked(origin.stream);
    if (failed == ACL_SUCCESS && other != nullptr && origin.stream != stream) {
        other->joined = other->joined || other->tasks == origin.tasks;
        captured->graph->backAtOrigin = captured->graph->backAtOrigin || captured->origin;
    }
    return failed;
}

void ForgetCapturedEvent(aclrtEvent event) {
    if (!Nothing()) {
        std::lock_guard<std::mutex> lock(All().mutex);
        All().events.erase(event);
    }
}

int64_t LiveGraphs() {
    std::lock_guard<std::mutex> lock(All().mutex);
    return static_cast<int64_t>(All().graphs.size());
}

aclError BeginCapture(aclrtStream stream, int mode) {
    std::lock_guard<std::mutex> lock(All().mutex);
    if (CapturedStream* captured = FindLocked(stream); captured != nullptr) {
        return RefuseLocked(*captured->graph, ACL_ERROR_RT_STREAM_CAPTURED,
                            "aclmdlRICaptureBegin: stream is captured already");
    }
    auto graph = std::make_shared<Graph>();
    graph->id = All().nextId++;
    All().graphs[graph.get()] = graph;
    CapturedStream origin;
    origin.graph = graph;
    origin.origin = true;
    origin.mode = mode;
    origin.thread = std::this_thread::get_id();
    origin.device = CurrentDevice();
    JoinLocked(stream, origin);
    return ACL_SUCCESS;
}

aclError EndCapture(aclrtStream stream, const Graph** result) {
    constexpr const char* kEnd = "aclmdlRICaptureEnd";
    *result = nullptr;
    std::shared_ptr<Graph> dropped;  // forgets its tasks after the lock is free
    std::lock_guard<std::mutex> lock(All().mutex);
    const CapturedStream* captured = FindLocked(stream);
    if (captured == nullptr) {
        return Fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "%s: stream is not in capture status", kEnd);
    }
    if (!captured->origin) {
        return Fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "%s: the capture was not initiated in this stream", kEnd);
    }
    const std::shared_ptr<Graph> graph = captured->graph;
    aclError code = ACL_SUCCESS;
    if (captured->thread != std::this_thread::get_id() && captured->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
        code =
            Fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                 "%s: end capture in the wrong thread. Only captures of the mode RELAXED may end in another one", kEnd);
    } else if (graph->state == Graph::State::kInvalid) {
        code = FailWith(
            ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
            (std::string(kEnd) + ": an error has invalidated the stream capture sequence: " + graph->reason).c_str());
    } else if (!JoinedLocked(graph)) {
        code = Fail(ACL_ERROR_RT_STREAM_UNJOINED,
                    "%s: capture model contains a stream that was not joined to the original stream. Record an event "
                    "behind the last work of each stream and let the first stream wait for it",
                    kEnd);
    }
    LeaveLocked(graph);
    if (code != ACL_SUCCESS) {
        dropped = graph;
        All().graphs.erase(graph.get());
        return code;
    }
    graph->state = Graph::State::kReady;
    *result = graph.get();
    return ACL_SUCCESS;
}

aclmdlRICaptureStatus CaptureStatus(aclrtStream stream, const Graph** graph) {
    *graph = nullptr;
    if (Nothing()) {
        return ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    }
    std::lock_guard<std::mutex> lock(All().mutex);
    const CapturedStream* captured = FindLocked(stream);
    if (captured == nullptr) {
        return ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    }
    *graph = captured->graph.get();
    return captured->graph->state == Graph::State::kCapturing ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
                                                              : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
}

int ExchangeMode(int mode) {
    const int before = exchangedMode;
    exchangedMode = mode;
    return before;
}

std::shared_ptr<Graph> FindGraph(const void* handle) {
    std::lock_guard<std::mutex> lock(All().mutex);
    const auto found = All().graphs.find(handle);
    return found == All().graphs.end() ? nullptr : found->second;
}

void DropGraph(const std::shared_ptr<Graph>& graph) {
    std::lock_guard<std::mutex> lock(All().mutex);
    All().graphs.erase(graph.get());
}

}  // namespace sim
