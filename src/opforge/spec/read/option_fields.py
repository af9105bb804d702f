"""Reads fields of tensors from repeatable options such as ``--shape 'x=[..., H]'``, by the rules for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from opforge.errors import Problem, SpecError
from opforge.spec.check.values import is_symbol
from opforge.spec.draft import SizeDraft, TensorDraft, ValuesDraft
from opforge.spec.patterns import PATTERNS
from opforge.spec.read.document import Tree, read_option_value
from opforge.spec.read.fields import words_of
from opforge.spec.read.op_fields import read_values
from opforge.spec.source import Token, closest, option_token

SHAPE, VALUES, DTYPE, PATTERN = "--shape", "--values", "--dtype", "--pattern"
_EXAMPLES = {SHAPE: "{}=[..., H]", VALUES: "{}={{min: 0, below: N}}", DTYPE: "{}=int64"}


def with_shapes(
    tensors: Sequence[TensorDraft], shapes: Sequence[str], problems: list[Problem]
) -> tuple[TensorDraft, ...]:
    """The tensors with the dimensions that ``--shape`` gives."""
    found = _trees(SHAPE, shapes, tensors, problems)
    read = {name: words_of(tree, "shape", problems) for name, (_, tree) in found.items()}
    return tuple(
        replace(tensor, dims=read[tensor.name.text], wrong=read[tensor.name.text] is None)
        if tensor.name.text in read
        else tensor
        for tensor in tensors
    )


def with_values(
    inputs: Sequence[TensorDraft], values: Sequence[str], problems: list[Problem]
) -> tuple[TensorDraft, ...]:
    """The inputs with the values that ``--values`` gives."""
    found = _trees(VALUES, values, inputs, problems)
    read = {name: read_values(word, tree, problems) for name, (word, tree) in found.items()}
    return tuple(replace(tensor, values=read.get(tensor.name.text, tensor.values)) for tensor in inputs)


def with_dtypes(
    tensors: Sequence[TensorDraft], words: Sequence[Token], problems: list[Problem]
) -> tuple[TensorDraft, ...]:
    """The tensors with the columns of ``--dtype float16,float32 --dtype index=int64``.

    Words before the first name are those of the first tensor; a word with a name begins the named tensor's column.
    """
    columns: dict[str, list[Token]] = {}
    current = tensors[0].name.text if tensors else ""
    for word in words:
        name, equals, _ = word.text.partition("=")
        own = word.part(len(name) + 1, len(word.text)) if equals else word
        if equals:
            current = name.strip()
            unknown = _unknown(word.part(0, len(name)), tensors)
            if current in columns:
                problems.append(word.problem(f"the dtypes of `{current}` are given twice", "remove one of them"))
            elif unknown is not None:
                problems.append(unknown)
        columns.setdefault(current, []).append(own)
    return tuple(
        replace(tensor, dtypes=tuple(columns[tensor.name.text])) if tensor.name.text in columns else tensor
        for tensor in tensors
    )


def with_pattern(
    name: str, inputs: Sequence[TensorDraft], outputs: Sequence[TensorDraft]
) -> tuple[tuple[TensorDraft, ...], tuple[TensorDraft, ...]]:
    """The tensors with the pattern's dimensions, dtypes and values wherever the options give none."""
    pattern = PATTERNS[name]

    def word(text: str) -> Token:
        return replace(option_token(PATTERN, name), text=text, length=len(name))

    def words(texts: Sequence[str]) -> tuple[Token, ...]:
        return tuple(map(word, texts))

    read = [t if t.dims or t.wrong else replace(t, dims=words(pattern.dims_of_input(i))) for i, t in enumerate(inputs)]
    if pattern.index is not None and pattern.index < len(read):
        index = read[pattern.index]
        below = None if read[0].dims is None else read[0].dims[0]
        values = index.values or ValuesDraft(min=word("0"), below=below)
        read[pattern.index] = replace(index, dtypes=index.dtypes or words(["int64"]), values=values)
    written = (t if t.dims or t.wrong else replace(t, dims=words(pattern.output)) for t in outputs)
    return tuple(read), tuple(written)


def sizes_of_pattern(name: str, inputs: Sequence[TensorDraft]) -> tuple[SizeDraft, ...]:
    """The sizes that the pattern supports: a row, or a table, has at least one element."""
    place = PATTERNS[name].filled
    dims = inputs[0].dims if inputs and place is not None else None
    if not dims or place is None or not is_symbol(dims[place].text):
        return ()
    return (SizeDraft(dims[place], min=replace(option_token(PATTERN, name), text="1", length=len(name))),)


def _trees(
    option: str, texts: Sequence[str], tensors: Sequence[TensorDraft], problems: list[Problem]
) -> Mapping[str, tuple[Token, Tree]]:
    """Maps each tensor's name to its word and the value behind `=`."""
    found: dict[str, tuple[Token, Tree]] = {}
    for text in texts:
        whole = option_token(option, text)
        name, equals, value = text.partition("=")
        word = whole.part(0, len(name))
        if not equals or not value.strip():
            example = _EXAMPLES[option].format(name.strip() or "x")
            problems.append(whole.problem(f"`{text}` has no value", f"for example `{option} '{example}'`"))
        elif (unknown := _unknown(word, tensors)) is not None:
            problems.append(unknown)
        elif name in found:
            problems.append(word.problem(f"`{name}` is given twice", f"remove one {option}"))
        else:
            try:
                tree, wrong = read_option_value(f"{option} {name}=", value)
            except SpecError as error:
                problems += error.problems
                continue
            problems += wrong
            found[name] = word, tree
    return found


def _unknown(word: Token, tensors: Sequence[TensorDraft]) -> Problem | None:
    """The problem if no tensor has this name."""
    listed = [tensor.name.text for tensor in tensors]
    if word.text in listed:
        return None
    meant = closest(word.text, listed)
    hint = f"did you mean `{meant}`?" if meant else f"it can be {', '.join(listed)}"
    return word.problem(f"`{word.text}` is not in --inputs or --outputs", hint)
