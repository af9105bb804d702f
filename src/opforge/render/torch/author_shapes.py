"""The adapter's call of the function in op_host with which an author computes shapes of results."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.render.ascendc.host_call import values_member
from opforge.render.ascendc.scalars import attr_member
from opforge.spec.arguments import input_kind
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class HostArgument:
    """An argument of the call as op_host sees it: what ``opforge::put`` is given."""

    arguments: tuple[str, ...]


@dataclass(frozen=True)
class HostCall:
    """How op_host computes shapes: the header, its namespace, the arguments of a call, the type of one result."""

    header: str
    space: str
    arguments: tuple[HostArgument, ...]
    type: str
    count: int


def host_call_of(op: OpSpec) -> HostCall | None:
    """The call of op_host's shape function, for an op whose author wrote one."""
    if not any(tensor.own_shape for tensor in op.outputs):
        return None
    arguments = []
    for place, tensor in enumerate(op.inputs):
        if input_kind(tensor) in ("tensor", "tensors"):
            arguments.append(HostArgument((tensor.name, f"&hostCall.inputs[{place}]")))
        elif tensor.value_depend is not None:
            arguments.append(HostArgument((tensor.name, f"&hostCall.{values_member(tensor)}")))
    arguments += [HostArgument((attr.name, f"&hostCall.{attr_member(attr)}")) for attr in op.attrs]
    stem = snake(op.type)
    listed = any(tensor.dynamic for tensor in op.outputs)
    space = f"{stem}_host_tiling"
    result = f"{space}::Shapes" if listed else "host_tiling::Dims"
    return HostCall(f"../op_host/{stem}_call.h", space, tuple(arguments), result, len(op.outputs))
