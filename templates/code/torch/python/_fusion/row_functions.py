"""Functions of rows in canonical form: reductions, softmax, norms, and losses with a class for each row."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from typing import Any

from torch.fx import Node

from .calls import Unknown
from .matching import Value


class RowFunctions(ABC):
    """The functions of the last dimension, for ``Canonical``, which makes the values.

    Each method below is found by the name of a function, and gets the arguments of its call, and their values.
    """

    @abstractmethod
    def constant(self, number: float) -> Value:
        """A literal."""

    @abstractmethod
    def make(self, op: str, *operands: Value) -> Value:
        """The value of an operator of the expression language."""

    @abstractmethod
    def _plus(self, one: Value, other: Value) -> Value:
        """A sum; that with 0 is the other operand."""

    def _softmax(self, given: Any, values: dict[str, Value]) -> Value:
        return self._of_rows("softmax", given, values)

    def _log_softmax(self, given: Any, values: dict[str, Value]) -> Value:
        return self._of_rows("log_softmax", given, values)

    def _sum(self, given: Any, values: dict[str, Value]) -> Value:
        return self._reduced("sum", given, values)

    def _mean(self, given: Any, values: dict[str, Value]) -> Value:
        return self._reduced("mean", given, values)

    def _amax(self, given: Any, values: dict[str, Value]) -> Value:
        return self._reduced("amax", given, values)

    def _amin(self, given: Any, values: dict[str, Value]) -> Value:
        return self._reduced("amin", given, values)

    def _prod(self, given: Any, values: dict[str, Value]) -> Value:
        return self._reduced("prod", given, values)

    def _any(self, given: Any, values: dict[str, Value]) -> Value:
        return self._tested("any", given, values)

    def _all(self, given: Any, values: dict[str, Value]) -> Value:
        return self._tested("all", given, values)

    def _tested(self, name: str, given: Any, values: dict[str, Value]) -> Value:
        """A test of all elements: of ``x != 0`` as of ``x``."""
        x = values["input"]
        zero = x.op == "ne" and x.operands[1].op == "number" and x.operands[1].data == 0
        return self._reduced(name, given, {"input": x.operands[0] if zero else x})

    def _norm(self, given: Any, values: dict[str, Value]) -> Value:
        return self._of_order(given["p"], given, values)

    def _vector_norm(self, given: Any, values: dict[str, Value]) -> Value:
        return self._of_order(given["ord"], given, values)

    def _of_order(self, order: Any, given: Any, values: dict[str, Value]) -> Value:
        """A norm that keeps its dimension; without an order, and over one dimension "fro" too, it is that of 2."""
        order = 2 if order in (None, "fro") else order
        if not isinstance(order, (int, float)) or given.get("out") is not None:
            raise Unknown
        return self._reduced("norm", given, values, self.constant(float(order)))

    def _normalize(self, given: Any, values: dict[str, Value]) -> Value:
        """Written out: the quotient by a norm that is at least eps."""
        norm = self._of_order(given["p"], {**given, "keepdim": True}, {"input": values["input"]})
        return self.make("div", values["input"], self.make("max", norm, values["eps"]))

    def _cross_entropy(self, given: Any, values: dict[str, Value]) -> Value:
        return self._loss("cross_entropy", given, values, values["label_smoothing"])

    def _nll_loss(self, given: Any, values: dict[str, Value]) -> Value:
        return self._loss("nll_loss", given, values)

    def _loss(self, name: str, given: Any, values: dict[str, Value], *more: Value) -> Value:
        """A loss of all rows with their classes, as one number."""
        left_out = all(given[each] is None for each in ("weight", "size_average", "reduce"))
        if not left_out or given["reduction"] not in ("mean", "sum"):
            raise Unknown
        return self.make(
            f"{name}_{given['reduction']}", values["input"], values["target"], values["ignore_index"], *more
        )

    def _logsumexp(self, given: Any, values: dict[str, Value]) -> Value:
        return self._reduced("logsumexp", given, values)

    def _var(self, given: Any, values: dict[str, Value]) -> Value:
        return self._spread("var", given, values)

    def _std(self, given: Any, values: dict[str, Value]) -> Value:
        return self._spread("std", given, values)

    def _spread(self, name: str, given: Any, values: dict[str, Value]) -> Value:
        """A variance or its root. ``unbiased`` false is the correction 0."""
        correction = given["correction"] if given["unbiased"] is True else 0
        return self._reduced(name, {**given, "correction": correction}, values, self.constant(float(correction)))

    def _reduced(self, name: str, given: Any, values: dict[str, Value], *more: Value) -> Value:
        """A reduction that keeps its dimension."""
        if not given["keepdim"]:
            raise Unknown
        return self._of_rows(name, given, values, *more)

    def _of_rows(self, name: str, given: Any, values: dict[str, Value], *more: Value) -> Value:
        """A function of the last dimension. Any other number may be the last one too, but the rank is not known."""
        if given["dim"] not in (-1, (-1,), [-1]) or given.get("dtype") is not None:
            raise Unknown
        return self.make(name, values["input"], *more)

    def _rms_norm(self, given: Any, values: dict[str, Value]) -> Value:
        """Written out, as models write it where torch had no such function."""
        if given["eps"] is None or not self._last(given["normalized_shape"]):
            raise Unknown
        x = values["input"]
        mean = self.make("mean", self.make("mul", x, x))
        normal = self.make("mul", x, self.make("rsqrt", self._plus(mean, values["eps"])))
        return normal if given["weight"] is None else self.make("mul", normal, values["weight"])

    def _layer_norm(self, given: Any, values: dict[str, Value]) -> Value:
        if given["weight"] is None or given["bias"] is None or not self._last(given["normalized_shape"]):
            raise Unknown
        return self.make("layer_norm", values["input"], values["weight"], values["bias"], values["eps"])

    def _last(self, shape: Any) -> bool:
        """Whether a norm is over the last dimension alone: one size, or the slice of a shape that patterns have."""
        if isinstance(shape, Node):
            return shape.target is operator.getitem and shape.args[1] == slice(-1, None, None)
        return isinstance(shape, (list, tuple)) and len(shape) == 1
