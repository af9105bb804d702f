"""What a command that makes ops checks of their names, and what it says of them."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from opforge.cli.shared.console import current
from opforge.fileset import FileSet
from opforge.naming import snake
from opforge.spec.model import OpSpec, Spec
from opforge.spec.op_sources import kernel_among


def check_names(spec: Spec) -> None:
    """The project's names beside what is installed in the environment that it would be built for."""
    from opforge.install.taken_names import check_package, environment_prefix, vendor_warning  # noqa: PLC0415

    prefix = environment_prefix(os.environ)
    if prefix is None:
        return
    check_package(spec.project, prefix)
    warning = vendor_warning(spec.project, prefix)
    if warning:
        current().warning(warning)


def warn_of_namesakes(spec: Spec) -> None:
    """Tell of ops, and of their gradients', that are named nearly like one that CANN brings along."""
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.spec.check.built_in import describe, namesakes  # noqa: PLC0415

    alike = namesakes(op.type for op in derive(spec).ops)
    if alike:
        current().warning(describe(alike))


def tell_of_dtypes_and_zeros(spec: Spec) -> None:
    """Say which dtypes were left out on which SoC, and what divides by zero."""
    from opforge.spec.check.narrowing import describe_narrowing  # noqa: PLC0415
    from opforge.spec.check.zero_division import zero_divisions  # noqa: PLC0415

    narrowing = describe_narrowing(spec)
    if narrowing:
        current().note(narrowing)
    for warning in zero_divisions(spec):
        current().warning(warning)


def next_steps(spec: Spec, files: FileSet, root: Path) -> str:
    """What was made, and how to go on."""
    ops = "\n".join(f"  {signature(op)}" for op in spec.ops)
    shown = os.path.relpath(root)
    write = "".join(f"  {line}\n" for op in spec.ops if op.handwritten for line in to_write(op, spec.project.package))
    return (
        f"created {shown}: {len(files)} files, for {', '.join(spec.project.soc)}\n{ops}\n"
        f"next:\n  cd {shlex.quote(shown)}\n{write}  opforge build && opforge install && opforge test"
    )


def to_write(op: OpSpec, package: str) -> list[str]:
    """What the author of an op with a kernel by hand has to write."""
    function = snake(op.type)
    lines = [f"write op_kernel/{function}_kernel.h"]
    if op.reference is None:
        lines.append(
            f"define what it computes: `{function}` in python/{package}/golden.py, in torch, "
            f"and `reference: golden:{function}` in opforge.yaml"
        )
    return lines


def signature(op: OpSpec) -> str:
    """``VectorAdd(x, y) -> z: z = x + y``: an op on one line."""
    defaults = [list(attr.default) if isinstance(attr.default, tuple) else attr.default for attr in op.attrs]
    attrs = [a.name if a.required else f"{a.name}={default}" for a, default in zip(op.attrs, defaults, strict=True)]
    arguments = ", ".join([*(tensor.name for tensor in op.inputs), *attrs])
    outputs = ", ".join(tensor.name for tensor in op.outputs)
    by_hand = f"its kernel is {kernel_among(op.sources)}" if op.sources else "its kernel is yours to write"
    says = "; ".join(op.compute.strip().splitlines()) or by_hand
    return f"{op.type}({arguments}) -> {outputs}: {says}"
