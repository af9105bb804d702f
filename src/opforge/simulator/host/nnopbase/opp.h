// The installed operator packages: where they are, and what one holds for an op.
#ifndef OPFORGE_NNOPBASE_OPP_H
#define OPFORGE_NNOPBASE_OPP_H

#include <string>
#include <vector>

#include "aclnn/sim_aclnn.h"
#include "register/op_functions.h"

namespace nnopbase {

// One compiled kernel: the dtypes it is for, by declaration index ("" where the list does not say).
struct KernelBinary {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::string jsonPath;
};

// A rule that the op's kernel may break, of simulator.json: its id and the end of a source's path, "" for any.
struct AllowedRule {
    std::string rule;
    std::string file;
    bool warn;
};

// An op as one package brings it for one SoC.
struct OpPackage {
    std::string root;  // .../vendors/<vendor>
    sim_host::OpFunctions functions;
    void* compileInfo;  // what TilingParse prepared; null where the op has none
    std::vector<KernelBinary> kernels;
    // What the package's simulator.json says of this op, which comes from opforge.yaml: whether rules that devices do
    // not enforce are broken as on a device, and which may be broken anyway.
    bool asDevice = false;
    bool hasSimulator = false;  // opforge.yaml has the block
    std::vector<AllowedRule> allow;
};

// The package that serves op on the compute unit soc, or null after reporting why with the status in *status.
// Order: entries of ASCEND_CUSTOM_OPP_PATH, then load_priority of $ASCEND_OPP_PATH/vendors/config.ini. Both are read
// once, at the first call; with OPFORGE_SIM_LATE_PACKAGES=1 again for an op that is not found. The result lives as long
// as the process.
const OpPackage* FindOpPackage(const sim_op& op, const std::string& soc, aclnnStatus* status);

// SIM_RULES_*: $OPFORGE_SIM_RULES, read once, else what the op's package says.
uint32_t RulesWanted(const OpPackage& package);

// The kernel's shared object as its description names it. False after reporting.
bool FindKernelObject(const KernelBinary& kernel, std::string* object, aclnnStatus* status);

}  // namespace nnopbase
#endif
