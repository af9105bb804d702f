"""Compares op_build's reading of op_host with the spec. People edit op_host, but the adapter follows the spec.

``ops`` are all ops with a kernel: those of the spec, and each derived ``<Op>Grad``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.build.aclnn_header import header_types, spec_types
from opforge.build.ops_info import OpInfo, OpsInfo, read_generated, read_packed
from opforge.dtypes import DTYPES
from opforge.errors import BuildError
from opforge.soc import SOCS
from opforge.spec.model import OpSpec, TensorSpec

if TYPE_CHECKING:
    from opforge.render.ascendc.op_definition import Column

_DTYPES = {"float": "float32", "double": "float64"}  # ini spellings that differ from the spec's
_ATTRS = {"string": "str", "listInt": "list_int", "listFloat": "list_float", "listBool": "list_bool"}


def check_packed(tree: Path, socs: Sequence[str], ops: Sequence[OpSpec]) -> None:
    """Compares the list inside a vendor folder with the spec. Raises BuildError with every difference."""
    _check({soc: read_packed(tree, soc) for soc in socs}, ops, [])


def check_generated(folder: Path, socs: Sequence[str], ops: Sequence[OpSpec]) -> None:
    """Compares op_build's files with the spec before kernels are compiled."""
    found = {soc: read_generated(folder, soc) for soc in socs}
    wrong = [f"{op.type}: {text}" for op in ops for text in call_differences(op, header_types(folder, op))]
    _check({soc: info for soc, info in found.items() if info is not None}, ops, wrong)


def _check(infos: Mapping[str, OpsInfo], ops: Sequence[OpSpec], of_calls: list[str]) -> None:
    wrong: list[str] = []
    types = {op.type for op in ops}
    for soc, info in infos.items():
        wrong += [f"{soc}: op_host has the op {name}, opforge.yaml has not" for name in sorted(info.keys() - types)]
        for op in ops:
            if op.type in info:
                wrong += [f"{soc}: {op.type}: {text}" for text in differences(op, info[op.type], soc)]
            else:
                wrong.append(f"{soc}: opforge.yaml has the op {op.type}, op_host has not")
    if wrong or of_calls:
        raise BuildError(
            "op_host and opforge.yaml disagree on the signature",
            detail="\n".join(f"  {line}" for line in wrong or of_calls),
            hint="the adapter and the Python package follow opforge.yaml; change it, or change op_host back",
        )


def without_kernel(op: OpSpec, soc: str) -> tuple[str, ...]:
    """The combinations that CANN's build skips, because only an optional input differs from an earlier combination.

    Source: asc-devkit cmake/asc/fwk_modules/util/ascendc_bin_param_build.py:428-438.
    """
    from opforge.render.ascendc.op_definition import columns_on  # noqa: PLC0415  (only for a build with something to do)

    needed = [place for place, tensor in enumerate((*op.inputs, *op.outputs)) if not tensor.optional]
    compiled: dict[object, object] = {}
    lost = []
    for column in columns_on(op, soc):
        kind = tuple((column.dtypes[place], column.formats[place]) for place in needed)
        if compiled.setdefault(kind, column) != column:
            lost.append(", ".join(column.dtypes[: len(op.inputs)]))
    return tuple(lost)


def differences(op: OpSpec, info: OpInfo, soc: str) -> list[str]:
    """The differences between op_build's entry and the spec, for one op and one SoC."""
    from opforge.render.ascendc.op_definition import columns_on  # noqa: PLC0415  (only for a build with something to do)

    inputs, outputs = _listed("input", info), _listed("output", info)
    if not outputs:  # the kernel changes an input all the same, which opforge.yaml says
        changed = [tensor.inplace for tensor in op.outputs]
        outputs = [entry for name in changed for entry in inputs if entry["name"] == name]
    wrong = _names_differ("input", op.inputs, inputs) + _names_differ("output", op.outputs, outputs)
    if not wrong:
        wrong = _columns_differ(op, columns_on(op, soc), [*inputs, *outputs], soc)
        wrong += _kinds_differ("input", op.inputs, inputs) + _kinds_differ("output", op.outputs, outputs)
    return wrong + _attrs_differ(op, info)


def call_differences(op: OpSpec, found: tuple[str, ...] | None) -> list[str]:
    """The differences between the aclnn function's parameters and the adapter's arguments; empty without a header."""
    wanted = spec_types(op)
    if found is None:
        return []
    # A tensor that only opforge.yaml calls changed is const in the header: the adapter's argument converts to it.
    found = tuple(
        ours if theirs == f"const {ours}" else theirs
        for theirs, ours in zip_longest(found, wanted)
        if theirs is not None
    )
    if found == wanted:
        return []
    names = [t.name for t in op.inputs] + [a.name for a in op.attrs] + [t.name for t in op.outputs if not t.inplace]
    if len(found) != len(wanted):
        return [f"{op.aclnn} takes {len(found)} arguments by op_host and {len(wanted)} by opforge.yaml"]
    return [
        f"{op.aclnn} takes {name} as {theirs} by op_host and as {ours} by opforge.yaml"
        for name, theirs, ours in zip(names, found, wanted, strict=True)
        if theirs != ours
    ]


def _has(soc: str, dtype: str) -> bool:
    return bool(DTYPES[dtype].torch) and dtype in SOCS[soc].dtypes


def _listed(kind: str, info: OpInfo) -> list[Mapping[str, str]]:
    found: list[Mapping[str, str]] = []
    while (entry := info.get(f"{kind}{len(found)}")) is not None:
        found.append(entry)
    return found


def _names_differ(kind: str, wanted: tuple[TensorSpec, ...], found: list[Mapping[str, str]]) -> list[str]:
    """Differences in names. In op_host, an in-place output has the name of its input."""
    ours, theirs = [tensor.inplace or tensor.name for tensor in wanted], [entry["name"] for entry in found]
    if ours == theirs:
        return []
    return [f"{kind}s are {_names(theirs)} in op_host and {_names(ours)} in opforge.yaml"]


def _columns_differ(op: OpSpec, wanted: Sequence[Column], found: list[Mapping[str, str]], soc: str) -> list[str]:
    """Differences in the combinations of dtypes and formats, listed per tensor."""
    dtypes = [[_DTYPES.get(name, name) for name in entry["dtype"].split(",")] for entry in found]
    formats = [entry["format"].split(",") if "format" in entry else ["ND"] * len(dtypes[0]) for entry in found]
    listed = {dtype for column in wanted for dtype in column.dtypes}
    rows = [  # some definitions repeat a combination, or have one that adopting left out, as something lacks its dtype
        row
        for row in dict.fromkeys(zip(*dtypes, *formats, strict=True))
        if all(dtype in listed or dtype not in DTYPES or _has(soc, dtype) for dtype in row[: len(dtypes)])
    ]
    each = [list(column) for column in zip(*rows, strict=True)]
    dtypes, formats = each[: len(dtypes)], each[len(dtypes) :]
    wrong = []
    for place, tensor in enumerate((*op.inputs, *op.outputs)):
        kind = "input" if place < len(op.inputs) else "output"
        both = (
            ("dtypes", dtypes[place], [column.dtypes[place] for column in wanted]),
            ("formats", formats[place], [column.formats[place] for column in wanted]),
        )
        wrong += [
            f"{kind} {tensor.name} has {what} {', '.join(there)} in op_host and {', '.join(here)} in opforge.yaml"
            for what, there, here in both
            if there != here
        ]
    return wrong


def _kinds_differ(kind: str, wanted: tuple[TensorSpec, ...], found: list[Mapping[str, str]]) -> list[str]:
    wrong = []
    for tensor, entry in zip(wanted, found, strict=True):
        read = {None: "not read by the host", "required": "read by the host", "optional": "read by the host if known"}
        listed = tensor.dynamic and not tensor.scalar
        both = (
            (entry.get("paramType", "required"), _need(tensor.optional, listed)),
            (read[entry.get("valueDepend")], read[tensor.value_depend]),
        )
        wrong += [
            f"{kind} {tensor.name} is {there} in op_host and {here} in opforge.yaml"
            for there, here in both
            if there != here
        ]
    return wrong


def _attrs_differ(op: OpSpec, info: OpInfo) -> list[str]:
    listed = info.get("attr", {}).get("list", "")
    found = [name for name in listed.split(",") if name]
    wanted = [attr.name for attr in op.attrs]
    if found != wanted:
        return [f"attributes are {_names(found)} in op_host and {_names(wanted)} in opforge.yaml"]
    wrong = []
    for attr in op.attrs:
        entry = info.get(f"attr_{attr.name}", {})
        kind = _ATTRS.get(entry.get("type", ""), entry.get("type", ""))
        need = "required" if entry.get("paramType") == "required" else "optional"
        both = ((kind, attr.type), (need, "required" if attr.required else "optional"))
        wrong += [
            f"attribute {attr.name} is {there} in op_host and {here} in opforge.yaml"
            for there, here in both
            if there != here
        ]
    return wrong


def _names(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _need(optional: bool, dynamic: bool) -> str:
    return "dynamic" if dynamic else "optional" if optional else "required"
