"""An op of the catalog under other names: the op's own, and those of its inputs and outputs, one for one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from opforge.errors import Problem
from opforge.spec import names
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.source import Token

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w)(?!\s*\()")  # a name that is no function's and stands behind no point
_ASSIGNED = re.compile(r"^\s*([A-Za-z_][\w\s,]*?)\s*=(?!=)", re.MULTILINE)


def renamed(
    entry: OpSpec,
    op_type: str,
    inputs: Sequence[Token] | None,
    outputs: Sequence[Token] | None,
    problems: list[Problem],
) -> OpSpec | None:
    """The entry as an op of type ``op_type``. None, with a problem, where the names do not fit."""
    before = len(problems)
    new: dict[str, str] = {}
    for kind, tensors, words in (("input", entry.inputs, inputs), ("output", entry.outputs, outputs)):
        if words is None:
            continue
        if len(words) != len(tensors):
            problems.append(_count(kind, entry.type, tensors, words))
            continue
        for tensor, word in zip(tensors, words, strict=True):
            problems += names.check_variable(word, kind)
            new[tensor.name] = word.text
    if len(problems) > before:
        return None
    taken = _taken(entry, new)
    for word in (*(inputs or ()), *(outputs or ())):
        if word.text in taken:
            what = f"`{word.text}` is {taken[word.text]} of the catalog's `{entry.type}`"
            problems.append(word.problem(what, "take another name"))
    everyone = [*(inputs or ()), *(outputs or ())]
    problems += names.check_distinct(everyone, "")
    if len(problems) > before:
        return None
    compute = _NAME.sub(lambda found: new.get(found[0], found[0]), entry.compute)
    return replace(
        entry,
        type=op_type,
        inputs=_named(entry.inputs, new),
        outputs=_named(entry.outputs, new),
        compute=compute,
        source=None,
    )


def _count(kind: str, op_type: str, tensors: Sequence[TensorSpec], words: Sequence[Token]) -> Problem:
    listed = ", ".join(tensor.name for tensor in tensors)
    plural = "" if len(tensors) == 1 else "s"
    what = f"the catalog's `{op_type}` has {len(tensors)} {kind}{plural}, {listed}, and here are {len(words)}"
    length = sum(len(word.text) + 1 for word in words) - 1
    return words[0].problem(what, f"name {len(tensors)}, in that order", length=max(length, 1))


def _taken(entry: OpSpec, new: Mapping[str, str]) -> dict[str, str]:
    """What the entry calls by itself, and still does with the new names."""
    locals_ = [name.strip() for found in _ASSIGNED.finditer(entry.compute) for name in found[1].split(",")]
    taken = dict.fromkeys(locals_, "an intermediate value")
    taken |= dict.fromkeys((attr.name for attr in entry.attrs), "an attribute")
    taken |= dict.fromkeys((tensor.name for tensor in entry.inputs), "an input")
    taken |= dict.fromkeys((tensor.name for tensor in entry.outputs), "an output")
    return {name: what for name, what in taken.items() if name not in new}


def _named(tensors: Sequence[TensorSpec], new: Mapping[str, str]) -> tuple[TensorSpec, ...]:
    return tuple(
        replace(
            tensor,
            name=new.get(tensor.name, tensor.name),
            inplace=None if tensor.inplace is None else new.get(tensor.inplace, tensor.inplace),
        )
        for tensor in tensors
    )
