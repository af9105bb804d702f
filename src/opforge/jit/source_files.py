"""The files of ``opforge.load``: which are of op_host, which of op_kernel, and how an op gets another type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from opforge.errors import UsageError
from opforge.naming import snake
from opforge.plain_files import is_leaving, read_plain
from opforge.spec.op_sources import FOLDERS

_HOST, _KERNEL = FOLDERS
_CPP = (".cpp", ".cc")
_HEADERS = (".h", ".hpp")
_DEFINITION = re.compile(r"\bOP_ADD\s*\(\s*(\w+)\s*\)")
_KERNEL_ENTRY = re.compile(r"\b__global__\b")
_HOST_CODE = re.compile(r"\b(OP_ADD|IMPL_OP\w*|REGISTER_TILING_DATA_CLASS)\s*\(")

REFERENCE = PurePosixPath("reference.py")  # what the op computes, in torch
ANY_ENCODING = "surrogateescape"  # comments may be in another encoding than UTF-8: their bytes stay
Texts = Mapping[PurePosixPath, str]


def read_sources(sources: object) -> Texts:
    """The texts of the files by their path in a project: below op_host, below op_kernel, or a reference.

    A file in a folder op_host or op_kernel stays there; others are recognised by their text, headers go to both. A
    folder stands for its files below op_host and op_kernel. Raises UsageError, or OSError for unreadable files.
    """
    given = [sources] if isinstance(sources, (str, Path)) else sources
    if not isinstance(given, Sequence) or not given:
        raise UsageError(
            "`sources` must be paths of files or folders",
            hint='for example sources=["op_host/add_custom.cpp", "op_kernel/add_custom.cpp"]',
        )
    texts: dict[PurePosixPath, str] = {}
    for path in (Path(source) for source in given):
        if path.is_dir():
            for file in _files(path):
                texts.update(_placed(file))
        elif path.is_file():
            texts.update(_placed(path))
        else:
            raise UsageError(f"{path} does not exist", hint=f"the current folder is {Path.cwd()}")
    missing = [folder for folder in (_HOST, _KERNEL) if not any(_is_code(path, folder) for path in texts)]
    if missing:
        raise UsageError(
            f"the sources have no C++ file of {' and '.join(missing)}",
            hint="an op is its definition and tiling in op_host, and its kernel in op_kernel",
        )
    return texts


def defined_op(name: str, texts: Texts) -> str:
    """The op type that the sources define: the one called ``name``, as a type or in snake_case. Raises UsageError."""
    types: list[str] = [
        found for path, text in texts.items() if path.parts[0] == _HOST for found in _DEFINITION.findall(text)
    ]
    chosen = next((op_type for op_type in types if name in {op_type, snake(op_type)}), None)
    if chosen is None:
        what = f"the sources define {', '.join(types)}, not `{name}`" if types else "the sources have no OP_ADD(<Op>)"
        hint = f'opforge.load("{types[0]}", ...)' if types else "op_host/<op>.cpp defines the operator"
        raise UsageError(what, hint=hint)
    return chosen


def renamed(texts: Texts, op_type: str, new_type: str) -> Texts:
    """The same sources for another op type, which their names and identifiers begin with. Lines keep their numbers."""
    if new_type == op_type:
        return texts
    camel = re.compile(rf"(?<![A-Za-z0-9]){op_type}(?![a-z0-9])")
    stem = re.compile(rf"(?<![A-Za-z0-9]){snake(op_type)}(?![a-z0-9])")

    def rename(text: str) -> str:
        return stem.sub(snake(new_type), camel.sub(new_type, text))

    return {PurePosixPath(rename(str(path))): rename(text) for path, text in texts.items()}


def _is_code(path: PurePosixPath, folder: str) -> bool:
    return path.parts[0] == folder and path.suffix in _CPP


def _files(folder: Path) -> list[Path]:
    """The files that a folder stands for."""
    own = folder.name in {_HOST, _KERNEL}
    places = [folder] if own else [folder / _HOST, folder / _KERNEL]
    found = [file for place in places for file in sorted(place.rglob("*")) if file.suffix in (*_CPP, *_HEADERS)]
    if not found:
        raise UsageError(f"{folder} has no sources in {_HOST} and {_KERNEL}", hint="name the files themselves")
    beside = [] if own else [file for file in (folder / "reference.py", folder / "golden.py") if file.is_file()]
    return [*(file for file in found if not is_leaving(file.name)), *beside[:1]]


def _placed(file: Path) -> Texts:
    text = read_plain(file).decode(errors=ANY_ENCODING)
    if file.suffix == ".py":
        return {REFERENCE: text}
    parts = file.absolute().parts
    known = [number for number, part in enumerate(parts[:-1]) if part in {_HOST, _KERNEL}]
    if known:
        return {PurePosixPath(*parts[known[-1] :]): text}
    if file.suffix in _HEADERS:
        return {PurePosixPath(folder, file.name): text for folder in (_HOST, _KERNEL)}
    if _HOST_CODE.search(text):
        return {PurePosixPath(_HOST, file.name): text}
    if _KERNEL_ENTRY.search(text):
        return {PurePosixPath(_KERNEL, file.name): text}
    raise UsageError(
        f"{file} is neither code of op_host (OP_ADD, IMPL_OP) nor a kernel (__global__)",
        hint="put it into a folder op_host or op_kernel",
    )
