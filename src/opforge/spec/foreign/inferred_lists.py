"""Finds the list of inputs that an output list follows, tensor by tensor, from the answers of InferShape.

For such an op, each list has two tensors, the second with sizes twice those of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.spec.foreign.infer_shape_calls import Question, Shape
from opforge.spec.foreign.read_back import Definition, Dims, Param

LISTED = 2  # tensors of each list


def has_lists(definition: Definition) -> bool:
    """Whether an output is a list of tensors."""
    return any(param.kind == "dynamic" for param in definition.outputs)


def instances(param: Param) -> int:
    """The number of tensors of an output in the answers."""
    return LISTED if param.kind == "dynamic" else 1


def of_instance(shape: Shape, place: int) -> Shape:
    """The shape of a list's tensor."""
    return tuple((place + 1) * size for size in shape)


def split_lists(
    definition: Definition, asked: Sequence[Question], answers: Sequence[tuple[Shape, ...] | None]
) -> tuple[list[tuple[Shape, ...] | None], Mapping[str, Dims], Mapping[str, str]]:
    """The answers with the first tensor of each list; the lists' dimensions by name; explanations for unknown ones."""
    if not has_lists(definition):
        return list(answers), {}, {}
    count = sum(map(instances, definition.outputs))
    whole = [answer if answer is not None and len(answer) == count else None for answer in answers]
    found: dict[str, Dims] = {}
    open_: dict[str, str] = {}
    written = {param.name for param in definition.inputs}
    lists = [place for place, param in enumerate(definition.inputs) if param.kind == "dynamic" and not param.scalar]
    begin = 0
    firsts = []
    for param in definition.outputs:
        firsts.append(begin)
        if param.kind == "dynamic" and param.name not in written and lists:
            known = [place for place in lists if _follows(asked, whole, place, begin)]
            source = definition.inputs[(known or lists)[0]].name
            made = {shape for answer in whole if answer for shape in answer[begin : begin + LISTED]}
            same = len(made) == 1 and not known
            found[param.name] = tuple(map(str, made.pop())) if same else (f"...{source}",)
            if not known and not same:
                why = "InferShape gives others" if any(whole) else "there is no InferShape"
                open_[param.name] = f"opforge assumes a tensor for each of {source}, of its shape, as {why}"
        begin += instances(param)
    singles = [None if answer is None else tuple(answer[place] for place in firsts) for answer in whole]
    return singles, found, open_


def lengths(definition: Definition, dims: Mapping[str, Dims]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The inputs and attributes that give output lists their lengths, and explanations of those that are assumed.

    A list that follows a list among the inputs needs none.
    """
    lists = [p.name for p in definition.inputs if p.kind == "dynamic" and not p.scalar]
    whole = [attr.name for attr in definition.attrs if attr.type == "int"]
    found: dict[str, str] = {}
    open_: dict[str, str] = {}
    written = {param.name for param in definition.inputs}
    for param in definition.outputs:
        follows = "".join(dims.get(param.name, ())).startswith("...")
        if param.kind != "dynamic" or param.name in written or follows or not (lists or whole):
            continue
        found[param.name] = (lists or whole)[0]
        if not lists:
            open_[param.name] = f"opforge assumes that {whole[0]} is the number of tensors, and one element in each"
    return found, open_


def _follows(asked: Sequence[Question], answers: Sequence[tuple[Shape, ...] | None], place: int, begin: int) -> bool:
    """Whether the tensors of an output, from ``begin``, have the shapes of those of the input at ``place``."""
    pairs = [(question.shapes[place], answer) for question, answer in zip(asked, answers, strict=True) if answer]
    return bool(pairs) and all(
        shape is not None and answer[begin + i] == of_instance(shape, i)
        for shape, answer in pairs
        for i in range(LISTED)
    )
