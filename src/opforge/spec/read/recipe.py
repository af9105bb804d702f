"""Makes a draft from an op of the catalog, with the user's names and dtypes; it is checked like any other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from opforge.errors import Problem
from opforge.frozen import dataclass
from opforge.spec.draft import AttrDraft, OpDraft, TensorDraft, ValuesDraft
from opforge.spec.model import ANY_VALUES, AttrSpec, AttrValue, OpSpec, TensorSpec, Values
from opforge.spec.source import Token, option_token, plain_passage

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w)(?!\s*\()")  # a name that is not a function's and not behind a point
_ASSIGNED = re.compile(r"^\s*([A-Za-z_][\w\s,]*?)\s*=(?!=)", re.MULTILINE)

Words = tuple[Token, ...]


@dataclass(frozen=True)
class Wanted:
    """A user's changes to an op of the catalog; None: as in the catalog. Names replace the entry's, in order."""

    type: Token
    inputs: Words | None
    outputs: Words | None
    dtypes: Words | None


def drafted(entry: OpSpec, wanted: Wanted, problems: list[Problem]) -> OpDraft | None:
    """The entry as a draft; None, after a report, if the names do not fit it."""
    before = len(problems)
    new: dict[str, str] = {}
    for kind, tensors, words in (
        ("input", entry.inputs, wanted.inputs),
        ("output", entry.outputs, wanted.outputs),
    ):
        if words is not None and len(words) != len(tensors):
            problems.append(_count(kind, entry.type, tensors, words))
        new |= {tensor.name: word.text for tensor, word in zip(tensors, words or (), strict=False)}
    taken = _taken(entry, new)
    for word in (*(wanted.inputs or ()), *(wanted.outputs or ())):
        if word.text in taken:
            what = f"`{word.text}` is already {taken[word.text]} of the catalog's `{entry.type}`"
            problems.append(word.problem(what, "use another name"))
    if len(problems) > before:
        return None
    outputs = _tensors(entry, entry.outputs, wanted.outputs, wanted.dtypes)
    return OpDraft(
        type=wanted.type,
        inputs=_tensors(entry, entry.inputs, wanted.inputs, wanted.dtypes),
        attrs=tuple(_attr(attr) for attr in entry.attrs),
        outputs=outputs if entry.outputs_given else None,
        compute=plain_passage(_NAME.sub(lambda found: new.get(found[0], found[0]), entry.compute)),
        doc=entry.doc,
        backward=None if entry.backward else _word("false"),
    )


def _word(text: str) -> Token:
    """A word of the catalog's entry, without a place: its mistakes come from the user's words."""
    return option_token("", text)


def _count(kind: str, op_type: str, tensors: Sequence[TensorSpec], words: Sequence[Token]) -> Problem:
    listed = ", ".join(tensor.name for tensor in tensors)
    plural = "" if len(tensors) == 1 else "s"
    what = f"the catalog's `{op_type}` has {len(tensors)} {kind}{plural}, {listed}, but got {len(words)}"
    length = sum(len(word.text) + 1 for word in words) - 1
    return words[0].problem(what, f"give {len(tensors)}, in that order", length=max(length, 1))


def _taken(entry: OpSpec, new: Mapping[str, str]) -> dict[str, str]:
    """The names in the entry that stay the same, with a description of each."""
    own = [name.strip() for found in _ASSIGNED.finditer(entry.compute) for name in found[1].split(",")]
    taken = dict.fromkeys(own, "an intermediate value")
    taken |= dict.fromkeys((attr.name for attr in entry.attrs), "an attribute")
    taken |= dict.fromkeys((tensor.name for tensor in entry.inputs), "an input")
    taken |= dict.fromkeys((tensor.name for tensor in entry.outputs), "an output")
    return {name: what for name, what in taken.items() if name not in new}


def _tensors(
    entry: OpSpec, tensors: Sequence[TensorSpec], words: Words | None, dtypes: Words | None
) -> tuple[TensorDraft, ...]:
    names = words or tuple(option_token("--inputs", tensor.name) for tensor in tensors)
    return tuple(
        TensorDraft(
            name,
            dtypes=_dtypes(entry, tensor, dtypes) if tensor.dtypes_given else None,
            dims=tuple(map(_word, tensor.dims)),
            optional=_word("true") if tensor.optional else None,
            values=_values(tensor.values),
        )
        for name, tensor in zip(names, tensors, strict=True)
    )


def _values(values: Values) -> ValuesDraft | None:
    """The values that tests draw for a tensor; None for any."""
    if values == ANY_VALUES:
        return None
    bounds = {name: _word(text) for name, text in (("min", values.min), ("below", values.below)) if text is not None}
    flags = {name: _word("true") for name in ("unique", "sorted") if getattr(values, name)}
    return ValuesDraft(**bounds, **flags)


def _dtypes(entry: OpSpec, tensor: TensorSpec, dtypes: Words | None) -> Words:
    """The tensor's dtypes: a tensor of a single dtype, such as a mask, keeps it."""
    own = tuple(dict.fromkeys(tensor.dtypes))
    if len(own) == 1 and any(len(set(other.dtypes)) > 1 for other in entry.inputs):
        return (_word(own[0]),)
    return dtypes or tuple(map(_word, tensor.dtypes))


def _attr(attr: AttrSpec) -> AttrDraft:
    default = None if attr.default is None else _word(_text(attr.default))
    return AttrDraft(_word(attr.name), _word(attr.type), default, quoted=isinstance(attr.default, str))


def _text(value: AttrValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_text, value))}]"
    return str(value)
