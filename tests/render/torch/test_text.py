"""The generated text: goldens, its layout, and the tables it is spelled by."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from torch_projects import (
    GATE_OPS,
    GATED_PAIR,
    KINDS,
    LINEAR,
    PRODUCT_OPS,
    REFERENCES,
    ROOT,
    SWIGLU,
    VECTOR_ADD,
    render,
    spec_of,
    write,
)

from opforge.dtypes import DTYPES
from opforge.ir.graph import BINARY, COMPARE, OPERATORS, TERNARY
from opforge.render.layout import (
    assign,
    cpp_rows,
    cpp_text,
    fill,
    python_call,
    python_collection,
    python_return,
    python_sum,
    python_unpacking,
)
from opforge.render.torch.adapter import SCALAR_TYPES
from opforge.render.torch.spelling import SCALAR, TENSOR, Names, number

PROJECTS = {"vector_add": VECTOR_ADD, "gated_pair": GATED_PAIR, "swiglu": SWIGLU, "linear": LINEAR}
TEXTS = {**PROJECTS, "gate_ops": GATE_OPS, "product_ops": PRODUCT_OPS, "kinds": KINDS, "references": REFERENCES}
# Projects that lack what others have: derivatives, modules, rules for autocast, parameters of any kind.
_HEAD = (
    "edition: 1\nproject: {name: few, package: few, vendor: few, version: 0.1.0, soc: [ascend910b]}\nops:\n  Only:\n"
)
FEW = {
    "in_place": "inputs: {x: {dtype: [float16]}, y: {}}, outputs: {z: {inplace: x}}, compute: 'z = x + y'",
    "no_rows": "inputs: {x: {shape: [K, M], dtype: [float32]}, w: {shape: [K, N]}}, compute: 'y = exp(x.T @ w)'",
    "by_hand": "inputs: {x: {shape: [..., H], dtype: [float32]}, w: {shape: [H]}}, outputs: {y: {shape: [..., H]}}",
    "nothing": "inputs: {x: {shape: [N, H], dtype: [float32]}}, outputs: {y: {shape: [H]}}, backward: false",
    "one_input": "inputs: {x: {dtype: [float32]}}, compute: 'y = x * x'",
    "one_way": "inputs: {x: {dtype: [float32]}}, compute: 'y = x * x', backward: false",
    "two_inputs": "inputs: {x: {dtype: [float16, float32]}, y: {}}, compute: 'z = x * y', backward: false",
    "product": "inputs: {x: {shape: [..., K], dtype: [float16]}, w: {shape: [K, N]}}, compute: 'z = x @ w'",
    "shared_sums": "inputs: {x: {shape: [..., K], dtype: [float16]}, w: {shape: [K, N]}}, batch_invariant: false, "
    "compute: 'z = x @ w'",
}
TEXTS |= {name: f"{_HEAD}    {{{text}}}\n" for name, text in FEW.items()}
EVERY_PROJECT = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
CSRC = ROOT / "templates" / "code" / "torch" / "csrc"


@pytest.mark.parametrize("name", PROJECTS)
def test_goldens(name: str, golden) -> None:
    files = render(spec_of(PROJECTS[name]))
    for file in files:
        form = (ROOT / "templates" / file.origin).read_text(encoding="utf-8")
        if file.text != form:  # the others are the form itself
            golden(f"{name}/{file.path}.txt", file.text)


def test_files_of_a_project() -> None:
    owned = "python/vector_add/_opforge"
    paths = {str(file.path) for file in render(spec_of(VECTOR_ADD))}
    assert paths == {
        "csrc/adapter.cpp",
        *(
            f"csrc/opforge/{name}"
            for name in (
                "aclnn_call.h",
                "argument_checks.h",
                "cann_runtime.h",
                "dtypes.h",
                "fallback.h",
                "npu_glue.cpp",
                "npu_glue.h",
            )
        ),
        *(
            f"python/vector_add/{name}"
            for name in ("__init__.py", "_modules.py", "_ops.py", "_reference.py", "py.typed")
        ),
        *(f"{owned}/{name}.py" for name in ("__init__", "_autocast", "_broadcast", "_checks", "_fallback", "_native")),
        f"{owned}/_runtime.py",
        f"{owned}/_serving.py",
        *(f"{owned}/_fusion/{name}.py" for name in ("__init__", "calls", "canonical", "fusible", "matching")),
        *(f"{owned}/_fusion/{name}.py" for name in ("places", "rewriting", "row_functions", "spellings", "tracing")),
        *(f"tests/{name}.py" for name in ("conftest", "op_cases", "test_backward", "test_bad_input", "test_converter")),
        *(f"tests/{name}.py" for name in ("test_forward", "test_fusion", "test_pytorch")),
        "python/vector_add/_ge.py",
        "benchmarks/cases.py",
    }


@EVERY_PROJECT
def test_python_is_formatted_and_clean(text: str, tmp_path: Path) -> None:
    write(render(spec_of(text)), tmp_path)
    shutil.copy(ROOT / "templates" / "project" / "pyproject.toml", tmp_path)
    for command in (("format", "--diff"), ("check",)):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@EVERY_PROJECT
def test_cpp_is_formatted(text: str, tmp_path: Path) -> None:
    formatter = Path(sys.executable).with_name("clang-format")
    if not formatter.is_file():
        pytest.skip("no clang-format in this environment")
    write(render(spec_of(text)), tmp_path)
    sources = [str(path) for path in sorted((tmp_path / "csrc").rglob("*.*"))]
    style = f"--style=file:{ROOT / '.clang-format'}"
    done = subprocess.run(
        [formatter, style, "--dry-run", "--Werror", *sources], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_files_of_a_project_of_products() -> None:
    paths = {str(file.path) for file in render(spec_of(SWIGLU))}
    assert {path for path in paths if path.startswith("tests/")} == {
        *(f"tests/{name}.py" for name in ("conftest", "product_cases", "test_products", "test_products_backward")),
        *(f"tests/{name}.py" for name in ("test_bad_input", "test_converter", "test_fusion", "test_pytorch")),
    }
    assert {"csrc/opforge/shape_checks.h", "python/swiglu/_opforge/_products.py", "benchmarks/cases.py"} < paths
    assert not {path for path in paths if "swiglu_grad" in path or "scalars" in path}
    both = {str(file.path) for file in render(spec_of(PRODUCT_OPS))}
    assert {"tests/op_cases.py", "tests/test_forward.py", "tests/test_products.py"} < both


def test_the_kernels_tried_beside_products_are_those_of_products() -> None:
    (cases,) = (file.text for file in render(spec_of(REFERENCES)) if file.path.name == "product_cases.py")
    kernels = cases[cases.index("\nGRADIENT_KERNELS") :]
    assert "function=torch.ops.reference_ops.gated_grad" in kernels
    assert "scaled" not in kernels


def test_every_operator_is_spelled() -> None:
    assert set(TENSOR) == set(OPERATORS)
    assert set(SCALAR) == set(OPERATORS)
    for name in OPERATORS:
        operands = 3 if name in TERNARY else 2 if name in (*BINARY, *COMPARE) else 1
        for table in (TENSOR, SCALAR):
            assert [f"{{{i}}}" in table[name].form for i in range(3)] == [True, operands > 1, operands > 2]


def test_every_dtype_is_spelled() -> None:
    known = {name: dtype for name, dtype in DTYPES.items() if dtype.torch}
    assert set(SCALAR_TYPES) == set(known)
    header = (CSRC / "dtypes.h").read_text(encoding="utf-8")
    numbers = dict(re.findall(r"case (at::k\w+):\s+return (\d+);", header))
    assert numbers == {SCALAR_TYPES[name]: str(dtype.acl) for name, dtype in known.items()}
    names = dict(re.findall(r'case (at::k\w+):\s+return "(\w+)";', header))
    assert names == {SCALAR_TYPES[name]: dtype.torch for name, dtype in known.items()}


def test_schemas() -> None:
    text = next(file.text for file in render(spec_of(GATE_OPS)) if file.path.name == "adapter.cpp")
    text = re.sub(r'"\n\s*"', "", text).replace("def(\n        ", "def(")
    found = re.findall(r'library\.def\("((?:[^"\\]|\\.)*)"\);', text)
    assert [schema for schema in found if "_grad(" not in schema] == [
        "vector_add(Tensor x, Tensor y) -> Tensor",
        "gated_pair(Tensor x, Tensor gate, float alpha=1.0, int beta=2) -> (Tensor y, Tensor larger)",
        "arithmetic(Tensor x, Tensor y, Tensor w) -> Tensor",
        "extremes(Tensor x, Tensor y) -> (Tensor lo, Tensor hi, Tensor clipped)",
        "shared(Tensor x) -> (Tensor u, Tensor v)",
        "scalars(Tensor wide, Tensor shape, float dtype, int t9) -> Tensor",
        "one_way(Tensor x) -> Tensor",
        "smooth(Tensor x, Tensor y, float scale=1.0) -> Tensor",
        "long_names(Tensor first_input_tensor, Tensor second_input_tensor, Tensor third_input_tensor, "
        "Tensor fourth_input_tensor, Tensor fifth_input_tensor, float some_long_attribute_name=0.1, "
        'str text=\\"say \\\\\\"so\\\\\\"\\", bool flag=True) -> Tensor',
    ]

    assert [schema for schema in found if schema.startswith(("gated_pair_grad", "one_way_grad"))] == [
        "gated_pair_grad(Tensor grad_y, Tensor grad_larger, Tensor x, Tensor gate, float alpha=1.0, int beta=2) "
        "-> (Tensor grad_x, Tensor grad_gate)"
    ]


def test_schemas_of_every_kind() -> None:
    text = next(file.text for file in render(spec_of(KINDS)) if file.path.name == "adapter.cpp")
    text = re.sub(r'"\n\s*"', "", text).replace("def(\n        ", "def(")
    assert re.findall(r'library\.def\("((?:[^"\\]|\\.)*)"\);', text) == [
        "concat(Tensor[] xs, Tensor y) -> Tensor",
        "lists(Tensor x, Tensor[]? more, int[] axes, float[]? w=None, int k=4, float[] f=[0.5], int[] i=[], "
        'bool[] b=[True, False], str s=\\"a\\") -> (Tensor y, Tensor n)',
        "scaled(Tensor x, Scalar alpha, Scalar[] betas, Scalar? c=None) -> Tensor",
        "add_into(Tensor(a!) x, Tensor y) -> Tensor",
        "both(Tensor(a!) x, Tensor(b!) y) -> ()",
        "select(Tensor x) -> Tensor",
        "mask(Tensor x, Tensor m, Tensor q) -> (Tensor r, Tensor t)",
        "apart(Tensor x, Tensor w, Tensor v, Tensor[] each) -> (Tensor y, Tensor u)",
        "counted(Tensor i, int step=3, int a_number_with_quite_a_long_name=1) -> Tensor",
    ]


def test_line_breaks() -> None:
    assert python_call("f(", ["a", "b"], ")") == "f(a, b)"
    items = ["a" * 50, "b" * 40, "c" * 16]
    assert python_call("function(", items, ")", 4) == f"function(\n        {', '.join(items)}\n    )"
    assert (
        python_call("f(", [*items, "d" * 9], ")", 4)
        == "f(\n" + "".join(f"        {i},\n" for i in [*items, "d" * 9]) + "    )"
    )
    lines = "".join(f"        {item},\n" for item in items)
    assert python_collection("x = [", ["a", "b"], "]") == "x = [a, b]"
    assert python_collection("names = [", items, "]", 4) == f"names = [\n{lines}    ]"
    assert python_return(["a", "b"], 4) == "return a, b"
    assert python_return([*items, "d"], 4) == f"return (\n{lines}        d,\n    )"
    assert python_return([f"f({', '.join(items)})"], 4) == f"return f(\n        {', '.join(items)}\n    )"
    assert python_unpacking(["a"], "b", 4) == "(a,) = b"
    assert python_unpacking(["a", "b"], "c", 4) == "a, b = c"
    assert python_unpacking(items[:2], "d" * 30, 4) == f"{', '.join(items[:2])} = (\n        {'d' * 30}\n    )"
    assert python_unpacking([*items, "d"], "e", 4) == f"(\n{lines}        d,\n    ) = e"
    assert python_sum("x", ["a @ b", "c"], 4) == "x = a @ b + c"
    assert python_sum("x", items, 12) == f"x = (\n{' ' * 16}" + f"\n{' ' * 16}+ ".join(items) + f"\n{' ' * 12})"
    cpp = [*items, "d" * 9]
    assert fill("f(", cpp, ");", 4) == f"f({cpp[0]}, {cpp[1]}, {cpp[2]},\n      {cpp[3]});"


def test_line_breaks_of_cpp() -> None:
    long = ["a" * 60, "b" * 60]
    assert cpp_rows("f{{", ["a", "b"], "}};", 4) == "f{{a, b}};"
    fits = [long[0], "b" * 30]
    head = f"f{'f' * 20}{{{{"
    assert cpp_rows(head, fits, "}};", 4) == f"{head[:-1]}\n        {{{', '.join(fits)}}}}};"
    assert assign("x", "f(y);", indent=4) == "x = f(y);"
    assert assign(long[0], f"{long[1]};", indent=4) == f"{long[0]} =\n        {long[1]};"
    assert cpp_rows("f{{", long, "}};", 4) == f"f{{{{{long[0]},\n       {long[1]}}}}};"
    assert cpp_text("f(", 'say "so"', ");") == 'f("say \\"so\\"");'
    assert cpp_text("f(", ", ".join(long), ");", 4) == f'f(\n        "{long[0]}, "\n        "{long[1]}");'


def test_names_and_numbers() -> None:
    local = Names(["wide", "wide_"])
    assert [local.new("wide"), local.new("wide"), local.new("t0")] == ["wide__", "wide___", "t0"]
    assert [number(2.0), number(-0.0), number(1e-5)] == ["2.0", "-0.0", "1e-05"]
    assert [number(float("inf")), number(float("-inf"))] == ['float("inf")', '-float("inf")']


def test_an_op_with_sources_of_its_own_is_measured_as_one_written_by_hand() -> None:
    """Its author's reference need not broadcast, or take float64; and opforge gave it no skeleton."""
    sources = "sources: [op_host/m.cpp, op_kernel/m.cpp]"
    text = KINDS.replace("reference: golden:mask", f"reference: golden:mask\n    {sources}")
    (cases,) = (file.text for file in render(spec_of(text)) if str(file.path) == "benchmarks/cases.py")
    (mask,) = (op for op in cases.split("    Op(\n") if 'type="Mask"' in op)
    assert "by_hand=True" in mask
    assert "kernel=" not in mask
