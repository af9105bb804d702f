"""Converts torch.fx graphs to one canonical form, so that different spellings of an operator become equal."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.nn.parameter import is_lazy

from .calls import Unknown, arguments
from .matching import CHAINS, Value, match
from .row_functions import RowFunctions

_NO_TENSOR = ("shape", "dtype", "device", "ndim", "size", "dim", "numel", "item", "tolist", "stride", "layout")
_NUMBERS: Mapping[str, Callable[..., float]] = {
    "add": operator.add,
    "mul": operator.mul,
    "neg": operator.neg,
    "div": operator.truediv,
    "pow": operator.pow,
}


class Canonical(RowFunctions):
    """The values of a graph's nodes. Equal values are the same object.

    ``tensors`` finds the tensor of a get_attr node. ``leaves`` gives the values of placeholders that are not unknown
    tensors. ``spellings`` has pairs of a short name and the longer value that it replaces.
    """

    def __init__(
        self,
        graph: Graph,
        tensors: Callable[[str], object] = lambda _: None,
        leaves: Mapping[str, Value] | None = None,
        spellings: tuple[tuple[str, Value], ...] = (),
    ) -> None:
        self._known: dict[Any, Value] = {}
        self._attributes = tensors
        self._spellings = spellings
        self.values: dict[Node, Value] = {}
        self.nodes: dict[Value, Node] = {}  # the first node of each value
        self.tensors: dict[Value, Tensor] = {}  # parameters and buffers by value
        for node in graph.nodes:
            if node.op == "placeholder" and leaves is not None:
                value = leaves[str(node.target)]
            else:
                value = self._value(node)
            self.values[node] = value
            self.nodes.setdefault(value, node)

    def _value(self, node: Node) -> Value:
        if node.op == "get_attr":
            return self._attribute(node)
        if node.op in ("call_function", "call_method"):
            try:
                return self._call(node)
            except Unknown:
                named = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
                first = self.values.get(node.args[0]) if node.args and isinstance(node.args[0], Node) else None
                sizes = named in _NO_TENSOR or (named == "getitem" and first is not None and not first.tensor)
                return Value("leaf", data=node, tensor=not sizes)
        return Value("leaf", data=node)

    def _attribute(self, node: Node) -> Value:
        """A parameter or buffer. Tensor subclasses (quantized, distributed) are leaves that operators do not take."""
        tensor = self._attributes(str(node.target))
        if not isinstance(tensor, Tensor) or is_lazy(tensor):
            return Value("leaf", data=node, tensor=False)
        plain = type(tensor.detach()) is Tensor and tensor.layout == torch.strided and not tensor.is_quantized
        known = ("tensor", id(tensor))
        if known not in self._known:
            self._known[known] = Value("leaf", data=node, tensor=plain, rank=tensor.dim())
            self.tensors[self._known[known]] = tensor
        return self._known[known]

    def _call(self, node: Node) -> Value:
        name, given = arguments(node)
        if given.get("inplace"):
            raise Unknown
        operands = {key: value for key, value in given.items() if isinstance(value, (Node, int, float))}
        values = {key: self._operand(value) for key, value in operands.items() if not isinstance(value, bool)}
        handler = getattr(self, f"_{name}", None)
        if handler is not None:
            made = handler(given, values)
        else:
            made = self.make(name, *values.values())
        assert isinstance(made, Value)
        return made

    def _operand(self, given: Node | float) -> Value:
        if isinstance(given, Node):
            return self.values[given]
        return self.constant(given)

    def constant(self, number: float) -> Value:
        """A literal."""
        return self._keep("number", (), number, number=True)

    def make(self, op: str, *operands: Value) -> Value:
        """The value of an operator of the expression language, with the shortest spelling."""
        if all(operand.number for operand in operands):
            if op not in _NUMBERS:
                raise Unknown
            if all(operand.op == "number" for operand in operands):
                try:
                    return self.constant(_NUMBERS[op](*(operand.data for operand in operands)))
                except ArithmeticError:
                    raise Unknown from None
            return self._keep(op, operands, None, number=True)
        value = self._keep(op, operands, None)
        for name, spelled in self._spellings:
            found = next(match(spelled, value, {}), None) if spelled.op == op else None
            if found is not None:
                parts = [part if isinstance(part, Value) else self.constant(part) for part in found.values()]
                return self.make(name, *sorted(parts, key=lambda part: part.number))
        return value

    def _keep(self, op: str, operands: tuple[Value, ...], data: Any, *, number: bool = False) -> Value:
        for order in (operands, operands[::-1]) if op in (*CHAINS, "eq", "ne") else (operands,):
            key = (op, tuple(map(id, order)), data, type(data))
            if key in self._known:
                return self._known[key]
        tensor = not operands or any(operand.tensor for operand in operands if not operand.number)
        self._known[key] = Value(op, operands, data, number, tensor, 2 if op == "T" else None)
        return self._known[key]

    # Each method below is found by the name of a function. It gets the arguments of the call, and the values of those
    # arguments that have one.

    def _add(self, given: Any, values: dict[str, Value]) -> Value:
        other = values["other"] if given["alpha"] == 1 else self.make("mul", values["alpha"], values["other"])
        return self._plus(values["input"], other)

    def _plus(self, one: Value, other: Value) -> Value:
        for zero, rest in ((one, other), (other, one)):
            if zero.op == "number" and zero.data == 0 and not rest.number:
                return rest
        return self.make("add", one, other)

    def _sub(self, given: Any, values: dict[str, Value]) -> Value:
        other = values["other"] if given["alpha"] == 1 else self.make("mul", values["alpha"], values["other"])
        return self._plus(values["input"], self._minus(other))

    def _rsub(self, given: Any, values: dict[str, Value]) -> Value:
        return self._sub(given, {**values, "input": values["other"], "other": values["input"]})

    def _neg(self, _: Any, values: dict[str, Value]) -> Value:
        return self._minus(values["input"])

    def _minus(self, value: Value) -> Value:
        return value.operands[0] if value.op == "neg" else self.make("neg", value)

    def _mul(self, _: Any, values: dict[str, Value]) -> Value:
        one, other = values["input"], values["other"]
        for number, rest in ((one, other), (other, one)):
            if number.op == "number" and number.data in (1, -1) and not rest.number:
                return rest if number.data == 1 else self._minus(rest)
        return self.make("mul", one, other)

    def _div(self, given: Any, values: dict[str, Value]) -> Value:
        one, other = values["input"], values["other"]
        if given["rounding_mode"] == "floor":
            return self.make("floor_divide", one, other)
        if given["rounding_mode"] is not None:
            raise Unknown
        if one.op == "number" and one.data == 1 and not other.number:
            return self._inverse(other)
        if other.op == "number" and other.data != 0 and math.frexp(abs(other.data))[0] == 0.5:
            return self._mul({}, {"input": one, "other": self.constant(1 / other.data)})  # exact: a power of two
        return self.make("div", one, other)

    def _reciprocal(self, _: Any, values: dict[str, Value]) -> Value:
        return self._inverse(values["input"])

    def _inverse(self, value: Value) -> Value:
        return self.make("rsqrt", *value.operands) if value.op == "sqrt" else self.make("reciprocal", value)

    def _square(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("mul", values["input"], values["input"])

    def _pow(self, _: Any, values: dict[str, Value]) -> Value:
        base, exponent = values["input"], values["exponent"]
        if exponent.op != "number" or base.number or exponent.data not in (0.5, -0.5, 1, -1, 2, 3):
            return self.make("pow", base, exponent)
        if exponent.data in (0.5, -0.5):
            return self.make("sqrt" if exponent.data > 0 else "rsqrt", base)
        if exponent.data == -1:
            return self._inverse(base)
        result = base
        for _count in range(round(exponent.data) - 1):
            result = self.make("mul", result, base)
        return result

    def _minimum(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("min", values["input"], values["other"])

    def _maximum(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("max", values["input"], values["other"])

    def _clamp(self, given: Any, values: dict[str, Value]) -> Value:
        result = values["input"]
        for bound, op in (("min", "max"), ("max", "min")):
            if given[bound] is not None:
                result = self.make(op, result, values[bound])
        return result

    def _clamp_min(self, given: Any, values: dict[str, Value]) -> Value:
        return self._clamp({**given, "max": None}, values)

    def _clamp_max(self, given: Any, values: dict[str, Value]) -> Value:
        return self._clamp({**given, "min": None}, values)

    def _logit(self, given: Any, values: dict[str, Value]) -> Value:
        result = values["input"]
        if given["eps"] is not None:
            high = self._plus(self.constant(1.0), self._minus(values["eps"]))
            result = self._clamp({"min": 0, "max": 0}, {"input": result, "min": values["eps"], "max": high})
        return self.make("logit", result)

    def _nan_to_num(self, _: Any, values: dict[str, Value]) -> Value:
        """With stated numbers for infinities: without, they depend on the dtype."""
        if not {"posinf", "neginf"} <= set(values):
            raise Unknown
        x, largest = values["input"], self.constant(torch.finfo(torch.float32).max)
        below = self.make("where", self.make("lt", x, self._minus(largest)), values["neginf"], x)
        within = self.make("where", self.make("lt", largest, x), values["posinf"], below)
        return self.make("where", self.make("isnan", x), values.get("nan", self.constant(0.0)), within)

    def _hardtanh(self, given: Any, values: dict[str, Value]) -> Value:
        bounds = {"min": given["min_val"], "max": given["max_val"]}
        return self._clamp(bounds, {"input": values["input"], "min": values["min_val"], "max": values["max_val"]})

    def _relu(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("max", values["input"], self.constant(0.0))

    def _relu6(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("min", self._relu({}, values), self.constant(6.0))

    def _hardsigmoid(self, _: Any, values: dict[str, Value]) -> Value:
        moved = self.make("add", values["input"], self.constant(3.0))
        return self.make("div", self._relu6({}, {"input": moved}), self.constant(6.0))

    def _hardswish(self, _: Any, values: dict[str, Value]) -> Value:
        moved = self.make("add", values["input"], self.constant(3.0))
        product = self.make("mul", values["input"], self._relu6({}, {"input": moved}))
        return self.make("div", product, self.constant(6.0))

    def _gt(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("lt", values["other"], values["input"])

    def _ge(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("le", values["other"], values["input"])

    def _gelu(self, given: Any, values: dict[str, Value]) -> Value:
        names = {"none": "gelu", "tanh": "gelu_tanh"}
        if given["approximate"] not in names:
            raise Unknown
        return self.make(names[given["approximate"]], values["input"])

    def _masked_fill(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("where", values["mask"], values["value"], values["input"])

    def _matmul(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("matmul", values["input"], values["other"])

    def _linear(self, given: Any, values: dict[str, Value]) -> Value:
        product = self.make("matmul", values["input"], self._turned(values["weight"]))
        return product if given["bias"] is None else self._plus(product, values["bias"])

    def _addmm(self, given: Any, values: dict[str, Value]) -> Value:
        if given["beta"] != 1 or given["alpha"] != 1:
            raise Unknown
        return self._plus(self.make("matmul", values["mat1"], values["mat2"]), values["input"])

    def _addcmul(self, _: Any, values: dict[str, Value]) -> Value:
        product = self.make("mul", values["tensor1"], values["tensor2"])
        return self.make("add", values["input"], self.make("mul", values["value"], product))

    def _addcdiv(self, _: Any, values: dict[str, Value]) -> Value:
        quotient = self._div({"rounding_mode": None}, {"input": values["tensor1"], "other": values["tensor2"]})
        return self.make("add", values["input"], self.make("mul", values["value"], quotient))

    def _lerp(self, _: Any, values: dict[str, Value]) -> Value:
        difference = self._plus(values["end"], self._minus(values["input"]))
        return self.make("add", values["input"], self.make("mul", values["weight"], difference))

    def _t(self, _: Any, values: dict[str, Value]) -> Value:
        return self._turned(values["input"])

    def _turned(self, value: Value) -> Value:
        return value.operands[0] if value.op == "T" else self.make("T", value)

    def _transpose(self, given: Any, values: dict[str, Value]) -> Value:
        dims = (given["dim0"], given["dim1"])
        if values["input"].rank != 2 or not all(isinstance(dim, int) for dim in dims):
            raise Unknown  # with more than two dimensions, any two may be swapped
        return self._turned(values["input"]) if sorted(dim % 2 for dim in dims) == [0, 1] else values["input"]

    def _permute(self, given: Any, values: dict[str, Value]) -> Value:
        dims = given["dims"][0] if len(given["dims"]) == 1 else given["dims"]
        if tuple(dims) in ((1, 0), (-1, 0), (1, -2), (-1, -2)):
            return self._turned(values["input"])
        raise Unknown

    def _getattr(self, given: Any, values: dict[str, Value]) -> Value:
        if given["name"] == "T" or (given["name"] in ("mT", "H", "mH") and values["input"].rank == 2):
            return self._turned(values["input"])
        raise Unknown

    def _to(self, given: Any, values: dict[str, Value]) -> Value:
        """A cast to a named dtype, or to the dtype of another tensor."""
        dtype = given["dtype"]
        if isinstance(dtype, torch.dtype):
            return self._keep("to", (values["input"],), dtype)
        if isinstance(dtype, Node) and dtype.target is getattr and dtype.args[1] == "dtype":
            assert isinstance(dtype.args[0], Node)
            return self.make("to", values["input"], self.values[dtype.args[0]])
        raise Unknown

    def _type_as(self, _: Any, values: dict[str, Value]) -> Value:
        return self.make("to", values["input"], values["other"])

    def _new_full(self, given: Any, values: dict[str, Value]) -> Value:
        if given["size"] != () or "fill_value" not in values:
            raise Unknown
        return values["fill_value"]
