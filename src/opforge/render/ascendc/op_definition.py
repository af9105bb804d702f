"""The calls that make up the OpDef of one op: tensors with their columns, attributes, and configurations of SoCs.

Pages: OpParamDef, OpAttrDef, OpAICoreConfig and OpAICoreDef (Utils-API, prototype registration and management).
"""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.frozen import dataclass
from opforge.render.ascendc.instruction_spelling import float_literal, int_literal, string_literal
from opforge.soc import SOCS
from opforge.spec.check.opdef import METHODS
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec, AttrType, OpDefCalls, OpSpec, TensorSpec

_SETTERS: dict[AttrType, str] = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "String",
    "list_int": "ListInt",
    "list_float": "ListFloat",
    "list_bool": "ListBool",
}
_FLAGS = {
    "DynamicCompileStaticFlag": "true",
    "DynamicFormatFlag": "true",
    "DynamicRankSupportFlag": "true",
    "DynamicShapeSupportFlag": "true",
    "NeedCheckSupportFlag": "false",
}
_OWNERS = {"op": "this->", "aicore": "this->AICore().", "mc2": "this->MC2()."}


@dataclass(frozen=True)
class Column:
    """One combination: a dtype and a format for each input and then each output."""

    dtypes: tuple[str, ...]
    formats: tuple[str, ...]


@dataclass(frozen=True)
class HostTensor:
    """An input or output of the OpDef, and the calls that describe it."""

    name: str
    calls: tuple[str, ...]


@dataclass(frozen=True)
class HostAttr:
    """An attribute of the OpDef."""

    name: str
    option: str
    type: str
    value: str
    calls: str  # what follows `.AttrType()`


@dataclass(frozen=True)
class OpDefCall:
    """A call in the definition. ``owner`` is the expression that it is called on, including the ``->`` or ``.``."""

    owner: str
    method: str
    argument: str


@dataclass(frozen=True)
class HostConfig:
    """The configuration of one or more SoCs. ``first`` and ``flags`` are calls; ``tensors`` replace the common ones."""

    name: str
    first: str
    flags: tuple[str, ...]
    inputs: tuple[HostTensor, ...]
    outputs: tuple[HostTensor, ...]
    socs: tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """The parts of an OpDef. ``columns`` belong to ``inputs`` and ``outputs``."""

    columns: tuple[Column, ...]
    inputs: tuple[HostTensor, ...]
    attrs: tuple[HostAttr, ...]
    outputs: tuple[HostTensor, ...]
    calls: tuple[OpDefCall, ...]
    configs: tuple[HostConfig, ...]


def definition(op: OpSpec, socs: Sequence[str]) -> Definition:
    """The OpDef of an op. It has the columns of the first SoC; configurations hold the differences of the others."""
    of_soc = {soc: columns_on(op, soc) for soc in socs}
    columns = of_soc[socs[0]]
    tensors = _tensors(op, columns, len(columns))
    return Definition(
        columns=columns,
        inputs=tensors[: len(op.inputs)],
        attrs=tuple(_attr(attr) for attr in op.attrs),
        outputs=tensors[len(op.inputs) :],
        calls=tuple(
            OpDefCall(_OWNERS[METHODS["op"][method]], method, text)
            for method, text in op.opdef
            if METHODS["op"][method] in _OWNERS
        ),
        configs=tuple(_configs(op, of_soc)),
    )


def columns_on(op: OpSpec, soc: str) -> tuple[Column, ...]:
    """The supported combinations of dtypes and formats on one SoC.

    Raises PlanError for a tensor with several formats in an op that combines its dtypes freely.
    """
    override = next((each for each in op.overrides if each.soc == soc), None)
    own = {tensor.name: tensor for tensor in override.tensors} if override else {}
    tensors = [own.get(tensor.name, tensor) for tensor in (*op.inputs, *op.outputs)]
    if all(len(set(tensor.formats)) <= 1 for tensor in tensors):
        formats = tuple((*tensor.formats, "ND")[0] for tensor in tensors)
        return tuple(Column(row, formats) for row in combinations(op, soc))
    if op.dtype_product:
        raise PlanError(f"{op.type}: with dtype_product, a tensor has one format", hint="write the columns out")
    count = max(max(len(tensor.dtypes), len(tensor.formats)) for tensor in tensors)
    dtypes = zip(*(_filled(tensor.dtypes, count) for tensor in tensors), strict=True)
    named = zip(*(_filled(tensor.formats or ("ND",), count) for tensor in tensors), strict=True)
    columns = [Column(row, names) for row, names in zip(dtypes, named, strict=True)]
    return tuple(c for c in dict.fromkeys(columns) if all(dtype in SOCS[soc].dtypes for dtype in c.dtypes))


def _filled(values: tuple[str, ...], count: int) -> tuple[str, ...]:
    return values * count if len(values) == 1 else values


def _tensors(op: OpSpec, columns: tuple[Column, ...], shared: int) -> tuple[HostTensor, ...]:
    """The calls of all tensors. The C++ variable ``formats`` has ``shared`` columns of ND."""
    made = []
    for place, tensor in enumerate((*op.inputs, *op.outputs)):
        dtypes = [f"ge::{DTYPES[column.dtypes[place]].ge}" for column in columns]
        formats = [column.formats[place] for column in columns]
        plain = set(formats) == {"ND"}
        spelled = "formats" if plain else f"{{{', '.join(f'ge::FORMAT_{name}' for name in formats)}}}"
        if plain and len(columns) != shared:
            spelled = f"std::vector<ge::Format>({len(columns)}, ge::FORMAT_ND)"
        calls = [
            f".ParamType({_param_type(tensor)})",
            f".DataType({{{', '.join(dtypes)}}})",
            f".Format({spelled})",
            f".UnknownShapeFormat({spelled})",
            *_kind_calls(tensor, place < len(op.inputs)),
        ]
        made.append(HostTensor(tensor.inplace or tensor.name, tuple(calls)))
    return tuple(made)


def _param_type(tensor: TensorSpec) -> str:
    if tensor.dynamic and not tensor.scalar:
        return "DYNAMIC"
    return "OPTIONAL" if tensor.optional else "REQUIRED"


def _kind_calls(tensor: TensorSpec, is_input: bool) -> list[str]:
    calls = []
    if tensor.scalar:
        calls.append(".ScalarList()" if tensor.dynamic else ".Scalar()")
    if tensor.value_depend is not None:
        calls.append(f".ValueDepend({tensor.value_depend.upper()})")
    calls += [f".{method}({text})" for method, text in tensor.opdef]
    if is_input:
        calls.append(".AutoContiguous()" if tensor.contiguous else ".IgnoreContiguous()")
    return calls


def _attr(attr: AttrSpec) -> HostAttr:
    calls = "".join(f".{method}({text})" for method, text in attr.opdef)
    if attr.default is None:
        return HostAttr(attr.name, "REQUIRED", _SETTERS[attr.type], "", calls)
    if isinstance(attr.default, tuple):
        value = "{" + ", ".join(_literal(attr.type, each) for each in attr.default) + "}"
    else:
        value = _literal(attr.type, attr.default)
    return HostAttr(attr.name, "OPTIONAL", _SETTERS[attr.type], value, calls)


def _literal(kind: AttrType, value: float | str) -> str:
    """A default value, or an element of a default list, as a C++ literal."""
    if kind == "str":
        return string_literal(str(value))
    if kind in ("float", "list_float"):
        return float_literal(float(value))
    return ("true" if value else "false") if kind in ("bool", "list_bool") else int_literal(int(value))


def _configs(op: OpSpec, of_soc: dict[str, tuple[Column, ...]]) -> list[HostConfig]:
    groups: dict[tuple[Column, ...], list[str]] = {}
    for soc, columns in of_soc.items():
        groups.setdefault(columns, []).append(soc)
    first, *flags = [f"{method}({text})" for method, text in (_FLAGS | _config_calls(op.opdef)).items()]
    configs: list[HostConfig] = []
    for columns, socs in groups.items():
        name = f"{socs[0]}Config" if configs else "config"
        own = _tensors(op, columns, len(next(iter(groups)))) if configs else ()
        inputs, outputs = own[: len(op.inputs)], own[len(op.inputs) :]
        configs.append(HostConfig(name, first, tuple(f".{flag}" for flag in flags), inputs, outputs, tuple(socs)))
    return configs


def _config_calls(calls: OpDefCalls) -> dict[str, str]:
    return {method: text for method, text in calls if METHODS["op"][method] == "config"}
