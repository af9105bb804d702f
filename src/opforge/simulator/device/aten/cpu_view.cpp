#include "cpu_view.h"

#include "recording.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace sim {
namespace {

const sim_aten_runtime* runtime = nullptr;

// Where the host reaches the storage of a tensor; nullptr for an empty one.
char* StorageBytes(const at::Tensor& tensor) {
    const void* address = tensor.storage().data();
    auto* bytes = static_cast<char*>(address == nullptr ? nullptr : Runtime().host_view(address));
    TORCH_CHECK(bytes != nullptr || tensor.storage().nbytes() == 0, "simulated device: ", Runtime().recent_error());
    return bytes;
}

}  // namespace

void SetRuntime(const sim_aten_runtime* functions) { runtime = functions; }

const sim_aten_runtime& Runtime() { return *runtime; }

char* HostBytes(const at::Tensor& tensor) {
    char* bytes = StorageBytes(tensor);
    return bytes == nullptr ? nullptr : bytes + tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize());
}

void DrainTaskQueue() {
    // With TASK_QUEUE_ENABLE=0 operators run in the caller's thread and there is nothing to wait for.
    static const bool queued = [] {
        const char* setting = std::getenv("TASK_QUEUE_ENABLE");
        return setting == nullptr || setting[0] != '0';
    }();
    if (CapturingStream() != nullptr) {  // which has waited for the queue; the device may not be waited for
        return;
    }
    if (queued) {
        const c10::impl::VirtualGuardImpl device(c10::DeviceType::PrivateUse1);
        device.synchronizeDevice(device.getDevice().index());
    }
}

at::Tensor CpuView(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != c10::DeviceType::PrivateUse1) {
        return tensor;
    }
    const at::Tensor keep = tensor;
    at::Tensor view = at::from_blob(
        HostBytes(tensor), tensor.sizes(), tensor.strides(), [keep](void*) {},
        tensor.options().device(c10::DeviceType::CPU));
    view._set_conj(tensor.is_conj());  // lazy conjugation and negation are not in the bytes
    view._set_neg(tensor.is_neg());
    return view;
}

namespace {

// Without the keys of lazy conjugation and of autograd, which would call a copy, and so these functions again.
constexpr c10::DispatchKeySet kDevice(c10::DispatchKey::PrivateUse1);
constexpr int64_t kNd = 2;  // aclFormat: ACL_FORMAT_ND
// NC1HWC0, FRACTAL_Z, NC1HWC0_C04, FRACTAL_NZ, NDC1HWC0, FRACTAL_Z_3D, FRACTAL_NZ with other widths
constexpr std::array<int64_t, 11> kBlocked{3, 4, 12, 29, 32, 33, 50, 51, 52, 53, 54};

}  // namespace

bool InBlocks(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != c10::DeviceType::PrivateUse1) {
        return false;
    }
    static const auto format =
        c10::Dispatcher::singleton().findSchemaOrThrow("npu::get_npu_format", "").typed<int64_t(const at::Tensor&)>();
    try {
        return std::find(kBlocked.begin(), kBlocked.end(), format.redispatch(kDevice, tensor)) != kBlocked.end();
    } catch (const c10::Error&) {
        return false;  // a storage that is not torch_npu's, such as torch.save makes: it has no format
    }
}

bool CopiedBlocks(const at::Tensor& to, const at::Tensor& from) {
    const size_t bytes = to.storage().nbytes();
    if (!InBlocks(from) || !to.sizes().equals(from.sizes()) || !to.is_contiguous() || !from.is_contiguous() ||
        to.dtype() != from.dtype() || from.storage().nbytes() != bytes) {
        return false;
    }
    if (bytes > 0) {
        std::memmove(StorageBytes(to), StorageBytes(from), bytes);
    }
    return true;
}

at::Tensor InRows(const at::Tensor& tensor) {
    if (!InBlocks(tensor)) {
        return tensor;
    }
    static const auto cast = c10::Dispatcher::singleton().findSchemaOrThrow("npu::_npu_format_cast", "");
    torch::jit::Stack stack{tensor, kNd};
    cast.redispatchBoxed(kDevice, &stack);
    DrainTaskQueue();
    return stack.front().toTensor();
}

}  // namespace sim
