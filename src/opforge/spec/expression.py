"""Parses the values of the expression language: a subset of Python's syntax, with Python's precedence.

Other Python syntax is refused by name, at its place. ``compute`` reads the lines.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opforge.dtypes import ALIASES, COMPUTE_DTYPES, DTYPES, KERNEL_DTYPES
from opforge.spec import bits, calls, list_elements, masks, value_kinds
from opforge.spec.integers import ARITHMETIC, Width
from opforge.spec.language import (
    ACCEPTED,
    BINARY,
    BITS,
    BITWISE,
    CALLED,
    CAST,
    COMPARE,
    COMPARISONS,
    DEFINED,
    FORMS,
    FUNCTIONS,
    GIVEN_OR,
    INSTEAD,
    INTEGER_NUMBERS,
    LATER,
    NO_NODE,
    OPERANDS,
    OTHER_NAMES,
    ROW_FUNCTIONS,
    SAME,
    SPELLED,
    WHERE,
    sample,
)
from opforge.spec.leaves import no_attribute
from opforge.spec.methods import root
from opforge.spec.product_dims import product_dims
from opforge.spec.row_functions import RowFunctions
from opforge.spec.row_meanings import EXTREMES
from opforge.spec.source import closest
from opforge.spec.tree import Apply, Cast, GivenOr, Number, Operand, Product
from opforge.spec.value_kinds import Kind, Typed

_DTYPES = f"valid dtypes: {', '.join(KERNEL_DTYPES)}"


class Reader(RowFunctions):
    """Parses values with the names defined so far; adds mistakes to ``problems``."""

    def value(self, node: ast.expr) -> Typed | None:
        """The value of an expression or of a part, or None if it was refused."""
        return self.infinity(node) or self._finite(node)

    def _finite(self, node: ast.expr) -> Typed | None:
        if isinstance(node, ast.Name | ast.Constant):
            return self.name(node) if isinstance(node, ast.Name) else self.number(node)
        if isinstance(node, ast.BinOp):
            return self.product(node) if isinstance(node.op, ast.MatMult) else self.binary(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.compare(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.IfExp):
            return self.choice(node)
        if isinstance(node, ast.Subscript):
            return list_elements.element(self, node)
        if isinstance(node, ast.Attribute):
            self.report(node, *no_attribute(node))
            return None
        if isinstance(node, ast.BoolOp):
            return masks.joined(self, "and" if isinstance(node.op, ast.And) else "or", node.values, node)
        what, hint = NO_NODE.get(type(node), ("this is not supported", ACCEPTED))
        self.report(node, what, hint)
        return None

    def within(self, bound: dict[str, Typed], call: ast.expr, title: str, *, inner: bool) -> Reader:
        """The reader of a function of the prelude, whose names are ``bound``. It adds to this one's assignments."""
        body = Reader(self.passage, {}, {}, self.optional, self.dims)
        body.assigned, body.read, body.words, body.reduced = self.assigned, self.read, self.words, self.reduced
        body.over, body.clashes, body.unsqueezed = self.over, self.clashes, self.unsqueezed
        body.of_rows, body.beside_rows = self.of_rows, self.beside_rows
        body.problems, body.blamed = self.problems, self.blamed or call
        body.bound, body.called, body.title, body.inner = bound, self.start(call), title, self.inner or inner
        return body

    def values(self, nodes: Sequence[ast.expr]) -> list[Typed] | None:
        """The values of operands, or None if one was refused; reports the mistakes of all."""
        values = [self.value(node) for node in nodes]
        given = [value for value in values if value is not None]
        return given if len(given) == len(values) else None

    def apply(self, op: str, nodes: Sequence[ast.expr], whole: ast.expr) -> Typed | None:
        """An operator of the IR applied to operands."""
        given = self.values(nodes)
        made = self.combined(op, given, nodes, self.text(whole)) if given is not None else None
        return made and self.broadcast(made, given or (), whole)

    def combined(self, op: str, given: Sequence[Typed], nodes: Sequence[ast.expr], text: str) -> Typed | None:
        """An operator of the IR applied to values, each with its place."""
        refusal = value_kinds.arithmetic(op, given)
        if refusal is not None:
            place, why = refusal
            self.report(nodes[place], *why)
            return None
        if self.title and op in ("mul", "div") and given[1].tree == Number(1.0):
            return given[0]  # a default of the prelude
        kind: Kind | None = "float"
        if op in COMPARISONS:
            kind = "mask"
        elif any(value.kind == "int" for value in given):
            kind = "int"
        elif any(value.kind is None for value in given):
            kind = None
        number = all(value.number for value in given)
        integral = number and op in INTEGER_NUMBERS and all(value.whole for value in given)
        width = value_kinds.width_of_all(given) if kind == "int" else None
        tree = Apply(op, tuple(value.tree for value in given))
        made = Typed(tree, text, kind, number=number, whole=integral, width=width)
        return value_kinds.shaped(made, given)

    def binary(self, node: ast.BinOp) -> Typed | None:
        """``+ - * / // % **``, and ``& | ^ << >>``."""
        if type(node.op) in BITS:
            return bits.combined(self, BITS[type(node.op)], (node.left, node.right), node)
        called = calls.defined(CALLED.get(type(node.op), ""))
        if called is not None:
            call = ast.Call(ast.Name(called.name, ast.Load()), [node.left, node.right], [])
            return calls.called(self, called, ast.copy_location(call, node))
        return self.apply(BINARY[type(node.op)], (node.left, node.right), node)

    def compare(self, node: ast.Compare) -> Typed | None:
        """``x > y``, or a chain of comparisons."""
        ops = [COMPARE.get(type(op)) for op in node.ops]
        if None in ops:
            self.report(node, "`in` and `is` are not supported", "supported comparisons: < <= > >= == !=")
            return None
        said = masks.said(self, node)
        if said is not None:
            return said
        nodes = (node.left, *node.comparators)
        made = self.values(nodes)
        if made is None:
            return None
        value = masks.chained(self, [op for op in ops if op], made, nodes, node)
        return value and self.broadcast(value, made, node)

    def choice(self, node: ast.IfExp) -> Typed | None:
        """``a if n > 1 else b``: ``where`` with a condition that is a number."""
        nodes = [node.test, node.body, node.orelse]
        made = self.values(nodes)
        if made is None:
            return None
        if made[0].kind == "mask" and not made[0].number:
            self.report(node, "`if ... else` cannot choose for each element", WHERE)
            return None
        where = ast.Call(ast.Name("where", ast.Load()), nodes, [])
        return self.applied("where", ast.copy_location(where, node), made)

    def product(self, node: ast.BinOp) -> Typed | None:
        """``x @ w``, whose operands must be inputs: the matrix unit reads them from global memory."""
        left, right = self.operand(node.left), self.operand(node.right)
        if left is None or right is None:
            return None
        dims = product_dims(left, right, self.dims)
        return Typed(Product(left, right, self.place(node)), self.text(node), "float", dims=dims)

    def operand(self, node: ast.expr) -> Operand | None:
        """One side of ``@``."""
        transposed = isinstance(node, ast.Attribute) and node.attr == "T"
        base = node.value if isinstance(node, ast.Attribute) and transposed else node
        if isinstance(base, ast.Name) and base.id in self.inputs:
            self.read.add(base.id)
            self.bare.setdefault(base.id, base)
            if self.optional and base.id in self.optional:
                self.report(base, f"`{base.id}` is optional, but both operands of a product must be present", OPERANDS)
                return None
            if self.kind(base) not in ("float", None):
                what = f"products need floats, but `{base.id}` is {self.inputs[base.id][0]}"
                self.report(base, what, f"declare it as {', '.join(COMPUTE_DTYPES)}, or cast it in a separate op")
                return None
            return Operand(base.id, transposed, self.place(node))
        if isinstance(base, ast.Name) and base.id not in self.assigned and base.id not in self.attrs:
            self.name(base)  # reports an unknown name
        else:
            self.report(node, *self.no_operand(base))
        return None

    def no_operand(self, node: ast.expr) -> tuple[str, str]:
        """Why a node is not a valid operand of ``@``."""
        if isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self.attrs):
            return "`@` needs two matrices", "multiply by a number with `*`"
        if isinstance(node, ast.Attribute) and node.attr != "T":
            return f"`.{node.attr}` is not supported", OPERANDS
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return "a product of a product is not supported yet", f"{OPERANDS}: make each product a separate op"
        if isinstance(node, ast.BinOp):
            hint = (
                f"{OPERANDS}; `*` and `@` have the same precedence, from the left: write `2 * (x @ w)` for `2 * x @ w`"
            )
            return "an operand of `@` is a computed value, which is not supported yet", hint
        what = "an operand of `@` is a computed value, which is not supported yet"
        return what, f"{OPERANDS}: compute this in a separate op"

    def unary(self, node: ast.UnaryOp) -> Typed | None:
        """A sign, ``~``, or ``not`` of a mask."""
        if isinstance(node.op, ast.Invert):
            return bits.combined(self, "bitwise_not", [node.operand], node)
        if isinstance(node.op, ast.Not):
            return masks.joined(self, "not", [node.operand], node)
        return self.value(node.operand) if isinstance(node.op, ast.UAdd) else self.apply("neg", (node.operand,), node)

    def call(self, node: ast.Call) -> Typed | None:
        """A function, ``where`` or ``cast``."""
        if isinstance(node.func, ast.Attribute):
            return self.value(root(node.func))  # a method of an unknown name
        if not isinstance(node.func, ast.Name):
            self.report(node.func, "only functions and methods of torch can be called", ACCEPTED)
            return None
        name = node.func.id
        if name == "present":
            self.report(node, "`present` is only allowed as the condition of `where`", GIVEN_OR)
            return None
        shadowed = name in self.assigned and not self.title
        name = name if shadowed else OTHER_NAMES.get(name, name)
        defined = calls.defined(name)
        if defined is not None and not shadowed:
            called = bits.called if name in BITWISE else calls.called
            return called(self, defined, node)
        if name in ROW_FUNCTIONS and not shadowed:
            return self.row_function(node, name)
        if shadowed or (name not in FUNCTIONS and name not in FORMS):
            self.unknown_function(node.func)
            return None
        if not self.fitting(name, node):
            return None
        if name == "where" and _called(node.args[0]) == "present":
            return self.given_or(node)
        made = self.values(node.args[:1] if name == "cast" else node.args)
        if made is None or (name in EXTREMES and self.extreme_of_a_number(name, node, made)):
            return None
        return self.applied(name, node, made)

    def applied(self, name: str, node: ast.Call, made: Sequence[Typed]) -> Typed | None:
        """A function applied to values."""
        value = self.call_of(name, node, made)
        return value and self.broadcast(value, made, node)

    def call_of(self, name: str, node: ast.Call, made: Sequence[Typed]) -> Typed | None:
        """A function applied to values, without its dimensions."""
        if name == "where":
            return self.where(node, made)
        if name == "cast":
            return self.cast(node, made[0])
        return self.combined(SAME.get(name, name), made, node.args, self.text(node))

    def fitting(self, name: str, node: ast.Call) -> bool:
        """Whether a call has the right number of arguments, all positional; reports it if not."""
        arity = FUNCTIONS.get(name, {"where": 3, "cast": 2}.get(name, 0))
        given = len(node.args) + len(node.keywords)
        if name in EXTREMES and any(keyword.arg in ("dim", "keepdim") for keyword in node.keywords):
            what = f"`{name}` with `dim` has two results, the values and the indices"
            hint = f"write `v, i = {name}(x, -1)`, or for the values alone `a{name}(x, -1)`"
            self.report(node, what, hint)
            return False
        if node.keywords:
            self.report(node, f"`{name}` takes its arguments by position", sample(name))
        elif given != arity:
            plural = "s" if arity > 1 else ""
            self.report(node, f"`{name}` takes {arity} argument{plural}, not {given}", _instead(name, given))
        return not node.keywords and given == arity

    def extreme_of_a_number(self, name: str, node: ast.Call, made: Sequence[Typed]) -> bool:
        """Whether ``max`` or ``min`` has a tensor and a number, which torch reads as a dimension; reports it."""
        a, b = made
        if a.number == b.number:
            return False
        hint = f"for each element write `{name}imum({a.text}, {b.text})`"
        if b.number and self.integer(node.args[1]) is not None:
            hint += f"; along a dimension `a{name}({a.text}, {b.text})`, or `v, i = {name}({a.text}, {b.text})`"
        number = b.text if b.number else a.text
        self.report(node, f"`{name}` of two values takes two tensors, as in torch; `{number}` is a number", hint)
        return True

    def where(self, node: ast.Call, given: Sequence[Typed]) -> Typed | None:
        """``where(mask, a, b)``."""
        given = masks.alike(self, given, node)
        wrong = self.refused(node.args[0], value_kinds.condition(given[0]))
        for part, value in zip(node.args[1:], given[1:], strict=True):
            wrong = self.refused(part, value_kinds.unusable(value)) or wrong
        refusal = None if wrong else value_kinds.arithmetic("where", given[1:])
        if refusal is not None:
            place, why = refusal
            self.report(node.args[1 + place], *why)
        if wrong or refusal is not None:
            return None
        tree = Apply("where", tuple(value.tree for value in given))
        kinds = [value.kind for value in given[1:]]
        kind: Kind | None = "int" if "int" in kinds else None if None in kinds else "float"
        number = all(value.number for value in given)
        whole = number and all(value.whole for value in given[1:])
        width = value_kinds.width_of_all(given[1:])
        return Typed(tree, self.text(node), kind, number=number, whole=whole, width=width)

    def cast(self, node: ast.Call, value: Typed) -> Typed | None:
        """``cast(x, float32)``."""
        named = node.args[1]
        dtype = named.id if isinstance(named, ast.Name) else ""
        if dtype not in KERNEL_DTYPES:
            meant = None if dtype in DTYPES else ALIASES.get(dtype) or closest(dtype, KERNEL_DTYPES)
            hint = f"did you mean `{meant}`?" if meant in KERNEL_DTYPES else f"{CAST}; {_DTYPES}"
            self.report(named, f"`{self.text(named)}` is not a valid dtype for a cast", hint)
            return None
        if self.refused(node.args[0], value_kinds.castable(value, dtype)):
            return None
        text = self.text(node)
        if dtype == "bool":
            wide = Cast(value.tree, "float32") if value.kind == "int" else value.tree
            tree = value.tree if value.kind == "mask" else Apply("ne", (wide, Number(0.0)))
            return Typed(tree, text, "mask", dtype=dtype)
        kind = value_kinds.kind_of(dtype)
        if dtype in ARITHMETIC and dtype != "int32" and value.kind != "int":
            kind = None if value.kind is None else "stored"  # saturated, and only stored
        width = Width((dtype,)) if kind == "int" else None
        return Typed(Cast(value.tree, dtype), text, kind, number=value.number, dtype=dtype, width=width)

    def given_or(self, node: ast.Call) -> Typed | None:
        """``where(present(bias), bias, 0.0)``."""
        asked = _presence(node.args[0])
        if asked is None:
            self.report(node.args[0], "`present` needs the name of an input", GIVEN_OR)
            return None
        if asked.id not in self.inputs:
            self.report(asked, f"`{asked.id}` is not an input; only inputs can be optional", GIVEN_OR)
            return None
        self.read.add(asked.id)
        if self.optional is not None and asked.id not in self.optional:
            hint = f"write `{asked.id}` alone, or declare it as `{asked.id}: {{optional: true}}`"
            self.report(asked, f"`{asked.id}` is not optional: it is always present", hint)
            return None
        taken = node.args[1]
        if not isinstance(taken, ast.Name) or taken.id != asked.id:
            self.report(taken, f"the second argument must be `{asked.id}` itself", GIVEN_OR)
            return None
        kind = self.kind(taken)
        if kind not in ("float", None):
            what = f"`{asked.id}` is {self.inputs[asked.id][0]}, but optional inputs of an expression must be floats"
            self.report(taken, what, "make it required, or write two ops, one with it and one without")
            return None
        value = self.literal(node.args[2])
        if value is None:
            return None
        if self.asked.setdefault(asked.id, value) != value:
            what = f"`{asked.id}` has two default values: {self.asked[asked.id]!r} before, {value!r} here"
            self.report(node, what, "use the same number everywhere")
            return None
        return Typed(GivenOr(asked.id, value), self.text(node), kind, dims=self.dims.get(asked.id))

    def unknown_function(self, func: ast.Name) -> None:
        """Refuse a call of an unknown function, with a hint on what was probably meant."""
        name = func.id
        if name in LATER:
            self.report(func, f"`{name}` is not supported yet", ACCEPTED)
            return
        if name in self.inputs or name in self.attrs or name in self.assigned:
            self.report(func, f"`{name}` is not a function", "write `*` for a product")
            return
        meant = SPELLED.get(name) or closest(name, [*FUNCTIONS, *ROW_FUNCTIONS, *DEFINED, *FORMS, *OTHER_NAMES])
        hint = INSTEAD.get(name) or (f"did you mean `{meant}`?" if meant else ACCEPTED)
        self.report(func, f"`{name}` is not a known function", hint)


def _presence(node: ast.expr) -> ast.Name | None:
    """The name in ``present(name)``, or None for another condition."""
    if isinstance(node, ast.Call) and _called(node) == "present":
        argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
        return argument if isinstance(argument, ast.Name) else None
    return None


def _called(node: ast.expr) -> str | None:
    """The name of the called function, or None for a method or a computed one."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def _instead(name: str, given: int) -> str:
    if name in ("max", "min") and given > FUNCTIONS[name]:
        return f"nest the calls: `{name}(a, {name}(b, c))`"
    return sample(name)
