"""Plans: their text, their numbers, and what cannot be planned, word for word."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_ops import A2, op, planned

from opforge.errors import InternalError, PlanError
from opforge.ir.build import build_graph
from opforge.plan.ascendc import plan_op
from opforge.plan.printer import print_plan
from opforge.soc import SOCS
from opforge.spec.model import AttrSpec

GOLDEN = {
    "vector_add": op("VectorAdd", "z = x + y", "x y"),
    "silu_mul": op("SiluMul", "z = silu(x) * y", "x y"),
    "two_results": op("TwoResults", "u = alpha * x + y\nv = u / x", "x y", AttrSpec("alpha", "float", 1.0)),
    "five_inputs": op("FiveInputs", "z = max(a, b) + c * d - e / 3.0", "a b c d e"),
    "only_float32": op("OnlyFloat32", "z = (x + 1.0) * (x - 1.0)", "x", dtypes=("float32",)),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_plan_text(name, golden):
    golden(f"{name}.txt", print_plan(planned(GOLDEN[name])))


@pytest.mark.parametrize(
    ("compute", "inputs", "float32", "float16"),
    [
        # queues of two buffers each; 16-bit storage adds a float32 buffer for each value that is live at once
        ("z = x + y", "x y", 3 * 2 * 4, 3 * 2 * 2 + 2 * 4),
        ("z = exp(x)", "x", 2 * 2 * 4, 2 * 2 * 2 + 4),
        ("z = silu(x)", "x", 2 * 2 * 4, 2 * 2 * 2 + 2 * 4),
        ("z = x * 2.0 + 1.0", "x", 2 * 2 * 4, 2 * 2 * 2 + 4),
        ("z = a + b + c + d", "a b c d", 5 * 2 * 4, 5 * 2 * 2 + 4 * 4),
        ("z = a + b + c + d + e", "a b c d e", 6 * 4, 6 * 2 + 5 * 4),
        ("u = x + y\nv = x - y", "x y", 4 * 2 * 4, 4 * 2 * 2 + 3 * 4),
    ],
)
def test_bytes_per_element(compute, inputs, float32, float16):
    plan = planned(op("Op", compute, inputs))
    assert plan.bytes_per_element(2) == float32
    assert plan.bytes_per_element(0) == plan.bytes_per_element(1) == float16
    for tile in plan.tiles:
        assert tile.elements % 256 == 0
        assert (
            tile.elements * tile.bytes_per_element <= 192 * 1024 - 256 < (tile.elements + 256) * tile.bytes_per_element
        )
        assert plan.tile_elements(tile.soc, tile.dtypes[0]) == tile.elements


def test_queue_limits():
    assert planned(op("Op", "z = a + b + c + d", "a b c d")).buffers == 2
    eight = "a b c d e f g h"
    assert planned(op("Op", f"z = {' + '.join(eight.split())}", eight)).buffers == 1
    nine = f"{eight} i"
    with pytest.raises(PlanError) as refused:
        planned(op("Op", f"z = {' + '.join(nine.split())}", nine))
    assert refused.value.render() == (
        "error: Op has 9 inputs, but ascend910b has 8 queue buffers at VECIN\n"
        "  help: split the op: each of its inputs takes a queue with at least one buffer"
    )
    results = [f"z{i} = x + {i + 1}.0" for i in range(9)]
    with pytest.raises(PlanError) as refused:
        planned(op("Op", "\n".join(results), "x"))
    assert refused.value.what == "Op has 9 outputs, but ascend910b has 8 queue buffers at VECOUT"


@pytest.mark.parametrize("soc", [s.name for s in SOCS.values() if s.lacks])
def test_a_soc_that_lacks_something(soc):
    spec = op("Op", "z = x + y", "x y", dtypes=("float32",))
    with pytest.raises(PlanError) as refused:
        plan_op(spec, build_graph(spec), (SOCS[soc],))
    assert refused.value.render() == f"error: Op cannot be generated for {soc}: {SOCS[soc].lacks}"


def test_a_dtype_that_a_soc_has_not():
    spec = op("Op", "z = x + y", "x y")
    with pytest.raises(PlanError) as refused:
        plan_op(spec, build_graph(spec), (replace(SOCS["ascend910b"], dtypes=("float16", "float32")),))
    assert refused.value.render() == (
        "error: Op: x is bfloat16, which generated kernels do not have on ascend910b\n"
        "  help: supported there: float16, float32"
    )


def test_an_expression_too_large_for_ub():
    spec = op("Op", "z = x + y", "x y", dtypes=("float32",))
    with pytest.raises(PlanError) as refused:
        plan_op(spec, build_graph(spec), (replace(SOCS["ascend910b"], ub=4096),))
    assert refused.value.render() == (
        "error: Op does not fit the unified buffer of ascend910b: tiles have 3840 bytes, and one of 256 elements takes "
        "6144 (24 bytes per element for float32)\n"
        "  help: split the expression over several ops"
    )


def test_select_keeps_its_reserve():
    from opforge.ir.graph import Graph, Node, Output

    nodes = (
        Node(0, "input", (), "storage", "x"),
        Node(1, "cast", (0,)),
        Node(2, "sign", (1,)),
        Node(3, "cast", (2,), "storage"),
    )
    plan = plan_op(op("Op", "z = x", "x"), Graph(nodes, (Output("z", 3),)), A2)
    assert plan.reserved == 8192
    assert {t.ub for t in plan.tiles} == {192 * 1024 - 256 - 8192}


def test_a_tile_that_was_not_planned():
    with pytest.raises(InternalError):
        planned(GOLDEN["only_float32"]).tile_elements("ascend910b", "float16")


def test_division_is_exact():
    """A power of two divides by its exact reciprocal; everything else by Div."""
    for divisor, name in (("2.0", "Muls"), ("0.125", "Muls"), ("-4.0", "Muls"), ("3.0", "Div"), ("10.0", "Div")):
        plan = planned(op("Op", f"z = x / {divisor}", "x"))
        assert plan.instructions[-1].name == name
