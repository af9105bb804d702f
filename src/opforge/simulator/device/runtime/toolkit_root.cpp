#include "toolkit_root.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace sim {
namespace {

std::string FindRoot() {
    Dl_info info{};
    char real[PATH_MAX];
    if (dladdr(reinterpret_cast<const void*>(&ToolkitRoot), &info) == 0 || realpath(info.dli_fname, real) == nullptr) {
        return ".";
    }
    std::string path(real);        // <root>/lib64/libascendcl.so
    path.resize(path.rfind('/'));  // <root>/lib64
    path.resize(path.rfind('/'));  // <root>
    return path;
}

}  // namespace

const std::string& ToolkitRoot() {
    static const std::string* root = new std::string(FindRoot());
    return *root;
}

}  // namespace sim
