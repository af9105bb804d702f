"""The exported derivatives in C++ give the gradients that the package's own do, on the CPU.

Their kernels are the CPU implementation that the package registers for its own derivatives' kernels.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from test_op_plugin import export
from torch_projects import GATE_OPS, LOSS_OPS, PRODUCT_OPS, SITE_PACKAGES, compiled, spec_of

from opforge.kinds import derive
from opforge.render.torch.op_plugin.exported import Exported, exported_ops
from opforge.render.torch.op_plugin.function_schema import parameters, returns
from opforge.render.torch.op_plugin.tests import samples

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.slow]

STUB = Path(__file__).with_name("op_plugin_stub.h")
LIST = "at::IntArrayRef"  # a std::vector in packages
HEADERS = ("AclOpsInterface.h", "OpApiInterface.h", "utils/op_api_common.h", "utils/op_api_common_base.h")
PROJECTS = {
    "gate_ops": (GATE_OPS, "npu_gates_"),
    "product_ops": (PRODUCT_OPS, "npu_products_"),
    "loss_ops": (LOSS_OPS, "npu_losses_"),
}


def exported(package: str) -> tuple[Exported, ...]:
    text, prefix = PROJECTS[package]
    spec = spec_of(text)
    return exported_ops(derive(spec), prefix)


OPS = [(package, op) for package in PROJECTS for op in exported(package) if op.backward is not None]
# With all inputs, and without those that may be left out.
CASES = [(package, op, True) for package, op in OPS] + [(p, op, False) for p, op in OPS if op.signature.optional]


def kernel(package: str, op: Exported) -> str:
    """A kernel of a derivative under op-plugin's name: what the package registers for it."""
    given = parameters(op.signature)
    parts = [parameter.rpartition(" ")[::2] for parameter in given]
    types = ", ".join("const std::vector<int64_t>&" if kind == LIST else kind for kind, _ in parts)
    names = ", ".join(f"{name}.vec()" if kind == LIST else name for kind, name in parts)
    made = returns(op.signature)
    return f"""
inline {made} {op.name}({", ".join(given)}) {{
    auto found = c10::Dispatcher::singleton().findSchemaOrThrow("{package}::{op.signature.function}", "");
    return found.typed<{made}({types})>().call({names});
}}
"""


@pytest.fixture(scope="module")
def backward(
    gate_ops: ModuleType, product_ops: ModuleType, loss_ops: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """torch.ops.op_plugin_trial, which has the exported functions ``<name>_backward``."""
    assert gate_ops
    assert product_ops
    assert loss_ops
    folder = tmp_path_factory.mktemp("trial")
    (folder / "op_plugin" / "utils").mkdir(parents=True)
    for name in HEADERS:
        (folder / "op_plugin" / name).write_text(f'#include "{STUB}"\n', encoding="utf-8")
    parts = [f'#include "{STUB}"', "namespace op_api {"]
    parts += [kernel(package, op) for package in PROJECTS for op in exported(package) if op.signature.gradient_of]
    parts.append("}")
    for text, prefix in PROJECTS.values():
        for file in export(text, prefix):
            if file.path.suffix == ".h":
                (folder / file.path).write_text(file.text, encoding="utf-8")
            if file.path.name.endswith("BackwardKernelNpuOpApi.cpp"):
                parts.append(file.text)
    made = [op.backward for _, op in OPS if op.backward is not None]
    defined = [f'    m.def(R"({each.schema})", &op_api::{each.name});' for each in made]
    parts += ["TORCH_LIBRARY(op_plugin_trial, m) {", *defined, "}"]
    source = folder / "trial.cpp"
    source.write_text("\n".join(parts), encoding="utf-8")
    include = SITE_PACKAGES / "torch" / "include"
    folders = [folder, include, include / "torch" / "csrc" / "api" / "include"]
    libraries = (f"-L{SITE_PACKAGES / 'torch' / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10")
    library = compiled([source], "-w", "-O0", *(f"-I{path}" for path in folders), *libraries)
    torch.ops.load_library(str(library))
    return torch.ops.op_plugin_trial


@pytest.mark.parametrize(("package", "op", "given"), CASES, ids=lambda value: getattr(value, "name", None))
def test_gradients(package: str, op: Exported, given: bool, backward: Any) -> None:
    signature = op.signature
    assert op.backward is not None
    torch.manual_seed(1)
    values: dict[str, Any] = {}
    exec("\n".join(f"{sample.name} = {sample.value}" for sample in samples(signature)), {"torch": torch}, values)  # noqa: S102
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
            values[name] = value.double().requires_grad_()
    if not given:
        values |= dict.fromkeys(signature.optional)
    made = getattr(getattr(torch.ops, package), signature.function)(*values.values())
    outputs = made if isinstance(made, tuple) else (made,)
    values |= zip(signature.outputs, outputs, strict=True)
    outputs = [values[name] for name in op.backward.differentiable]
    weights = [torch.randn_like(output) for output in outputs]
    inputs = [name for name in op.backward.inputs if values[name] is not None]
    expected = torch.autograd.grad(outputs, [values[name] for name in inputs], weights, allow_unused=True)
    taken = op.backward.taken
    with torch.no_grad():
        function = getattr(backward, op.backward.name)
        actual = function(*weights, *(values[given.name] for given in (*taken.inputs, *taken.attrs)))
    found = dict(zip(op.backward.inputs, actual if isinstance(actual, tuple) else (actual,), strict=True))
    for name, golden in zip(inputs, expected, strict=True):
        assert golden is not None
        torch.testing.assert_close(found[name], golden)


def test_an_output_without_a_gradient_counts_as_zeros(backward: Any) -> None:
    x, gate = torch.randn(4, 3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    grad = torch.randn(4, 3, dtype=torch.float64)
    function = backward.npu_gates_gated_pair_backward
    without = function(None, grad, x, gate, 1.5, 1)
    with_zeros = function(torch.zeros_like(grad), grad, x, gate, 1.5, 1)
    for one, other in zip(without, with_zeros, strict=True):
        torch.testing.assert_close(one, other)


def test_a_total_without_a_gradient_counts_as_zero(backward: Any) -> None:
    x, grad = torch.randn(4, 3, dtype=torch.float64), torch.randn((), dtype=torch.float64)
    function = backward.npu_losses_two_means_backward
    torch.testing.assert_close(function(None, grad, x), function(torch.zeros_like(grad), grad, x))


@pytest.mark.parametrize("shape", [(0, 3), (5,), (1, 1), (2, 0, 4)], ids=str)
@pytest.mark.parametrize(("mode", "power"), [("mean", 3.0), ("sum", 1.5)])
def test_totals_of_any_number_of_rows(shape: tuple[int, ...], mode: str, power: float, backward: Any) -> None:
    x = torch.randn(shape, dtype=torch.float64).abs().requires_grad_()
    w = torch.rand(shape[-1:], dtype=torch.float64).requires_grad_()
    grad = torch.tensor(0.75, dtype=torch.float64)
    value = torch.ops.loss_ops.choice(x, w, 2.5, mode, power)
    expected = torch.autograd.grad(value, (x, w), grad)
    with torch.no_grad():
        actual = backward.npu_losses_choice_backward(grad, x, w, 2.5, mode, power)
    for one, other in zip(actual, expected, strict=True):
        torch.testing.assert_close(one, other, equal_nan=True)
