"""The values that every floor uses: errors, file sets, dtypes, SoCs, names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from opforge import errors
from opforge.dtypes import ALIASES, COMPUTE_DTYPES, DTYPES, KERNEL_DTYPES
from opforge.errors import InternalError, Location, OpforgeError, Problem, SpecError
from opforge.fileset import File, FileSet
from opforge.naming import lower_camel, snake, upper_camel
from opforge.progress import Silent
from opforge.soc import DEFAULT, SOCS, SUPPORTED, soc_of_version


def test_every_class_of_error_has_an_exit_code_of_its_own() -> None:
    classes = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, OpforgeError)]
    codes = {c.__name__: c.exit_code for c in classes}
    assert len(set(codes.values())) == len(codes), codes
    assert all(0 < code < 126 for code in codes.values())


def test_an_error_shows_what_detail_and_hint() -> None:
    error = OpforgeError("it broke", detail="line 1\nline 2\n\n", hint="mend it")
    assert error.render() == "error: it broke\nline 1\nline 2\n  help: mend it"
    assert str(error) == "it broke"
    assert InternalError("oops").render() == "internal error: oops"


def test_a_problem_points_at_its_place_also_behind_tabs() -> None:
    where = Location(Path("opforge.yaml"), 12, 3, 4)
    problem = Problem("wrong", where, "\tcause: x", "right it")
    assert problem.render() == ("opforge.yaml:12:3: wrong\n 12 | \tcause: x\n    | \t ^^^^\n  help: right it")
    assert Problem("wrong").render() == "wrong"
    assert str(Location(None, 1, 2)) == "<command line>:1:2"


def test_problems_are_counted() -> None:
    assert SpecError([Problem("a")]).render() == "error: a"
    assert SpecError((Problem("a"), Problem("b"))).render() == "error: a\nerror: b\n2 errors"


def file(path: str, text: str = "") -> File:
    return File(PurePosixPath(path), text, "test")


def test_a_file_set_is_ordered_and_has_no_path_twice() -> None:
    files = FileSet.of(file("b/x"), file("a")) | FileSet.of(file("b/a"))
    assert [str(f.path) for f in files] == ["a", "b/a", "b/x"]
    assert len(files) == 3
    with pytest.raises(InternalError, match="two forms render a: test and test"):
        FileSet.of(file("a"), file("a"))


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x"])
def test_no_file_leaves_the_project(path: str) -> None:
    with pytest.raises(InternalError, match="leaves the project"):
        FileSet.of(file(path))


def test_a_files_hash_is_that_of_its_utf8_text() -> None:
    # sha256 of "a\n", by sha256sum
    assert file("x", "a\n").sha256 == "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"


def test_dtypes_are_spelled_once_in_each_layer() -> None:
    for column in ("name", "ge", "acl", "torch"):
        values = [spelled for d in DTYPES.values() if (spelled := getattr(d, column)) != ""]
        assert len(set(values)) == len(values), column
    assert {name: d.name for name, d in DTYPES.items()} == {name: name for name in DTYPES}
    assert set(COMPUTE_DTYPES) <= set(KERNEL_DTYPES) <= set(DTYPES)
    assert all(DTYPES[name].kernel and DTYPES[name].torch for name in KERNEL_DTYPES)
    assert not set(ALIASES) & set(DTYPES)
    assert set(ALIASES.values()) <= set(DTYPES)


@pytest.mark.torch
def test_dtypes_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    for dtype in DTYPES.values():
        if not dtype.torch:
            continue
        theirs = getattr(torch, dtype.torch)
        assert theirs.itemsize == dtype.size
        assert theirs.is_floating_point == dtype.floating


def test_socs_are_complete() -> None:
    versions = [v.name for soc in SOCS.values() for v in soc.versions]
    assert len(set(versions)) == len(versions)
    assert SUPPORTED == ("ascend910b", "ascend910_93", "ascend310p", "ascend950")
    assert set(DEFAULT) < set(SUPPORTED)
    for name, soc in SOCS.items():
        assert name == soc.name == name.lower()
        assert soc.default_version is soc.versions[0]
        assert all(soc_of_version(v.name.upper()) is soc for v in soc.versions)
        assert all(v.vector_cores >= 1 for v in soc.versions)
        assert min(soc.ub, soc.l1, soc.l0a, soc.l0b, soc.l0c) >= 64 * 1024
        assert set(soc.dtypes) <= set(DTYPES)
        if soc.name in DEFAULT:
            assert set(KERNEL_DTYPES) <= set(soc.dtypes)
        assert all(DTYPES[dtype].kernel for dtype in soc.dtypes)
    assert soc_of_version("Ascend999") is None


# By op_build of CANN (asc-devkit tools/build/opbuild) and by hand from its rule.
@pytest.mark.parametrize(
    ("op_type", "file_stem"),
    [
        ("VectorAdd", "vector_add"),
        ("SwiGLU", "swi_glu"),
        ("RMSNormX", "rms_norm_x"),
        ("SwiGLUGrad2D", "swi_glu_grad2_d"),
        ("Add2", "add2"),
        ("A", "a"),
        ("AB", "ab"),
        ("ABc", "a_bc"),
        ("GoogLeNet", "goog_le_net"),
        ("X3Y", "x3_y"),
    ],
)
def test_snake_is_canns(op_type: str, file_stem: str) -> None:
    assert snake(op_type) == file_stem


def test_camels() -> None:
    assert [lower_camel(n) for n in ("x", "in_3_d", "w_gate", "a1_b2")] == ["x", "in3D", "wGate", "a1B2"]
    assert [upper_camel(n) for n in ("x", "vector_add")] == ["X", "VectorAdd"]


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    silent = Silent()
    silent.start("compile", "changed")
    silent.finish("compile", "done")
    silent.note("why")
    assert capsys.readouterr() == ("", "")


def test_from_options_to_graph_nothing_heavy_is_imported() -> None:
    """``opforge new`` has a quarter of a second."""
    code = """
        import sys
        from opforge.ir.op_graphs import build_graphs
        from opforge.ir.differentiate import differentiate
        from opforge.ir.graph_printer import print_graph
        from opforge.spec.yaml_printer import print_spec
        from opforge.spec.read.command_line import spec_from_options
        spec = spec_from_options("VectorAdd", ("x", "y"))
        print_spec(spec), build_graphs(spec)
        heavy = {"torch", "numpy", "jinja2", "copier", "rich", "difflib", "subprocess", "importlib.metadata", "logging"}
        print(sorted(heavy & set(sys.modules)))
    """
    lines = "\n".join(line.strip() for line in code.splitlines())
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{lines}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
