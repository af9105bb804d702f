"""Families of error codes: what a code means whose number is not in the tables.

Sources: CANN's headers acl/error_codes/rt_error_codes.h, its table conf/error_manager/error_code.json, and
torch_npu/utils/_error_code.py.
"""

from __future__ import annotations

import re

from opforge.explain.codes.code import Code

_LOG = "Look for the first line with ERROR in ~/ascend/log/debug/plog, and give that file to `opforge explain`."
_SYNC = "Run again with ASCEND_LAUNCH_BLOCKING=1, so that the error appears at the call that causes it."

# The beginning of a number, the family's name, its cause, and its fix.
FAMILIES = (
    (r"16\d{4}", "aclnn: arguments", "An aclnn function refuses one of its arguments.", "Read the EZ1001 line of it."),
    (r"36\d{4}", "aclnn: runtime", "A runtime call inside an aclnn function failed.", _LOG),
    (r"56\d{4}", "aclnn: internal", "An aclnn function failed inside: shape inference, tiling or kernel lookup.", _LOG),
    (r"10[0-6]\d{3}", "ACL: arguments", "An ACL function refuses an argument, or was called at a wrong time.", _LOG),
    (r"107\d{3}", "ACL runtime: arguments", "A runtime function refuses an argument, stream, event or context.", _LOG),
    (r"14\d{4}", "ACL: graph engine and operators", "ACL could not compile, load or call an operator or model.", _LOG),
    (r"20[0-6]\d{3}", "ACL: resources", "ACL lacks memory or another resource, or the device lacks a feature.", _LOG),
    (r"207\d{3}", "ACL runtime: resources", "The runtime lacks memory, streams, events or another resource.", _LOG),
    (r"30\d{4}", "ACL: storage", "A limit of storage is exceeded.", "Free space on disk and in /dev/shm."),
    (r"50[0-6]\d{3}", "ACL: internal", "A module below ACL failed, such as the graph engine or the driver.", _LOG),
    (r"507\d{3}", "ACL runtime: device", "The device or its driver reported a failure, often of a kernel.", _SYNC),
    (r"EZ\d{4}", "operators (aclnn)", "An operator or its aclnn function reported an error.", _LOG),
    (r"EE\d{4}", "runtime", "The NPU runtime reported an error.", _LOG),
    (r"EI\d{4}", "HCCL", "The communication between NPUs failed.", "Look at the log of the rank that failed first."),
    (r"EJ\d{4}", "HCCP", "The process for HCCL's network connections failed.", "Check addresses and ports of HCCL."),
    (r"EK\d{4}", "profiling", "The profiler was called with wrong settings or in a wrong order.", _LOG),
    (r"EL\d{4}", "driver", "The NPU driver refused or failed.", "Run `npu-smi info`, and read `dmesg`."),
    (r"EH\d{4}", "ACL", "An ACL function reported an error.", _LOG),
    (r"EF\d{4}", "fusion and deployment", "CANN could not fuse or deploy a graph.", _LOG),
    (r"EC\d{4}", "automatic tuning", "CANN's tuner (AOE) failed.", _LOG),
    (r"ED\d{4}", "automatic tuning by RL", "CANN's tuner failed.", _LOG),
    (r"EB\d{4}", "TBE passes", "A pass of the TBE kernel compiler failed.", _LOG),
    (r"EN\d{4}", "DVPP", "The image and video unit refused an argument.", _LOG),
    (r"EO\d{4}", "AMCT", "The model compression tool failed.", _LOG),
    (r"E1\d{4}", "graph engine", "The graph engine refused an option or a graph.", _LOG),
    (r"E2\d{4}", "fusion engine", "The fusion engine could not select or fuse operators.", _LOG),
    (r"E3\d{4}", "AI CPU", "An operator for the AI CPU failed, or its package is missing.", _LOG),
    (r"E4\d{4}", "operator compilation", "CANN could not compile an operator with its Python modules.", _LOG),
    (r"E[5-9]\d{4}", "operator checks", "An operator's own check refused a shape, dtype or attribute.", _LOG),
    (r"E[A-Z]\d{4}", "CANN", "A module of CANN reported an error.", _LOG),
    (r"W[A-Z0-9]\d{4}", "warnings", "A module of CANN reported a warning. The failure has another cause.", _LOG),
    (r"ERR00\d{3}", "torch_npu: core", "torch_npu's core failed; the ACL code beside it says why.", _LOG),
    (r"ERR01\d{3}", "torch_npu: operators", "An operator of torch_npu failed; the code beside it says why.", _SYNC),
    (r"ERR02\d{3}", "torch_npu: distributed", "Communication failed; the HCCL code beside it says why.", _LOG),
    (r"ERR03\d{3}", "torch_npu: graphs", "torch_npu could not build or run a graph.", _LOG),
    (r"ERR04\d{3}", "torch_npu: profiler", "torch_npu's profiler failed.", _LOG),
    (r"ERR99\d{3}", "torch_npu", "torch_npu reports an error whose module is not known.", _LOG),
)


def family_of(number: str) -> Code | None:
    """A generic code for a number of a known family."""
    for pattern, name, cause, fix in FAMILIES:
        if re.fullmatch(pattern, number):
            return Code(number, f"a code of the family: {name}", cause, fix, generic=True)
    return None
