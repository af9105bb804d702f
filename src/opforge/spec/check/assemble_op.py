"""Makes one op of a spec from its draft, and checks its rules."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from opforge.dtypes import COMPUTE_DTYPES, DTYPES
from opforge.errors import Problem
from opforge.naming import snake
from opforge.spec.axes import LAST
from opforge.spec.check import names
from opforge.spec.check.argument_rules import (
    check_generated,
    check_generated_overrides,
    check_own_shapes,
    check_values,
    read_kinds,
)
from opforge.spec.check.attributes import read_attrs
from opforge.spec.check.batch_order import read_batch_invariant
from opforge.spec.check.broadcasting import read_plain_shapes
from opforge.spec.check.columns import read_tensors
from opforge.spec.check.drawn_values import read_drawn
from opforge.spec.check.named_backward import read_backward
from opforge.spec.check.opdef import read_opdef_calls
from opforge.spec.check.output_dtypes import check_results
from opforge.spec.check.overrides import read_overrides
from opforge.spec.check.product_dimensions import read_product_shapes
from opforge.spec.check.values import read_dims, read_truth
from opforge.spec.compute import Statements, parse_compute, parse_statements
from opforge.spec.derivatives import why_no_backward
from opforge.spec.dimensions import DOTS, print_dim
from opforge.spec.draft import OpDraft, TensorDraft
from opforge.spec.list_elements import check_lengths
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.op_sources import read_reference, read_sources
from opforge.spec.source import Passage, Token
from opforge.spec.tree import Compute
from opforge.spec.value_dims import Dims


def assemble_op(draft: OpDraft, problems: list[Problem]) -> OpSpec | None:
    """The op, or None if it cannot be read."""
    before = len(problems)
    by_hand = draft.compute is None and not draft.wrong
    statements = None if draft.compute is None else parse_statements(draft.compute)
    outputs = _outputs(draft, statements)
    _check_names(draft, problems, by_hand=by_hand)
    attrs = read_attrs(draft.attrs, problems, by_hand=by_hand)
    product = read_truth(draft.dtype_product, problems)
    reference = read_reference(draft.reference, problems)
    sources = read_sources(draft.sources, problems)
    if by_hand:
        check_own_shapes(draft, problems)
    inputs = draft.inputs or ()
    types = {a.name.text: a.type.text for a in draft.attrs if a.type is not None}
    kinds = read_kinds(inputs, outputs, types, problems)
    if not by_hand:
        check_generated(draft, problems)
        check_generated_overrides(draft, problems)
    optional = {t.name.text for t in inputs if t.optional is not None and t.optional.text != "false"}
    dtypes = {} if by_hand else _dtypes_of_inputs(draft, product=product)
    computed = _compute(draft, statements, outputs, dtypes, problems, optional=optional)
    named = [*(t.name for t in inputs), *(a.name for a in draft.attrs)]
    if draft.outputs is not None or computed is not None:
        named += [t.name for t in outputs]
    problems += names.check_distinct(named, None if by_hand else snake(draft.type.text))
    in_place = {t.name: t.inplace.text for t in outputs if t.inplace is not None}
    problems += names.check_written_names([name for name in named if name not in in_place], in_place.values())
    follows = _sources(outputs, computed)
    ins, outs = read_tensors(inputs, outputs, problems, product=product, sources=follows)
    if computed is not None:
        of_rows = computed.unsqueezed
        known = tuple(
            dataclasses.replace(t, optional=t.name in computed.optional, unsqueezed=t.name in of_rows) for t in kinds[0]
        )
        kinds = known, kinds[1]
        problems += check_results(draft, outputs, (*ins, *outs), computed.results)
        problems += check_lengths(computed, attrs, draft.attrs)
    if not draft.sources:
        check_values(inputs, ins, problems)
    _check_products(computed, (*inputs, *outputs), (*ins, *outs), problems)
    dims = _shapes(draft, outputs, kinds, computed, problems) if not draft.wrong else None
    overrides = read_overrides(
        draft.overrides, (inputs, outputs), (ins, outs), problems, product=product, sources=follows
    )
    calls = read_opdef_calls(draft.opdef, "op", problems)
    invariant = read_batch_invariant(draft, computed, problems)
    backward, gradient = read_backward(draft, problems)
    drawn, sizes = read_drawn(draft, ins, None if dims is None else dims[: len(inputs)], problems)
    if len(problems) > before or not ins or dims is None or draft.wrong:
        return None
    place = iter(dims)
    full = [
        dataclasses.replace(kind, dtypes=t.dtypes, dtypes_given=t.dtypes_given, formats=t.formats, dims=next(place))
        for kind, t in zip((*kinds[0], *kinds[1]), (*ins, *outs), strict=True)
    ]
    full[: len(ins)] = [dataclasses.replace(t, values=values) for t, values in zip(full, drawn, strict=False)]
    axis = computed.axes.attribute if computed is not None else ""
    op = OpSpec(
        type=draft.type.text,
        inputs=tuple(full[: len(ins)]),
        attrs=tuple(dataclasses.replace(attr, axis=attr.name == axis) for attr in attrs),
        outputs=tuple(full[len(ins) :]),
        compute=draft.compute.text if draft.compute is not None else "",
        doc=draft.doc,
        outputs_given=draft.outputs is not None,
        backward=backward,
        gradient=gradient,
        reference=reference,
        dtype_product=product,
        batch_invariant=invariant,
        overrides=overrides,
        sources=sources,
        sizes=sizes,
        opdef=calls,
        source=draft.compute,
        tree=computed,
    )
    return _with_backward(op, draft, outputs, problems)


def _with_backward(
    op: OpSpec, draft: OpDraft, outputs: Sequence[TensorDraft], problems: list[Problem]
) -> OpSpec | None:
    """The op, without backward if it cannot have one; ``backward: true`` is then an error."""
    why = why_no_backward(op)
    if why is not None:
        if draft.backward is not None and op.backward:
            problems.append(draft.backward.problem(f"`{op.type}` cannot have a backward: {why}", "remove `backward`"))
            return None
        return dataclasses.replace(op, backward=False)
    before = len(problems)
    if op.backward:
        inputs = (tensor.name for tensor in draft.inputs or ())
        problems += names.check_backward_names(inputs, (t.name for t in outputs), by_hand=op.handwritten)
    return op if len(problems) == before else None


def _check_names(draft: OpDraft, problems: list[Problem], *, by_hand: bool) -> None:
    problems += names.check_op_type(draft.type, by_hand=by_hand)
    name = draft.type.text
    if draft.inputs is not None and not draft.inputs:
        problems.append(
            draft.type.problem(f"op `{name}` has no inputs", "for example `inputs: {x: {dtype: [float32]}}`")
        )
    if draft.outputs is not None and not draft.outputs:
        problems.append(draft.type.problem(f"op `{name}` has no outputs", "for example `outputs: {y: {shape: [...]}}`"))
    elif draft.outputs is None and by_hand:
        hint = (
            "give `outputs`, for example `outputs: {y: {shape: [...]}}`, or `compute`, for example `compute: y = x * 2`"
        )
        problems.append(draft.type.problem(f"op `{name}` has neither `compute` nor `outputs`", hint))
    for tensor in draft.inputs or ():
        problems += names.check_variable(tensor.name, "input", by_hand=by_hand)
    for attr in draft.attrs:
        problems += names.check_variable(attr.name, "attribute", by_hand=by_hand)
    for tensor in draft.outputs or ():
        problems += names.check_variable(tensor.name, "output", by_hand=by_hand)


def _dtypes_of_inputs(draft: OpDraft, *, product: bool) -> dict[str, tuple[str, ...]]:
    """The inputs' declared dtypes, as far as they can be read; other code reports the mistakes."""
    read, _ = read_tensors(draft.inputs or (), (), [], product=product)
    found = {tensor.name: tensor.dtypes for tensor in read}
    for override in draft.overrides:
        for tensor in override.tensors:
            if tensor.name.text in found:
                own = (word.text for word in tensor.dtypes or () if word.text in DTYPES)
                found[tensor.name.text] = tuple(dict.fromkeys((*found[tensor.name.text], *own)))
    return found


def _sources(outputs: Sequence[TensorDraft], computed: Compute | None) -> dict[str, str]:
    """The dtypes of outputs that state none: a dtype, or the name of an input with the same dtype."""
    found = {t.name.text: t.inplace.text for t in outputs if t.inplace is not None}
    for name, result in (computed.results if computed is not None else {}).items():
        source = result.dtype or result.follows
        if source is not None:
            found.setdefault(name, source)
    return found


def _check_products(
    computed: Compute | None, drafts: Sequence[TensorDraft], tensors: Sequence[TensorSpec], problems: list[Problem]
) -> None:
    """Check the dtypes of products: one Matmul object computes them all, so each column has one dtype."""
    if computed is None or not computed.products:
        return
    for draft, tensor in zip(drafts, tensors, strict=False):
        words = draft.dtypes or (draft.name,)
        for place, (dtype, first) in enumerate(zip(tensor.dtypes, tensors[0].dtypes, strict=False)):
            at = words[min(place, len(words) - 1)]
            if dtype not in COMPUTE_DTYPES:
                what = f"`{tensor.name}` is {dtype}, but matrix products support only {', '.join(COMPUTE_DTYPES)}"
                problems.append(at.problem(what, "remove this dtype; only a handwritten kernel can have it"))
                break
            if dtype != first:
                what = f"`{tensor.name}` is {dtype}, but `{tensors[0].name}` is {first}: products cannot mix dtypes"
                hint = f"remove the dtypes of the others: they then use those of `{tensors[0].name}`"
                problems.append(at.problem(what, hint))
                break


def _shapes(
    draft: OpDraft,
    outputs: Sequence[TensorDraft],
    kinds: tuple[Sequence[TensorSpec], Sequence[TensorSpec]],
    computed: Compute | None,
    problems: list[Problem],
) -> list[tuple[str, ...]] | None:
    inputs = draft.inputs or ()
    if any(tensor.wrong for tensor in (*inputs, *outputs)) or (draft.compute is not None and computed is None):
        return None
    if computed is not None and draft.compute is not None and computed.products:
        return read_product_shapes(inputs, outputs, computed, draft.compute, problems)
    attrs = {a.name.text: a.type.text for a in draft.attrs if a.type is not None}
    results = computed.results.items() if computed is not None else ()
    made = {name: result.dims for name, result in results if result.dims is not None}
    read = read_plain_shapes(
        (inputs, outputs),
        kinds,
        attrs,
        problems,
        computed=computed is not None,
        own_sources=bool(draft.sources),
        results=made,
        axes=computed.axes if computed is not None else LAST,
        totals=computed is not None and computed.totals,
    )
    return None if read is None else [tuple(map(print_dim, dims)) for dims in read]


def _outputs(draft: OpDraft, statements: Statements | None) -> tuple[TensorDraft, ...]:
    if draft.outputs is not None:
        return draft.outputs
    if statements is None:
        return ()
    return tuple(TensorDraft(_found(statements.passage, name)) for name in statements.outputs)


def _found(compute: Passage, name: str) -> Token:
    """A derived output's name at its place in compute: the last line that assigns it."""
    for line in reversed(compute.lines):
        match = re.search(rf"\b{re.escape(name)}\b", line.text.partition("=")[0])
        if match and line.length is None:
            return line.part(match.start(), match.end())
    first = compute.lines[0]
    return Token(name, first.file, first.line, first.column, first.line_text)


def _declared(tensor: TensorDraft) -> Dims:
    """An input's dimensions, ``[...]`` where it declares none; other code reports dimensions that cannot be read."""
    dims = None if tensor.dims is None else read_dims(tensor.dims, [], output=False)
    number = tensor.scalar is not None and tensor.scalar.text == "true"
    return dims if dims is not None else () if number else (DOTS,)


def _compute(
    draft: OpDraft,
    statements: Statements | None,
    outputs: Sequence[TensorDraft],
    dtypes: Mapping[str, tuple[str, ...]],
    problems: list[Problem],
    *,
    optional: set[str],
) -> Compute | None:
    """The expression as far as it can be read; also reports unknown inputs and missing outputs."""
    if statements is None:
        return None
    attrs = {a.name.text: a.type.text if a.type else "float" for a in draft.attrs}
    inputs = {t.name.text: t for t in draft.inputs or ()}
    known = {name: dtypes.get(name, ()) for name in inputs}
    declared = tuple(t.name.text for t in outputs) if draft.outputs is not None else None
    may_miss = None if draft.by_use else frozenset(optional)
    dims = {name: _declared(tensor) for name, tensor in inputs.items()}
    result = parse_compute(statements, known, attrs, declared, optional=may_miss, dims=dims)
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
            named = (name for name, assignment in made.items() if not assignment.title)
            problems.append(tensor.name.problem(what, f"it assigns {', '.join(named)}"))
    first = (draft.inputs or (None,))[0]
    for tensor in inputs.values():
        name, at = tensor.name.text, tensor.optional or tensor.name
        if name not in result.reads and not names.check_variable(tensor.name, "input"):
            problems.append(tensor.name.problem(f"compute does not use the input `{name}`", "remove the input"))
        elif name in result.optional and tensor is first:
            what = f"`{name}` is the first input and cannot be optional: its dtype selects the kernel"
            problems.append(at.problem(what, "declare it after a required input"))
    return result
