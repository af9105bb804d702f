"""Derives the output shapes from the input shapes in C++, by the symbols of the spec (``symbols.h``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opforge.frozen import dataclass
from opforge.naming import upper_camel
from opforge.render.ascendc.instruction_spelling import string_literal
from opforge.render.ascendc.scalars import attr_member
from opforge.spec.arguments import list_of
from opforge.spec.dimensions import Apply, Dim, Dots, Size, Symbol
from opforge.spec.model import OpSpec, TensorSpec

_INFIX = {"add": "+", "sub": "-", "mul": "*"}
_CALLS = {"floordiv": "symbols::FloorDiv", "min": "symbols::Min", "max": "symbols::Max"}


@dataclass(frozen=True)
class Bind:
    """The symbols that an input's shape binds. ``constant`` names the constant with the input's index."""

    constant: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Defined:
    """A computed dimension of an output: its text in the spec and its size."""

    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """The shape of an output, as C++.

    ``followed``: the shapes of the input list that the output follows, tensor by tensor. ``length``: the number of
    tensors of another list. ``checked``: the list's name if its length is an attribute, which may be negative. ``own``:
    the constant with the output's index if its author computes the shape.
    """

    pattern: str
    followed: str
    length: str
    checked: str
    own: str = ""


def pattern(name: str, dims: Sequence[str]) -> str:
    """A symbolic shape as C++ braces: ``{"x", {"...", "H"}}``."""
    texts = ", ".join(string_literal(dim) for dim in dims)
    return f"{{{string_literal(name)}, {{{texts}}}}}"


def shape_binds(op: OpSpec, constant: Callable[[TensorSpec], str]) -> tuple[Bind, ...]:
    """The statements that bind input shapes. Scalars are skipped, and host values without a stated shape."""
    return tuple(
        Bind(constant(tensor), (pattern(tensor.name, tensor.dims), "shape"))
        for tensor in op.inputs
        if not tensor.scalar
        and not (tensor.value_depend is not None and tensor.dims[:1] == ("...",))
        and not (tensor.dynamic and tensor.dims[0].startswith("...") and tensor.dims[0] != "...")  # the tensors differ
    )


def computed_dims(op: OpSpec) -> tuple[Defined, ...]:
    """The computed dimensions of all outputs, without duplicates."""
    attrs = {attr.name: f"call.{attr_member(attr)}" for attr in op.attrs if attr.type == "int"}
    bound = {dim for tensor in op.inputs for dim in tensor.dims}
    defined = []
    stated = (tensor for tensor in op.outputs if not tensor.own_shape)
    given = (pair for tensor in stated for pair in zip(tensor.dims, tensor.dimensions, strict=True))
    for text, dim in dict(given).items():
        if isinstance(dim, Apply) or (isinstance(dim, Symbol) and dim.name in attrs and dim.name not in bound):
            value = _spelled(dim, {name: member for name, member in attrs.items() if name not in bound})
            defined.append(Defined((string_literal(text), value)))
    return tuple(defined)


def results(op: OpSpec, constant: Callable[[TensorSpec], str]) -> tuple[Result, ...]:
    """The shapes of the outputs. ``constant`` names the constant with an input's index."""
    attrs = [attr.name for attr in op.attrs]
    made = []
    for tensor in op.outputs:
        if tensor.own_shape:
            made.append(Result("", "", "", "", output_constant(tensor)))
            continue
        followed = list_of(op, tensor)
        made.append(
            Result(
                pattern(tensor.name, tensor.dims),
                followed=f"call.inputs[{constant(followed)}]" if followed is not None else "",
                length=length_of(op, tensor, constant) if tensor.dynamic else "",
                checked=string_literal(tensor.name) if tensor.count in attrs else "",
            )
        )
    return tuple(made)


def output_constant(tensor: TensorSpec) -> str:
    """The constant with an output's index."""
    return f"k{upper_camel(tensor.name)}Output"


def length_of(op: OpSpec, output: TensorSpec, constant: Callable[[TensorSpec], str]) -> str:
    """The number of tensors in an output's list, as an expression over ``call``."""
    attr = next((attr for attr in op.attrs if attr.name == output.count), None)
    if attr is not None:
        return f"call.{attr_member(attr)}"
    followed = list_of(op, output) or next(tensor for tensor in op.inputs if tensor.name == output.count)
    return f"call.inputs[{constant(followed)}].size()"


def _spelled(dim: Dim, attrs: dict[str, str]) -> str:
    """A dimension as an expression over ``Size``. The value of an attribute is always known, even if it is -1."""
    match dim:
        case Size(value):
            return f"Size({value})"
        case Symbol(name):
            return f"Size(true, {attrs[name]})" if name in attrs else f'Size(theShapes.Extent("{name}"))'
        case Apply(op, (left, right)) if op in _INFIX:
            return f"{_operand(left, op, attrs)} {_INFIX[op]} {_operand(right, op, attrs, right=True)}"
        case Apply(op, (left, right)):
            return f"{_CALLS[op]}({_spelled(left, attrs)}, {_spelled(right, attrs)})"
        case Dots():
            return ""


def _operand(dim: Dim, op: str, attrs: dict[str, str], *, right: bool = False) -> str:
    text = _spelled(dim, attrs)
    infix = isinstance(dim, Apply) and dim.op in _INFIX
    same = infix and isinstance(dim, Apply) and (dim.op == "mul" or op != "mul") and not right
    return f"({text})" if infix and not same else text
