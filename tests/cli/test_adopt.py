"""``opforge adopt``, as a user types it: what it writes, what it leaves alone, and what it refuses."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from opforge.build.request import BuildRequest
from opforge.build.run_package import copy_sources
from opforge.build.skeleton import make_skeleton
from opforge.build.toolkits import simulated
from opforge.errors import BuildError
from opforge.kinds import derive
from opforge.scaffold import adopted_files
from opforge.scaffold.disk import write_text
from opforge.spec.read.parse import load_spec
from tests.cli.adopting import PROTOTYPE, Run, files, operator
from tests.conftest import CACHE

pytestmark = [pytest.mark.compiler, pytest.mark.usefixtures("toolkit_root")]

SPEC = """edition: 2
project: {name: scaled, package: scaled, vendor: scaled, version: 0.1.0, soc: [ascend910b]}
ops:
  ScaledX:
    inputs:
      x:    {shape: [...], dtype: [float32, float16]}
      bias: {shape: [...bias], dtype: [float32], optional: true}
    attrs:
      alpha: {type: float, default: 0.5}
      axes:  {type: list_int}
    outputs:
      y: {shape: [...], dtype: [float32, float16]}
    sources: [op_host/scaled_x.cpp, op_kernel/scaled_x.cpp]
"""


def test_a_project_of_msopgen(tmp_path: Path, opforge: Run) -> None:
    project = tmp_path / "mit Übung und Raum"
    operator(project, "ScaledX", "scaled_x", '.AddConfig("ascend910b").AddConfig("ascend910")')
    (project / "README.md").write_text("its own\n")
    before = files(project)
    code, out, err = opforge("adopt", project.name, "--package", "scaled")
    assert (code, out) == (0, "")
    assert "ScaledX(x, bias, alpha=0.5, axes) -> y: its kernel is op_kernel/scaled_x.cpp\n" in err
    assert "kept unchanged: README.md\n" in err
    assert "note: the definitions also have ascend910\n" in err
    after = files(project)
    assert {name: after[name] for name in before} == before
    assert after["opforge.yaml"].decode() == SPEC
    assert not [name for name in after.keys() - before.keys() if name.startswith(("op_host", "op_kernel"))]
    assert opforge("status", "--project", str(project))[0] == 0
    changed = SPEC.replace("default: 0.5", "default: 0.25")
    (project / "opforge.yaml").write_text(changed)
    assert opforge("update", "--project", str(project))[0] == 0
    assert opforge("status", "--project", str(project))[0] == 0
    assert (project / "README.md").read_text() == "its own\n"
    code, _, err = opforge("adopt", project.name)
    assert code == 5
    assert "has an opforge.yaml already" in err


def test_the_page_shows_what_happens(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "scaled_x", "ScaledX", "scaled_x", '.AddConfig("ascend910b").AddConfig("ascend910")')
    (tmp_path / "scaled_x" / "README.md").write_text("its own\n")
    said = opforge("adopt", "scaled_x")[2]
    spec = (tmp_path / "scaled_x" / "opforge.yaml").read_text()
    shown = f"$ opforge adopt scaled_x\n{said}\n$ cat scaled_x/opforge.yaml\n{spec}"
    page = (Path(__file__).parents[2] / "docs" / "adopt.md").read_text()
    assert textwrap.indent(shown, "    ") in page


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, opforge: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    before = files(tmp_path / "mine")

    def full(path: Path, text: str, *, executable: bool = False) -> None:
        if path.name == "adapter.cpp" and ".new" not in str(path):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_text(path, text, executable=executable)

    monkeypatch.setattr(adopted_files, "write_text", full)
    code, _, err = opforge("adopt", "mine")
    assert (code, "No space left on device" in err) == (1, True)
    assert files(tmp_path / "mine") == before
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"op_host", "op_kernel"}
    (tmp_path / "mine" / ".opforge").mkdir()
    (tmp_path / "mine" / ".opforge" / "lock.json").write_text("{}")
    code, _, err = opforge("adopt", "mine")
    assert (code, "another opforge may be running there" in err) == (5, True)
    assert files(tmp_path / "mine") == {**before, ".opforge/lock.json": b"{}"}


def test_a_collection(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "all" / "math" / "first", "FirstOp", "first_op", '.AddConfig("ascend910b")')
    both = '.AddConfig("ascend910b").AddConfig("ascend910_93")'
    operator(tmp_path / "all" / "second", "SecondOp", "second_op", both)
    golden = "def second_op(x, bias, alpha, axes):\n    return x\n"
    (tmp_path / "all" / "second" / "reference.py").write_text(golden)
    (tmp_path / "all" / "tests" / "op_host").mkdir(parents=True)
    operator(tmp_path / "all" / "third", "ThirdOp", "third_op")
    host = tmp_path / "all" / "third" / "op_host" / "third_op.cpp"
    host.write_text(host.read_text().replace("ge::DT_FLOAT, ge::DT_FLOAT16", "ge::DT_INT4, ge::DT_INT4"))
    code, _, err = opforge("adopt", "all", "--package", "pair")
    assert code == 5
    assert "ThirdOp: ThirdOp: torch has no dtype int4 of x" in err
    code, out, _ = opforge("adopt", "all", "--package", "pair", "--keep-going", "--json")
    assert code == 0
    assert json.loads(out)["ops"] == ["FirstOp", "SecondOp"]
    spec = load_spec(tmp_path / "all" / "opforge.yaml")
    assert spec.project.soc == ("ascend910b",)
    first, second = spec.ops
    assert first.sources == ("math/first/op_host/first_op.cpp", "math/first/op_kernel/first_op.cpp")
    assert (first.reference, second.reference) == (None, "golden_second_op:second_op")
    assert (tmp_path / "all" / "python" / "pair" / "golden_second_op.py").read_text() == golden
    assert not (tmp_path / "all" / "op_host").exists()


def test_a_definition_without_an_output_changes_its_first_input(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "op", "ChangedOp", "changed_op")
    host = tmp_path / "op" / "op_host" / "changed_op.cpp"
    lines = host.read_text().splitlines()
    host.write_text("\n".join(line for line in lines if "Output(" not in line and "GetOutputShape" not in line))
    code, _, err = opforge("adopt", "op")
    assert code == 0, err
    assert "ChangedOp has no output: x, its first input, is taken for the tensor it changes" in err
    (op,) = load_spec(tmp_path / "op" / "opforge.yaml").ops
    assert [(tensor.name, tensor.inplace) for tensor in op.outputs] == [("x_out", "x")]


def test_a_named_folder_is_an_operator_wherever_it_is(tmp_path: Path, opforge: Run) -> None:
    """Folders of examples are left out of a collection, unless somebody names one."""
    operator(tmp_path / "all" / "examples" / "deep" / "below" / "it" / "all" / "of" / "one", "FirstOp", "first_op")
    code, _, err = opforge("adopt", "all")
    assert (code, "contains no operator project" in err) == (5, True)
    folder = "examples/deep/below/it/all/of/one"
    code, out, err = opforge("adopt", "all", "--only", folder, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["ops"] == ["FirstOp"]
    assert load_spec(tmp_path / "all" / "opforge.yaml").ops[0].sources[0] == f"{folder}/op_host/first_op.cpp"


def test_shapes_are_those_that_infer_shape_gives(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "all" / "summed", "SummedOp", "summed_op")
    host = tmp_path / "all" / "summed" / "op_host" / "summed_op.cpp"
    shape = "*context->GetOutputShape(0) = *context->GetInputShape(0);"
    halved = "gert::Shape* y = context->GetOutputShape(0);\n    y->SetDim(y->GetDimNum() - 1, y->GetDim(0) / 2);"
    host.write_text(host.read_text().replace(shape, f"{shape}\n    {halved}"))
    operator(tmp_path / "all" / "crashing", "CrashingOp", "crashing_op")
    host = tmp_path / "all" / "crashing" / "op_host" / "crashing_op.cpp"
    host.write_text(host.read_text().replace(shape, "*(volatile int*)0 = 0;"))
    operator(tmp_path / "all" / "last", "LastOp", "last_op")
    host = tmp_path / "all" / "last" / "op_host" / "last_op.cpp"
    one = "gert::Shape* y = context->GetOutputShape(0);\n    y->SetDim(y->GetDimNum() - 1, 1);"
    host.write_text(host.read_text().replace(shape, f"{shape}\n    {one}"))
    code, _, err = opforge("adopt", "all", "--package", "shapes")
    assert code == 0
    notes = [line for line in err.splitlines() if line.startswith("note: write the shape")]
    own = "in opforge.yaml:"
    assert notes == [
        f"note: write the shape of CrashingOp's y {own} InferShape refused every shape that opforge tried",
        f"note: write the shape of SummedOp's y {own} opforge found no formula; InferShape gives [50] for x [101], "
        "bias [101]",
    ]
    text = (tmp_path / "all" / "opforge.yaml").read_text()
    assert (
        "    outputs:\n      # y: write its shape; InferShape refused every shape that opforge tried\n      y: " in text
    )
    assert text.count("write its shape") == 2
    assert opforge("status", "--project", "all")[0] == 0
    last = next(op for op in load_spec(tmp_path / "all" / "opforge.yaml").ops if op.type == "LastOp")
    assert [tensor.dims for tensor in (*last.inputs, *last.outputs)] == [("...", "N"), ("...bias",), ("...", "1")]


def test_a_prototype_of_msopgen_is_what_msopgen_makes_of_it(tmp_path: Path, opforge: Run, toolkit_root: Path) -> None:
    (tmp_path / "scaled.json").write_text(json.dumps([PROTOTYPE]))
    code, out, err = opforge("adopt", "scaled.json", "--soc", "ai_core-Ascend910B1", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["root"] == str(tmp_path / "scaled_custom")
    mine = load_spec(tmp_path / "scaled_custom" / "opforge.yaml")
    words = ["gen", "-i", "scaled.json", "-f", "pytorch", "-c", "ai_core-Ascend910B1", "-lan", "cpp", "-out", "theirs"]
    subprocess.run([sys.executable, toolkit_root / "bin" / "msopgen", *words], cwd=tmp_path, check=True)
    assert opforge("adopt", "theirs", "--package", "scaled_custom")[0] == 0
    theirs = load_spec(tmp_path / "theirs" / "opforge.yaml")
    assert theirs.project == mine.project
    (made,) = theirs.ops  # the InferShape of msOpGen asks nothing of further inputs; a prototype has no shapes
    assert [tensor.dims for tensor in made.inputs] == [("...",), ("...ys",), ("...bias",)]
    inputs = tuple(replace(tensor, dims=("...",)) for tensor in made.inputs)
    assert [replace(made, inputs=inputs, sources=())] == list(mine.ops)
    again = opforge("adopt", "scaled.json")
    assert (again[0], "exists already" in again[2]) == (5, True)


def test_a_golden_made_of_an_expression(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    text = host.read_text().replace("OPTIONAL).DataType", "REQUIRED).DataType")
    host.write_text(text.replace('this->Attr("axes").AttrType(REQUIRED).ListInt();', ""))
    golden = tmp_path / "mine" / "references" / "scaled_x.py"
    golden.parent.mkdir()
    golden.symlink_to("/etc/passwd")
    assert f"{golden} is a link that leads out of {tmp_path / 'mine'}, to /etc/passwd" in opforge("adopt", "mine")[2]
    golden.unlink()
    code, _, err = opforge("adopt", "mine", "--compute", "y = alpha * q + bias")
    assert (code, "`q`" in err, (tmp_path / "mine" / "opforge.yaml").exists()) == (5, True, False)
    code, _, err = opforge("adopt", "mine", "--compute", "ScaledX: y = alpha * x + bias")
    assert code == 0, err
    (op,) = load_spec(tmp_path / "mine" / "opforge.yaml").ops
    assert (op.compute, op.reference) == ("", "golden_scaled_x:scaled_x")
    module = (tmp_path / "mine" / "python" / "mine" / "golden_scaled_x.py").read_text()
    assert "\ndef scaled_x(" in module
    assert "alpha * x + bias" in module


def test_what_no_prototype_can_say_has_cmake_files_too(tmp_path: Path, opforge: Run, toolkit_root: Path) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    host.write_text(host.read_text().replace("DT_FLOAT16", "DT_DOUBLE"))
    assert opforge("adopt", "mine")[0] == 0
    spec = load_spec(tmp_path / "mine" / "opforge.yaml")
    assert spec.ops[0].inputs[0].dtypes == ("float32", "float64")
    request = BuildRequest(tmp_path / "mine", dict(os.environ), CACHE)
    origin = make_skeleton(request, derive(spec), simulated(toolkit_root, "test"), tmp_path / "skeleton")
    assert origin == "opforge's own form"
    assert (tmp_path / "skeleton" / "op_kernel" / "CMakeLists.txt").is_file()


def repository(root: Path) -> Path:
    """An op in a folder of a repository whose ops share headers, one of them with its C++ file."""
    unit = root / "nn" / "scaled"
    operator(unit, "ScaledX", "scaled_x")
    host, kernel = unit / "op_host" / "scaled_x.cpp", unit / "op_kernel" / "scaled_x.cpp"
    host.write_text('#include "op_host/shared.h"\nstatic const int kShared = Shared();\n' + host.read_text())
    kernel.write_text('#include <vector>\n#include "tile.h"\n#include "../../helpers/more.h"\n' + kernel.read_text())
    for name, text in (
        ("LICENSE", ""),
        ("common/inc/op_host/shared.h", "int Shared();\n"),
        ("common/src/op_host/shared.cpp", '#include "op_host/shared.h"\nint Shared() { return 1; }\n'),
        ("common/inc/tile.h", "// of kernels\n"),
        ("tests/stub/tile.h", "// another\n"),
        ("nn/scaled/op_kernel/arch35/tile.h", "// of another architecture\n"),
        ("nn/helpers/more.h", "// beside the op\n"),
        ("nn/helpers/notes.md", "no header\n"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return unit


def test_headers_of_a_repository_are_found(tmp_path: Path, opforge: Run) -> None:
    unit = repository(tmp_path / "repo")
    code, _, err = opforge("adopt", "repo/nn/scaled")
    assert code == 5
    assert "includes ../../common/src/op_host/shared.cpp, ../helpers/more.h, which the project does not have" in err
    assert "adopt the repository, with only this op: opforge adopt repo --only nn/scaled" in err
    code, _, err = opforge("adopt", "repo", "--only", "nn/scaled", "--only", "nn/other", "--package", "scaled")
    assert code == 5
    assert "has no operator in nn/other" in err
    assert "folders with op_host and op_kernel are nn/scaled" in err

    code, _, err = opforge("adopt", "repo", "--only", "nn/scaled", "--package", "scaled")
    assert code == 0, err
    spec = load_spec(tmp_path / "repo" / "opforge.yaml")
    assert spec.project.include == ("common/inc", "nn/helpers")
    (op,) = spec.ops
    assert op.sources[2:] == ("common/src/op_host/shared.cpp",)
    build = tmp_path / "build"
    copy_sources(tmp_path / "repo", build, [op], spec.project.include)
    copied = {str(path.relative_to(build)) for path in build.rglob("*") if path.is_file()}
    assert {"op_kernel/common/inc/tile.h", "op_kernel/nn/helpers/more.h", "op_host/common_src_shared.cpp"} <= copied
    assert "op_kernel/nn/helpers/notes.md" not in copied
    with pytest.raises(BuildError, match=r"opforge\.yaml includes from common/in, which does not exist"):
        copy_sources(tmp_path / "repo", build, [op], ["common/in"])

    # What needs no file of the repository but headers can stand alone.
    (unit / "op_kernel" / "scaled_x.cpp").write_text('#include "tile.h"\n')
    (tmp_path / "repo" / "common" / "src" / "op_host" / "shared.cpp").unlink()
    (tmp_path / "repo" / "common" / "inc" / "op_host" / "shared.h").write_text(
        "static inline int Shared() { return 1; }\n"
    )
    assert opforge("adopt", "repo/nn/scaled")[0] == 0
    spec = load_spec(unit / "opforge.yaml")
    assert spec.project.include == ("../../common/inc",)
    copy_sources(unit, tmp_path / "alone", spec.ops, spec.project.include)
    assert (tmp_path / "alone" / "op_kernel" / "included_from_above" / "common" / "inc" / "tile.h").is_file()


FOR = "for inputs of [101], [101]"
SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param("*out = *in; return GRAPH_SUCCESS;", "", marks=SLOW),
        (
            "int64_t none = in->GetMin()->GetDim(0) - 101; none = 7 / none; *out = *in; return (graphStatus)none;",
            f"crashed {FOR}, where InferShape does not",
        ),
        pytest.param(
            "return in == out ? GRAPH_SUCCESS : GRAPH_FAILED;",
            f"failed {FOR}, where InferShape does not",
            marks=SLOW,
        ),
        pytest.param(
            "*out->GetMin() = Shape({1}); out->SetMax(out->GetMin()); return GRAPH_SUCCESS;",
            f"gives y [1] to [1] {FOR}, and InferShape [101]",
            marks=SLOW,
        ),
        pytest.param(
            "*out->GetMin() = *in->GetMin(); *out->GetMax() = *in->GetMax(); out->GetMax()->SetDim(0, -1);"
            "return GRAPH_SUCCESS;",
            "",
            marks=SLOW,
        ),
    ],
    ids=["right", "crashes", "fails", "narrow", "open"],
)
def test_ranges_that_infer_shape_is_outside_of(tmp_path: Path, opforge: Run, body: str, said: str) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    function = f"""static graphStatus Ranges(gert::InferShapeRangeContext* context) {{
    using gert::Shape;
    const gert::Range<Shape>* in = context->GetInputShapeRange(0);
    gert::Range<Shape>* out = context->GetOutputShapeRange(0);
    {body}
}}
}}  // namespace ge
"""
    text = host.read_text().replace("InferShape);", "InferShape).SetInferShapeRange(ge::Ranges);")
    host.write_text(text.replace("}  // namespace ge\n", function, 1))
    code, _, err = opforge("adopt", "mine", "--dry-run")
    assert code == 0, err
    assert [line for line in err.splitlines() if "InferShapeRange" in line] == (
        [f"note: InferShapeRange of ScaledX {said}: only graphs call it"] if said else []
    )


def test_dtypes_that_infer_data_type_gives_otherwise(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    function = """static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0) == DT_FLOAT16 ? %s : DT_FLOAT);
}
}  // namespace ge
"""
    text = host.read_text().replace("InferShape);", "InferShape).SetInferDataType(ge::InferDataType);")
    host.write_text(text.replace("}  // namespace ge\n", function % "DT_FLOAT", 1))
    code, _, err = opforge("adopt", "mine", "--dry-run")
    assert code == 0
    assert (
        "note: InferDataType of ScaledX gives y float32 for float16, float32, and the definition has float16: "
        "calls follow the definition, graphs InferDataType\n" in err
    )
    host.write_text(text.replace("}  // namespace ge\n", function % "DT_FLOAT16", 1))
    assert "InferDataType" not in opforge("adopt", "mine", "--dry-run")[2]


def test_aclnn_functions_written_by_hand_are_no_part_of_an_op(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    by_hand = tmp_path / "mine" / "op_host" / "scaled.cpp"
    by_hand.write_text('#include "scaled.h"\nconst aclTensor* Scaled(aclOpExecutor* executor);\n')
    by_hand.with_suffix(".h").write_text('#include "opdev/op_executor.h"\n')
    (tmp_path / "mine" / "op_host" / "apart.cpp").write_text('#include "aclnn_kernels/cast.h"\n')
    assert opforge("adopt", "mine")[0] == 0
    (op,) = load_spec(tmp_path / "mine" / "opforge.yaml").ops
    assert op.sources == ("op_host/scaled_x.cpp", "op_kernel/scaled_x.cpp")


def test_a_header_of_another_folder_and_a_combination_that_stands_twice(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "all" / "nn" / "first", "FirstOp", "first_op")
    host = tmp_path / "all" / "nn" / "first" / "op_host" / "first_op.cpp"
    shared = tmp_path / "all" / "nn" / "shared" / "op_host" / "shared.h"
    shared.parent.mkdir(parents=True)
    shared.write_text("#define ALSO ge::DT_FLOAT\n")
    text = host.read_text().replace("ge::DT_FLOAT, ge::DT_FLOAT16", "ge::DT_FLOAT, ALSO")
    host.write_text('#include "../../shared/op_host/shared.h"\n' + text)
    (host.parent / "aclnn_first_op.cpp").write_text("this is an aclnn function written by hand\n")
    code, _, err = opforge("adopt", "all", "--package", "both")
    assert code == 0, err
    (op,) = load_spec(tmp_path / "all" / "opforge.yaml").ops
    assert [tensor.dtypes for tensor in (*op.inputs, *op.outputs)] == [("float32",)] * 3
    first = "nn/first/op_host/first_op.cpp", "nn/first/op_kernel/first_op.cpp"
    assert op.sources == (*first, "nn/shared/op_host/shared.h")
    copy_sources(tmp_path / "all", tmp_path / "build", [op])
    copied = {str(path.relative_to(tmp_path / "build")) for path in (tmp_path / "build").rglob("*") if path.is_file()}
    assert "op_kernel/nn/shared/op_host/shared.h" in copied
    assert (tmp_path / "build" / "op_host" / "nn_first_first_op.cpp").is_file()
    assert {path.name for path in (tmp_path / "build" / "op_host").iterdir()} == {"nn_first_first_op.cpp"}
