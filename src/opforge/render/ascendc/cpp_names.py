"""Names in generated C++, in the style of the Ascend C samples: tensor ``x`` is ``xLocal`` and ``inQueueX``.

Names made from a tensor begin or end with such a word; other generated names do not. Only the parameters of the entry
function and of Init have exactly the names of the spec. Generated names in the same scope consist of two words or are
listed in OWN_NAMES.
"""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import lower_camel, upper_camel
from opforge.plan.vector_model import Argument, Place

# Names of the kernel object and the pipe in the entry function and Init. Tensors of these names get an underscore.
OWN_NAMES = ("op", "pipe")


@dataclass(frozen=True)
class TensorNames:
    """The names of a kernel argument: ``w_gate`` -> inQueueWGate, wGateLocal, TypeWGate, DTYPE_W_GATE, wGatePlace, ...

    ``address`` is the kernel parameter. CANN names the parameter of an in-place output after the input: ``x_ref``.
    """

    name: str
    address: str
    queue: str
    local: str
    gm: str
    type: str
    macro: str
    constant: str
    place: str
    strides: str


def tensor_names(argument: Argument) -> TensorNames:
    """The C++ names of one tensor argument."""
    camel, upper = _stem(argument.name), upper_camel(argument.name)
    return TensorNames(
        name=argument.name,
        address=f"{argument.inplace}_ref" if argument.inplace else _parameter(argument.name),
        queue=f"{'out' if argument.output else 'in'}Queue{upper}",
        local=local_tensor(argument.name),
        gm=f"{camel}Gm",
        type=type_name(argument.name),
        macro=f"DTYPE_{(argument.inplace or argument.name).upper()}",
        constant=f"k{upper}Buffer",
        place=f"{camel}Place",
        strides=f"{camel}Strides",
    )


def type_name(name: str) -> str:
    """The template parameter with the type of a tensor's elements."""
    return f"Type{upper_camel(name)}"


def _stem(name: str) -> str:
    """The stem of a tensor's names. The underscore keeps ``in_queue_x`` apart from the queue of ``x_local``."""
    camel = lower_camel(name)
    return f"{camel}_" if camel.startswith(("inQueue", "outQueue")) else camel


def _parameter(name: str) -> str:
    return f"{name}_" if name in OWN_NAMES else name


def local_tensor(name: str) -> str:
    """The name of the local tensor of a tensor or a product."""
    return f"{_stem(name)}Local"


_TEMPORARIES = {
    "temp": "tmpLocal",
    "integers": "intLocal",
    "mask": "maskLocal",
    "row": "rowLocal",
    "row mask": "rowMaskLocal",
    "kept": "keptLocal",
    "sum": "sumLocal",
}


def local_of(place: Place) -> str:
    """The local tensor of a place. The names of temporaries end with a number; the names of tensors do not."""
    if place.kind == "numbers":
        return "elementNumbers"
    if place.kind in _TEMPORARIES:
        return f"{_TEMPORARIES[place.kind]}{place.number}"
    return local_tensor(place.name)
