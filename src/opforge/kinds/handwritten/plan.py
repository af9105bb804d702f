"""The plan of a handwritten op: the arguments of its kernel, and the tile size for the skeleton."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.frozen import dataclass
from opforge.plan.vector_model import Argument, Arguments
from opforge.spec.combinations import combinations, combinations_of

if TYPE_CHECKING:
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec, TensorSpec

# Buffers per queue for the tile size of the skeleton: two, so that copying and computing overlap.
BUFFERS = 2
# Types of attributes that the tiling data can hold, because their size is fixed.
CARRIED = ("int", "float", "bool")


@dataclass(frozen=True)
class HandwrittenPlan(Arguments):
    """The plan of an op's skeleton: blocks over the elements of its first output, in tiles of all its tensors.

    ``lists`` are the tensors that the kernel gets as lists, ``optional`` the inputs that may be missing, and ``attrs``
    the attributes in the tiling data.
    """

    op_type: str
    arguments: tuple[Argument, ...]
    lists: tuple[str, ...]
    optional: tuple[str, ...]
    attrs: tuple[str, ...]

    def bytes_per_element(self, column: int) -> int:
        """The UB bytes per element of a tile for a dtype column, with two buffers for every tensor that is moved."""
        return sum(BUFFERS * DTYPES[argument.dtypes[column]].size for argument in self.arguments if argument.moved)


def plan_handwritten(op: OpSpec, socs: tuple[Soc, ...]) -> HandwrittenPlan:
    """The plan of an op without ``compute``.

    Raises PlanError for a SoC that has no simulated cores or supports none of the op's dtypes, for an op without
    outputs, and for a dtype that kernels cannot use.
    """
    if not op.outputs:
        raise PlanError(
            f"{op.type} has no outputs", hint="an op that changes an input must list it as an in-place output"
        )
    for soc in socs:
        if soc.lacks is not None:
            raise PlanError(f"{op.type} cannot be generated for {soc.name}: {soc.lacks}")
        if not combinations(op, soc.name):
            raise PlanError(
                f"{soc.name} supports none of the dtype combinations of {op.type}",
                hint=f"it supports {', '.join(soc.dtypes)}",
            )
    rows = combinations_of(op, [soc.name for soc in socs], lambda dtype: not DTYPES[dtype].kernel)
    columns = tuple(zip(*rows, strict=True))
    tensors = (*op.inputs, *op.outputs)
    for tensor, dtypes in zip(tensors, columns, strict=True):
        for dtype in dtypes:
            if not DTYPES[dtype].kernel:
                raise PlanError(f"{op.type}: {tensor.name} is {dtype}, but Ascend C has no such type")
    inputs = len(op.inputs)
    return HandwrittenPlan(
        op_type=op.type,
        arguments=tuple(
            Argument(tensor.name, dtypes, place >= inputs, moved=_tiled(tensor), inplace=tensor.inplace)
            for place, (tensor, dtypes) in enumerate(zip(tensors, columns, strict=True))
        ),
        lists=tuple(tensor.name for tensor in tensors if tensor.dynamic and not tensor.scalar),
        optional=tuple(tensor.name for tensor in op.inputs if tensor.optional),
        attrs=tuple(attr.name for attr in op.attrs if attr.type in CARRIED),
    )


def _tiled(tensor: TensorSpec) -> bool:
    """Whether a tensor is split into tiles. Numbers and inputs that the host reads are not."""
    return not tensor.scalar and tensor.value_depend is None
