"""Checks the dimensions of ops with matrix products and derives those that are not declared.

A product is ``[..., K] @ [K, N]`` or ``[M, K] @ [K, N]``; an operand with ``.T`` is transposed. The result, every
output and every further input have the shape ``[..., N]`` or ``[M, N]``; an input may also be a row ``[N]``, and an
output may have one element for each row. All products of an op have the same dimensions, since one Matmul object
computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Literal

from opforge.errors import Problem
from opforge.frozen import dataclass
from opforge.spec.check.values import is_symbol
from opforge.spec.dimensions import print_dim
from opforge.spec.draft import TensorDraft
from opforge.spec.source import Passage, Token
from opforge.spec.tree import Compute, Product

Dims = tuple[str, ...]
Slot = Literal["rows", "inner", "columns"]
RESULT: tuple[Slot, ...] = ("rows", "columns")

_FRESH: dict[Slot, str] = {"rows": "M", "inner": "K", "columns": "N"}
_MEANS: dict[Slot, str] = {
    "rows": "the rows of the products",
    "inner": "the inner dimension of the products",
    "columns": "the columns of the products",
}


def read_product_shapes(
    inputs: Sequence[TensorDraft],
    outputs: Sequence[TensorDraft],
    compute: Compute,
    passage: Passage,
    problems: list[Problem],
) -> list[Dims]:
    """The dimensions of inputs and then outputs, in their order.

    Args:
        inputs: as declared; those without dims get the dims of their use.
        outputs: likewise.
        compute: the expression, with products.
        passage: the expression's text.
        problems: the list that mistakes are added to.
    """
    everyone = (*inputs, *outputs)
    before = len(problems)
    shaping = _Shaping(passage, compute.products, problems)
    shaping.check_operands(compute.computed_with)
    if len(problems) > before:
        return [("...",) for _ in everyone]
    operands = {operand.name for p in compute.products for operand in (p.left, p.right)}
    for tensor in inputs:
        name = tensor.name.text
        shaping.declare(tensor, shaping.of_input(name), row=name not in operands)
    for tensor in outputs:
        result = compute.results.get(tensor.name.text)
        shaping.declare_result(
            tensor, None if result is None or result.dims is None else tuple(map(print_dim, result.dims))
        )
    return shaping.finish(inputs, outputs)


@dataclass
class _Shaping:
    passage: Passage
    products: tuple[Product, ...]
    problems: list[Problem]
    bound: dict[Slot, tuple[str, str]] = field(default_factory=dict)  # the dimension, and the first tensor that has it
    rows_of_one: set[str] = field(default_factory=set)  # inputs of shape [N]
    used: set[str] = field(default_factory=set)
    of_rows: dict[str, Dims] = field(default_factory=dict)  # outputs with one element for each row

    @property
    def turned(self) -> tuple[bool, bool]:
        return self.products[0].left.transposed, self.products[0].right.transposed

    def check_operands(self, elementwise: frozenset[str]) -> None:
        first, *others = self.products
        for product in others:
            turned = product.left.transposed, product.right.transposed
            if turned != self.turned:
                what = f"`{product}` and `{first}` transpose different operands, but one kernel computes both"
                self.report(product, what, "transpose all left operands or none, and all right operands or none")
        lefts = {product.left.name for product in self.products}
        for product in self.products:
            right = product.right.name
            if right in lefts:
                what = f"`{right}` is on both sides of `@`, which is not supported yet"
                self.report(product, what, "declare a second input, and pass the same tensor to both")
            for name in dict.fromkeys((product.left.name, right)):
                if name in elementwise:
                    what = f"`{name}` is an operand of `@` and is also used elementwise, which is not supported yet"
                    self.report(product, what, "declare a second input, and pass the same tensor to both")

    def report(self, product: Product, what: str, hint: str) -> None:
        place = product.place
        self.problems.append(self.passage.problem(what, hint, place.line, place.column, place.length))

    def of_input(self, name: str) -> tuple[Slot, ...]:
        left, right = self.turned
        if any(name == product.left.name for product in self.products):
            return ("inner", "rows") if left else ("rows", "inner")
        if any(name == product.right.name for product in self.products):
            return ("columns", "inner") if right else ("inner", "columns")
        return RESULT

    def declare(self, tensor: TensorDraft, slots: tuple[Slot, ...], *, row: bool = False) -> None:
        """Use a tensor's declared dims, or report that they contradict others; ``row``: it may be ``[N]``."""
        if tensor.dims is None:
            return
        self.used.update(token.text for token in tensor.dims)
        if row and len(tensor.dims) == 1 and tensor.dims[0].text != "...":
            self.rows_of_one.add(tensor.name.text)
            slots = ("columns",)
        if not self.legal(tensor, tensor.dims, slots, row=row) or self.turned_round(tensor, tensor.dims, slots):
            return
        for slot, token in zip(slots, tensor.dims, strict=True):
            dim, owner = self.bound.setdefault(slot, (token.text, tensor.name.text))
            if dim != token.text:
                what = f"`{tensor.name.text}` has `{token.text}` and `{owner}` has `{dim}`, but both are {_MEANS[slot]}"
                self.problems.append(token.problem(what, f"write `{dim}` in both; a symbol is the same everywhere"))

    def declare_result(self, tensor: TensorDraft, made: Dims | None) -> None:
        """Use an output's declared dims. ``made``: the dims that its expression gives it, where it reduces."""
        rows = self.bound["rows"][0] if "rows" in self.bound else "..."
        if made is None or made == (rows, self.known("columns")):
            self.declare(tensor, RESULT)
            return
        shape = f"[{', '.join(made)}]"
        if made not in ((rows, "1"), (rows,)):
            what = f"`{tensor.name.text}` is {shape}, but the products are {self.accepted(RESULT)}"
            hint = "a result has one row, or one value, for each row of the products; make this result in its own op"
            self.problems.append(tensor.name.problem(what, hint))
        elif tensor.dims is not None and tuple(token.text for token in tensor.dims) != made:
            at = tensor.dims[0] if tensor.dims else tensor.name
            self.problems.append(
                at.problem(
                    f"`{tensor.name.text}` is {shape}, by its expression", f"write `shape: {shape}`, or remove it"
                )
            )
        self.of_rows[tensor.name.text] = made

    def turned_round(self, tensor: TensorDraft, dims: tuple[Token, ...], slots: tuple[Slot, ...]) -> bool:
        """Whether an operand's declared dims are transposed against its use; reports it."""
        if "inner" not in slots or "inner" not in self.bound:
            return False
        inner, owner = self.bound["inner"]
        place = slots.index("inner")
        if dims[place].text == inner or dims[1 - place].text != inner:
            return False
        name = tensor.name.text
        plain = slots in {("rows", "inner"), ("inner", "columns")}
        what = f"`{name}` has `{dims[place].text}` and `{owner}` has `{inner}`, but both are {_MEANS['inner']}"
        hint = f"write `{name}.T` in the product" if plain else f"write `{name}` without `.T` in the product"
        self.problems.append(dims[place].problem(what, f"{hint}, or declare {self.accepted(slots)}"))
        return True

    def legal(self, tensor: TensorDraft, dims: tuple[Token, ...], slots: tuple[Slot, ...], *, row: bool) -> bool:
        """Whether a tensor of this use can have this shape; reports it if not."""
        accepted = f"expected {self.accepted(slots)}" + (f" or `[{self.known('columns')}]`" if row else "")
        for place, dim in enumerate(dims):
            if dim.text == "..." and place > 0:
                self.problems.append(dim.problem("`...` must come first, and only once", accepted))
                return False
            if dim.text != "..." and not is_symbol(dim.text):
                number = dim.text.lstrip("+-").isdecimal()
                what = f"the dimension `{dim.text}`: ops with matrix products have no fixed dimensions"
                self.problems.append(
                    dim.problem(what if number else f"`{dim.text}` is not a valid dimension", accepted)
                )
                return False
        open_ = {"rows"} if not self.turned[0] else set()  # slots where `...` may stand
        dots = any(dim.text == "..." and slot not in open_ for slot, dim in zip(slots, dims, strict=False))
        if len(dims) != len(slots) or dots:
            given = f"[{', '.join(dim.text for dim in dims)}]"
            what = f"`{tensor.name.text}` cannot have the shape {given}"
            self.problems.append((dims[0] if dims else tensor.name).problem(what, accepted))
            return False
        return True

    def accepted(self, slots: tuple[Slot, ...]) -> str:
        k, n = self.known("inner"), self.known("columns")
        m = _FRESH["rows"] if self.known("rows") == "..." else self.known("rows")
        if slots == ("rows", "inner"):
            return f"`[..., {k}]` or `[{m}, {k}]`, the left operand of `@`"
        if slots == ("inner", "rows"):
            return f"`[{k}, {m}]`, the left operand of `@` with `.T`"
        if slots == ("inner", "columns"):
            return f"`[{k}, {n}]`, the right operand of `@`"
        if slots == ("columns", "inner"):
            return f"`[{n}, {k}]`, the right operand of `@` with `.T`"
        rows = self.bound["rows"][0] if "rows" in self.bound else m if self.turned[0] else "..."
        return f"`[{rows}, {n}]`"

    def known(self, slot: Slot) -> str:
        return self.bound[slot][0] if slot in self.bound else _FRESH[slot]

    def finish(self, inputs: Sequence[TensorDraft], outputs: Sequence[TensorDraft]) -> list[Dims]:
        """All dimensions; those not declared get new symbols."""
        for slot, symbol in _FRESH.items():
            wanted = "..." if slot == "rows" and not self.turned[0] else self.fresh(symbol)
            dim, _ = self.bound.setdefault(slot, (wanted, ""))
            self.used.add(dim)
        every = [(t, self.of_input(t.name.text)) for t in inputs] + [(t, RESULT) for t in outputs]
        return [
            self.of_rows.get(t.name.text)
            or tuple(self.bound[slot][0] for slot in (("columns",) if t.name.text in self.rows_of_one else slots))
            for t, slots in every
        ]

    def fresh(self, symbol: str) -> str:
        numbered: Iterable[str] = (f"{symbol}{i}" if i else symbol for i in range(len(self.used) + 1))
        return next(name for name in numbered if name not in self.used)
