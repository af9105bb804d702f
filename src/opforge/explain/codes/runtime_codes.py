"""Codes of ACL's runtime (CANN's header acl/error_codes/rt_error_codes.h; torch_npu's NPUErrorCodes.h)."""

from __future__ import annotations

from opforge.explain.codes.code import Code

_NOTHING: tuple[str, ...] = ()
_DEVICES = ("devices",)
_LOG = "Look for the first ERROR line in ~/ascend/log/debug/plog, and give that file to `opforge explain`."
_KERNEL = (
    "Run with ASCEND_LAUNCH_BLOCKING=1 to find the kernel. If it is your own, run its tests on opforge's simulated "
    "device: `opforge test` names the line, the rule and the numbers."
)
_ORDER = "Check the order of calls: aclInit, aclrtSetDevice, then streams and events of that context, in its threads."
_RESET = "Stop the processes that use the device (`npu-smi info` lists them), then reset it or restart the machine."
_CAPTURE = "Keep this call outside the captured region, or leave graph capture off for this part of the model."
_FEWER = "Use fewer at a time, and destroy those that are no longer needed."

_ROWS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    ("107000", "ACL_ERROR_RT_PARAM_INVALID", "An argument of a runtime function is not valid.", _LOG, _NOTHING),
    (
        "107001",
        "ACL_ERROR_RT_INVALID_DEVICEID",
        (
            "The number of the device is not valid: it counts within "
            "ASCEND_RT_VISIBLE_DEVICES, not among all devices of the machine."
        ),
        "Use a number below torch.npu.device_count(), or change ASCEND_RT_VISIBLE_DEVICES.",
        _DEVICES,
    ),
    (
        "107002",
        "ACL_ERROR_RT_CONTEXT_NULL",
        "The thread has no device: aclrtSetDevice was not called in it.",
        "Call torch.npu.set_device(...) (C++: aclrtSetDevice) first, in each thread.",
        _NOTHING,
    ),
    (
        "107003",
        "ACL_ERROR_RT_STREAM_CONTEXT",
        "The stream belongs to another context or device.",
        "Use a stream of the current device, and keep it alive until the call has ended.",
        _NOTHING,
    ),
    ("107004", "ACL_ERROR_RT_MODEL_CONTEXT", "The model belongs to another context.", _ORDER, _NOTHING),
    ("107005", "ACL_ERROR_RT_STREAM_MODEL", "The stream is not bound to the model.", _ORDER, _NOTHING),
    (
        "107006",
        "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID",
        "The event has no valid time.",
        "Record the event before asking for its time.",
        _NOTHING,
    ),
    (
        "107007",
        "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL",
        "The end event was recorded before the start event.",
        "Swap the events.",
        _NOTHING,
    ),
    ("107008", "ACL_ERROR_RT_ADDR_UNALIGNED", "A memory address is not aligned.", "Align it to 32 bytes.", _NOTHING),
    ("107009", "ACL_ERROR_RT_FILE_OPEN", "A file cannot be opened.", _LOG, _NOTHING),
    ("107010", "ACL_ERROR_RT_FILE_WRITE", "A file cannot be written.", "Check space and rights.", ("disk",)),
    ("107011", "ACL_ERROR_RT_STREAM_SUBSCRIBE", "The stream is subscribed twice, or not at all.", _ORDER, _NOTHING),
    ("107012", "ACL_ERROR_RT_THREAD_SUBSCRIBE", "The thread is subscribed twice, or not at all.", _ORDER, _NOTHING),
    ("107013", "ACL_ERROR_RT_GROUP_NOT_SET", "No group of cores is set.", _ORDER, _NOTHING),
    ("107014", "ACL_ERROR_RT_GROUP_NOT_CREATE", "The group of cores does not exist.", _ORDER, _NOTHING),
    ("107015", "ACL_ERROR_RT_STREAM_NO_CB_REG", "No thread handles callbacks of the stream.", _ORDER, _NOTHING),
    ("107016", "ACL_ERROR_RT_INVALID_MEMORY_TYPE", "The kind of memory is not valid for this call.", _LOG, _NOTHING),
    (
        "107017",
        "ACL_ERROR_RT_INVALID_HANDLE",
        "A handle was destroyed or never created.",
        "Keep streams, events and graphs alive until the work on them has ended.",
        _NOTHING,
    ),
    ("107018", "ACL_ERROR_RT_INVALID_MALLOC_TYPE", "The kind of allocation is not valid.", _LOG, _NOTHING),
    ("107019", "ACL_ERROR_RT_WAIT_TIMEOUT", "Waiting took too long; the device may still work.", _KERNEL, _NOTHING),
    ("107020", "ACL_ERROR_RT_TASK_TIMEOUT", "A task took too long.", _KERNEL, _NOTHING),
    ("107021", "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET", "A system parameter is not set.", _LOG, _NOTHING),
    (
        "107022",
        "ACL_ERROR_RT_DEVICE_TASK_ABORT",
        "The device aborts its tasks because another failure came before.",
        "Explain the first error of the log instead.",
        _NOTHING,
    ),
    ("107023", "ACL_ERROR_RT_STREAM_ABORT", "The stream aborts because a task on it failed.", _KERNEL, _NOTHING),
    (
        "107024",
        "ACL_ERROR_RT_CAPTURE_DEPENDENCY",
        "Work that is being captured depends on work outside.",
        _CAPTURE,
        _NOTHING,
    ),
    (
        "107025",
        "ACL_ERROR_RT_STREAM_UNJOINED",
        "A side stream was not joined to the captured stream before the end of the capture.",
        "Let the captured stream wait for an event of each side stream before the capture ends.",
        _NOTHING,
    ),
    (
        "107026",
        "ACL_ERROR_RT_MODEL_CAPTURED",
        "The graph is being captured and cannot be used yet.",
        _CAPTURE,
        _NOTHING,
    ),
    (
        "107027",
        "ACL_ERROR_RT_STREAM_CAPTURED",
        (
            "The stream is being captured. Waiting for it is not allowed, and "
            "`.item()`, `.cpu()`, `print(tensor)` and conditions on tensors wait."
        ),
        _CAPTURE,
        _NOTHING,
    ),
    ("107028", "ACL_ERROR_RT_EVENT_CAPTURED", "The event belongs to a capture.", _CAPTURE, _NOTHING),
    (
        "107029",
        "ACL_ERROR_RT_STREAM_NOT_CAPTURED",
        "The stream is not being captured.",
        "End only captures that have begun on this stream.",
        _NOTHING,
    ),
    (
        "107030",
        "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT",
        (
            "The mode of the capture does not allow this operation, such as "
            "a synchronous copy in any thread while a stream is captured."
        ),
        _CAPTURE,
        _NOTHING,
    ),
    (
        "107031",
        "ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT",
        "The default stream depends on the captured one.",
        _CAPTURE,
        _NOTHING,
    ),
    (
        "207000",
        "ACL_ERROR_RT_FEATURE_NOT_SUPPORT",
        "This chip or driver does not have the feature.",
        "Update driver and firmware, or leave the feature off.",
        ("driver",),
    ),
    (
        "207001",
        "ACL_ERROR_RT_MEMORY_ALLOCATION",
        "Device or host memory could not be allocated.",
        "Use smaller tensors, or stop other processes on the device.",
        ("memory",),
    ),
    ("207002", "ACL_ERROR_RT_MEMORY_FREE", "Memory could not be freed.", "Check for a second free.", _NOTHING),
    (
        "207003",
        "ACL_ERROR_RT_AICORE_OVER_FLOW",
        "A result on the AI cores overflowed its dtype.",
        "Compute in float32, or scale the loss.",
        _NOTHING,
    ),
    (
        "207004",
        "ACL_ERROR_RT_NO_DEVICE",
        "There is no usable device.",
        "Mount /dev/davinci* into the container.",
        _DEVICES,
    ),
    ("207005", "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL", "A resource could not be allocated.", _FEWER, ("memory",)),
    (
        "207006",
        "ACL_ERROR_RT_NO_PERMISSION",
        "This user may not use the device or the function.",
        "Add the user to the group of /dev/davinci* (usually HwHiAiUser).",
        _DEVICES,
    ),
    ("207007", "ACL_ERROR_RT_NO_EVENT_RESOURCE", "All events are in use.", _FEWER, _NOTHING),
    (
        "207008",
        "ACL_ERROR_RT_NO_STREAM_RESOURCE",
        "All streams are in use. Each captured graph keeps some.",
        "Capture fewer sizes (vLLM: fewer cudagraph_capture_sizes), and use fewer side streams.",
        _NOTHING,
    ),
    ("207009", "ACL_ERROR_RT_NO_NOTIFY_RESOURCE", "All notifies are in use.", _FEWER, _NOTHING),
    ("207010", "ACL_ERROR_RT_NO_MODEL_RESOURCE", "All models are in use.", _FEWER, _NOTHING),
    ("207011", "ACL_ERROR_RT_NO_CDQ_RESOURCE", "All CDQ queues are in use.", _FEWER, _NOTHING),
    ("207012", "ACL_ERROR_RT_OVER_LIMIT", "A limit of queues is exceeded.", _FEWER, _NOTHING),
    ("207013", "ACL_ERROR_RT_QUEUE_EMPTY", "The queue is empty.", "Put data into it first.", _NOTHING),
    ("207014", "ACL_ERROR_RT_QUEUE_FULL", "The queue is full.", "Take data from it first.", _NOTHING),
    ("207015", "ACL_ERROR_RT_REPEATED_INIT", "The queue is initialised twice.", _ORDER, _NOTHING),
    (
        "207016",
        "ACL_ERROR_RT_AIVEC_OVER_FLOW",
        "A result on the vector cores overflowed.",
        "Compute in float32.",
        _NOTHING,
    ),
    ("207017", "ACL_ERROR_RT_OVER_FLOW", "A result overflowed.", "Compute in float32.", _NOTHING),
    (
        "207018",
        "ACL_ERROR_RT_DEVICE_OOM",
        "The memory of the device is used up.",
        "Use smaller batches, or stop other processes on the device (`npu-smi info`).",
        _DEVICES,
    ),
    ("507000", "ACL_ERROR_RT_INTERNAL_ERROR", "An internal error of the runtime on the host.", _LOG, _NOTHING),
    ("507001", "ACL_ERROR_RT_TS_ERROR", "An internal error of the device's task scheduler.", _RESET, _NOTHING),
    ("507002", "ACL_ERROR_RT_STREAM_TASK_FULL", "The stream has too many tasks.", "Synchronise more often.", _NOTHING),
    ("507003", "ACL_ERROR_RT_STREAM_TASK_EMPTY", "The stream has no task.", _LOG, _NOTHING),
    ("507004", "ACL_ERROR_RT_STREAM_NOT_COMPLETE", "The stream has not ended.", "Synchronise it first.", _NOTHING),
    ("507005", "ACL_ERROR_RT_END_OF_SEQUENCE", "The data of the model has ended.", _LOG, _NOTHING),
    ("507006", "ACL_ERROR_RT_EVENT_NOT_COMPLETE", "The event has not happened.", "Synchronise it first.", _NOTHING),
    ("507007", "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR", "The context could not be released.", _ORDER, _NOTHING),
    (
        "507008",
        "ACL_ERROR_RT_SOC_VERSION",
        "The chip of the program is not that of the device.",
        "Build for the chip of this machine.",
        ("vendors",),
    ),
    ("507009", "ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT", "The device does not have this type of task.", _LOG, ("driver",)),
    ("507010", "ACL_ERROR_RT_LOST_HEARTBEAT", "The device does not answer any more.", _RESET, _DEVICES),
    ("507011", "ACL_ERROR_RT_MODEL_EXECUTE", "A task of a model or captured graph failed.", _KERNEL, _NOTHING),
    ("507012", "ACL_ERROR_RT_REPORT_TIMEOUT", "Waiting for a callback took too long.", _ORDER, _NOTHING),
    ("507013", "ACL_ERROR_RT_SYS_DMA", "A DMA transfer of the system failed.", _RESET, _DEVICES),
    (
        "507014",
        "ACL_ERROR_RT_AICORE_TIMEOUT",
        "A kernel on the AI cores did not end: it waits for an event, queue or SyncAll that never comes, or loops.",
        (
            "Check every EnQue/DeQue and SetFlag/WaitFlag pair, and use at most as many blocks as cores with SyncAll. "
            "opforge's simulated device reports such deadlocks."
        ),
        _NOTHING,
    ),
    (
        "507015",
        "ACL_ERROR_RT_AICORE_EXCEPTION",
        (
            "A kernel on the AI cores stopped: usually an address outside global "
            "memory or UB, or a misaligned one. Tensors that were freed too early do it as well."
        ),
        _KERNEL,
        _NOTHING,
    ),
    (
        "507016",
        "ACL_ERROR_RT_AICORE_TRAP_EXCEPTION",
        "A kernel stopped itself: an assert or trap on the AI cores.",
        _KERNEL,
        _NOTHING,
    ),
    ("507017", "ACL_ERROR_RT_AICPU_TIMEOUT", "An operator on the AI CPU did not end.", _LOG, _NOTHING),
    (
        "507018",
        "ACL_ERROR_RT_AICPU_EXCEPTION",
        "An operator on the AI CPU failed: its library is missing on the device, or its data is not valid.",
        "Install the AI CPU package with the toolkit's version.",
        _NOTHING,
    ),
    ("507019", "ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR", "The AI CPU refused a data dump.", _LOG, _NOTHING),
    ("507020", "ACL_ERROR_RT_AICPU_MODEL_RSP_ERR", "The AI CPU refused a model's operation.", _LOG, _NOTHING),
    ("507021", "ACL_ERROR_RT_PROFILING_ERROR", "The profiler failed.", _LOG, _NOTHING),
    ("507022", "ACL_ERROR_RT_IPC_ERROR", "Communication between processes failed.", _LOG, _NOTHING),
    ("507023", "ACL_ERROR_RT_MODEL_ABORT_NORMAL", "The model was stopped on request.", _LOG, _NOTHING),
    ("507024", "ACL_ERROR_RT_KERNEL_UNREGISTERING", "The kernel is being removed.", _ORDER, _NOTHING),
    ("507025", "ACL_ERROR_RT_RINGBUFFER_NOT_INIT", "The ring buffer is not initialised.", _LOG, _NOTHING),
    ("507026", "ACL_ERROR_RT_RINGBUFFER_NO_DATA", "The ring buffer is empty.", _LOG, _NOTHING),
    (
        "507027",
        "ACL_ERROR_RT_KERNEL_LOOKUP",
        "The kernel is not in the loaded binary.",
        "Build again: the name of the kernel function does not fit the binary.",
        ("vendors",),
    ),
    (
        "507028",
        "ACL_ERROR_RT_KERNEL_DUPLICATE",
        "Two loaded binaries have a kernel of the same name.",
        "Rename one of the ops, or uninstall one package.",
        ("vendors",),
    ),
    ("507029", "ACL_ERROR_RT_DEBUG_REGISTER_FAIL", "Debugging could not be switched on.", _LOG, _NOTHING),
    ("507030", "ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL", "Debugging could not be switched off.", _LOG, _NOTHING),
    ("507031", "ACL_ERROR_RT_LABEL_CONTEXT", "The label belongs to another context.", _ORDER, _NOTHING),
    ("507032", "ACL_ERROR_RT_PROGRAM_USE_OUT", "Too many programs are loaded.", _FEWER, _NOTHING),
    (
        "507033",
        "ACL_ERROR_RT_DEV_SETUP_ERROR",
        (
            "The device could not be opened: another process or container holds it, "
            "the driver does not fit CANN, or the device is broken."
        ),
        _RESET,
        _DEVICES,
    ),
    (
        "507034",
        "ACL_ERROR_RT_VECTOR_CORE_TIMEOUT",
        "A kernel on the vector cores did not end.",
        "Check every EnQue/DeQue and SetFlag/WaitFlag pair; opforge's simulated device reports such deadlocks.",
        _NOTHING,
    ),
    (
        "507035",
        "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION",
        "A kernel on the vector cores stopped: usually an address outside UB or global memory, or a misaligned one.",
        _KERNEL,
        _NOTHING,
    ),
    (
        "507036",
        "ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION",
        "A kernel stopped itself: an assert or trap on the vector cores.",
        _KERNEL,
        _NOTHING,
    ),
    ("507037", "ACL_ERROR_RT_CDQ_BATCH_ABNORMAL", "A batch of the CDQ queue is wrong.", _LOG, _NOTHING),
    ("507038", "ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR", "The die mode cannot change.", _LOG, _NOTHING),
    ("507039", "ACL_ERROR_RT_DIE_SET_ERROR", "In single-die mode no die can be set.", _LOG, _NOTHING),
    ("507040", "ACL_ERROR_RT_INVALID_DIEID", "The number of the die is not valid.", _LOG, _NOTHING),
    ("507041", "ACL_ERROR_RT_DIE_MODE_NOT_SET", "The die mode is not set.", _LOG, _NOTHING),
    ("507042", "ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW", "A cube core reads outside its memory.", _KERNEL, _NOTHING),
    ("507043", "ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW", "A cube core writes outside its memory.", _KERNEL, _NOTHING),
    (
        "507044",
        "ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW",
        "A vector core reads outside its memory.",
        _KERNEL,
        _NOTHING,
    ),
    (
        "507045",
        "ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW",
        "A vector core writes outside its memory.",
        _KERNEL,
        _NOTHING,
    ),
    (
        "507046",
        "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT",
        "Waiting for a stream took too long: a kernel or a collective operation on it does not end.",
        _KERNEL,
        _NOTHING,
    ),
    ("507047", "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT", "Waiting for an event took too long.", _KERNEL, _NOTHING),
    (
        "507048",
        "ACL_ERROR_RT_FFTS_PLUS_TIMEOUT",
        "A fused task did not end, often a collective operation that waits for another rank.",
        "Look for the rank that failed first.",
        _NOTHING,
    ),
    ("507049", "ACL_ERROR_RT_FFTS_PLUS_EXCEPTION", "A fused task failed.", _KERNEL, _NOTHING),
    ("507050", "ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION", "A fused task stopped itself.", _KERNEL, _NOTHING),
    ("507051", "ACL_ERROR_RT_SEND_MSG", "A message to the device could not be sent.", _RESET, _DEVICES),
    ("507052", "ACL_ERROR_RT_COPY_DATA", "Data could not be copied.", _LOG, _NOTHING),
    ("507053", "ACL_ERROR_RT_DEVICE_MEM_ERROR", "The device's memory is faulty.", "Have the device checked.", _DEVICES),
    (
        "507054",
        "ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR",
        "The device's memory (HBM) has an error that ECC cannot correct.",
        "Restart the job; if it comes again, have the device checked.",
        _DEVICES,
    ),
    ("507899", "ACL_ERROR_RT_DRV_INTERNAL_ERROR", "An internal error of the driver.", _RESET, ("driver",)),
    ("507900", "ACL_ERROR_RT_AICPU_INTERNAL_ERROR", "An internal error of the AI CPU.", _LOG, _NOTHING),
    ("507901", "ACL_ERROR_RT_SOCKET_CLOSE", "The connection to the device was lost.", _RESET, _DEVICES),
    ("507902", "ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR", "The AI CPU refused an operator's description.", _LOG, _NOTHING),
    (
        "507903",
        "ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED",
        "The capture is not valid any more, since a call in it failed.",
        "Explain the first error inside the capture.",
        _NOTHING,
    ),
)

RUNTIME_CODES = tuple(Code(number, name, cause, fix, check) for number, name, cause, fix, check in _ROWS)
