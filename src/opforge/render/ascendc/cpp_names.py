"""Names in generated C++, in the style of the Ascend C samples: tensor ``x`` is ``xLocal`` and ``inQueueX``.

A tensor's names begin or end with such a word, and ours do not. Only the parameters of the entry and of Init have the
names of the spec; ours that stand beside them are two words, or in OWN_NAMES.
"""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import lower_camel, upper_camel
from opforge.plan.vector_model import Argument, Place

# What the entry and Init call their kernel object and their pipe: tensors of these names get an underscore there.
OWN_NAMES = ("op", "pipe")


@dataclass(frozen=True)
class TensorNames:
    """One kernel argument's names: ``w_gate`` -> inQueueWGate, wGateLocal, TypeWGate, DTYPE_W_GATE, wGatePlace and on.

    ``address`` is the kernel's argument: of an output in place, which CANN names by the input, ``x_ref``.
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
    """Names of one tensor argument."""
    camel, upper = _stem(argument.name), upper_camel(argument.name)
    return TensorNames(
        name=argument.name,
        address=f"{argument.inplace}_ref" if argument.inplace else _parameter(argument.name),
        queue=f"{'out' if argument.output else 'in'}Queue{upper}",
        local=local_tensor(argument.name),
        gm=f"{camel}Gm",
        type=f"Type{upper}",
        macro=f"DTYPE_{(argument.inplace or argument.name).upper()}",
        constant=f"k{upper}Buffer",
        place=f"{camel}Place",
        strides=f"{camel}Strides",
    )


def _stem(name: str) -> str:
    """The stem of a tensor's names. Without the underscore, in_queue_x would have the queue of x_local."""
    camel = lower_camel(name)
    return f"{camel}_" if camel.startswith(("inQueue", "outQueue")) else camel


def _parameter(name: str) -> str:
    return f"{name}_" if name in OWN_NAMES else name


def local_tensor(name: str) -> str:
    """The local tensor of a tensor, or of a product."""
    return f"{_stem(name)}Local"


_TEMPORARIES = {"temp": "tmpLocal", "integers": "intLocal", "mask": "maskLocal"}


def local_of(place: Place) -> str:
    """The local tensor that stands for a place: numbers end the names of temporaries, and no tensor's."""
    if place.kind in _TEMPORARIES:
        return f"{_TEMPORARIES[place.kind]}{place.number}"
    return local_tensor(place.name)
