"""Makes a spec from an existing operator project: builds its definitions, reads them back, finds files and goldens."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from opforge.adopt.definitions import HostCompiler
from opforge.adopt.include_folders import Included, Repository
from opforge.adopt.layouts import ADOPTED, Presets, Unit, find_units, kernel_of, read_presets
from opforge.errors import BuildError, Problem, ProjectError, SpecError
from opforge.fileset import File, FileSet
from opforge.frozen import dataclass
from opforge.kinds import derive, kernel_alone
from opforge.naming import snake, torch_function
from opforge.plain_files import read_plain, read_within
from opforge.render.project import render_project
from opforge.render.torch.signature import Signature
from opforge.scaffold.project_root import SPEC_FILE
from opforge.spec.check.assemble import assemble_project
from opforge.spec.draft import ProjectDraft
from opforge.spec.foreign.inferred_shapes import Inferred
from opforge.spec.foreign.read_back import Definition, Known, op_of, values_of_texts, without_strange_dtypes
from opforge.spec.model import OpSpec, ProjectSpec, Spec
from opforge.spec.op_sources import is_source
from opforge.spec.source import Passage, option_token


@dataclass(frozen=True)
class Wanted:
    """The options of a command line, beside the folder."""

    package: str | None = None
    vendor: str | None = None
    socs: tuple[str, ...] | None = None
    license: str | None = None
    references: Mapping[str, str] | None = None  # op type, or "" for the only op, to module:function
    computes: Mapping[str, Passage] | None = None  # likewise, to its expression
    keep_going: bool = False
    include: tuple[str, ...] = ()  # folders of headers, relative to the project
    define: tuple[str, ...] = ()  # definitions for op_host
    only: tuple[str, ...] = ()  # units, or folders of them; empty: all


@dataclass(frozen=True)
class Adoption:
    """The resulting spec. ``refused`` has the units left out with the reasons; ``notes`` are for the user."""

    spec: Spec
    extra: FileSet
    refused: Mapping[str, str]
    notes: tuple[str, ...]
    open: Mapping[str, Mapping[str, str]]  # by op type: outputs of unknown shape, with the reason

    def files(self) -> FileSet:
        """The project's files; comments in opforge.yaml mark outputs of unknown shape."""
        rendered = render_project(derive(self.spec))
        spec = rendered.files[SPEC_FILE]
        lines = []
        op_type = ""
        for line in spec.text.splitlines():
            name = line.strip().rstrip(":")
            op_type = name if line.startswith("  ") and line[2:3].strip() and line.endswith(":") else op_type
            lines.append(line)
            if line == "    outputs:":
                lines += [
                    f"      # {output}: write its shape; {why}" for output, why in self.open.get(op_type, {}).items()
                ]
        text = "\n".join(lines) + "\n"
        return FileSet.of(*(replace(file, text=text) if file is spec else file for file in rendered))


@dataclass(frozen=True)
class _Found:
    """One op of a unit."""

    unit: Unit
    definition: Definition
    sources: tuple[str, ...]
    shapes: Inferred
    include: tuple[str, ...] = ()
    standard: int = 11  # the host's C++ standard
    define: tuple[str, ...] = ()
    repeated: bool = False  # op_host has a function in several files
    notes: tuple[str, ...] = ()


def adopt(root: Path, wanted: Wanted, compiler: HostCompiler) -> Adoption:
    """Read the project at ``root``, without writing anything there.

    Raises:
        ProjectError: no op was found, or some cannot be adopted; with the reason for each.
        SpecError: the project's own names are not valid.
    """
    units, presets = find_units(root, wanted.only), read_presets(root)
    repository = Repository(root, compiler.header_folders, wanted.include, wanted.define)
    with _scratch() as work, ThreadPoolExecutor(max_workers=max(1, compiler.jobs)) as pool:
        alone = replace(compiler, jobs=1) if len(units) > 1 else compiler
        tried = list(pool.map(lambda unit: _read(repository, unit, work / (unit.folder or "own"), alone), units))
    refused = {unit.folder or ".": found for unit, found in zip(units, tried, strict=True) if isinstance(found, str)}
    found = [op for ops in tried if not isinstance(ops, str) for op in ops]
    notes: list[str] = []
    socs = _socs(found, wanted, presets, notes)
    include = tuple(dict.fromkeys((*wanted.include, *(folder for op in found for folder in op.include))))
    standard = max((op.standard for op in found), default=11)
    defined = {text.partition("=")[0]: text for op in found for text in op.define}
    defined |= {text.partition("=")[0]: text for text in wanted.define}
    own = _project(root, wanted, presets, socs)
    project = replace(
        own,
        include=include,
        host_cpp=standard,
        allow_multiple_definition=any(op.repeated for op in found),
        define=tuple(defined.values()),
    )
    extra: dict[PurePosixPath, File] = {}
    ops: list[OpSpec] = []
    first: dict[str, _Found] = {}
    for op in found:
        other = first.setdefault(op.definition.file, op)
        if other is not op:
            refused[op.unit.folder or "."] = (
                f"{op.definition.op_type} is defined in {other.unit.folder or '.'} too: --only adopts one of them"
            )
            continue
        missing = [soc for soc in socs if soc not in op.definition.socs]
        if missing:
            refused[op.definition.op_type] = f"its definition has no AddConfig for {', '.join(missing)}"
            continue
        try:
            reference = _reference(root, op, wanted, (project.package, socs), extra, only=len(found) == 1)
            made = op_of(op.definition, Known(op.sources, op.shapes.dims, reference, counts=op.shapes.counts), socs)
            Signature(kernel_alone(made), project.package).check()
            ops.append(made)
            notes += op.notes
            notes += [
                f"write the shape of {op.definition.op_type}'s {name} in opforge.yaml: {why}"
                for name, why in op.shapes.open.items()
            ]
        except SpecError as error:
            refused[op.definition.op_type] = _plain(error)
    if refused and not (wanted.keep_going and ops):
        raise ProjectError(
            f"{len(refused)} of {len(units)} cannot be adopted" if len(units) > 1 else "it cannot be adopted",
            detail="\n".join(f"{name}: {why}" for name, why in refused.items()),
            hint="nothing was written" + ("; --keep-going adopts the others" if ops else ""),
        )
    unknown = {op.definition.op_type: op.shapes.open for op in found if op.shapes.open}
    return Adoption(Spec(project, tuple(ops)), FileSet.of(*extra.values()), refused, tuple(notes), unknown)


@contextmanager
def _scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="opforge-adopt-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(repository: Repository, unit: Unit, work: Path, compiler: HostCompiler) -> list[_Found] | str:
    """The ops of a unit, or the reason why it has none."""
    root = repository.root
    here = root / unit.folder
    more = repository.included(unit)
    if more.outside:
        again = f"opforge adopt {os.path.relpath(repository.top)} --only {os.path.relpath(here, repository.top)}"
        return (
            f"it includes {', '.join(more.outside[:3])}, which the project does not have\n"
            f"  help: adopt the repository, with only this op: {again}"
        )
    try:
        try:
            built = _built(root, unit, more, work, compiler)
        except BuildError as error:
            linked = repository.included(unit, with_depended=True)
            if "undefined symbol" not in (error.detail or "") or linked.sources == more.sources:
                raise
            more = linked
            built = _built(root, unit, more, work, compiler)
    except BuildError as error:
        return "\n".join(
            [error.what, *([error.detail] if error.detail else []), *([f"  help: {error.hint}"] if error.hint else [])]
        )
    compiler, library, definitions, dead = built
    prefix = f"{unit.folder}/" if unit.folder else ""
    listed = (*compiler.headers(library, root, unit.folder), *more.headers, *more.sources)
    copied = tuple(f"{folder}/" for folder in more.folders if folder != ".")  # with all their headers
    others = tuple(
        name
        for name in dict.fromkeys(listed)
        if is_source(name) and (name.endswith((".cpp", ".cc")) or not name.startswith(copied))
    )
    made = []
    texts = tuple(read_plain(here / name).decode(errors="replace") for name in unit.host)
    for whole in definitions:
        definition, strange = without_strange_dtypes(replace(whole, texts=values_of_texts(whole, texts)))
        kernel = kernel_of(root, unit, definition.file, alone=len(definitions) == 1)
        if kernel is None:
            return (
                f"no file of op_kernel is the kernel of {definition.op_type}: it would be "
                f"op_kernel/{definition.file}.cpp, and there are {', '.join(unit.kernels)}"
            )
        host = [name for name in _host_files(unit, definition, definitions) if name not in dead]
        names = [*host, kernel]
        shapes = compiler.shapes(library, definition, here) if definition.socs else Inferred()
        made.append(
            _Found(
                unit,
                definition,
                (*(f"{prefix}{name}" for name in names), *others),
                shapes,
                tuple(more.folders),
                compiler.standard,
                compiler.define,
                bool(compiler.repeated),
                (
                    *map(_left_out, dead),
                    *map(_defined_again, compiler.repeated[:1]),
                    *([strange] if strange else []),
                    *_wrong(compiler, library, definition, here),
                ),
            )
        )
    return made


def _built(
    root: Path, unit: Unit, more: Included, work: Path, compiler: HostCompiler
) -> tuple[HostCompiler, Path, tuple[Definition, ...], list[str]]:
    """The library of a unit's op_host, its definitions, and the files that were left out. Raises BuildError."""
    here = root / unit.folder
    folders = tuple(root / folder for folder in more.folders)
    compiler = replace(compiler, include=folders, define=tuple(more.define.values()))
    sources = [*(here / source for source in unit.host), *(root / source for source in more.sources)]
    dead: list[str] = []
    compiler, library = _compiled(compiler, here, sources, work, dead)
    return compiler, library, compiler.definitions(library, here), dead


def _wrong(compiler: HostCompiler, library: Path, definition: Definition, here: Path) -> tuple[str, ...]:
    """Differences of functions that only graphs call from the definition and InferShape."""
    if not definition.socs:
        return ()
    assumed = (
        f"{definition.op_type} has no output: {definition.changed}, its first input, is taken for the tensor it changes"
    )
    return (
        *((assumed,) if definition.changed else ()),
        *compiler.wrong_dtypes(library, definition, here),
        *compiler.wrong_ranges(library, definition, here),
    )


def _compiled(
    compiler: HostCompiler, here: Path, sources: Sequence[Path], work: Path, dead: list[str]
) -> tuple[HostCompiler, Path]:
    """The library: compiled with the C++ standard of CANN's CMake functions, or else of operator repositories.

    These repositories compile no file with a name like ``<op>_proto.cpp``; if one does not compile, it is left out.
    """
    newer = replace(compiler, standard=17)
    compiled = [source for source in sources if not source.stem.endswith("_proto")]
    try:
        try:
            return compiler.library(here, sources, work)
        except BuildError:
            return newer.library(here, sources, work)
    except BuildError:
        if not compiled or len(compiled) == len(sources):
            raise
        made = newer.library(here, compiled, work)
        dead += [os.path.relpath(source, here) for source in sources if source not in compiled]
        return made


def _left_out(name: str) -> str:
    return f"{name} was left out: it does not compile, and operator repositories do not compile files of such names"


def _defined_again(function: str) -> str:
    return f"several files of op_host define {function}: the linker takes the first definition"


def _host_files(unit: Unit, definition: Definition, every: Sequence[Definition]) -> list[str]:
    """The op_host files of an op: all files of its unit except those named after another op."""

    def owner(name: str) -> str | None:
        stem = Path(name).stem
        mine = [d.file for d in every if stem == d.file or stem.startswith(f"{d.file}_")]
        return max(mine, key=len, default=None)

    return [name for name in unit.host if owner(name) in (None, definition.file)]


def _socs(found: Sequence[_Found], wanted: Wanted, presets: Presets, notes: list[str]) -> tuple[str, ...]:
    """The SoCs of the project: those requested, else those that all ops and the presets have."""
    if wanted.socs is not None:
        return wanted.socs
    common = [soc for soc in ADOPTED if found and all(soc in op.definition.socs for op in found)]
    chosen = [soc for soc in common if soc in presets.units] or common
    if found and not chosen:
        have = [f"  {op.definition.op_type}: {', '.join(op.definition.socs) or 'none'}" for op in found]
        raise ProjectError(
            "the definitions have no SoC in common that opforge adopts ops for",
            detail="\n".join(have),
            hint=f"opforge adopts for {', '.join(ADOPTED)}; with --soc one of them, and --keep-going, the ops that "
            "have it are adopted",
        )
    left = sorted({soc for op in found for soc in op.definition.socs} - set(chosen))
    if left:
        notes.append(f"the definitions also have {', '.join(left)}")
    return tuple(chosen)


def _project(root: Path, wanted: Wanted, presets: Presets, socs: tuple[str, ...]) -> ProjectSpec:
    package = wanted.package or _package(root.name)
    problems: list[Problem] = []
    vendor = wanted.vendor or (presets.vendor if presets.vendor not in (None, "customize") else None)
    draft = ProjectDraft(
        define=tuple(option_token("--define", text) for text in wanted.define),
        name=option_token("--package", package),
        package=option_token("--package", package),
        vendor=option_token("--vendor", vendor) if vendor else None,
        soc=tuple(option_token("--soc", soc) for soc in socs) if socs else None,
        license=option_token("--license", wanted.license) if wanted.license else None,
    )
    project = assemble_project(draft, problems)
    if problems or project is None:
        raise SpecError(problems)
    return project


def _package(name: str) -> str:
    """A Python package's name from a folder's: ``My-Ops`` -> ``my_ops``."""
    text = re.sub(r"[^a-z0-9]+", "_", snake(name) if name.isalnum() else name.lower()).strip("_")
    return text if text and not text[0].isdigit() else f"ops_{text}".rstrip("_")


def _reference(
    root: Path,
    op: _Found,
    wanted: Wanted,
    project: tuple[str, tuple[str, ...]],
    extra: dict[PurePosixPath, File],
    *,
    only: bool,
) -> str | None:
    """The requested reference, one made from an expression, or the one beside the op, copied into the package."""
    package, socs = project
    asked, computes = wanted.references or {}, wanted.computes or {}
    op_type = op.definition.op_type
    expression = computes.get(op_type, computes.get("") if only else None)
    if expression is not None:
        from opforge.render.torch.golden_module import golden_module  # noqa: PLC0415

        text = golden_module(package, kernel_alone(op_of(op.definition, Known(compute=expression), socs)))
        target = PurePosixPath("python", package, f"golden_{snake(op_type)}.py")
        extra[target] = File(target, text, "reference")
        return f"golden_{snake(op_type)}:{torch_function(op_type, package)}"
    if op_type in asked or (only and "" in asked):
        return asked.get(op_type, asked.get(""))
    function = snake(op_type)
    beside = [f"{op.unit.folder}/{name}" for name in ("reference.py", "golden.py") if op.unit.folder]
    for name in (*beside, f"references/{function}.py"):
        path = root / name
        if path.is_file():
            text = read_within(path, root).decode()
            module = f"golden_{function}"
            target = PurePosixPath("python", package, f"{module}.py")
            extra[target] = File(target, text, "reference")
            return f"{module}:{function}"
    return None


def _plain(error: SpecError) -> str:
    lines = [problem.what + (f" ({problem.hint})" if problem.hint else "") for problem in error.problems]
    return "; ".join(lines)
