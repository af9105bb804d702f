"""What the build asks of ops with matrix products: of their gradients' kernels, their symbols and optional inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from opforge.build.ops_info import OpInfo
from opforge.build.signature_check import differences
from opforge.build.skeleton import interface_sha256, prototype
from opforge.install.sample_calls import sample_calls
from opforge.kinds import derive
from opforge.spec.model import OpSpec, Spec
from opforge.spec.read.command_line import spec_from_options
from opforge.spec.read.parse import load_spec

LINEAR = ("Linear", ("x", "weight", "bias"))


def ops_of(spec: Spec) -> dict[str, OpSpec]:
    return {op.type: op for op in derive(spec).ops}


@pytest.fixture
def linear() -> OpSpec:
    return spec_from_options(*LINEAR).ops[0]


def shapes(call: dict) -> list[list[int] | None]:
    return [None if given is None else given["shape"] for given in call["inputs"]]


def test_a_symbol_has_one_size_wherever_it_stands() -> None:
    ops = ops_of(spec_from_options("SwiGLU", ("x", "w_gate", "w_up")))
    assert list(ops) == ["SwiGLU", "SwiGLUGrad"]
    (call,) = sample_calls(ops["SwiGLU"], "swiglu", "ascend910b")
    assert call["function"] == "swiglu"
    assert shapes(call) == [[3, 5, 7], [7, 9], [7, 9]]
    (call,) = sample_calls(ops["SwiGLUGrad"], "swiglu", "ascend910b")
    assert call["function"] == "swiglu_grad"
    assert shapes(call) == [[3, 5], [3, 5], [3, 5]]


def test_what_is_optional_is_tried_with_and_without(linear: OpSpec) -> None:
    given, left_out = (shapes(call) for call in sample_calls(linear, "linear", "ascend910b"))
    (rows, columns, k), (n, k2), bias = [3, 5, 7], given[1], given[2]
    assert given[0] == [rows, columns, k]
    assert (k2, bias) == (k, [n])
    assert n != k
    assert left_out == [given[0], given[1], None]


def entry_of(op: OpSpec) -> dict[str, dict[str, str]]:
    """What op_build would read back from an op_host that follows the spec."""
    info: dict[str, dict[str, str]] = {}
    for kind, tensors in (("input", op.inputs), ("output", op.outputs)):
        for place, tensor in enumerate(tensors):
            info[f"{kind}{place}"] = {
                "name": tensor.name,
                "dtype": ",".join(tensor.dtypes).replace("float32", "float"),
                "paramType": "optional" if tensor.optional else "required",
            }
    return info


def test_an_input_that_op_host_requires_and_the_spec_does_not(linear: OpSpec) -> None:
    info = entry_of(linear)
    found: OpInfo = info
    assert differences(linear, found, "ascend910b") == []
    info["input2"]["paramType"] = "required"
    info["input1"]["paramType"] = "optional"
    assert differences(linear, found, "ascend910b") == [
        "input weight is optional in op_host and required in opforge.yaml",
        "input bias is required in op_host and optional in opforge.yaml",
    ]


def test_msopgen_is_told_what_is_optional(linear: OpSpec) -> None:
    described = prototype(linear)["input_desc"]
    assert isinstance(described, list)
    assert [tensor["param_type"] for tensor in described] == ["required", "required", "optional"]


def interface(tmp_path: Path, compute: str) -> str:
    file = tmp_path / "opforge.yaml"
    file.write_text(
        "edition: 1\n"
        "project: {name: gate, package: gate, vendor: gate, version: 0.1.0, soc: [ascend910b]}\n"
        "ops:\n"
        "  Gate:\n"
        "    inputs:\n"
        "      x: {shape: [..., H], dtype: [float16]}\n"
        "      w: {shape: [H, I]}\n"
        "      v: {shape: [H, I]}\n"
        f"    compute: {compute}\n"
    )
    spec = load_spec(file)
    return interface_sha256(spec.project, tuple(ops_of(spec).values()))


def test_an_expression_that_changes_what_its_gradient_takes_changes_the_interface(tmp_path: Path) -> None:
    before = interface(tmp_path, "y = silu(x @ w) * (x @ v)")
    assert interface(tmp_path, "y = sigmoid(x @ w) * (x @ v)") == before
    assert interface(tmp_path, "y = silu(x @ w) + (x @ v)") != before
