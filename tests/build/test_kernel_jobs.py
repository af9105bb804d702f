"""Kernels that are compiled as jobs: what a job may read, what machines share, what is compiled again."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from fake_toolkit import make_fake_toolkit
from workshop import Workshop, make_project

from opforge.build.kernel_executors import Executor, Unavailable
from opforge.build.kernel_job import Job, Maker, Result, included
from opforge.build.kernel_service import Counts
from opforge.build.pipeline import Built, build
from opforge.build.request import Farm
from opforge.errors import BuildError
from opforge.toolkit.protocol import Toolkit

pytestmark = pytest.mark.compiler


def compiled(project: Path, workshop: Workshop, shared: Path, **changes: object) -> tuple[Counts, Built]:
    built = build(workshop.request(project, farm=Farm(cache=shared), **changes))
    assert built.jobs is not None
    return built.jobs, built


def test_a_second_machine_compiles_no_kernel(tmp_path: Path, workshop: Workshop) -> None:
    first, second = (make_project(tmp_path / name / "tiny") for name in ("one", "other"))
    counts, made = compiled(first, workshop, tmp_path / "shared")
    assert (counts.compiled, counts.taken, counts.alone) == (2, 0, 0)
    other = {**workshop.environ, "HOME": str(tmp_path / "home")}
    shutil.copytree(workshop.cache, tmp_path / "cache of the other")
    counts, again = compiled(
        second, workshop, tmp_path / "shared", environ=other, cache=tmp_path / "cache of the other"
    )
    assert (counts.compiled, counts.taken) == (0, 2)
    assert made.wheel.read_bytes() == again.wheel.read_bytes()


def test_only_what_was_edited_is_compiled_again(tmp_path: Path, project: Path, workshop: Workshop) -> None:
    shared, header = tmp_path / "shared", project / "op_kernel/tiny_copy_kernel.h"
    right = header.read_text()
    compiled(project, workshop, shared)
    header.write_text("// edited\n")
    assert compiled(project, workshop, shared)[0].compiled == 2
    header.write_text(right)
    assert compiled(project, workshop, shared)[0].taken == 2
    for path in (project / "build/vendor").rglob("TinyCopy_*.o"):
        assert "edited" not in path.read_text()
    (project / "op_kernel/of_another_op.h").write_text("// new\n")  # not included: packed, and no kernel depends on it
    assert compiled(project, workshop, shared)[0].compiled == 0


def test_a_failure_is_told_by_the_users_file_and_not_kept(tmp_path: Path, project: Path, workshop: Workshop) -> None:
    header = project / "op_kernel/tiny_copy_kernel.h"
    header.write_text("BROKEN\n")
    for _ in range(2):
        with pytest.raises(BuildError) as caught:
            compiled(project, workshop, tmp_path / "shared")
        assert "op_kernel/tiny_copy.cpp:1:1: error: BROKEN" in caught.value.render()
        assert "opforge-kernel-" not in caught.value.render()
    assert not list((tmp_path / "shared").rglob("*.o"))
    header.write_text("// right\n")
    assert compiled(project, workshop, tmp_path / "shared")[0].compiled == 2


@pytest.mark.parametrize("damage", ["cut", *(pytest.param(each, marks=pytest.mark.slow) for each in ("other", "gone"))])
def test_a_damaged_entry_is_compiled_again(damage: str, tmp_path: Path, project: Path, workshop: Workshop) -> None:
    shared = tmp_path / "shared"
    compiled(project, workshop, shared)
    victim = min(shared.rglob("*.o"))
    if damage == "gone":
        victim.unlink()
    else:
        victim.write_bytes(victim.read_bytes()[:10] if damage == "cut" else b"other")
    shutil.rmtree(project / "build")
    counts, built = compiled(project, workshop, shared)
    assert (counts.compiled, counts.taken) == (1, 1)
    assert built.wheel.is_file()


def test_a_kernel_that_reads_elsewhere_is_not_shared(tmp_path: Path, project: Path, workshop: Workshop) -> None:
    environ = {**workshop.environ, "CPATH": str(tmp_path)}  # headers there are not in the job
    counts, _ = compiled(project, workshop, tmp_path / "shared", environ=environ)
    assert (counts.alone, counts.compiled, counts.taken) == (2, 0, 0)
    assert not (tmp_path / "shared").exists()


class Fails(Executor):
    def run(self, job: Job) -> Result:  # noqa: ARG002
        raise Unavailable("all machines are asleep")


def test_without_the_farm_this_machine_compiles(
    tmp_path: Path, project: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opforge.build.kernel_service.make_executor", lambda *_: Fails())
    request = workshop.request(project, farm=Farm("dask", "tcp://nowhere:1", tmp_path / "shared"))
    counts = build(request).jobs
    assert counts is not None
    assert (counts.compiled, counts.returned) == (2, 2)
    notes = [line for line in request.progress.lines if "all machines are asleep" in line]
    assert len(notes) == 1  # one reason for both


def test_with_cann_asc_opc_is_found_on_path(tmp_path: Path, project: Path, workshop: Workshop) -> None:
    """The stand-in of CANN. Its scripts start asc_opc by name; every build with CANN starts from an empty folder."""
    root = make_fake_toolkit(tmp_path / "cann")
    (root / "version.cfg").write_text("Version=9.0.0\n")
    environ = {**workshop.with_cann(root), "OPFORGE_SIM_AWKWARD": "kernel-scripts"}
    shared = tmp_path / "shared"
    assert compiled(project, workshop, shared, environ=environ)[0].compiled == 2
    (project / "python/tiny_op/__init__.py").write_text('"""Edited."""\n')
    shutil.rmtree(project / "build")
    counts, built = compiled(project, workshop, shared, environ=environ)
    assert (counts.compiled, counts.taken) == (0, 2)
    assert built.toolkit.kind == "cann"


def test_a_python_by_a_version_manager_shares_kernels(tmp_path: Path, project: Path, workshop: Workshop) -> None:
    """CANN's scripts run python3. A version manager's python3 sets variables with paths before it starts Python."""
    root = make_fake_toolkit(tmp_path / "cann")
    (root / "version.cfg").write_text("Version=9.0.0\n")
    shim = tmp_path / "shims/python3"
    shim.parent.mkdir()
    shim.write_text(
        f"#!/bin/sh\nexport _PYENV_INSTALL_PREFIX=/opt/pyenv PYENV_DIR=$PWD PYENV_HOOK_PATH=/opt/pyenv/hooks:/etc/x "
        f'ASDF_INSTALL_PATH=/opt/asdf __MISE_ORIG_PATH=/opt/mise\nexec {sys.executable} "$@"\n'
    )
    shim.chmod(0o755)
    environ = workshop.with_cann(root)
    environ |= {"OPFORGE_SIM_AWKWARD": "kernel-scripts", "PATH": f"{shim.parent}:{environ['PATH']}"}
    assert compiled(project, workshop, tmp_path / "shared", environ=environ)[0].compiled == 2


def test_what_a_source_may_include(tmp_path: Path) -> None:
    texts = {
        "src/a.cpp": '#include "x/b.h"\n#if 0\n#include "../d.h"\n#endif\n#include <kernel_operator.h>\n',
        "src/x/b.h": '#  include "c.h"\n',
        "src/y/c.h": "// c\n",
        "src/d.h": "// d\n",
        "src/e.h": "// e\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    every = {name: tmp_path / name for name in texts}
    assert sorted(included(["src/a.cpp"], every)) == ["src/a.cpp", "src/d.h", "src/x/b.h", "src/y/c.h"]
    for more in (
        "#include MACRO\n",
        "#if __has_include(<e.h>)\n#endif\n",
        "# embed <e.h>\n",
        'asm(".incbin \\"e.h\\"");\n',
    ):
        (tmp_path / "src/d.h").write_text(more)
        assert sorted(included(["src/a.cpp"], every)) == sorted(texts), more


def maker(place: Path, compiler: str = "g++ 12", identity: str = "toolkit 1", **environ: str) -> Maker:
    toolkit = Toolkit("simulator", Path("/toolkit"), "1", "f", "")
    return Maker(place, toolkit, identity, compiler, environ)


def test_the_key_has_everything_but_the_folder(tmp_path: Path) -> None:
    def key(folder: str, text: str = "// k\n", option: str = "-O2", **changes: str) -> str | None:
        place = tmp_path / folder
        for name, said in (
            ("src/op_kernel/k.cpp", text),
            ("src/op_kernel/unused.h", folder),
            ("out/kernels/K.py", f"KERNEL = {{'source': '{place}/src/op_kernel/k.cpp', 'options': ['{option}']}}"),
            ("out/kernels/dav/K_1_param.json", '{"bin_filename": "K_1"}'),
        ):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(said)
        kernels = place / "out/kernels"
        words = [f"{kernels}/K.py", f"--input_param={kernels}/dav/K_1_param.json", f"--output={kernels}/dav"]
        job = maker(place, **changes).job(words)
        return None if job is None else job.key

    first = key("a")
    assert first is not None
    assert key("b") == first
    others = [
        key("a", text="// other\n"), key("a", option="-O3"), key("a", compiler="g++ 13"),
        key("a", identity="toolkit 2"), key("a", SOURCE_DATE_EPOCH="7"),
    ]  # fmt: skip
    assert None not in others
    assert len({first, *others}) == 6
    assert key("a", UNRELATED="7") == first
    assert key("a", option="-I/opt/include") is None
    assert key("a", CPATH="/opt/include") is None


def test_with_cann_a_job_has_the_work_folder_of_its_op(tmp_path: Path) -> None:
    """asc_opc loads the tiling library there, and CANN's scripts say by a variable where the source is."""
    work = tmp_path / "out/Foo_ascend910b"
    for name, said in (
        ("src/op_kernel/kernel_common/k.h", "// k\n"),
        ("out/Foo_ascend910b/dynamic/foo.py", f"# {tmp_path}/src/op_kernel"),
        ("out/Foo_ascend910b/customize/op_tiling/liboptiling.so", "library"),
        ("out/Foo_ascend910b/kernel_0/old.json", "{}"),
        ("out/Foo_ascend910b/bin_param/Foo_1_param.json", "{}"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(said)
    cann = Maker(tmp_path, Toolkit("cann", Path("/cann"), "9", "f", ""), "cann 9", "g++ 12", {"PATH": "/bin"})
    words = [f"{work}/dynamic/foo.py", f"--input_param={work}/bin_param/Foo_1_param.json", f"--output={work}/kernel_0"]
    given = {"PATH": "/other", "PWD": "/other", "MAKELEVEL": "2", "BUILD_KERNEL_SRC": f"{tmp_path}/src/op_kernel/k.cpp"}
    job = cann.job(words, given)
    assert job is not None
    assert job.variables == {"BUILD_KERNEL_SRC": "@OPFORGE-PLACE@/src/op_kernel/k.cpp"}
    assert sorted(job.files) == [
        "out/Foo_ascend910b/bin_param/Foo_1_param.json",
        "out/Foo_ascend910b/customize/op_tiling/liboptiling.so",
        "out/Foo_ascend910b/dynamic/foo.py",
        "src/op_kernel/kernel_common/k.h",
    ]
    assert job.files["out/Foo_ascend910b/dynamic/foo.py"] == b"# @OPFORGE-PLACE@/src/op_kernel"
    assert cann.job(words, {"BUILD_KERNEL_SRC": "/elsewhere/k.cpp"}) is None
