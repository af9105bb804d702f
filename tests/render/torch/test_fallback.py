"""Where a package has no kernels for the NPU at hand: PyTorch's own operators compute, which is said once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch
from test_adapter import operator_package, with_fakes
from torch_projects import GATE_OPS, KINDS, PRODUCT_OPS, ROOT

from opforge.soc import SOCS

pytestmark = [pytest.mark.torch, pytest.mark.compiler]

START = """
import ctypes, sys, warnings
import torch, torch_npu
sys.path.insert(0, {site!r})
import {package} as ops
from {package}._opforge import _runtime
assert not torch.npu.is_initialized()
fake = ctypes.CDLL(str(_runtime.FOLDER / "opp/vendors/{package}/op_api/lib/libcust_opapi.so"))

def equal(made, wanted):
    made, wanted = (each if isinstance(each, tuple) else (each,) for each in (made, wanted))
    for one, other in zip(made, wanted, strict=True):
        assert one.device.type == "npu", one.device
        assert one.is_contiguous()
        torch.testing.assert_close(one.cpu(), other)

def npu(value):
    if isinstance(value, (list, tuple)):
        return [npu(item) for item in value]
    return value.npu() if isinstance(value, torch.Tensor) else value
"""

GATES = """
x, gate = torch.randn(4, 3), torch.randn(3)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    wanted = ops.gated_pair(x, gate, 0.5)
    ops.gated_pair(x, gate, 0.5)
    made = ops.gated_pair(x.npu(), gate.npu(), 0.5)
    ops.gated_pair(x.npu(), gate.npu(), 0.5)
    ops.vector_add(x.npu().half(), gate.npu().half())
equal(made, wanted)
for each in seen:
    assert each.category is ops.FallbackWarning and issubclass(each.category, UserWarning)
    assert each.filename == "<string>", each.filename
    print(each.message)
warnings.simplefilter("error", ops.FallbackWarning)
for _ in range(2):
    try:
        ops.arithmetic(*[x.npu()] * 3)
        raise AssertionError("no error")
    except ops.FallbackWarning:
        pass
warnings.simplefilter("ignore", ops.FallbackWarning)

def gradients(call, *values):
    leaves = [value.detach().requires_grad_() for value in values]
    call(*leaves)[0].sum().backward()
    return tuple(leaf.grad for leaf in leaves)

equal(gradients(ops.gated_pair, x.npu(), gate.npu()), gradients(ops.gated_pair, x, gate))
for backend in ("eager", "aot_eager"):
    compiled = torch.compile(ops.gated_pair, backend=backend, fullgraph=True)
    equal(compiled(x.npu(), gate.npu()), ops.gated_pair(x, gate))
    equal(gradients(compiled, x.npu(), gate.npu()), gradients(ops.gated_pair, x, gate))
try:
    ops.vector_add(x.npu(), gate)
except RuntimeError as error:
    print(error)
assert fake.fake_executed() == fake.fake_live() == 0
"""

GATES_SAID = """\
gate_ops.gated_pair is computed by PyTorch's own operators on the CPU; for its kernel, move its tensors to an NPU with \
.to("npu")
gate_ops.gated_pair is computed by PyTorch's own operators on this NPU, which is slower than a kernel: it is an \
Ascend910_9391, and gate_ops was built for ascend910b. Add ascend910_93 to `soc:` in opforge.yaml, then type \
`opforge build && opforge install`
gate_ops.vector_add is computed by PyTorch's own operators on this NPU, which is slower than a kernel: it is an \
Ascend910_9391, and gate_ops was built for ascend910b. Add ascend910_93 to `soc:` in opforge.yaml, then type \
`opforge build && opforge install`
vector_add: y must be on an NPU as the other arguments are, but it is on cpu; move it there with .to("npu")
"""

EVERY_KIND = """
warnings.simplefilter("ignore", ops.FallbackWarning)
for function, arguments in (
    (ops.concat, ([torch.randn(2, 3), torch.randn(1, 3)], torch.randn(3))),
    (ops.lists, (torch.randn(4), [torch.randn(4)], [3, -1], [0.25], 5, (0.5,), [7], [False, True], "text")),
    (ops.lists, (torch.randn(4).half(), None, [], None)),
    (ops.scaled, (torch.randn(4), 2, [1, True], None)),
    (ops.scaled, (torch.randn(4).half(), 1.5, [], 0.5)),
    (ops.counted, (torch.arange(4, dtype=torch.int32), 7)),
):
    equal(function(*npu(arguments)), function(*arguments))
one, other = torch.randn(6, 2)[:, 0], torch.randn(6)
x = one.npu()
base, version = x, x._version
r, s = ops.add_into(x, other.npu())
assert r is x and x._version > version
wanted = ops.add_into(one, other)
torch.testing.assert_close((r.cpu(), s.cpu()), wanted)
try:
    ops.select(x)
except RuntimeError as error:
    print(error)
assert fake.fake_executed() == fake.fake_live() == 0
"""

EVERY_KIND_SAID = """\
kinds_ops.select has no kernel here, and opforge.yaml gives it no `reference:`; it is an Ascend910_9391, and kinds_ops \
was built for ascend910b. Add ascend910_93 to `soc:` in opforge.yaml, then type `opforge build && opforge install`
"""

PRODUCTS = """
warnings.simplefilter("ignore", ops.FallbackWarning)
x, w, rest = torch.randn(2, 7, 3), torch.randn(3, 4), torch.randn(2, 7, 4)
with torch.autocast("npu", dtype=torch.float16):
    made = ops.swi_glu(x.npu(), w.npu(), w.npu())
    assert (x.npu() @ w.npu()).dtype == torch.float16
assert made.dtype == torch.float16
equal(made, ops.swi_glu(x.half(), w.half(), w.half()))
equal(ops.two_gates(x.npu(), w.npu(), rest.npu(), None, 1.5), ops.two_gates(x, w, rest, None, 1.5))
assert fake.fake_executed() == fake.fake_live() == 0
"""


PROJECTS = {
    "gate_ops": (GATE_OPS, "gate_project", GATES, GATES_SAID),
    "kinds_ops": (KINDS, "kinds_project", EVERY_KIND, EVERY_KIND_SAID),
    "product_ops": (PRODUCT_OPS, "product_project", PRODUCTS, ""),
}


@pytest.mark.npu
@pytest.mark.parametrize(
    "package", [pytest.param(name, marks=() if name == "gate_ops" else pytest.mark.slow) for name in PROJECTS]
)
def test_an_npu_of_another_soc(
    package: str, toolkit_root: Path, tmp_path: Path, npu_run: Callable[..., object], request: pytest.FixtureRequest
) -> None:
    text, project, code, said = PROJECTS[package]
    folder = with_fakes(text, request.getfixturevalue(project), tmp_path, toolkit_root)
    done = npu_run(
        START.format(site=str(folder), package=package) + code,
        ASCEND_CUSTOM_OPP_PATH=str(operator_package(folder, package)),
        OPFORGE_SOC="Ascend910_9391",
    )
    assert done.stdout == said


def test_the_table_of_compute_units_is_opforge_s() -> None:
    header = (ROOT / "templates" / "code" / "torch" / "csrc" / "fallback.h").read_text(encoding="utf-8")
    table = re.search(r"kComputeUnits\{(.*?)\}", header, re.DOTALL)
    assert table is not None
    assert re.findall(r'"(\w+)"', table[1]) == list(SOCS)
    for soc in SOCS.values():
        for version in soc.versions:
            units = [unit for unit in SOCS if version.name.lower().startswith(unit)]
            assert max(units, key=len) == soc.name


def test_float64_is_no_fallback(gate_ops: ModuleType, recwarn: pytest.WarningsRecorder) -> None:
    gate_ops._opforge._fallback._said.clear()
    x = torch.ones(3, dtype=torch.float64)
    gate_ops.vector_add(x, x)
    gate_ops.vector_add(x.float().to("meta"), x.float().to("meta"))
    assert not recwarn.list


def test_compiling_says_nothing_and_a_derivative_nothing_more(
    gate_ops: ModuleType, recwarn: pytest.WarningsRecorder
) -> None:
    gate_ops._opforge._fallback._said.clear()
    with torch._subclasses.FakeTensorMode():
        gate_ops.vector_add(torch.ones(3), torch.ones(3))
    assert not recwarn.list
    x = torch.ones(3, requires_grad=True)
    gate_ops.gated_pair(x, x)[0].sum().backward()
    assert [str(each.message).partition(" ")[0] for each in recwarn.list] == ["gate_ops.gated_pair"]
    assert recwarn.list[0].filename == __file__


def test_in_a_region_of_autocast_its_steps_keep_their_dtypes(
    gate_ops: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        seen.append((x @ y).dtype)
        return x + y

    monkeypatch.setattr(gate_ops._reference, "vector_add", reference)
    x = torch.ones(3, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (x @ x).dtype == torch.bfloat16
        gate_ops.vector_add(x, x)
    assert seen == [torch.float32]
