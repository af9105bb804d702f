"""Chooses the calls of InferShape that reveal the shapes of an op's outputs.

The sizes are distinct primes, so that an output's size tells where it comes from. Attributes vary, and optional inputs
are left out in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from opforge.frozen import dataclass
from opforge.spec.foreign.read_back import Definition, Param

Shape = tuple[int, ...]
AttrSample = int | float | bool | str | tuple[int | float | bool, ...]

PRIMES = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211)
_RANKS = (1, 2, 3, 4)
_MOST_RANKED = 3  # inputs whose ranks are tried in all combinations
_INTS = (1, 2, 23)


@dataclass(frozen=True)
class Question:
    """One call of InferShape: the attributes, and shapes by input, None for an optional input that is left out."""

    shapes: tuple[Shape | None, ...]
    attrs: tuple[AttrSample, ...]
    values: int = 1  # each value of inputs on the host


def questions(definition: Definition) -> tuple[Question, ...]:
    """The calls to make; ``inferred_shapes`` expects the answers in this order."""
    base = usual_attrs(definition)
    tensors = [place for place, param in enumerate(definition.inputs) if is_tensor(param)]
    made: dict[Question, None] = {}
    for shapes in _shapes(definition, tensors):
        made[Question(shapes, base)] = None
        for place, attr in enumerate(definition.attrs):
            for other in _others(attr.type, base[place], definition.texts):
                made[Question(shapes, (*base[:place], other, *base[place + 1 :]))] = None
        for place, param in enumerate(definition.inputs):
            if param.kind == "optional":
                made[Question((*shapes[:place], None, *shapes[place + 1 :]), base)] = None
            if param.value_depend:
                made[Question(shapes, base, values=2)] = None
    return tuple(made)


def _shapes(definition: Definition, tensors: Sequence[int]) -> Iterator[tuple[Shape | None, ...]]:
    """Shapes for all inputs: equal shapes, the last dimensions of one shape, shapes with 1, and distinct shapes."""
    count = len(definition.inputs)

    def full(chosen: Mapping[int, Shape]) -> tuple[Shape | None, ...]:
        return tuple(chosen.get(place, _host_shape(definition.inputs[place])) for place in range(count))

    for rank in _RANKS:
        yield full(dict.fromkeys(tensors, PRIMES[:rank]))
        yield full(dict.fromkeys(tensors, tuple(2 * prime for prime in PRIMES[:rank])))  # for ops that need even sizes
        yield full(dict.fromkeys(tensors, PRIMES[5 : 5 + 2 * rank : 2]))  # primes that are not neighbours
        for place in tensors if len(tensors) > 1 else ():
            yield full({p: (1, *PRIMES[1:rank]) if p == place else PRIMES[:rank] for p in tensors})
    for first, second in itertools.permutations(tensors, 2):  # matrix products, the second operand plain or transposed
        for shape in ((151, 127), (127, 151)):
            yield full({p: shape if p == second else (113, 151) if p == first else (127,) for p in tensors})
    every = itertools.product(_RANKS, repeat=len(tensors)) if len(tensors) <= _MOST_RANKED else ()
    for ranks in every if len(tensors) > 1 else ():
        yield full({place: PRIMES[max(ranks) - rank : max(ranks)] for place, rank in zip(tensors, ranks, strict=True)})
        primes = iter(PRIMES)
        yield full({p: tuple(itertools.islice(primes, rank)) for p, rank in zip(tensors, ranks, strict=True)})


def _host_shape(param: Param) -> Shape:
    """The shape of an input on the host: a list of values has as many entries as a shape may have dimensions."""
    return (4,) if param.value_depend else ()


def is_tensor(param: Param) -> bool:
    """Whether an input is a tensor on the device, not a number or a list of values on the host."""
    return not param.scalar and param.value_depend is None


def usual_attrs(definition: Definition) -> tuple[AttrSample, ...]:
    """The attributes of most calls: the defaults, and a value of our own for each required one."""
    return tuple(_sample(attr.type, attr.default) for attr in definition.attrs)


def _sample(type_: str, default: AttrSample | None) -> AttrSample:
    if default is not None:
        return default
    samples: dict[str, AttrSample] = {"int": 1, "float": 1.0, "bool": False, "str": ""}
    return samples.get(type_, ())


def _others(type_: str, value: AttrSample, texts: Sequence[str]) -> tuple[AttrSample, ...]:
    """Other values of an attribute, to see whether it changes a shape. Those of a string are in ``texts``."""
    if type_ == "str":
        return tuple(text for text in texts if text != value)
    if type_ == "int":
        return tuple(other for other in (*_INTS, 0, -1) if other != value)
    if type_ == "bool":
        return (not value,)
    return tuple(other for other in ((0,), (1,), (2, 3)) if other != value) if type_ == "list_int" else ()
