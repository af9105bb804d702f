#include "aten_library.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <string>

#include "error_message.h"
#include "exports.h"
#include "sim_aten.h"
#include "toolkit_root.h"

namespace sim {
namespace {

using Install = int (*)(const sim_aten_runtime*);

void* library = nullptr;

// The package directory (".../site-packages/torch") above lib/<library> that this process has loaded, or "".
std::string PackageOf(const char* library) {
    struct Search {
        const char* library;
        std::string package;
    } search{library, ""};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto* wanted = static_cast<Search*>(data);
            const char* name = std::strrchr(info->dlpi_name, '/');
            if (name == nullptr || std::strcmp(name + 1, wanted->library) != 0) {
                return 0;
            }
            const std::string folder(info->dlpi_name, name);
            wanted->package = folder.substr(0, folder.rfind('/'));
            return 1;
        },
        &search);
    return search.package;
}

// __version__ = '2.13.0+cpu' of torch/version.py, or "".
std::string TorchVersion(const std::string& directory) {
    std::ifstream file(directory + "/version.py");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("__version__", 0) == 0) {
            const size_t first = line.find_first_of("'\"");
            const size_t last = line.find_last_of("'\"");
            return first < last ? line.substr(first + 1, last - first - 1) : "";
        }
    }
    return "";
}

}  // namespace

aclError LoadAtenLibrary() {
    if (library != nullptr || PackageOf("libtorch_npu.so").empty()) {
        return ACL_SUCCESS;
    }
    const std::string torch = PackageOf("libtorch_cpu.so");
    const std::string version = TorchVersion(torch);
    const std::string path = ToolkitRoot() + "/aten/torch-" + version + "/libopforge_aten.so";
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* install = library == nullptr ? nullptr : reinterpret_cast<Install>(dlsym(library, "sim_aten_install"));
    if (install == nullptr) {
        const char* reason = dlerror();
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR,
                    "the simulated toolkit has no ATen operators for PyTorch %s (%s): %s. They are built once for each "
                    "PyTorch: run 'opforge run -- true' in this environment, then try again",
                    version.c_str(), torch.c_str(), reason == nullptr ? path.c_str() : reason);
    }
    static const sim_aten_runtime runtime = {&sim_host_view,         &aclGetRecentErrMsg,     &sim_set_error_message,
                                             &sim_captures_anything, &sim_stream_captures,    &sim_capture_record,
                                             &sim_capture_refuse,    &sim_capture_check_copy, &sim_is_pinned};
    install(&runtime);
    return ACL_SUCCESS;
}

void SettleAtenThreads() {
    if (library != nullptr) {
        if (auto* settle = reinterpret_cast<void (*)()>(dlsym(library, "sim_aten_settle")); settle != nullptr) {
            settle();
        }
    }
}

}  // namespace sim
