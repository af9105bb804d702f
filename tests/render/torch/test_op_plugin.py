"""What `opforge export op-plugin` writes: entries with full argument lists, functions in C++, Meta functions, tests.

Whether op-plugin's own generator takes it, and a compiler what it makes of it, test_op_plugin_accepted.py asks.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from torch_projects import GATE_OPS, KINDS, LINEAR, LOSS_OPS, PRODUCT_OPS, ROOT, SWIGLU, spec_of

from opforge.errors import SpecError
from opforge.fileset import FileSet
from opforge.kinds import derive
from opforge.render.torch.op_plugin import names_of, render_op_plugin
from opforge.render.torch.op_plugin.cpp_writer import CPP_TENSOR
from opforge.render.torch.spelling import TENSOR

EVERY_KIND = (ROOT / "tests" / "e2e" / "kinds" / "opforge.yaml").read_text(encoding="utf-8")
PROJECTS = {"swiglu": SWIGLU, "linear": LINEAR, "gate_ops": GATE_OPS, "product_ops": PRODUCT_OPS, "kinds": KINDS}
PROJECTS["loss_ops"] = LOSS_OPS
PROJECTS["every kind"] = EVERY_KIND
APART = ("name", "version", "output_differentiability")  # all other keys of an entry are formulas
EVERY_PROJECT = pytest.mark.parametrize("text", PROJECTS.values(), ids=PROJECTS)


def export(text: str, prefix: str = "npu_") -> FileSet:
    spec = spec_of(text)
    return render_op_plugin(derive(spec), prefix)


def text_of(files: FileSet, path: str) -> str:
    (text,) = (file.text for file in files if str(file.path) == path)
    return text


def entries(files: FileSet) -> dict[str, dict[str, Any]]:
    """The functions of op_plugin_functions.yaml, by name."""
    functions = yaml.safe_load(text_of(files, "op_plugin/config/op_plugin_functions.yaml"))["custom"]
    return {entry["func"].partition("(")[0]: entry for entry in functions}


@pytest.mark.parametrize("name", ["swiglu", "kinds"])
def test_goldens(name: str, golden) -> None:
    for file in export(PROJECTS[name]):
        if file.path.name != "custom_op_support.h":  # the form itself
            golden(f"op_plugin/{name}/{file.path}.txt", file.text)


@EVERY_PROJECT
def test_every_function_is_said_everywhere(text: str) -> None:
    files = export(text)
    names = set(names_of(files))
    functions = entries(files)
    assert set(functions) == names
    schemas = json.loads(text_of(files, "test/core_tests/torch_npu_OpApi_schema_all.json"))
    assert set(schemas) == {f"func: {entry['func']}" for entry in functions.values()}
    assert list(schemas) == sorted(schemas)
    cpp = [file for file in files if file.path.suffix == ".cpp"]
    for name, entry in functions.items():
        own = [file for file in cpp if f" {name}(" in file.text and f"// {name}: " in file.text]
        assert len(own) == ("gen_opapi" not in entry)
    readme = text_of(files, "README.md")
    assert all(f"| `{name}` |" in readme for name in names)


@EVERY_PROJECT
def test_aclnn_is_given_every_argument_as_it_takes_it(text: str) -> None:
    """In the order of the schema, outputs last; text and lists of float not as op-plugin would pass them."""
    for entry in entries(export(text)).values():
        if "gen_opapi" not in entry:
            continue
        generated = entry["gen_opapi"]
        name, *given = (word.strip() for word in generated["exec"].split(","))
        assert name.startswith("aclnn")
        made = [key for key in generated if key not in ("exec", "new_params")]
        arguments = [
            part.split("=")[0].split()[-1] for part in entry["func"].partition("(")[2].split(") ->")[0].split(", ")
        ]
        assert len(given) == len(arguments) + len(made)
        assert given[len(arguments) :] == made
        for word, argument in zip(given, arguments, strict=False):
            assert word == argument or word in generated["new_params"]
        assert not [part for part in entry["func"].split("(")[1].split(", ") if part.startswith(("float[]", "bool[]"))]
        assert all(f"{part.split()[1].split('=')[0]}_ptr" in given for part in _texts(entry["func"]))


def _texts(func: str) -> Iterator[str]:
    return (part for part in func.partition("(")[2].rpartition(")")[0].split(", ") if part.startswith("str "))


@EVERY_PROJECT
def test_derivatives_are_of_functions_that_are_there(text: str) -> None:
    files = export(text)
    functions = entries(files)
    rows = yaml.safe_load(text_of(files, "op_plugin/config/derivatives.yaml"))["backward"]
    for row in rows:
        name = row["name"].partition("(")[0]
        assert functions[name]["func"] == row["name"]
        formulas = {key: value for key, value in row.items() if key not in APART}
        (keys,) = (key for key, value in formulas.items() if value != "non_differentiable")
        back = functions[f"{name}_backward"]["func"]
        returned = back.rpartition(" -> ")[2]
        made = 1 if returned == "Tensor" else returned.count("Tensor ")
        assert len(keys.split(", ")) == made
        passed = formulas[keys].partition("(")[2].rstrip(")").split(", ")
        assert len(passed) == len(back.partition("(")[2].partition(") ->")[0].split(", "))
    with_derivatives = {row["name"].partition("(")[0] for row in rows}
    assert {name for name in functions if name.endswith("_backward")} == {f"{n}_backward" for n in with_derivatives}


def test_what_no_derivative_can_be_given_is_named() -> None:
    files = export(KINDS)
    assert yaml.safe_load(text_of(files, "op_plugin/config/derivatives.yaml"))["backward"] == []
    assert "Without derivatives: `npu_concat`, `npu_lists`, " in text_of(files, "README.md")


def test_no_derivative_reads_a_list_of_float() -> None:
    files = export(LOSS_OPS)
    entry = yaml.safe_load(text_of(files, "op_plugin/config/derivatives.yaml"))["backward"]
    assert not [row for row in entry if "float[]" in row["name"] or "Weighted" in row["name"]]
    assert "The derivative of `npu_weighted` reads a `list_float`, " in text_of(files, "README.md")
    assert "reads a `list_float`" not in text_of(export(KINDS), "README.md")


def test_results_that_are_integers_have_no_gradient() -> None:
    rows = yaml.safe_load(text_of(export(LOSS_OPS), "op_plugin/config/derivatives.yaml"))["backward"]
    found = {row["name"].partition("(")[0]: row for row in rows}
    assert found["npu_least_over"]["output_differentiability"] == [True, False]
    assert found["npu_least_over"]["x"] == "npu_least_over_backward(grad, x, dim)"
    assert "output_differentiability" not in found["npu_moments_over"]


@pytest.mark.torch
@EVERY_PROJECT
def test_meta_functions_give_shapes(text: str) -> None:
    """Those of generated ops, called with what the exported tests make."""
    import torch

    files = export(text)
    known: dict[str, Any] = {}

    def impl(_: object, name: str):
        return lambda function: known.setdefault(name, function)

    meta = text_of(files, "op_plugin/python/meta/_meta_registrations.py")
    exec(meta, {"torch": torch, "impl": impl, "m": None})  # noqa: S102
    assert set(known) == set(names_of(files))
    for node in ast.parse(text_of(files, "test/core_tests/test_fake_tensor.py")).body:
        assert isinstance(node, ast.ClassDef)
        (method,) = (part for part in node.body if isinstance(part, ast.FunctionDef))
        (block,) = method.body
        assert isinstance(block, ast.With)
        source = "\n".join(ast.unparse(statement) for statement in block.body)
        for name in known:
            source = source.replace(f"torch.ops.npu.{name}(", f"known[{name!r}](")
        seen = _Checks()
        exec(source.replace(".npu()", ""), {"torch": torch, "known": known, "self": seen})  # noqa: S102
        returned = source.count("self.assertEqual(")
        assert seen.count == returned


class _Checks:
    """A TestCase for which equal is equal."""

    def __init__(self) -> None:
        self.count = 0

    def assertEqual(self, actual: object, expected: object) -> None:  # noqa: N802
        assert actual == expected
        self.count += 1


@pytest.mark.torch
def test_the_exported_golden_is_the_expression() -> None:
    import torch

    text = text_of(export(SWIGLU), "test/test_custom_ops/test_npu_swiglu.py")
    tree = ast.parse(text)
    (case,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    golden = next(node for node in case.body if isinstance(node, ast.FunctionDef) and node.name == "golden")
    golden.decorator_list = []
    known: dict[str, Any] = {"torch": torch}
    exec(ast.unparse(golden), known)  # noqa: S102
    x, w, v = torch.randn(4, 5), torch.randn(5, 7), torch.randn(5, 7)
    torch.testing.assert_close(known["golden"](x, w, v), torch.nn.functional.silu(x @ w) * (x @ v))


def test_a_default_that_op_plugin_cannot_say_is_left_out() -> None:
    functions = entries(export(EVERY_KIND))
    assert functions["npu_every_attribute"]["func"] == (
        "npu_every_attribute(Tensor x, int count, float scale, bool loud, str mode, int[] axes=[0,-1], "
        "float[] weights=[0.5], int[] flags=[]) -> Tensor"
    )
    assert "gen_opapi" not in functions["npu_every_attribute"]


def test_in_place_is_no_structured_form() -> None:
    """With the short form the generator drops the output of a function that also writes to an argument."""
    files = export(KINDS)
    functions = entries(files)
    assert functions["npu_add_into"] == {
        "func": "npu_add_into(Tensor(a!) x, Tensor y) -> Tensor",
        "op_api": "all_version",
    }
    text = text_of(files, "op_plugin/ops/opapi/AddIntoKernelNpuOpApi.cpp")
    assert "EXEC_NPU_CMD(aclnnAddInto, x_memory, y, sMade);" in text
    assert "x.copy_(x_memory);" in text


def test_an_output_whose_shape_the_kernel_says_is_refused() -> None:
    text = """\
edition: 1
project: {name: rows, soc: [ascend910b]}
ops:
  MaskedRows:
    inputs:
      x: {shape: [...], dtype: [float32]}
      keep: {shape: [...keep], dtype: [bool]}
    outputs:
      y: {shape: [...], dtype: [float32], opdef: {OutputShapeDependOnCompute: ""}}
"""
    message = "MaskedRows: the shape of y is known after the kernel, and an export does not wait for it"
    with pytest.raises(SpecError, match=message):
        export(text)


def test_a_gradient_that_may_be_missing_gets_the_reduced_dimension_again() -> None:
    """Those of integers are not read."""
    text = """\
edition: 1
project: {name: rows}
ops:
  Largest:
    inputs: {x: {shape: [..., H], dtype: [float32]}}
    outputs: {v: {}, i: {dtype: [int64]}, s: {}}
    compute: |
      v, i = max(x, -1)
      s = sum(x * x, -1)
"""
    function = text_of(export(text), "op_plugin/ops/opapi/LargestBackwardKernelNpuOpApi.cpp")
    assert "gradVGiven = *grad_v;" in function
    assert "npu_largest_grad(gradVGiven.unsqueeze(-1), gradSGiven.unsqueeze(-1), x, v.unsqueeze(-1))" in function
    assert "gradIGiven" not in function


def test_every_operator_has_a_spelling_in_cpp() -> None:
    assert set(CPP_TENSOR) == set(TENSOR)
