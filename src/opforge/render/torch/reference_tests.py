"""The test of ops that have an expression and, beside it, a reference that their author wrote."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.layout import python_collection
from opforge.render.torch.shared_tests import SharedParts, import_line
from opforge.render.torch.signature import Signature

_TEST = "test_references.py"


@dataclass(frozen=True)
class ReferencesForm:
    """Context of ``code/torch/tests/test_references.py``; all is Python source."""

    imports: tuple[str, ...]
    table: str
    tests: tuple[str, ...]


def references_context(package: str, shared: SharedParts, signatures: Sequence[Signature]) -> ReferencesForm | None:
    """The context for the ops that have both, or None where none has."""
    if not shared.has(_TEST):
        return None
    both = {s.function: s.op.reference for s in signatures if s.kernel.expressed and s.op.reference is not None}
    lines = [*shared.imports(_TEST, {"operators": ("Operator", "as_tuple", "identify", "on")})]
    for function, reference in both.items():
        module, _, name = reference.partition(":")
        alias = f"{function}_reference"
        lines.append(import_line(f"{package}.{module}", [name if name == alias else f"{name} as {alias}"]))
    return ReferencesForm(
        imports=tuple(sorted(lines, key=lambda line: line.split()[1])),
        table=python_collection("REFERENCES = {", [f'"{name}": {name}_reference' for name in both], "}"),
        tests=shared.texts(_TEST, "tests"),
    )
