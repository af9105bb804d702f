"""Ops and their plans, from one line."""

from __future__ import annotations

from opforge.kinds import kernel_of
from opforge.plan.vector_model import Plan
from opforge.soc import SOCS
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import graph_of

A2 = (SOCS["ascend910b"], SOCS["ascend910_93"])
ALL = ("float16", "bfloat16", "float32")


def op(name: str, compute: str, inputs: str, *attrs: AttrSpec, dtypes: tuple[str, ...] = ALL) -> OpSpec:
    """An op whose outputs are what ``compute`` assigns."""
    outputs = [line.split("=")[0].strip() for line in compute.splitlines()]
    return OpSpec(
        name,
        tuple(TensorSpec(i, dtypes) for i in inputs.split()),
        attrs,
        tuple(TensorSpec(o, dtypes) for o in outputs),
        compute,
        outputs_given=True,
    )


def planned(spec: OpSpec) -> Plan:
    """Its plan for the SoCs that are complete."""
    return kernel_of(spec, A2, graph_of(spec)).plan


def described(spec: OpSpec) -> str:
    """Its plan as text."""
    return "\n".join(kernel_of(spec, A2, graph_of(spec)).describe()) + "\n"
