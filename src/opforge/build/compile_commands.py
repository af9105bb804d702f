"""Writes build/compile_commands.json, by which clangd reads the C++ files that people edit.

clangd finds the file by itself, in ``build`` of a folder above the source. Headers have entries of their own: clangd
would otherwise read them with the options of another file, and a kernel's header needs what its kernel includes first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opforge.build import key_parts
from opforge.build.adapter_libraries import flags, npu_includes
from opforge.build.include_order import read_includes
from opforge.build.kernel_options import KERNEL_HEADER, chip_macros, op_macros, tiling_struct, toolkit_options
from opforge.build.launch_headers import write_launch_headers
from opforge.build.own_sources import source_folders
from opforge.build.plain_folder import cann_place
from opforge.build.request import BuildRequest
from opforge.build.step_context import StepContext
from opforge.errors import OpforgeError
from opforge.naming import snake
from opforge.program import Program
from opforge.scaffold.disk import write_bytes
from opforge.spec.model import OpSpec
from opforge.spec.op_sources import FOLDERS, kernel_among, unit_of

NAME = "compile_commands.json"
_SOURCES = (".cpp", ".cc", ".cxx")
_HEADERS = (".h", ".hpp", ".hh", ".hxx")
_DEVICE = "__aicore__"  # a file of aclnn/ with this word is a kernel
_LAUNCHED = ("-DHAVE_WORKSPACE", "-DHAVE_TILING")  # as aclnn/CMakeLists.txt
_DIRECT = "_direct"  # aclnn/<op>_direct.cpp is the kernel that a program launches


def write_compile_commands(request: BuildRequest, context: StepContext, program: Program) -> None:
    """Writes the file if its content changed. Needs no compiled file, so that it also helps with the first error."""
    commands = _Commands(request, context, program)
    text = json.dumps([commands.entry(*each) for each in commands.all()], indent=1, ensure_ascii=False) + "\n"
    target = request.folder / NAME
    write_changed(target, text)


def write_changed(target: Path, text: str) -> None:
    """Replaces a file by one rename; one with this text stays."""
    data = text.encode(errors="surrogateescape")
    if target.is_file() and target.read_bytes() == data:
        return
    write_bytes(target, data)


class _Commands:
    """The files of a project, each with its options."""

    def __init__(self, request: BuildRequest, context: StepContext, program: Program) -> None:
        self.request, self.context, self.program = request, context, program
        self.root = request.root
        self.project = program.spec.project
        self.built = cann_place(request)
        self.generated = self.built / "out" / "autogen"  # op_build's files, such as aclnn_<op>.h
        self.of_toolkit = toolkit_options(context.toolkit)
        self.included = tuple(f"-I{os.path.normpath(self.root / folder)}" for folder in self.project.include)
        self.kernels: dict[str, OpSpec] = {
            kernel_among(op.sources) if op.sources else f"op_kernel/{snake(op.type)}.cpp": op for op in program.ops
        }

    def entry(self, name: str, options: Sequence[str]) -> Mapping[str, object]:
        """The JSON of one file."""
        path = str(self.root / name)
        language = ("-x", "c++-header") if name.endswith(_HEADERS) else ()
        words = [str(self.context.compiler), *language, *options, path]
        return {"directory": str(self.root), "file": path, "arguments": words}

    def all(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Each file, relative to the project, and its options."""
        for folder in source_folders(self.program.ops):
            if folder.endswith(FOLDERS[0]):
                yield from ((name, self._host()) for name in self._files(folder))
            else:
                yield from self._kernel_files(folder)
        of_adapter = key_parts.adapter_folders(source_folders(self.program.ops))
        yield from ((name, self._adapter()) for folder in of_adapter for name in self._files(folder))
        yield from self._programs()

    def _files(self, folder: str) -> list[str]:
        """The C++ files of a folder; none if a file there is not valid; a step that reads it reports that."""
        try:
            names = key_parts.source_files(self.root, (folder,))
        except (OpforgeError, OSError):
            return []
        return [name for name in names if name.endswith((*_SOURCES, *_HEADERS))]

    def _host(self) -> tuple[str, ...]:
        """The options of op_host, as CANN's CMake functions set them."""
        include = self.context.toolkit.root / "include"
        standard = f"-std=c++{self.project.host_cpp}"
        defined = (f"-D{text}" for text in self.project.define)
        return (
            standard,
            "-D_GLIBCXX_USE_CXX11_ABI=0",
            *defined,
            *self.included,
            f"-I{self.generated}",
            "-isystem",
            str(include),
        )

    def _kernel_files(self, folder: str) -> Iterator[tuple[str, Sequence[str]]]:
        """The kernels of a folder, and their headers with the options of the first kernel that includes them."""
        names = self._files(folder)
        kernels = [name for name in self.kernels if name in names]
        first = next(iter(kernels or self.kernels))
        of_header: dict[Path, tuple[str, tuple[str, ...]]] = {}
        for kernel in kernels:
            order = read_includes(self.root / kernel, self.root, self._searched(kernel))
            for header, before in order.items():
                of_header.setdefault(header, (kernel, before))
        for name in names:
            if name in self.kernels:
                yield name, self._kernel(name)
                continue
            kernel, before = of_header.get(self.root / name, (first, ()))
            yield name, (*self._kernel(kernel), *_forced(before))

    def _kernel(self, kernel: str) -> tuple[str, ...]:
        """The options of a kernel, by its path in the project."""
        op, soc = self.kernels[kernel], self.project.soc[0]
        structs = tiling_struct(self.generated, op)
        first = [KERNEL_HEADER] if any((f / KERNEL_HEADER).is_file() for f in self._searched(kernel)) else []
        return (
            "-std=c++17",
            *self.of_toolkit,
            *chip_macros(soc, _text(self.root / kernel)),
            *op_macros(op, soc),
            *(f"-I{folder}" for folder in self._own_folders(kernel)),
            *self.included,
            *_forced([*first, *([str(structs)] if structs.is_file() else [])]),
        )

    def _own_folders(self, kernel: str) -> tuple[Path, ...]:
        """The kernel's folder; in a collection, also the copy that has the headers of other ops beside it."""
        unit = unit_of(kernel)
        beside = (self.built / "src" / "op_kernel" / unit / "op_kernel",) if unit else ()
        return ((self.root / kernel).parent, *beside)

    def _searched(self, kernel: str) -> tuple[Path, ...]:
        """The folders in which the compiler looks for headers."""
        options = (*self.of_toolkit, *self.included)
        return (*self._own_folders(kernel), *(Path(word[2:]) for word in options if word.startswith("-I")))

    def _adapter(self) -> tuple[str, ...]:
        """The options of csrc/; without PyTorch, those that do not need it."""
        torch, torch_npu = self.context.env.torch, self.context.env.torch_npu
        folders = [*([torch / "include"] if torch else []), *(npu_includes(torch_npu) if torch_npu else ())]
        own = [word for word in flags(torch) if word.startswith(("-std=", "-W")) and word != "-Werror"]
        system = [word for folder in folders for word in ("-isystem", str(folder))]
        return (*own, f"-I{self.root / 'csrc'}", *system)

    def _programs(self) -> Iterator[tuple[str, Sequence[str]]]:
        """The programs of aclnn/. Some are kernels; others include headers that only their own build writes."""
        names = self._files("aclnn")
        texts = {name: _text(self.root / name) for name in names}
        device = [name for name in names if name.endswith(_SOURCES) and _DEVICE in texts[name]]
        own = write_launch_headers(self.request.folder / "editor", (texts[name] for name in device), write_changed)
        include = self.context.toolkit.root / "include"
        host = ("-std=c++17", f"-I{self.generated}", f"-I{own}", "-isystem", str(include))
        for name in names:
            stem = Path(name).stem.removesuffix(_DIRECT)
            kernel = next((k for k, op in self.kernels.items() if snake(op.type) == stem), None)
            yield name, (*self._kernel(kernel), *_LAUNCHED) if name in device and kernel else host


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _forced(headers: Sequence[str]) -> list[str]:
    return [word for header in headers for word in ("-include", header)]
