"""Checks the user's choice of ops and dtypes to measure."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.errors import UsageError
from opforge.frozen import dataclass
from opforge.naming import torch_function
from opforge.spec.combinations import combinations
from opforge.spec.model import Spec
from opforge.spec.source import closest


@dataclass(frozen=True)
class Choice:
    """Ops by type or function, and dtypes; empty means all."""

    ops: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    quick: bool = False

    def arguments(self) -> list[str]:
        """The choice as options of the measuring programs."""
        words = [word for op in self.ops for word in ("--op", op)]
        words += [word for dtype in self.dtypes for word in ("--dtype", dtype)]
        return [*words, *(["--quick"] if self.quick else [])]


def check_choice(choice: Choice, spec: Spec) -> None:
    """Raises UsageError for an op that the project lacks, or a dtype that no chosen op has."""
    named = {op.type: op for op in spec.ops} | {torch_function(op.type, spec.project.package): op for op in spec.ops}
    for name in choice.ops:
        _look_up("--op", name, list(named), f"{spec.project.name} has the ops {', '.join(op.type for op in spec.ops)}")
    chosen = [named[name] for name in choice.ops] or list(spec.ops)
    dtypes = sorted({dtype for op in chosen for row in combinations(op) for dtype in row})
    for dtype in choice.dtypes:
        for part in dtype.split("/"):  # of a case whose tensors differ
            _look_up("--dtype", part, dtypes, f"the ops have {', '.join(dtypes)}")


def _look_up(option: str, name: str, known: Sequence[str], there: str) -> None:
    if name in known:
        return
    meant = closest(name, list(known))
    raise UsageError(f"{option} {name}: {there}", hint=f"did you mean {meant}?" if meant else None)
