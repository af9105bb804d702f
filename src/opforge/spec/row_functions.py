"""Parses functions of rows: reductions over some or all dimensions, softmax, norms, losses with class indices.

``row_meanings`` says what each is in the IR.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from opforge.frozen import dataclass
from opforge.spec import class_losses, dim_argument, row_arguments, row_shapes, totals, value_kinds
from opforge.spec.axes import LAST, Axes
from opforge.spec.calls import kept as bound_once
from opforge.spec.dimensions import DOTS, Dim, Size, print_dim
from opforge.spec.language import ROW_FUNCTIONS, sample
from opforge.spec.product_dims import matrix_shapes, product_dims
from opforge.spec.reading import Reading
from opforge.spec.row_meanings import (
    CLASS_LOSSES,
    EXTREMES,
    INDICES,
    MEANING,
    REDUCING,
    TESTS,
    Row,
    apply,
    defaults,
    first_place,
    loss_call,
    of_all_rows,
    reduced_loss,
    torch_form,
)
from opforge.spec.tree import Arange, Call, Cast, Expression, Extent, Number, Product, RowCount, walk
from opforge.spec.value_dims import ONE, Dims, shown
from opforge.spec.value_kinds import Typed


@dataclass(frozen=True)
class _Asked:
    """A call whose arguments are right: the tensor, the values of other parameters, and what is reduced.

    ``order`` is that of a norm, ``reduction`` that of a loss. ``alike``: an input; the values of its rows become one.
    """

    operand: Typed
    given: Mapping[str, Typed]
    axes: Axes
    extent: Expression
    keepdim: bool
    order: float
    reduction: str = "none"
    alike: str = ""

    @property
    def dims(self) -> Dims:
        return self.operand.dims or ()

    @property
    def reduced_dims(self) -> Dims:
        """Those of a reduction."""
        return self.axes.kept(self.dims) if self.keepdim else self.axes.dropped(self.dims)

    @property
    def dropped(self) -> bool:
        """Whether a reduction does not broadcast with the tensor."""
        return not self.keepdim and not self.axes.leading(self.dims)


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
            row_shapes.note_inputs_of_rows(self, tensors)
            self.report(whole, *row_shapes.apart(self, tensors))
            return None
        return shaped

    def extent(self, dim: Dim) -> Expression:
        """The size of a named dimension of the inputs, or a fixed size, as a tree."""
        if isinstance(dim, Size):
            return Number(float(dim.value))
        name, dims = next((name, dims) for name, dims in self._required().items() if dim in dims)
        return Extent(name, dims.index(dim) - len(dims))

    def _required(self) -> Mapping[str, Dims]:
        """The dimensions of the inputs that are always given."""
        return {name: dims for name, dims in self.dims.items() if not self.optional or name not in self.optional}

    def row_function(self, node: ast.Call, name: str) -> Typed | None:
        """The value of a call such as ``softmax(x, -1)``, or None if it was refused."""
        asked = self._asked(node, name)
        compute = self._totalled if asked is not None and asked.alike else self._computed
        return None if asked is None else compute(node, name, asked)

    def extremes(self, node: ast.Call, name: str) -> list[Typed | None]:
        """The two results of ``max(x, -1)`` or ``min(x, -1)``: the values and the indices."""
        asked = self._asked(node, name)
        if asked is None:
            return [None, None]
        row = self._row(node, name, asked)
        form = torch_form(name, asked.axes)
        value = Typed(apply(EXTREMES[name], row.tree, row.numbers), self.text(node), "float", dims=asked.reduced_dims)
        value = replace(value, reduced=True, dropped=asked.dropped)
        call = Call(f"{form}.values", (row.tree,))
        value = bound_once(self, value, self.fresh(name), node, name, call=call)
        place = first_place(apply, Number, row.tree, value.tree, row.numbers)
        call = Call(f"{form}.indices", (row.tree,))
        index = bound_once(self, _index(value, place), self.fresh(f"arg{name}"), node, name, call=call)
        return [value, index]

    def _asked(self, node: ast.Call, name: str) -> _Asked | None:
        """A call of a row function, or None if it was refused."""
        given = row_arguments.bound(self, node, name)
        if given is None:
            return None
        operand = self.value(node.args[0])
        others = {each: self.value(part) for each, part in given.items() if each not in row_arguments.OPTIONS}
        if operand is None or None in others.values():
            return None
        reduction = class_losses.reduction(self, given, name)
        dims = self._dimensions(node, name, operand)
        if dims is None:
            return None
        keepdim = row_arguments.truth(self, given["keepdim"], name) if "keepdim" in given else False
        order = row_arguments.order(self, given, name)
        axes = dim_argument.axes(self, name, given.get("dim"), dims)
        if keepdim is None or order is None or axes is None or reduction is None:
            return None
        rows = totals.rows_of(self, name, given)
        if rows is not None:
            return self._of_all_rows(node, operand, dims, rows)
        if keepdim and axes.whole:
            what = f"the number of dimensions of `{operand.text}` is not known, so they cannot be kept"
            self.report(given["keepdim"], what, "leave `keepdim` out: one value broadcasts without it")
            return None
        numbers = {each: value for each, value in others.items() if value is not None}
        found = _Asked(operand, numbers, axes, Number(1.0), keepdim, order, reduction)
        checked = self._checked(node, name, given, found)
        alone = checked is None or reduction == "none"
        fits = alone or totals.alike(self, node.args[0], operand, dims, self._required()) is not None
        return checked if fits else None

    def _checked(self, node: ast.Call, name: str, given: Mapping[str, ast.expr], asked: _Asked) -> _Asked | None:
        """A call whose other arguments fit, with the number of elements that are reduced; None if it was refused."""
        operand, dims, axes, numbers = asked.operand, asked.dims, asked.axes, dict(asked.given)
        if not self._fitting(node, given, numbers, dims, axes) or not self._reducible(node, operand, dims, axes):
            return None
        extent = self._reduced_extent(node, operand, dims, axes)
        if extent is None or not self._numbered(node, name, operand, dims, axes):
            return None
        if extent != Number(1.0):
            self.reduced.append(axes)
        if name in TESTS and operand.kind != "mask":
            operand = replace(operand, tree=apply("ne", operand.tree, Number(0.0)), kind="mask")
        return replace(asked, operand=operand, given=numbers, extent=extent)

    def _of_all_rows(self, node: ast.Call, operand: Typed, dims: Dims, rows: Axes) -> _Asked | None:
        """A function of all elements in an op with rows: of a value of each row, or of a whole tensor, row by row."""
        whole = totals.whole_of(self) or ()
        alike = totals.alike(self, node.args[0], operand, whole, self._required())
        if alike is None:
            return None
        if totals.of_rows(operand, rows, whole):
            return _Asked(operand, {}, rows, Number(1.0), keepdim=False, order=2.0, alike=alike)
        if dims != whole:
            what = f"`{operand.text}` {shown(dims)} does not have the shape of all inputs together"
            self.report(node.args[0], what, f"use a value of {shown(whole)}, or one with an element for each row")
            return None
        extent = self._reduced_extent(node, operand, dims, rows)
        if extent is None:
            return None
        self.reduced.append(rows)
        return _Asked(operand, {}, rows, extent, keepdim=False, order=2.0, alike=alike)

    def _totalled(self, node: ast.Call, name: str, asked: _Asked) -> Typed:
        """The value of a function of all rows."""
        row = self._row(node, name, asked)
        values = row.tree if row.extent == Number(1.0) else MEANING[name](row, {})
        tree = of_all_rows(name, values, RowCount(asked.alike))
        made = Typed(tree, self.text(node), "float", dims=(), reduced=True)
        return bound_once(self, made, self.fresh(name), node, name, call=Call(f"torch.{name}", (row.tree,)))

    def _row(self, node: ast.Call, name: str, asked: _Asked) -> Row:
        """The row of a call; its tensor is computed once."""
        once = bound_once(self, asked.operand, self.fresh(f"{name}_input"), node, name)
        if not _counts(name):
            return Row(once.tree, asked.extent)
        return Row(once.tree, asked.extent, Arange(self._numbering(asked.dims, asked.axes)))

    def _numbering(self, dims: Dims, axes: Axes) -> str:
        """An input that has the reduced dimension of ``dims`` in the same place; empty if only optional ones do."""
        place = axes.at[0] if axes.at else -1
        given = self._required().items()
        return next((name for name, own in given if len(own) >= -place and own[place] == dims[place]), "")

    def _computed(self, node: ast.Call, name: str, asked: _Asked) -> Typed | None:
        """The value of a call whose arguments are right."""
        row = self._row(node, name, asked)
        trees: dict[str, Expression] = {each: Number(value) for each, value in defaults(name).items()}
        trees |= {each: value.tree for each, value in asked.given.items()}
        made = Typed(
            MEANING[name](replace(row, order=asked.order), trees),
            self.text(node),
            "float",
            dims=asked.dims,
            reduced=True,
        )
        if name in REDUCING:
            made = replace(made, dims=asked.reduced_dims, dropped=asked.dropped)
        if name in ("any", "all"):
            made = replace(made, kind="mask")
        if "target" in asked.given:
            of_rows = asked.axes.dropped if asked.given["target"].dropped else asked.axes.kept
            tree = reduced_loss(asked.reduction, made.tree, row, trees)
            made = replace(made, tree=tree, dims=of_rows(asked.dims) if asked.reduction == "none" else ())
            made = replace(made, dropped=asked.given["target"].dropped and asked.reduction == "none")
        if name in INDICES or name == "count_nonzero":
            made = _index(made, made.tree)
        weights = [
            value for each, value in asked.given.items() if each in ("weight", "bias") and name not in CLASS_LOSSES
        ]
        whole = self.broadcast(made, weights, node) if weights else made
        if whole is None:
            return None
        arguments = row.tree, *(trees[each] for each in ROW_FUNCTIONS[name] if each in trees)
        call = (
            Call(torch_form(name, asked.axes, asked.order), arguments)
            if "target" not in trees
            else loss_call(name, row, trees, asked.reduction)
        )
        return replace(bound_once(self, whole, self.fresh(name), node, name, call=call), text=made.text)

    def _numbered(self, node: ast.Call, name: str, operand: Typed, dims: Dims, axes: Axes) -> bool:
        """Whether the elements of a row can be numbered, if the function needs that; reports it if not."""
        if not _counts(name):
            return True
        if axes.at and dims[axes.at[0]] == ONE:
            what = f"{axes.described} of {shown(dims)} has one element, whose number is always 0"
            self.report(node.args[0], what, "use a tensor with more elements there")
        elif products := self._products(operand):
            what = f"`{name}` beside the matrix product `{products[0]}` is not supported yet"
            self.report(node, what, "write two ops: one for the product, one for the rows")
        elif not self._numbering(dims, axes):
            what = f"only optional inputs have {axes.described} of `{operand.text}` {shown(dims)}"
            self.report(node.args[0], what, "declare it for an input that is always given")
        else:
            return True
        return False

    def _dimensions(self, node: ast.Call, name: str, operand: Typed) -> Dims | None:
        """The dimensions of a tensor that can be reduced; None for another value, which is reported."""
        mask = name in TESTS and operand.kind == "mask" and not operand.number
        if not mask and self.refused(node.args[0], value_kinds.reducible(operand)):
            return None
        if operand.dims is None:
            self._without_dimensions(node, name, operand)
        elif not operand.dims:
            self.report(node.args[0], f"`{operand.text}` has no dimensions", "reduce a tensor that has some")
        return operand.dims or None

    def _without_dimensions(self, node: ast.Call, name: str, operand: Typed) -> None:
        """Report a row function of a value that has no known dimensions: of products, or inputs that do not fit."""
        products = self._products(operand)
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

    def _products(self, value: Typed) -> Sequence[Product]:
        """The matrix products of a value and of what is assigned so far."""
        trees = [value.tree, *(assignment.value for assignment in self.assigned.values())]
        return [part for tree in trees for part in walk(tree) if isinstance(part, Product)]

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
            totals.clash(self, axes, other)
            what = f"this reduces {_over(axes)}, but another function of the op reduces {_over(other)}"
            self.report(node, what, "one op reduces the same dimensions everywhere: write two ops")
            return False
        return True

    def _reduced_extent(self, node: ast.Call, value: Typed, dims: Dims, axes: Axes) -> Expression | None:
        """The number of elements that are reduced to one. Reported if it depends on how the inputs broadcast."""
        named = [dim for dim in dims if dim != DOTS]
        reduced = [dim for i, dim in enumerate(named) if axes.has(i - len(named))]
        if not axes.alike or DOTS not in dims:
            if ONE in reduced and set(reduced) != {ONE}:
                what = f"`{value.text}` {shown(dims)} has extent 1 in a reduced dimension"
                others = tuple(axis for axis in axes.of(len(named)) if named[axis] != ONE)
                self.report(node.args[0], what, f"reduce only the others: `dim={Axes(others).spelled()}`")
                return None
            given = self._required().values()
            lacking = [dim for dim in reduced if dim != ONE and not any(dim in own for own in given)]
            last = axes == LAST and not self._products(value)  # of a product, any dimension of its operands
            if lacking or (last and not any(own[-1:] == dims[-1:] for own in given)):
                what = f"only optional inputs have the dimension {print_dim((*lacking, dims[-1])[0])} of `{value.text}`"
                self.report(node.args[0], what, "declare it for an input that is always given")
                return None
            parts = [self.extent(dim) for dim in reduced if dim != ONE]
            return reduce(lambda left, right: apply("mul", left, right), parts) if parts else Number(1.0)
        alike = totals.alike(self, node.args[0], value, dims, self._required())
        return None if alike is None else Extent(alike, axes.dim or None)

    def _fitting(
        self, node: ast.Call, given: Mapping[str, ast.expr], values: dict[str, Typed], dims: Dims, axes: Axes
    ) -> bool:
        """Whether weights are tensors of floats, a target has classes and the rest are numbers; reports what is not."""
        fits = "target" not in given or class_losses.fit(self, given, values, axes.kept(dims), dims[-1:])
        for name, value in values.items():
            if name in ("weight", "bias"):
                fits = fits and not self.refused(given[name], value_kinds.reducible(value))
            elif name not in ("target", "ignore_index") and not value.number:
                self.report(given[name], f"`{name}` must be a number; this is a tensor", sample(_called(node)))
                fits = False
        return fits


def _counts(name: str) -> bool:
    """Whether a function needs the numbers of the elements of a row."""
    return name in INDICES or name in EXTREMES or name in CLASS_LOSSES


def _index(value: Typed, tree: Expression) -> Typed:
    """A value of rows as the number of an element or of elements, ``tree``."""
    return replace(value, tree=Cast(tree, "int64"), kind="stored", dtype="int64", index=True)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _over(axes: Axes) -> str:
    return "all dimensions" if axes.whole else f"`dim={axes.spelled()}`"
