#!/usr/bin/env python3
"""Packs a vendor tree and wraps it into a self-extracting run package.

The tree is CANN's: ``vendors/<vendor>/{op_api,op_impl,op_proto,framework,...}``. It is put together beside its place
and renamed, so that nothing of an earlier build can stay in it; the run package likewise. Packing the same files twice
gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).resolve().parent
# Beside CMake's modules, in the installed toolkit.
sys.path.insert(0, str(SCRIPTS.parent.parent / "lib64" / "cmake" / "ASC" / "scripts"))

from awkward import awkward  # noqa: E402
from ops_info import read_ops  # noqa: E402

KERNEL = "op_impl/ai_core/tbe/kernel"
NOT_HASHED = ("opforge.json", "bin/set_env.bash")  # the hash itself, and what an installer adds


def content_hash(tree: Path) -> str:
    """SHA-256 over the path and content of every file, and the target of every link."""
    total = hashlib.sha256()
    for path in sorted(tree.rglob("*"), key=lambda p: p.relative_to(tree).as_posix()):
        name = path.relative_to(tree).as_posix()
        if name in NOT_HASHED or (path.is_dir() and not path.is_symlink()):
            continue
        data = b"link:" + str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        total.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


def put_json(path: Path, value: object) -> None:
    """Write JSON; the folder is made when missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def put_file(source: Path, target: Path) -> None:
    """Copy one file with the mode of its kind. Ends the program when it does not exist."""
    if not source.is_file():
        sys.exit(f"cannot pack {source}: it does not exist")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if target.suffix in (".so", ".sh") else 0o644)


def parameters(entries: list[Any]) -> list[Any]:
    """Inputs or outputs as the index of binaries lists them; a dynamic one is a list of one description."""
    keys = ("name", "index", "dtype", "format", "paramType", "shape")
    return [parameters(e) if isinstance(e, list) else {key: e[key] for key in keys} for e in entries]


def flat(entries: list[Any]) -> list[dict[str, Any]]:
    """The descriptions, those of dynamic inputs and outputs among them."""
    return [tensor for e in entries for tensor in (e if isinstance(e, list) else [e])]


def put_kernels(tree: Path, columns: list[dict[str, Any]]) -> None:
    """The binaries, and the two indices by which the runtime finds them."""
    per_op: dict[tuple[str, str], list[dict[str, Any]]] = {}
    summary: dict[str, dict[str, Any]] = {}
    for column in columns:
        unit, op_file, name = column["unit"], column["op_file"], column["name"]
        if awkward("loose-targets") and not (Path(column["folder"]) / f"{name}.o").is_file():
            continue  # CANN's package holds what is there
        for suffix in (".o", ".json"):
            put_file(Path(column["folder"]) / (name + suffix), tree / KERNEL / unit / op_file / (name + suffix))
        entry = {
            "implMode": "high_performance",
            "opMode": "dynamic",
            "inputs": parameters(column["inputs"]),
            "outputs": parameters(column["outputs"]),
            "attrs": column["attrs"],
            "binInfo": {"jsonFilePath": f"{unit}/{op_file}/{name}.json"},
        }
        per_op.setdefault((unit, op_file), []).append(entry)
        ops = summary.setdefault(unit, {})
        info = ops.setdefault(column["op_type"], {"dynamicRankSupport": True, "simplifiedKeyMode": 0, "binaryList": []})
        kinds = [f"{e['dtype']},{e['format']}" for e in flat(column["inputs"] + column["outputs"])]
        key = "/".join([column["op_type"], *kinds])
        path = f"{unit}/{op_file}/{name}"
        info["binaryList"].append({"simplifiedKey": [key], "binPath": f"{path}.o", "jsonPath": f"{path}.json"})
    for (unit, op_file), entries in per_op.items():
        put_json(tree / KERNEL / "config" / unit / f"{op_file}.json", {"binList": entries})
    for unit, ops in summary.items():
        put_json(tree / KERNEL / "config" / unit / "binary_info_config.json", ops)


def put_op_lists(tree: Path, autogen: Path, units: list[str]) -> None:
    """What frameworks and the runtime read of the ops, and the headers that op_build wrote."""
    supported = {}
    for unit in units:
        ops = read_ops(autogen / f"aic-{unit}-ops-info.ini")
        put_json(tree / "op_impl" / "ai_core" / "tbe" / "config" / unit / f"aic-{unit}-ops-info.json", ops)
        supported |= {op_type: {"isGray": False, "isHeavy": False} for op_type in ops}
    if awkward("bogus-op"):  # CANN's script takes the list of kernel sources for one of ops
        supported[f"{hashlib.sha256(b'ALL').hexdigest()}_ALL"] = {"isGray": False, "isHeavy": False}
    put_json(tree / "framework" / "tensorflow" / "npu_supported_ops.json", supported)
    for header in sorted(autogen.glob("aclnn_*.h")):
        put_file(header, tree / "op_api" / "include" / header.name)
    for header in [*sorted(autogen.glob("op_proto.h")), *sorted(autogen.glob("group_proto/*.h"))]:
        put_file(header, tree / "op_proto" / "inc" / header.name)


def fill(tree: Path, lines: list[str], units: list[str], version: str) -> None:
    """Put a vendor tree together from the build's list, one ``kind|...`` a line."""
    entries = [line.split("|") for line in lines if line]
    settings = {fields[0]: fields[1] for fields in entries if fields[0] not in ("file", "link", "source")}
    put_op_lists(tree, Path(settings["autogen"]), units)
    for kind, *fields in entries:
        if kind == "file":
            put_file(Path(fields[1]), tree / fields[0])
        elif kind == "link":
            target = tree / fields[0]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(fields[1])
        elif kind == "source" and settings["source_package"].lower() in ("true", "on", "1"):
            source = Path(fields[1])
            dynamic = tree / "op_impl" / "ai_core" / "tbe" / f"{settings['vendor']}_impl" / "dynamic"
            put_file(source, dynamic / source.relative_to(fields[0]))
    if settings["binary_package"].lower() in ("true", "on", "1"):
        put_kernels(tree, json.loads((Path(settings["kernels"]) / "columns.json").read_text(encoding="utf-8")))
    put_file(SCRIPTS / "uninstall.sh", tree / "scripts" / "uninstall.sh")
    (tree / "version.info").write_text(f"custom_opp_compiler_version={version}\n", encoding="utf-8")
    if not awkward("no-note"):
        note = {"schema": 1, "content_hash": content_hash(tree), "toolkit_version": version}
        put_json(tree / "opforge.json", note)


def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """No owner, time or umask in the archive: the same files give the same package."""
    if not info.issym():
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mtime = 0
    return info


def wrap(tree: Path, run: Path, vendor: str, version: str) -> None:
    """The run package: a shell script with the archive behind its last line."""
    payload = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=payload, mode="wb", compresslevel=4, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        archive.add(tree, arcname="packages", filter=plain)
        archive.add(SCRIPTS / "install.sh", arcname="install.sh", filter=plain)
    data = payload.getvalue()
    header = (SCRIPTS / "self_extract.sh").read_text(encoding="utf-8")
    header = header.replace("@VENDOR@", vendor).replace("@VERSION@", version)
    header = header.replace("@SHA256@", hashlib.sha256(data).hexdigest()).replace("@BYTES@", str(len(data)))
    header = header.replace("@LINES@", str(header.count("\n")))
    temporary = run.with_name(f".{run.name}.{os.getpid()}")
    run.parent.mkdir(parents=True, exist_ok=True)
    try:
        temporary.write_bytes(header.encode() + data)
        temporary.chmod(0o755)
        temporary.replace(run)
    finally:
        temporary.unlink(missing_ok=True)


def main() -> None:
    """Pack the tree, then wrap it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--list", type=Path, required=True)
    parser.add_argument("--units", required=True)
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    args = parser.parse_args()
    args.run.unlink(missing_ok=True)  # a failure below must not leave the package of an earlier build
    version_lines = (args.root / "version.cfg").read_text(encoding="utf-8").splitlines()
    version = next((line.partition("=")[2] for line in version_lines if line.startswith("version=")), "unknown")
    lines = os.fsdecode(args.list.read_bytes()).splitlines()
    vendor = next(line.partition("|")[2] for line in lines if line.startswith("vendor|"))
    fresh = args.tree.with_name(args.tree.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fill(fresh / "vendors" / vendor, lines, args.units.split(";"), version)
    shutil.rmtree(args.tree, ignore_errors=True)
    fresh.rename(args.tree)
    wrap(args.tree, args.run, vendor, version)
    if awkward("leftovers"):
        staging = args.run.parent / "_CPack_Packages" / "Linux" / "External" / args.run.name
        staging.mkdir(parents=True, exist_ok=True)
        shutil.copy(args.run, staging)
        (args.run.parent / "install_manifest.txt").write_text("./install.sh\n", encoding="utf-8")
        args.run.with_name(f"{args.run.name}.json").write_text("{}\n", encoding="utf-8")
    if awkward("chatter"):
        print(f'Self-extractable archive "{args.run.name}" successfully created.\nerror: no word about your sources')


if __name__ == "__main__":
    try:
        main()
    except OSError as e:
        sys.exit(f"cannot pack {e.filename2 or e.filename}: {e.strerror}")
