#include "opp.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "exe_graph/context_data.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "json.h"
#include "messages.h"
#include "sim_launch.h"
#include "op_crash.h"
#include "platform/platform_infos_def.h"
#include "sim_launch.h"

namespace nnopbase {

namespace {

bool Exists(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0;
}

std::vector<std::string> Split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        if (!part.empty()) {
            parts.push_back(part);
        }
    }
    return parts;
}

std::string Environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string Architecture() {
    utsname name;
    return uname(&name) == 0 ? name.machine : "x86_64";
}

// Vendor directories in order of look-up.
std::vector<std::string> FindRoots() {
    std::vector<std::string> roots = Split(Environment("ASCEND_CUSTOM_OPP_PATH"), ':');
    const std::string vendors = Environment("ASCEND_OPP_PATH") + "/vendors";
    std::ifstream config(vendors + "/config.ini");
    const std::string key = "load_priority=";
    for (std::string line; std::getline(config, line);) {
        if (line.compare(0, key.size(), key) == 0) {
            for (const std::string& vendor : Split(line.substr(key.size()), ',')) {
                roots.push_back(vendors + "/" + vendor);
            }
        }
    }
    return roots;
}

struct Catalog {
    std::mutex mutex;
    std::vector<std::string> roots = FindRoots();
    std::map<std::string, std::unique_ptr<OpPackage>> packages;  // by op file and SoC
    std::map<std::string, std::string> objects;                  // kernel description -> shared object
};

Catalog& TheCatalog() {
    static Catalog* catalog = new Catalog;
    return *catalog;
}

std::string KernelFolder(const std::string& root) { return root + "/op_impl/ai_core/tbe/kernel/"; }

// The list of an op's kernels for a compute unit. It is called as the kernel's file is: op_host may name that otherwise
// (opFile.value), and the package's index of binaries knows it.
std::string KernelList(const std::string& root, const std::string& soc, const sim_op& op) {
    const std::string folder = KernelFolder(root) + "config/" + soc + "/";
    const std::string usual = folder + op.op_file + ".json";
    Json index;
    std::string error;
    if (Exists(usual) || !Json::Read(folder + "binary_info_config.json", &index, &error)) {
        return usual;
    }
    const std::vector<Json>& binaries = index[op.op_type]["binaryList"].Elements();
    if (binaries.empty()) {
        return usual;
    }
    const std::string path = binaries.front()["jsonPath"].Text();  // <soc>/<file>/<binary>.json
    const size_t begin = path.find('/') + 1;
    return folder + path.substr(begin, path.rfind('/') - begin) + ".json";
}

// The first of roots that has kernels of the op for the compute unit soc; empty if none has.
std::string RootOf(const sim_op& op, const std::string& soc, const std::vector<std::string>& roots) {
    const auto found = std::find_if(roots.begin(), roots.end(),
                                    [&](const std::string& root) { return Exists(KernelList(root, soc, op)); });
    return found == roots.end() ? "" : *found;
}

// Compute units for which a package has kernels of the op.
std::vector<std::string> SocsOf(const std::string& root, const sim_op& op) {
    std::vector<std::string> socs;
    if (DIR* folder = opendir((KernelFolder(root) + "config").c_str())) {
        while (const dirent* entry = readdir(folder)) {
            if (entry->d_name[0] != '.' && Exists(KernelList(root, entry->d_name, op))) {
                socs.push_back(entry->d_name);
            }
        }
        closedir(folder);
    }
    std::sort(socs.begin(), socs.end());
    return socs;
}

std::string Joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() ? "" : ", ") + part;
    }
    return text;
}

aclnnStatus ReportMissing(const sim_op& op, const std::string& soc, const std::vector<std::string>& roots) {
    const std::string name = op.op_type;
    if (roots.empty()) {
        return Fail(ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND, "EZ1002",
                    name +
                        ": no operator package is installed. ASCEND_CUSTOM_OPP_PATH names none and "
                        "ASCEND_OPP_PATH/vendors/config.ini lists none. Source the package's bin/set_env.bash, or "
                        "install the package");
    }
    for (const std::string& root : roots) {
        const std::vector<std::string> socs = SocsOf(root, op);
        if (!socs.empty()) {
            return Fail(ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND, "EZ1013",
                        name + ": the package " + root + " has kernels for " + Joined(socs) + ", not for " + soc +
                            " (this device is " + sim_current_soc()->name + "). Build the package for " + soc +
                            ", or run on one of those SoCs");
        }
    }
    return Fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "EZ1013",
                name + ": no installed operator package has this op. Looked for op_impl/ai_core/tbe/kernel/config/" +
                    soc + "/" + op.op_file + ".json in " + Joined(roots));
}

// dladdr's base of a library that dlopen loaded; the library stays loaded.
const void* Load(const std::string& path, std::string* error) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        *error = dlerror();
        return nullptr;
    }
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        *error = dlerror();
        return nullptr;
    }
    return reinterpret_cast<const void*>(map->l_addr);
}

std::string FirstExisting(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        if (Exists(path)) {
            return path;
        }
    }
    return "";
}

bool LoadFunctions(const sim_op& op, OpPackage* package, aclnnStatus* status) {
    const std::string arch = Architecture();
    const std::string tiling = FirstExisting({
        package->root + "/op_impl/ai_core/tbe/op_tiling/lib/linux/" + arch + "/libcust_opmaster_rt2.0.so",
        package->root + "/op_impl/ai_core/tbe/op_tiling/liboptiling.so",
    });
    const std::string proto = FirstExisting({
        package->root + "/op_proto/lib/linux/" + arch + "/libcust_opsproto_rt2.0.so",
        package->root + "/op_proto/libcust_opsproto_rt2.0.so",
    });
    std::string error = "there is no op_impl/ai_core/tbe/op_tiling/liboptiling.so";
    const void* base = tiling.empty() ? nullptr : Load(tiling, &error);
    if (base == nullptr) {
        *status =
            Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ1013",
                 std::string(op.op_type) + ": the tiling library of " + package->root + " does not load: " + error);
        return false;
    }
    if (sim_find_op_functions(op.op_type, base, &package->functions) == 0 || package->functions.tiling == nullptr) {
        *status = Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ1013",
                       std::string(op.op_type) + ": " + tiling +
                           " registers no tiling function for it. Is AICore().SetTiling() missing in op_host, or was "
                           "the library built without -DOP_TILING_LIB?");
        return false;
    }
    if (proto.empty()) {
        return true;
    }
    base = Load(proto, &error);
    if (base == nullptr) {
        *status =
            Fail(ACLNN_ERR_INNER_INFERSHAPE_ERROR, "EZ1013",
                 std::string(op.op_type) + ": the prototype library of " + package->root + " does not load: " + error);
        return false;
    }
    sim_host::OpFunctions functions;
    if (sim_find_op_functions(op.op_type, base, &functions) != 0) {
        package->functions.inferShape = functions.inferShape;
        package->functions.inferDataType = functions.inferDataType;
        package->functions.valueInputs |= functions.valueInputs;
    }
    return true;
}

std::vector<std::string> TypesOf(const Json& list) {
    std::vector<std::string> types;
    for (const Json& entry : list.Elements()) {
        // A dynamic input is a list of one description.
        const Json& tensor = entry.IsArray() && !entry.Elements().empty() ? entry.Elements().front() : entry;
        types.push_back(tensor["dtype"].Text());
    }
    return types;
}

bool LoadKernels(const sim_op& op, const std::string& listPath, OpPackage* package, aclnnStatus* status) {
    Json list;
    std::string error;
    if (!Json::Read(listPath, &list, &error)) {
        *status = Fail(ACLNN_ERR_INNER_LOAD_JSON_FAILED, "EZ1013", std::string(op.op_type) + ": " + error);
        return false;
    }
    for (const Json& entry : list["binList"].Elements()) {
        KernelBinary kernel{TypesOf(entry["inputs"]), TypesOf(entry["outputs"]), ""};
        const std::string jsonPath = entry["binInfo"]["jsonFilePath"].Text();
        if (jsonPath.empty()) {
            *status = Fail(ACLNN_ERR_INNER_LOAD_JSON_FAILED, "EZ1013",
                           std::string(op.op_type) + ": " + listPath +
                               ": an entry of binList has no "
                               "binInfo.jsonFilePath");
            return false;
        }
        kernel.jsonPath = KernelFolder(package->root) + jsonPath;
        package->kernels.push_back(kernel);
    }
    return true;
}

bool ParseCompileInfo(const sim_op& op, OpPackage* package, aclnnStatus* status) {
    package->compileInfo = nullptr;
    if (package->functions.compileInfo == nullptr) {
        return true;
    }
    package->compileInfo = package->functions.compileInfo();
    if (package->functions.tilingParse == nullptr) {
        return true;
    }
    sim_host::ContextData data;
    data.opType = op.op_type;
    data.platform = sim_platform_infos(sim_current_soc()->name);
    data.compileInfo = package->compileInfo;
    gert::TilingParseContext context(&data);
    const auto parse = package->functions.tilingParse;
    const OpCrash watch(reinterpret_cast<const void*>(parse), std::string(op.op_type) + ": TilingParse");
    if (parse(&context) != ge::GRAPH_SUCCESS) {
        *status =
            Fail(ACLNN_ERR_INNER_TILING_ERROR, "EZ9999", std::string(op.op_type) + ": its TilingParse function failed");
        return false;
    }
    return true;
}

bool LoadRules(const sim_op& op, OpPackage* package, aclnnStatus* status) {
    const std::string path = package->root + "/simulator.json";
    if (!Exists(path)) {
        return true;
    }
    Json rules;
    std::string error;
    if (!Json::Read(path, &rules, &error)) {
        *status = Fail(ACLNN_ERR_INNER_LOAD_JSON_FAILED, "EZ1013",
                       std::string(op.op_type) + ": " + error + ". Install the package again");
        return false;
    }
    package->hasSimulator = !rules["rules"].Text().empty() || !rules["allow"].Elements().empty();
    for (const Json& type : rules["device"].Elements()) {
        package->asDevice = package->asDevice || type.Text() == op.op_type;
    }
    for (const Json& entry : rules["allow"].Elements()) {
        if (entry["op"].Text().empty() || entry["op"].Text() == op.op_type) {
            package->allow.push_back({entry["rule"].Text(), entry["in"].Text(), entry["level"].Text() == "warning"});
        }
    }
    return true;
}

}  // namespace

const OpPackage* FindOpPackage(const sim_op& op, const std::string& soc, aclnnStatus* status) {
    Catalog& catalog = TheCatalog();
    std::lock_guard<std::mutex> lock(catalog.mutex);
    std::unique_ptr<OpPackage>& known = catalog.packages[op.op_file + ("\n" + soc)];
    if (known) {
        return known.get();
    }
    std::string root = RootOf(op, soc, catalog.roots);
    if (root.empty() && Environment("OPFORGE_SIM_LATE_PACKAGES") == "1") {
        catalog.roots = FindRoots();
        root = RootOf(op, soc, catalog.roots);
    }
    if (root.empty()) {
        *status = ReportMissing(op, soc, catalog.roots);
        return nullptr;
    }
    std::unique_ptr<OpPackage> package(new OpPackage());
    package->root = root;
    if (!LoadKernels(op, KernelList(root, soc, op), package.get(), status) ||
        !LoadFunctions(op, package.get(), status) || !LoadRules(op, package.get(), status) ||
        !ParseCompileInfo(op, package.get(), status)) {
        return nullptr;
    }
    known = std::move(package);
    return known.get();
}

bool FindKernelObject(const KernelBinary& kernel, std::string* object, aclnnStatus* status) {
    Catalog& catalog = TheCatalog();
    std::lock_guard<std::mutex> lock(catalog.mutex);
    std::string& known = catalog.objects[kernel.jsonPath];
    if (known.empty()) {
        Json description;
        std::string error;
        if (!Json::Read(kernel.jsonPath, &description, &error)) {
            *status = Fail(ACLNN_ERR_INNER_LOAD_JSON_FAILED, "EZ1013", error + ". Install the package again");
            return false;
        }
        const std::string folder = kernel.jsonPath.substr(0, kernel.jsonPath.rfind('/') + 1);
        const std::string suffix = description["binFileSuffix"].Text();
        const std::string path = folder + description["binFileName"].Text() + (suffix.empty() ? ".o" : suffix);
        if (!Exists(path)) {
            *status = Fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "EZ1013",
                           kernel.jsonPath + " names " + path + ", which does not exist. Install the package again");
            return false;
        }
        known = path;
    }
    *object = known;
    return true;
}

uint32_t RulesWanted(const OpPackage& package) {
    static const char* const text = std::getenv("OPFORGE_SIM_RULES");
    return static_cast<uint32_t>(sim_rules_named(text, package.asDevice ? SIM_RULES_DEVICE : SIM_RULES_DOCUMENTED));
}

}  // namespace nnopbase
