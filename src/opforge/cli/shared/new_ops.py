"""Checks the names of new ops, and prints notes and next steps for them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.cli.shared.console import current
from opforge.fileset import FileSet
from opforge.naming import snake
from opforge.spec.model import OpSpec, Spec
from opforge.spec.op_sources import kernel_among

if TYPE_CHECKING:
    from opforge.program import Kernel, Program
    from opforge.spec.read.command_line import OpOptions

_NONE = FileSet()


def check_names(spec: Spec) -> None:
    """Check the project's names against the packages in the environment that a build would use."""
    from opforge.install.taken_names import check_package, environment_prefix, vendor_warning  # noqa: PLC0415

    prefix = environment_prefix(os.environ)
    if prefix is None:
        return
    check_package(spec.project, prefix)
    warning = vendor_warning(spec.project, prefix)
    if warning:
        current().warning(warning)


def warn_of_namesakes(program: Program) -> None:
    """Warn about ops, and their gradients' ops, whose names nearly equal those of CANN's built-in ops."""
    from opforge.spec.check.built_in import describe, namesakes  # noqa: PLC0415

    alike = namesakes(op.type for op in program.ops)
    if alike:
        current().warning(describe(alike))


def warn_of_ops(program: Program) -> None:
    """All warnings and notes about a program's ops."""
    warn_of_namesakes(program)
    tell_of_dtypes_and_zeros(program.spec)


def tell_of_dtypes_and_zeros(spec: Spec) -> None:
    """Note dtypes that SoCs lack, and warn about divisions by zero."""
    from opforge.spec.check.narrowing import describe_narrowing  # noqa: PLC0415
    from opforge.spec.check.zero_division import zero_divisions  # noqa: PLC0415

    narrowing = describe_narrowing(spec)
    if narrowing:
        current().note(narrowing)
    for warning in zero_divisions(spec):
        current().warning(warning)


def begun_files(program: Program, op: OpSpec, options: OpOptions) -> FileSet:
    """The files that the op begins with under ``--pattern``; none without it."""
    if options.pattern is None:
        return FileSet()
    kernel: Kernel = program.only(op.type).public[0]
    return kernel.pattern_files(options.pattern, program.spec.project.package)


def report_created(program: Program, files: FileSet, root: Path, begun: FileSet = _NONE) -> None:
    """Prints a summary of the new files, then warnings about the ops, then the next commands."""
    spec, console = program.spec, current()
    ops = "\n".join(f"  {signature(op)}" for op in spec.ops)
    console.note(f"created {os.path.relpath(root)}: {len(files)} files, for {', '.join(spec.project.soc)}\n{ops}")
    warn_of_ops(program)
    console.note(next_steps(root, to_write(program, begun)))


def next_steps(root: Path, write: Sequence[str] = ()) -> str:
    """The commands to type in a new project, after what users must ``write``."""
    steps = "".join(f"  {line}\n" for line in write)
    return f"next:\n  cd {shlex.quote(os.path.relpath(root))}\n{steps}  opforge test    # builds, installs and tests"


def to_write(program: Program, begun: FileSet = _NONE) -> list[str]:
    """The parts that users must write for handwritten ops; ``begun``: files that compute something already."""
    if begun:
        return [f"change {file.path}" for file in begun]
    lines = []
    for kernel in (each for each in program.public if each.authored):
        function = snake(kernel.op.type)
        lines.append(f"write {kernel.skeleton}")
        if not kernel.computable:
            lines.append(
                f"define what it computes: `{function}` in python/{program.spec.project.package}/golden.py, in torch, "
                f"and `reference: golden:{function}` in opforge.yaml"
            )
    return lines


def signature(op: OpSpec) -> str:
    """``VectorAdd(x, y) -> z: z = x + y``: an op on one line."""
    defaults = [list(attr.default) if isinstance(attr.default, tuple) else attr.default for attr in op.attrs]
    attrs = [a.name if a.required else f"{a.name}={default}" for a, default in zip(op.attrs, defaults, strict=True)]
    arguments = ", ".join([*(tensor.name for tensor in op.inputs), *attrs])
    outputs = ", ".join(tensor.name for tensor in op.outputs)
    yours = f"its kernel is {kernel_among(op.sources)}" if op.sources else "its kernel is yours to write"
    says = "; ".join(op.compute.strip().splitlines()) or yours
    return f"{op.type}({arguments}) -> {outputs}: {says}"
