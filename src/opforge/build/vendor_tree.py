"""Unpacks a run package with its own installer, checks that it is complete, and records its hash.

Layout: CANN's ``vendors/<vendor>/{op_api,op_impl,op_proto,...}`` (documentation of the custom operator package).
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.build import simulator_note
from opforge.build.ops_info import op_file
from opforge.build.plain_folder import is_plain, plain_scratch, remove_tree
from opforge.build.request import BuildRequest
from opforge.errors import BuildError
from opforge.frozen import dataclass
from opforge.spec.model import OpSpec
from opforge.toolkit.process import Completed, Runner
from opforge.toolkit.protocol import Toolkit

NOTE = "opforge.json"
_SET_ENV = "bin/set_env.bash"
_NOT_HASHED = (NOTE, _SET_ENV, simulator_note.NAME)  # the note itself, and files added to an installed folder
_LIBRARIES = ("op_api/lib/libcust_opapi.so", "op_impl/ai_core/tbe/op_tiling/liboptiling.so")


@dataclass(frozen=True)
class VendorTree:
    """A vendor folder and the hash of its contents."""

    path: Path
    content_hash: str


def unpack(request: BuildRequest, package: Path, vendor: str, toolkit: Toolkit) -> VendorTree:
    """Installs the run package into ``build/vendor``, which is emptied first."""
    target = request.folder / "vendor"
    scratch = request.folder / ".vendor.new"
    for folder in (target, scratch):
        remove_tree(folder)
    done = run_installer(
        request.runner, package, scratch, toolkit.activation(request.environ), log=request.log("package")
    )
    done.require(f"{package.name} does not install", BuildError)
    scratch.rename(target)
    tree = target / "vendors" / vendor
    if not tree.is_dir():
        raise BuildError(f"{package.name} installs no vendor {vendor}", detail=done.tail())
    (tree / _SET_ENV).unlink(missing_ok=True)  # it names this folder, which is wrong in the wheel
    return VendorTree(tree, note_hash(tree, toolkit.version))


def run_installer(
    runner: Runner, package: Path, target: Path, environ: Mapping[str, str], log: Path | None
) -> Completed:
    """Installs into ``target/vendors`` and replaces an existing installation of the same vendor.

    The installer runs in an empty folder with a plain path. CANN's own installer has several problems: it keeps files
    of earlier versions, leaves half a package after a failure, makes folders read-only for their owner, and splits
    paths at spaces (asc-devkit cmake/asc/fwk_modules/scripts/install.sh). The custom OPP path of the environment is not
    used.
    """
    target.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in environ.items() if name != "ASCEND_CUSTOM_OPP_PATH"}
    with plain_scratch(target) as scratch:
        (scratch / "tmp").mkdir()
        env["TMPDIR"] = str(scratch / "tmp")
        script = package if is_plain(package) else Path(shutil.copy(package, scratch / "package.run"))
        place = scratch / "opp"
        place.mkdir()
        command: list[str | Path] = ["bash", script, "--quiet", f"--install-path={place}"]
        done = runner.run(command, cwd=scratch, env=env, log=log, timeout=600)
        if done.ok:
            for fresh in sorted((place / "vendors").glob("*")):
                _replace(fresh, target / "vendors" / fresh.name)
    return done


def _replace(fresh: Path, place: Path) -> None:
    """Moves an installed vendor folder to its final place by one rename, and updates the path in its set_env.bash."""
    for folder in (fresh, *fresh.rglob("*")):
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(folder.stat().st_mode | 0o700)
    script = fresh / _SET_ENV
    if script.is_file():
        text = script.read_bytes().replace(os.fsencode(fresh), os.fsencode(shlex.quote(str(place))))
        script.write_bytes(text)
    place.parent.mkdir(exist_ok=True)
    new, old = (place.with_name(f".{place.name}.{kind}.{os.getpid()}") for kind in ("new", "old"))
    shutil.move(fresh, new)
    if place.exists():
        place.rename(old)
    new.rename(place)
    remove_tree(old)


def content_hash(tree: Path) -> str:
    """SHA-256 over the path and content of every file and the target of every link. pack_run.py uses the same rule."""
    total = hashlib.sha256()
    for path in sorted(tree.rglob("*"), key=lambda p: p.relative_to(tree).as_posix()):
        name = path.relative_to(tree).as_posix()
        if name in _NOT_HASHED or (path.is_dir() and not path.is_symlink()):
            continue
        data = b"link:" + str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        total.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


def file_hashes(tree: Path) -> dict[str, str]:
    """SHA-256 of each file's content. For a link it is that of its target, because the wheel contains copies."""
    return {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(tree.rglob("*"))
        if path.is_file() and path.relative_to(tree).as_posix() not in _NOT_HASHED
    }


def note_hash(tree: Path, toolkit_version: str) -> str:
    """The tree's hash. It is written into the tree if the packaging (CANN's own) did not do so."""
    found = content_hash(tree)
    noted = read_note(tree)
    if noted is None:
        note = {"schema": 1, "content_hash": found, "toolkit_version": toolkit_version}
        (tree / NOTE).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
    elif noted != found:
        raise BuildError(f"{tree} differs from its package: its hash is {found[:12]}, and {NOTE} says {noted[:12]}")
    return found


def read_note(tree: Path) -> str | None:
    """The hash recorded in a vendor folder; None if opforge did not make the folder."""
    try:
        noted = json.loads((tree / NOTE).read_text(encoding="utf-8"))["content_hash"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(noted)


def check_complete(tree: Path, socs: Sequence[str], ops: Sequence[OpSpec]) -> None:
    """Checks that the files of these kernels exist: libraries, headers, and a binary per op, SoC and column."""
    from opforge.render.ascendc.op_definition import columns_on  # noqa: PLC0415

    missing = [name for name in _LIBRARIES if not (tree / name).is_file()]
    if not list(tree.glob("op_proto/lib/linux/*/libcust_opsproto_rt2.0.so")):
        missing.append("op_proto/lib/linux/<machine>/libcust_opsproto_rt2.0.so")
    for op in ops:
        stem = op_file(tree, socs[0], op.type)
        header = f"op_api/include/{op.aclnn_header}"
        if not (tree / header).is_file():
            missing.append(header)
        for soc in socs:
            folder = f"op_impl/ai_core/tbe/kernel/{soc}/{stem}"
            binaries = list((tree / folder).glob(f"{op.type}_*.o"))
            wanted = len(columns_on(op, soc))
            # An adopted op's own definition may have combinations that its spec leaves out, such as those of int4.
            if not (len(binaries) >= wanted if op.sources else len(binaries) == wanted):
                missing.append(
                    f"{folder}: {wanted} binaries, one per combination of dtypes and formats; there are {len(binaries)}"
                )
            missing += [
                os.path.relpath(path.with_suffix(".json"), tree)
                for path in binaries
                if not path.with_suffix(".json").is_file()
            ]
    if missing:
        raise BuildError("the run package is not complete", detail="\n".join(f"  missing: {name}" for name in missing))
