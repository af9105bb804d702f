"""The actions of a build's steps. ``step_table`` has the order and the keys; ``running`` records the results."""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from opforge.build import adapter_libraries, key_parts, out_folder, vendor_tree, wheel
from opforge.build.compile_commands import write_compile_commands
from opforge.build.depfiles import hiding_places, outside, read_rules, searched_folders
from opforge.build.files_read import Inputs, read_whole
from opforge.build.own_sources import source_folders
from opforge.build.part import Kernels
from opforge.build.plain_folder import cann_folder
from opforge.build.python_env import read_version, require_torch
from opforge.build.reference_functions import check_references
from opforge.build.rendering import Rendered, git_fetch, render_for
from opforge.build.request import BuildRequest
from opforge.build.run_package import compile_kernels, compile_operators, configure, copy_sources, kernel_jobs
from opforge.build.signature_check import check_generated, check_packed, without_kernel
from opforge.build.simulator_note import simulator_note
from opforge.build.skeleton import CMAKE_FILES, interface_sha256, make_skeleton
from opforge.build.state import SpecMeaning
from opforge.build.step_context import StepContext, StepResult
from opforge.build.tuned_files import tuned_files
from opforge.errors import BuildError
from opforge.fileset import FileSet
from opforge.program import Program
from opforge.scaffold.lock import Lock, lock_missing, read_lock, spec_sha256
from opforge.scaffold.refresh import deleted, refresh, restore
from opforge.spec.check.built_in import describe, namesakes
from opforge.spec.check.narrowing import describe_narrowing
from opforge.spec.check.zero_division import zero_divisions
from opforge.spec.model import OpSpec, SimulatorSpec, Spec
from opforge.spec.read.parse import read_spec, spec_of

if TYPE_CHECKING:
    from opforge.build.kernel_service import Counts, Jobs

_NAMED = 12  # rewritten files that a message lists


def without_simulator(spec: Spec) -> str:
    """Hex digest of a spec without the settings of the simulated device."""
    return spec_sha256(dataclasses.replace(spec, simulator=SimulatorSpec()))


class Work:
    """The steps of one build, with the state that they share. The text of the spec is read once."""

    def __init__(self, request: BuildRequest, context: StepContext) -> None:
        self.request = request
        self.context = context
        self.counts: Counts | None = None  # of kernels that were compiled as jobs
        self.spec_text = read_spec(request.root / key_parts.SPEC)

    @property
    def spec_hash(self) -> str:
        """The hash of the spec's text as it was read."""
        return hashlib.sha256(self.spec_text).hexdigest()

    @cached_property
    def spec(self) -> Spec:
        """The parsed spec."""
        return spec_of(self.spec_text, self.request.root / key_parts.SPEC)

    @cached_property
    def program(self) -> Program:
        """The spec's program. Raises SpecError for expressions that kernels cannot compute."""
        from opforge.kinds import derive  # noqa: PLC0415  (only for a build with something to do)

        return derive(self.spec)

    @property
    def ops(self) -> tuple[OpSpec, ...]:
        """Every op with a kernel: those of the spec, and those derived for gradients."""
        return self.program.ops

    def read_spec(self) -> StepResult:
        """Reads the spec and renders unedited files again."""
        root = self.request.root
        narrowing = describe_narrowing(self.spec)
        if narrowing:
            self.request.progress.note(narrowing)
        for warning in zero_divisions(self.spec):
            self.request.progress.note(f"warning: {warning}")
        read = {key_parts.SPEC: self.spec_hash, key_parts.LOCK: "missing"}
        lock = read_lock(root)
        if lock is None:
            lost = lock_missing(root)
            unrendered = f"sources stay as they are, even if {key_parts.SPEC} changed"
            self.request.progress.note(f"warning: {lost.what}; {unrendered}\n  help: {lost.hint}")
        else:
            rendered = Rendered(FileSet(), lock.template)
            if not lock.is_of(self.spec):
                rendered = self._rendered(lock)
            done = refresh(root, rendered.files, self.spec, rendered.template, self.spec_text)
            if done.lock is not None:
                read[key_parts.LOCK] = hashlib.sha256(done.lock).hexdigest()
            alike = namesakes(op.type for op in self.ops) if done.written else ()
            if alike:
                self.request.progress.note(f"warning: {describe(alike)}")
            for note in done.notes:
                self.request.progress.note(f"note: {note}")
            for verb, paths in (("rewritten", done.written), ("removed", done.removed)):
                if paths:
                    self.request.progress.note(f"{verb} for the changed spec: {_listed(paths)}")
        project = self.spec.project
        meaning = SpecMeaning(
            says=without_simulator(self.spec),
            interface=interface_sha256(project, self.ops),
            simulator=simulator_note(self.spec, self.ops),
            package=project.package,
            folders=(*source_folders(self.ops), *(folder for folder in project.include if folder != ".")),
        )
        kept = self.request.spec_as_built
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(self.spec_text)
        return StepResult([kept], frozenset({kept}), read, meaning=meaning)

    def restore_deleted(self) -> None:
        """Writes deleted files again that opforge generates and that others need."""
        lock = read_lock(self.request.root)
        if lock is None or not deleted(self.request.root, lock):
            return
        paths = restore(self.request.root, lock, self._rendered(lock).files)
        if paths:
            self.request.progress.note(f"restored: {_listed(paths)}")

    def _rendered(self, lock: Lock) -> Rendered:
        request = self.request
        fetch = git_fetch(request.cache, request.environ, request.runner, request.progress.note)
        return render_for(self.program, request.root, lock.template, fetch, newest=False)

    def check_references(self) -> None:
        """Refuses references that the Python package does not define, before anything is compiled."""
        check_references(self.request.root, self.spec)

    def write_compile_commands(self) -> None:
        """Writes build/compile_commands.json, for clangd."""
        write_compile_commands(self.request, self.context, self.program)

    def skeleton(self) -> StepResult:
        """Writes the CMake files to build/cann/src. A new skeleton requires a new build folder."""
        self.request.log("skeleton").unlink(missing_ok=True)
        source = self._source
        make_skeleton(self.request, self.program, self.context.toolkit, source)
        out_folder.remove(source.with_name("out"))
        return StepResult([source / name for name in CMAKE_FILES])

    def operators(self) -> StepResult:
        """Builds the run package in dist/, unpacks and checks it."""
        request, project, source = self.request, self.spec.project, self._source
        with self._configured() as read, self._jobs() as jobs:
            made = compile_operators(request, self.context.toolkit, source, project.include, jobs)
        tree = vendor_tree.unpack(request, made, project.vendor, self.context.toolkit)
        check_packed(tree.path, project.soc, self.ops)
        vendor_tree.check_complete(tree.path, project.soc, self.ops)
        request.dist.mkdir(exist_ok=True)
        target = request.dist / made.name
        scratch = request.folder / f".{made.name}"
        shutil.copyfile(made, scratch)
        scratch.chmod(0o755)
        scratch.replace(target)
        files = [path for path in sorted(tree.path.rglob("*")) if path.is_file() and not path.is_symlink()]
        outside = self._outside_operators(source.with_name("out"))
        return StepResult([target, *files], frozenset({target}), read, outside, target)

    def compile_part(self, kernels: Kernels) -> int:
        """Compiles some kernels, and packs nothing. Returns the number of binaries; 0 if it is not known."""
        include = self.spec.project.include
        with self._configured(), self._jobs() as jobs:
            return compile_kernels(self.request, self.context.toolkit, self._source, include, kernels, jobs=jobs)

    @contextmanager
    def _jobs(self) -> Iterator[Jobs | None]:
        include = self.spec.project.include
        with kernel_jobs(self.request, self.context.toolkit, self._source, include) as jobs:
            if jobs is not None:
                self.counts = jobs.counts
            yield jobs

    @contextmanager
    def _configured(self) -> Iterator[dict[str, str]]:
        """Has op_build read the sources; the block compiles. Yields the hashes of the files as they were read."""
        request, project, source = self.request, self.spec.project, self._source
        out = source.with_name("out")
        tuned, tables = tuned_files(request.root, self.program, request.progress.note)
        read = {**copy_sources(request.root, source, self.ops, project.include, tuned), **tables}
        with out_folder.settled(out, self._configured_with()) as trusted:
            configure(request, self.spec, self.context.toolkit, source, fresh=not trusted)
            check_generated(out / "autogen", project.soc, self.ops)
            self._check_columns()
            yield read

    def _check_columns(self) -> None:
        """Reports combinations that get no kernel. With CANN itself, the package would be incomplete."""
        lost = {
            (op.type, text): None
            for op in self.ops
            for soc in self.spec.project.soc
            for text in without_kernel(op, soc)
        }
        if not lost:
            return
        what = "CANN compiles no kernel for a combination that differs from an earlier one only in an optional input"
        shown = [f"  {op}: inputs of {text}" for op, text in lost]
        if not self.context.toolkit.simulated:
            hint = "give the optional input one dtype for each combination of the others, or make it required"
            raise BuildError(what, detail="\n".join(shown), hint=hint)
        self.request.progress.note("\n".join([f"warning: {what}; it would refuse this package", *shown]))

    def adapter(self) -> StepResult:
        """Builds libadapter.so and libnpu_glue.so in build/torch/."""
        torch, torch_npu = require_torch(self.context.env)
        folders = key_parts.adapter_folders(source_folders(self.ops))
        made = adapter_libraries.build_libraries(self.request, self.context, torch, torch_npu, folders)
        libraries = [made.adapter, made.glue]
        return StepResult(libraries, frozenset(libraries), made.read, made.outside)

    def wheel(self) -> StepResult:
        """Packs the wheel in dist/."""
        project = self.spec.project
        folder = f"python/{project.package}"
        torch, _ = require_torch(self.context.env)
        tree = self.request.folder / "vendor" / "vendors" / project.vendor
        vendor = vendor_tree.VendorTree(tree, vendor_tree.note_hash(tree, self.context.toolkit.version))

        def packed(inputs: Inputs) -> tuple[Path, Inputs]:
            if f"{folder}/__init__.py" not in inputs.names:
                raise BuildError(
                    f"the Python package does not exist: {self.request.root / folder}",
                    hint="restore it from your version control",
                )
            parts = wheel.WheelParts(
                spec=self.spec,
                ops=self.ops,
                toolkit=self.context.toolkit,
                torch_version=read_version(torch),
                libraries=self.request.folder / "torch",
                vendor=vendor,
                package=inputs,
            )
            check_references(self.request.root, self.spec, inputs.read)
            return wheel.build_wheel(parts, self.request.dist), inputs

        made, inputs = read_whole(self.request.root, (folder,), packed, pages=True)
        return StepResult([made], frozenset({made}), inputs.packed_hashes, artifact=made)

    @cached_property
    def _source(self) -> Path:
        return cann_folder(self.request) / "src"

    def _configured_with(self) -> dict[str, str]:
        """The values that must not change if a configured build folder is reused."""
        environ = self.request.environ
        return {
            "place": str(self._source),
            "toolkit": f"{self.context.toolkit.kind} {self.context.toolkit.generation}",
            **key_parts.compiler_parts(self.context.compiler),
            **key_parts.variable_parts(environ, (*key_parts.COMPILERS_READ, *key_parts.CMAKE_READS)),
        }

    def _outside_operators(self, out: Path) -> tuple[str, ...]:
        """The files outside the project that the compilers of op_host and kernels read."""
        read = read_rules(sorted(out.rglob("*.d")))
        known = (out.parent, self.context.toolkit.root)
        files = outside(read, out, self.context.compiler, known)
        folders = searched_folders(self.request.environ)
        paths = (*files, *hiding_places(files, folders), *(f"{folder}/" for folder in folders))
        return tuple(key_parts.named(self.request.root, path) for path in paths)


def _listed(paths: Sequence[PurePosixPath]) -> str:
    """The first paths by name, and the number of the others."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(map(str, paths[:_NAMED])) + more
