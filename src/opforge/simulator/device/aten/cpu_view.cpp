#include "cpu_view.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstdlib>

namespace sim {
namespace {

HostView hostViewOf = nullptr;
RecentError recentErrorOf = nullptr;

}  // namespace

void SetRuntime(HostView hostView, RecentError recentError) {
    hostViewOf = hostView;
    recentErrorOf = recentError;
}

void DrainTaskQueue() {
    // With TASK_QUEUE_ENABLE=0 operators run in the caller's thread and there is nothing to wait for.
    static const bool queued = [] {
        const char* setting = std::getenv("TASK_QUEUE_ENABLE");
        return setting == nullptr || setting[0] != '0';
    }();
    if (queued) {
        const c10::impl::VirtualGuardImpl device(c10::DeviceType::PrivateUse1);
        device.synchronizeDevice(device.getDevice().index());
    }
}

at::Tensor CpuView(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != c10::DeviceType::PrivateUse1) {
        return tensor;
    }
    const void* address = tensor.storage().data();
    auto* bytes = static_cast<char*>(address == nullptr ? nullptr : hostViewOf(address));
    TORCH_CHECK(bytes != nullptr || tensor.storage().nbytes() == 0, "simulated device: ", recentErrorOf());
    bytes = bytes == nullptr ? nullptr : bytes + tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize());
    const at::Tensor keep = tensor;
    at::Tensor view = at::from_blob(
        bytes, tensor.sizes(), tensor.strides(), [keep](void*) {}, tensor.options().device(c10::DeviceType::CPU));
    view._set_conj(tensor.is_conj());  // lazy conjugation and negation are not in the bytes
    view._set_neg(tensor.is_neg());
    return view;
}

}  // namespace sim
