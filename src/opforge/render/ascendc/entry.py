"""What the kernels of every kind have in common: their object in the entry function, their tensors' queues."""

from __future__ import annotations

from collections.abc import Iterable

from opforge.plan.vector_model import Argument, ScalarOperand
from opforge.render.ascendc.cpp_names import TensorNames
from opforge.render.ascendc.instruction_spelling import Call, scalar
from opforge.render.ascendc.members import given_member
from opforge.render.layout import fill

# What every function of a kernel class begins with.
AICORE = "__aicore__ inline void "


def instance(op_type: str, macros: list[str]) -> str:
    """The kernel object. A variable whose type takes several lines stands in a line of its own."""
    lines = fill(f"{op_type}Kernel<", macros, "> op;", indent=4)
    return lines if "\n" not in lines else fill(f"{op_type}Kernel<", macros, ">\n        op;", indent=4)


def queue_of(tensor: TensorNames, argument: Argument, otherwise: float | None) -> Call:
    """What makes the queue of a tensor; ``otherwise`` stands for an optional one."""
    arguments = ["pipe", tensor.address, "kBuffers", "tilingData.tileElements"]
    if otherwise is not None:
        number = scalar(ScalarOperand(value=otherwise, dtype=argument.compute))
        arguments += [f"tilingData.{given_member(argument.name)} != 0", number]
    return Call(f"{tensor.queue}.Init", tuple(arguments))


def addresses(tensors: Iterable[TensorNames], *others: str) -> tuple[str, ...]:
    """The parameters that a kernel is given in GM."""
    return tuple(f"GM_ADDR {name}" for name in (*(tensor.address for tensor in tensors), *others))
