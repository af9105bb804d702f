"""Parses functions of rows: reductions over the last dimension, softmax, norms.

Each becomes operators of the IR. The IR has only ``sum``, ``amax`` and ``amin``; the others are written with these, in
forms that lose no digits: a variance is computed from the distances to the mean, an exponential after the largest
element is subtracted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from opforge.frozen import dataclass
from opforge.spec import value_kinds
from opforge.spec.calls import kept as bound_once
from opforge.spec.dimensions import DOTS, Dim, Size
from opforge.spec.language import FLOAT32_MAX, ROW_FUNCTIONS, sample
from opforge.spec.reading import Reading
from opforge.spec.tree import Apply, Call, Expression, Extent, Number, Product, walk
from opforge.spec.value_dims import Dims, kept, shown
from opforge.spec.value_kinds import Typed

_DEFAULTS: Mapping[str, float] = {"correction": 1.0, "eps": 1e-5}
_OPTIONAL = ("keepdim", *_DEFAULTS)


@dataclass(frozen=True)
class _Row:
    """The argument of a row function: its tree, and the number of elements of a row as a tree."""

    tree: Expression
    extent: Expression

    def reduced(self, op: str, tree: Expression | None = None) -> Expression:
        """A reduction of the row, or of another value of the same shape."""
        operand = self.tree if tree is None else tree
        return operand if self.extent == Number(1.0) else Apply(op, (operand,))


class RowFunctions(Reading):
    """Parses calls of row functions, and finds the dimensions of values."""

    def broadcast(self, made: Typed, operands: Sequence[Typed], whole: ast.expr) -> Typed | None:
        """A value with the dimensions of its operands. Refused where reduced values do not broadcast.

        Dimensions of inputs alone are checked once the whole op is known (``check.broadcasting``).
        """
        shaped = value_kinds.shaped(made, operands)
        if shaped.reduced and shaped.dims is None:
            tensors = [value for value in (made, *operands) if value.dims is not None]
            if len(tensors) > 1:
                self.report(whole, *_apart(tensors))
                return None
        return shaped

    def extent(self, dim: Dim) -> Expression:
        """The size of a named dimension of the inputs, or a fixed size, as a tree."""
        required = {name: dims for name, dims in self.dims.items() if not self.optional or name not in self.optional}
        return extent_of(required, dim)

    def row_function(self, node: ast.Call, name: str) -> Typed | None:
        """The value of a call such as ``softmax(x, -1)``, or None if it was refused."""
        given = self._bound(node, name)
        if given is None:
            return None
        operand = self.value(node.args[0])
        others = {each: self.value(part) for each, part in given.items() if each not in ("dim", "keepdim")}
        if operand is None or None in others.values():
            return None
        if self.refused(node.args[0], _not_float(operand)):
            return None
        dims = operand.dims
        if dims is None:
            self._without_dimensions(node, name, operand)
            return None
        if "dim" in given and not self._last(given["dim"], name, dims):
            return None
        keepdim = self._truth(given["keepdim"], name) if "keepdim" in given else False
        if keepdim is None:
            return None
        numbers = {each: value for each, value in others.items() if value is not None}
        if not self._fitting(node, given, numbers):
            return None
        if not self._named(node.args[0], operand, dims):
            return None
        return self._computed(node, name, operand, numbers, keepdim=keepdim)

    def _computed(
        self, node: ast.Call, name: str, operand: Typed, given: Mapping[str, Typed], *, keepdim: bool
    ) -> Typed | None:
        """The value of a call whose arguments are right."""
        dims = operand.dims or ()
        once = bound_once(self, operand, self.fresh(f"{name}_input"), node, name)
        row = _Row(once.tree, self.extent(dims[-1]))
        trees: dict[str, Expression] = {each: Number(value) for each, value in _DEFAULTS.items()}
        trees |= {each: value.tree for each, value in given.items()}
        if "keepdim" in ROW_FUNCTIONS[name]:
            dims = kept(dims) if keepdim else dims[:-1]
        text = self.text(node)
        made = Typed(_MEANING[name](row, trees), text, "float", dims=dims, reduced=True)
        weights = [value for each, value in given.items() if each in ("weight", "bias")]
        whole = self.broadcast(made, weights, node) if weights else made
        if whole is None:
            return None
        call = Call(_TORCH[name], (once.tree, *(trees[each] for each in ROW_FUNCTIONS[name] if each in trees)))
        return replace(bound_once(self, whole, self.fresh(name), node, name, call=call), text=text)

    def _without_dimensions(self, node: ast.Call, name: str, operand: Typed) -> None:
        """Report a row function of a value that has no known dimensions: of products, or inputs that do not fit."""
        values = [operand.tree, *(assignment.value for assignment in self.assigned.values())]
        if any(isinstance(part, Product) for value in values for part in walk(value)):
            what = f"`{name}` of a matrix product is not supported yet"
            self.report(node, what, "write two ops: one for the product, one for the rows")
        else:
            what = f"the inputs of `{operand.text}` do not broadcast, so it has no rows"
            self.report(node.args[0], what, "from the right, dimensions must be equal or 1")

    def _bound(self, node: ast.Call, name: str) -> dict[str, ast.expr] | None:
        """The arguments after the tensor by parameter; None if they do not fit."""
        parameters = ROW_FUNCTIONS[name]
        if not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
            self.report(node, f"`{name}` needs a tensor", sample(name))
            return None
        if len(node.args) - 1 > len(parameters):
            what = f"`{name}` takes {len(parameters) + 1} arguments, not {len(node.args) + len(node.keywords)}"
            self.report(node, what, sample(name))
            return None
        bound = dict(zip(parameters, node.args[1:], strict=False))
        for keyword in node.keywords:
            if keyword.arg not in parameters or keyword.arg in bound:
                again = "is given twice" if keyword.arg in bound else f"is not an argument of `{name}`"
                self.report(keyword.value, f"`{keyword.arg}` {again}", sample(name))
                return None
            bound[keyword.arg] = keyword.value
        missing = next((each for each in parameters if each not in bound and each not in _OPTIONAL), None)
        if missing is not None:
            self.report(node, f"`{name}` needs `{missing}`", sample(name))
            return None
        return bound

    def _named(self, node: ast.expr, value: Typed, dims: Dims) -> bool:
        """Whether the last dimension has a name or a size; reports it if not."""
        if dims and dims[-1] != DOTS:
            return True
        what = f"the last dimension of `{value.text}` has no name: its shape is {shown(dims)}"
        name = next(iter(self.inputs), "x")
        hint = f"name it: `{name}: {{shape: [..., H]}}`, or on the command line `--shape '{name}=[..., H]'`"
        self.report(node, what, hint)
        return False

    def _last(self, node: ast.expr, name: str, dims: Dims) -> bool:
        """Whether ``dim`` is the last dimension; reports it if not."""
        value = self.integer(node)
        rank = len(dims) if DOTS not in dims else None
        if value == -1 or (value is not None and rank is not None and value == rank - 1):
            return True
        if value is None:
            self.report(node, f"`dim` of `{name}` must be an integer", sample(name))
        else:
            what = f"`{name}` over dimension {value} is not supported yet"
            self.report(node, what, "only over the last dimension: `-1`")
        return False

    def _truth(self, node: ast.expr, name: str) -> bool | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return node.value
        self.report(node, f"`keepdim` of `{name}` must be True or False", sample(name))
        return None

    def _fitting(self, node: ast.Call, given: Mapping[str, ast.expr], values: Mapping[str, Typed]) -> bool:
        """Whether weights are tensors of floats and the rest are numbers; reports what is not."""
        fits = True
        for name, value in values.items():
            if name in ("weight", "bias"):
                fits = fits and not self.refused(given[name], _not_float(value))
            elif not value.number:
                self.report(given[name], f"`{name}` must be a number; this is a tensor", sample(_called(node)))
                fits = False
        return fits


def _not_float(value: Typed) -> value_kinds.Refusal | None:
    """Why rows cannot be made of this value."""
    if value.number:
        return f"`{value.text}` is a number and has no dimensions", "rows are the last dimension of a tensor"
    refused = value_kinds.arithmetic("exp", [value])
    return refused[1] if refused is not None else None


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _apply(op: str, *operands: Expression) -> Expression:
    return Apply(op, operands)


def _mean(row: _Row, tree: Expression | None = None) -> Expression:
    return _apply("div", row.reduced("sum", tree), row.extent)


def _variance(row: _Row, correction: Expression) -> Expression:
    distance = _apply("sub", row.tree, _mean(row))
    total = row.reduced("sum", _apply("mul", distance, distance))
    return _apply("div", total, _apply("sub", row.extent, correction))


def _largest(row: _Row) -> Expression:
    """The number that exponentials are relative to. The result does not depend on it, so it has no gradient."""
    return _apply("detach", row.reduced("amax"))


def _exponentials(row: _Row) -> Expression:
    return _apply("exp", _apply("sub", row.tree, _largest(row)))


def _softmax(row: _Row) -> Expression:
    above = _exponentials(row)
    return _apply("div", above, row.reduced("sum", above))


def _log_softmax(row: _Row) -> Expression:
    below = _apply("sub", row.tree, _largest(row))
    return _apply("sub", below, _apply("log", row.reduced("sum", _apply("exp", below))))


def _logsumexp(row: _Row) -> Expression:
    """The largest element is only subtracted if it is finite; inf - inf is NaN."""
    largest = _largest(row)
    infinite = _apply("gt", _apply("abs", largest), Number(FLOAT32_MAX))
    base = _apply("where", infinite, Number(0.0), largest)
    above = row.reduced("sum", _apply("exp", _apply("sub", row.tree, base)))
    return _apply("add", _apply("log", above), base)


def _rms_norm(row: _Row, given: Mapping[str, Expression]) -> Expression:
    root = _apply("rsqrt", _apply("add", _mean(row, _apply("mul", row.tree, row.tree)), given["eps"]))
    return _apply("mul", _apply("mul", row.tree, root), given["weight"])


def _layer_norm(row: _Row, given: Mapping[str, Expression]) -> Expression:
    distance = _apply("sub", row.tree, _mean(row))
    root = _apply("rsqrt", _apply("add", _mean(row, _apply("mul", distance, distance)), given["eps"]))
    return _apply("add", _apply("mul", _apply("mul", distance, root), given["weight"]), given["bias"])


_MEANING: dict[str, Callable[[_Row, Mapping[str, Expression]], Expression]] = {
    "sum": lambda row, _: row.reduced("sum"),
    "amax": lambda row, _: row.reduced("amax"),
    "amin": lambda row, _: row.reduced("amin"),
    "mean": lambda row, _: _mean(row),
    "var": lambda row, given: _variance(row, given["correction"]),
    "std": lambda row, given: _apply("sqrt", _variance(row, given["correction"])),
    "logsumexp": lambda row, _: _logsumexp(row),
    "softmax": lambda row, _: _softmax(row),
    "log_softmax": lambda row, _: _log_softmax(row),
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
}


def _call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(arguments)})"


def _reduction(name: str, *arguments: str) -> str:
    """A reduction keeps its dimension here; results drop it at the end."""
    return _call(f"torch.{name}", "{0}", "-1", *arguments, "keepdim=True")


_LAST = "{0}.shape[-1:]"
# torch's functions with the same values; the arguments are the tensor and then the parameters, without dim and keepdim.
_TORCH = {
    **{name: _reduction(name) for name in ("sum", "mean", "amax", "amin", "logsumexp")},
    **{name: _reduction(name, "correction={1}") for name in ("var", "std")},
    **{name: _call(f"torch.{name}", "{0}", "-1") for name in ("softmax", "log_softmax")},
    "rms_norm": _call("torch.nn.functional.rms_norm", "{0}", _LAST, "{1}", "{2}"),
    "layer_norm": _call("torch.nn.functional.layer_norm", "{0}", _LAST, "{1}", "{2}", "{3}"),
}


def extent_of(inputs: Mapping[str, Dims | None], dim: Dim) -> Expression:
    """The size of a dimension as a tree: a number, or the size of an input's dimension with this name."""
    if isinstance(dim, Size):
        return Number(float(dim.value))
    name, dims = next((name, dims) for name, dims in inputs.items() if dims is not None and dim in dims)
    return Extent(name, dims.index(dim) - len(dims))


def _apart(tensors: Sequence[Typed]) -> tuple[str, str]:
    """Values whose dimensions do not broadcast, at least one of them reduced, with a hint."""
    listed = " and ".join(f"`{value.text}` {shown(value.dims)}" for value in tensors if value.dims is not None)
    short = next((value for value in tensors if value.reduced and value.dims and value.dims[-1] == DOTS), None)
    call = short.text if short is not None else "sum(x, -1)"
    keep = f"`{call[:-1]}, keepdim=True)`" if call.endswith(")") else "`keepdim=True` in the reduction"
    return f"{listed} do not broadcast", f"keep the reduced dimension: {keep}"
