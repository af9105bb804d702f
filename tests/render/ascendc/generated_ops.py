"""Renders ops from expressions, compiles their host and kernel sources, and runs them on the simulator's engine."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from opforge.dtypes import DTYPES
from opforge.fileset import File
from opforge.ir.graph import Graph, Output
from opforge.kinds import kernel_of
from opforge.naming import snake
from opforge.program import Program
from opforge.render.ascendc import render_kernel, render_shared
from opforge.soc import SOCS, SocVersion
from opforge.spec import catalog
from opforge.spec.axes import Axes
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec, OpSpec, ProjectSpec, Spec, TensorSpec
from opforge.toolkit.simulator_layout import platform_config
from tests.kept import kept
from tests.parsed import graph_of

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "simulator" / "kernel"))
import harness  # noqa: E402

ALL = ("float16", "bfloat16", "float32")
SYSTEM_BYTES = 16 << 20  # GetLibApiWorkSpaceSize
# The tiling keys of kernels of rows with which all cores read parts of each row; where only a call knows the dimension,
# the second one is for rows across.
SPREAD, SPREAD_ACROSS = 2, 5
HOST_HEADER = "op_host.h"  # compiled before the sources
Attribute = float | str | Sequence[float]
Shapes = Sequence[Sequence[int] | None]


def op(
    name: str,
    compute: str,
    inputs: Sequence[str],
    attrs: Sequence[AttrSpec] = (),
    dtypes: Sequence[str] = ALL,
) -> OpSpec:
    """An op whose outputs are what ``compute`` assigns, all in the inputs' dtypes."""
    outputs = [line.split("=")[0].strip() for line in compute.splitlines()]
    tensors = tuple(TensorSpec(i, tuple(dtypes)) for i in inputs)
    return OpSpec(name, tensors, tuple(attrs), tuple(TensorSpec(o, tuple(dtypes)) for o in outputs), compute)


@dataclass(frozen=True)
class Chip:
    """A made-up chip: so many vector cores with so many bytes of UB, and half as many cube cores.

    ``l2``: bytes of its L2 cache; 0 if the chip's file does not say.
    """

    cores: int
    ub: int = 192 * 1024
    l2: int = 0

    @property
    def cubes(self) -> int:
        return max(self.cores // 2, 1)

    @property
    def name(self) -> str:
        return f"Test{self.cores}x{self.ub}" + (f"x{self.l2}" if self.l2 else "")


CHIPS = (
    Chip(48),
    Chip(40),
    Chip(1),
    Chip(3),
    Chip(1, 20 * 1024),
    Chip(7, 20 * 1024),
    Chip(2, 12 * 1024),
    Chip(2),
    Chip(6, 20 * 1024),
    Chip(2, 2048),
)
ROW_CHIPS = (Chip(1, 72 * 1024), Chip(7, 72 * 1024))  # values of rows take some of the UB
# With the same UB: a row has the same bits on all of them. A single core reads rows alone.
ALIKE_CHIPS = (*ROW_CHIPS, Chip(4, 72 * 1024), Chip(48, 72 * 1024))
PRODUCT_ROW_CHIPS = (Chip(6, 64 * 1024),)  # with two vector cores for each cube core
SHARED_SUM_CHIPS = (Chip(48, 20 * 1024),)  # its buffers do not hold 24 parts
L2_CHIPS = (Chip(3, l2=12000),)
ALL_CHIPS = tuple(dict.fromkeys((*CHIPS, *ALIKE_CHIPS, *PRODUCT_ROW_CHIPS, *SHARED_SUM_CHIPS, *L2_CHIPS)))


class _Call(ctypes.Structure):
    _fields_ = (
        ("op", ctypes.c_char_p),
        ("soc", ctypes.c_char_p),
        ("inputs", ctypes.c_int32),
        ("outputs", ctypes.c_int32),
        ("ranks", ctypes.POINTER(ctypes.c_int32)),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("dtypes", ctypes.POINTER(ctypes.c_int32)),
        ("attrs", ctypes.c_int32),
        ("attr_kinds", ctypes.c_char_p),
        ("attr_values", ctypes.POINTER(ctypes.c_double)),
        ("attr_texts", ctypes.POINTER(ctypes.c_char_p)),
        ("tiling", ctypes.POINTER(ctypes.c_uint8)),
        ("tiling_bytes", ctypes.c_uint64),
        ("tiling_key", ctypes.c_uint64),
        ("block_dim", ctypes.c_uint32),
        ("workspaces", ctypes.c_uint64),
        ("workspace", ctypes.c_uint64),
        ("schedule_mode", ctypes.c_uint32),
        ("inferred_ranks", ctypes.POINTER(ctypes.c_int32)),
        ("inferred_dims", ctypes.POINTER(ctypes.c_int64)),
        ("inferred_dtypes", ctypes.POINTER(ctypes.c_int32)),
    )


@dataclass(frozen=True)
class Tiling:
    """What a tiling function decided."""

    data: bytes
    key: int
    blocks: int
    workspace: int
    together: bool  # whether all blocks start at the same time


class TilingRefusedError(Exception):
    """A tiling or inference function returned GRAPH_FAILED."""


@dataclass(frozen=True, eq=False)
class GeneratedOps:
    """A project of ops, rendered into ``folder``, with its host sources compiled into one library; all tests share it.

    Kernels are compiled into ``kernels`` when they are first run.
    """

    folder: Path
    kernels: Path
    toolkit_root: Path
    ops: Mapping[str, OpSpec]
    graphs: Mapping[str, Graph]
    plans: Mapping[str, Any]

    @functools.cached_property
    def host(self) -> ctypes.CDLL:
        return ctypes.CDLL(str(self.folder / "libhost.so"))

    def with_mistake(self, folder: Path, file: str, wrong: Mapping[str, str], *, once: bool = False) -> GeneratedOps:
        """These ops with other texts in a file of a kernel, as an author may err; ``once``: each stood there once."""
        shutil.copytree(self.folder, folder / "ops")
        path = folder / "ops" / "op_kernel" / file
        text = path.read_text(encoding="utf-8")
        for right, other in wrong.items():
            assert text.count(right) == 1 if once else right in text, right
            text = text.replace(right, other)
        path.write_text(text, encoding="utf-8")
        return replace(self, folder=folder / "ops", kernels=folder / "kernels")

    def tile_elements(self, name: str, dtype: str) -> int:
        """Of the op's first combination in which the first input has that dtype, on the first SoC."""
        return next(tile.elements for tile in self.plans[name].tiles if tile.dtypes[0] == dtype)

    def _call(self, name: str, shapes: Shapes, dtypes: Sequence[str], attrs: Mapping[str, Attribute]) -> _Call:
        op = self.ops[name]
        count = len(shapes)
        ranks = (ctypes.c_int32 * count)(*(-1 if s is None else len(s) for s in shapes))
        dims = (ctypes.c_int64 * (8 * count))(*(d for s in shapes for d in [*(s or ()), *[0] * (8 - len(s or ()))]))
        kinds = "".join(a.type[5].upper() if a.type.startswith("list_") else a.type[0] for a in op.attrs)
        given = [attrs.get(a.name, a.default or 0) for a in op.attrs]
        values = (ctypes.c_double * len(given))(*(v if isinstance(v, int | float) else 0 for v in given))
        lists = (v if isinstance(v, str | int | float) else " ".join(map(str, v)) for v in given)
        texts = (ctypes.c_char_p * len(given))(*(str(value).encode() for value in lists))
        capacity = 4096
        outputs = len(op.outputs)
        return _Call(
            op=name.encode(),
            soc=b"",
            inputs=len(op.inputs),
            outputs=outputs,
            ranks=ranks,
            dims=dims,
            dtypes=(ctypes.c_int32 * count)(*(DTYPES[d].acl for d in dtypes)),
            attrs=len(op.attrs),
            attr_kinds=kinds.encode(),
            attr_values=values,
            attr_texts=texts,
            tiling=(ctypes.c_uint8 * capacity)(*[0xA5] * capacity),
            tiling_bytes=capacity,
            inferred_ranks=(ctypes.c_int32 * outputs)(),
            inferred_dims=(ctypes.c_int64 * (8 * outputs))(),
            inferred_dtypes=(ctypes.c_int32 * outputs)(),
        )

    def tiling(
        self, name: str, shapes: Shapes, dtypes: Sequence[str], chip: Chip, attrs: Mapping[str, Attribute]
    ) -> Tiling:
        """``shapes`` and ``dtypes`` of all tensors, inputs first; None for an optional input that is not given."""
        call = self._call(name, shapes, dtypes, attrs)
        call.soc = chip.name.encode()
        if self.host.run_tiling(ctypes.byref(call)) != 0:
            raise TilingRefusedError(name)
        assert call.workspaces == 1
        data = bytes(call.tiling[: call.tiling_bytes])
        return Tiling(data, call.tiling_key, call.block_dim, call.workspace, call.schedule_mode == 1)

    def infer_shape(
        self, name: str, shapes: Shapes, attrs: Mapping[str, Attribute] = MappingProxyType({})
    ) -> list[list[int]]:
        op = self.ops[name]
        every = [*shapes, *([] for _ in op.outputs)]
        call = self._call(name, every, ["float32"] * len(every), attrs)
        if self.host.run_infer_shape(ctypes.byref(call)) != 0:
            raise TilingRefusedError(name)
        return [list(call.inferred_dims[8 * i : 8 * i + call.inferred_ranks[i]]) for i in range(len(op.outputs))]

    def infer_dtype(self, name: str, dtypes: Sequence[str]) -> list[int]:
        op = self.ops[name]
        count = len(op.inputs) + len(op.outputs)
        call = self._call(name, [[] for _ in range(count)], [*dtypes, *(["int8"] * len(op.outputs))], {})
        if self.host.run_infer_dtype(ctypes.byref(call)) != 0:
            raise TilingRefusedError(name)
        return list(call.inferred_dtypes[: len(op.outputs)])

    @functools.cache  # noqa: B019  (lives as long as the test session)
    def kernel(self, name: str, dtypes: tuple[str, ...]) -> harness.Kernel:
        """The kernel compiled for the dtypes of all its tensors, inputs first."""
        op = self.ops[name]
        stem = snake(name)
        columns = list(zip((*op.inputs, *op.outputs), dtypes, strict=True))
        outputs = {f"{t.inplace}_ref" if t.inplace else t.name: d for t, d in columns[len(op.inputs) :]}
        return harness.compile_kernel(
            self.toolkit_root,
            self.folder / "op_kernel" / f"{stem}.cpp",
            stem,
            {t.name: d for t, d in columns[: len(op.inputs)]},
            outputs,
            self.kernels / f"{stem}_{'_'.join(dtypes)}",
            options=["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"],  # most ops here use no workspace
        )

    def row(self, name: str, inputs: Sequence[torch.Tensor | None]) -> tuple[str, ...]:
        """The first combination of dtypes that has those of the inputs."""
        given = [None if t is None else str(t.dtype).removeprefix("torch.") for t in inputs]
        rows = combinations(self.ops[name])
        return next(r for r in rows if all(g in (None, d) for g, d in zip(given, r, strict=False)))

    def run(
        self,
        name: str,
        inputs: Sequence[torch.Tensor | None],
        chip: Chip,
        attrs: Mapping[str, Attribute] | None = None,
        row: tuple[str, ...] | None = None,
        *,
        timed: list[dict[str, Any]] | None = None,
        trace: list[str] | None = None,
    ) -> list[torch.Tensor]:
        """Tiling, then the kernel with all checks: what the op computes on ``chip``. None: an input is not given.

        An input that a result is written over is copied first. ``timed`` takes what the model of time is given, and
        ``trace`` the lines of the estimated time line.
        """
        op = self.ops[name]
        row = row or self.row(name, inputs)
        shape = torch.broadcast_shapes(
            *(
                (*t.shape, 1) if spec.unsqueezed else t.shape
                for spec, t in zip(self.ops[name].inputs, inputs, strict=False)
                if t is not None
            )
        )
        graph = self.graphs.get(name)  # a handwritten op has none
        over = graph.axes.given(attrs or {}, len(shape)) if graph is not None else Axes()
        made = {o.name: self._shape_of(o, shape, over) for o in graph.outputs} if graph is not None else {}
        tensors = {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}
        outputs = []
        for output, dtype in zip(op.outputs, row[len(op.inputs) :], strict=True):
            over = tensors.get(output.inplace or "")
            own = made.get(output.name, tuple(shape))
            fresh = aligned(torch.full(own, 7.0).to(getattr(torch, dtype)) if over is None else over)
            outputs.append(fresh)
            if output.inplace:
                tensors[output.inplace] = fresh
        shapes = [*(None if t is None else list(t.shape) for t in tensors.values()), *(list(t.shape) for t in outputs)]
        tiling = self.tiling(name, shapes, row, chip, attrs or {})
        assert 1 <= tiling.blocks <= chip.cores
        waits = graph is not None and bool(graph.totals or graph.sums)  # the cores wait for each other before these
        assert (tiling.workspace > 0) == tiling.together == (waits or tiling.key in (SPREAD, SPREAD_ACROSS))
        harness.run(
            self.kernel(name, row),
            [None if t is None else _bytes(t if timed is None else aligned(t)) for t in tensors.values()],
            [_bytes(t) for t in outputs],
            tiling=tiling.data,
            block_dim=tiling.blocks,
            tiling_key=tiling.key,
            workspace=_workspace(tiling.workspace),
            vector_cores=chip.cores,
            timed=timed,
            trace=trace,
        )
        return outputs

    @staticmethod
    def _shape_of(output: Output, whole: torch.Size, axes: Axes) -> tuple[int, ...]:
        """The shape of a result; ``whole`` is the broadcast shape of the inputs."""
        if output.row == "one":
            return ()
        if output.summed:
            return tuple(whole[-1:])
        reduced = axes.of(len(whole)) if output.row is not None else ()
        shape = [None if place - len(whole) in reduced else extent for place, extent in enumerate(whole)]
        return tuple(1 if extent is None else extent for extent in shape if extent is not None or output.row == "kept")

    def run_products(
        self,
        name: str,
        inputs: Sequence[torch.Tensor | None],
        chip: Chip,
        attrs: Mapping[str, Attribute],
        *,
        timed: list[dict[str, Any]] | None = None,
    ) -> list[torch.Tensor]:
        """As ``run``, for an op with products: None stands for an optional input that is not given."""
        op = self.ops[name]
        row = self.row(name, inputs)
        given = [None if t is None else list(t.shape) for t in inputs]
        shapes = self.infer_shape(name, given)
        outputs = [
            aligned(torch.full(shape, 7.0).to(getattr(torch, d)))
            for shape, d in zip(shapes, row[len(op.inputs) :], strict=True)
        ]
        tiling = self.tiling(name, [*given, *shapes], row, chip, attrs)
        assert 1 <= tiling.blocks <= chip.cubes
        harness.run(
            self.kernel(name, row),
            [None if t is None else _bytes(t if timed is None else aligned(t)) for t in inputs],
            [_bytes(t) for t in outputs],
            tiling=tiling.data,
            block_dim=tiling.blocks,
            tiling_key=tiling.key,
            workspace=_workspace(tiling.workspace),
            vector_cores=chip.cores,
            timed=timed,
        )
        return outputs


def _workspace(size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Zeros for the system; what follows is NaN, since a device leaves there what was there before."""
    memory = np.zeros(max(size, 1), np.uint8)
    memory[SYSTEM_BYTES:] = 0xFF
    return memory[:size]


def aligned(tensor: torch.Tensor) -> torch.Tensor:
    """A copy at a multiple of 512 bytes, where torch_npu's allocator begins every tensor: the time depends on it."""
    memory = torch.empty(tensor.nbytes + 512, dtype=torch.uint8)
    start = -memory.data_ptr() % 512
    copy = memory[start : start + tensor.nbytes].view(tensor.dtype).view(tensor.shape)
    return copy.copy_(tensor)


def _bytes(tensor: torch.Tensor) -> harness.Array:
    """The tensor's memory: shared, so that outputs are written."""
    assert tensor.is_contiguous()
    if tensor.dtype == torch.bool:
        return tensor.view(torch.uint8).numpy()
    if tensor.dtype in (torch.float16, torch.bfloat16):
        return tensor.view(torch.int16).numpy()
    return tensor.numpy()


def catalog_op(name: str, **changes: object) -> OpSpec:
    """An op of the catalog, with fields changed."""
    entry = catalog.entry(name)
    assert entry is not None
    return replace(entry, **changes)  # type: ignore[arg-type]


PRODUCTS = (
    catalog_op("SwiGLU"),
    catalog_op("Linear"),
    catalog_op("MatmulLeakyRelu"),
    catalog_op("PlainMatmul"),
    # Products and nothing else: of transposed operands, and of a result wider than the operands.
    OpSpec(
        "TwoProducts",
        (TensorSpec("a", ALL, ("K", "M")), TensorSpec("b", ALL, ("N", "K")), TensorSpec("c", ALL, ("N", "K"))),
        (),
        (TensorSpec("y", ALL, ("M", "N")), TensorSpec("z", ALL, ("M", "N"))),
        "y = a.T @ b.T\nz = a.T @ c.T",
    ),
    OpSpec(
        "WideProduct",
        (TensorSpec("a", ALL[:2], ("...", "K")), TensorSpec("b", ALL[:2], ("K", "N"))),
        (),
        (TensorSpec("y", ("float32",) * 2, ("...", "N")),),
        "y = a @ b",
    ),
    # A transposed left operand, two left operands, two results of which one is a product itself, all kinds of inputs.
    OpSpec(
        "Everything",
        (
            TensorSpec("a", ALL, ("K", "M")),
            TensorSpec("b", ALL, ("K", "N")),
            TensorSpec("c", ALL, ("K", "M")),
            TensorSpec("residual", ALL, ("M", "N")),
            TensorSpec("scale", ALL, ("N",), optional=True),
        ),
        (AttrSpec("alpha", "float", 1.5),),
        (TensorSpec("y", ALL, ("M", "N")), TensorSpec("first", ALL, ("M", "N"))),
        "p = a.T @ b\n"
        "y = maximum(p, residual * alpha) * where(present(scale), scale, 2.0) - c.T @ b + alpha / 3.0\n"
        "first = p",
    ),
    # Truth values beside numbers, of which every row of a tile is whole blocks, and functions of vector_math.h.
    # Tensors called like the kernel's own variables.
    OpSpec(
        "Gated",
        (
            TensorSpec("pipe", ALL, ("...", "H")),
            TensorSpec("op", ALL, ("H", "I")),
            TensorSpec("tile", ("bool",) * 3, ("...", "I")),
        ),
        (AttrSpec("alpha", "float", 1.5),),
        (TensorSpec("rows", ALL, ("...", "I")), TensorSpec("offset", ("bool",) * 3, ("...", "I"))),
        "slot = pipe @ op\nrows = where(tile, gelu(slot), tanh(slot) * alpha)\noffset = slot > 0.0",
    ),
)


def spec_of(ops: Sequence[OpSpec], socs: Sequence[str] = ("ascend910b", "ascend910_93")) -> Spec:
    """A project of these ops."""
    return Spec(ProjectSpec("ops", "ops", "ops", "0.1.0", tuple(socs)), tuple(ops))


def program_of(
    ops: Sequence[OpSpec],
    socs: Sequence[str] = ("ascend910b", "ascend910_93"),
    graphs: Mapping[str, Graph] | None = None,
) -> Program:
    """A project of these ops alone, their graphs given or of their expressions; kernels are for ``socs``."""
    known = {o.type: (graphs or {}).get(o.type) or graph_of(o) for o in ops if not o.handwritten}
    chips = tuple(SOCS[name] for name in socs)
    return Program(spec_of(ops), tuple(kernel_of(o, chips, known.get(o.type)) for o in ops))


def ascendc_files(program: Program) -> list[File]:
    """The Ascend C side of a project."""
    files = list(render_shared(program))
    for kernel in program.kernels:
        files += render_kernel(program.spec, kernel)
    return files


def generate(
    kernels: Path, toolkit_root: Path, ops: Sequence[OpSpec], graphs: Mapping[str, Graph] | None = None
) -> GeneratedOps:
    """Renders ``ops`` (with given graphs, or those of their expressions) and compiles the host side, if nobody has."""
    program = program_of(ops, graphs=graphs)
    files = ascendc_files(program)
    plans = {kernel.op.type: kernel.plan for kernel in program.kernels}
    all_graphs = program.graphs

    def make(folder: Path) -> None:
        for file in files:
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
        compile_host(folder, toolkit_root)

    driver = Path(__file__).with_name("tiling_driver.cpp").read_text(encoding="utf-8")
    texts = [(str(f.path), f.text) for f in files]
    content = [str(toolkit_root), harness.LEVEL, [str(chip) for chip in ALL_CHIPS], driver, texts]
    folder = kept("generated-ops", content, make)
    return GeneratedOps(folder, kernels, toolkit_root, {o.type: o for o in ops}, all_graphs, plans)


def make_platform(root: Path, toolkit_root: Path) -> list[str]:
    """A platform library below ``root`` that knows our made-up chips beside the real ones; the linker's flags for it.

    What is linked may be moved together with ``root`` where it lies beside it.

    A process has one library of that name, whoever loads it first: every host library of these tests is linked so.
    """
    (root / "lib64").mkdir(parents=True)
    (root / "data" / "platform_config").mkdir(parents=True)
    shutil.copy(toolkit_root / "lib64" / "libtiling_api.so", root / "lib64")
    caches = {c.name: f"[SoCInfo]\nl2_size={c.l2}\n" for c in ALL_CHIPS if c.l2}
    made_up = [(replace(SOCS["ascend910b"], ub=c.ub), SocVersion(c.name, c.cubes, c.cores)) for c in ALL_CHIPS]
    real = [(soc, version) for soc in SOCS.values() for version in soc.versions]
    for soc, version in (*made_up, *real):
        text = platform_config(soc, version).replace("[SoCInfo]\n", caches.get(version.name, "[SoCInfo]\n"))
        (root / "data" / "platform_config" / f"{version.name}.ini").write_text(text, encoding="utf-8")
    return [
        f"-L{root / 'lib64'}", f"-L{toolkit_root / 'lib64'}", "-lexe_graph", "-lregister", "-ltiling_api",
        f"-Wl,-rpath,$ORIGIN/{root.name}/lib64:{root / 'lib64'}:{toolkit_root / 'lib64'}",
    ]  # fmt: skip


def compile_host(folder: Path, toolkit_root: Path) -> None:
    """libhost.so: op_host as CANN's build compiles it (C++11, old ABI), and the driver. It finds our chips' tables."""
    libraries = make_platform(folder / "chips", toolkit_root)
    strict = ["-Wall", "-Wextra", "-Werror", "-fPIC", "-fvisibility=hidden", f"-I{toolkit_root / 'include'}"]
    flags = [*strict, "-std=c++11", "-D_GLIBCXX_USE_CXX11_ABI=0", "-DOP_TILING_LIB", "-DOP_PROTO_LIB"]
    if harness.LEVEL:
        flags += [harness.LEVEL, "-include", str(_host_headers(toolkit_root, [*flags, harness.LEVEL]) / HOST_HEADER)]
    else:
        flags += ["-O1"]
    objects = []
    for source in sorted((folder / "op_host").glob("*.cpp")):
        target = folder / f"{source.stem}.o"
        subprocess.run(["g++", *flags, "-c", source, "-o", target], check=True)
        objects.append(target)
    driver = _driver(toolkit_root, strict) / "driver.o"
    subprocess.run(["g++", "-shared", driver, *objects, "-o", folder / "libhost.so", *libraries], check=True)


def _host_headers(toolkit_root: Path, flags: Sequence[str]) -> Path:
    """A folder with the toolkit's headers of op_host, compiled for these flags: half of what a source takes."""

    def make(folder: Path) -> None:
        header = folder / HOST_HEADER
        header.write_text('#include "register/op_def_registry.h"\n', encoding="utf-8")
        subprocess.run(["g++", *flags, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    return kept("host-headers", [str(toolkit_root), flags], make)


def _driver(toolkit_root: Path, strict: Sequence[str]) -> Path:
    """A folder with the object of tiling_driver.cpp."""
    source = Path(__file__).with_name("tiling_driver.cpp")

    def make(folder: Path) -> None:
        flags = [*strict, "-O1", "-std=c++17", f"-I{ROOT / 'src/opforge/simulator/host'}"]
        subprocess.run(["g++", *flags, "-c", source, "-o", folder / "driver.o"], check=True)

    return kept("tiling-driver", [str(toolkit_root), strict, source.read_text(encoding="utf-8")], make)
