"""tuning/<soc>.json: the plans that `opforge tune` found, and the table that op_host's tiling reads.

The files are the project's own, to be reviewed and committed. The build writes their plans to
``op_host/opforge/tuned_plans.h`` in its copy of the sources. A plan of a kernel that has changed since is stale: it is
left out, with a warning.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from opforge.build.key_parts import TUNING
from opforge.errors import ProjectError
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.plan.split_plan import SplitPlan
from opforge.program import Kernel, Shape
from opforge.render.ascendc.trials import braces
from opforge.soc import version_named
from opforge.spec.combinations import Row, combinations
from opforge.spec.dimensions import Dots

if TYPE_CHECKING:
    from opforge.render.ascendc.tuned_plans import TunedEntry
    from opforge.spec.model import OpSpec

FORMAT = 1
_INCLUDED = re.compile(r'^#include "(.+)"', re.MULTILINE)
_DIGITS = 16

Shapes = Mapping[str, Shape | None]  # by input; None: an optional input is missing


@dataclass(frozen=True)
class TunedPlan:
    """A plan for one op, chip, combination of dtypes and size.

    ``rows``: the plan is for as many rows, from the first number to the second; the leading dimensions of ``inputs``
    have some number between them. ``default_us`` and ``us`` are microseconds of a launch without the plan and with it.
    ``measured``: by an NPU, whose ``noise`` is a share of the time; otherwise both are estimates of the model of time.
    """

    op: str
    kernel: str  # kernel_digest
    chip: str
    dtypes: Row
    inputs: Shapes
    rows: tuple[int, int]
    plan: SplitPlan
    default_us: float
    us: float
    noise: float
    measured: bool

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for plans of which a later one replaces the other."""
        return plan_key(self.op, self.chip, self.dtypes, self.inputs)

    @property
    def by(self) -> str:
        """Whether an NPU measured the times, or the model of time estimates them."""
        return "measured" if self.measured else "model"

    @property
    def text(self) -> str:
        """The plan for people: SwiGLU float16 [128, 4096], [4096, 11008]."""
        shapes = ", ".join("none" if shape is None else str(list(shape)) for shape in self.inputs.values())
        dtypes = self.dtypes[0] if len(set(self.dtypes)) == 1 else "/".join(self.dtypes)
        return f"{self.op} {dtypes} {shapes} on {self.chip}"


def plan_key(op_type: str, chip: str, row: Row, shapes: Shapes) -> tuple[object, ...]:
    """Op, chip, dtypes and shapes: a search has one plan for them."""
    return (op_type, chip, row, tuple(shapes.items()))


def row_count(op: OpSpec, shapes: Shapes) -> int:
    """The rows of a call: the most that an input with leading dimensions has."""
    return max((_rows(shape) for _, shape in _leading(op, shapes)), default=1)


def _leading(op: OpSpec, shapes: Shapes) -> Iterable[tuple[str, Shape]]:
    for tensor in op.inputs:
        shape = shapes[tensor.name]
        if shape is not None and any(isinstance(dim, Dots) for dim in tensor.dimensions):
            yield tensor.name, shape


def varying(op: OpSpec, shapes: Shapes) -> frozenset[str]:
    """The inputs whose number of rows is that of the call."""
    most = row_count(op, shapes)
    return frozenset(name for name, shape in _leading(op, shapes) if _rows(shape) == most)


def _rows(shape: Shape) -> int:
    return math.prod(shape[:-1])


def kernel_digest(root: Path, op_type: str) -> str:
    """A hash of an op's kernel and host tiling with the headers that they include, of the sources below ``root``."""
    stem = snake(op_type)
    todo = [PurePosixPath(f"op_kernel/{stem}.cpp"), PurePosixPath(f"op_host/{stem}_host_tiling.h")]
    texts: dict[PurePosixPath, bytes] = {}
    while todo:
        path = todo.pop()
        try:
            text = (root / path).read_bytes().replace(b"\r\n", b"\n")
        except OSError:
            continue  # a header of the toolkit
        texts[path] = text
        names = _INCLUDED.findall(text.decode("utf-8", "replace"))
        found = [PurePosixPath(os.path.normpath(path.parent / name)) for name in names]
        todo += [each for each in found if each not in texts and each not in todo]
    digest = hashlib.sha256()
    for path, text in sorted(texts.items()):
        digest.update(f"{path} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:_DIGITS]


def read_plans(file: Path) -> tuple[TunedPlan, ...]:
    """The plans of a file; none if it does not exist. Raises ProjectError for a file that is not one of ours."""
    return parse_plans(file.read_bytes(), file) if file.exists() else ()


def parse_plans(data: bytes, file: Path) -> tuple[TunedPlan, ...]:
    """The plans in the bytes of a file. Raises ProjectError."""
    try:
        return _plans(json.loads(data.decode("utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise ProjectError(
            f"{file} is not a table of plans: {what}",
            hint="`opforge tune` writes it; take it from your version control, or remove it",
        ) from error


def _plans(fields: Mapping[str, Any]) -> tuple[TunedPlan, ...]:
    if fields["format"] != FORMAT:
        raise ValueError(f"its format is {fields['format']}, and this opforge reads {FORMAT}")
    return tuple(map(_plan, fields["plans"]))


def _plan(fields: Mapping[str, object]) -> TunedPlan:
    def numbers(value: object, least: int) -> tuple[int, ...]:
        if not isinstance(value, list) or not all(type(each) is int and each >= least for each in value):
            raise ValueError(f"{json.dumps(value)} is not a list of whole numbers")
        return tuple(value)

    given, plan = fields["inputs"], fields["plan"]
    if not isinstance(given, dict) or not isinstance(plan, dict):
        raise TypeError("`inputs` and `plan` are mappings")
    split = {name: numbers([value], 1)[0] for name, value in plan.items()}
    least, most = numbers(fields["rows"], 0)
    dtypes = fields["dtypes"]
    if not isinstance(dtypes, list):
        raise TypeError("`dtypes` is a list")
    return TunedPlan(
        op=str(fields["op"]),
        kernel=str(fields["kernel"]),
        chip=str(fields["chip"]),
        dtypes=tuple(map(str, dtypes)),
        inputs={str(name): None if shape is None else numbers(shape, 0) for name, shape in given.items()},
        rows=(least, most),
        plan=SplitPlan(**split),
        default_us=float(str(fields["default_us"])),
        us=float(str(fields["us"])),
        noise=float(str(fields["noise"])),
        measured=fields["by"] == "measured",
    )


def write_plans(root: Path, soc: str, new: Sequence[TunedPlan], *, tried: Iterable[tuple[object, ...]]) -> Path | None:
    """Puts plans into the table of a SoC and takes away those of the keys ``tried`` that have no new one.

    Returns the file, or None if there is nothing to keep.
    """
    file = root / TUNING / f"{soc}.json"
    gone = {*tried, *(plan.key for plan in new)}
    kept = [plan for plan in read_plans(file) if plan.key not in gone]
    plans = sorted([*kept, *new], key=lambda plan: str(plan.key))
    if not plans:
        file.unlink(missing_ok=True)
        return None
    file.parent.mkdir(exist_ok=True)
    scratch = file.with_name(f".{file.name}")
    lines = ",\n".join("    " + json.dumps(_fields(plan)) for plan in plans)
    scratch.write_text(f'{{\n  "format": {FORMAT},\n  "plans": [\n{lines}\n  ]\n}}\n', encoding="utf-8")
    scratch.replace(file)
    return file


def _fields(plan: TunedPlan) -> dict[str, object]:
    return {
        "op": plan.op,
        "kernel": plan.kernel,
        "chip": plan.chip,
        "dtypes": list(plan.dtypes),
        "inputs": {name: None if shape is None else list(shape) for name, shape in plan.inputs.items()},
        "rows": list(plan.rows),
        "plan": plan.plan.chosen,
        "default_us": round(plan.default_us, 2),
        "us": round(plan.us, 2),
        "noise": round(plan.noise, 4),
        "by": plan.by,
    }


def table_of(
    plans: Iterable[TunedPlan], kernels: Iterable[Kernel], sources: Path
) -> tuple[tuple[TunedEntry, ...], tuple[str, ...]]:
    """The entries of the table for kernels whose sources are below ``sources``, and a sentence for each stale plan.

    Raises ProjectError for a plan that sets what its kernel does not have.
    """
    from opforge.render.ascendc.tuned_plans import TunedEntry  # noqa: PLC0415  (Jinja)

    tunable = {kernel.op.type: kernel for kernel in kernels if kernel.plan_members}
    entries: list[TunedEntry] = []
    stale: list[str] = []
    for plan in plans:
        kernel, chip = tunable.get(plan.op), version_named(plan.chip)
        if kernel is None or chip is None or plan.dtypes not in combinations(kernel.op):
            stale.append(f"{plan.text}: the project has no such op, dtypes or chip")
        elif set(plan.inputs) != {tensor.name for tensor in kernel.op.inputs}:
            stale.append(f"{plan.text}: the op has other inputs")
        elif kernel_digest(sources, plan.op) != plan.kernel:
            stale.append(f"{plan.text}: its kernel has changed since")
        else:
            _check_members(plan, kernel)
            column = combinations(kernel.op).index(plan.dtypes)
            note = f"{plan.text}: {plan.us:.1f} us, was {plan.default_us:.1f} ({plan.by})"
            ranges, numbers = braces(_ranges(kernel.op, plan)), braces([str(each) for each in vars(plan.plan).values()])
            cores = max(chip.vector_cores, chip.cube_cores)  # GetCoreNumAiv; a core of ascend310p is both
            entries.append(TunedEntry(note, plan.op, column, cores, ranges, numbers))
    return tuple(entries), tuple(stale)


def _check_members(plan: TunedPlan, kernel: Kernel) -> None:
    wrong = [name for name in plan.plan.chosen if name not in kernel.plan_members]
    if wrong:
        raise ProjectError(
            f"{TUNING}/: {plan.text}: the plan sets {', '.join(wrong)}, which the kernel of {plan.op} does not have",
            hint=f"it has {', '.join(kernel.plan_members)}; `opforge tune` writes plans that fit",
        )


def _ranges(op: OpSpec, plan: TunedPlan) -> tuple[str, ...]:
    """The values of tuned_plans::Shapes for each input: those with the most rows may have others."""
    varies = varying(op, plan.inputs)
    ranges = []
    for tensor in op.inputs:
        shape = plan.inputs[tensor.name] or ()
        rows, columns = _rows(shape), shape[-1] if shape else 1
        least, greatest = plan.rows if tensor.name in varies else (rows, rows)
        ranges.append(f"{{{least}, {greatest}, {columns}}}")
    return tuple(ranges)
