"""Values in canonical form, and the search for a value that equals a pattern with its inputs filled in."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

COMMUTATIVE = ("add", "mul", "min", "max", "eq", "ne")
CHAINS = ("add", "mul")  # a + b + c matches in any order
MOST_TERMS = 6
PENDING = ""  # a key for numbers to check once all attributes are known; other keys are inputs and attributes
_ARITHMETIC: dict[str, Callable[..., float]] = {"add": operator.add, "mul": operator.mul, "neg": operator.neg}


@dataclass(frozen=True, eq=False)
class Value:
    """One value. ``op`` is an operator of the expression language, ``matmul``, ``T``, or the kind of a leaf.

    Leaves are ``number`` (with the number in ``data``) and ``leaf`` (anything that is not supported). Patterns also
    have ``input`` and ``attr`` (with the name in ``data``). ``number``: a single number for the whole call. ``tensor``:
    it may be a tensor that an operator takes. ``rank``: the number of dimensions, if known.
    """

    op: str
    operands: tuple[Value, ...] = ()
    data: Any = None
    number: bool = False
    tensor: bool = True
    rank: int | None = None


Bound = Mapping[str, Any]  # inputs map to a Value, attributes to a number


def match(pattern: Value, value: Value, bound: Bound) -> Iterator[Bound]:
    """Every way to match ``pattern`` to ``value``. Each result adds the matched inputs and attributes to ``bound``."""
    if pattern.number:
        yield from _match_number(pattern, value, bound)
    elif pattern.op == "input":
        if not value.number and value.tensor:
            yield from _bind(pattern.data, value, bound)
    elif value.number:
        return
    elif pattern.op == "T" and pattern.operands[0].op == "input" and value.op != "T":
        if value.rank == 2 and value.tensor:
            yield from _bind(pattern.operands[0].data, Value("T", (value,), rank=2), bound)
    elif pattern.op == "div" and pattern.operands[1].number and value.op == "mul":
        yield from _match_quotient(pattern, value, bound)
    elif pattern.op == value.op and pattern.data == value.data and len(pattern.operands) == len(value.operands):
        yield from _match_operands(pattern, value, bound)


def same(one: Value, other: Value) -> bool:
    """Whether two values of a graph are equal. Only transposed values are created while matching."""
    return one is other or (one.op == other.op == "T" and same(one.operands[0], other.operands[0]))


def size(value: Value) -> int:
    """The number of steps; a step that is used twice counts twice."""
    return sum(map(size, value.operands)) + (bool(value.operands) and value.op != "T")


def _match_operands(pattern: Value, value: Value, bound: Bound) -> Iterator[Bound]:
    if pattern.op in CHAINS:
        mine, theirs = list(_terms(pattern, pattern.op)), list(_terms(value, pattern.op))
        if 2 < len(mine) == len(theirs) <= MOST_TERMS:
            yield from _match_terms(mine, theirs, bound)
            return
    orders = [value.operands]
    if pattern.op in COMMUTATIVE:
        orders.append(value.operands[::-1])
    for operands in orders:
        yield from _match_in_order(list(zip(pattern.operands, operands, strict=True)), bound)


def _match_quotient(pattern: Value, value: Value, bound: Bound) -> Iterator[Bound]:
    """Matches ``x / alpha`` to a product, because graphs store a division by a power of two as a product."""
    for tensor, number in (value.operands, value.operands[::-1]):
        if number.op == "number" and number.data != 0 and math.frexp(abs(number.data))[0] == 0.5:
            for found in match(pattern.operands[0], tensor, bound):
                yield from _solve(pattern.operands[1], 1 / number.data, found)


def _match_in_order(pairs: list[tuple[Value, Value]], bound: Bound) -> Iterator[Bound]:
    if not pairs:
        yield bound
        return
    (pattern, value), *rest = pairs
    for found in match(pattern, value, bound):
        yield from _match_in_order(rest, found)


def _match_terms(patterns: list[Value], values: list[Value], bound: Bound) -> Iterator[Bound]:
    """Matches each pattern to one of the values, in any order."""
    if not patterns:
        yield bound
        return
    first, *rest = sorted(patterns, key=size, reverse=True)  # the most specific patterns first
    for i, value in enumerate(values):
        for found in match(first, value, bound):
            yield from _match_terms(rest, values[:i] + values[i + 1 :], found)


def _terms(value: Value, op: str) -> Iterator[Value]:
    """The terms of nested sums, or the factors of nested products."""
    if value.op != op or value.number:
        yield value
        return
    for operand in value.operands:
        yield from _terms(operand, op)


def _bind(name: str, value: Value, bound: Bound) -> Iterator[Bound]:
    if name not in bound:
        yield {**bound, name: value}
    elif same(bound[name], value):
        yield bound


def _match_number(pattern: Value, value: Value, bound: Bound) -> Iterator[Bound]:
    if value.op == "number":
        yield from _solve(pattern, value.data, bound)
    elif value.number and pattern.op == "attr":  # both are parts of patterns
        if bound.get(pattern.data, value) is value:
            yield {**bound, pattern.data: value}
    elif value.number and pattern.op == value.op and pattern.data == value.data:
        yield from _match_in_order(list(zip(pattern.operands, value.operands, strict=True)), bound)


def _solve(pattern: Value, target: float, bound: Bound) -> Iterator[Bound]:
    """Finds the attribute with which a number in a pattern equals ``target``."""
    known = _evaluated(pattern, bound)
    if known is not None:
        if _close(known, target) and not (type(pattern.data) is int and type(target) is float):  # an int32 stays int
            yield bound
    elif pattern.op == "attr":
        yield {**bound, pattern.data: target}
    elif pattern.op == "neg":
        yield from _solve(pattern.operands[0], -target, bound)
    else:
        one, other = pattern.operands
        for unknown, number in ((one, _evaluated(other, bound)), (other, _evaluated(one, bound))):
            if number is not None and (pattern.op == "add" or number != 0):
                yield from _solve(unknown, target - number if pattern.op == "add" else target / number, bound)
                return
        yield {**bound, PENDING: (*bound.get(PENDING, ()), (pattern, target))}  # depends on several attributes


def settled(bound: Bound) -> bool:
    """Whether the numbers that depend on several attributes match, once all attributes are known."""
    found = ((_evaluated(pattern, bound), target) for pattern, target in bound.get(PENDING, ()))
    return all(number is not None and _close(number, target) for number, target in found)


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-30)  # both are float32 numbers


def _evaluated(pattern: Value, bound: Bound) -> float | None:
    """The number that a pattern gives; None until all its attributes are known."""
    if pattern.op == "number":
        return float(pattern.data)
    if pattern.op == "attr":
        return bound.get(pattern.data)
    operands = [_evaluated(operand, bound) for operand in pattern.operands]
    if pattern.op not in _ARITHMETIC or None in operands:
        return None
    return _ARITHMETIC[pattern.op](*operands)
