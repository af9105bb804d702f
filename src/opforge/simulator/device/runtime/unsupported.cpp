// Functions that torch_npu links and the simulator refuses: each says its own name. The prototypes do not matter here
// (the C calling convention leaves the arguments to the caller); torch_npu turns the code into an exception or, for
// virtual memory, goes without.
#include "error_message.h"
#include "exports.h"

#define SIM_REFUSE(name) \
    SIM_EXPORT aclError name(void) { return sim::Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s is not simulated", #name); }

// Virtual memory management ("expandable segments").
SIM_REFUSE(aclrtReserveMemAddress)
SIM_REFUSE(aclrtReleaseMemAddress)
SIM_REFUSE(aclrtMallocPhysical)
SIM_REFUSE(aclrtFreePhysical)
SIM_REFUSE(aclrtMapMem)
SIM_REFUSE(aclrtUnmapMem)
SIM_REFUSE(aclrtMemExportToShareableHandle)
SIM_REFUSE(aclrtMemImportFromShareableHandle)
SIM_REFUSE(aclrtMemSetPidToShareableHandle)

// Graphs with tasks that change between replays, and with branches.
SIM_REFUSE(aclmdlRICaptureTaskGrpBegin)
SIM_REFUSE(aclmdlRICaptureTaskGrpEnd)
SIM_REFUSE(aclmdlRICaptureTaskUpdateBegin)
SIM_REFUSE(aclmdlRICaptureTaskUpdateEnd)
SIM_REFUSE(aclmdlRICondHandleCreate)
SIM_REFUSE(aclmdlRICondHandleGetCondPtr)
SIM_REFUSE(aclmdlRIAddCondTask)
SIM_REFUSE(aclmdlRICaptureToModelRIBegin)
SIM_REFUSE(aclmdlRIDebugPrint)
SIM_REFUSE(aclmdlRIDebugJsonPrint)

// Launching binaries that are not simulated kernels.
SIM_REFUSE(aclrtBinaryGetFunction)
SIM_REFUSE(aclrtBinaryLoadFromData)
SIM_REFUSE(aclrtGetFunctionAddr)
SIM_REFUSE(rtDevBinaryRegister)
SIM_REFUSE(rtFunctionRegister)
SIM_REFUSE(rtGetC2cCtrlAddr)
SIM_REFUSE(rtKernelLaunch)
