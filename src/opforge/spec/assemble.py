"""Draft to spec: every rule between the words is checked here, whichever way they came in."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from opforge.errors import Problem
from opforge.naming import snake
from opforge.soc import SUPPORTED
from opforge.spec import names
from opforge.spec.columns import read_tensors
from opforge.spec.compute import output_names, parse_compute
from opforge.spec.draft import AttrDraft, OpDraft, ProjectDraft, TensorDraft
from opforge.spec.model import AttrSpec, AttrValue, OpSpec, ProjectSpec
from opforge.spec.shapes import read_shapes
from opforge.spec.source import Passage, Token
from opforge.spec.tree import Compute
from opforge.spec.values import read_attr_type, read_attr_value, read_socs


def assemble_project(draft: ProjectDraft, problems: list[Problem]) -> ProjectSpec | None:
    """The project block, or None where it has no usable name."""
    if draft.name is None:
        return None
    problems += names.check_project(draft.name)
    for word, check in (
        (draft.package, names.check_package),
        (draft.vendor, names.check_vendor),
        (draft.version, names.check_version),
        (draft.license, names.check_license),
    ):
        if word is not None:
            problems += check(word)
    package = draft.package.text if draft.package else draft.name.text
    if draft.package is None:
        problems += names.check_package(draft.name)
    return ProjectSpec(
        name=draft.name.text,
        package=package,
        vendor=draft.vendor.text if draft.vendor else package,
        version=draft.version.text if draft.version else "0.1.0",
        soc=read_socs(draft.soc, problems) if draft.soc is not None else SUPPORTED,
        license=draft.license.text if draft.license else None,
    )


def assemble_ops(drafts: Sequence[OpDraft], problems: list[Problem]) -> tuple[OpSpec, ...]:
    """The ops, those that could be read."""
    problems += names.check_op_types_distinct(draft.type for draft in drafts)
    made = [assemble_op(draft, problems) for draft in drafts]
    ops = tuple(op for op in made if op is not None)
    derived = {snake(f"{op.type}Grad"): op.type for op in ops if op.backward}
    for draft in drafts:
        owner = derived.get(snake(draft.type.text))
        if owner is not None:
            what = f"`{draft.type.text}` is kept for the backward of `{owner}`"
            hint = f"rename it, or switch that backward off: `backward: false` in `{owner}`"
            problems.append(draft.type.problem(what, hint))
    return ops


def assemble_op(draft: OpDraft, problems: list[Problem]) -> OpSpec | None:
    """One op, or None where it cannot be read."""
    before = len(problems)
    problems += names.check_op_type(draft.type)
    if draft.inputs is not None and not draft.inputs:
        problems.append(
            draft.type.problem(f"op `{draft.type.text}` has no inputs", "as `inputs: {x: {dtype: [float32]}}`")
        )
    inputs = draft.inputs or ()
    for tensor in inputs:
        problems += names.check_variable(tensor.name, "input")
    for attr in draft.attrs:
        problems += names.check_variable(attr.name, "attribute")
    if draft.outputs is not None:
        for tensor in draft.outputs:
            problems += names.check_variable(tensor.name, "output")
    attrs = [_attr(attr, problems) for attr in draft.attrs]
    _attr_order(draft.attrs, problems)
    outputs = _outputs(draft)
    ins, outs = read_tensors(inputs, outputs, problems)
    optional = {t.name.text for t in inputs if t.optional and _truth(t.optional, problems) is not False}
    computed = None if draft.compute is None else _compute(draft, draft.compute, outputs, optional, problems)
    dims = iter(read_shapes(inputs, outputs, computed, draft.compute, problems))
    named = [*(t.name for t in inputs), *(a.name for a in draft.attrs)]
    if draft.outputs is not None or computed is not None:
        named += [t.name for t in outputs]
    problems += names.check_distinct(named, snake(draft.type.text))
    backward = _truth(draft.backward, problems) is True
    if backward:
        problems += names.check_backward_names((t.name for t in inputs), (t.name for t in outputs))
    if len(problems) > before or draft.compute is None or computed is None:
        return None
    return OpSpec(
        type=draft.type.text,
        inputs=tuple(dataclasses.replace(t, dims=next(dims), optional=t.name in computed.optional) for t in ins),
        attrs=tuple(attr for attr in attrs if attr is not None),
        outputs=tuple(dataclasses.replace(t, dims=next(dims)) for t in outs),
        compute=draft.compute.text,
        doc=draft.doc,
        outputs_given=draft.outputs is not None,
        backward=backward,
        source=draft.compute,
    )


def _truth(word: Token | None, problems: list[Problem]) -> bool | None:
    """What was said, or True where nothing was; None for what is no truth value, which is reported."""
    value = True if word is None else read_attr_value(word, "bool", problems)
    return value if isinstance(value, bool) else None


def _attr(draft: AttrDraft, problems: list[Problem]) -> AttrSpec | None:
    type_ = read_attr_type(draft.type, problems) if draft.type is not None else None
    if type_ is None:
        return None
    default: AttrValue | None = None
    if draft.default is not None:
        default = read_attr_value(draft.default, type_, problems, quoted=draft.quoted)
    return AttrSpec(draft.name.text, type_, default)


def _attr_order(attrs: Sequence[AttrDraft], problems: list[Problem]) -> None:
    """Attributes are positional arguments in declaration order, and Python wants those with a default last."""
    optional: Token | None = None
    for attr in attrs:
        if attr.default is not None:
            optional = optional or attr.name
        elif optional is not None:
            what = f"attribute `{attr.name.text}` has no default, but stands after `{optional.text}`, which has one"
            problems.append(attr.name.problem(what, "attributes without a default stand first"))


def _outputs(draft: OpDraft) -> tuple[TensorDraft, ...]:
    if draft.outputs is not None:
        return draft.outputs
    if draft.compute is None:
        return ()
    return tuple(TensorDraft(_found(draft.compute, name)) for name in output_names(draft.compute.text))


def _found(compute: Passage, name: str) -> Token:
    """A derived output's name at its place in compute: the last line that has it before a ``=``."""
    for line in reversed(compute.lines):
        match = re.search(rf"\b{re.escape(name)}\b", line.text.partition("=")[0])
        if match and line.length is None:
            return line.part(match.start(), match.end())
    first = compute.lines[0]
    return Token(name, first.file, first.line, first.column, first.line_text)


def _compute(
    draft: OpDraft,
    compute: Passage,
    outputs: Sequence[TensorDraft],
    optional: set[str],
    problems: list[Problem],
) -> Compute | None:
    """What could be read of compute; problems with what it uses and gives are reported beside its own."""
    attrs = {a.name.text: a.type.text if a.type else "float" for a in draft.attrs}
    inputs = {t.name.text: t for t in draft.inputs or ()}
    declared = tuple(t.name.text for t in outputs) if draft.outputs is not None else None
    may_miss = None if draft.by_use else frozenset(optional)
    result = parse_compute(compute, inputs, attrs, declared, optional=may_miss)
    problems += result.problems
    if result.problems:
        return None
    if draft.outputs is None:
        for tensor in outputs:
            problems += names.check_variable(tensor.name, "output")
    made = {a.name: a for a in result.assignments}
    for tensor in outputs:
        if tensor.name.text not in made:
            what = f"compute does not assign the output `{tensor.name.text}`"
            problems.append(tensor.name.problem(what, f"it assigns {', '.join(made)}"))
    first = (draft.inputs or (None,))[0]
    for tensor in inputs.values():
        name, at = tensor.name.text, tensor.optional or tensor.name
        if name not in result.reads and not names.check_variable(tensor.name, "input"):
            problems.append(tensor.name.problem(f"compute does not use the input `{name}`"))
        elif name in result.optional and not result.products:
            what = f"`{name}` is optional, and only ops with matrix products have optional inputs so far"
            problems.append(at.problem(what, "make it required, or write two ops, with it and without"))
        elif name in result.optional and tensor is first:
            what = f"`{name}` is optional, and the first input cannot be: its dtype is the call's"
            problems.append(at.problem(what, "declare it behind a required input"))
    return result
