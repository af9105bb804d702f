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
    if (!sim::CurrentSettings().error.empty()) {
        return sim::Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "%s", sim::CurrentSettings().error.c_str());
    }
    if (!sim::SocError().empty()) {
        return sim::Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "%s", sim::SocError().c_str());
    }
    std::lock_guard<std::mutex> lock(mutex);
    return sim::LoadAtenLibrary();  // torch_npu has registered all its operators by the time it calls this
}

SIM_EXPORT aclError aclFinalize(void) {
    sim::SettleAtenThreads();
    sim::StopWorkers();
    return ACL_SUCCESS;
}
