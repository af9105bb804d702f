// aclmdlRICaptureBegin to aclmdlRIGetId: graphs of the work that streams have recorded. And what other parts of the
// simulator call (sim_capture.h).
#include "graphs.h"

#include <cstring>
#include <string>

#include "error_message.h"
#include "exports.h"
#include "streams.h"

namespace {

bool IsMode(int mode) { return mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED; }

aclError FailMode(const char* function, int mode) {
    return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no capture mode %d", function, mode);
}

// Runs the graph's tasks in the order in which they were recorded, as far as the first failure.
aclError Replay(const sim::Graph& graph) {
    for (size_t i = 0; i < graph.tasks.size(); ++i) {
        const sim::Task& task = graph.tasks[i];
        if (const aclError failed = task.run ? task.run() : ACL_SUCCESS; failed != ACL_SUCCESS) {
            const std::string text = aclGetRecentErrMsg();
            return sim::FailWith(failed, ("replay of a graph, task " + std::to_string(i + 1) + " of " +
                                          std::to_string(graph.tasks.size()) + " (" + task.name + "):\n" + text)
                                             .c_str());
        }
    }
    return ACL_SUCCESS;
}

aclError Execute(const char* function, aclmdlRI modelRI) {
    const std::shared_ptr<sim::Graph> graph = sim::FindGraph(modelRI);
    if (graph == nullptr) {
        return sim::FailHandle(function, "graph", modelRI);
    }
    if (graph->state != sim::Graph::State::kReady) {
        return sim::Fail(ACL_ERROR_RT_MODEL_CAPTURED, "%s: model is captured: end the capture first", function);
    }
    return Replay(*graph);
}

}  // namespace

SIM_EXPORT aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
    if (stream == nullptr) {
        return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureBegin: the default stream cannot be captured");
    }
    if (!IsMode(mode)) {
        return FailMode("aclmdlRICaptureBegin", mode);
    }
    const aclError wrong = sim::CheckStream("aclmdlRICaptureBegin", stream);
    return wrong != ACL_SUCCESS ? wrong : sim::BeginCapture(stream, mode);
}

SIM_EXPORT aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
    if (stream == nullptr || modelRI == nullptr) {
        return sim::Fail(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureEnd: %s",
                         stream == nullptr ? "the default stream cannot be captured" : "no place for the result");
    }
    const sim::Graph* graph = nullptr;
    const aclError failed = sim::EndCapture(stream, &graph);
    *modelRI = const_cast<sim::Graph*>(graph);
    return failed;
}

SIM_EXPORT aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
    const aclError wrong = sim::CheckStream("aclmdlRICaptureGetInfo", stream);
    const sim::Graph* graph = nullptr;
    const aclmdlRICaptureStatus now = sim::CaptureStatus(stream, &graph);
    if (status != nullptr) {
        *status = now;
    }
    if (modelRI != nullptr) {
        *modelRI = const_cast<sim::Graph*>(graph);
    }
    return wrong;
}

SIM_EXPORT aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
    int asked = -1;
    if (mode != nullptr) {
        std::memcpy(&asked, mode, sizeof asked);  // it may be a number that is no mode
    }
    if (!IsMode(asked)) {
        return FailMode("aclmdlRICaptureThreadExchangeMode", asked);
    }
    *mode = static_cast<aclmdlRICaptureMode>(sim::ExchangeMode(asked));
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t) { return Execute("aclmdlRIExecute", modelRI); }

SIM_EXPORT aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
    aclError wrong = sim::CheckStream("aclmdlRIExecuteAsync", stream);
    wrong = wrong != ACL_SUCCESS ? wrong : sim::CheckNotCaptured("aclmdlRIExecuteAsync", stream);
    return wrong != ACL_SUCCESS ? wrong : Execute("aclmdlRIExecuteAsync", modelRI);
}

SIM_EXPORT aclError aclmdlRIDestroy(aclmdlRI modelRI) {
    const std::shared_ptr<sim::Graph> graph = sim::FindGraph(modelRI);
    if (graph == nullptr) {
        return sim::FailHandle("aclmdlRIDestroy", "graph", modelRI);
    }
    if (graph->state != sim::Graph::State::kReady) {
        return sim::Fail(ACL_ERROR_RT_MODEL_CAPTURED, "aclmdlRIDestroy: model is captured: end the capture first");
    }
    sim::DropGraph(graph);
    return ACL_SUCCESS;
}

SIM_EXPORT aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* id) {
    const std::shared_ptr<sim::Graph> graph = sim::FindGraph(modelRI);
    if (graph == nullptr) {
        return sim::FailHandle("aclmdlRIGetId", "graph", modelRI);
    }
    *id = graph->id;
    return ACL_SUCCESS;
}

SIM_EXPORT int sim_captures_anything(void) { return sim::CapturesAnything() ? 1 : 0; }

SIM_EXPORT int sim_stream_captures(void* stream) { return sim::Captures(stream) ? 1 : 0; }

SIM_EXPORT int sim_capture_record(void* stream, const sim_task* task) {
    const std::shared_ptr<void> context(task->context, task->forget);
    auto* run = task->run;
    return sim::Record(stream, task->name, [run, context] { return run(context.get()); });
}

SIM_EXPORT int sim_capture_refuse(void* stream, int code, const char* message) {
    return sim::RefuseCapture(stream, code, message);
}

SIM_EXPORT int sim_capture_check_copy(const char* function) { return sim::CheckCopyAtOnce(function); }
