"""aclnn by ctypes: what an adapter does in C++. Runs inside children started by the tests."""

from __future__ import annotations

import ast
import ctypes
import os
import struct
from pathlib import Path

PACKAGE = Path(os.environ["TEST_PACKAGE"])
FLOAT, FLOAT16, INT8, INT32, INT64, DOUBLE = 0, 1, 2, 3, 9, 11
SIZES = {FLOAT: 4, FLOAT16: 2, INT8: 1, INT32: 4, INT64: 8, DOUBLE: 8}
CODES = {FLOAT: "f", FLOAT16: "H", INT8: "b", INT32: "i", INT64: "q", DOUBLE: "d"}
NCHW, ND, FRACTAL_NZ = 0, 2, 29

acl = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
# dlsym of a handle looks into what it depends on too, as torch_npu relies on.
meta = ctypes.CDLL("libopapi.so")
api = ctypes.CDLL(str(PACKAGE / "op_api" / "lib" / "libcust_opapi.so"))
for name in (
    "aclCreateTensor", "aclCreateScalar", "aclCreateIntArray", "aclCreateFloatArray", "aclCreateBoolArray",
    "aclCreateTensorList", "aclCreateScalarList",
):  # fmt: skip
    getattr(meta, name).restype = ctypes.c_void_p
meta.opforgeSimLive.restype = ctypes.c_int64
for name in ("aclDestroyTensor", "aclDestroyScalar", "aclDestroyIntArray", "aclDestroyAclOpExecutor"):
    getattr(meta, name).argtypes = [ctypes.c_void_p]
meta.aclSetAclOpExecutorRepeatable.argtypes = [ctypes.c_void_p]
meta.aclDestroyTensorList.argtypes = [ctypes.c_void_p]
for name in ("aclSetDynamicInputTensorAddr", "aclSetDynamicOutputTensorAddr"):
    getattr(meta, name).argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p,
    ]  # fmt: skip
meta.aclSetInputTensorAddr.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]

DEVICE = os.environ.get("TEST_DEVICE") == "1"
if DEVICE:
    assert acl.aclInit(None) == 0
    acl.aclrtSetDevice(0)
    acl.aclrtMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    acl.aclrtMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

_kept: list[object] = []

OBJECTS = (
    "aclTensor", "aclTensorList", "aclScalar", "aclScalarList", "aclIntArray", "aclFloatArray", "aclBoolArray",
    "aclOpExecutor",
)  # fmt: skip


def live(kind: str) -> int:
    return meta.opforgeSimLive(kind.encode())


def live_objects() -> int:
    return sum(live(kind) for kind in OBJECTS)


def memory(data: bytes) -> int:
    """Device memory that holds data."""
    if DEVICE:
        pointer = ctypes.c_void_p()
        assert acl.aclrtMalloc(ctypes.byref(pointer), max(32, len(data)), 0) == 0
        assert acl.aclrtMemcpy(pointer, len(data), data, len(data), 1) == 0
        return pointer.value or 0
    buffer = ctypes.create_string_buffer(data, max(1, len(data)))
    _kept.append(buffer)
    return ctypes.addressof(buffer)


def read(address: int, size: int) -> bytes:
    if DEVICE:
        buffer = ctypes.create_string_buffer(max(1, size))
        assert acl.aclrtMemcpy(buffer, size, address, size, 2) == 0
        return buffer.raw[:size]
    return ctypes.string_at(address, size)


class Tensor:
    """An aclTensor and its memory; strides and offset in elements."""

    def __init__(
        self,
        dims: list[int],
        values: list[float] | None = None,
        *,
        dtype: int = FLOAT,
        strides: list[int] | None = None,
        offset: int = 0,
        form: int = ND,
        address: int | None = None,
    ) -> None:
        self.count = 1
        for dim in dims:
            self.count *= dim
        values = [0] * (min(self.count, 1 << 20) + offset) if values is None else values
        self.dtype = dtype
        self.size = len(values)
        self.address = memory(struct.pack(f"{len(values)}{CODES[dtype]}", *values)) if address is None else address
        shape = (ctypes.c_int64 * len(dims))(*dims)
        steps = None if strides is None else (ctypes.c_int64 * len(dims))(*strides)
        storage = (ctypes.c_int64 * 1)(len(values))
        self.handle = meta.aclCreateTensor(
            shape, ctypes.c_uint64(len(dims)), dtype, steps, ctypes.c_int64(offset), form, storage,
            ctypes.c_uint64(1), ctypes.c_void_p(self.address),
        )  # fmt: skip

    def values(self) -> list[float]:
        return list(struct.unpack(f"{self.size}{CODES[self.dtype]}", read(self.address, self.size * SIZES[self.dtype])))


def int_array(*values: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(meta.aclCreateIntArray((ctypes.c_int64 * len(values))(*values), len(values)))


def scalar(value: float, dtype: int = FLOAT) -> ctypes.c_void_p:
    data = struct.pack(CODES[dtype], value)
    return ctypes.c_void_p(meta.aclCreateScalar(ctypes.create_string_buffer(data, 16), dtype))


def float_array(*values: float) -> ctypes.c_void_p:
    return ctypes.c_void_p(meta.aclCreateFloatArray((ctypes.c_float * len(values))(*values), len(values)))


def bool_array(*values: bool) -> ctypes.c_void_p:
    return ctypes.c_void_p(meta.aclCreateBoolArray((ctypes.c_bool * len(values))(*values), len(values)))


def tensor_list(*tensors: Tensor | None) -> ctypes.c_void_p:
    """It owns the tensors' handles."""
    handles = (ctypes.c_void_p * len(tensors))(*(None if tensor is None else tensor.handle for tensor in tensors))
    return ctypes.c_void_p(meta.aclCreateTensorList(handles, ctypes.c_uint64(len(tensors))))


def destroy_list(tensors: ctypes.c_void_p) -> None:
    meta.aclDestroyTensorList(tensors)


def scalar_list(*values: tuple[float, int]) -> ctypes.c_void_p:
    """Of values with their dtypes."""
    handles = (ctypes.c_void_p * len(values))(*(scalar(value, dtype).value for value, dtype in values))
    return ctypes.c_void_p(meta.aclCreateScalarList(handles, ctypes.c_uint64(len(values))))


def message() -> str:
    return acl.aclGetRecentErrMsg().decode()


def view_of(tensor: Tensor) -> tuple[list[int], list[int]]:
    """Sizes and strides as the tensor's description has them now."""
    read = []
    for function in (meta.aclGetViewShape, meta.aclGetViewStrides):
        values, count = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
        assert function(ctypes.c_void_p(tensor.handle), ctypes.byref(values), ctypes.byref(count)) == 0
        read.append([values[i] for i in range(count.value)])
    return read[0], read[1]


def _argument(value: object) -> object:
    if isinstance(value, Tensor):
        return ctypes.c_void_p(value.handle)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    return ctypes.c_int64(value) if isinstance(value, int) else value


def prepare(op: str, *arguments: object) -> tuple[int, int, ctypes.c_void_p]:
    """The first phase: status, workspace size, executor."""
    size, executor = ctypes.c_uint64(99), ctypes.c_void_p(99)
    first = getattr(api, f"aclnn{op}GetWorkspaceSize")
    status = first(*map(_argument, arguments), ctypes.byref(size), ctypes.byref(executor))
    return status, size.value, executor


def launch(op: str, workspace: int, size: int, executor: ctypes.c_void_p) -> int:
    op = op.removesuffix("Tensor")
    return getattr(api, f"aclnn{op}")(ctypes.c_void_p(workspace), ctypes.c_uint64(size), executor, None)


def call(op: str, *arguments: object) -> None:
    """Both phases; an exception that holds status and message on failure."""
    status, size, executor = prepare(op, *arguments)
    if status:
        raise RuntimeError(f"{status}: {message()}")
    status = launch(op, memory(b"\xee" * size) if size else 0, size, executor)
    if status:
        raise RuntimeError(f"{status}: {message()}")


def failure(op: str, *arguments: object) -> str:
    """What the first phase says against these arguments."""
    status, size, executor = prepare(op, *arguments)
    assert status != 0
    assert (size, executor.value) == (0, None), "a failed first phase hands out nothing"
    return f"{status}: {message()}"


def last_launch() -> dict[str, object]:
    acl.double_last_launch.restype = ctypes.c_char_p
    return ast.literal_eval(acl.double_last_launch().decode())
