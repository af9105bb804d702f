"""Compiles a kernel with asc_opc and runs it on the engine, with NumPy arrays for global memory.

kernel = compile_kernel(root, source, "vector_add", {"x": "float16", "y": "float16"}, {"z": "float16"}, tmp_path)
run(kernel, [x, y], [z], tiling=struct.pack("<QQ", n, tile), block_dim=8)  # z is written; raises LaunchError
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]

TESTS = Path(__file__).parent  # these modules, for programs that tests start
SOURCES = TESTS / "sources"

# Of every launch that succeeded: the kernel's object and the SoC. conftest.py looks up what they hold.
LAUNCHED: set[tuple[Path, str]] = set()

# How kernels of tests are compiled: most run once and in no time, and asc_opc's own level takes two to three times as
# long to compile. Empty, as in `make slow` and `make qualify`: asc_opc's own, whose warnings also follow values.
LEVEL = os.environ.get("OPFORGE_KERNEL_LEVEL", "-O0")

# Atlas A2, Ascend910B1 (data/platform_config of the toolkit).
UB_BYTES = 196608


class CompileError(Exception):
    """asc_opc refused the kernel; the text is its stderr."""


class LaunchError(Exception):
    """The engine refused what the kernel did: ``report`` is what is wrong and the rule, ``text`` all that is said."""

    def __init__(self, status: int, text: str, defect: dict[str, Any]) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.report = re.split(r"\n  (?:devices|hint|pipe|in|OPFORGE_SIM_RULES|to allow it)\b", text)[0]
        self.defect = defect


class _Region(ctypes.Structure):
    _fields_ = (
        ("addr", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("writable", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("role", ctypes.c_uint32),
        ("element", ctypes.c_uint32),
        ("storage", ctypes.c_uint64),
        ("storage_bytes", ctypes.c_uint64),
    )


class _Soc(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 32),
        ("short_name", ctypes.c_char * 32),
        ("cube_cores", ctypes.c_uint32),
        ("vector_cores", ctypes.c_uint32),
        ("ub_bytes", ctypes.c_uint64),
        ("l1_bytes", ctypes.c_uint64),
        ("l0a_bytes", ctypes.c_uint64),
        ("l0b_bytes", ctypes.c_uint64),
        ("l0c_bytes", ctypes.c_uint64),
        ("queue_buffers", ctypes.c_uint32),
    )


CHECKS = ("fast", "full", "off")  # by SIM_CHECKS_*
RULES = ("documented", "device")  # by SIM_RULES_*
MEMORY, INPUT, OUTPUT, SHAPED, WORKSPACE, COPY = range(6)  # SIM_REGION_*
PIPES = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX")  # by SIM_PIPE_*
MEMORIES = ("UB", "L1", "L0A", "L0B", "L0C")


class _CoreCounts(ctypes.Structure):
    _fields_ = (
        ("cube", ctypes.c_uint32),
        ("block", ctypes.c_uint32),
        ("sub", ctypes.c_uint32),
        ("gm_read", ctypes.c_uint64),
        ("gm_written", ctypes.c_uint64),
        ("vector_elements", ctypes.c_uint64),
        ("macs", ctypes.c_uint64),
        ("instructions", ctypes.c_uint64),
        ("peak", ctypes.c_uint64 * len(MEMORIES)),
        ("busy", ctypes.c_uint64 * len(PIPES)),
        ("span", ctypes.c_uint64),
        ("crossed", ctypes.c_uint64),
        ("bypassed", ctypes.c_uint64),
    )


class _Allow(ctypes.Structure):
    _fields_ = (("rule", ctypes.c_char_p), ("file", ctypes.c_char_p), ("warn", ctypes.c_uint32))


class _Launch(ctypes.Structure):
    _fields_ = (
        ("op_type", ctypes.c_char_p),
        ("object_path", ctypes.c_char_p),
        ("block_dim", ctypes.c_uint32),
        ("tiling_key", ctypes.c_uint64),
        ("checks", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("soc", ctypes.POINTER(_Soc)),
        ("arg_count", ctypes.c_uint32),
        ("args", ctypes.POINTER(ctypes.c_uint64)),
        ("region_count", ctypes.c_uint32),
        ("regions", ctypes.POINTER(_Region)),
        ("tiling", ctypes.c_void_p),
        ("tiling_bytes", ctypes.c_uint64),
        ("tiling_set", ctypes.c_char_p),
        ("logical_blocks", ctypes.c_uint32),
        ("gm_begin", ctypes.c_uint64),
        ("gm_bytes", ctypes.c_uint64),
        ("rules", ctypes.c_uint32),
        ("allow_count", ctypes.c_uint32),
        ("allow", ctypes.POINTER(_Allow)),
        ("project", ctypes.c_uint32),
    )


class _Counts(ctypes.Structure):
    _fields_ = (
        ("cores", ctypes.POINTER(_CoreCounts)),
        ("capacity", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("defect", ctypes.c_char_p),
        ("defect_capacity", ctypes.c_uint64),
        ("trace", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_uint64)),
        ("trace_context", ctypes.c_void_p),
        (
            "warn",
            ctypes.CFUNCTYPE(
                *(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_uint64),
                *(ctypes.POINTER(ctypes.c_char), ctypes.c_uint64),
            ),
        ),
        ("warn_context", ctypes.c_void_p),
        ("timed", ctypes.c_uint64),
        ("gm_read_once", ctypes.c_uint64),
        ("gm_written_once", ctypes.c_uint64),
    )


@dataclass(frozen=True)
class CoreCounts:
    """What one core did: bytes of global memory, results, instructions; ``peak`` in bytes by memory."""

    cube: bool
    block: int
    sub: int
    gm_read: int
    gm_written: int
    vector_elements: int
    macs: int
    instructions: int
    peak: dict[str, int]


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel object and the names of its tensors."""

    path: Path
    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    toolkit_root: Path = field(repr=False)


def compile_kernel(  # noqa: PLR0917 - they read in the order of the sentence
    toolkit_root: Path,
    source: str | Path,
    op: str,
    inputs: Mapping[str, str],
    outputs: Mapping[str, str],
    workdir: Path,
    *,
    options: Sequence[str] = (),
    include_dirs: Sequence[Path] = (),
    name: str = "",
    soc_version: str = "Ascend910B1",
    level: str = LEVEL,
) -> Kernel:
    """``source`` is C++ text or a path; ``inputs`` and ``outputs`` map tensor names to dtypes. Raises CompileError.

    ``level`` is the compiler's level of optimisation, or empty for asc_opc's own.
    """
    workdir.mkdir(parents=True, exist_ok=True)
    if isinstance(source, str):
        path = workdir / f"{op}.cpp"
        path.write_text(source, encoding="utf-8")
    else:
        path = source
    op_type = "".join(part.capitalize() for part in op.split("_"))
    kernel = {
        "op_type": op_type,
        "op_file": op,
        "source": str(path),
        "include_dirs": [str(folder) for folder in include_dirs],
        "options": [*options, *filter(None, [level])],
        "inputs": list(inputs),
        "outputs": list(outputs),
        "attrs": [],
    }
    (workdir / f"{op_type}.py").write_text(f"KERNEL = {kernel!r}\n", encoding="utf-8")

    def tensors(dtypes: Mapping[str, str]) -> list[dict[str, object]]:
        return [
            {"name": n, "dtype": d, "format": "ND", "paramType": "required", "index": i, "shape": [-2]}
            for i, (n, d) in enumerate(dtypes.items())
        ]

    bin_filename = name or f"{op_type}_{'_'.join(inputs.values())}"
    params = {
        "op_type": op_type,
        "inputs": tensors(inputs),
        "outputs": tensors(outputs),
        "attrs": [],
        "bin_filename": bin_filename,
    }
    (workdir / "param.json").write_text(json.dumps(params), encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            str(toolkit_root / "bin" / "asc_opc"),
            str(workdir / f"{op_type}.py"),
            f"--main_func={op}",
            f"--input_param={workdir / 'param.json'}",
            f"--soc_version={soc_version}",
            f"--output={workdir / 'out'}",
            "--impl_mode=high_performance,optional",
            "--simplified_key_mode=0",
            "--op_mode=dynamic",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CompileError(done.stderr)
    return Kernel(workdir / "out" / f"{bin_filename}.o", op_type, tuple(inputs), tuple(outputs), toolkit_root)


compile_as_built = functools.partial(compile_kernel, level="")


def _timed(core: _CoreCounts) -> dict[str, Any]:
    return {
        "kind": ("aiv", "aic", "aicore")[core.cube],
        "crossed": core.crossed,
        "bypassed": core.bypassed,
        "macs": core.macs,
        "span": core.span,
        "busy": dict(zip(PIPES, core.busy, strict=True)),
    }


def aligned(count: int, dtype: type) -> Array:
    """Zeros at a multiple of 64 bytes, as the device's allocator gives them; a line of the data cache is 64 bytes."""
    size = np.dtype(dtype).itemsize * count
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype)


@functools.cache
def _engine(toolkit_root: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(toolkit_root / "lib64" / "libascendc_sim.so"), mode=ctypes.RTLD_GLOBAL)


@functools.cache
def _object(path: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(path))


def run(
    kernel: Kernel,
    inputs: Sequence[Array | None],
    outputs: Sequence[Array],
    *,
    tiling: bytes = b"",
    tiling_set: bytes | None = None,
    block_dim: int = 1,
    tiling_key: int = 0,
    workspace_bytes: int = 0,
    workspace: Array | None = None,
    checks: bool | str = True,
    threads: int = 0,
    vector_cores: int = 48,
    short_name: str = "ascend910b",
    trace: list[str] | None = None,
    report_bytes: int = 8192,
    device: Array | None = None,
    rules: str = "documented",
    allow: Sequence[tuple[str, str, bool]] = (),
    project: int = 0,
    warnings: list[dict[str, Any]] | None = None,
    roles: Mapping[str, int] | None = None,
    storage: Mapping[str, tuple[int, int]] | None = None,
    timed: list[dict[str, Any]] | None = None,
) -> tuple[CoreCounts, ...]:
    """Launches the kernel; ``outputs`` are written in place. An input of None is an absent optional one.

    The workspace is zeros of ``workspace_bytes``, or the given array; ``device`` is what the tensors are parts of, all
    memory of the device. ``allow`` has rules (their ids), ends of paths, and whether a warning is said all the same;
    ``warnings`` takes them, with their ``text``; ``project`` is 1 where messages say what to write into opforge.yaml, 2
    where that has the block ``simulator``. ``roles`` are what tensors are to the kernel where that is not an
    input, else memory of no particular kind; ``storage`` is where their storages begin, in bytes before the tensor, and
    how long they are. ``timed`` takes what the model of time is given, as the device's profile has it. Returns what
    each core did.
    """
    if workspace is None:
        workspace = np.zeros(max(workspace_bytes, 1), np.uint8)
    else:
        workspace_bytes = workspace.nbytes
    memory: list[Array | None] = [*inputs, *outputs, workspace]
    names = [*kernel.inputs, *kernel.outputs, "workspace"]
    assert len(memory) == len(names), f"{kernel.op_type} has the tensors {names}"
    assert all(array is None or array.flags.c_contiguous for array in memory)
    regions = [
        _Region(
            array.ctypes.data,
            workspace_bytes if array is workspace else array.nbytes,
            int(i >= len(inputs)),
            names[i].encode(),
            (roles or {}).get(names[i], INPUT if i < len(inputs) else MEMORY),
            array.itemsize,
            array.ctypes.data - (storage or {}).get(names[i], (0, 0))[0],
            (storage or {}).get(names[i], (0, 0))[1],
        )
        for i, array in enumerate(memory)
        if array is not None
    ]
    args = [0 if array is None else array.ctypes.data for array in memory] + [0]
    if short_name == "ascend310p":
        soc = _Soc(b"Ascend310P3", b"ascend310p", 8, 7, 262144, 1048576, 65536, 65536, 262144, 4)
    elif short_name == "ascend950":
        soc = _Soc(b"Ascend950PR_9599", b"ascend950", 32, 64, 253952, 524288, 65536, 65536, 262144, 8)
    else:
        soc = _Soc(b"Ascend910B1", b"ascend910b", 24, vector_cores, UB_BYTES, 524288, 65536, 65536, 131072, 8)
    launch = _Launch(
        kernel.op_type.encode(),
        str(kernel.path).encode(),
        block_dim,
        tiling_key,
        CHECKS.index(checks) if isinstance(checks, str) else int(checks),
        threads,
        ctypes.pointer(soc),
        len(args),
        (ctypes.c_uint64 * len(args))(*args),
        len(regions),
        (_Region * len(regions))(*regions),
        ctypes.cast(ctypes.create_string_buffer(tiling, max(len(tiling), 1)), ctypes.c_void_p),
        len(tiling),
        tiling_set,
        0,
        0 if device is None else device.ctypes.data,
        0 if device is None else device.nbytes,
        RULES.index(rules),
        len(allow),
        (_Allow * len(allow))(*(_Allow(rule.encode(), file.encode(), int(warn)) for rule, file, warn in allow)),
        project,
    )
    engine = _engine(kernel.toolkit_root)
    entry = ctypes.cast(_object(kernel.path).sim_kernel_entry, ctypes.c_void_p)
    report = ctypes.create_string_buffer(report_bytes)
    cores = (_CoreCounts * (3 * max(block_dim, 1)))()
    defect = ctypes.create_string_buffer(16384)
    counts = _Counts(cores, len(cores), 0, ctypes.cast(defect, ctypes.c_char_p), len(defect))
    if trace is not None:
        lines = trace
        counts.trace = _Counts._fields_[5][1](lambda _, line, size: lines.append(ctypes.string_at(line, size).decode()))
    counts.timed = int(timed is not None or trace is not None)
    told = [] if warnings is None else warnings

    def warn(_: object, text: object, size: int, line: object, length: int) -> None:
        told.append({**json.loads(ctypes.string_at(line, length)), "text": ctypes.string_at(text, size).decode()})

    counts.warn = _Counts._fields_[7][1](warn)
    size = ctypes.c_uint64(len(report))
    status = engine.sim_engine_run(ctypes.byref(launch), entry, report, size, ctypes.byref(counts))
    if status != 0:
        raise LaunchError(status, report.value.decode(), json.loads(defect.value or b"{}"))
    LAUNCHED.add((kernel.path, short_name))
    if timed is not None:
        did = cores[: counts.count]
        moved = {"read": sum(core.gm_read for core in did), "written": sum(core.gm_written for core in did)}
        once = {"read_once": counts.gm_read_once, "written_once": counts.gm_written_once}
        timed.append({"gm": {**moved, **once}, "cores": [_timed(core) for core in did]})
    return tuple(
        CoreCounts(
            bool(core.cube),
            *(core.block, core.sub, core.gm_read, core.gm_written),
            *(core.vector_elements, core.macs, core.instructions),
            dict(zip(MEMORIES, core.peak, strict=True)),
        )
        for core in cores[: counts.count]
    )
