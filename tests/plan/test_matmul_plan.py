"""Plans of ops with matrix products: their text, their numbers, and what cannot be planned, word for word."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from plan_ops import A2, ALL, described, op

from opforge.errors import PlanError
from opforge.kinds import kernel_of
from opforge.kinds.products.plan import BASE_N, MatmulPlan
from opforge.soc import SOCS
from opforge.spec import catalog
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import graph_of

MATRICES = {"x": ("...", "K"), "w": ("K", "N")}
ALPHA = AttrSpec("alpha", "float", 0.5)


def matmul_op(compute: str, *attrs: AttrSpec, dtypes: tuple[str, ...] = ALL, **further: tuple[str, ...]) -> OpSpec:
    """An op with inputs ``x`` and ``w`` for products, and those of ``further`` with their dims."""
    plain = op("Op", compute, "x w", *attrs, dtypes=dtypes)
    inputs = tuple(TensorSpec(name, dtypes, dims) for name, dims in (MATRICES | further).items())
    return replace(plain, inputs=inputs, outputs=tuple(replace(o, dims=("...", "N")) for o in plain.outputs))


def from_catalog(name: str) -> OpSpec:
    entry = catalog.entry(name)
    assert entry is not None
    return entry


def planned_products(spec: OpSpec) -> MatmulPlan:
    plan = kernel_of(spec, A2, graph_of(spec)).plan
    assert isinstance(plan, MatmulPlan)
    return plan


GOLDEN = {
    "swi_glu": from_catalog("SwiGLU"),
    "linear": from_catalog("Linear"),
    "matmul_leaky_relu": from_catalog("MatmulLeakyRelu"),
    "matmul_rms_norm": from_catalog("MatmulRMSNorm"),
    "product_alone": matmul_op("p = x @ w"),
    "product_of_shared_sums": replace(matmul_op("p = x @ w"), batch_invariant=False),
    "two_from_products": matmul_op("p = x @ w\nu = p * r + alpha\nv = p", ALPHA, r=("...", "N")),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_plan_text(name, golden):
    golden(f"{name}.txt", described(GOLDEN[name]))


def test_products_stay_float32_in_front_of_rows():
    """Whatever the op's dtypes: nothing is rounded between the products and the rows."""
    rows = kernel_of(spec := from_catalog("MatmulRMSNorm"), A2, graph_of(spec)).plan.rows
    assert [(a.name, set(a.dtypes)) for a in rows.inputs] == [("w_product", {"float32"}), ("gamma", set(ALL))]


def test_rows_of_products_are_refused_on_ascend310p():
    spec = from_catalog("MatmulRMSNorm")
    with pytest.raises(PlanError, match="rows are not supported there yet"):
        kernel_of(spec, (SOCS["ascend310p"],), graph_of(spec)).plan  # noqa: B018


@pytest.mark.parametrize(
    ("spec", "socs", "why"),
    [
        (from_catalog("MatmulRMSNorm"), A2, "rows over the last dimension are computed from its products"),
        (matmul_op("y = x @ w", dtypes=("float16",)), (*A2, SOCS["ascend310p"]), "ascend310p has no kernel for it"),
    ],
)
def test_sums_are_not_shared_by_rows_nor_on_ascend310p(spec, socs, why):
    shared = replace(spec, batch_invariant=False)
    with pytest.raises(PlanError, match=f"batch_invariant: false, which lets cores share .*, but {why}") as caught:
        kernel_of(shared, socs, graph_of(shared)).plan  # noqa: B018
    alone = why.startswith("ascend310p")
    apart = ", or make an op of the products alone, with batch_invariant: false, and compute the rest in a second op"
    assert caught.value.hint == "remove batch_invariant: false" + ("" if alone else apart)


def test_parts_of_products_need_queue_buffers():
    """Two products and a residual leave too few for the parts."""
    gated = matmul_op("y = (x @ w) * (x @ v) + r", v=("K", "N"), r=("...", "N"))
    spec = replace(gated, batch_invariant=False)
    with pytest.raises(PlanError, match="need 10 queue buffers at VECIN, but ascend910b has 8") as caught:
        kernel_of(spec, A2, graph_of(spec)).plan  # noqa: B018
    assert "compute the rest in a second op" in (caught.value.hint or "")


def test_an_op_of_the_products_alone_shares_sums_as_the_hint_says():
    spec = replace(matmul_op("y = x @ w"), batch_invariant=False)
    assert kernel_of(spec, A2, graph_of(spec)).plan.shares_sums


def test_a_slot_is_a_tile_of_every_product():
    """Whatever M and I are: the plan knows no M or I at all."""
    plan = planned_products(from_catalog("SwiGLU"))
    assert plan.slot_bytes == 2 * 128 * 256 * 4
    assert planned_products(from_catalog("Linear")).slot_bytes == 128 * 256 * 4


def test_what_the_epilogue_moves():
    """Operands of products alone take no room in UB; products do, in float32."""
    plan = planned_products(GOLDEN["swi_glu"])
    assert plan.products == 2
    assert [a.name for a in plan.arguments] == ["x", "w_gate", "w_up", "y"]
    assert [a.name for a in plan.epilogue.arguments] == ["gate", "up", "y"]
    # two buffers each of gate and up in float32 and of y as stored; y's own float32 value where it is 16-bit
    assert [plan.epilogue.bytes_per_element(column) for column in range(3)] == [2 * 8 + 2 * 2 + 4] * 2 + [3 * 8]
    assert {t.elements * t.bytes_per_element <= 192 * 1024 - 256 for t in plan.epilogue.tiles} == {True}
    assert all(t.elements >= BASE_N for t in plan.epilogue.tiles)


def test_queue_buffers_are_counted_with_products():
    """Eight queue buffers at VECIN: two products and two inputs take two each, another input makes it one each."""
    inputs = dict.fromkeys("abcdefg", ("...", "N"))
    two = "y = x @ w * (x @ w + a) * b"
    assert planned_products(matmul_op(two, a=("...", "N"), b=("N",))).epilogue.buffers == 2
    full = matmul_op(f"y = x @ w + {' + '.join(inputs)}", **inputs)
    assert planned_products(full).epilogue.buffers == 1
    with pytest.raises(PlanError) as refused:
        planned_products(matmul_op(f"y = x @ w + {' + '.join(inputs)} + h", h=("N",), **inputs))
    assert refused.value.render() == (
        "error: Op has 9 inputs and products, but ascend910b has 8 queue buffers at VECIN\n"
        "  help: split the op: each of its inputs and products needs a queue with at least one buffer"
    )


def test_an_epilogue_too_long_for_ub():
    """256 elements, a row of the largest tile, must fit at once."""
    spec = matmul_op("y = sigmoid(x @ w) * alpha", ALPHA, dtypes=("float16",))
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (replace(SOCS["ascend910b"], ub=4096),), graph_of(spec)).plan
    assert refused.value.render() == (
        "error: Op does not fit the unified buffer of ascend910b: tiles have 3840 bytes, and one of 256 elements takes "
        "4096 (16 bytes per element for float32, float16)\n"
        "  help: split the expression over several ops"
    )
    deep = matmul_op(
        "y = " + " * ".join(f"(sigmoid(p * {i}.0) - {'(' * i}p{')' * i})" for i in range(1, 4)).replace("p", "(x @ w)")
    )
    assert planned_products(deep).epilogue.tiles


def of_dtypes(spec: OpSpec, *dtypes: str) -> OpSpec:
    return replace(spec, inputs=tuple(replace(t, dtypes=dtypes) for t in spec.inputs),
                   outputs=tuple(replace(t, dtypes=dtypes) for t in spec.outputs))  # fmt: skip


def test_cores_that_are_cube_and_vector_core_keep_ub_for_their_matmul():
    spec = of_dtypes(from_catalog("SwiGLU"), "float16")
    plan = kernel_of(spec, (SOCS["ascend910b"], SOCS["ascend310p"]), graph_of(spec)).plan
    assert isinstance(plan, MatmulPlan)
    assert plan.coupled
    ub = {tile.soc: tile.ub for tile in plan.epilogue.tiles}
    assert ub == {"ascend910b": 192 * 1024 - 256, "ascend310p": 128 * 1024 - 256}


def test_cores_that_are_cube_and_vector_core_multiply_float16():
    """bfloat16 they have not at all; products of float32 are refused by name."""
    spec = of_dtypes(from_catalog("SwiGLU"), "float16", "bfloat16")
    plan = kernel_of(spec, (SOCS["ascend310p"],), graph_of(spec)).plan
    assert isinstance(plan, MatmulPlan)
    assert [set(tile.dtypes[2:]) for tile in plan.epilogue.tiles] == [{"float16"}]
    spec = of_dtypes(from_catalog("SwiGLU"), "float16", "float32")
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (SOCS["ascend910b"], SOCS["ascend310p"]), graph_of(spec)).plan
    assert refused.value.render() == (
        "error: SwiGLU cannot be generated for ascend310p: x is float32, but its Matmul computes float32 products of "
        "float16 only\n  help: give ascend310p its own dtypes: overrides: {ascend310p: {x: [float16]}}"
    )


def test_cores_that_are_cube_and_vector_core_lack_casts_after_products():
    spec = of_dtypes(matmul_op("y = pow(x @ w, alpha)", ALPHA), "float16")
    with pytest.raises(PlanError) as refused:
        _ = kernel_of(spec, (SOCS["ascend310p"],), graph_of(spec)).plan
    assert refused.value.what == (
        "Op cannot be generated for ascend310p: it lacks ShiftRight and casts between float32 and int32, which pow "
        "needs"
    )


@pytest.mark.torch
def test_places_are_right_with_products():
    """A plan carried out place by place gives what its graph means; products come in as values of their own."""
    import torch
    from test_places import carried_out, expression

    from opforge.ir.evaluate import evaluate
    from opforge.plan.vector_model import ScalarOperand

    for seed in range(100):
        chance = random.Random(seed)
        body = expression(chance, ["p", "q", "r", "s"], chance.randint(1, 4)).replace("alpha", "0.75")
        body = body.replace("cast(k * k - 2, float32)", "s")
        compute = f"p = x @ w\nq = x @ v\ny = {body} + 0.0 * p * q * r * s\nz = p"
        spec = matmul_op(compute, v=("K", "N"), r=("...", "N"), s=("N",))
        spec = replace(spec, outputs=tuple(o for o in spec.outputs if o.name in {"y", "z"}))
        graph = graph_of(spec)
        plan = planned_products(spec)
        generator = torch.Generator().manual_seed(seed)
        shapes = {"x": (1, 5), "w": (5, 7), "v": (5, 7), "r": (1, 7), "s": (7,)}
        inputs = {name: torch.rand(shape, generator=generator) + 0.5 for name, shape in shapes.items()}
        wanted = evaluate(graph, inputs, {})
        arrived = {"p": (inputs["x"] @ inputs["w"])[0], "q": (inputs["x"] @ inputs["v"])[0]}
        arrived |= {"r": inputs["r"][0], "s": inputs["s"]}
        assert not any(isinstance(i.scalar, ScalarOperand) and i.scalar.name for i in plan.epilogue.instructions)
        for float32 in (True, False):
            found = carried_out(plan.epilogue, arrived, {}, float32=float32, kept={"p", "q"})
            for name, value in found.items():
                torch.testing.assert_close(
                    value, wanted[name][0], rtol=1e-4, atol=1e-4, equal_nan=True,
                    msg=lambda text, seed=seed, spec=spec: f"seed {seed}: {spec.compute}\n{text}",
                )  # fmt: skip
