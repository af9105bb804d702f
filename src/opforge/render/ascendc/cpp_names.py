"""What the generated C++ calls things. Our own names hold a capital letter: no tensor's snake_case name meets them."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import lower_camel, upper_camel
from opforge.plan.vector_model import Argument, Place, Plan


@dataclass(frozen=True)
class TensorNames:
    """One kernel argument's names: ``w_gate`` -> wGateIn_, TypeWGate, DTYPE_W_GATE, kWGateBuffer, wGatePlace and so on.

    ``address`` is the kernel's argument: of an output in place, which CANN names by the input, ``x_ref``.
    """

    name: str
    address: str
    member: str
    type: str
    macro: str
    constant: str
    place: str
    strides: str


def tensor_names(argument: Argument) -> TensorNames:
    """Names of one tensor argument."""
    camel, upper = lower_camel(argument.name), upper_camel(argument.name)
    return TensorNames(
        name=argument.name,
        address=f"{argument.inplace}_ref" if argument.inplace else argument.name,
        member=f"{camel}{'Out' if argument.output else 'In'}_",
        type=f"Type{upper}",
        macro=f"DTYPE_{(argument.inplace or argument.name).upper()}",
        constant=f"k{upper}Buffer",
        place=f"{camel}Place",
        strides=f"{camel}Strides",
    )


@dataclass(frozen=True)
class LocalNames:
    """Names of the temporaries of a plan, of each kind, clear of its tensors' names."""

    temp: str
    integers: str
    mask: str

    def of(self, place: Place) -> str:
        """The local variable that stands for a place."""
        if place.kind == "temp":
            return f"{self.temp}{place.number}"
        if place.kind == "integers":
            return f"{self.integers}{place.number}"
        if place.kind == "mask":
            return f"{self.mask}{place.number}"
        return place.name


def local_names(plan: Plan) -> LocalNames:
    """Short names where they are free."""
    taken = {a.name for a in plan.arguments}

    def free(stem: str) -> str:
        while any(name.startswith(stem) for name in taken):
            stem += "Value"
        return stem

    return LocalNames(temp=free("t"), integers=free("n"), mask=free("mask"))
