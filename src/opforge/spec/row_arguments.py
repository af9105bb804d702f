"""Binds the arguments of row functions: values, dimensions, and words such as ``p`` of a norm."""

from __future__ import annotations

import ast
import math

from opforge.spec.language import ROW_FUNCTIONS, sample
from opforge.spec.reading import Reading
from opforge.spec.row_meanings import CLASS_LOSSES, DEFAULTS, EXTREMES, NORMS, TESTS
from opforge.spec.tree import literal_of

ORDERS = ("p", "ord")  # parameters that are the order of a norm
OPTIONS = ("dim", "keepdim", "reduction", *ORDERS)  # parameters that are no values
# Without `dim`, over all dimensions.
OVER_ALL = ("sum", "mean", "amax", "amin", "prod", "var", "std", "norm", "vector_norm", *TESTS)
_OPTIONAL = ("keepdim", "reduction", *ORDERS, *DEFAULTS)
_SPELLED_ORDERS = {"fro": 2.0, "inf": math.inf}


def shown(name: str) -> str:
    """An example of a call, for a hint."""
    return f"for example `v, i = {name}(x, -1)`" if name in EXTREMES else sample(name)


def bound(reader: Reading, node: ast.Call, name: str) -> dict[str, ast.expr] | None:
    """The arguments after the tensor by parameter; None if they do not fit, which is reported."""
    parameters = ROW_FUNCTIONS.get(name, ("dim", "keepdim"))
    if not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
        reader.report(node, f"`{name}` needs a tensor", shown(name))
        return None
    if name in CLASS_LOSSES and len(node.args) > 3:
        reader.report(node.args[3], f"`{name}` takes further arguments by name", shown(name))
        return None
    if len(node.args) - 1 > len(parameters):
        what = f"`{name}` takes {len(parameters) + 1} arguments, not {len(node.args) + len(node.keywords)}"
        reader.report(node, what, shown(name))
        return None
    given = dict(zip(parameters, node.args[1:], strict=False))
    for keyword in node.keywords:
        parameter = "correction" if keyword.arg == "unbiased" and "correction" in parameters else keyword.arg
        if parameter not in parameters or parameter in given:
            again = "is given twice" if parameter in given else f"is not an argument of `{name}`"
            reader.report(keyword.value, f"`{keyword.arg}` {again}", shown(name))
            return None
        given[parameter] = keyword.value
    correction = given.get("correction")
    if isinstance(correction, ast.Constant) and isinstance(correction.value, bool):  # torch's older `unbiased`
        given["correction"] = ast.copy_location(ast.Constant(int(correction.value)), correction)
    left_out = {*_OPTIONAL, *(("dim",) if name in OVER_ALL else ()), *(("weight",) if name in CLASS_LOSSES else ())}
    needed = (each for each in parameters if each not in left_out)
    missing = next((each for each in needed if each not in given), None)
    if missing is not None:
        reader.report(node, f"`{name}` needs `{missing}`", shown(name))
        return None
    return given


def truth(reader: Reading, node: ast.expr, name: str) -> bool | None:
    """The value of ``keepdim``; None if it is not True or False, which is reported."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    reader.report(node, f"`keepdim` of `{name}` must be True or False", shown(name))
    return None


def order(reader: Reading, given: dict[str, ast.expr], name: str) -> float | None:
    """The order of a norm, 2 if a call has none; None if the norm has no kernel, which is reported."""
    parameter, node = next(((each, given[each]) for each in ORDERS if each in given), ("", None))
    if node is None:
        return 2.0
    infinity = reader.infinity(node)
    value = literal_of(infinity.tree) if infinity is not None else _number(node)
    if value in NORMS:
        return value
    what = f'`{parameter}` of `{name}` must be 1, 2 or float("inf")'
    reader.report(node, what, f"`dim` comes after it: {shown(name)}")
    return None


def _number(node: ast.expr) -> float | None:
    """A literal number, or a norm's name."""
    value = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, str):
        return _SPELLED_ORDERS.get(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
