"""Checks ``backward: MyOpGrad``: an op of the project that computes the gradients of a handwritten op.

Its inputs are found by name: inputs and outputs of the op, and ``grad_<output>``. Its outputs are ``grad_<input>``, its
attributes those of the op.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from opforge.dtypes import DTYPES
from opforge.errors import Problem
from opforge.spec.arguments import input_kind
from opforge.spec.check.values import read_truth
from opforge.spec.combinations import combinations
from opforge.spec.draft import OpDraft
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.source import Token, closest

_OP_TYPE = re.compile(r"[A-Z][A-Za-z0-9]*")
_BY_NAME = "its inputs are inputs, outputs and `grad_<output>` of the op; its outputs are `grad_<input>`"


def read_backward(draft: OpDraft, problems: list[Problem]) -> tuple[bool, str | None]:
    """Whether the op has a backward, and the op that computes it if the spec names one."""
    word = draft.backward
    if word is None or _OP_TYPE.fullmatch(word.text) is None or word.text.lower() in ("true", "false"):
        return read_truth(word, problems, default=True), None
    if draft.compute is not None:
        what = f"`{draft.type.text}` has `compute`, and its backward is derived from it"
        problems.append(word.problem(what, "only handwritten ops can name the op that computes their gradients"))
        return True, None
    return True, word.text


def check_named_backwards(drafts: Sequence[OpDraft], ops: Sequence[OpSpec]) -> list[Problem]:
    """The problems of every op that names another one as its backward."""
    words = {draft.type.text: draft.backward for draft in drafts}
    types = [draft.type.text for draft in drafts]
    read = {op.type: op for op in ops}
    problems: list[Problem] = []
    for op in ops:
        at = words[op.type]
        if op.gradient is None or at is None:
            continue
        if op.gradient not in types:
            meant = closest(op.gradient, [name for name in types if name != op.type])
            hint = f"did you mean `{meant}`?" if meant else "add it to `ops`, or write `true` or `false`"
            problems.append(at.problem(f"the project has no op `{op.gradient}`", hint))
        elif op.gradient in read:
            problems += _Pair(op, read[op.gradient], at).problems()
    return problems


class _Pair:
    """An op, and the op that computes its gradients."""

    def __init__(self, op: OpSpec, gradient: OpSpec, at: Token) -> None:
        self.op, self.gradient, self.at = op, gradient, at
        self.grads = {f"grad_{tensor.name}": tensor for tensor in op.outputs}
        self.known: Mapping[str, TensorSpec] = {t.name: t for t in (*op.inputs, *op.outputs)} | self.grads
        self.results = {f"grad_{tensor.name}": tensor for tensor in op.inputs}

    def problems(self) -> list[Problem]:
        name = self.gradient.type
        if name == self.op.type:
            return [self.at.problem(f"`{name}` cannot compute its own gradients", "name another op of the project")]
        found = [
            *self.of_names("input", self.gradient.inputs, self.known),
            *self.of_names("output", self.gradient.outputs, self.results),
            *self.of_attrs(),
        ]
        if found:
            return found
        if not any(tensor.name in self.grads for tensor in self.gradient.inputs):
            what = f"no input of `{name}` is the gradient of an output"
            return [self.at.problem(what, f"add one, such as `grad_{self.op.outputs[0].name}`")]
        tensors = [
            *((tensor, self.known[tensor.name]) for tensor in self.gradient.inputs),
            *((tensor, self.results[tensor.name]) for tensor in self.gradient.outputs),
        ]
        for mine, theirs in tensors:
            found += self.of_tensor(mine, theirs)
        return found or self.of_dtypes([theirs for _, theirs in tensors])

    def of_names(self, kind: str, tensors: Sequence[TensorSpec], known: Mapping[str, TensorSpec]) -> list[Problem]:
        problems = []
        for tensor in tensors:
            if tensor.name not in known:
                meant = closest(tensor.name, list(known))
                hint = f"did you mean `{meant}`? " if meant else ""
                what = f"the {kind} `{tensor.name}` of `{self.gradient.type}` does not belong to `{self.op.type}`"
                problems.append(self.at.problem(what, f"{hint}{_BY_NAME}"))
        return problems

    def of_attrs(self) -> list[Problem]:
        own = {attr.name: attr.type for attr in self.op.attrs}
        problems = []
        for attr in self.gradient.attrs:
            if attr.name not in own and attr.required:
                what = f"`{self.op.type}` has no attribute `{attr.name}`, which `{self.gradient.type}` needs"
                problems.append(self.at.problem(what, "give it a default, or add it to the op"))
            elif own.get(attr.name, attr.type) != attr.type:
                mine = f"`{attr.name}` is {attr.type} in `{self.gradient.type}`"
                what = f"{mine}, but {own[attr.name]} in `{self.op.type}`"
                problems.append(self.at.problem(what, "use one type"))
        return problems

    def of_tensor(self, mine: TensorSpec, theirs: TensorSpec) -> list[Problem]:
        name = f"`{mine.name}` of `{self.gradient.type}`"
        if mine.inplace is not None or mine.shaped:
            return [self.at.problem(f"{name} is not a plain output", "return the gradient in a new tensor")]
        for tensor in (mine, theirs):
            if input_kind(tensor) != "tensor" or tensor.optional:
                what = f"{name} belongs to an optional input, a list or a number: a backward by an op has plain tensors"
                return [self.at.problem(what, "leave the tensor out, or let torch differentiate the reference")]
        if mine.dims != theirs.dims:
            what = f"{name} has the shape [{', '.join(mine.dims)}], but `{theirs.name}` has [{', '.join(theirs.dims)}]"
            return [self.at.problem(what, "write the same dimensions in both ops")]
        return []

    def of_dtypes(self, tensors: Sequence[TensorSpec]) -> list[Problem]:
        """A problem for the first dtypes of the op that its gradient's op does not support."""
        places = {tensor.name: i for i, tensor in enumerate((*self.op.inputs, *self.op.outputs))}
        supported = set(combinations(self.gradient))
        for row in combinations(self.op):
            wanted = tuple(row[places[tensor.name]] for tensor in tensors)
            if wanted not in supported:
                names = (tensor.name for tensor in (*self.gradient.inputs, *self.gradient.outputs))
                listed = ", ".join(f"{name} {dtype}" for name, dtype in zip(names, wanted, strict=True))
                what = f"`{self.gradient.type}` does not support dtypes that `{self.op.type}` needs: {listed}"
                return [self.at.problem(what, "add this combination to its dtypes")]
        for result in self.gradient.outputs:
            dtype = next((d for d in self.results[result.name].dtypes if not DTYPES[d].floating), None)
            if dtype is not None:
                what = f"`{self.results[result.name].name}` is {dtype}, which has no gradient"
                return [self.at.problem(what, f"remove `{result.name}` from `{self.gradient.type}`")]
        return []
