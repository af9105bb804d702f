"""opforge build on a project of one op, with stand-in compilers: what runs, what does not, what stays on failure."""

import hashlib
import json
import os
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_toolkit import op_host
from workshop import SPEC, Workshop, make_project, snapshot

from opforge.build.adapter_libraries import flags
from opforge.build.pipeline import Built, build
from opforge.build.project_lock import project_lock
from opforge.build.python_env import PythonEnv, find_env, require_torch
from opforge.build.state import State
from opforge.build.step_actions import Work
from opforge.build.step_context import find_context
from opforge.errors import BuildError, EnvironmentProblem, OpforgeError, ProjectError, ToolkitError
from opforge.toolkit.process import Runner
from tests.parsed import counted

pytestmark = pytest.mark.compiler

Rebuild = Callable[[], dict[str, str]]


class NoProcess(Runner):
    """A runner that must not be needed."""

    def run(self, command: object, **_: object) -> None:  # type: ignore[override]
        raise AssertionError(f"started {command}")


def test_artifacts(built_project: tuple[Path, Built]) -> None:
    root, built = built_project
    assert built.ran == ("spec", "skeleton", "adapter", "operators", "wheel") or set(built.ran) == {
        "spec", "skeleton", "adapter", "operators", "wheel",
    }  # fmt: skip
    assert {p.name for p in (root / "dist").iterdir()} == {built.run_package.name, built.wheel.name}
    assert built.wheel.name.startswith("tiny_op-0.1.0+sim-py3-none-linux_")


def test_wheel_holds_both_libraries_and_the_vendor_tree(built_project: tuple[Path, Built]) -> None:
    _, built = built_project
    with zipfile.ZipFile(built.wheel) as wheel:
        names = set(wheel.namelist())
        note = json.loads(wheel.read("tiny_op/_build.json"))
        vendor = json.loads(wheel.read("tiny_op/opp/vendors/tiny/opforge.json"))
        assert wheel.testzip() is None
        root = "tiny_op/opp/vendors/tiny/"
        hashes = {name: hashlib.sha256(wheel.read(root + name)).hexdigest() for name in note["files"]}
    assert note["files"] == hashes
    noted = {"opforge.json", "simulator.json", "bin/set_env.bash"}  # written after the rest, or where it is installed
    assert {name.removeprefix(root) for name in names if name.startswith(root)} - noted == set(hashes)
    assert {
        "tiny_op/__init__.py",
        "tiny_op/lib/torch-2.13/libadapter.so",
        "tiny_op/lib/torch-2.13/libnpu_glue.so",
        "tiny_op/set_env.sh",
    } <= names
    assert "tiny_op/opp/vendors/tiny/op_api/lib/libcust_opapi.so" in names
    assert "tiny_op/opp/vendors/tiny/op_impl/ai_core/tbe/op_tiling/liboptiling.so" in names
    assert note["content_hash"] == vendor["content_hash"]
    assert (note["toolkit"], note["socs"], note["torch"]) == ("simulator", ["ascend910b", "ascend910_93"], ["2.13.0"])


def test_nothing_to_do_writes_nothing_and_starts_nothing(built_project: tuple[Path, Built], workshop: Workshop) -> None:
    root, _ = built_project
    time.sleep(0.1)  # past the time within which a hash is not remembered
    build(workshop.request(root))
    before = snapshot(root), snapshot(workshop.cache)
    request = workshop.request(root, runner=NoProcess())
    built = build(request)
    assert built.ran == ()
    steps = ("spec", "skeleton", "operators", "adapter", "wheel")
    assert request.progress.lines == [f"skip {step}: up to date: nothing that it depends on changed" for step in steps]
    assert (snapshot(root), snapshot(workshop.cache)) == before


def test_nothing_to_do_reads_no_expression(
    built_project: tuple[Path, Built], workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch)
    assert build(workshop.request(built_project[0])).ran == ()
    assert made == {}


def test_one_kernel_edit(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    calls = project / "build" / "cann" / "out" / "kernels" / "asc_opc.calls"
    first = calls.read_text().splitlines()
    assert len(first) == 2  # two dtypes; the two SoCs are of one architecture and share them
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("// body, edited\n")
    reasons = rebuild()
    assert reasons == {
        "operators": "op_kernel/tiny_copy_kernel.h changed",
        "wheel": "op_kernel/tiny_copy_kernel.h changed",
    }
    assert len(calls.read_text().splitlines()) == 4
    kernels = project / "build" / "vendor" / "vendors" / "tiny" / "op_impl" / "ai_core" / "tbe" / "kernel"
    for binary in kernels.rglob("*.o"):
        assert "body, edited" in binary.read_text()
    assert len(list(kernels.rglob("*.o"))) == 4


def test_python_edit_makes_the_wheel_alone(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    (project / "python" / "tiny_op" / "__init__.py").write_text('"""Other."""\n')
    assert rebuild() == {"wheel": "python/tiny_op/__init__.py changed"}


def test_a_comment_in_the_spec_builds_nothing(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    (project / "opforge.yaml").write_text(f"# a comment\n{SPEC}")
    assert rebuild() == {"spec": "opforge.yaml changed"}
    assert rebuild() == {}


def test_how_kernels_are_judged_makes_the_wheel_alone(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    allow = "simulator: {allow: [{rule: gm-tail, why: it is so}]}\n"
    (project / "opforge.yaml").write_text(SPEC + allow)
    assert rebuild() == {"spec": "opforge.yaml changed", "wheel": "opforge.yaml, simulator changed"}
    (wheel,) = (project / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        note = json.loads(packed.read("tiny_op/opp/vendors/tiny/simulator.json"))
    assert [entry["rule"] for entry in note["allow"]] == ["gm-tail"]
    assert rebuild() == {}


@pytest.mark.slow
def test_another_soc_builds_afresh(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    (project / "opforge.yaml").write_text(SPEC.replace("[ascend910b, ascend910_93]", "[ascend910b]"))
    reasons = rebuild()
    assert reasons["skeleton"] == "opforge.yaml changed"
    assert set(reasons) == {"spec", "skeleton", "operators", "wheel"}
    kernels = project / "build" / "vendor" / "vendors" / "tiny" / "op_impl" / "ai_core" / "tbe" / "kernel"
    assert sorted(p.name for p in kernels.iterdir()) == ["ascend910b", "config"]


def test_csrc_edit_leaves_the_operators(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    (project / "csrc" / "opforge" / "npu_glue.h").write_text("#define TINY 8\n")
    assert set(rebuild()) == {"adapter", "wheel"}


def test_op_host_edit_reaches_every_product(project: Path, rebuild: Rebuild) -> None:
    """CANN's CMake functions run op_build while configuring only; ours again when op_host changed."""
    rebuild()
    (project / "op_host" / "tiny_copy.cpp").write_text(op_host("TinyCopy", "tiny_copy", "float16,float") + "// new\n")
    (project / "op_host" / "second.h").write_text("// a new file\n")
    assert rebuild()["operators"] == "op_host/tiny_copy.cpp changed; op_host/second.h is new"


def test_lost_artifact_is_made_again(project: Path, rebuild: Rebuild) -> None:
    rebuild()
    wheel = next((project / "dist").glob("*.whl"))
    wheel.unlink()
    assert rebuild() == {"wheel": f"dist/{wheel.name} is not as it was left"}
    assert wheel.is_file()


def test_failing_kernel_leaves_no_old_binary(project: Path, workshop: Workshop, rebuild: Rebuild) -> None:
    rebuild()
    header = project / "op_kernel" / "tiny_copy_kernel.h"
    header.write_text("BROKEN\n")
    for _ in range(2):
        calls = project / "build" / "cann" / "out" / "kernels" / "asc_opc.calls"
        calls.write_text("")
        with pytest.raises(BuildError) as caught:
            build(workshop.request(project, jobs=1))
        assert len(calls.read_text().split()) == 2, "one that fails stops no other"
        assert "op_host or op_kernel did not build" in caught.value.render()
        assert "op_kernel/tiny_copy.cpp:1:1: error: BROKEN" in caught.value.render()
        assert "build/cann" not in caught.value.detail
        assert list((project / "dist").iterdir()) == []
    header.write_text("// right again\n")
    assert rebuild()["operators"] == "not built yet"
    assert list((project / "dist").glob("*.run")) != []


def test_missing_kernel_compiler_fails_an_existing_build(project: Path, workshop: Workshop, rebuild: Rebuild) -> None:
    rebuild()
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("// other\n")
    compiler = workshop.toolkit / "bin" / "asc_opc"
    hidden = compiler.with_name("asc_opc.hidden")
    compiler.rename(hidden)
    try:
        with pytest.raises(BuildError, match="asc_opc, which compiles kernels, is not on PATH"):
            build(workshop.request(project))
    finally:
        hidden.rename(compiler)
    assert list((project / "dist").glob("*.run")) == []


def test_signature_drift_is_refused(project: Path, workshop: Workshop) -> None:
    (project / "op_host" / "tiny_copy.cpp").write_text(op_host("TinyCopy", "tiny_copy", "float,float16"))
    with pytest.raises(BuildError) as caught:
        build(workshop.request(project))
    x, z = "input x", "output z"
    wrong = "has dtypes float32, float16 in op_host and float16, float32 in opforge.yaml"
    assert caught.value.render().splitlines() == [
        "error: op_host and opforge.yaml disagree on the signature",
        *(f"  {soc}: TinyCopy: {name} {wrong}" for soc in ("ascend910b", "ascend910_93") for name in (x, z)),
        "  help: the adapter and the Python package follow opforge.yaml; change it, or change op_host back",
    ]


def test_adapter_error_names_the_users_file(project: Path, workshop: Workshop) -> None:
    (project / "csrc" / "adapter.cpp").write_text("int broken = ;\n")
    with pytest.raises(BuildError) as caught:
        build(workshop.request(project))
    assert "csrc/ does not compile" in caught.value.render()
    assert "csrc/adapter.cpp:1:14: error:" in caught.value.render()


def test_interrupt_leaves_nothing_believable(project: Path, workshop: Workshop) -> None:
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("// slow\n")
    opc = workshop.toolkit / "bin" / "asc_opc"
    text = opc.read_text()
    opc.write_text(text.replace('"""Copies', 'import time; time.sleep(60)\n"""Copies'))
    request = workshop.request(project)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            build(request)
        except BaseException as e:  # noqa: BLE001
            failures.append(e)

    try:
        thread = threading.Thread(target=run)
        thread.start()
        deadline = time.monotonic() + 30
        while not list(project.glob("build/cann/out/kernels/*.py")) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        request.runner.stop()
        thread.join(20)
        assert not thread.is_alive()
    finally:
        opc.write_text(text)
    assert failures
    assert list(project.glob("dist/*.run")) == []
    assert "operators" not in json.loads((project / "build" / "state.json").read_text())["steps"]
    assert build(workshop.request(project)).run_package.is_file()


def test_two_builds_at_once(project: Path, workshop: Workshop) -> None:
    with project_lock(project / "build"), pytest.raises(ProjectError, match="another opforge is at work in"):
        build(workshop.request(project))


def test_changed_spec_without_its_sources(project: Path, workshop: Workshop) -> None:
    (project / "opforge.yaml").write_text(SPEC.replace("TinyCopy", "OtherCopy"))
    with pytest.raises(BuildError) as caught:
        build(workshop.request(project))
    assert "op_host has the op TinyCopy, opforge.yaml has not" in caught.value.render()
    assert "opforge.yaml has the op OtherCopy, op_host has not" in caught.value.render()


def test_a_reference_is_looked_for_before_anything_is_compiled(project: Path, workshop: Workshop) -> None:
    (project / "opforge.yaml").write_text(f"{SPEC}    reference: golden:tiny\n")
    golden = project / "python" / "tiny_op" / "golden.py"
    for text, what in (
        (None, "python/tiny_op/golden.py does not exist"),
        ("", "python/tiny_op/golden.py has no `tiny`"),
    ):
        if text is not None:
            golden.write_text(text)
        request = workshop.request(project)
        with pytest.raises(BuildError, match=what):
            build(request)
        assert set(request.progress.reasons()) <= {"spec"}
    golden.write_text("def tiny(x): ...\n")
    assert {"operators", "adapter", "wheel"} < set(build(workshop.request(project)).ran) | {"spec"}
    golden.unlink()
    with pytest.raises(BuildError, match=r"python/tiny_op/golden\.py does not exist"):
        build(workshop.request(project))


def test_what_a_soc_lacks_is_said_once(project: Path, workshop: Workshop) -> None:
    changed = SPEC.replace(", ascend910_93", "").replace("float16, float32", "float16, float8_e5m2")
    changed = changed.replace("    compute: z = abs(x)\n    backward: false\n", "    outputs: {z: {}}\n")
    for text, notes in (
        (
            changed,
            [
                "note TinyCopy on ascend910b: without float8_e5m2, which the SoC does not support; 1 combination "
                "of dtypes left"
            ],
        ),
        (SPEC, []),
    ):
        (project / "opforge.yaml").write_text(text)
        request = workshop.request(project)
        Work(request, find_context(request, State())).read_spec()
        assert [line for line in request.progress.lines if "no .opforge/lock.json" not in line] == notes


@pytest.mark.slow
def test_glue_is_shared_between_projects(project: Path, workshop: Workshop, tmp_path: Path) -> None:
    build(workshop.request(project))
    before = snapshot(workshop.cache / "glue")
    other = make_project(tmp_path / "other")
    build(workshop.request(other))
    assert snapshot(workshop.cache / "glue") == before
    assert (other / "build" / "torch" / "libnpu_glue.so").is_file()


@pytest.mark.parametrize("needed", ["narrow", "whole"])
def test_glue_with_the_narrow_aten_or_with_pytorch_s(needed: str, project: Path, workshop: Workshop) -> None:
    """torch_npu's headers include ATen/ATen.h: the glue compiles with a part of it, and with all if they need more."""
    (include,) = workshop.python.parents[1].glob("lib/python3.*/site-packages/torch/include")
    aten = include / "ATen"
    for name in ("Context.h", "DeviceGuard.h", "core/Tensor.h", "ops/empty.h"):
        (aten / name).parent.mkdir(exist_ok=True)
        (aten / name).write_text("")
    (aten / "ATen.h").write_text('#error "3,900 files"\n' if needed == "narrow" else "#define WHOLE 1\n")
    glue = project / "csrc" / "opforge" / "npu_glue.cpp"
    use = "" if needed == "narrow" else "int whole() { return WHOLE; }\n"
    glue.write_text(f"#include <ATen/ATen.h>\n{use}{glue.read_text()}")
    build(workshop.request(project))
    log = (project / "build" / "logs" / "glue.log").read_text()
    assert log.count("$ ") == (2 if needed == "narrow" else 3)
    assert (project / "build" / "torch" / "libnpu_glue.so").is_file()


def test_no_torch(project: Path, workshop: Workshop, tmp_path: Path) -> None:
    env = tmp_path / "bare"
    subprocess.run(["python3", "-m", "venv", "--without-pip", env], check=True, env=workshop.environ)
    with pytest.raises(EnvironmentProblem, match="torch is not installed in") as caught:
        build(workshop.request(project, python=env))
    assert "pip install torch==2.13.0 torch-npu==2.13.0" in caught.value.render()


@pytest.mark.parametrize(
    ("package", "version", "what"),
    [
        ("torch_npu", "2.6.0", r"torch 2\.13\.0 and torch_npu 2\.6\.0 .* do not match"),
        ("torch", "2.13.0+cu130", r"torch 2\.13\.0\+cu130 .* is a CUDA build, .* torch_npu 2\.13\.0 beside one"),
    ],
)
def test_a_torch_that_does_not_go(project: Path, workshop: Workshop, package: str, version: str, what: str) -> None:
    file = next(workshop.python.parents[1].glob(f"lib/python3.*/site-packages/{package}/version.py"))
    before = file.read_text()
    file.write_text(f"__version__ = '{version}'\n")
    try:
        with pytest.raises(EnvironmentProblem, match=what):
            build(workshop.request(project))
    finally:
        file.write_text(before)


@pytest.mark.parametrize(
    ("torch", "standard"), [("2.8.0", "17"), ("2.13.1+cpu", "17"), ("2.14.0", "20"), ("3.0", "20")]
)
def test_the_cpp_that_torchs_headers_need(tmp_path: Path, torch: str, standard: str) -> None:
    (tmp_path / "version.py").write_text(f"__version__ = '{torch}'\n")
    assert flags(tmp_path)[0] == f"-std=c++{standard}"


@pytest.mark.parametrize(
    ("torch_npu", "works"),
    [("2.8.0.post5", True), ("2.10.0.post4", True), ("2.10.0.post6", False), ("2.10.1", False), ("2.12.0", False)],
)
def test_a_cuda_build_of_torch_beside_torch_npu(tmp_path: Path, torch_npu: str, works: bool) -> None:
    packages = {"torch": f"{torch_npu.split('.post', maxsplit=1)[0]}+cu128", "torch_npu": torch_npu}
    for name, version in packages.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "version.py").write_text(f"__version__ = '{version}'\n")
    env = PythonEnv(
        Path("python"), tmp_path, "3.11", tmp_path, tmp_path / "torch", tmp_path / "torch_npu", True, True, "it is one"
    )
    if works:
        assert require_torch(env) == (tmp_path / "torch", tmp_path / "torch_npu")
    else:
        with pytest.raises(EnvironmentProblem, match="ends Python"):
            require_torch(env)


@pytest.mark.parametrize(
    ("environ", "what"),
    [
        ({"CXX": "no-such-compiler"}, "the C++ compiler no-such-compiler (from CXX) does not exist"),
        ({"PATH": "/nonexistent"}, "there is no C++ compiler"),
    ],
)
def test_no_compiler(project: Path, workshop: Workshop, environ: dict[str, str], what: str) -> None:
    with pytest.raises(ToolkitError) as caught:
        build(workshop.request(project, environ={**workshop.environ, **environ}))
    assert caught.value.what == what
    assert not (project / "build").exists()


def test_source_folder_that_is_gone(project: Path, workshop: Workshop) -> None:
    (project / "op_kernel" / "tiny_copy.cpp").unlink()
    with pytest.raises(OpforgeError) as caught:
        build(workshop.request(project))
    assert "the kernel source of TinyCopy does not exist" in caught.value.render()


def test_read_only_project(project: Path, workshop: Workshop) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    project.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            build(workshop.request(project))
    finally:
        project.chmod(0o755)


@pytest.mark.parametrize("answer", ["", "hello", "[]", '{"version": "three"}'])
def test_a_program_that_is_no_python_is_refused(answer: str, tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(0o755)
    with pytest.raises(EnvironmentProblem) as caught:
        find_env(program, os.environ, State(), Runner())
    assert caught.value.what == f"{program} is not a Python interpreter"
