"""The signature of an operator as its OpDef declares it, to an ``OpSpec`` and back.

What counts is what a caller and the framework see: names, kinds, combinations of dtypes and formats, attributes. A spec
made from a signature is one of an op written by hand, and has gone through the rules that every spec goes through.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from opforge.dtypes import DTYPES
from opforge.errors import Problem, SpecError
from opforge.spec.check.assemble_op import assemble_op
from opforge.spec.combinations import combinations
from opforge.spec.draft import AttrDraft, ItemDraft, OpDefCallDraft, OpDraft, TensorDraft
from opforge.spec.model import AttrSpec, AttrType, AttrValue, OpDefCalls, OpSpec, TensorSpec
from opforge.spec.source import Token

from .foreign_values import UNKNOWN, ForeignValue, read_default

_TYPES: dict[str, AttrType] = {
    "Int": "int",
    "Float": "float",
    "Bool": "bool",
    "String": "str",
    "ListInt": "list_int",
    "ListFloat": "list_float",
    "ListBool": "list_bool",
}
_BY_GE = {dtype.ge: dtype.name for dtype in DTYPES.values()}
_KINDS = ("REQUIRED", "OPTIONAL", "DYNAMIC")
_MOST = 20_000


@dataclass(frozen=True)
class ForeignTensor:
    """``Input(name)`` or ``Output(name)`` of an OpDef. ``dtypes`` are enumerators without ``DT_``, formats likewise.

    Empty dtypes are not known. ``crossed``: DataTypeList, every entry with every combination of the others.
    """

    name: str
    kind: str
    dtypes: tuple[str, ...]
    formats: tuple[str, ...] = ()
    crossed: bool = False
    scalar: bool = False
    value_depend: str | None = None
    strided: bool = False
    calls: OpDefCalls = ()


@dataclass(frozen=True)
class ForeignAttr:
    """``Attr(name)`` of an OpDef. ``default`` is C++ text, empty where there is none."""

    name: str
    type: str
    required: bool
    default: str = ""


@dataclass(frozen=True)
class Signature:
    """A whole OpDef. ``aicpu``: of an op of the AI CPU, where lists of different lengths are each a choice.

    ``sources`` are its files below op_host and op_kernel, where they are known.
    """

    op_type: str
    inputs: tuple[ForeignTensor, ...]
    outputs: tuple[ForeignTensor, ...]
    attrs: tuple[ForeignAttr, ...] = ()
    aicpu: bool = False
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Argument:
    """What a signature says of one tensor beside its dtypes and formats."""

    name: str
    kind: str
    scalar: bool
    value_depend: str | None
    strided: bool
    calls: OpDefCalls


@dataclass(frozen=True)
class Meaning:
    """What two signatures are compared by. ``rows`` has dtypes and formats of all tensors that have known ones."""

    op_type: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    rows: frozenset[tuple[str, ...]]
    attrs: tuple[tuple[str, str, bool, ForeignValue], ...]


def spec_of(signature: Signature) -> OpSpec:
    """The spec of an op with this signature.

    Raises:
        SpecError: a spec cannot say it; the problems point into the words of the signature.
    """
    problems: list[Problem] = []
    tensors = (*signature.inputs, *signature.outputs)
    if not signature.inputs:
        problems.append(_word(signature.op_type).problem("the definition has no inputs"))
    elif not signature.outputs:
        problems.append(_word(signature.op_type).problem("the definition has no outputs"))
    problems += [_word(t.name).problem(f"`{t.name}` is {t.kind}") for t in tensors if t.kind not in _KINDS]
    if problems:
        raise SpecError(problems)
    draft = _draft(signature, problems)
    op = assemble_op(draft, problems)
    if problems or op is None:
        raise SpecError(problems)
    return op


def meaning_of(signature: Signature) -> Meaning:
    """What a signature says, apart from how it says it."""
    tensors = (*signature.inputs, *signature.outputs)
    rows, _ = _rows(signature)
    known = [place for place, tensor in enumerate(tensors) if tensor.dtypes]
    kept = frozenset(tuple(part for place in known for part in row[place]) for row in rows)
    return Meaning(
        signature.op_type,
        tuple(map(_argument, signature.inputs)),
        tuple(map(_argument, signature.outputs)),
        kept,
        tuple((a.name, _TYPES[a.type], a.required, _default(a)) for a in signature.attrs),
    )


def meaning_of_spec(op: OpSpec, signature: Signature) -> Meaning:
    """What a spec says, of what the signature says at all."""
    tensors = (*op.inputs, *op.outputs)
    known = [place for place, t in enumerate((*signature.inputs, *signature.outputs)) if t.dtypes]
    ge = {dtype.name: dtype.ge.removeprefix("DT_") for dtype in DTYPES.values()}
    rows = set()
    for number, row in enumerate(
        combinations(op) if op.dtype_product else zip(*(t.dtypes for t in tensors), strict=True)
    ):
        layouts = [t.formats or ("ND",) for t in tensors]
        formats = [layout[number] if len(layout) > 1 else layout[0] for layout in layouts]
        rows.add(tuple(part for place in known for part in (ge[row[place]], formats[place])))
    attrs = []
    for attr, theirs in zip(op.attrs, signature.attrs, strict=True):
        unknown = not theirs.required and _default(theirs) is UNKNOWN
        attrs.append((attr.name, attr.type, attr.required, UNKNOWN if unknown else _value(attr)))
    return Meaning(
        op.type,
        tuple(map(_argument_of, op.inputs)),
        tuple(map(_argument_of, op.outputs)),
        frozenset(rows),
        tuple(attrs),
    )


def _value(attr: AttrSpec) -> AttrValue | None:
    return attr.default


def _argument(tensor: ForeignTensor) -> Argument:
    value_depend = tensor.value_depend.lower() if tensor.value_depend is not None else None
    return Argument(tensor.name, tensor.kind, tensor.scalar, value_depend, tensor.strided, tensor.calls)


def _argument_of(tensor: TensorSpec) -> Argument:
    """An output in place has its input's name in an OpDef; a list of scalars is no ``DYNAMIC`` one."""
    kind = "OPTIONAL" if tensor.optional else "DYNAMIC" if tensor.dynamic and not tensor.scalar else "REQUIRED"
    name = tensor.inplace or tensor.name
    return Argument(name, kind, tensor.scalar, tensor.value_depend, not tensor.contiguous, tensor.opdef)


def _draft(signature: Signature, problems: list[Problem]) -> OpDraft:
    rows, product = _rows(signature)
    if len(rows) > _MOST:
        problems.append(_word(signature.op_type).problem(f"{len(rows)} combinations of dtypes are too many"))
    names = {tensor.name for tensor in (*signature.inputs, *signature.outputs)}
    inputs = {tensor.name for tensor in signature.inputs}
    open_ = any(t.kind != "OPTIONAL" and not t.scalar and t.value_depend is None for t in signature.inputs)
    shape = "..." if open_ else "1"  # a definition says no shapes: any that a spec can say will do
    lists = [t.name for t in signature.inputs if t.kind == "DYNAMIC" and not t.scalar]
    drafts: list[TensorDraft] = []
    for place, tensor in enumerate((*signature.inputs, *signature.outputs)):
        dtypes: tuple[str, ...] | None = tuple(row[place][0] for row in rows) if tensor.dtypes else None
        formats = tuple(row[place][1] for row in rows)
        if product:
            dtypes = tuple(dict.fromkeys(tensor.dtypes)) if tensor.dtypes else None
            formats = tuple(dict.fromkeys(tensor.formats))
        if place == 0 and dtypes is None:
            dtypes = ("FLOAT",) * len(rows)
        output = place >= len(signature.inputs)
        inplace = output and tensor.name in inputs
        draft = _tensor(tensor, dtypes, formats, names, shape=shape if output else None, inplace=inplace)
        own = output and not inplace and tensor.kind == "DYNAMIC" and not lists
        drafts.append(replace(draft, dims=None, own_shape=_word("handwritten")) if own else draft)
    by_author = any(draft.own_shape is not None for draft in drafts)
    return OpDraft(
        type=_word(signature.op_type),
        inputs=tuple(drafts[: len(signature.inputs)]),
        attrs=tuple(map(_attr, signature.attrs)),
        outputs=tuple(drafts[len(signature.inputs) :]),
        compute=None,
        dtype_product=_word("true") if product else None,
        reference=_word("golden:result") if by_author else None,
        sources=None if by_author else tuple(map(_word, signature.sources)) or None,
    )


def _tensor(
    tensor: ForeignTensor,
    dtypes: tuple[str, ...] | None,
    formats: tuple[str, ...],
    names: set[str],
    *,
    shape: str | None,
    inplace: bool,
) -> TensorDraft:
    calls = tuple(OpDefCallDraft(_word(method), (_word(argument),)) for method, argument in tensor.calls)
    if inplace:
        name = next(n for n in (f"{tensor.name}_out", f"{tensor.name}_out_of_{tensor.name}") if n not in names)
        return TensorDraft(_word(name), inplace=_word(tensor.name), opdef=calls)
    flag = {"OPTIONAL": "optional", "DYNAMIC": "dynamic"}.get(tensor.kind)
    layouts = set(formats)
    return TensorDraft(
        _word(tensor.name),
        dtypes=None if dtypes is None else tuple(_word(_BY_GE.get(f"DT_{dtype}", dtype)) for dtype in dtypes),
        dims=(_word(shape),) if shape is not None else None,
        optional=_word("true") if flag == "optional" else None,
        formats=None if layouts <= {"ND"} else tuple(map(_word, formats)),
        dynamic=_word("true") if flag == "dynamic" else None,
        scalar=_word("true") if tensor.scalar else None,
        value_depend=_word(tensor.value_depend.lower()) if tensor.value_depend else None,
        contiguous=_word("ignore") if tensor.strided else None,
        opdef=calls,
    )


def _rows(signature: Signature) -> tuple[list[tuple[tuple[str, str], ...]], bool]:
    """The combinations, each a dtype and a format for each tensor; and whether they are a product of all lists."""
    tensors = (*signature.inputs, *signature.outputs)
    stated = [tensor for tensor in tensors if tensor.dtypes]
    lengths = {len(t.dtypes) for t in stated if not t.crossed}
    plain = all(len(set(t.formats)) <= 1 for t in tensors)
    free = bool(stated) and plain and (all(t.crossed for t in stated) or (signature.aicpu and len(lengths - {1}) > 1))
    if free:
        return _product(signature), True
    count = max([*lengths, *(len(t.formats) for t in tensors), 1])
    columns = [_column(t.dtypes, count) if not t.crossed else () for t in tensors]
    formats = [_column(t.formats or ("ND",), count) for t in tensors]
    rows: list[tuple[tuple[str, str], ...]] = []
    for number in range(count):
        choices = [t.dtypes if t.crossed else (column[number],) for t, column in zip(tensors, columns, strict=True)]
        rows += [
            tuple((dtype, layout[number]) for dtype, layout in zip(row, formats, strict=True))
            for row in itertools.islice(itertools.product(*choices), _MOST + 1)
        ]
    return list(dict.fromkeys(rows)), False


def _product(signature: Signature) -> list[tuple[tuple[str, str], ...]]:
    """Every dtype with every other; what is written to an input has that input's."""
    places = {tensor.name: place for place, tensor in enumerate(signature.inputs)}
    choices = [[(dtype, (t.formats or ("ND",))[0]) for dtype in t.dtypes or ("",)] for t in signature.inputs]
    choices += [
        [("", "")] if t.name in places else [(dtype, (t.formats or ("ND",))[0]) for dtype in t.dtypes or ("",)]
        for t in signature.outputs
    ]
    followed = [None] * len(signature.inputs) + [places.get(t.name) for t in signature.outputs]
    made = itertools.islice(itertools.product(*choices), _MOST + 1)
    rows = [tuple(own if at is None else row[at] for own, at in zip(row, followed, strict=True)) for row in made]
    return list(dict.fromkeys(rows))


def _column(column: tuple[str, ...], count: int) -> tuple[str, ...]:
    """A column of full length. One that is shorter, but for a single entry, is padded with what no dtype is called."""
    if len(column) == 1:
        return column * count
    return (*column, *("missing",) * (count - len(column)))


def _attr(attr: ForeignAttr) -> AttrDraft:
    type_ = _word(_TYPES.get(attr.type, attr.type))
    if attr.required:
        return AttrDraft(_word(attr.name), type_)
    value = _default(attr)
    if value is UNKNOWN:
        value = read_default("", _TYPES[attr.type])
    if isinstance(value, tuple):
        items = tuple(ItemDraft(_word(_text(item)), quoted=False) for item in value)
        return AttrDraft(_word(attr.name), type_, _word("[...]"), items=items)
    return AttrDraft(_word(attr.name), type_, _word(_text(value)), quoted=value == "")


def _default(attr: ForeignAttr) -> ForeignValue:
    return None if attr.required else read_default(attr.default, _TYPES[attr.type])


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _word(text: str) -> Token:
    return Token(text, None, 1, 1, text)
