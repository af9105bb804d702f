"""The generated text: goldens, its layout, and what compiles it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import pytest
from generated_ops import PRODUCTS, ROOT, GeneratedOps, ascendc_files, op, program_of
from integer_ops import INTEGERS
from language_ops import REMAINDERS
from typed_ops import TYPED

from opforge.ir.graph import OPERATORS
from opforge.kinds import kernel_of
from opforge.naming import snake
from opforge.plan.vector_model import Argument, Plan
from opforge.render.ascendc.cpp_names import OWN_NAMES, tensor_names
from opforge.render.ascendc.instruction_spelling import CALLS, float_literal, int_literal, string_literal
from opforge.render.ascendc.scalars import SPELLINGS
from opforge.render.layout import assign, comment, fill
from opforge.soc import SOCS
from opforge.spec.check.names import check_variable
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from opforge.spec.source import Token
from tests.parsed import graph_of

pytestmark = pytest.mark.torch

GATE = op(
    "GateScale",
    "u = silu(x) * alpha\nv = u / gate_weight - minimum(y, beta + 1.0)",
    ["x", "y", "gate_weight"],
    [
        AttrSpec("beta", "int"),
        AttrSpec("alpha", "float", 0.1),
        AttrSpec("mode", "str", "a"),
        AttrSpec("fast", "bool", True),
    ],
)
LONG = op(
    "AVeryLongOperatorName",
    "result_of_everything = maximum(first_input_tensor, second_input_tensor) + third_input_tensor * fourth_input_tensor"
    " - fifth_input_tensor / sixth_input_tensor",
    [f"{n}_input_tensor" for n in ("first", "second", "third", "fourth", "fifth", "sixth")],
)
ADD = op("VectorAdd", "z = x + y", ["x", "y"])


def rendered(spec: OpSpec) -> dict[str, str]:
    """The op's files by path, as the only op of a project."""
    return {str(f.path): f.text for f in ascendc_files(program_of([spec]))}


def test_what_fills_rows_is_copied_and_read_before_the_rest() -> None:
    inputs = (TensorSpec("x", ("float16",), ("...", "H")), TensorSpec("c", ("float16",), ("...", "1")))
    spec = OpSpec("Scale", inputs, (), (TensorSpec("y", ("float16",), ("...", "H")),), "y = x * c")
    kernel = rendered(spec)["op_kernel/scale_kernel.h"]
    for call in ("CopyIn(tile", "DeQue("):
        assert kernel.index(f"inQueueC.{call}") < kernel.index(f"inQueueX.{call}")
    host = rendered(spec)["op_host/scale_host_tiling.h"]
    assert host.index("collapsed.strides[0]") < host.index("collapsed.strides[1]")  # inputs keep their places


@pytest.mark.parametrize(
    "path",
    [
        "op_host/gate_scale.cpp",
        "op_host/gate_scale_host_tiling.h",
        "op_kernel/gate_scale.cpp",
        "op_kernel/gate_scale_kernel.h",
        "op_kernel/gate_scale_tiling.h",
        "aclnn/call_gate_scale.cpp",
        "aclnn/gate_scale_direct.cpp",
        "aclnn/opforge/golden_gate_scale.h",
        "aclnn/launch_gate_scale.cpp",
        "aclnn/CMakeLists.txt",
    ],
)
def test_golden(path: str, golden) -> None:
    golden(f"{path}.txt", rendered(GATE)[path])


@pytest.mark.parametrize("spec", [ADD, GATE, LONG], ids=lambda spec: spec.type)
def test_clang_format_changes_nothing(spec: OpSpec, tmp_path: Path) -> None:
    program = shutil.which("clang-format") or Path(sys.executable).with_name("clang-format")
    for path, text in rendered(spec).items():
        if path.endswith((".cpp", ".h")):
            done = subprocess.run(
                [program, f"--style=file:{ROOT / '.clang-format'}", f"--assume-filename={tmp_path / Path(path).name}"],
                input=text, capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert done.stdout == text, path


# Called like each other's queues and local tensors, and like what the kernel calls its own.
NEAR = ["x", "x_local", "in_queue_x", "tmp_local0", "op", "pipe", "tile", "tile_buffer"]
NEAR_OP = op("Near", f"z = {' + '.join(NEAR)}", NEAR)


def test_names_from_tensors_meet_neither_each_other_nor_the_kernels_own() -> None:
    form = (ROOT / "templates/code/ascendc/kinds/elementwise/kernel.h").read_text(encoding="utf-8")
    own = set(re.findall(r"\w+", re.sub(r"{[{%].*?[%}]}", "", form)))
    names = [
        name
        for tensor in (*(Argument(each, ("float32",)) for each in NEAR), Argument("z", ("float32",), output=True))
        for name in astuple(tensor_names(tensor))[2:]
    ]
    assert sorted(names) == sorted({*names} - own)


@pytest.mark.parametrize("spec", [NEAR_OP, PRODUCTS[-1]], ids=["elementwise", "products"])
def test_nothing_beside_a_parameter_could_be_another_tensor(spec: OpSpec) -> None:
    """Where parameters have the tensors' own names, variables are two words, or names that no parameter has."""
    files = rendered(spec)
    stem = snake(spec.type)
    init = files[f"op_kernel/{stem}_kernel.h"].partition("Init(")[2].partition("\n    }\n")[0]
    text = re.sub(r"//.*|\".*\"", "", files[f"op_kernel/{stem}.cpp"] + init)
    words = set(re.findall(r"(?<![\w.#:>])[a-z][a-z0-9_]*\b(?!::|<)", text))
    tensors = {f"{t.name}_" if t.name in OWN_NAMES else t.name for t in (*spec.inputs, *spec.outputs)}
    assert tensors <= words
    free = {word for word in words - tensors - {stem} if not check_variable(Token(word, None, 1, 1, word), "input")}
    assert free <= set(OWN_NAMES)


def test_the_files_of_a_project() -> None:
    files = ascendc_files(program_of([ADD, GATE], ["ascend910b"]))
    assert sorted(str(file.path) for file in files) == [
        "aclnn/CMakeLists.txt",
        "aclnn/call_gate_scale.cpp",
        "aclnn/call_vector_add.cpp",
        "aclnn/gate_scale_direct.cpp",
        "aclnn/launch_gate_scale.cpp",
        "aclnn/launch_vector_add.cpp",
        "aclnn/opforge/acl_call.h",
        "aclnn/opforge/acl_tensor.h",
        "aclnn/opforge/gate_scale_direct.h",
        "aclnn/opforge/golden_gate_scale.h",
        "aclnn/opforge/golden_vector_add.h",
        "aclnn/opforge/host_tensor.h",
        "aclnn/opforge/trial.h",
        "aclnn/opforge/vector_add_direct.h",
        "aclnn/vector_add_direct.cpp",
        "op_host/gate_scale.cpp",
        "op_host/gate_scale_host_tiling.h",
        "op_host/opforge/collapse.h",
        "op_host/opforge/elementwise.h",
        "op_host/opforge/host_tiling.h",
        "op_host/opforge/op_context.h",
        "op_host/vector_add.cpp",
        "op_host/vector_add_host_tiling.h",
        "op_kernel/gate_scale.cpp",
        "op_kernel/gate_scale_kernel.h",
        "op_kernel/gate_scale_tiling.h",
        "op_kernel/opforge/tile_io.h",
        "op_kernel/vector_add.cpp",
        "op_kernel/vector_add_kernel.h",
        "op_kernel/vector_add_tiling.h",
    ]


@pytest.mark.compiler
def test_op_build_reads_the_definitions_back(ops: GeneratedOps, toolkit_root: Path, tmp_path: Path) -> None:
    """op_host as the real build compiles it for op_build, and what op_build makes of it."""
    include, library = toolkit_root / "include", tmp_path / "libascend_all_ops.so"
    sources = [ops.folder / "op_host" / name for name in ("scalars.cpp", "vector_add.cpp")]
    flags = [
        "-std=c++11",
        "-D_GLIBCXX_USE_CXX11_ABI=0",
        "-fPIC",
        "-shared",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{include}",
    ]
    libraries = [f"-L{toolkit_root / 'lib64'}", "-lexe_graph", "-lregister", "-ltiling_api"]
    subprocess.run(["g++", *flags, *sources, "-o", library, *libraries], check=True)
    found = {"LD_LIBRARY_PATH": str(toolkit_root / "lib64")}
    subprocess.run([toolkit_root / "tools/opbuild/op_build", library, tmp_path], check=True, env=found)
    header = " ".join((tmp_path / "aclnn_scalars.h").read_text(encoding="utf-8").split())
    assert (
        "aclnnScalarsGetWorkspaceSize( const aclTensor *x, const aclTensor *y, double alpha, int64_t count, "
        "const aclTensor *zOut, const aclTensor *wOut, uint64_t *workspaceSize, aclOpExecutor **executor);"
    ) in header
    for soc in ("ascend910b", "ascend910_93"):
        ini = (tmp_path / f"aic-{soc}-ops-info.ini").read_text(encoding="utf-8")
        assert "[VectorAdd]" in ini
        assert "input0.dtype=float16,bfloat16,float32" in ini
        assert "dynamicShapeSupport.flag=true" in ini


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0f"),
        (0.1, "0.1f"),
        (-2.5, "-2.5f"),
        (-0.0, "-0.0f"),
        (1e-5, "1e-05f"),
        (1e20, "1e+20f"),
        (1e-45, "1e-45f"),
        (16777216.0, "16777216.0f"),
        (3.4028234663852886e38, "3.4028235e+38f"),
    ],
)
def test_float_literal(value: float, text: str) -> None:
    assert float_literal(value) == text


def test_float_literal_of_what_is_no_number() -> None:
    for value in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match=r"inf|nan"):
            float_literal(value)


def test_other_literals() -> None:
    assert int_literal(-5) == "-5"
    assert int_literal(-(2**63)) == "(-9223372036854775807 - 1)"
    assert string_literal('a"b\\c\n\u00e9') == '"a\\"b\\\\c\\n\u00e9"'


def test_lines_are_filled() -> None:
    assert fill("f(", ["a", "b"], ");") == "f(a, b);"
    assert fill("f(", [], ");") == "f();"
    long = ["x" * 50] * 3
    assert fill("f(", long, ")", indent=2) == f"f({long[0]}, {long[0]},\n    {long[0]})"
    many = ["y" * 30] * 5
    below = fill("g" * 60 + "(", many, ")", indent=2)
    assert below.splitlines() == ["g" * 60 + "(", f"      {', '.join(many[:3])},", f"      {', '.join(many[3:])})"]
    assert assign("int a", "f(", ["b"], ");", indent=4) == "int a = f(b);"
    assert assign("int a", "f(", ["b" * 60, "c" * 45], ");", indent=4).startswith("int a =\n        f(b")
    assert comment("a" * 100 + " " + "b" * 30) == f"// {'a' * 100}\n// {'b' * 30}"


def test_the_table_of_host_spellings_misses_no_operator() -> None:
    assert {"cast", *OPERATORS} == set(SPELLINGS)


@pytest.mark.compiler
def test_every_spelled_call_is_compiled_and_run(ops: GeneratedOps) -> None:
    """Each op of the fixture runs in every dtype in test_kernels, others in tests of theirs."""
    typed = [kernel_of(each, (SOCS["ascend910b"],), graph_of(each)).plan for each in (*TYPED, *REMAINDERS, *INTEGERS)]
    plans = [plan for plan in (*ops.plans.values(), *typed) if isinstance(plan, Plan)]
    assert {i.name for plan in plans for i in plan.instructions} == set(CALLS)


def test_an_output_type_that_no_input_has() -> None:
    tensors = (TensorSpec("x", ("float16", "float32")), TensorSpec("y", ("float32", "float32")))
    spec = OpSpec("Odd", tensors, (), (TensorSpec("z", ("float32", "float16")),), "z = x + y")
    assert "context->SetOutputDataType(0, kTypes[column][kInputs + 0]);" in rendered(spec)["op_host/odd.cpp"]
