"""Warns about divisions by a literal zero: valid, but infinite or NaN for every input, and probably a mistake."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from opforge.spec.model import OpSpec, Spec
from opforge.spec.source import plain_passage


def zero_divisions(spec: Spec) -> tuple[str, ...]:
    """A warning with its place for each division by a literal zero in the expressions of a spec."""
    return tuple(text for op in spec.ops if op.compute for text in _of(op))


def _of(op: OpSpec) -> Iterator[str]:
    passage = op.source if op.source is not None else plain_passage(op.compute)
    for node in ast.walk(ast.parse(passage.text)):
        divisor = _divisor(node)
        if divisor is not None and _is_zero(divisor):
            what = f"{op.type} divides by zero: the result is infinite or NaN for all inputs"
            hint = "correct the divisor, unless you want infinity"
            length = (divisor.end_col_offset or divisor.col_offset + 1) - divisor.col_offset
            yield passage.problem(what, hint, divisor.lineno, divisor.col_offset, length).render()


def _divisor(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reciprocal" and node.args:
        return node.args[0]
    return None


def _is_zero(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_zero(node.operand)
    return isinstance(node, ast.Constant) and node.value == 0
