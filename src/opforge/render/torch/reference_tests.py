"""The test of ops that have an expression and, beside it, a reference written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.layout import COLUMNS, python_collection
from opforge.render.torch.signature import Signature


@dataclass(frozen=True)
class ReferencesForm:
    """Context of ``code/torch/tests/test_references.py``; ``imports`` and ``table`` are Python source."""

    imports: tuple[str, ...]
    table: str
    elementwise: bool
    products: bool


def references_context(
    package: str, elementwise: Sequence[Signature], products: Sequence[Signature]
) -> ReferencesForm | None:
    """The context for the ops that have both, or None where none has."""
    few, more = _with_reference(elementwise), _with_reference(products)
    both = {**few, **more}
    if not both:
        return None
    judges = ["assert_close", "random_inputs"] if few else []
    judges += ["assert_product_close", "product_inputs"] if more else []
    imported = [("operators", ("Operator", "as_tuple", "identify", "on")), ("precision", tuple(sorted(judges)))]
    if few:
        imported.append(("op_cases", ("COMBINATIONS", "OpCase")))
    if more:
        imported.append(("product_cases", ("PRODUCT_COMBINATIONS", "ProductCase")))
    imported += [_import(package, reference, name) for name, reference in both.items()]
    return ReferencesForm(
        imports=tuple(_line(module, names) for module, names in sorted(imported)),
        table=python_collection("REFERENCES = {", [f'"{name}": {name}_reference' for name in both], "}"),
        elementwise=bool(few),
        products=bool(more),
    )


def _with_reference(signatures: Sequence[Signature]) -> dict[str, str]:
    return {s.function: s.op.reference for s in signatures if s.op.reference is not None}


def _import(package: str, reference: str, function: str) -> tuple[str, tuple[str, ...]]:
    module, _, name = reference.partition(":")
    alias = f"{function}_reference"
    return f"{package}.{module}", (name if name == alias else f"{name} as {alias}",)


def _line(module: str, names: Sequence[str]) -> str:
    head = f"from {module} import "
    flat = head + ", ".join(names)
    return flat if len(flat) <= COLUMNS else python_collection(f"{head}(", names, ")")
