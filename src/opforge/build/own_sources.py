"""Writes files that include an op's ``sources``, at the paths that CANN's build expects.

Source of the rules: the public CMake functions of asc-devkit (npu_op_code_gen, npu_op_kernel_sources). They expect
op_host files in op_host itself, and an op's kernel in ``op_kernel/<op>.cpp``. In a collection, each op has a folder
with its own op_host and op_kernel. Such folders are copied below op_kernel without changes, so that their files find
each other's headers and the package contains all kernel sources. Include folders are copied there for the same reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from opforge.errors import BuildError
from opforge.naming import snake
from opforge.spec.model import OpSpec
from opforge.spec.op_sources import FOLDERS, is_shared, unit_of


def units(ops: Iterable[OpSpec]) -> tuple[str, ...]:
    """The folders of a collection that contain op_host and op_kernel of an op."""
    return tuple(sorted({unit_of(source) for op in ops for source in op.sources} - {""}))


def include_folders(include: Iterable[str]) -> Mapping[str, Path]:
    """The path of each include folder in the build; ``.`` is the parent of all others."""
    return {folder: Path("op_kernel", *_below(folder)) for folder in include}


def _below(folder: str) -> tuple[str, ...]:
    """The path in the build of a folder above the project: beside the other folders."""
    parts = Path(folder).parts
    return ("included_from_above", *(part for part in parts if part != "..")) if ".." in parts else parts


def source_folders(ops: Sequence[OpSpec]) -> tuple[str, ...]:
    """The folders that contain the sources of these ops, as paths in the project."""
    own = any(not op.sources or unit_of(op.sources[0]) == "" for op in ops)
    listed = [source for op in ops for source in op.sources]
    of_units = [f"{unit}/{folder}" for unit in units(ops) for folder in FOLDERS]
    shared = dict.fromkeys(unit_of(source) for source in listed if is_shared(source))
    found = (f for f in of_units if any(source.startswith(f"{f}/") for source in listed))
    return (*(FOLDERS if own else ()), *found, *shared)


def copied_to(source: str) -> Path:
    """The path in the build of a source file or source folder."""
    return Path("op_kernel", source) if unit_of(source) else Path(source)


def unlisted(found: Iterable[Path], ops: Sequence[OpSpec]) -> list[Path]:
    """The C++ files in op_host that no op lists, if each op lists its files. CANN's build would compile all of them."""
    listed = {source for op in ops for source in op.sources}
    if not all(op.sources for op in ops):
        return []
    return [p for p in found if p.parent == Path("op_host") and p.suffix in (".cpp", ".cc") and str(p) not in listed]


def forwarders(project: Path, ops: Sequence[OpSpec]) -> Mapping[Path, str]:
    """The files that include others, with their path in the project.

    Raises: BuildError: a listed file is missing.
    """
    made: dict[Path, str] = {}
    for op in ops:
        for source in map(Path, op.sources):
            if not (project / source).is_file():
                raise BuildError(
                    f"{op.type} lists the source {source}, which does not exist",
                    hint="write the file, or correct `sources` in opforge.yaml",
                )
            found = _looked_for(op, source)
            if found != source and str(found) not in op.sources and found not in made:
                made[found] = _including(source, found)
    # A definition may rename its kernel (`opFile.value`); the kernel file then has that name.
    for source in (Path(source) for op in ops for source in op.sources):
        found = Path("op_kernel", source.name)
        named = source.suffix in (".cpp", ".cc") and unit_of(str(source)) and "op_kernel" in source.parts
        if named and not (project / found).exists():
            made.setdefault(found, _including(source, found))
    for op in ops:
        made.update(_side_by_side(op))
    return made


def _side_by_side(op: OpSpec) -> Mapping[Path, str]:
    """Files for includes such as `../rms_norm/rms_norm_base.h`, which refer to the op_kernel of another op.

    Operator repositories put the op_kernel folders of all ops beside each other before they compile them.
    """
    made: dict[Path, str] = {}
    folders = sorted({unit_of(source) for source in op.sources} - {""})
    for source in op.sources:
        unit, path = unit_of(source), Path(source)
        inner = path.relative_to(unit).parts if unit else ()
        if path.suffix in (".h", ".hpp") and inner and inner[0] == "op_kernel" and Path(unit).name not in FOLDERS:
            for folder in folders:
                if folder != unit:
                    found = Path("op_kernel", folder, Path(unit).name, *inner[1:])
                    made.setdefault(found, _including(path, found))
    return made


def _including(source: Path, found: Path) -> str:
    return f'#include "{os.path.relpath(copied_to(str(source)), found.parent)}"\n'


def _looked_for(op: OpSpec, source: Path) -> Path:
    """The path at which CANN's build expects a source. The including files find the headers."""
    if source.suffix not in (".cpp", ".cc"):
        return source
    unit = Path(unit_of(str(source)))
    if is_shared(str(source)):
        return Path("op_host", "_".join(source.parts))
    folder, *rest = source.relative_to(unit).parts
    if folder == "op_kernel":
        return Path("op_kernel") / f"{snake(op.type)}.cpp"
    return Path("op_host") / "_".join([*unit.parts, *rest]) if unit.parts or source.suffix == ".cpp" else source
