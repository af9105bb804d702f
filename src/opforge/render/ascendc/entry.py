"""The parts that kernels of several kinds have in common: queues of tensors, and kernel parameters."""

from __future__ import annotations

from collections.abc import Iterable

from opforge.plan.vector_model import Argument, ScalarOperand
from opforge.render.ascendc.cpp_names import TensorNames
from opforge.render.ascendc.instruction_spelling import Call, scalar
from opforge.render.ascendc.members import given_member


def queue_of(
    tensor: TensorNames,
    argument: Argument,
    otherwise: float | None,
    given: str | None = None,
    *,
    bypasses: bool = False,
) -> Call:
    """The call that initialises a tensor's queue. ``otherwise`` is the number that replaces a missing tensor.

    ``given`` is the C++ condition that it is there; without one, a flag of the tiling data says so. ``bypasses``: the
    tiling data says whether it stays out of the L2 cache.
    """
    buffers = "1" if argument.once else "kBuffers"
    arguments = ["pipe", tensor.address, buffers, "tilingData.tileElements"]
    if otherwise is not None:
        number = scalar(ScalarOperand(value=otherwise, dtype=argument.compute))
        arguments += [given or f"tilingData.{given_member(argument.name)} != 0", number]
    arguments += ["tilingData.bypassL2 != 0"] if bypasses else []
    return Call(f"{tensor.queue}.Init", tuple(arguments))


def addresses(tensors: Iterable[TensorNames], *others: str) -> tuple[str, ...]:
    """The kernel parameters that are addresses in GM."""
    return tuple(f"GM_ADDR {name}" for name in (*(tensor.address for tensor in tensors), *others))
