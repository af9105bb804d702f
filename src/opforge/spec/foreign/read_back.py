"""Makes the ``OpSpec`` of a handwritten op from the definition that op_build read back from its OpDef.

The definition is op_build's ``signature.json``: the C++ of op_host was run, not parsed. The spec is checked by the same
rules as every spec.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

from opforge.dtypes import DTYPES
from opforge.errors import SpecError
from opforge.frozen import dataclass
from opforge.spec.check.assemble_op import assemble_op
from opforge.spec.draft import AttrDraft, ItemDraft, OpDefCallDraft, OpDraft, OverrideDraft, TensorDraft
from opforge.spec.model import SHAPE_BY_KERNEL, VERSION, OpSpec
from opforge.spec.source import Passage, Token

Dims: TypeAlias = tuple[str, ...]
Default: TypeAlias = int | float | bool | str | tuple[int | float | bool, ...]

SCHEMA = 1
_WORD = re.compile(r'(?<!include )"([A-Za-z][A-Za-z0-9_-]{0,15})"')
_MOST_WORDS = 8
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "bf16": "bfloat16",
}  # op_build's spellings that differ from the spec's


@dataclass(frozen=True)
class Param:
    """``Input(name)`` or ``Output(name)``, without its columns."""

    name: str
    kind: str  # required, optional, dynamic
    scalar: bool
    scalar_list: bool
    value_depend: str | None
    strided: bool
    shaped: bool = False  # an output whose shape the kernel decides
    version: int = 0  # of the first aclnn function that takes it


@dataclass(frozen=True)
class Attr:
    """``Attr(name)``; ``default`` is None for a required one. ``type`` is the spec's, or ``none``."""

    name: str
    type: str
    default: Default | None
    version: int = 0  # of the first aclnn function that takes it


@dataclass(frozen=True)
class Columns:
    """The dtypes and formats of one tensor on one SoC, column by column."""

    dtypes: tuple[str, ...]
    formats: tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """A whole OpDef. ``file`` is the stem of its kernel; ``socs`` has the columns of inputs and then outputs."""

    op_type: str
    file: str
    inputs: tuple[Param, ...]
    attrs: tuple[Attr, ...]
    outputs: tuple[Param, ...]
    socs: Mapping[str, tuple[Columns, ...]]
    infers_shape: bool
    tiles: bool
    texts: tuple[str, ...] = ()  # short strings in op_host, some of which are values of attributes
    changed: str | None = None  # the input that stands for the output, where there is none


@dataclass(frozen=True)
class Known:
    """Further properties of an op, beside its definition: files, dimensions by tensor, reference."""

    sources: tuple[str, ...] = ()
    dims: Mapping[str, Dims] = field(default_factory=dict)
    reference: str | None = None
    compute: Passage | None = None  # None for a handwritten kernel
    counts: Mapping[str, str] = field(default_factory=dict)  # what gives an output's list its length, by output


def read_definitions(text: str) -> tuple[Definition, ...]:
    """The definitions of ``signature.json``. Raises ValueError for other text or another schema."""
    document = json.loads(text)
    if document.get("schema") != SCHEMA:
        raise ValueError(f"it has schema {document.get('schema')}, but this opforge reads {SCHEMA}")
    return tuple(_definition(op) for op in document["ops"])


def op_of(definition: Definition, known: Known, socs: Sequence[str]) -> OpSpec:
    """The spec of an op with this definition, for ``socs``, a subset of the definition's.

    Raises:
        SpecError: a spec cannot say it.
    """
    what = f"OpDef {definition.op_type}"
    problems = [
        _word(attr.name, what).problem(
            f"aclnn does not support the type of the attribute `{attr.name}`",
            "for example `.Int()`; op_build does not support lists of lists",
        )
        for attr in definition.attrs
        if attr.type == "none"
    ]
    if not definition.inputs:
        problems.append(_word(definition.op_type, what).problem("the definition has no inputs"))
    if problems:
        raise SpecError(problems)
    op = assemble_op(_draft(definition, known, socs), problems)
    if problems or op is None:
        raise SpecError(problems)
    return op


def values_of_texts(definition: Definition, sources: Sequence[str]) -> tuple[str, ...]:
    """The words in quotes in an op's op_host that its string attributes may have as values, such as "mean"."""
    if not any(attr.type == "str" for attr in definition.attrs):
        return ()
    tensors = (param.name for param in (*definition.inputs, *definition.outputs))
    others = {definition.op_type, *definition.socs, *tensors, *(attr.name for attr in definition.attrs)}
    found = dict.fromkeys(word for source in sources for word in _WORD.findall(source))
    return tuple(word for word in found if word not in others)[:_MOST_WORDS]


def without_strange_dtypes(definition: Definition) -> tuple[Definition, str | None]:
    """The definition without combinations of dtypes that torch lacks, and a note on them.

    If nothing would be left for a SoC, its combinations stay, and the op is refused with the dtype's name.
    """
    strange: dict[str, None] = {}
    socs = {}
    for soc, columns in definition.socs.items():
        rows = list(zip(*(zip(each.dtypes, each.formats, strict=True) for each in columns), strict=True))
        kept = [row for row in rows if all(name not in DTYPES or DTYPES[name].torch for name, _ in row)]
        if not kept or len(kept) == len(rows):
            socs[soc] = columns
            continue
        strange |= dict.fromkeys(name for row in rows for name, _ in row if name in DTYPES and not DTYPES[name].torch)
        socs[soc] = tuple(Columns(*map(tuple, zip(*side, strict=True))) for side in zip(*kept, strict=True))
    if not strange:
        return definition, None
    what = f"{definition.op_type} is adopted without its combinations with {', '.join(strange)}"
    return replace(definition, socs=socs), f"{what}, which torch does not have"


def output_names(definition: Definition) -> tuple[str, ...]:
    """The outputs' names in a spec: an output written to an input gets a name of its own."""
    inputs = {param.name for param in definition.inputs}
    taken = inputs | {param.name for param in definition.outputs} | {attr.name for attr in definition.attrs}
    names = []
    for param in definition.outputs:
        name = param.name
        if name in inputs:
            name = next(n for n in (f"{name}_out", f"{name}_out_of_{name}", f"{name}_written") if n not in taken)
            taken.add(name)
        names.append(name)
    return tuple(names)


def _definition(op: Mapping[str, object]) -> Definition:
    document = json.loads(json.dumps(op))
    changed = _assume_output(document)
    arguments = document["aclnn"]
    inputs = [_param(p, arguments[place]["type"]) for place, p in enumerate(document["inputs"])]
    return Definition(
        op_type=document["op_type"],
        file=document["file"],
        inputs=tuple(inputs),
        attrs=tuple(_attr(attr) for attr in document["attrs"]),
        outputs=tuple(_param(p, "") for p in document["outputs"]),
        socs={
            soc: _distinct(
                [
                    Columns(tuple(_DTYPES.get(name, name) for name in column["dtype"]), tuple(column["format"]))
                    for column in (*sides["inputs"], *sides["outputs"])
                ]
            )
            for soc, sides in document["socs"].items()
        },
        infers_shape=document["infer_shape"],
        tiles=document["tiling"],
        changed=changed,
    )


def _assume_output(document: dict[str, Any]) -> str | None:
    """Gives an op without outputs one: its first tensor, which the kernel changes. Returns its name, if so."""
    if document["outputs"] or not document["inputs"]:
        return None
    document["outputs"].append(document["inputs"][0])
    for sides in document["socs"].values():
        sides["outputs"].append(sides["inputs"][0])
    return str(document["inputs"][0]["name"])


def _distinct(tensors: Sequence[Columns]) -> tuple[Columns, ...]:
    """The columns without duplicate combinations, which some definitions have."""
    kinds = zip(*(zip(tensor.dtypes, tensor.formats, strict=True) for tensor in tensors), strict=True)
    rows = list(dict.fromkeys(kinds))
    return tuple(
        Columns(tuple(row[place][0] for row in rows), tuple(row[place][1] for row in rows))
        for place in range(len(tensors))
    )


def _param(param: Mapping[str, object], argument: str) -> Param:
    value_depend = param["value_depend"]
    return Param(
        name=str(param["name"]),
        kind=str(param["param_type"]),
        scalar=bool(param["scalar"]),
        scalar_list="ScalarList" in argument,
        value_depend=None if value_depend is None else str(value_depend),
        strided=bool(param["ignore_contiguous"]),
        version=int(str(param["version"])),
        shaped=bool(param.get("shape_by_kernel", False)),
    )


def _attr(attr: Mapping[str, object]) -> Attr:
    default, version = attr["default"], int(str(attr["version"]))
    if attr["required"]:
        return Attr(str(attr["name"]), str(attr["type"]), None)
    if isinstance(default, list):
        return Attr(str(attr["name"]), str(attr["type"]), tuple(default), version)
    if not isinstance(default, (int, float, str)):
        return Attr(str(attr["name"]), "none", None)
    return Attr(str(attr["name"]), str(attr["type"]), default, version)


def _draft(definition: Definition, known: Known, socs: Sequence[str]) -> OpDraft:
    what = f"OpDef {definition.op_type}"
    params = (*definition.inputs, *definition.outputs)
    names = (*(param.name for param in definition.inputs), *output_names(definition))
    base = definition.socs[socs[0]]
    written = {param.name for param in definition.inputs}
    drafts = [
        _tensor(
            param,
            name,
            columns,
            known.dims.get(name),
            what,
            inplace=place >= len(definition.inputs) and param.name in written,
        )
        for place, (param, name, columns) in enumerate(zip(params, names, base, strict=True))
    ]
    overrides = []
    for soc in socs[1:]:
        own = definition.socs[soc]
        if own != base:
            tensors = tuple(
                TensorDraft(
                    draft.name,
                    dtypes=tuple(_word(name, what) for name in columns.dtypes),
                    formats=_formats(columns, what),
                )
                for draft, columns in zip(drafts, own, strict=True)
                if draft.inplace is None
            )
            overrides.append(OverrideDraft(_word(soc, what), tensors))
    return OpDraft(
        type=_word(definition.op_type, what),
        inputs=tuple(drafts[: len(definition.inputs)]),
        attrs=tuple(_attr_draft(attr, what) for attr in definition.attrs),
        outputs=tuple(
            replace(draft, dynamic=_word(known.counts[draft.name.text], what))
            if draft.name.text in known.counts
            else draft
            for draft in drafts[len(definition.inputs) :]
        ),
        compute=known.compute,
        reference=None if known.reference is None else _word(known.reference, "reference"),
        overrides=tuple(overrides),
        sources=tuple(_word(source, "sources") for source in known.sources) or None,
    )


def _tensor(param: Param, name: str, columns: Columns, dims: Dims | None, what: str, *, inplace: bool) -> TensorDraft:
    if inplace:
        return TensorDraft(_word(name, what), inplace=_word(param.name, what))
    true = _word("true", what)
    return TensorDraft(
        _word(name, what),
        dtypes=tuple(_word(dtype, what) for dtype in columns.dtypes),
        dims=None if dims is None or param.scalar or param.value_depend else tuple(_word(dim, what) for dim in dims),
        optional=true if param.kind == "optional" else None,
        formats=_formats(columns, what),
        dynamic=true if param.kind == "dynamic" or param.scalar_list else None,
        scalar=true if param.scalar else None,
        value_depend=_word(param.value_depend, what) if param.value_depend else None,
        contiguous=_word("ignore", what) if param.strided else None,
        opdef=_call(SHAPE_BY_KERNEL, "", what) if param.shaped else _version(param, what),
    )


def _call(method: str, argument: str, what: str) -> tuple[OpDefCallDraft, ...]:
    return (OpDefCallDraft(_word(method, what), (_word(argument, what),)),)


def _version(of: Param | Attr, what: str) -> tuple[OpDefCallDraft, ...]:
    return _call(VERSION, str(of.version), what) if of.version else ()


def _formats(columns: Columns, what: str) -> tuple[Token, ...] | None:
    return None if set(columns.formats) <= {"ND"} else tuple(_word(name, what) for name in columns.formats)


def _attr_draft(attr: Attr, what: str) -> AttrDraft:
    name, type_ = _word(attr.name, what), _word(attr.type, what)
    if attr.default is None:
        return AttrDraft(name, type_)
    if isinstance(attr.default, tuple):
        items = tuple(ItemDraft(_word(_text(item), what), quoted=False) for item in attr.default)
        return AttrDraft(name, type_, _word("[...]", what), items=items, opdef=_version(attr, what))
    quoted = isinstance(attr.default, str)
    return AttrDraft(name, type_, _word(_text(attr.default), what), quoted=quoted, opdef=_version(attr, what))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _word(text: str, what: str) -> Token:
    """A word of a definition. No file contains it, so messages show the line ``what``."""
    return Token(text, None, 1, 1, what)
