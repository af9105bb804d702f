// aclInit and aclFinalize.
#include <mutex>

#include "aten_library.h"
#include "error_message.h"
#include "exports.h"
#include "settings.h"
#include "soc.h"
#include "worker_client.h"

namespace {

std::mutex mutex;

}  // namespace

SIM_EXPORT aclError aclInit(const char*) {
    if (!sim::settings().error.empty()) {
        return sim::fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "%s", sim::settings().error.c_str());
    }
    if (!sim::soc_error().empty()) {
        return sim::fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "%s", sim::soc_error().c_str());
    }
    std::lock_guard<std::mutex> lock(mutex);
    return sim::load_aten_library();  // torch_npu has registered all its operators by the time it calls this
}

SIM_EXPORT aclError aclFinalize(void) {
    sim::settle_aten_threads();
    sim::stop_workers();
    return ACL_SUCCESS;
}
