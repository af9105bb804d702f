"""Renders python/<package>/_fusion/: the operators that ``fuse`` inserts into models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, paragraph
from opforge.render.torch.native import by_expression
from opforge.render.torch.signature import Signature, python_literal
from opforge.spec.arguments import input_kind
from opforge.spec.axes import LAST
from opforge.spec.row_meanings import ALL_LOSSES
from opforge.spec.tree import Apply, Cast, Compute, Expression, Name, Number, Unsqueezed

# Code that occurs in _native.py but not in models, so that it cannot be recognised: a number that Python computes from
# attributes, a number turned into a tensor, the broadcast shape of all inputs, and a dtype from a table.
_ONLY_HERE = ("_scalars.", "torch.tensor(", "torch.broadcast_to(", "_reference.")


@dataclass(frozen=True)
class FusibleOp:
    """One operator: the function that graphs call, the names of its constants, and the fields of its ``Fusible``."""

    function: str
    constant: str
    dims: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class FusibleForm:
    """Context of ``code/torch/python/_fusion/fusible.py``."""

    package: str
    ops: tuple[FusibleOp, ...]
    functions: tuple[str, ...]


@dataclass(frozen=True)
class FuseForm:
    """Context of ``code/torch/python/_fusion/__init__.py``; ``looked_for`` is a paragraph of its docstring."""

    package: str
    looked_for: str


def fusible(signatures: Sequence[Signature]) -> tuple[Signature, ...]:
    """The ops whose expression can be found in a model; empty without the feature ``fuse``.

    Left out are handwritten ops, in-place ops, ops with lists or numbers as inputs, and ops whose torch code contains
    something that models do not.
    """
    return tuple(signature for signature in signatures if signature.fuse and _can_be_found(signature))


def _can_be_found(signature: Signature) -> bool:
    op = signature.op
    if (
        not signature.kernel.expressed
        or signature.written
        or any(input_kind(tensor) != "tensor" for tensor in op.inputs)
    ):
        return False
    graph = signature.kernel.expression
    rows = all(output.row is None for output in graph.outputs)
    if graph.axes != LAST or not (rows or _is_loss(signature.op.expression)):
        return False  # it looks for rows that are the last dimension, in results that have them, and for losses
    if any(attr.required and attr.name not in _numbers(signature) for attr in op.attrs):
        return False
    if any(text in line for line in by_expression(signature).lines for text in _ONLY_HERE):
        return False
    return set(_numbers(signature)) <= _told(signature.op.expression, set(signature.attrs))


def _is_loss(compute: Compute) -> bool:
    """Whether an op is a class loss of all rows of its inputs, and nothing else, with targets of torch's shape."""
    loss, *rest = (each for each in compute.assignments if not each.inner)
    if loss.call is None or [each.value for each in rest] != [Name(loss.name)]:
        return False
    losses = loss.call.steps and loss.call.torch == ALL_LOSSES
    return bool(losses) and [type(each) for each in loss.call.arguments[:2]] == [Name, Unsqueezed]


def _told(compute: Compute, attrs: set[str]) -> set[str]:
    """The attributes that a number in a model determines: the number depends on one attribute, and uses it once."""
    numbers: dict[str, Expression] = {}  # assignments without a tensor
    told: set[str] = set()

    def names(tree: Expression) -> list[str] | None:
        """The attributes in a number, with repetitions; None for a tensor."""
        if isinstance(tree, Number):
            return []
        if isinstance(tree, Name):
            return [tree.name] if tree.name in attrs else names(numbers[tree.name]) if tree.name in numbers else None
        parts = [names(part) for part in tree.operands] if isinstance(tree, Apply) else [None]
        return None if None in parts else [name for part in parts for name in part or ()]

    def look(tree: Expression) -> None:
        found = names(tree)
        if found is not None:
            told.update(found if len(found) == 1 else ())
        elif isinstance(tree, Apply | Cast):
            for part in tree.operands if isinstance(tree, Apply) else (tree.operand,):
                look(part)

    for assignment in compute.assignments:
        if names(assignment.value) is not None:
            numbers[assignment.name] = assignment.value
        else:
            look(assignment.value)
    return told


def _numbers(signature: Signature) -> Mapping[str, str]:
    """The attributes that the expression uses, with the names of their Python types."""
    used = signature.op.expression.computed_with
    return {attr.name: attr.type for attr in signature.op.attrs if attr.type in ("int", "float") and attr.name in used}


def fusible_context(package: str, signatures: Sequence[Signature]) -> FusibleForm:
    """The context for the ops that ``fusible`` returned."""
    ops = tuple(_fusible_op(signature) for signature in signatures)
    return FusibleForm(package, ops, tuple(f"_{op.constant}: {op.function}" for op in ops))


def fuse_context(package: str, signatures: Sequence[Signature]) -> FuseForm:
    """The context of the function ``fuse``."""
    names = [signature.function for signature in signatures]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    text = f"It looks for the {'expressions' if len(names) > 1 else 'expression'} of {listed}."
    return FuseForm(package, paragraph(text, 4))


def _fusible_op(signature: Signature) -> FusibleOp:
    op, numbers = signature.op, _numbers(signature)
    dims = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in op.inputs]
    fixed = {a.name: python_literal(a.type, a.default) for a in op.attrs if a.name not in numbers}
    fields = []
    if signature.optional:
        fields.append(f"optional={dims_literal(signature.optional)}")
    if numbers:
        fields.append(f"attrs={{{', '.join(f'{json.dumps(name)}: {kind}' for name, kind in numbers.items())}}}")
    if fixed:
        fields.append(f"fixed={{{', '.join(f'{json.dumps(name)}: {text}' for name, text in fixed.items())}}}")
    if signature.kernel.torch.autocasts:
        fields.append("products=True")
    if _is_loss(op.expression):
        fields.append("loss=True")
    if not op.backward:
        fields.append("differentiable=False")
    return FusibleOp(signature.function, signature.function.upper(), tuple(dims), tuple(fields))
