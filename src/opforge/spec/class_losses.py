"""Checks the arguments of losses: the reduction, and the class indices and weights of those that have them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from opforge.spec.language import sample
from opforge.spec.reading import Reading
from opforge.spec.row_meanings import CLASS_LOSSES
from opforge.spec.tree import Name, Number, Unsqueezed
from opforge.spec.value_dims import Dims, shown
from opforge.spec.value_kinds import Refusal, Typed


def reduction(reader: Reading, given: Mapping[str, ast.expr], name: str) -> str | None:
    """The reduction of the losses of all rows: "none", "sum" or "mean", the default; None if it is reported."""
    node = given.get("reduction")
    if node is None:
        return "mean" if name in CLASS_LOSSES else "none"
    if isinstance(node, ast.Constant) and node.value in ("none", "sum", "mean"):
        return str(node.value)
    hint = sample(name) if name in CLASS_LOSSES else f'for example `{name}(x, target, reduction="sum")`'
    reader.report(node, '`reduction` must be "none", "sum" or "mean"', hint)
    return None


def fit(
    reader: Reading, given: Mapping[str, ast.expr], values: dict[str, Typed], expected: Dims, classes: Dims
) -> bool:
    """Whether the arguments of a loss with class indices fit; reports what does not.

    ``expected``: one element for each row; ``classes``: one for each class.
    """
    target, ignored = values["target"], values.get("ignore_index")
    if reader.refused(given["target"], _not_classes(target)):
        return False
    short = expected[:-1]
    if isinstance(target.tree, Name | Unsqueezed) and target.tree.name in reader.inputs and target.dims == short:
        reader.unsqueezed.add(target.tree.name)
        values["target"] = target = replace(target, tree=Unsqueezed(target.tree.name), dims=expected, dropped=True)
    if target.dims is not None and target.dims != expected:
        what = f"`{target.text}` is {shown(target.dims)}, but there is one class index for each row: {shown(short)}"
        reader.report(given["target"], what, f"declare an input of the shape {shown(short)} or {shown(expected)}")
        return False
    if "weight" in values and not _weights_fit(reader, given, values["weight"], classes):
        return False
    literal = reader.integer(given["ignore_index"]) if ignored is not None else None
    if ignored is not None and literal is not None:
        values["ignore_index"] = replace(ignored, tree=Number(float(literal)))
    elif ignored is not None and not (ignored.number and ignored.whole and isinstance(ignored.tree, Name)):
        what = "`ignore_index` must be an integer or an int attribute"
        reader.report(given["ignore_index"], what, "for example `ignore_index=-100`, which is the default")
        return False
    return True


def _weights_fit(reader: Reading, given: Mapping[str, ast.expr], weight: Typed, classes: Dims) -> bool:
    """Whether weights of classes fit; reports if not."""
    if weight.dims != classes:
        kind = "a number" if weight.number else shown(weight.dims or ())
        what = f"`{weight.text}` is {kind}, but there is one weight for each class: {shown(classes)}"
        reader.report(given["weight"], what, f"declare an input of the shape {shown(classes)}")
        return False
    if "label_smoothing" in given:
        what = "`label_smoothing` beside weights of the classes is not supported yet"
        reader.report(given["label_smoothing"], what, "leave out one of the two")
        return False
    return True


def _not_classes(value: Typed) -> Refusal | None:
    """Why a value does not hold class indices."""
    if value.kind in ("int", "stored", None) and value.stored is None and not value.number:
        return None
    kind = "a number" if value.number else value.described
    what = f"the target must have class indices; `{value.text}` is {kind}"
    return what, "declare it as int32 or int64; for probabilities write `-sum(p * log_softmax(x, -1), -1)`"
