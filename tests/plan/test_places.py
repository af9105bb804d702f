"""Places are right for any expression: a plan, carried out place by place, gives what its graph means."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
import torch
from plan_ops import ALL, op, planned

from opforge.ir.evaluate import evaluate
from opforge.plan.vector_model import Instruction, Place, Plan, ScalarOperand
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import graph_of

pytestmark = pytest.mark.torch

TENSOR = {
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "Min": torch.minimum,
    "Max": torch.maximum,
    "Power": torch.pow,
}
SCALAR = {"Adds": torch.add, "Muls": torch.mul, "Mins": torch.minimum, "Maxs": torch.maximum}
UNARY = {
    "Abs": torch.abs,
    "Exp": torch.exp,
    "Ln": torch.log,
    "Sqrt": torch.sqrt,
    "Relu": torch.relu,
    "Tanh": torch.tanh,
    "Erf": torch.erf,
    "Gelu": torch.nn.functional.gelu,
    "Log1p": torch.log1p,
    "Log1pUpTo1": torch.log1p,
    "Log2": torch.log2,
    "Expm1": torch.expm1,
    "Expm1UpTo0": torch.expm1,
    "Exp2": torch.exp2,
}
MODES = {"GE": torch.ge, "GT": torch.gt, "LE": torch.le, "LT": torch.lt, "EQ": torch.eq, "NE": torch.ne}
ALPHA = AttrSpec("alpha", "float", 0.75)


def number(operand: ScalarOperand | None, attrs: dict[str, float]) -> torch.Tensor:
    assert operand is not None
    value = attrs[operand.name] if operand.name else operand.value
    return torch.tensor(-value if operand.negated else value, dtype=getattr(torch, operand.dtype))


def meaning(i: Instruction, sources: list[torch.Tensor], attrs: dict[str, float]) -> torch.Tensor:
    """What an instruction gives."""
    if i.name in TENSOR:
        return TENSOR[i.name](*sources)
    if i.name in UNARY:
        return UNARY[i.name](*sources)
    if i.name == "Cast":
        return sources[0].to(torch.float32 if i.mode == "CAST_RINT" else torch.int32)
    if i.name == "Duplicate":
        return number(i.scalar, attrs).expand(7).clone()
    operands = [*sources, *([number(i.scalar, attrs)] if i.scalar else [])]
    if i.name == "Axpy":
        assert i.sources[0] == i.target
        return operands[0] + operands[1] * operands[2]
    if i.name in {"Compare", "CompareScalar"}:
        return MODES[i.mode or ""](*operands)
    return torch.where(*operands) if i.name == "Select" else SCALAR[i.name](*operands)


def carried_out(
    plan: Plan, inputs: dict[str, torch.Tensor], attrs: dict[str, float], *, float32: bool, kept: Iterable[str] = ()
) -> dict[str, torch.Tensor]:
    """The outputs, with the buffers that exist for float32 storage, or those for 16-bit storage.

    ``kept`` are inputs that are float32 in any case: products.
    """
    homes = {Place("output", h.output): h.place for h in plan.homes if h.copies is None}
    exists = {b.place for b in plan.floats if not float32 or b.stands_for is None}
    if float32:
        exists |= {Place("input", a.name) for a in plan.inputs} | set(homes)
    exists |= {Place("input", name) for name in kept}
    exists |= {Place("input", a.name) for a in plan.inputs if a.compute == "int32"}
    exists |= {Place("mask", number=i) for i in range(plan.masks)}

    def buffer(place: Place) -> Place:
        real = place if float32 else homes.get(place, place)
        assert real in exists, f"{place} is nowhere"
        return real

    ub = {Place("input", name): value.clone() for name, value in inputs.items()}

    for instruction in plan.instructions:
        result = meaning(instruction, [ub[buffer(s)] for s in instruction.sources], attrs)
        for place in instruction.work:  # whatever was there is lost
            assert place not in (instruction.target, *instruction.sources)
            ub[buffer(place)] = torch.full((7,), torch.nan) if place.kind != "mask" else torch.full((7,), True)
        ub[buffer(instruction.target)] = result
    return {h.output: ub[buffer(h.copies or Place("output", h.output))] for h in plan.homes}


def expression(chance: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice([*names, *names, "alpha", "0.5", "3.0"])
    kind = chance.random()
    inner = [expression(chance, names, depth - 1) for _ in range(2)]
    if kind < 0.5:
        return f"({inner[0]} {chance.choice('+-*/')} {inner[1]})"
    if kind < 0.6:
        condition = f"{chance.choice(names)} {chance.choice(('>', '<=', '=='))} {chance.choice([*names, '0.75'])}"
        return f"where({condition}, {inner[0]}, {inner[1]})"
    if kind < 0.65:
        return f"clamp({inner[0]}, -3.0, 3.0) ** {chance.choice(('2', '3', 'cast(k * k - 2, float32)'))}"
    if kind < 0.75:
        return f"{chance.choice(('minimum', 'maximum'))}({inner[0]}, {inner[1]})"
    if kind < 0.85:
        return f"{chance.choice(('log1p', 'expm1', 'softplus', 'mish', 'elu', 'exp2'))}(tanh({inner[0]}))"
    return f"{chance.choice(('abs', 'sigmoid', 'silu', 'tanh', 'gelu', 'erf', '-', '-'))}({inner[0]})"


def random_op(seed: int) -> OpSpec:
    chance = random.Random(seed)
    names = list("abcd"[: chance.randint(1, 4)])
    lines = []
    for number_of in range(chance.randint(1, 3)):
        lines.append(f"z{number_of} = {expression(chance, names, chance.randint(1, 5))} + 0.0 * {' * '.join(names)}")
        names.append(f"z{number_of}") if chance.random() < 0.5 else None
    spec = op("Random", "\n".join(lines), " ".join(n for n in names if not n.startswith("z")), ALPHA)
    if "(k" not in spec.compute:
        return spec
    return replace(spec, inputs=(*spec.inputs, TensorSpec("k", ("int32",) * len(ALL))))


def test_random_expressions():
    """Both ways of storing: each may reuse places that the other has not."""
    longest = 0
    seen: set[str] = set()
    for seed in range(300):
        spec = random_op(seed)
        graph = graph_of(spec)
        plan = planned(spec)
        longest = max(longest, len(plan.instructions))
        seen |= {i.name for i in plan.instructions}
        generator = torch.Generator().manual_seed(seed)
        inputs = {t.name: torch.rand(7, generator=generator) + 0.5 for t in spec.inputs}
        if "k" in inputs:
            inputs["k"] = torch.randint(-3, 4, (7,), generator=generator, dtype=torch.int32)
        scalars = evaluate_scalars(spec, plan)
        wanted = evaluate(graph, inputs, {"alpha": 0.75})
        for float32 in (True, False):
            for name, value in carried_out(plan, inputs, scalars, float32=float32).items():
                torch.testing.assert_close(
                    value, wanted[name], rtol=1e-4, atol=1e-4, equal_nan=True,
                    msg=lambda text, seed=seed, spec=spec: f"seed {seed}: {spec.compute}\n{text}",
                )  # fmt: skip
    assert longest > 20
    assert seen >= {"Select", "Compare", "CompareScalar", "Tanh", "Erf", "Gelu", "Power", "Cast", "Log1p", "Exp2"}
    assert "Axpy" in seen


def evaluate_scalars(spec: OpSpec, plan: Plan) -> dict[str, float]:
    """What op_host computes, here by the graph's meaning."""
    from opforge.ir.graph import Graph, Node, Output

    graph = graph_of(spec)
    values = {}
    for scalar in plan.scalars:
        nodes = [*graph.nodes, Node(len(graph.nodes), "cast", (scalar.node,), "storage", scalar=True)]
        only = Graph(tuple(nodes), (Output("s", len(nodes) - 1),))
        values[scalar.name] = float(
            evaluate(only, {t.name: torch.ones(1) for t in spec.inputs}, {"alpha": 0.75})["s"][0]
        )
    return values
