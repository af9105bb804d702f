"""Devices, drivers, containers, memory, and communication between NPUs."""

from __future__ import annotations

from opforge.explain.cause import ISSUES, ROOT, SPECIFIC, SYMPTOM, Cause

_MOUNT = (
    "docker run --device /dev/davinci0 --device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc "
    "-v /usr/local/dcmi:/usr/local/dcmi -v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi "
    "-v /usr/local/Ascend/driver:/usr/local/Ascend/driver ..."
)

DEVICES = (
    Cause(
        "dcmi-initialise",
        ROOT,
        r"dcmi module initialize failed\. ret is -8005",
        "npu-smi cannot reach the device",
        "Another container holds the device, or the devices or the driver's folder are not in this container.",
        _MOUNT + " (a device belongs to one container at a time)",
        "dcmi module initialize failed. ret is -8005",
        ISSUES + "vllm-project/vllm-ascend/issues/2698",
        ("devices",),
    ),
    Cause(
        "dcmi-in-use",
        ROOT,
        r"because the device is used\. ret is -8020",
        "Another container uses the device",
        "The driver gives a device to one container at a time.",
        "Stop the other container, or give this one another /dev/davinci<N>.",
        "dcmi model initialized failed, because the device is used. ret is -8020",
        ISSUES + "Ascend/cann-container-image/issues/46",
        ("devices",),
    ),
    Cause(
        "npu-smi-missing",
        ROOT,
        r"npu-smi: (?:command not found|No such file or directory)",
        "npu-smi is not in this container or machine",
        "npu-smi belongs to the NPU driver. Without a driver there is none; a container must get it from the host. "
        "Programs that ask it for the chip then fail, too.",
        "Mount /usr/local/bin/npu-smi and /usr/local/dcmi into the container; without an NPU, name the chip yourself: "
        "export SOC_VERSION=ascend910b1",
        "bash: /usr/local/bin/npu-smi: No such file or directory",
        ISSUES + "PaddlePaddle/PaddleX/issues/4542",
        ("program", "npu-smi"),
    ),
    Cause(
        "visible-devices",
        ROOT,
        r"set ASCEND_RT_VISIBLE_DEVICES:\[([^\]]*)\] error, input data rang\[0-(\d+)\)",
        "ASCEND_RT_VISIBLE_DEVICES names devices that do not exist ({1} of {2})",
        "The variable counts the devices of this container from 0; the numbers of npu-smi may be others.",
        "export ASCEND_RT_VISIBLE_DEVICES=0 (numbers below {2})",
        "GetVisibleDevices:[INIT][DEFAULT]set ASCEND_RT_VISIBLE_DEVICES:[4] error, input data rang[0-2)",
        ISSUES + "gpustack/gpustack/issues/3352",
        ("devices",),
    ),
    Cause(
        "device-open",
        ROOT,
        r"halDeviceOpen failed\.? ?device_id=(\d+), drvRetCode=(\d+)",
        "The driver cannot open device {1}",
        "Another process or container holds the device, this user may not open it, or the device does not work.",
        "Stop the processes that `npu-smi info` lists, add the user to the group of /dev/davinci*, or reset the "
        "device.",
        "[drv api] halDeviceOpen failed. device_id=1, drvRetCode=7.[FUNC:DeviceOpen][FILE:npu_driver.cc][LINE:438]",
        ISSUES + "hw-native-sys/PTOAS/pull/948",
        ("devices",),
    ),
    Cause(
        "opp-refused",
        ROOT,
        r"E30006.*Failed to verify the OPP",
        "The device refuses the AI CPU's operator package",
        "The package that CANN sends to the device does not fit the driver, or another container has it loaded.",
        "Install driver, firmware and CANN of matching versions; stop other containers on the device.",
        "E30006: 2025-11-19-11:14:58.516.606 Failed to verify the OPP",
        ISSUES + "vllm-project/vllm-ascend/issues/4284",
        ("driver",),
    ),
    Cause(
        "npu-memory",
        SPECIFIC,
        r"NPU out of memory\. Tried to allocate (?!more than 1EB)([\d.]+ \w+).*?([\d.]+ \w+) total capacity",
        "The device's memory is full: {1} more were needed, of {2}",
        "Tensors of this or another process fill the memory. If much is reserved and not allocated, it is fragmented.",
        "Use smaller batches; stop other processes (`npu-smi info`); against fragments: export "
        "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True",
        "RuntimeError: NPU out of memory. Tried to allocate 52.00 MiB (NPU 0; 60.96 GiB total capacity; 59.36 GiB "
        "already allocated;",
        ISSUES + "vllm-project/vllm-omni/issues/1199",
        ("variables", "PYTORCH_NPU_ALLOC_CONF"),
    ),
    Cause(
        "npu-memory-nonsense",
        SPECIFIC,
        r"Tried to allocate more than 1EB memory",
        "A size that was computed on the device is nonsense",
        "A tensor that holds sizes was overwritten, often by a kernel that writes outside its output.",
        "Check the kernels before it: `opforge test` finds writes out of bounds on the simulated device.",
        "NPU out of memory. Tried to allocate more than 1EB memory",
        ISSUES + "flashserve/flash-linear-attention-npu/issues/149",
        look="run with ASCEND_LAUNCH_BLOCKING=1, and print the tensor that holds the size after each op",
    ),
    Cause(
        "driver-memory",
        SPECIFIC,
        r"EL0004\)?:? .*Failed to allocate memory",
        "The driver could not allocate device memory",
        "Another process fills the memory of the device, or this one asks for more than there is.",
        "Stop other processes (`npu-smi info`), or use smaller tensors.",
        "Memory_Allocation_Failure(EL0004): Failed to allocate memory requested by GE module.",
        ISSUES + "PKU-YuanGroup/Helios/issues/62",
        ("devices",),
    ),
    Cause(
        "disk-full",
        ROOT,
        r"No space left on device|Disk quota exceeded",
        "The disk is full",
        "A file could not be written: the disk, /tmp or /dev/shm is full, or the user's quota is used up.",
        "Free some space; `opforge clean` removes a project's build/, and ~/ascend/log may be large.",
        "fatal error: error writing to /tmp/ccXyz.s: No space left on device",
        "https://man7.org/linux/man-pages/man3/errno.3.html",
        ("disk",),
    ),
    Cause(
        "compiler-killed",
        ROOT,
        r"Killed signal terminated program|internal compiler error: Killed|virtual memory exhausted",
        "The machine had too little memory for the compilers",
        "Linux ended a compiler because the memory was full. Several compilers ran at the same time.",
        "Build with fewer at a time: opforge build -j 1; elsewhere MAX_JOBS=1",
        "c++: fatal error: Killed signal terminated program cc1plus",
        ISSUES + "opensim-org/opensim-core/issues/3303",
        ("memory",),
    ),
    Cause(
        "hccl-notify-timeout",
        SYMPTOM,
        r"wait execution of the Notify register times out",
        "A collective operation waited too long for another rank",
        "Another rank has failed, is much slower, or does not call the same operation.",
        "Explain the log of the rank that failed first. If all ranks are only slow: export HCCL_EXEC_TIMEOUT=3600",
        "EI0002: [PID: 2969] The wait execution of the Notify register times out. Reason: The Notify register has not "
        "received the Notify record from remote rank: [24].",
        ISSUES + "vllm-project/vllm-ascend/issues/3413",
        ("variables", "HCCL_"),
    ),
    Cause(
        "hccl-task-timeout",
        SYMPTOM,
        r"hccl fftsplus task timeout occurred|Watchdog caught collective operation timeout: WorkHCCL",
        "A collective operation did not end",
        "A rank waits for another that has failed, hangs in a kernel, or calls another operation.",
        "Explain the log of the rank that failed first; run with ASCEND_LAUNCH_BLOCKING=1 to find the operator.",
        "[Rank 1] Watchdog caught collective operation timeout: WorkHCCL(SeqNum=196, OpType=ALLREDUCE, "
        "Timeout(ms)=3600000) ran for 3600185 milliseconds before timing out.",
        ISSUES + "vllm-project/vllm-ascend/issues/382",
        ("variables", "HCCL_"),
    ),
    Cause(
        "hccl-socket-timeout",
        SYMPTOM,
        r"Getting socket times out",
        "A rank waited too long for the connection from another rank",
        "The other rank failed or starts much later, or the network between the machines blocks HCCL's ports.",
        "Explain the first failure of any rank. If ranks only start late: export HCCL_CONNECT_TIMEOUT=1200 on all.",
        "EI0006: Getting socket times out. Reason: Remote Rank did not send the data in time. Please check the reason "
        "for the rank being stuck",
        ISSUES + "vllm-project/vllm-ascend/issues/486",
        ("variables", "HCCL_"),
    ),
    Cause(
        "hccl-port",
        ROOT,
        r"Failed to bind the IP port|listen on ip\[\S+\] and specific port\[(\d+)\] fail",
        "HCCL's port is in use",
        "Another job on this machine listens on the port.",
        "End the other job, or give this one other ports: export HCCL_IF_BASE_PORT=50000 and export "
        "HCCL_HOST_SOCKET_PORT_RANGE=auto",
        "EJ0003: [PID: 159] Failed to bind the IP port. Reason: The IP address and port have been bound already.",
        ISSUES + "vllm-project/vllm-ascend/issues/405",
        ("variables", "HCCL_"),
    ),
    Cause(
        "hccp-process",
        ROOT,
        r"Failed to initialize the HCCP process",
        "A previous job still runs on the device",
        "HCCL's process on the device cannot start while that of another job runs.",
        "End all processes of the previous job, wait ten seconds, and start again.",
        "EJ0001: Failed to initialize the HCCP process. Reason: Maybe the last training process is running.",
        ISSUES + "hiyouga/LlamaFactory/issues/3839",
        ("devices",),
    ),
)
