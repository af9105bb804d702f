"""What each step of a build does. The order, the keys and the bookkeeping are the pipeline's."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from opforge.build import adapter, facts, vendor_tree, wheel
from opforge.build.ground import Ground, StepResult
from opforge.build.operators import compile_operators, configure, copy_sources
from opforge.build.own_sources import source_folders
from opforge.build.python_env import read_version, require_torch
from opforge.build.references import check_references
from opforge.build.rendering import Rendered, git_fetch, render_for
from opforge.build.request import BuildRequest
from opforge.build.signature import check_generated, check_packed
from opforge.build.skeleton import interface_sha256, make_skeleton
from opforge.build.state import State
from opforge.errors import BuildError
from opforge.fileset import FileSet
from opforge.scaffold.lock import read_lock, spec_sha256
from opforge.scaffold.refresh import refresh
from opforge.spec.built_in import describe, namesakes
from opforge.spec.model import OpSpec, Spec
from opforge.spec.narrowing import describe_narrowing
from opforge.spec.parse import load_spec

_NAMED = 12  # rewritten files that are named


class Work:
    """The steps of one build, over what they share."""

    def __init__(self, request: BuildRequest, ground: Ground) -> None:
        self.request = request
        self.ground = ground

    @cached_property
    def spec(self) -> Spec:
        """The spec as it is on disk."""
        return load_spec(self.request.root / facts.SPEC)

    @cached_property
    def ops(self) -> tuple[OpSpec, ...]:
        """Every op with a kernel: the spec's, and what is derived for their gradients."""
        from opforge.ir.backward import kernel_ops  # noqa: PLC0415  (only for a build with something to do)

        return tuple(op for op, _ in kernel_ops(self.spec))

    def read_spec(self) -> StepResult:
        """Reads the spec, and lets the files that nobody edited follow it."""
        root = self.request.root
        narrowing = describe_narrowing(self.spec)
        if narrowing:
            self.request.progress.note(narrowing)
        lock = read_lock(root)
        if lock is not None:
            rendered = Rendered(FileSet(), lock.template)
            if lock.spec_sha256 != spec_sha256(self.spec):
                request = self.request
                fetch = git_fetch(request.cache, request.environ, request.runner)
                rendered = render_for(self.spec, root, lock.template, fetch, newest=False)
            done = refresh(root, rendered.files, self.spec, rendered.template)
            alike = namesakes(op.type for op in self.ops) if done.written else ()
            if alike:
                self.request.progress.note(f"warning: {describe(alike)}")
            for verb, paths in (("rewritten", done.written), ("removed", done.removed)):
                if paths:
                    self.request.progress.note(f"{verb} for the changed spec: {_listed(paths)}")
        project = self.spec.project
        read = {
            "says": spec_sha256(self.spec),
            "interface": interface_sha256(project, self.ops),
            "package": project.package,
            "sources": "\n".join((*source_folders(self.ops), *(f for f in project.include if f != "."))),
        }
        return StepResult([], read)

    def check_references(self) -> None:
        """Refuses, before anything is compiled, a reference of the spec that the Python package does not have."""
        check_references(self.request.root, self.spec)

    def skeleton(self) -> StepResult:
        """CMake files in build/cann/src; a new skeleton means a new build folder."""
        self.request.log("skeleton").unlink(missing_ok=True)
        source = self._source
        origin = make_skeleton(self.request, self.spec, self.ground.toolkit, source)
        shutil.rmtree(source.with_name("out"), ignore_errors=True)
        return StepResult([source / "CMakeLists.txt"], {"origin": origin})

    def operators(self) -> StepResult:
        """The run package, unpacked and checked, in dist/."""
        request, project = self.request, self.spec.project
        copy_sources(request.root, self._source, self.ops, project.include)
        generated = self._source.with_name("out") / "autogen"
        configure(request, self.spec, self.ground.toolkit, self._source, fresh=self._compiler_changed())
        check_generated(generated, project.soc, self.ops)
        made = compile_operators(request, self.ground.toolkit, self._source, project.include)
        tree = vendor_tree.unpack(request, made, project.vendor, self.ground.toolkit)
        check_packed(tree.path, project.soc, self.ops)
        vendor_tree.check_complete(tree.path, project.soc, self.ops)
        request.dist.mkdir(exist_ok=True)
        target = request.dist / made.name
        scratch = request.folder / f".{made.name}"
        shutil.copyfile(made, scratch)
        scratch.chmod(0o755)
        scratch.replace(target)
        note = tree.path / vendor_tree.NOTE
        written = {"run_package": made.name, "content_hash": tree.content_hash, "tree": str(tree.path)}
        return StepResult([target, note], written, frozenset({target}))

    def adapter(self) -> StepResult:
        """libadapter.so and libnpu_glue.so in build/torch/."""
        torch, torch_npu = require_torch(self.ground.env)
        sources = State()
        names = [f"csrc/{name}" for name in adapter.GLUE_SOURCES]
        missing = [name for name in names if not (self.request.root / name).is_file()]
        if missing:
            raise BuildError(f"{missing[0]} is missing", hint="restore it from your version control")
        key = adapter.glue_key(
            {
                **facts.hashes(sources, self.request.root, names),
                **facts.compiler_facts(self.ground.compiler),
                **facts.torch_facts(sources, self.ground.env),
            }
        )
        library = adapter.build_adapter(self.request, self.ground.compiler, torch)
        glue = adapter.build_glue(self.request, self.ground.compiler, torch, torch_npu, key)
        return StepResult([library, glue], {"torch": read_version(torch)}, frozenset({library, glue}))

    def wheel(self) -> StepResult:
        """The wheel in dist/."""
        project = self.spec.project
        source = self.request.root / "python" / project.package
        if not (source / "__init__.py").is_file():
            raise BuildError(f"there is no Python package {source}", hint="restore it from your version control")
        torch, _ = require_torch(self.ground.env)
        tree = self.request.folder / "vendor" / "vendors" / project.vendor
        parts = wheel.WheelParts(
            spec=self.spec,
            ops=self.ops,
            toolkit=self.ground.toolkit,
            torch_version=read_version(torch),
            libraries=self.request.folder / "torch",
            vendor=vendor_tree.VendorTree(tree, vendor_tree.note_hash(tree, self.ground.toolkit.version)),
            source=source,
        )
        made = wheel.build_wheel(parts, self.request.dist)
        return StepResult([made], {"wheel": made.name}, frozenset({made}))

    @property
    def _source(self) -> Path:
        return self.request.folder / "cann" / "src"

    def _compiler_changed(self) -> bool:
        """Whether build/cann/out was configured with another compiler than today's."""
        mark = self.request.folder / "cann" / "compiler"
        now = facts.compiler_facts(self.ground.compiler)["compiler"]
        before = mark.read_text(encoding="utf-8") if mark.is_file() else None
        if before != now:
            mark.write_text(now, encoding="utf-8")
        return before is not None and before != now


def _listed(paths: Sequence[PurePosixPath]) -> str:
    """The first paths by name, the others by number."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(map(str, paths[:_NAMED])) + more
