"""The part of a project that ``opforge build --only OP --soc SOC`` compiles: kernels of some ops for some SoCs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from opforge.errors import UsageError
from opforge.frozen import dataclass
from opforge.program import Program


@dataclass(frozen=True)
class Part:
    """The requested ops and SoCs, as the command line names them. Empty: all of them."""

    ops: tuple[str, ...] = ()
    socs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kernels:
    """The kernels to compile: op types, with those of the gradients, and SoCs, in the order of the project."""

    ops: tuple[str, ...]
    socs: tuple[str, ...]


def kernels_of(part: Part, program: Program) -> Kernels:
    """The kernels of a part. Raises UsageError with the valid names if the project lacks an op or a SoC."""
    known = tuple(kernel.op.type for kernel in program.kernels)
    _check("--only", "op", part.ops, known)
    _check("--soc", "SoC", part.socs, program.spec.project.soc)
    ops = tuple(
        kernel.op.type
        for kernel in program.kernels
        if not part.ops or kernel.op.type in part.ops or kernel.gradient_of in part.ops
    )
    return Kernels(ops, tuple(soc for soc in program.spec.project.soc if not part.socs or soc in part.socs))


def _check(option: str, what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    wrong = [name for name in asked if name not in known]
    if not wrong:
        return
    close = difflib.get_close_matches(wrong[0], known, n=1)
    raise UsageError(
        f"{option}: {', '.join(f'`{name}`' for name in wrong)}: not in opforge.yaml; valid {what}s: {', '.join(known)}",
        hint=f"did you mean {close[0]}?" if close else f"name one or more of these, separated by commas: {option} A,B",
    )
