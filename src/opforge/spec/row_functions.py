"""Parses functions of rows: reductions over some or all dimensions, softmax, norms.

Each becomes operators of the IR. The IR has only ``sum``, ``amax`` and ``amin``; the others are written with these, in
forms that lose no digits: a variance is computed from the distances to the mean, an exponential after the largest
element is subtracted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from opforge.frozen import dataclass
from opforge.spec import value_kinds
from opforge.spec.axes import LAST, Axes
from opforge.spec.calls import kept as bound_once
from opforge.spec.dimensions import DOTS, Dim, Size
from opforge.spec.language import FLOAT32_MAX, ROW_FUNCTIONS, sample
from opforge.spec.product_dims import matrix_shapes, product_dims
from opforge.spec.reading import Reading
from opforge.spec.tree import Apply, Call, Expression, Extent, Number, Product, walk
from opforge.spec.value_dims import ONE, Dims, met, shown
from opforge.spec.value_kinds import Typed

_DEFAULTS: Mapping[str, float] = {"correction": 1.0, "eps": 1e-5}
_OPTIONAL = ("keepdim", *_DEFAULTS)
_OVER_ALL = ("sum", "mean", "amax", "amin", "var", "std")  # without `dim`, over all dimensions


@dataclass(frozen=True)
class _Row:
    """The argument of a row function: its tree, and the number of elements that are reduced, as a tree."""

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
        given = [value for value in operands if value.dims is not None and not value.number]
        tensors = given if len(given) > 1 else [made, *given]  # a norm meets its weight
        mixed = shaped.dropped and any(not value.dropped for value in given if value.dims)
        if (mixed or (shaped.reduced and shaped.dims is None)) and len(tensors) > 1:
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
        if not dims:
            self.report(node.args[0], f"`{operand.text}` has no dimensions", "reduce a tensor that has some")
            return None
        keepdim = self._truth(given["keepdim"], name) if "keepdim" in given else False
        axes = self._axes(name, given.get("dim"), dims)
        if keepdim is None or axes is None:
            return None
        numbers = {each: value for each, value in others.items() if value is not None}
        if keepdim and axes.whole:
            what = f"the number of dimensions of `{operand.text}` is not known, so they cannot be kept"
            self.report(given["keepdim"], what, "leave `keepdim` out: one value broadcasts without it")
            return None
        if not self._fitting(node, given, numbers) or not self._reducible(node, operand, dims, axes):
            return None
        return self._computed(node, name, operand, numbers, axes, keepdim=keepdim)

    def _computed(
        self, node: ast.Call, name: str, operand: Typed, given: Mapping[str, Typed], axes: Axes, *, keepdim: bool
    ) -> Typed | None:
        """The value of a call whose arguments are right."""
        dims = operand.dims or ()
        extent = self._reduced_extent(node, operand, dims, axes)
        if extent is None:
            return None
        if extent != Number(1.0):
            self.reduced.append(axes)
        once = bound_once(self, operand, self.fresh(f"{name}_input"), node, name)
        row = _Row(once.tree, extent)
        trees: dict[str, Expression] = {each: Number(value) for each, value in _DEFAULTS.items()}
        trees |= {each: value.tree for each, value in given.items()}
        dropped = False
        if "keepdim" in ROW_FUNCTIONS[name]:
            dropped = not keepdim and not axes.leading(dims)
            dims = axes.kept(dims) if keepdim else axes.dropped(dims)
        text = self.text(node)
        made = Typed(_MEANING[name](row, trees), text, "float", dims=dims, reduced=True, dropped=dropped)
        weights = [value for each, value in given.items() if each in ("weight", "bias")]
        whole = self.broadcast(made, weights, node) if weights else made
        if whole is None:
            return None
        arguments = once.tree, *(trees[each] for each in ROW_FUNCTIONS[name] if each in trees)
        call = Call(_torch_form(name, axes), arguments)
        return replace(bound_once(self, whole, self.fresh(name), node, name, call=call), text=text)

    def _without_dimensions(self, node: ast.Call, name: str, operand: Typed) -> None:
        """Report a row function of a value that has no known dimensions: of products, or inputs that do not fit."""
        values = [operand.tree, *(assignment.value for assignment in self.assigned.values())]
        products = [part for value in values for part in walk(value) if isinstance(part, Product)]
        unnamed = next((each for each in products if product_dims(each.left, each.right, self.dims) is None), None)
        if unnamed is not None:
            what = f"the columns of `{unnamed}` have no name, so `{name}` has no row to work on"
            shapes = matrix_shapes(unnamed)
            declared = ", ".join(f"{tensor}: {{shape: {shape}}}" for tensor, shape in shapes.items())
            options = " ".join(f"--shape '{tensor}={shape}'" for tensor, shape in shapes.items())
            self.report(node, what, f"name the dimensions: `{declared}`, or on the command line `{options}`")
        elif products:
            what = f"the shapes of the inputs of `{operand.text}` do not fit the product `{products[0]}`"
            dims = product_dims(products[0].left, products[0].right, self.dims) or ()
            self.report(
                node.args[0], what, f"beside a product, an input has its shape: {shown(dims)} or {shown(dims[-1:])}"
            )
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
        needed = (each for each in parameters if each not in _OPTIONAL and (each != "dim" or name not in _OVER_ALL))
        missing = next((each for each in needed if each not in bound), None)
        if missing is not None:
            self.report(node, f"`{name}` needs `{missing}`", sample(name))
            return None
        return bound

    def _axes(self, name: str, dim: ast.expr | None, dims: Dims) -> Axes | None:
        """The dimensions that a call reduces; reports what is wrong with ``dim``."""
        if dim is None and name in _OVER_ALL:
            return Axes(whole=True) if DOTS in dims else Axes(tuple(range(-len(dims), 0)))
        if dim is None:
            return LAST
        several = "keepdim" in ROW_FUNCTIONS[name]  # softmax takes one
        parts = dim.elts if isinstance(dim, ast.Tuple | ast.List) and several else [dim]
        found = [self._axis(part, name, dims) for part in parts]
        if None in found or not found:
            return None
        axes = sorted(axis for axis in found if axis is not None)
        if len(set(axes)) < len(axes):
            self.report(dim, f"`dim` of `{name}` names a dimension twice", "name each dimension once")
            return None
        return Axes(tuple(axes))

    def _axis(self, node: ast.expr, name: str, dims: Dims) -> int | None:
        """A dimension by negative index; reports one that the tensor does not have, or that cannot be counted."""
        value = self.integer(node)
        named = [dim for dim in dims if dim != DOTS]
        if value is None:
            self.report(node, f"`dim` of `{name}` must be an integer", sample(name))
        elif DOTS in dims and value >= 0:
            what = f"dimension {value} cannot be counted from the start of {shown(dims)}"
            self.report(node, what, "count from the end: the last dimension is -1")
        elif not -len(named) <= value < len(named) and DOTS not in dims:
            what = f"{shown(dims)} has no dimension {value}"
            self.report(node, what, f"`dim` is from {-len(named)} to {len(named) - 1}")
        else:
            return value if value < 0 else value - len(named)
        return None

    def _reducible(self, node: ast.Call, value: Typed, dims: Dims, axes: Axes) -> bool:
        """Whether the reduced dimensions have names, and are those that the op reduces elsewhere; reports if not."""
        named = [dim for dim in dims if dim != DOTS]
        if any(-axis > len(named) for axis in axes.at):
            place = {-1: "last", -2: "last but one"}.get(axes.at[0], f"{-axes.at[0]}th last")
            what = f"the {place} dimension of `{value.text}` has no name: its shape is {shown(dims)}"
            name = next(iter(self.inputs), "x")
            letters = ", ".join([*"BCDEFGIJKLMNOPQ"[: -axes.at[0] - 1], "H"])
            shape = f"[..., {letters}]"
            hint = f"name it: `{name}: {{shape: {shape}}}`, or on the command line `--shape '{name}={shape}'`"
            self.report(node.args[0], what, hint)
            return False
        other = next((each for each in self.reduced if each != axes), None)
        if other is not None:
            what = f"this reduces {_over(axes)}, but another function of the op reduces {_over(other)}"
            self.report(node, what, "one op reduces the same dimensions everywhere: write two ops")
            return False
        return True

    def _reduced_extent(self, node: ast.Call, value: Typed, dims: Dims, axes: Axes) -> Expression | None:
        """The number of elements that are reduced to one. Reported if it depends on how the inputs broadcast."""
        named = [dim for dim in dims if dim != DOTS]
        reduced = [dim for i, dim in enumerate(named) if axes.has(i - len(named))]
        if not axes.whole or DOTS not in dims:
            if ONE in reduced and set(reduced) != {ONE}:
                what = f"`{value.text}` {shown(dims)} has extent 1 in a reduced dimension"
                others = tuple(axis for axis in axes.of(len(named)) if named[axis] != ONE)
                self.report(node.args[0], what, f"reduce only the others: `dim={Axes(others).spelled()}`")
                return None
            parts = [self.extent(dim) for dim in reduced if dim != ONE]
            return reduce(lambda left, right: _apply("mul", left, right), parts) if parts else Number(1.0)
        required = (name for name in self.dims if not self.optional or name not in self.optional)
        alike = next((name for name in required if self.dims[name] == dims), None)
        if alike is None or any(met(dims, own) != dims for own in self.dims.values()):
            what = f"`{value.text}` {shown(dims)} does not have the shape of all inputs together"
            self.report(node.args[0], what, "a function of all elements needs a value, and an input, of that shape")
            return None
        return Extent(alike, None)

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
        return f"`{value.text}` is a number and has no dimensions", "only tensors can be reduced"
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
    return _apply("div", total, _apply("max", _apply("sub", row.extent, correction), Number(0.0)))


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


_LAST = "{0}.shape[-1:]"


def _torch_form(name: str, axes: Axes) -> str:
    """Torch's function with the same value; its arguments are the tensor and then the parameters but dim and keepdim.

    A reduction keeps its dimensions here; results drop them at the end. That of all dimensions has none.
    """
    if name in ("rms_norm", "layer_norm"):
        given = [f"{{{place}}}" for place in range(1, len(ROW_FUNCTIONS[name]) + 1)]
        return _call(f"torch.nn.functional.{name}", "{0}", _LAST, *given)
    correction = ["correction={1}"] if name in ("var", "std") else []
    if axes.whole:
        return _call(f"torch.{name}", "{0}", *correction)
    kept = ["keepdim=True"] if "keepdim" in ROW_FUNCTIONS[name] else []
    return _call(f"torch.{name}", "{0}", axes.spelled(), *correction, *kept)


def _over(axes: Axes) -> str:
    return "all dimensions" if axes.whole else f"`dim={axes.spelled()}`"


def extent_of(inputs: Mapping[str, Dims | None], dim: Dim) -> Expression:
    """The size of a dimension as a tree: a number, or the size of an input's dimension with this name."""
    if isinstance(dim, Size):
        return Number(float(dim.value))
    name, dims = next((name, dims) for name, dims in inputs.items() if dims is not None and dim in dims)
    return Extent(name, dims.index(dim) - len(dims))


def _apart(tensors: Sequence[Typed]) -> tuple[str, str]:
    """Values whose dimensions do not broadcast, at least one of them reduced, with a hint."""
    listed = " and ".join(f"`{value.text}` {shown(value.dims)}" for value in tensors if value.dims is not None)
    reduced = (value for value in tensors if value.reduced)
    short = next((value for value in reduced if value.dropped or (value.dims and value.dims[-1] == DOTS)), None)
    call = short.text if short is not None else "sum(x, -1)"
    keep = f"`{call[:-1]}, keepdim=True)`" if call.endswith(")") else "`keepdim=True` in the reduction"
    return f"{listed} do not broadcast", f"keep the reduced dimension: {keep}"
