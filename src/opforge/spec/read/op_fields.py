"""Reads the fields of an op from the tree of a file into a draft."""

from __future__ import annotations

from dataclasses import replace

from opforge.errors import Problem
from opforge.spec.draft import (
    AttrDraft,
    ItemDraft,
    OpDefCallDraft,
    OpDraft,
    OverrideDraft,
    SizeDraft,
    TensorDraft,
    ValuesDraft,
)
from opforge.spec.read.document import Mapping, Scalar, Sequence, Tree, quoted
from opforge.spec.read.fields import Fields, mapping_of, scalar_of, shape_of
from opforge.spec.source import Passage, Token

OP_FIELDS = (
    "doc",
    "inputs",
    "attrs",
    "outputs",
    "compute",
    "reference",
    "backward",
    "dtype_product",
    "batch_invariant",
    "overrides",
    "sources",
    "sizes",
    "opdef",
)
_BOTH = ("shape", "dtype", "format", "optional", "dynamic", "contiguous", "opdef")
TENSOR_FIELDS = {"input": (*_BOTH, "value_depend", "scalar", "values"), "output": (*_BOTH, "inplace")}
ATTR_FIELDS = ("type", "default", "opdef")
OVERRIDE_FIELDS = ("dtype", "format")
VALUES_FIELDS = ("min", "below", "unique", "sorted")
SIZE_FIELDS = ("min", "max", "multiple_of")


def read_op(name: Token, tree: Tree, problems: list[Problem]) -> OpDraft:
    """The op under this name."""
    what = f"op `{name.text}`"
    mapping = mapping_of(tree, what, problems)
    fields = Fields(mapping, what, OP_FIELDS, problems=problems, at=name)
    inputs = fields.mapping("inputs", required=True)
    attrs = fields.mapping("attrs")
    outputs = fields.mapping("outputs")
    doc = fields.scalar("doc")
    before = len(problems)
    compute = _compute(fields, problems)
    compute_wrong = mapping is None or len(problems) > before or fields.misspelled("compute")
    return OpDraft(
        type=name,
        inputs=None if inputs is None else tuple(_tensor(n, t, problems, "input") for n, t in inputs.entries),
        attrs=tuple(_attr(n, t, problems) for n, t in (attrs.entries if attrs else ())),
        outputs=None if outputs is None else tuple(_tensor(n, t, problems, "output") for n, t in outputs.entries),
        compute=compute,
        doc=_tidy_doc(doc.text) if doc is not None else None,
        backward=fields.word("backward"),
        wrong=compute_wrong,
        reference=fields.word("reference"),
        dtype_product=fields.word("dtype_product"),
        batch_invariant=fields.word("batch_invariant"),
        overrides=tuple(_override(n, t, problems) for n, t in _entries(fields.mapping("overrides"))),
        sources=fields.words("sources"),
        sizes=tuple(_size(n, t, problems) for n, t in _entries(fields.mapping("sizes"))),
        opdef=_facts(fields.mapping("opdef"), problems),
    )


def _entries(mapping: Mapping | None) -> tuple[tuple[Token, Tree], ...]:
    return mapping.entries if mapping is not None else ()


def _tidy_doc(text: str) -> str | None:
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) or None


def _tensor(name: Token, tree: Tree, problems: list[Problem], kind: str) -> TensorDraft:
    if isinstance(tree, Scalar) and tree.empty:
        return TensorDraft(name)
    what, before = f"{kind} `{name.text}`", len(problems)
    known = TENSOR_FIELDS[kind]
    fields = Fields(mapping_of(tree, what, problems), what, known, problems=problems, at=name)
    dtypes = fields.words("dtype")
    dims, own_shape = shape_of(fields.tree("shape"), problems)
    draft = TensorDraft(
        name,
        dtypes=dtypes,
        dims=dims,
        own_shape=own_shape,
        optional=fields.word("optional"),
        formats=fields.words("format"),
        dynamic=fields.word("dynamic"),
        scalar=fields.word("scalar") if kind == "input" else None,
        value_depend=fields.word("value_depend") if kind == "input" else None,
        contiguous=fields.word("contiguous"),
        inplace=fields.word("inplace") if kind == "output" else None,
        opdef=_facts(fields.mapping("opdef"), problems),
    )
    wrong = len(problems) > before
    drawn = fields.tree("values") if kind == "input" else None
    values = None if drawn is None else read_values(name, drawn, problems)
    if wrong:
        return TensorDraft(name, draft.dtypes, draft.dims, draft.optional, wrong=True, inplace=draft.inplace)
    return replace(draft, values=values)


def read_values(name: Token, tree: Tree, problems: list[Problem]) -> ValuesDraft:
    """The values that tests draw for the input ``name``."""
    what = f"values of `{name.text}`"
    read = Fields(mapping_of(tree, what, problems), what, VALUES_FIELDS, problems=problems)
    return ValuesDraft(read.word("min"), read.word("below"), read.word("unique"), read.word("sorted"))


def _size(symbol: Token, tree: Tree, problems: list[Problem]) -> SizeDraft:
    what = f"the size `{symbol.text}`"
    fields = Fields(mapping_of(tree, what, problems), what, SIZE_FIELDS, problems=problems, at=symbol)
    return SizeDraft(symbol, fields.word("min"), fields.word("max"), fields.word("multiple_of"))


def _attr(name: Token, tree: Tree, problems: list[Problem]) -> AttrDraft:
    what = f"attribute `{name.text}`"
    fields = Fields(mapping_of(tree, what, problems), what, ATTR_FIELDS, problems=problems, at=name)
    type_ = fields.word("type", required=True)
    default = fields.tree("default")
    calls = _facts(fields.mapping("opdef"), problems)
    if default is None:
        return AttrDraft(name, type_, opdef=calls)
    if isinstance(default, Scalar):
        return AttrDraft(name, type_, default.at, quoted=default.style is not None, opdef=calls)
    if isinstance(default, Mapping):
        problems.append(
            default.at.problem("a default must be a value or a list of values", "for example `1.0` or `[1, 2]`")
        )
        return AttrDraft(name, type_)
    items = tuple(_item(item, problems) for item in default.items)
    return AttrDraft(name, type_, default.at, items=tuple(item for item in items if item is not None), opdef=calls)


def _item(tree: Tree, problems: list[Problem]) -> ItemDraft | None:
    if isinstance(tree, Scalar):
        return ItemDraft(tree.at, quoted=tree.style is not None)
    what, hint = "nested lists are not supported: op_build refuses them", "use one list and a fixed row length"
    problems.append(tree.at.problem(what, hint))
    return None


def _override(soc: Token, tree: Tree, problems: list[Problem]) -> OverrideDraft:
    mapping = mapping_of(tree, f"the override of `{soc.text}`", problems)
    tensors = []
    for name, body in _entries(mapping):
        what, before = f"`{name.text}` of `{soc.text}`", len(problems)
        fields = Fields(mapping_of(body, what, problems), what, OVERRIDE_FIELDS, problems=problems, at=name)
        dtypes, formats = fields.words("dtype"), fields.words("format")
        if len(problems) == before and dtypes is None and formats is None:
            problems.append(name.problem(f"{what} is empty", "an override needs `dtype` or `format`"))
        tensors.append(TensorDraft(name, dtypes, wrong=len(problems) > before, formats=formats))
    if mapping is not None and not tensors:
        hint = f"for example `{soc.text}: {{x: {{dtype: [float16]}}}}`"
        problems.append(soc.problem(f"the override of `{soc.text}` is empty", hint))
    return OverrideDraft(soc, tuple(tensors))


def _facts(mapping: Mapping | None, problems: list[Problem]) -> tuple[OpDefCallDraft, ...]:
    calls = []
    for method, tree in _entries(mapping):
        what = f"`{method.text}`"
        if isinstance(tree, Sequence):
            words = tuple(scalar_of(item, f"an argument of {what}", problems) for item in tree.items)
            if not words:
                problems.append(tree.at.problem(f"the list of {what} is empty", "each entry is one call"))
        else:
            words = (scalar_of(tree, what, problems),)
        calls.append(OpDefCallDraft(method, tuple(word for word in words if word is not None)))
    return tuple(calls)


def _compute(fields: Fields, problems: list[Problem]) -> Passage | None:
    scalar = fields.scalar("compute")
    if scalar is None:
        return None
    if scalar.style == ">":
        problems.append(scalar.at.problem("`>` joins the lines of compute", "write `|`, with one assignment per line"))
        return None
    if scalar.style is None:
        if scalar.comment.startswith("#"):
            whole = f"{scalar.text} {scalar.comment}"
            hint = f"quote it: compute: {quoted(whole)}, or put the comment on a separate line"
            problems.append(scalar.at.problem("YAML ends an unquoted compute at ` #`", hint))
            return None
        if scalar.at.length is not None:
            problems.append(scalar.at.problem("YAML joins the lines of an unquoted compute", "write `compute: |`"))
            return None
        if scalar.in_flow:
            hint = "quote it, or put compute on a separate line"
            problems.append(scalar.at.problem("inside braces, YAML ends an unquoted compute at a comma", hint))
            return None
    return scalar.passage.tidied()
