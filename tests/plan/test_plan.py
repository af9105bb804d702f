"""Plans: their text, their numbers, and what cannot be planned, word for word."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_ops import A2, described, op, planned

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.kinds import kernel_of
from opforge.soc import SOCS
from opforge.spec.model import AttrSpec, OpSpec, Override, TensorSpec
from tests.parsed import graph_of, parsed

# Everything that a plan says of other dtypes than floats, and of what is not always there.
KINDS = OpSpec(
    "Kinds",
    (
        TensorSpec("m", ("bool", "bool")),
        TensorSpec("x", ("float16", "float32")),
        TensorSpec("bias", ("float16", "float32"), optional=True),
        TensorSpec("a", ("int32", "int32")),
    ),
    (AttrSpec("count", "int", 3),),
    (TensorSpec("y", ("float16", "float32"), inplace="x"), TensorSpec("k", ("int32", "int32"))),
    "y = where(m, gelu(x), where(present(bias), bias, 0.5)) + cast(a, float32)\nk = a * count - maximum(a, 1)",
)
GOLDEN = {
    "kinds": KINDS,
    "vector_add": op("VectorAdd", "z = x + y", "x y"),
    "silu_mul": op("SiluMul", "z = silu(x) * y", "x y"),
    "two_results": op("TwoResults", "u = alpha * x + y\nv = u / x", "x y", AttrSpec("alpha", "float", 1.0)),
    "five_inputs": op("FiveInputs", "z = maximum(a, b) + c * d - e / 3.0", "a b c d e"),
    "only_float32": op("OnlyFloat32", "z = (x + 1.0) * (x - 1.0)", "x", dtypes=("float32",)),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_plan_text(name, golden):
    golden(f"{name}.txt", described(GOLDEN[name]))


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


def test_queue_limits():
    assert planned(op("Op", "z = a + b + c + d", "a b c d")).buffers == 2
    eight = "a b c d e f g h"
    assert planned(op("Op", f"z = {' + '.join(eight.split())}", eight)).buffers == 1
    nine = f"{eight} i"
    with pytest.raises(PlanError) as refused:
        planned(op("Op", f"z = {' + '.join(nine.split())}", nine))
    assert refused.value.render() == (
        "error: Op has 9 inputs, but ascend910b has 8 queue buffers at VECIN\n"
        "  help: split the op: each of its inputs needs a queue with at least one buffer"
    )
    results = [f"z{i} = x + {i + 1}.0" for i in range(9)]
    with pytest.raises(PlanError) as refused:
        planned(op("Op", "\n".join(results), "x"))
    assert refused.value.what == "Op has 9 outputs, but ascend910b has 8 queue buffers at VECOUT"


@pytest.mark.parametrize("soc", [s.name for s in SOCS.values() if s.lacks])
def test_a_soc_that_lacks_something(soc):
    spec = op("Op", "z = x + y", "x y", dtypes=("float32",))
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (SOCS[soc],), graph_of(spec)).plan
    assert refused.value.render() == f"error: Op cannot be generated for {soc}: {SOCS[soc].lacks}"


def tensor(name, dtype):
    return TensorSpec(name, (dtype,), ("...",))


@pytest.mark.parametrize(
    ("expression", "dtypes", "said"),
    [
        (
            "z = pow(x, y)",
            "float16 float16",
            "it lacks ShiftRight and casts between float32 and int32, which pow needs",
        ),
        ("z = cast(x, float32) * y", "int16 float32", "x is int16, but its Cast does not support int16 to float32"),
        ("z = cast(x * y, int16)", "float16 int16", "z is int16, but its Cast does not support float32 to int16"),
        (
            "z = cast(cast(x, int32) * 2, float32) * y",
            "float32 float32",
            "it lacks casts that round float32 to integers, and casts between float32 and int32",
        ),
        (
            "z = floor(x) + y",
            "float32 float32",
            "it lacks casts that round float32 to integers, and casts between float32 and int32",
        ),
    ],
)
def test_cores_that_are_cube_and_vector_core_lack_casts(expression, dtypes, said):
    first, last = dtypes.split()
    inputs = (tensor("x", first), tensor("y", "float32" if first == "int16" else first))
    spec = OpSpec("Op", inputs, (), (tensor("z", last),), expression)
    assert kernel_of(spec, (SOCS["ascend910b"],), graph_of(spec)).plan.tiles
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (SOCS["ascend910b"], SOCS["ascend310p"]), graph_of(spec)).plan
    assert refused.value.what == f"Op cannot be generated for ascend310p: {said}"


def test_cores_that_are_cube_and_vector_core_copy_in_a_second_way():
    spec = op("Op", "z = x + y", "x y", dtypes=("float16", "float32"))
    graph = graph_of(spec)
    assert kernel_of(spec, (SOCS["ascend910b"], SOCS["ascend310p"]), graph).plan.coupled
    assert not kernel_of(spec, (SOCS["ascend910b"], SOCS["ascend910_93"]), graph).plan.coupled


def test_rows_of_dtypes_are_those_that_a_soc_has():
    spec = op("Op", "z = x + y", "x y")
    graph = graph_of(spec)
    whole, half = A2[0], replace(A2[1], dtypes=("float16", "int8"))
    tiles = kernel_of(spec, (whole, half), graph).plan.tiles
    assert [(t.soc, t.column, t.dtypes[0]) for t in tiles] == [
        ("ascend910b", 0, "float16"),
        ("ascend910b", 1, "bfloat16"),
        ("ascend910b", 2, "float32"),
        ("ascend910_93", 0, "float16"),
    ]
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (replace(whole, dtypes=("int8",)),), graph).plan
    assert refused.value.render() == (
        "error: ascend910b supports none of the dtype combinations of Op\n  help: it supports int8"
    )


def test_a_dtype_that_no_generated_kernel_has():
    x, y = TensorSpec("x", ("float32", "uint16")), TensorSpec("y", ("float32", "float32"))
    spec = OpSpec("Op", (x,), (), (y,), "y = cast(x, float32)")
    graph = graph_of(replace(spec, inputs=(replace(x, dtypes=("int16", "int16")),)))
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, A2, graph).plan
    assert refused.value.render() == (
        "error: Op: x is uint16, which generated kernels do not support\n"
        "  help: they support float16, bfloat16, float32, int32, bool, int8, uint8, int16, int64; leave compute out to "
        "write the kernel by hand"
    )


def test_rows_that_an_override_adds():
    """The columns are those of all SoCs; tiles exist where the SoC has the row."""
    spec = op("Op", "z = x + y", "x y", dtypes=("float32",))
    own = tuple(TensorSpec(name, ("float16",)) for name in "xyz")
    spec = replace(spec, overrides=(Override("ascend910_93", own),))
    plan = kernel_of(spec, A2, graph_of(spec)).plan
    assert [a.dtypes for a in plan.arguments] == [("float32", "float16")] * 3
    assert [(t.soc, t.column) for t in plan.tiles] == [("ascend910b", 0), ("ascend910_93", 1)]


@pytest.mark.parametrize(
    ("compute", "inputs", "outputs", "expected"),
    [
        # queues of two buffers; float32 views of bytes and 16 bits; halves for casts of bytes; a mask
        ("z = where(m, x, 0.0)", {"m": "bool", "x": "float16"}, {"z": "float16"}, 2 + 4 + 4 + 2 * 4 + 2 + 1),
        ("z = where(m, x, 0.0)", {"m": "bool", "x": "float32"}, {"z": "float32"}, 2 + 8 + 8 + 4 + 2 + 1),
        ("z = x > y", {"x": "float32", "y": "float32"}, {"z": "bool"}, 8 + 8 + 2 + 2 + 1),
        ("z = a + b", {"a": "int32", "b": "int32"}, {"z": "int32"}, 3 * 8),
        ("z = cast(a, float32) * 0.5", {"a": "int32"}, {"z": "float32"}, 2 * 8),
        ("z = cast(a, float32) + x", {"a": "int64", "x": "float16"}, {"z": "float16"}, 16 + 4 + 4 + 2 * 4),
        ("z = cast(x, int64)", {"x": "float32"}, {"z": "int64"}, 8 + 16 + 0),
        ("z = tanh(x)", {"x": "float32"}, {"z": "float32"}, 2 * 8 + 3 * 4 + 1),
        ("z = gelu(x)", {"x": "float16"}, {"z": "float16"}, 2 * 4 + 4 * 4),
        ("z = x * y + x / y + maximum(x, y)", {"x": "float32", "y": "float32"}, {"z": "float32"}, 3 * 8 + 4),
        ("z = x ** y", {"x": "float32", "y": "float32"}, {"z": "float32"}, 3 * 8 + 3 * 4 + 2),
    ],
)
def test_bytes_of_every_kind(compute, inputs, outputs, expected):
    spec = OpSpec(
        "Op",
        tuple(TensorSpec(n, (d,)) for n, d in inputs.items()),
        (),
        tuple(TensorSpec(n, (d,)) for n, d in outputs.items()),
        compute,
    )
    plan = planned(spec)
    assert plan.bytes_per_element(0) == expected
    assert plan.row_step(0) == {1: 32, 2: 16}.get(min(DTYPES[d].size for d in (inputs | outputs).values()), 8)
    reserve = (8192 if plan.masks else 0) + (256 if plan.shifted else 0)
    assert all(t.elements == (192 * 1024 - 256 - reserve) // expected // 256 * 256 for t in plan.tiles)


def test_an_expression_too_large_for_ub():
    spec = op("Op", "z = x + y", "x y", dtypes=("float32",))
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (replace(SOCS["ascend910b"], ub=4096),), graph_of(spec)).plan
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
    plan = kernel_of(op("Op", "z = x", "x"), A2, Graph(nodes, (Output("z", 3),))).plan
    assert plan.reserved == 8192
    assert {t.ub for t in plan.tiles} == {192 * 1024 - 256 - 8192}


def test_division_is_exact():
    """A power of two divides by its exact reciprocal; everything else by Div."""
    for divisor, name in (("2.0", "Muls"), ("0.125", "Muls"), ("-4.0", "Muls"), ("3.0", "Div"), ("10.0", "Div")):
        plan = planned(op("Op", f"z = x / {divisor}", "x"))
        assert plan.instructions[-1].name == name


@pytest.mark.parametrize("compute", ["y = cast(argmax(x, -1), int32) + 1", "y = cast(sum(x, -1), int32) * 2"])
def test_values_of_rows_in_int32_are_refused(compute: str) -> None:
    spec = parsed(_row_op(compute))
    with pytest.raises(PlanError) as refused:
        assert kernel_of(spec, A2, graph_of(spec)).plan
    assert refused.value.render() == (
        "error: Op cannot be generated: it computes in int32 with values that have one element for each row\n"
        "  help: compute in float32, and make `cast(..., int32)` the last step of an output"
    )


@pytest.mark.parametrize("compute", ["y = cast(argmax(x, -1), int32)", "y = cast(round(sum(x, -1) * 2 + 1), int32)"])
def test_values_of_rows_are_stored_as_int32(compute: str) -> None:
    spec = parsed(_row_op(compute))
    plan = kernel_of(spec, A2, graph_of(spec)).plan
    assert all(instruction.mode != "CAST_TRUNC" for instruction in plan.whole.instructions)


def _row_op(compute: str) -> OpSpec:
    x, y = TensorSpec("x", ("float32",), ("...", "H")), TensorSpec("y", ("int32",), ("...",))
    return OpSpec("Op", (x,), (), (y,), compute)
