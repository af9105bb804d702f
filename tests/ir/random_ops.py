"""Ops made at random, of everything that the language can say: floats, masks, int32, numbers, casts between them."""

from __future__ import annotations

import random

from opforge.spec.model import OpSpec
from opforge.spec.read.parse import parse_spec

ATTRS = {"alpha": 1.25, "n": 3}

# Arguments are kept where functions are smooth enough for float64 to agree with itself.
UNARY = [
    *("-{}", "abs({})", "silu({})", "sigmoid({})", "tanh({})", "erf({})", "gelu({})", "gelu_tanh({})", "relu({})"),
    *("exp(-abs({}))", "log(abs({}) + 1.5)", "sqrt(abs({}) + 0.5)", "rsqrt(abs({}) + 0.5)", "reciprocal(abs({}) + 2)"),
    *("({}) ** 2", "(abs({}) + 1) ** -3", "(abs({}) + 1) ** 1.5", "2 ** tanh({})", "leaky_relu({}, 0.1)"),
    *("log1p(abs({}))", "expm1(-abs({}))", "log2(abs({}) + 1)", "exp2(tanh({}))", "softplus({}, beta=2)", "mish({})"),
    *("elu({}, alpha)", "hardswish({})", "logsigmoid({})", "softshrink({}, n)", "clamp({}, max=n)", "square({})"),
    "sin({})",
    *("clamp({}, -1, n)", "cast(cast({}, int32), float32)", "(abs({}) + 1) ** -0.5"),
]
BINARY = [
    *("({}) + ({})", "({}) - ({})", "({}) * ({})", "({}) / (abs({}) + 1)", "maximum({}, {})", "minimum({}, {})"),
    *("(abs({}) + 0.5) ** tanh({})", "fmod({}, abs({}) + 1.5)", "({}) % (abs({}) + 1.5)", "({}) // (abs({}) + 1)"),
]
COMPARED = [
    *("-1 < ({}) <= ({})", "({0}) > 0 and not ({1}) > n", "~isnan({}) & (({}) < 0)", "({}) > 0 or alpha < ({})"),
    *("({}) > ({})", "({}) <= ({})", "({}) < ({})", "({}) >= ({})", "({}) != ({})", "({}) == ({})"),
]
NUMBERS = ["alpha", "n", "2", "0.5", "(n - alpha)", "exp(-alpha)", "n ** 0.5", "tanh(alpha)"]


class Maker:
    """Text of one op's compute, from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.floats = ["x", "y", "w"][: self.rng.randrange(1, 4)]
        self.masks = ["m"] if self.rng.random() < 0.5 else []
        self.ints = ["i"] if self.rng.random() < 0.5 else []
        self.small = ["a"] if self.rng.random() < 0.3 else []

    def float(self, depth: int) -> str:
        if depth == 0 or self.rng.random() < 0.1:
            return self.rng.choice([*self.floats, *self.floats, *(f"cast({a}, float32)" for a in self.small)])
        kind = self.rng.randrange(7)
        first = self.float(depth - 1)
        if kind < 2:
            return self.rng.choice(UNARY).format(first)
        if kind == 2:
            return self.rng.choice(BINARY).format(first, self.rng.choice(NUMBERS))
        if kind == 3:
            return f"where({self.mask(depth - 1)}, {first}, {self.rng.choice([self.float(depth - 1), '0.5'])})"
        if kind == 4:
            cast = f"cast({self.mask(depth - 1)}, float32)"
            return f"({first}) * {self.rng.choice([cast, self.whole(depth - 1)])}"
        return self.rng.choice(BINARY).format(first, self.float(depth - 1))

    def mask(self, depth: int) -> str:
        if self.masks and self.rng.random() < 0.4:
            return "m"
        if self.rng.random() < 0.1:
            return f"cast({self.float(depth)}, bool)"
        other = self.float(depth) if self.rng.random() < 0.5 else self.rng.choice(NUMBERS)
        return self.rng.choice(COMPARED).format(self.float(depth), other)

    def int(self, depth: int) -> str:
        if depth == 0:
            return self.rng.choice(self.ints or [f"cast({self.float(0)} * 4, int32)"])
        other = self.int(depth - 1) if self.rng.random() < 0.5 else self.rng.choice(["n", "2", "(n * 2 - 7)"])
        return self.rng.choice(
            ["({}) + ({})", "({}) - ({})", "({}) * ({})", "maximum({}, {})", "minimum({}, -{})"]
        ).format(self.int(depth - 1), other)

    def whole(self, depth: int) -> str:
        return f"cast({self.int(min(depth, 2))}, float32)"


def random_op(seed: int, dtypes: str = "float32") -> OpSpec:
    """An op of up to three floats, a mask, int32 and int8, with outputs of several dtypes."""
    maker = Maker(seed)
    inputs = [f"{name}: {{dtype: [{dtypes}]}}" for name in maker.floats]
    inputs += [f"{name}: {{dtype: [bool]}}" for name in maker.masks]
    inputs += [f"{name}: {{dtype: [int32]}}" for name in maker.ints]
    inputs += [f"{name}: {{dtype: [int8]}}" for name in maker.small]
    total = [*maker.floats, *(f"cast({name}, float32)" for name in (*maker.masks, *maker.ints, *maker.small))]
    lines = [f"s = {maker.float(3)} + {' + '.join(total)}"]
    maker.floats.append("s")
    names, values = ["p"], [f"{maker.float(3)} + s"]
    for name, value in (
        ("q", f"s * 2 - {maker.float(2)}"),
        ("above", f"{maker.float(2)} > 0"),
        ("whole", maker.int(2)),
    ):
        if maker.rng.random() < 0.4:
            names.append(name)
            values.append(value)
    lines.append(f"{', '.join(names)} = {', '.join(values)}")
    compute = "\n      ".join(lines)
    text = f"""\
edition: 1
project: {{name: at_random}}
ops:
  Example:
    inputs: {{{", ".join(inputs)}}}
    attrs: {{alpha: {{type: float, default: 1.0}}, n: {{type: int, default: 1}}}}
    compute: |
      {compute}
"""
    return parse_spec(text, None).ops[0]
