"""``opforge build --only OP --soc SOC`` and ``--keep-going``: what is compiled, what dist/ holds, what is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_toolkit import op_host
from workshop import SPEC, Workshop, snapshot

from opforge.build.part import Kernels, Part, kernels_of
from opforge.build.pipeline import BuiltPart, build, build_part
from opforge.cli import main as cli
from opforge.errors import BuildError, EnvironmentProblem, UsageError
from opforge.kinds import derive
from opforge.spec.read.command_line import spec_from_options

pytestmark = pytest.mark.compiler

OPS = {"TinyCopy": "tiny_copy", "TinyTwo": "tiny_two", "TinyThree": "tiny_three"}
SOCS = ("ascend910b", "ascend910_93", "ascend310p")


@pytest.fixture
def three(project: Path) -> Path:
    """A project of three ops with two dtypes, for SoCs of two architectures: six kernels for each."""
    head, ops = SPEC.replace("ascend910b, ascend910_93", ", ".join(SOCS)).split("ops:\n")
    (project / "opforge.yaml").write_text(f"{head}ops:\n" + "".join(ops.replace("TinyCopy", op) for op in OPS))
    for op, file in OPS.items():
        (project / f"op_host/{file}.cpp").write_text(op_host(op, file, "float16,float"))
        (project / f"op_kernel/{file}.cpp").write_text(f'#include "{file}_kernel.h"\n')
        (project / f"op_kernel/{file}_kernel.h").write_text("// body\n")
    return project


def compiled(project: Path) -> list[str]:
    """The op types of the kernels that were compiled, sorted, since the last call."""
    calls, seen = project / "build/cann/out/kernels/asc_opc.calls", project / "seen"
    known = int(seen.read_text()) if seen.is_file() else 0
    names = [line.partition("_")[0] for line in calls.read_text().splitlines()]
    seen.write_text(str(len(names)))
    return sorted(names[known:])


def part(workshop: Workshop, project: Path, ops: tuple[str, ...] = (), socs: tuple[str, ...] = ()) -> BuiltPart:
    return build_part(workshop.request(project), Part(ops, socs))


def test_only_the_kernels_of_some_ops(three: Path, workshop: Workshop) -> None:
    built = part(workshop, three, ("TinyTwo",))
    assert (built.count, built.kernels.ops, built.kernels.socs) == (4, ("TinyTwo",), SOCS)
    assert compiled(three) == ["TinyTwo"] * 4
    assert built.dist == "dist/ holds no complete build"
    assert not (three / "dist").exists()
    build(workshop.request(three))  # compiles the rest, and packs everything
    assert compiled(three) == ["TinyCopy"] * 4 + ["TinyThree"] * 4
    assert len(list((three / "build/vendor").rglob("TinyTwo_*.o"))) == 6


def test_only_the_kernels_for_some_socs(three: Path, workshop: Workshop) -> None:
    built = part(workshop, three, ("TinyCopy", "TinyThree"), ("ascend310p",))
    assert (built.count, built.kernels.socs) == (4, ("ascend310p",))
    assert compiled(three) == ["TinyCopy"] * 2 + ["TinyThree"] * 2
    objects = sorted((three / "build/cann/out/kernels").rglob("*.o"))
    assert {path.parent.name for path in objects} == {"dav-2002"}
    assert part(workshop, three, (), ("ascend910b", "ascend910_93")).count == 6  # they share binaries
    assert compiled(three) == sorted([*OPS] * 2)


@pytest.mark.slow
def test_dist_stays_and_is_not_taken_for_the_newest(three: Path, workshop: Workshop) -> None:
    build(workshop.request(three))
    before = snapshot(three / "dist")
    assert part(workshop, three, ("TinyTwo",)).dist == "dist/ is up to date: it holds all ops"
    compiled(three)
    for file in ("tiny_two", "tiny_three"):
        (three / f"op_kernel/{file}_kernel.h").write_text("// body, edited\n")
    assert part(workshop, three, ("TinyTwo",)).dist == "dist/ holds the last complete build, of older sources"
    assert compiled(three) == ["TinyTwo"] * 4
    assert snapshot(three / "dist") == before
    assert "operators" in build(workshop.request(three)).ran
    assert compiled(three) == ["TinyThree"] * 4
    for op in ("TinyTwo", "TinyThree"):
        for path in (three / "build/vendor").rglob(f"{op}_*.o"):
            assert "edited" in path.read_text()


def test_a_failing_part_leaves_dist(three: Path, workshop: Workshop) -> None:
    build(workshop.request(three))
    before = snapshot(three / "dist")
    (three / "op_kernel/tiny_two_kernel.h").write_text("// BROKEN\n")
    assert part(workshop, three, ("TinyCopy",)).count == 4  # it does not need the broken one
    with pytest.raises(BuildError, match="op_host or op_kernel did not build"):
        part(workshop, three, ("TinyTwo",))
    assert snapshot(three / "dist") == before
    with pytest.raises(BuildError):
        build(workshop.request(three))
    assert not list((three / "dist").iterdir())


@pytest.mark.parametrize(
    ("asked", "told", "hint"),
    [
        (
            Part(("TinyTow",)),
            "--only: `TinyTow`: not in opforge.yaml; valid ops: TinyCopy, TinyTwo, TinyThree",
            "TinyTwo",
        ),
        (Part((), ("ascend950",)), f"--soc: `ascend950`: not in opforge.yaml; valid SoCs: {', '.join(SOCS)}", "ascend"),
    ],
)
def test_names_that_the_project_lacks(asked: Part, told: str, hint: str, three: Path, workshop: Workshop) -> None:
    with pytest.raises(UsageError) as caught:
        build_part(workshop.request(three), asked)
    assert caught.value.what == told
    assert hint in (caught.value.hint or "")
    assert not (three / "build/cann").exists()


def test_the_gradients_kernel_belongs_to_its_op() -> None:
    program = derive(spec_from_options("VectorMul", ("x", "y"), compute="z = x * y"))
    both = kernels_of(Part(("VectorMul",)), program)
    assert (both.ops, both.socs) == (("VectorMul", "VectorMulGrad"), ("ascend910b", "ascend910_93"))
    assert kernels_of(Part(("VectorMulGrad",), ("ascend910_93",)), program) == Kernels(
        ("VectorMulGrad",), ("ascend910_93",)
    )


def test_an_empty_list_does_not_mean_all(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["build", "--only", ",", "--project", str(project)]) == 2
    assert "--only names nothing" in capsys.readouterr().err


def test_keep_going_tells_each_op_and_the_adapter(three: Path, workshop: Workshop) -> None:
    for file in ("tiny_copy", "tiny_three"):
        (three / f"op_kernel/{file}_kernel.h").write_text("// BROKEN\n")
    adapter = three / "csrc/adapter.cpp"
    right = adapter.read_text()
    adapter.write_text("#error wrong\n")
    with pytest.raises(BuildError) as caught:
        build(workshop.request(three, keep_going=True))
    error = caught.value
    assert error.exit_code == 8
    assert error.what == "2 steps failed"
    assert [(str(one.where), one.what) for one in error.problems] == [
        ("op_kernel/tiny_copy.cpp:1:1", "TinyCopy: BROKEN"),
        ("op_kernel/tiny_three.cpp:1:1", "TinyThree: BROKEN"),
    ]
    assert "csrc/adapter.cpp:1:2: error: #error wrong" in (error.detail or "")
    assert compiled(three) == sorted([*OPS] * 4)
    assert not (three / "dist").exists()
    adapter.write_text(right)
    (three / "op_kernel/tiny_copy_kernel.h").write_text("// mended\n")
    with pytest.raises(BuildError, match="op_host or op_kernel did not build"):
        build(workshop.request(three, keep_going=True))
    assert compiled(three) == ["TinyCopy"] * 4 + ["TinyThree"] * 4
    assert "adapter" in json.loads((three / "build/state.json").read_text())["steps"]
    (three / "op_kernel/tiny_three_kernel.h").write_text("// mended\n")
    assert set(build(workshop.request(three)).ran) == {"operators", "wheel"}
    assert compiled(three) == ["TinyThree"] * 4


def test_without_it_the_first_failure_ends_the_build(three: Path, workshop: Workshop) -> None:
    (three / "op_kernel/tiny_copy_kernel.h").write_text("// BROKEN\n")
    (three / "csrc/adapter.cpp").write_text("#error wrong\n")
    with pytest.raises(BuildError, match=r"^(csrc/ does not compile|op_host or op_kernel did not build)$"):
        build(workshop.request(three))


def test_keep_going_with_a_failure_of_another_kind(three: Path, workshop: Workshop) -> None:
    (three / "op_kernel/tiny_copy_kernel.h").write_text("// BROKEN\n")
    request = workshop.request(three, keep_going=True)
    with pytest.MonkeyPatch.context() as patch:

        def fail(*_: object) -> None:
            raise EnvironmentProblem("torch is not there")

        patch.setattr("opforge.build.step_actions.require_torch", fail)
        with pytest.raises(BuildError) as caught:
            build(request)
    assert "torch is not there" in (caught.value.detail or "")
    assert "TinyCopy" in (caught.value.detail or "")
    assert compiled(three) == sorted([*OPS] * 4)


def test_json_has_the_place_of_each_failure(
    three: Path, workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    (three / "op_kernel/tiny_two_kernel.h").write_text("// BROKEN\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("opforge.cli.build.make_request", lambda *_: workshop.request(three))
        assert cli.run(["build", "--keep-going", "--json"]) == 8
        (problem,) = json.loads(capsys.readouterr().out)["error"]["problems"]
        assert (problem["file"], problem["line"]) == ("op_kernel/tiny_two.cpp", 1)
        assert cli.run(["build", "--only", "TinyCopy", "--soc", "ascend910b", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
    del told["seconds"]
    assert told == {
        "schema": 1,
        "complete": False,
        "ops": ["TinyCopy"],
        "socs": ["ascend910b"],
        "kernels": 2,
        "dist": "dist/ holds no complete build",
    }
