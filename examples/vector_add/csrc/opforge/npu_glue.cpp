// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The only file that includes torch_npu's C++ headers; npu_glue.h explains why.
#include "npu_glue.h"

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "torch_npu/csrc/core/npu/NPUFormat.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"

namespace {

// Owns the data of a queued call until it runs, or until torch_npu drops it because an earlier call failed. The task
// queue keeps the callback itself much longer: until it reuses the callback's place.
class QueuedCall {
public:
    QueuedCall(const opforge_npu_call& call, void* workspace, void* stream)
        : call_(call), workspace_(workspace), stream_(stream) {}
    QueuedCall(const QueuedCall&) = delete;
    QueuedCall& operator=(const QueuedCall&) = delete;
    ~QueuedCall() { give_back(); }

    int run() {
        begun_ = true;
        const int status = call_.run(call_.state, workspace_, stream_);
        give_back();
        return status;
    }
    bool begun() const { return begun_; }

private:
    void give_back() {
        if (call_.release != nullptr) {
            std::exchange(call_.release, nullptr)(call_.state);
        }
    }

    opforge_npu_call call_;
    void* workspace_;
    void* stream_;
    std::atomic<bool> begun_{false};
};

// Releases the state if something throws before a QueuedCall owns it.
struct ReleaseGuard {
    const opforge_npu_call* call;
    ~ReleaseGuard() {
        if (call != nullptr) {
            call->release(call->state);
        }
    }
};

void launch(const opforge_npu_call& call, std::shared_ptr<QueuedCall>& queued) {
    ReleaseGuard guard{&call};
    // false: do not wait for the task queue; RunOpApiV2 queues the call.
    c10_npu::NPUStream stream = c10_npu::getCurrentNPUStream();
    void* raw_stream = stream.stream(false);
    // The workspace is released as soon as the call is queued, because the allocator reuses it only on this stream,
    // after the call. If it were held until the call runs, each of the thousands of queued calls would have its own.
    at::Tensor workspace;
    if (call.workspace_bytes > 0) {
        workspace = at::empty({static_cast<int64_t>(call.workspace_bytes)},
                              at::TensorOptions().dtype(at::kByte).device(stream.device()));
    }
    void* address = call.workspace_bytes > 0 ? workspace.data_ptr() : nullptr;
    queued = std::make_shared<QueuedCall>(call, address, raw_stream);
    guard.call = nullptr;
    // std::function requires a copyable callback, and the task queue keeps a copy, so the call is in a shared pointer.
    at_npu::native::OpCommand::RunOpApiV2(call.name, [queued]() -> int { return queued->run(); });
}

// Exceptions must not cross the C interface.
template <typename Action>
int reported(opforge_npu_report report, void* context, const Action& action) {
    try {
        action();
        return OPFORGE_NPU_LAUNCHED;
    } catch (const c10::OutOfMemoryError& error) {
        report(context, error.what_without_backtrace());
        return OPFORGE_NPU_OUT_OF_MEMORY;
    } catch (const c10::Error& error) {
        report(context, error.what_without_backtrace());
    } catch (const std::exception& error) {
        report(context, error.what());
    } catch (...) {
        report(context, "an exception of a type that the C++ library does not know");
    }
    return OPFORGE_NPU_FAILED;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int opforge_npu_glue_version(void) { return OPFORGE_NPU_GLUE_VERSION; }

__attribute__((visibility("default"))) int opforge_npu_launch(const opforge_npu_call* call, opforge_npu_report report,
                                                              void* context) {
    std::shared_ptr<QueuedCall> queued;
    const int result = reported(report, context, [&] { launch(*call, queued); });
    // With a task queue, torch_npu throws here if any earlier call failed in the other thread.
    const bool begun = queued != nullptr && queued->begun();
    return result == OPFORGE_NPU_FAILED && !begun ? OPFORGE_NPU_NOT_RUN : result;
}

__attribute__((visibility("default"))) int64_t opforge_npu_format(const void* tensor, opforge_npu_report report,
                                                                  void* context) {
    int64_t format = -1;
    reported(report, context,
             [&] { format = at_npu::native::get_npu_format(*static_cast<const at::Tensor*>(tensor)); });
    return format;
}

}  // extern "C"
