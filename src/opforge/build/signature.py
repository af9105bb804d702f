"""Compares what op_build read back from op_host with the spec: op_host is edited, and the adapter follows the spec.

``ops`` are all that have a kernel: the spec's, and the ``<Op>Grad`` that are derived from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.build.ops_info import OpInfo, OpsInfo, read_generated, read_packed
from opforge.errors import BuildError
from opforge.spec.model import OpSpec, TensorSpec

_DTYPES = {"float": "float32"}  # ini spelling where it is not the spec's
_ATTRS = {"string": "str"}


def check_packed(tree: Path, socs: Sequence[str], ops: Sequence[OpSpec]) -> None:
    """Compares the list inside a vendor folder with the spec. Raises BuildError with every difference."""
    _check({soc: read_packed(tree, soc) for soc in socs}, ops)


def check_generated(folder: Path, socs: Sequence[str], ops: Sequence[OpSpec]) -> None:
    """Compares op_build's files with the spec, before kernels are compiled that could not fit."""
    found = {soc: read_generated(folder, soc) for soc in socs}
    _check({soc: info for soc, info in found.items() if info is not None}, ops)


def _check(infos: Mapping[str, OpsInfo], ops: Sequence[OpSpec]) -> None:
    wrong: list[str] = []
    types = {op.type for op in ops}
    for soc, info in infos.items():
        wrong += [f"{soc}: op_host has the op {name}, opforge.yaml has not" for name in sorted(info.keys() - types)]
        for op in ops:
            if op.type in info:
                wrong += [f"{soc}: {op.type}: {text}" for text in differences(op, info[op.type])]
            else:
                wrong.append(f"{soc}: opforge.yaml has the op {op.type}, op_host has not")
    if wrong:
        raise BuildError(
            "op_host and opforge.yaml disagree on the signature",
            detail="\n".join(f"  {line}" for line in wrong),
            hint="the adapter and the Python package follow opforge.yaml; change it, or change op_host back",
        )


def differences(op: OpSpec, info: OpInfo) -> list[str]:
    """What op_build's entry of one op says otherwise than the spec."""
    wrong = _tensors("input", op.inputs, info) + _tensors("output", op.outputs, info)
    listed = info.get("attr", {}).get("list", "")
    found = [name for name in listed.split(",") if name]
    wanted = [attr.name for attr in op.attrs]
    if found != wanted:
        wrong.append(f"attributes are {_names(found)} in op_host and {_names(wanted)} in opforge.yaml")
        return wrong
    for attr in op.attrs:
        entry = info.get(f"attr_{attr.name}", {})
        kind = _ATTRS.get(entry.get("type", ""), entry.get("type", ""))
        if kind != attr.type:
            wrong.append(f"attribute {attr.name} is {kind} in op_host and {attr.type} in opforge.yaml")
        required = entry.get("paramType") == "required"
        if required != attr.required:
            wrong.append(
                f"attribute {attr.name} is {_need(required)} in op_host and {_need(attr.required)} in opforge.yaml"
            )
    return wrong


def _tensors(kind: str, wanted: tuple[TensorSpec, ...], info: OpInfo) -> list[str]:
    found: list[Mapping[str, str]] = []
    while (entry := info.get(f"{kind}{len(found)}")) is not None:
        found.append(entry)
    names = [entry["name"] for entry in found]
    if names != [tensor.name for tensor in wanted]:
        return [f"{kind}s are {_names(names)} in op_host and {_names([t.name for t in wanted])} in opforge.yaml"]
    wrong = []
    for tensor, entry in zip(wanted, found, strict=True):
        dtypes = tuple(_DTYPES.get(name, name) for name in entry["dtype"].split(","))
        if dtypes != tensor.dtypes:
            wrong.append(
                f"{kind} {tensor.name} has dtypes {', '.join(dtypes)} in op_host and "
                f"{', '.join(tensor.dtypes)} in opforge.yaml"
            )
        required = entry.get("paramType", "required") == "required"
        if required == tensor.optional:
            wrong.append(
                f"{kind} {tensor.name} is {_need(required)} in op_host and {_need(not tensor.optional)} in opforge.yaml"
            )
    return wrong


def _names(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _need(required: bool) -> str:
    return "required" if required else "optional"
