"""Codes of ACL (torch_npu's NPUErrorCodes.h lists them with CANN's advice)."""

from __future__ import annotations

from opforge.explain.codes.code import Code

_NOTHING: tuple[str, ...] = ()
_DEVICES = ("devices",)
_LOG = "Look for the first ERROR line in ~/ascend/log/debug/plog, and give that file to `opforge explain`."
_ORDER = "Call aclInit once, before everything else of ACL."

_ROWS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    ("100000", "ACL_ERROR_INVALID_PARAM", "An argument of an ACL function is not valid.", _LOG, _NOTHING),
    ("100001", "ACL_ERROR_UNINITIALIZE", "ACL was used before aclInit.", _ORDER, _NOTHING),
    ("100002", "ACL_ERROR_REPEAT_INITIALIZE", "aclInit was called twice in one process.", _ORDER, _NOTHING),
    ("100003", "ACL_ERROR_INVALID_FILE", "A file is missing or cannot be read.", _LOG, _NOTHING),
    ("100024", "ACL_ERROR_OP_NOT_FOUND", "ACL knows no operator of this type for these tensors.", _LOG, ("vendors",)),
    ("100026", "ACL_ERROR_UNSUPPORTED_DATA_TYPE", "The dtype is not supported.", "Cast the tensor.", _NOTHING),
    (
        "100039",
        "ACL_ERROR_LIB_PATH",
        "A program loaded CANN's stub libraries, which are only for linking.",
        "Remove devlib/ and stub/ folders from LD_LIBRARY_PATH.",
        ("library_path",),
    ),
    (
        "148049",
        "ACL_ERROR_INVALID_OPP_PATH",
        "ASCEND_OPP_PATH is not set or names a wrong folder.",
        "source /usr/local/Ascend/ascend-toolkit/set_env.sh",
        ("variable", "ASCEND_OPP_PATH"),
    ),
    ("200000", "ACL_ERROR_BAD_ALLOC", "Memory could not be allocated.", "Free device memory.", ("memory",)),
    ("200001", "ACL_ERROR_API_NOT_SUPPORT", "The function is not supported on this device.", _LOG, _DEVICES),
    ("200002", "ACL_ERROR_INVALID_DEVICE", "The device does not exist.", "Use a device that exists.", _DEVICES),
    ("300000", "ACL_ERROR_STORAGE_OVER_LIMIT", "A limit of storage is exceeded.", "Free some space.", ("disk",)),
    ("500000", "ACL_ERROR_INTERNAL_ERROR", "An unknown internal error of ACL.", _LOG, _NOTHING),
    (
        "500001",
        "ACL_ERROR_FAILURE",
        (
            "A module below ACL failed to start, such as the graph engine or the operator "
            "compiler. Often a Python module that it needs is missing."
        ),
        _LOG,
        ("modules", "numpy", "decorator", "sympy", "cffi", "yaml", "attr", "scipy", "psutil", "google.protobuf"),
    ),
    ("500002", "ACL_ERROR_GE_FAILURE", "The graph engine failed.", _LOG, _NOTHING),
    ("500003", "ACL_ERROR_RT_FAILURE", "The runtime failed.", _LOG, _NOTHING),
    ("500004", "ACL_ERROR_DRV_FAILURE", "The driver failed.", _LOG, _DEVICES),
    ("500005", "ACL_ERROR_PROFILING_FAILURE", "The profiler failed.", _LOG, _NOTHING),
)

ACL_CODES = tuple(Code(number, name, cause, fix, check) for number, name, cause, fix, check in _ROWS)
