"""Expressions that are too large or too deep are refused at once, with a place and a way out; the largest are read."""

from __future__ import annotations

import time

import pytest

from opforge.errors import SpecError
from opforge.ir.graph_printer import print_formulas
from opforge.kinds import derive
from opforge.spec.language import DEEPEST, MOST_CHARACTERS, MOST_OPERATORS
from opforge.spec.read.command_line import spec_from_options

SECONDS = 5.0  # on a busy machine; it takes a tenth of that


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        ("z = x" + " + x" * 10_000, "nested"),
        ("z = x" + " + x" * 200, rf"this is nested too deeply; the limit is {DEEPEST} levels"),
        ("z = " + "(" * 10_000 + "x" + ")" * 10_000, "nested"),
        ("z = " + "-" * 5_000 + "x", "nested"),
        ("z = " + "abs(" * 150 + "x" + ")" * 150, "nested"),
        ("z = where(" + "x > 0 > " * 3_000 + "x, x, x)", f"operators; the limit is {MOST_OPERATORS}"),
        ("z = x ** " + "x ** " * 4_000 + "x", "nested"),
        ("z = x" + " * 2" * 30_000, f"the limit is {MOST_CHARACTERS}"),
        ("t0 = x\n" + "\n".join(f"t{i + 1} = t{i} + 1" for i in range(9_999)), r"characters long; the limit is"),
        ("z = x + " + "9" * 4_000, "does not fit in float32"),
        ("z = x + " + "9" * 40_000, r"compute is|does not fit"),
        ("z = x * 10 ** 10 ** 10", "a constant part of `z` is not valid: it does not fit in float32"),
        ("z = x * 9 ** 9 ** 9 ** 9", "a constant part of `z` is not valid: it does not fit in float32"),
        ("z = x + \0", "compute is"),
    ],
    ids=range(14),
)
def test_what_is_too_large_is_refused_quickly(compute: str, message: str) -> None:
    start = time.perf_counter()
    with pytest.raises(SpecError, match=message) as caught:
        derive(spec_from_options("Example", ("x",), compute=compute, dtypes=("float32",)))
    assert time.perf_counter() - start < SECONDS
    assert all(problem.where is not None for problem in caught.value.problems)
    assert len(caught.value.render()) < 4 * len(compute) + 2_000


def chain(length: int) -> str:
    lines = ["t0 = x * 0.5", *(f"t{i} = t{i - 1} * x" for i in range(1, length - 1)), f"z = t{length - 2} + x"]
    return "\n".join(lines)


def test_the_largest_expression_goes_through_every_pass() -> None:
    start = time.perf_counter()
    spec = spec_from_options("Example", ("x",), compute=chain(MOST_OPERATORS), dtypes=("float32",))
    kernels = derive(spec).kernels
    assert [kernel.op.type for kernel in kernels] == ["Example", "ExampleGrad"]
    assert all(kernel.graph is not None and print_formulas(kernel.graph) for kernel in kernels)
    assert time.perf_counter() - start < SECONDS


def test_one_operator_more_is_refused() -> None:
    message = f"compute has {MOST_OPERATORS + 1} operators; the limit is {MOST_OPERATORS}"
    with pytest.raises(SpecError, match=message):
        spec_from_options("Example", ("x",), compute=chain(MOST_OPERATORS + 1), dtypes=("float32",))


@pytest.mark.parametrize(
    "compute",
    [
        "z = where(" + " < ".join(["x"] * (MOST_OPERATORS - 1)) + ", x, 1)",
        "z = where(" + " and ".join(["x > 0"] * (MOST_OPERATORS // 2 - 1)) + ", x, 1)",
        "z = " + "softplus(mish(" * 45 + "x" + "))" * 45,
    ],
    ids=["comparisons", "masks", "functions"],
)
def test_the_largest_chains_and_the_deepest_calls_go_through_every_pass(compute: str) -> None:
    start = time.perf_counter()
    spec = spec_from_options("Example", ("x",), compute=compute, dtypes=("float32",))
    assert derive(spec).kernels
    assert time.perf_counter() - start < SECONDS


def test_the_deepest_expression_is_read() -> None:
    depth = DEEPEST - 2
    spec = spec_from_options("Example", ("x",), compute="z = x" + " + x" * depth, dtypes=("float32",))
    assert len(derive(spec).kernels) == 2
    powers = spec_from_options("Example", ("x",), compute="z = x" + " ** x" * 20, dtypes=("float32",))
    assert len(derive(powers).kernels) == 2


def test_a_name_that_is_used_twice_each_time() -> None:
    """What meets a value of rows is looked up through all lines, each once."""
    lines = ["t0 = w * 0.5", *(f"t{i} = t{i - 1} * t{i - 1}" for i in range(1, 60)), "z = sum(x, -1) * t59"]
    spec = spec_from_options("Example", ("x", "w"), compute="\n".join(lines), shapes=("x=[..., H]", "w=[...]"))
    assert spec.ops[0].inputs[1].unsqueezed
