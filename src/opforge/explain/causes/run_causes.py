"""Calls and kernels that fail while they run."""

from __future__ import annotations

from opforge.explain.cause import ISSUES, SPECIFIC, SYMPTOM, Cause

_GUIDE = ISSUES + "mirror-cann/asc-devkit/tree/master/docs/zh/guide"
_TEST = "If it is your own kernel, `opforge test` on the simulated device names the line, the rule and the numbers."

RUNS = (
    Cause(
        "null-tensor",
        SPECIFIC,
        r"Expected a proper Tensor but got null for argument (\S+)",
        "The required tensor {1} is None",
        "The aclnn function got a null pointer for a tensor that it needs.",
        "Pass the tensor, or declare the input OPTIONAL in op_host.",
        "AclNN_Parameter_Error(EZ1001): Expected a proper Tensor but got null for argument addmmTensor.self.",
        ISSUES + "hicann/ops-nn/blob/master/docs/zh/debug/op_debug_prof.md",
        look="the arguments of the call",
    ),
    Cause(
        "dtype-not-supported",
        SPECIFIC,
        r"(?:Tensor )?(\w+) not implemented for (DT_\w+), should be in dtype support list ?(\[[^\]]*\])",
        "The tensor {1} has a dtype that the op does not have: {2}",
        "The op's definition lists the dtypes for this chip: {3}.",
        "Cast the tensor before the call, or add the dtype in op_host and in the kernel.",
        "self not implemented for DT_DOUBLE, should be in dtype support list [DT_UINT8,DT_INT8,DT_FLOAT16,DT_FLOAT,"
        "DT_BFLOAT16,].",
        ISSUES + "huggingface/diffusers/issues/10428",
        look="print the .dtype of each tensor of the call",
        needs="should be in dtype support list",
    ),
    Cause(
        "tiling-failed",
        SPECIFIC,
        r"(\w+) do tiling failed, ret is -?\d+",
        "The tiling function of {1} refuses these shapes",
        "Tiling on the host returned GRAPH_FAILED: a check of shapes failed, or Matmul tiling found no solution.",
        "Look for the op's own message before it; print shapes and attributes, and run the tiling with them. "
        "`opforge test` does so.",
        "EZ9999: MoeInitRouting do tiling failed, ret is -1.",
        ISSUES + "vllm-project/vllm-ascend/issues/11092",
        look="the lines before it, with OP_LOGE of the tiling function; set ASCEND_GLOBAL_LOG_LEVEL=1",
        needs="do tiling failed",
    ),
    Cause(
        "ub-out-of-bounds",
        SPECIFIC,
        r"VEC instruction error: the ub address out of bounds",
        "A vector instruction reads or writes outside UB",
        "The tiles of the kernel are larger than the unified buffer, a slice begins behind its tensor's end, or a "
        "count is too large.",
        "Check the sizes of InitBuffer and the counts of the last tile. " + _TEST,
        "errcode:(0x4000000000000000, 0, 0) errorStr: VEC instruction error: the ub address out of bounds.",
        ISSUES + "vllm-project/vllm-ascend/issues/2757",
        look="run with ASCEND_LAUNCH_BLOCKING=1 to find the op",
    ),
    Cause(
        "gm-out-of-bounds",
        SPECIFIC,
        r"The DDR address of the MTE instruction is out of range|DDR address out of range",
        "A copy reads or writes outside global memory",
        "DataCopy copies whole blocks of 32 bytes, so an unaligned tail reaches beyond the tensor; or an offset or a "
        "block's share is wrong, or the tensor was freed before the kernel ran.",
        "Copy tails with DataCopyPad, and check offsets for the last block. " + _TEST,
        "errcode:(0x800000, 0, 0) errorStr: The DDR address of the MTE instruction is out of range.",
        ISSUES + "bitsandbytes-foundation/bitsandbytes/pull/1695",
        look="run with ASCEND_LAUNCH_BLOCKING=1 to find the op",
    ),
    Cause(
        "ub-scalar-access",
        SPECIFIC,
        r"When the D-cache reads and writes data to the UB, the response value returned by the bus is a non-zero value",
        "A scalar access to UB failed",
        "GetValue or SetValue reached outside UB, or an address that is not aligned to its dtype.",
        "Check the indices of GetValue and SetValue. " + _TEST,
        "errorStr: When the D-cache reads and writes data to the UB, the response value returned by the bus is a "
        "non-zero value.",
        ISSUES + "vllm-project/vllm-ascend/issues/2763",
        look="run with ASCEND_LAUNCH_BLOCKING=1 to find the op",
    ),
    Cause(
        "kernel-timeout",
        SPECIFIC,
        r"errorStr: timeout or trap error|\[(?:aicore|vector core) timeout\]",
        "A kernel did not end",
        "It waits for an event, a queue or the other cores that never come, or it loops. With SyncAll, more blocks "
        "than cores wait for each other.",
        "Check every EnQue/DeQue and SetFlag/WaitFlag pair; with SyncAll, launch at most as many blocks as cores. "
        "opforge's simulated device reports such deadlocks.",
        "errcode:(0, 0, 0) errorStr: timeout or trap error. fixp_error0 info: 0x300004c",
        ISSUES + "hw-native-sys/PTOAS/pull/726",
        look="run with ASCEND_LAUNCH_BLOCKING=1 to find the op",
    ),
    Cause(
        "queue-buffers",
        SPECIFIC,
        r"current size is (\d+), max buffer number in same queue position is (\d+)",
        "More than {2} tensors are allocated from the queues of one position",
        "The number of events limits how many tensors of all queues of one TPosition may be alive: 4 on Atlas training "
        "products, 8 on Atlas A2. The device hangs instead.",
        "Free tensors earlier, use fewer queues or one buffer per queue, or put several tensors into one.",
        "[AllocEventID][321678] current size is 4, max buffer number in same queue position is 4",
        _GUIDE,
        look="the number of queues of each TPosition, times their buffers",
    ),
    Cause(
        "capture-synchronise",
        SPECIFIC,
        r"Not allow to synchronize captured-stream|reason=stream is captured",
        "A captured graph waits for its own stream",
        "Inside a capture, `.item()`, `.cpu()`, `print(tensor)` and conditions on tensors wait for the stream, which "
        "is not allowed.",
        "Keep such calls outside the captured region.",
        "Not allow to synchronize captured-stream, stream_id=262.[FUNC:StreamSynchronize]",
        ISSUES + "vllm-project/vllm-omni/issues/4519",
        look="the first line of your program in the traceback",
    ),
    Cause(
        "capture-unjoined",
        SPECIFIC,
        r"capture model contains a stream that was not joined to the original stream",
        "A side stream was not joined before the capture ended",
        "Work on a second stream became part of the capture, and the captured stream does not wait for its end.",
        "Let the captured stream wait for an event of the side stream before the capture ends.",
        "rtStreamEndCapture execution failed, reason=capture model contains a stream that was not joined to the "
        "original stream",
        ISSUES + "vllm-project/vllm-ascend/issues/13792",
        look="streams that the captured code uses",
    ),
    Cause(
        "capture-aclop",
        SPECIFIC,
        r"Cannot run aclop operators during NPU graph capture",
        "An old operator cannot be captured",
        "The operator runs through CANN's old interface (aclop), which graph capture does not support: its dtype, "
        "format or torch_npu's settings led there.",
        "torch.npu.config.allow_internal_format = False and torch.npu.set_compile_mode(jit_compile=False), or keep the "
        "op outside the capture",
        "RuntimeError: Cannot run aclop operators during NPU graph capture.",
        ISSUES + "XPU-Forces/xpu_graph/issues/304",
        look="the operator's name in the traceback",
    ),
    Cause(
        "capture-streams",
        SPECIFIC,
        r"AclmdlRICaptureBegin\(.*error code is 207008",
        "Graph captures have used up the device's streams",
        "Each captured graph keeps streams, and each size of a batch is a graph of its own.",
        "Capture fewer sizes (vLLM: fewer cudagraph_capture_sizes).",
        "NPU function error: c10_npu::acl::AclmdlRICaptureBegin(capture_stream_, capture_mode), error code is 207008",
        ISSUES + "vllm-project/vllm-ascend/blob/main/docs/source/faqs.md",
        look="the number of captured sizes",
    ),
    Cause(
        "asynchronous-stack",
        SYMPTOM,
        r"the stacktrace may be inaccurate",
        "The traceback may show another call than the one that failed",
        "Operators run later than Python calls them, so the error appears at a later call. The name of the operator in "
        "the message is right.",
        "export ASCEND_LAUNCH_BLOCKING=1, and run again",
        "Since the operator is called asynchronously, the stacktrace may be inaccurate. If you want to get the "
        "accurate stacktrace, please set the environment variable ASCEND_LAUNCH_BLOCKING=1.",
        ISSUES + "verl-project/verl/issues/5046",
        ("variable", "ASCEND_LAUNCH_BLOCKING"),
    ),
)
