"""The runtime by ctypes, for test programs that need no PyTorch. Runs inside children started by the tests."""

from __future__ import annotations

import array
import ctypes
import os
from pathlib import Path

ROOT = Path(os.environ["ASCEND_HOME_PATH"])
acl = ctypes.CDLL(str(ROOT / "lib64" / "libascendcl.so"))
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
acl.sim_host_view.restype = ctypes.c_void_p
acl.sim_host_view.argtypes = [ctypes.c_void_p]
acl.aclrtMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
acl.aclrtMemset.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t]
acl.aclrtMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
acl.aclrtFree.argtypes = [ctypes.c_void_p]
acl.opforgeSimLiveDevice.restype = ctypes.c_int64

H2D, D2H, D2D = 1, 2, 3


class Region(ctypes.Structure):
    _fields_ = [
        ("addr", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("writable", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("role", ctypes.c_uint32),
        ("element", ctypes.c_uint32),
        ("storage", ctypes.c_uint64),
        ("storage_bytes", ctypes.c_uint64),
    ]


class Launch(ctypes.Structure):
    _fields_ = [
        ("op_type", ctypes.c_char_p),
        ("object_path", ctypes.c_char_p),
        ("block_dim", ctypes.c_uint32),
        ("tiling_key", ctypes.c_uint64),
        ("checks", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("soc", ctypes.c_void_p),
        ("arg_count", ctypes.c_uint32),
        ("args", ctypes.POINTER(ctypes.c_uint64)),
        ("region_count", ctypes.c_uint32),
        ("regions", ctypes.POINTER(Region)),
        ("tiling", ctypes.c_void_p),
        ("tiling_bytes", ctypes.c_uint64),
        ("tiling_set", ctypes.c_char_p),
        ("logical_blocks", ctypes.c_uint32),
        ("gm_begin", ctypes.c_uint64),
        ("gm_bytes", ctypes.c_uint64),
        ("rules", ctypes.c_uint32),
        ("allow_count", ctypes.c_uint32),
        ("allow", ctypes.c_void_p),
        ("project", ctypes.c_uint32),
    ]


def live(kind: str) -> int:
    return acl.opforgeSimLiveDevice(kind.encode())


def message() -> str:
    return acl.aclGetRecentErrMsg().decode()


def malloc(size: int) -> int:
    pointer = ctypes.c_void_p()
    code = acl.aclrtMalloc(ctypes.byref(pointer), size, 0)
    if code:
        raise MemoryError(code, message())
    return pointer.value or 0


def put(pointer: int, values: array.array) -> None:
    data = values.tobytes()
    assert acl.aclrtMemcpy(pointer, len(data), data, len(data), H2D) == 0, message()


def get(pointer: int, count: int) -> list[float]:
    data = ctypes.create_string_buffer(max(1, count * 4))
    assert acl.aclrtMemcpy(data, count * 4, pointer, count * 4, D2H) == 0, message()
    return list(array.array("f", data.raw[: count * 4]))


def launch(
    kernel: str, x: int, z: int, count: int, *, tiling_key: int = 0, op_type: str = "Step", rules: int = 0
) -> tuple[int, str]:
    """Runs a kernel of kernels.cpp. Returns the status and, on failure, the message."""
    acl.sim_current_soc.restype = ctypes.c_void_p
    args = (ctypes.c_uint64 * 2)(x, z)
    regions = (Region * 2)(Region(x, count * 4, 0, b"x"), Region(z, count * 4, 1, b"z"))
    tiling = ctypes.create_string_buffer(count.to_bytes(8, "little"), 8)
    request = Launch(
        op_type.encode(), kernel.encode(), 1, tiling_key, 1, 1, acl.sim_current_soc(),
        2, args, 2, regions, ctypes.addressof(tiling), 8, rules=rules,
    )  # fmt: skip
    status = acl.sim_device_launch(ctypes.byref(request))
    return status, message() if status else ""


def start(device: int = 0) -> None:
    assert acl.aclrtSetDevice(device) == 0, message()


def workers() -> list[int]:
    """The process ids of this process's children: its workers."""
    mine = f"PPid:\t{os.getpid()}\n"
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if mine in status.read_text():
                found.append(int(status.parent.name))
        except OSError:  # it ended while we looked
            continue
    return found


def two_buffers(count: int) -> tuple[int, int]:
    x, z = malloc(max(4, count * 4)), malloc(max(4, count * 4))
    put(x, array.array("f", range(count)))
    return x, z
