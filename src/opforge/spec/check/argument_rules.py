"""Reads the argument kind of each tensor and checks which properties go together or need a handwritten op."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

from opforge.dtypes import DTYPES, KERNEL_DTYPES
from opforge.errors import Problem
from opforge.spec.check.opdef import read_opdef_calls
from opforge.spec.check.values import FORMATS, read_truth
from opforge.spec.draft import OpDraft, TensorDraft
from opforge.spec.model import SHAPE_BY_KERNEL, TensorSpec
from opforge.spec.source import Token, closest

_HOST = frozenset(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))
_BY_HAND = "only handwritten ops (without `compute`) can have"


def read_kinds(
    inputs: Sequence[TensorDraft],
    outputs: Sequence[TensorDraft],
    attrs: Mapping[str, str],
    problems: list[Problem],
) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """Inputs and outputs with everything but dtypes, formats and dimensions. ``attrs`` has types by name."""
    ins = tuple(_kind(tensor, "input", problems) for tensor in inputs)
    by_name = {tensor.name: tensor for tensor in ins}
    written: dict[str, str] = {}
    outs = [_kind(tensor, "output", problems) for tensor in outputs]
    lists = [spec.name for spec in ins if spec.dynamic and not spec.scalar and not spec.optional]
    known = [*lists, *(name for name, type_ in attrs.items() if type_ == "int")]
    for tensor, spec in zip(outputs, outs, strict=True):
        _check_count(tensor, spec, known, problems)
    return ins, tuple(_written(*pair, by_name, written, problems) for pair in zip(outputs, outs, strict=True))


def _kind(draft: TensorDraft, side: Literal["input", "output"], problems: list[Problem]) -> TensorSpec:
    named = side == "output" and draft.dynamic is not None and draft.dynamic.text not in ("true", "false")
    spec = TensorSpec(
        draft.name.text,
        (),
        optional=read_truth(draft.optional, problems),
        dynamic=named or read_truth(draft.dynamic, problems),
        count=draft.dynamic.text if named and draft.dynamic is not None else None,
        scalar=read_truth(draft.scalar, problems),
        value_depend=_value_depend(draft.value_depend, problems),
        contiguous=_contiguous(draft.contiguous, problems),
        own_shape=draft.own_shape is not None,
        opdef=read_opdef_calls(draft.opdef, side, problems),
    )
    if draft.own_shape is not None and side == "input":
        what = f"`{spec.name}` is an input: only the shape of an output can be handwritten"
        problems.append(draft.own_shape.problem(what, "write the dimensions, for example `shape: [...]`"))
    if draft.own_shape is not None and spec.shaped:
        what = f"the kernel decides the shape of `{spec.name}`, so its largest shape must be known"
        problems.append(draft.own_shape.problem(what, "write the largest dimensions, for example `shape: [N]`"))
    if spec.value_depend is not None and draft.value_depend is not None:
        other = "scalar" if spec.scalar else "dynamic" if spec.dynamic else None
        if other is not None:
            what = f"`{spec.name}` is both `{other}` and `value_depend`"
            problems.append(draft.value_depend.problem(what, "use one of the two"))
    if spec.scalar and draft.scalar is not None:
        if not spec.contiguous and draft.contiguous is not None:
            problems.append(draft.contiguous.problem(f"`{spec.name}` is a scalar and has no strides", "remove it"))
        if draft.formats is not None and any(word.text != "ND" for word in draft.formats):
            problems.append(draft.scalar.problem(f"`{spec.name}` is a scalar and has no format", "remove `format`"))
    return spec


def _value_depend(word: Token | None, problems: list[Problem]) -> Literal["required", "optional"] | None:
    if word is None:
        return None
    if word.text in ("required", "optional"):
        return "required" if word.text == "required" else "optional"
    what = f"`{word.text}` is not a valid value for `value_depend`"
    hint = "`required`: tiling always gets the values; `optional`: it may get them"
    problems.append(word.problem(what, hint))
    return None


def _contiguous(word: Token | None, problems: list[Problem]) -> bool:
    if word is None or word.text == "ignore":
        return word is None
    hint = "`contiguous: ignore` passes strided memory to the kernel; by default, inputs are made contiguous"
    problems.append(
        word.problem(f"`{word.text}` is not a valid value for `contiguous`: the only one is `ignore`", hint)
    )
    return True


def _check_count(draft: TensorDraft, spec: TensorSpec, known: list[str], problems: list[Problem]) -> None:
    """Checks that what gives an output's list its length is ``known``, and that its tensors have a shape."""
    if spec.count is None or draft.dynamic is None:
        return
    if spec.count not in known:
        what = f"`{spec.count}` is neither a list of tensors among the required inputs nor an int attribute"
        meant = closest(spec.count, known)
        hint = f"did you mean `{meant}`?" if meant else "`dynamic: true` for a list that follows one among the inputs"
        problems.append(draft.dynamic.problem(what, hint))
    elif draft.dims is None and draft.inplace is None:
        what = f"`{spec.name}` has no shape: that of each tensor in the list"
        problems.append(draft.name.problem(what, "for example `shape: [1]`"))


def _written(
    draft: TensorDraft,
    spec: TensorSpec,
    inputs: Mapping[str, TensorSpec],
    written: dict[str, str],
    problems: list[Problem],
) -> TensorSpec:
    """The in-place output with its input's properties."""
    if draft.inplace is None:
        return spec
    name, at = draft.inplace.text, draft.inplace
    target = inputs.get(name)
    if target is None:
        meant = closest(name, tuple(inputs))
        hint = f"did you mean `{meant}`?" if meant else f"the inputs: {', '.join(inputs)}"
        problems.append(at.problem(f"`{spec.name}` is written to `{name}`, which is not an input", hint))
        return spec
    if name in written:
        what = f"`{spec.name}` and `{written[name]}` are both written to `{name}`"
        problems.append(at.problem(what, "only one output can use an input's memory"))
    elif target.scalar or target.value_depend is not None:
        problems.append(at.problem(f"`{name}` is on the host: a kernel cannot write there", "write to a tensor"))
    written.setdefault(name, spec.name)
    stated = [("optional", draft.optional), ("dynamic", draft.dynamic), ("contiguous", draft.contiguous)]
    stated += [("dtype", _first(draft.dtypes)), ("shape", draft.own_shape or _first(draft.dims))]
    stated += [("format", _first(draft.formats))]
    for key, word in stated:
        if word is not None:
            what = f"`{spec.name}` is written to `{name}` and always has its `{key}`"
            problems.append(word.problem(what, f"remove `{key}`: `{spec.name}: {{inplace: {name}}}`"))
    return dataclasses.replace(
        spec, optional=target.optional, dynamic=target.dynamic, contiguous=target.contiguous, inplace=name
    )


def _first(words: tuple[Token, ...] | None) -> Token | None:
    return words[0] if words else None


def check_values(drafts: Sequence[TensorDraft], tensors: Sequence[TensorSpec], problems: list[Problem]) -> None:
    """Check the dtypes of values on the host: op_build makes them an aclFloatArray, aclBoolArray or aclIntArray.

    Source: the documentation's page "ValueDepend" of OpParamDef.
    """
    for draft, tensor in zip(drafts, tensors, strict=False):
        found = set(tensor.dtypes)
        if draft.value_depend is None or found in ({"float32"}, {"bool"}) or (found <= _HOST and "int64" in found):
            continue
        at = draft.dtypes[0] if draft.dtypes else draft.name
        dtypes = " or ".join(dict.fromkeys(tensor.dtypes))
        what = f"the values of `{tensor.name}` are {dtypes}, which op_build does not support"
        hint = "expected only float32, only bool, or integers including int64, such as `dtype: [int64]`"
        problems.append(at.problem(what, hint))


def check_own_shapes(draft: OpDraft, problems: list[Problem]) -> None:
    """Check that torch learns a handwritten shape from a reference, and op_host from a file that opforge knows."""
    for tensor in draft.outputs or ():
        if tensor.inplace is not None:
            continue
        if tensor.own_shape is not None and draft.reference is None:
            what = f"the shape of `{tensor.name.text}` is handwritten, so the op needs a `reference`"
            hint = "torch takes the shape from that function's result; for example `reference: golden:my_op`"
            problems.append(tensor.own_shape.problem(what, hint))
        elif tensor.own_shape is not None and draft.sources:
            what = f"the shape of `{tensor.name.text}` is handwritten, but op_host is in `sources`"
            hint = "remove `sources`: opforge then writes op_host and a file for the shape; or write the dimensions"
            problems.append(tensor.own_shape.problem(what, hint))


def check_generated(draft: OpDraft, problems: list[Problem]) -> None:
    """Refuse what a generated kernel cannot have."""
    for tensor in (*(draft.inputs or ()), *(draft.outputs or ())):
        problems += _no_generated_kind(tensor)
        problems += _no_generated_element(tensor)
    for tensor in draft.outputs or ():
        if tensor.optional is not None and tensor.optional.text == "true":
            what = f"`{tensor.name.text}` is an optional output: {_BY_HAND} them"
            problems.append(tensor.optional.problem(what, "remove the output, or write the kernel by hand"))
    problems += _no_first(draft.inputs or ()) + _no_memory(draft.inputs or (), draft.outputs or ())
    if draft.sources:
        what = f"opforge generates the sources of an op with `compute`: {_BY_HAND} their own"
        problems.append(draft.sources[0].problem(what, "remove `sources` or `compute`"))


def _no_first(inputs: Sequence[TensorDraft]) -> list[Problem]:
    """The first input's dtype selects the kernel, so it cannot be a number on the host."""
    if not inputs or inputs[0].scalar is None or inputs[0].scalar.text != "true":
        return []
    what = f"`{inputs[0].name.text}` is the first input and cannot be a scalar: its dtype selects the kernel"
    return [inputs[0].scalar.problem(what, "declare it after a tensor")]


def _no_memory(inputs: Sequence[TensorDraft], outputs: Sequence[TensorDraft]) -> list[Problem]:
    """An in-place output needs an input that is always present."""
    missing = {t.name.text for t in inputs if t.optional is not None and t.optional.text == "true"}
    return [
        output.inplace.problem(
            f"`{output.name.text}` is written to `{output.inplace.text}`, which is optional",
            "make the input required, or give the output its own memory",
        )
        for output in outputs
        if output.inplace is not None and output.inplace.text in missing
    ]


def _no_generated_kind(tensor: TensorDraft) -> list[Problem]:
    name, problems = tensor.name.text, []
    if tensor.dynamic is not None and tensor.dynamic.text != "false":
        problems.append(tensor.dynamic.problem(f"`{name}` is a list of tensors: {_BY_HAND} them", _hint("lists")))
    if tensor.value_depend is not None:
        what = f"the host code reads the values of `{name}`: {_BY_HAND} such inputs"
        problems.append(tensor.value_depend.problem(what, _hint("values on the host")))
    if tensor.contiguous is not None and tensor.contiguous.text == "ignore":
        what = f"`{name}` is strided memory: {_BY_HAND} it"
        problems.append(tensor.contiguous.problem(what, "remove it: aclnn makes the tensor contiguous"))
    if tensor.own_shape is not None:
        what = f"the shape of `{name}` is handwritten: {_BY_HAND} such outputs"
        problems.append(tensor.own_shape.problem(what, "remove `shape`: it follows from `compute`"))
    for fact in tensor.opdef:
        if fact.method.text == SHAPE_BY_KERNEL:
            what = f"the kernel decides the shape of `{name}`: {_BY_HAND} such outputs"
            problems.append(fact.method.problem(what, _hint("data-dependent shapes")))
    return problems


def _no_generated_element(tensor: TensorDraft) -> list[Problem]:
    name, problems = tensor.name.text, []
    other = next((word for word in tensor.formats or () if word.text in FORMATS and word.text != "ND"), None)
    if other is not None:
        what = f"`{name}` has the format {other.text}: {_BY_HAND} formats other than ND"
        problems.append(other.problem(what, _hint("formats")))
    for word in tensor.dtypes or ():
        if word.text in DTYPES and word.text not in KERNEL_DTYPES:
            what = f"`{name}` is {word.text}: {_BY_HAND} this dtype"
            problems.append(word.problem(what, f"compute supports {', '.join(KERNEL_DTYPES)}"))
    return problems


def check_generated_overrides(draft: OpDraft, problems: list[Problem]) -> None:
    """Refuse dtypes and formats in an override that a generated kernel cannot have."""
    for override in draft.overrides:
        for tensor in override.tensors:
            problems += _no_generated_element(tensor)


def _hint(what: str) -> str:
    return f"compute does not support {what}: remove `compute`, and write the kernel by hand"
