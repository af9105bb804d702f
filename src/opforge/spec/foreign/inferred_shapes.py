"""Finds symbolic shapes of an op's outputs from the answers of its InferShape, which is C++ without symbols.

The sizes in the calls are distinct primes, so that an output's size tells where it comes from. A shape is known when
one formula gives every answer: for every rank, with other attributes, and without optional inputs. An input whose shape
affects no output gets its own leading dimensions, `...gamma`, since it may not broadcast.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from opforge.frozen import dataclass
from opforge.spec.foreign.infer_shape_calls import PRIMES, Question, Shape, is_tensor, usual_attrs
from opforge.spec.foreign.read_back import Definition, Dims, output_names

_TAILS = (0, 1, 2)  # numbers of named last dimensions behind `...`
_SYMBOLS = ("M", "N")
_MORE_SYMBOLS = ("M", "N", "K", "L", "P", "Q", "R", "S", "T", "U", "V", "W")  # without `...`
_Value = Callable[["_Seen"], int | None]


@dataclass(frozen=True)
class Inferred:
    """Dimensions by tensor, explanations for outputs whose shape was not found, what gives lists their lengths."""

    dims: Mapping[str, Dims] = field(default_factory=dict)
    open: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Seen:
    """A call of InferShape and its answer."""

    question: Question
    ints: Mapping[str, int]
    outputs: tuple[Shape, ...]


def inferred(
    definition: Definition, asked: Sequence[Question], answers: Sequence[tuple[Shape, ...] | None]
) -> Inferred:
    """The dimensions that explain all answers; an answer is None if InferShape refused or failed.

    An output that is always empty is open, too: its shape may depend on other values.
    """
    found = _explanation(definition, asked, answers)
    outputs = [name for name in output_names(definition) if "0" in found.dims.get(name, ())]
    empty = {name: f"it is [{', '.join(found.dims[name])}] for all that opforge tried" for name in outputs}
    return replace(found, open={**empty, **found.open})


def _explanation(
    definition: Definition, asked: Sequence[Question], answers: Sequence[tuple[Shape, ...] | None]
) -> Inferred:
    names = output_names(definition)
    written = {param.name for param in definition.inputs}
    seen = [
        _Seen(question, _ints(definition, question), answer)
        for question, answer in zip(asked, answers, strict=True)
        if answer is not None and len(answer) == len(names) and all(size >= 0 for shape in answer for size in shape)
    ]
    found: dict[str, Dims] = {}
    open_: dict[str, str] = {}
    wanted = [
        (place, name)
        for place, (name, param) in enumerate(zip(names, definition.outputs, strict=True))
        if param.name not in written and param.kind != "dynamic"
    ]
    if not seen:
        return _unknown(definition, [name for _, name in wanted])
    if (dims := _ranked(definition, seen, wanted)) is not None:
        return Inferred(dims)
    formulas = {name: _formula(definition, seen, place) for place, name in wanted}
    usual = [answer for answer in seen if answer.question.attrs == usual_attrs(definition)]
    noted = {  # outputs that get the shape for the attributes' usual values
        name: why
        for place, name in wanted
        if formulas[name] is None and usual and (why := _by_attributes(definition, seen, usual, place))
    }
    if noted and (dims := _ranked(definition, usual, wanted)) is not None:
        return Inferred(dims, noted)
    formulas |= {name: _formula(definition, usual, place) for place, name in wanted if name in noted}
    named: dict[int, int] = {}  # inputs with named last dimensions, and how many
    for formula in formulas.values():
        if formula is not None and formula.follows is not None:
            named[formula.follows] = max(named.get(formula.follows, 0), formula.tail)
    tails = {place: tail for place, tail in named.items() if tail}
    if len(tails) > 1:  # two inputs must not share symbols
        formulas, tails = dict.fromkeys(formulas), {}
    dots = _dots(definition, list(formulas.values()))
    found |= _stated(definition, dots, tails)
    for place, name in wanted:
        formula = formulas[name]
        if formula is None:
            open_[name] = _example(definition, seen, place)
            if "..." in dots:
                found[name] = ("...",)
        else:
            tail = tails.get(formula.follows, 0) if formula.follows is not None else 0
            found[name] = formula.dims("..." if formula.follows is None else dots[formula.follows], tail)
            open_ |= {name: noted[name]} if name in noted else {}
    return Inferred(found, open_)


def _by_attributes(definition: Definition, seen: Sequence[_Seen], usual: Sequence[_Seen], output: int) -> str | None:
    """Says which attributes change the shape of an output, with an example for each. None: no single attribute does."""
    base = usual_attrs(definition)
    if not _explained(definition, usual, output):
        return None
    said = []
    for place, attr in enumerate(definition.attrs):
        for value in dict.fromkeys(answer.question.attrs[place] for answer in seen):
            changed = (*base[:place], value, *base[place + 1 :])
            others = [answer for answer in seen if answer.question.attrs == changed]
            if changed != base and others and not _explained(definition, [*usual, *others], output):
                given = ", ".join(map(str, others[0].outputs[output]))
                said.append(f"{attr.name} = {value!r} gives [{given}] for {_shapes_of(definition, others[0])}")
                break
        else:
            continue
        said[-1] = f"it is right for {attr.name} = {base[place]!r}; {said[-1]}"
    return "; ".join(said) or None


def _explained(definition: Definition, seen: Sequence[_Seen], output: int) -> bool:
    """Whether one formula fits these answers."""
    return _formula(definition, seen, output) is not None or _ranked(definition, seen, [(output, "")]) is not None


def _stated(definition: Definition, dots: Sequence[str], tails: Mapping[int, int]) -> Mapping[str, Dims]:
    """The dimensions of the inputs that have more than ``...``."""
    return {
        param.name: (dots[place], *_SYMBOLS[len(_SYMBOLS) - tails.get(place, 0) :])
        for place, param in enumerate(definition.inputs)
        if dots[place] not in ("", "...") or place in tails
    }


def _unknown(definition: Definition, outputs: Sequence[str]) -> Inferred:
    """The result without any answer: it only tells which arguments are tensors."""
    why = "InferShape refused every shape that opforge tried" if definition.infers_shape else "there is no InferShape"
    dots = _dots(definition, [])
    inputs = zip(definition.inputs, dots, strict=True)
    found: dict[str, Dims] = {param.name: (own,) for param, own in inputs if own not in ("", "...")}
    if "..." in dots:
        found |= dict.fromkeys(outputs, ("...",))
    return Inferred(found, dict.fromkeys(outputs, why))


def _dots(definition: Definition, formulas: Sequence[_Formula | None]) -> tuple[str, ...]:
    """The leading dimensions of each input; empty for an argument that is not a tensor.

    The first input that gives an output its shape has ``...``; if there is none, the first input. If an output has the
    broadcast shape, all required inputs have ``...``. Other inputs have their own leading dimensions.
    """
    tensors = [place for place, param in enumerate(definition.inputs) if is_tensor(param)]
    required = [place for place in tensors if definition.inputs[place].kind != "optional"]
    followed = [f.follows for f in formulas if f is not None and f.follows is not None]
    shared = set(required if any(f is not None and f.broadcasts for f in formulas) else [])
    shared |= {place for place in followed if definition.inputs[place].kind == "dynamic"}
    if not shared:
        shared = set((sorted(followed) or required or tensors)[:1])
    if any(param.kind == "dynamic" for param in definition.outputs):  # the tensors of its lists differ in size
        shared -= {place for place in shared if definition.inputs[place].kind == "dynamic"}
    return tuple(
        "" if place not in tensors else "..." if place in shared else f"...{param.name}"
        for place, param in enumerate(definition.inputs)
    )


@dataclass(frozen=True)
class _Formula:
    """``...`` of an input and some last dimensions; the input has ``tail`` named ones."""

    follows: int | None
    dots: bool
    tail: int
    last: Dims

    @property
    def broadcasts(self) -> bool:
        """Whether it is the broadcast of the required inputs."""
        return self.follows is None and self.dots

    def dims(self, dots: str, tail: int) -> Dims:
        """The dimensions, if the input has ``dots`` and then ``tail`` named ones."""
        more = _SYMBOLS[-tail : len(_SYMBOLS) - self.tail] if tail > self.tail and self.dots else ()
        return (*((dots,) if self.dots else ()), *more, *self.last)


def _formula(definition: Definition, seen: Sequence[_Seen], output: int) -> _Formula | None:
    """The simplest formula that gives this output's shape in every answer, or None."""
    shapes = [answer.outputs[output] for answer in seen]
    if len(set(shapes)) == 1 and all(size < PRIMES[0] for size in shapes[0]):
        return _Formula(None, dots=False, tail=0, last=tuple(map(str, shapes[0])))
    tensors = [place for place, param in enumerate(definition.inputs) if is_tensor(param) and param.kind != "optional"]
    if shapes[0] and (last := _texts(seen, shapes, _constants(seen))) is not None:
        return _Formula(None, dots=False, tail=0, last=last)
    for tail, place, dots in itertools.product(_TAILS, tensors, (True, False)):
        if not dots and tail == 0:
            continue
        last = _last(seen, shapes, place, tail, dots=dots)
        if last is not None:
            return _Formula(place, dots=dots, tail=tail, last=last)
    if all(_broadcast(answer.question.shapes, tensors) == shape for answer, shape in zip(seen, shapes, strict=True)):
        return _Formula(None, dots=True, tail=0, last=())
    return None


def _last(seen: Sequence[_Seen], shapes: Sequence[Shape], place: int, tail: int, *, dots: bool) -> Dims | None:
    """The output's dimensions behind the input's leading ones (all but ``tail``); None if no formula fits."""
    given = [answer.question.shapes[place] for answer in seen]
    if any(shape is None or len(shape) < tail for shape in given):
        return None
    heads = [(shape or ())[: len(shape or ()) - tail] if dots else () for shape in given]
    if any(shape[: len(head)] != head for shape, head in zip(shapes, heads, strict=True)):
        return None
    rests = [shape[len(head) :] for shape, head in zip(shapes, heads, strict=True)]
    if len({len(rest) for rest in rests}) != 1:
        return None
    made = []
    for at in range(len(rests[0])):
        wanted = [rest[at] for rest in rests]
        text = next((text for text, value in _terms(seen, place, tail) if [value(a) for a in seen] == wanted), None)
        if text is None:
            return None
        made.append(text)
    return tuple(made)


def _terms(seen: Sequence[_Seen], place: int, tail: int) -> Iterator[tuple[str, _Value]]:
    """Candidates for a dimension's size: the input's last dimensions, attributes, and simple sums of them."""

    def of_input(at: int) -> _Value:
        return lambda answer: (answer.question.shapes[place] or ())[at]

    symbols: list[tuple[str, _Value]] = [
        (symbol, of_input(at - tail)) for at, symbol in enumerate(_SYMBOLS[len(_SYMBOLS) - tail :])
    ]
    attrs: list[tuple[str, _Value]] = [(name, _of_attr(name)) for name in seen[0].ints]
    yield from symbols
    yield from attrs
    for size in range(PRIMES[0]):
        yield str(size), lambda _, size=size: size  # type: ignore[misc]
    yield from _sums(symbols, attrs)


def _sums(symbols: Sequence[tuple[str, _Value]], attrs: Sequence[tuple[str, _Value]]) -> Iterator[tuple[str, _Value]]:
    """Simple arithmetic over symbols, numbers and attributes."""
    for text, value in symbols:
        for number in (2, 3, 4, 8, 16, 32):
            yield f"{text} // {number}", lambda a, v=value, n=number: _do(v(a), n, "//")  # type: ignore[misc]
            yield f"({text} + {number - 1}) // {number}", lambda a, v=value, n=number: _do(v(a), n, "up")  # type: ignore[misc]
            yield f"{number} * {text}", lambda a, v=value, n=number: _do(v(a), n, "*")  # type: ignore[misc]
        for number in (1, 2):
            yield f"{text} + {number}", lambda a, v=value, n=number: _do(v(a), n, "+")  # type: ignore[misc]
            yield f"{text} - {number}", lambda a, v=value, n=number: _do(v(a), n, "-")  # type: ignore[misc]
        for name, other in attrs:
            for operator in ("+", "-", "*", "//"):
                yield (
                    f"{text} {operator} {name}",
                    lambda a, v=value, o=other, op=operator: _do(v(a), o(a), op),  # type: ignore[misc]
                )
    for (text, value), (second, other) in itertools.combinations(symbols, 2):
        yield f"{text} * {second}", lambda a, v=value, o=other: _do(v(a), o(a), "*")  # type: ignore[misc]


def _ranked(definition: Definition, seen: Sequence[_Seen], wanted: Sequence[tuple[int, str]]) -> dict[str, Dims] | None:
    """Dimensions if InferShape accepts one rank per input: one symbol each, the same for equal sizes."""
    inputs: dict[str, Dims] = {}
    symbols: dict[str, _Value] = {}
    for place, param in enumerate(definition.inputs):
        if not is_tensor(param):
            continue
        if param.kind == "dynamic":  # its tensors may differ in size
            inputs[param.name] = (f"...{param.name}",)
            continue
        ranks = {len(shape) for answer in seen if (shape := answer.question.shapes[place]) is not None}
        if len(ranks) != 1:
            return None
        dims = []
        for at in range(ranks.pop()):
            size = _size(place, at)
            same = (
                name
                for name, other in symbols.items()
                if all(None in (mine := (size(answer), other(answer))) or mine[0] == mine[1] for answer in seen)
            )
            fresh = (name for name in _MORE_SYMBOLS if name not in symbols and name not in seen[0].ints)
            name = next(same, None) or next(fresh, None)
            if name is None:
                return None
            symbols.setdefault(name, size)
            dims.append(name)
        inputs[param.name] = tuple(dims)
    terms = [*symbols.items(), *_constants(seen), *_sums([*symbols.items()], _attrs(seen))]
    for place, output in wanted:
        texts = _texts(seen, [answer.outputs[place] for answer in seen], terms)
        if texts is None:
            return None
        inputs[output] = texts
    return inputs


def _texts(seen: Sequence[_Seen], shapes: Sequence[Shape], terms: Sequence[tuple[str, _Value]]) -> Dims | None:
    """The first term that fits each dimension in all answers; None if a dimension has none."""
    if len({len(shape) for shape in shapes}) != 1:
        return None
    texts = []
    for sizes in zip(*shapes, strict=True):
        text = next((text for text, value in terms if [value(answer) for answer in seen] == [*sizes]), None)
        if text is None:
            return None
        texts.append(text)
    return tuple(texts)


def _attrs(seen: Sequence[_Seen]) -> list[tuple[str, _Value]]:
    return [(name, _of_attr(name)) for name in seen[0].ints]


def _constants(seen: Sequence[_Seen]) -> list[tuple[str, _Value]]:
    """Attributes and numbers: terms without an input's size."""
    return [*_attrs(seen), *((str(size), _number(size)) for size in range(PRIMES[0]))]


def _size(place: int, at: int) -> _Value:
    def value(answer: _Seen) -> int | None:
        shape = answer.question.shapes[place]
        return None if shape is None else shape[at]

    return value


def _number(size: int) -> _Value:
    return lambda _: size


def _of_attr(name: str) -> _Value:
    return lambda answer: answer.ints[name]


def _do(left: int | None, right: int | None, operator: str) -> int | None:
    if left is None or right is None or (operator in ("//", "up") and right <= 0):
        return None
    results = {"+": left + right, "-": left - right, "*": left * right}
    if operator in results:
        return results[operator]
    return (left + (right - 1 if operator == "up" else 0)) // right


def _broadcast(shapes: Sequence[Shape | None], tensors: Sequence[int]) -> Shape | None:
    """NumPy's broadcast of the required tensors; None if they do not broadcast."""
    given = [shape for place in tensors if (shape := shapes[place]) is not None]
    rank = max((len(shape) for shape in given), default=0)
    result = []
    for at in range(-rank, 0):
        sizes = {shape[at] for shape in given if len(shape) >= -at} - {1}
        if len(sizes) > 1:
            return None
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def _ints(definition: Definition, question: Question) -> Mapping[str, int]:
    return {
        attr.name: value
        for attr, value in zip(definition.attrs, question.attrs, strict=True)
        if attr.type == "int" and isinstance(value, int)
    }


def _example(definition: Definition, seen: Sequence[_Seen], output: int) -> str:
    """An example of InferShape's answers, to help a user state the shape."""
    shape = ", ".join(map(str, seen[0].outputs[output]))
    return f"opforge found no formula; InferShape gives [{shape}] for {_shapes_of(definition, seen[0])}"


def _shapes_of(definition: Definition, answer: _Seen) -> str:
    given = zip(definition.inputs, answer.question.shapes, strict=True)
    return ", ".join(
        f"{param.name} [{', '.join(map(str, shape))}]"
        for param, shape in given
        if shape is not None and is_tensor(param)
    )
