"""Writes, per op and dtype column, what asc_opc needs, and prints one line for each binary to be made.

A line is ``name|implementation|param file|soc_version|source|output folder|kernel function``. SoCs of one architecture
share a binary: it is compiled once and packed for each of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from awkward import awkward
from ops_info import Op, attributes, read_ops, tensors

# Compute unit -> (the chip a build stands for, architecture), as CANN's own build chooses them.
SOCS = {
    "ascend910b": ("Ascend910B1", 2201),
    "ascend910_93": ("Ascend910_9391", 2201),
    "ascend310p": ("Ascend310P3", 2002),
    "ascend310b": ("Ascend310B1", 3002),
    "ascend910": ("Ascend910A", 1001),
    "ascend950": ("Ascend950PR_9599", 3510),
}


def write(path: Path, text: str) -> None:
    """Touches the file only when its text changes."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def column(op_type: str, op: Op, index: int) -> dict[str, Any]:
    """The param file's content for one column: dtypes and formats of this column, dynamic shapes."""

    def described(i: int, t: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
        tensor = {
            "name": t["name"],
            "dtype": "float32" if t["dtypes"][index] == "float" else t["dtypes"][index],
            "format": t["formats"][index],
            "paramType": t.get("paramType", "required"),
            "index": i,
            "shape": [-2],
        }
        return [tensor] if tensor["paramType"] == "dynamic" else tensor  # one tensor stands for the list

    def side(kind: str) -> list[dict[str, Any] | list[dict[str, Any]]]:
        return [described(i, t) for i, t in enumerate(tensors(op, kind))]

    attrs = [{"name": a["name"], "dtype": a.get("type", "")} for a in attributes(op)]
    return {"op_type": op_type, "inputs": side("input"), "outputs": side("output"), "attrs": attrs}


def stems_of(signature: Path) -> dict[str, str]:
    """What op_build's files are called, by op type: not after the kernel's file, which op_host may name otherwise."""
    if not signature.is_file():
        return {}
    return {op["op_type"]: op["file"] for op in json.loads(signature.read_text(encoding="utf-8"))["ops"]}


def find_source(base: Path, sources: list[tuple[str, ...]], op_type: str, op_file: str) -> Path:
    """The kernel source of an op: as npu_op_kernel_sources says, else the op file in the folder of the call."""
    kernel_dir, file = "./", f"{op_file}.cpp"
    for type_, folder, name in sources:
        if type_ == op_type or (type_ == "ALL" and not name):
            kernel_dir, file = folder or kernel_dir, name or file
    path = Path(os.path.normpath(base / kernel_dir / file))
    if not path.is_file():
        sys.exit(f"the kernel source of {op_type} does not exist: {path}")
    return path


def compiled_columns(op: Op, count: int) -> list[int]:
    """The columns that get a kernel; CANN passes over those that only what may be left out tells from earlier ones."""
    if not awkward("merged-columns"):
        return list(range(count))
    needed = [t for t in tensors(op, "input") + tensors(op, "output") if t.get("paramType") != "optional"]
    kinds = [tuple((t["dtypes"][index], t["formats"][index]) for t in needed) for index in range(count)]
    return [index for index, kind in enumerate(kinds) if kind not in kinds[:index]]


def main() -> None:
    """Write the files and print the binaries to be made."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--autogen", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--units", required=True)
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--option", action="append", default=[])
    args = parser.parse_args()
    sources = [tuple(text.split("=", 2)) for text in args.source]
    options = [tuple(text.split("=", 1)) for text in args.option]

    stems = stems_of(args.autogen / "signature.json")
    wanted = {}
    packing = []
    for unit in args.units.split(";"):
        soc_version, arch = SOCS[unit]
        ini = args.autogen / f"aic-{unit}-ops-info.ini"
        if not ini.is_file():
            missing = f"no op of this project has AddConfig({json.dumps(unit)}), which ASCEND_COMPUTE_UNIT asks for"
            sys.exit(f"{missing}: {ini} does not exist")
        for op_type, op in read_ops(ini).items():
            op_file = op.get("opFile", {}).get("value") or op_type
            function = op.get("opInterface", {}).get("value") or op_file
            source = find_source(args.base, sources, op_type, op_file)
            columns = len(tensors(op, "input")[0]["dtypes"]) if tensors(op, "input") else 1
            impl = args.work / f"{op_type}.py"
            kernel = {
                "op_type": op_type,
                "op_file": op_file,
                "source": str(source),
                "include_dirs": [str(source.parent)],
                "options": [option for type_, option in options if type_ in ("ALL", op_type)],
                "inputs": [t["name"] for t in tensors(op, "input")],
                "outputs": [t["name"] for t in tensors(op, "output")],
                "shapes_outputs": any("outputShapeDependOnCompute" in t for t in tensors(op, "output")),
                "attrs": [a["name"] for a in attributes(op)],
            }
            structs = args.autogen / f"{stems.get(op_type, op_file)}_tiling_struct.h"  # of BEGIN_TILING_DATA_DEF
            if structs.is_file():
                kernel["tiling_structs"] = str(structs)
            write(impl, f'"""What asc_opc compiles for {op_type}; written by the build."""\n\nKERNEL = {kernel!r}\n')
            for index in compiled_columns(op, columns):
                content = column(op_type, op, index)
                place = f"dav-{arch}" if not awkward("per-soc-kernels") else unit
                digest = hashlib.md5(json.dumps([arch, content]).encode(), usedforsecurity=False).hexdigest()
                name = f"{op_type}_{digest}"
                folder = args.work / place
                param = folder / f"{name}_param.json"
                if (name, folder) not in wanted:
                    write(param, json.dumps({**content, "bin_filename": name}, indent=2) + "\n")
                    row = (name, impl, param, soc_version, source, folder, function)
                    wanted[name, folder] = "|".join(map(str, row))
                packed = {"unit": unit, "op_type": op_type, "op_file": op_file, "name": name, "folder": str(folder)}
                packing.append({**packed, **content})
    write(args.work / "columns.json", json.dumps(packing, indent=1) + "\n")
    for path in args.work.glob("*/*"):  # binaries of ops, dtypes and SoCs that are no more
        if (path.name.split(".")[0].removesuffix("_param"), path.parent) not in wanted:
            path.unlink()
    print("\n".join(wanted.values()))


main()
