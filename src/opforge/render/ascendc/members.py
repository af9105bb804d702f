"""Members of the tiling data and of the host's ``Call`` that several kinds of kernels have, and symbolic shapes."""

from __future__ import annotations

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.naming import lower_camel
from opforge.plan.vector_model import HostScalar, Plan
from opforge.render.ascendc.scalars import CTYPES, SCALAR_TYPES, attr_member, tiling_attributes
from opforge.spec.model import OpSpec, TensorSpec


@dataclass(frozen=True)
class GivenFlag:
    """A member of the tiling data that says whether an optional input is given, and the index of that input."""

    index: int
    member: str


@dataclass(frozen=True)
class Bind:
    """An input's index, whether the input is optional, and its symbolic shape."""

    index: int
    optional: bool
    pattern: str


@dataclass(frozen=True)
class Column:
    """A supported combination of types, and its values in the host tiling's struct ``Column``."""

    dtypes: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Member:
    """A member of a struct."""

    ctype: str
    member: str


def call_attributes(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[Member, ...]:
    """The members of ``Call`` that hold attributes, in declaration order."""
    return tuple(Member(CTYPES[a.type], attr_member(a)) for a in tiling_attributes(op, graph, scalars))


def given_member(name: str) -> str:
    """The name of the flag of optional input ``name``."""
    return f"{lower_camel(name)}Given"


def flags(op: OpSpec) -> tuple[GivenFlag, ...]:
    """The flags of all optional inputs."""
    return tuple(GivenFlag(i, given_member(t.name)) for i, t in enumerate(op.inputs) if t.optional)


def pattern(tensor: TensorSpec) -> str:
    """A tensor's symbolic shape as a symbols::Pattern."""
    dims = ", ".join(f'"{dim}"' for dim in tensor.dims)
    return f'{{"{tensor.name}", {{{dims}}}}}'


def binds(op: OpSpec) -> tuple[Bind, ...]:
    """The symbolic shapes of all inputs."""
    return tuple(Bind(i, t.optional, pattern(t)) for i, t in enumerate(op.inputs))


def scalar_members(scalars: tuple[HostScalar, ...]) -> tuple[Member, ...]:
    """The members of the tiling data that hold the scalars computed in op_host."""
    return tuple(Member(SCALAR_TYPES[s.dtype], s.name) for s in scalars)


def compute_parameters(op: OpSpec) -> tuple[str, ...]:
    """The parameters of the host tiling's Compute."""
    return (
        "const platform_ascendc::PlatformAscendC& platform",
        "const Call& call",
        f"{op.type}TilingData* tiling",
        "host_tiling::Launch* launch",
    )


def vector_columns(op: OpSpec, plan: Plan) -> tuple[Column, ...]:
    """The combinations of types, with the bytes of UB per element of a tile, the alignment of its rows, and GM's bytes.

    Those are of an element of all tensors with tiles; the bytes of optional inputs follow in a list of their own.
    """
    optional = {tensor.name for tensor in op.inputs if tensor.optional}
    columns = []
    for column in range(len(plan.arguments[0].dtypes)):
        names = ", ".join(DTYPES[a.dtypes[column]].name for a in plan.inputs)
        sizes = {a.name: DTYPES[a.dtypes[column]].size if a in plan.streamed else 0 for a in plan.arguments}
        gm = sum(size for name, size in sizes.items() if name not in optional)
        values = [str(number) for number in (plan.bytes_per_element(column), plan.row_step(column), gm)]
        if optional:
            values.append("{" + ", ".join(str(sizes[a.name]) for a in plan.inputs if a.name in optional) + "}")
        columns.append(Column(names, tuple(values)))
    return tuple(columns)


def number_flags(op: OpSpec) -> tuple[str, ...]:
    """For each input, whether it is a number; empty if none is."""
    if not any(tensor.scalar for tensor in op.inputs):
        return ()
    return tuple("true" if tensor.scalar else "false" for tensor in op.inputs)


def bound_inputs(op: OpSpec, *, alike: bool = False) -> tuple[Bind, ...]:
    """The inputs whose shapes are checked by symbols. ``alike``: leading dimensions must be equal, too."""
    checked = [not t.scalar and (t.dims != ("...",) or (alike and len(op.inputs) > 1)) for t in op.inputs]
    return tuple(bind for bind in binds(op) if checked[bind.index])
