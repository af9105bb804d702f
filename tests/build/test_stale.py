"""What is in the artifacts is what the next build compares with: edits meanwhile, inputs of elsewhere, damage."""

import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from workshop import SPEC, Workshop

from opforge.build import adapter_libraries, step_actions, wheel
from opforge.build.keys import Miss
from opforge.build.pipeline import build
from opforge.build.state import load_state
from opforge.build.step_context import find_context
from opforge.build.step_table import KeySources, plan_steps
from opforge.errors import BuildError

pytestmark = pytest.mark.compiler

Rebuild = Callable[[], dict[str, str]]


def would_run(workshop: Workshop, project: Path, **environ: str) -> dict[str, str]:
    """The steps that a build would run now, with their reasons."""
    request = workshop.request(project, environ={**workshop.environ, **environ})
    state = load_state(request.state_file)
    planned = plan_steps(KeySources(request, state, find_context(request, state)))
    return {step.name: step.verdict.reason for step in planned if isinstance(step.verdict, Miss)}


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """A file with another text for the time of a block; its times are the file system's own."""
    before = path.read_bytes() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    yield
    path.unlink() if before is None else path.write_bytes(before)


def followed_by(function: Callable[..., object], path: Path, text: str) -> Callable[..., object]:
    """A function, after which a file gets a text."""

    def edited(*given: object, **named: object) -> object:
        made = function(*given, **named)
        path.write_text(text)
        return made

    return edited


def test_whatever_is_edited_while_a_build_runs_the_next_one_sees(
    project: Path, workshop: Workshop, rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each input is edited when the step that reads it has read it, and before the wheel is packed."""
    late = {
        "opforge.yaml": (step_actions, "describe_narrowing", f"{SPEC}# late\n"),
        "op_kernel/tiny_copy_kernel.h": (step_actions, "compile_operators", "// late\n"),
        "csrc/opforge/npu_glue.h": (adapter_libraries, "_compile", "#define TINY 9\n"),
        "python/tiny_op/__init__.py": (wheel, "build_note", '"""Late."""\n'),
    }
    glue = project / "csrc" / "opforge" / "npu_glue.h"
    glue.write_text(f"// {project}\n{glue.read_text()}")  # an adapter that no other test has left in the cache
    with monkeypatch.context() as patch:
        for name, (module, function, text) in late.items():
            patch.setattr(module, function, followed_by(getattr(module, function), project / name, text))
        first = rebuild()
    assert set(first) == {"spec", "skeleton", "operators", "adapter", "wheel"}
    assert would_run(workshop, project) == {
        "spec": "opforge.yaml changed",
        "skeleton": "opforge.yaml changed",
        "operators": "opforge.yaml, op_kernel/tiny_copy_kernel.h changed",
        "adapter": "csrc/opforge/npu_glue.h changed",
        "wheel": "opforge.yaml, op_kernel/tiny_copy_kernel.h, csrc/opforge/npu_glue.h and 1 more changed",
    }
    assert set(rebuild()) == {"spec", "operators", "adapter", "wheel"}  # what was appended to the spec is a comment
    with zipfile.ZipFile(next((project / "dist").glob("*.whl"))) as packed:
        assert packed.read("tiny_op/__init__.py") == b'"""Late."""\n'
        kernels = [packed.read(name) for name in packed.namelist() if name.endswith(".o")]
    assert kernels
    assert all(b"// late" in kernel for kernel in kernels)
    assert would_run(workshop, project) == {}


@pytest.mark.slow
def test_an_edit_that_is_taken_back_leaves_no_older_kernel_in_the_wheel(
    project: Path, rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is as at the last build when the wheel's step looks; the run package is of what it was between."""
    rebuild()
    kernel = project / "op_kernel" / "tiny_copy_kernel.h"
    (project / "opforge.yaml").write_text(f"{SPEC}# something to do\n")
    copy_sources, compile_operators = step_actions.copy_sources, step_actions.compile_operators
    before = kernel.read_text()
    plan = step_actions.Work.check_references

    def edited(work: step_actions.Work) -> None:
        plan(work)
        kernel.write_text("// between\n")

    def taken_back(*given: object) -> Path:
        made = compile_operators(*given)
        kernel.write_text(before)
        return made

    with monkeypatch.context() as patch:
        patch.setattr(step_actions, "copy_sources", copy_sources)
        patch.setattr(step_actions.Work, "check_references", edited)
        patch.setattr(step_actions, "compile_operators", taken_back)
        assert set(rebuild()) == {"spec", "operators", "wheel"}
    with zipfile.ZipFile(next((project / "dist").glob("*.whl"))) as packed:
        kernels = [packed.read(name) for name in packed.namelist() if name.endswith(".o")]
    assert all(b"// between" in kernel for kernel in kernels)
    assert set(rebuild()) == {"operators", "wheel"}


def test_a_file_that_an_editor_replaces_is_waited_for(
    project: Path, rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = project / "op_kernel" / "tiny_copy_kernel.h"
    read = step_actions.copy_sources.__globals__["Inputs"].read
    gone = []

    def late(inputs: object, name: str) -> bytes:
        if not gone and name.endswith("_kernel.h"):
            gone.append(kernel.read_text())
            kernel.unlink()
        elif gone and not kernel.exists():
            kernel.write_text(gone[0])
        return read(inputs, name)

    monkeypatch.setattr(step_actions.copy_sources.__globals__["Inputs"], "read", late)
    assert "operators" in rebuild()
    assert kernel.exists()


@pytest.mark.slow
def test_what_compilers_read_elsewhere_is_in_the_keys(project: Path, workshop: Workshop, tmp_path: Path) -> None:
    """A header by its absolute path, through CPATH, through -I in CXXFLAGS; and those variables themselves."""
    far, by_cpath, by_flag = (tmp_path / name for name in ("far/far.h", "path/by_cpath.h", "flag/by_flag.h"))
    for header in (far, by_cpath, by_flag):
        header.parent.mkdir()
        header.write_text("// one\n")
    for source in ("op_host/tiny_copy.cpp", "csrc/adapter.cpp", "csrc/opforge/npu_glue.cpp"):
        text = (project / source).read_text()
        (project / source).write_text(f'#include "{far}"\n#include "by_cpath.h"\n{text}')
    extra = project / "op_host" / "tiny_copy.cpp"
    extra.write_text('#ifdef OP_TILING_LIB\n#include "by_flag.h"\n#endif\n' + extra.read_text())
    environ = {"CPATH": str(by_cpath.parent), "CXXFLAGS": f"-I{by_flag.parent}"}
    time.sleep(0.02)
    request = workshop.request(project, environ={**workshop.environ, **environ})
    build(request)
    assert would_run(workshop, project, **environ) == {}
    both = {"operators", "adapter", "wheel"}
    for header, steps_of_it in ((far, both), (by_cpath, both), (by_flag, {"operators", "wheel"})):
        with changed(header, "// two\n"):
            reasons = would_run(workshop, project, **environ)
            assert set(reasons) == steps_of_it
            assert set(reasons.values()) == {f"{header} changed"}
    assert would_run(workshop, project, **environ) == {}
    assert set(would_run(workshop, project, CPATH=environ["CPATH"])) == {"operators", "wheel"}
    assert would_run(workshop, project, CXXFLAGS=environ["CXXFLAGS"])["adapter"] == "CPATH is gone"
    with changed(by_cpath.parent / "kernel_operator.h", "// hides the toolkit's\n"):
        assert set(would_run(workshop, project, **environ)) == both

    # The glue and the adapter of the cache are of what their headers were.
    by_cpath.write_text("#error one line more\n")
    with pytest.raises(BuildError, match=r"does not compile|did not build"):
        build(workshop.request(project, environ={**workshop.environ, **environ}))
    by_cpath.write_text("// one\n")
    assert build(workshop.request(project, environ={**workshop.environ, **environ})).wheel.is_file()


def test_a_header_that_is_written_while_it_is_read_is_read_again(
    project: Path, workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only its time says so: nobody knows which of its contents a compiler has seen."""
    header = tmp_path / "far.h"
    header.write_text("// one\n")
    time.sleep(0.02)
    source = project / "op_host" / "tiny_copy.cpp"
    source.write_text(f'#include "{header}"\n{source.read_text()}')
    now = step_actions.compile_operators

    def written(*given: object) -> Path:
        made = now(*given)
        header.write_text("// one\n")
        os.utime(header, ns=(10**18, 10**18))
        return made

    with monkeypatch.context() as patch:
        patch.setattr(step_actions, "compile_operators", written)
        build(workshop.request(project))
    assert would_run(workshop, project)["operators"] == f"{header} changed"


@pytest.mark.slow
def test_a_byte_that_changed_in_the_build_folder_is_made_again(
    project: Path, workshop: Workshop, rebuild: Rebuild
) -> None:
    rebuild()
    state = load_state(project / "build" / "state.json")
    outputs = [name for record in state.steps.values() for name in record.outputs]
    assert {"dist", "build/vendor", "build/torch", "build/cann"} <= {
        kind
        for kind in ("dist", "build/vendor", "build/torch", "build/cann")
        for name in outputs
        if name.startswith(kind)
    }
    for name in outputs:
        path = project / name
        data, mode, times = path.read_bytes(), path.stat().st_mode, path.stat()
        path.chmod(0o644)
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        reasons = would_run(workshop, project)
        assert f"{name} is not as it was left" in reasons.values(), name
        path.write_bytes(data)
        path.chmod(mode)
    assert would_run(workshop, project) == {}

    # What is packed later is not what make would believe: an object that is newer than its source.
    (built,) = (project / "build" / "cann" / "out").glob("code_gen/*.o")
    built.write_bytes(b"half an obj")
    library = next((project / "build" / "cann" / "out").rglob("libcust_opapi.so"))
    library.write_bytes(b"")
    glue = project / "build" / "torch" / "libnpu_glue.so"
    glue.write_bytes(b"")
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("// edited\n")
    assert set(rebuild()) == {"operators", "adapter", "wheel"}
    with zipfile.ZipFile(next((project / "dist").glob("*.whl"))) as packed:
        for name in packed.namelist():
            if name.endswith(".so"):
                assert packed.read(name).startswith(b"\x7fELF"), name


@pytest.mark.slow
def test_a_build_folder_that_moved_is_configured_anew(project: Path, workshop: Workshop, rebuild: Rebuild) -> None:
    """CMake's folder names its place: make would go on in the old one."""
    rebuild()
    moved = project.with_name("moved")
    project.rename(moved)
    (moved / "op_kernel" / "tiny_copy_kernel.h").write_text("// moved\n")
    request = workshop.request(moved)
    assert set(build(request).ran) == {"operators", "wheel"}
    assert not project.exists()
    kernels = (moved / "build" / "vendor").rglob("*.o")
    assert all("// moved" in kernel.read_text() for kernel in kernels)
