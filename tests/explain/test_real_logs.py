"""Real logs with several causes, from public issues: the root comes first."""

from __future__ import annotations

import pytest

from opforge.explain.matching import Match, explain

# github.com/vllm-project/vllm-ascend/issues/692
PLATFORM = """\
RuntimeError: SetPrecisionMode:build/CMakeFiles/torch_npu.dir/compiler_depend.ts:155 NPU function error: \
at_npu::native::AclSetCompileopt(aclCompileOpt::ACL_PRECISION_MODE, precision_mode), error code is 500001
[ERROR] 2025-04-28-02:50:24 (PID:1439, Device:0, RankID:-1) ERR00100 PTA call acl api failed
[Error]: The internal ACL of the system is incorrect.
        Rectify the fault based on the error information in the ascend log.
EH9999: Inner Error!
EH9999: [PID: 1439] 2025-04-28-02:50:24.965.356 [Init][PlatformInfo]init runtime platform info failed, \
SocVersion = Ascend910B2[FUNC:ReportInnerError][FILE:log_inner.cpp][LINE:145]
        TraceBack (most recent call last):
       GELib::InnerInitialize failed.[FUNC:Initialize][FILE:gelib.cc][LINE:177]
       GEInitialize failed.[FUNC:GEInitialize][FILE:ge_api.cc][LINE:337]
"""

# github.com/flashserve/flash-linear-attention-npu/issues/2
SHADOWED = """\
    entrypoint = backend_extension.load()
AttributeError: module 'torch_npu' has no attribute '_autoload'

The above exception was the direct cause of the following exception:

RuntimeError: Failed to load the backend extension: torch_npu. You can disable extension auto-loading with \
TORCH_DEVICE_BACKEND_AUTOLOAD=0.
"""

# github.com/hw-native-sys/PTOAS/pull/948
DEVICE = """\
[ERROR] aclrtSetDevice(deviceId) failed: 507033 (npu_validation/Qwen3DecodeA5/post_rmsnorm/main.cpp:102)
[ERROR] RecentErrMsg: [PID: 267912] 2026-07-21-06:01:46.979.468 Invalid_Argument(EE1001): The argument is \
invalid.Reason: rtGetDevMsg execution failed, the context is a null pointer.
        [drv api] halDeviceOpen failed. device_id=1, drvRetCode=7.[FUNC:DeviceOpen][FILE:npu_driver.cc][LINE:438]
        Failed to open device, retCode=0x7020010, deviceId=1.[FUNC:InitRawDriver][FILE:raw_device.cc][LINE:213]
"""

# github.com/hw-native-sys/PTOAS/pull/1161
UB = """\
[ERROR] aclrtSynchronizeStream(stream) failed: 507035 (npu_validation/Colexpandadd/colexpandadd/main.cpp:122)
[ERROR] RecentErrMsg: EZ9999: Inner Error!
EZ9999[PID: 162496] 2026-08-05-20:04:39.834.038 (EZ9999):  The error from device(chipId:2, dieId:1), serial number \
is 453, there is an exception of aivec error, core id is 38, error code = 0x4000000000000000
       The extend info: errcode:(0x4000000000000000) errorStr: VEC instruction error: the ub address out of bounds.
       Kernel task happen error, retCode=0x31, [vector core exception].[FUNC:PreCheckTaskErr][LINE:1729]
"""

# github.com/mirror-cann/asc-devkit, FAQ: config.ini cannot be opened
CONFIG = """\
[INFO] The real path of config.ini is /usr/local/Ascend/cann/opp/vendors/config.ini.
[WARNING]  Can not open file: /usr/local/Ascend/cann/opp/vendors/config.ini.
[INFO] Start get path and read binary_info_config.json.
[WARNING] Get jsonfile path for /tmp/binary_info_config.json failed, errmsg:No such file or directory.
[ERROR] Get path and read binary_info_config.json failed, please check if the opp_kernel package is installed!
"""

# github.com/hiyouga/LlamaFactory/issues/3839
HCCP = """\
RuntimeError: [ERROR] HCCL error in: torch_npu/csrc/distributed/ProcessGroupHCCL.cpp:64
[ERROR] 2024-05-21-11:57:54 (PID:927000, Device:3, RankID:3) ERR02200 DIST call hccl api failed.
EJ0001: 2024-05-21-11:57:54.167.645 Failed to initialize the HCCP process. Reason: Maybe the last training process is \
running.
        Solution: Wait for 10s after killing the last training process and try again.
"""

# github.com/Ascend/pytorch/issues/48
SYNC = """\
W NPUStream.cpp:409] Warning: NPU warning, error code is 507046[Error]:
EE1002: 2024-09-03-16:50:00.041.231 Stream synchronize timeout. rtDeviceSynchronize execute failed
        wait for compute device to finish failed, runtime result = 507046.[FUNC:ReportCallError][FILE:log_inner.cpp]
"""

# github.com/vllm-project/vllm-ascend/pull/661
HEADER = """\
  [ 97%] Building CXX object CMakeFiles/vllm_ascend_C.dir/csrc/camem_allocator.cpp.o
  csrc/torch_binding.cpp:20:10: fatal error: torch_npu/csrc/core/npu/NPUStream.h: No such file or directory
     20 | #include <torch_npu/csrc/core/npu/NPUStream.h>
  compilation terminated.
  gmake[3]: *** [CMakeFiles/vllm_ascend_C.dir/build.make:93: CMakeFiles/vllm_ascend_C.dir/csrc/x.cpp.o] Error 1
"""


@pytest.mark.parametrize(
    ("log", "explained"),
    [
        (PLATFORM, ["platform-info", "graph-engine-init"]),
        (SHADOWED, ["torch-npu-shadowed", "backend-autoload"]),
        (DEVICE, ["device-open", "507033"]),
        (UB, ["ub-out-of-bounds", "507035"]),
        (CONFIG, ["config-ini-unreadable", "kernel-package-missing"]),
        (HCCP, ["hccp-process"]),
        (SYNC, ["507046", "EE1002"]),
        (HEADER, ["torch-npu-header-missing"]),
    ],
)
def test_the_root_comes_first(log: str, explained: list[str]) -> None:
    found = [match.cause.key if isinstance(match, Match) else match.code.number for match in explain(log)]
    assert found == explained
