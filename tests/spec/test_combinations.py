"""The rows of dtypes that an op has: in columns, as a product, on one SoC, and what is left out there."""

from __future__ import annotations

import pytest

from opforge.spec.check.narrowing import describe_narrowing, narrowed, without_dtypes
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec
from opforge.spec.read.parse import parse_spec

HEAD = "edition: 1\nproject: {name: gates}\nops:\n  Foo:\n"


def op(*lines: str) -> OpSpec:
    return parse_spec(HEAD + "".join(f"    {line}\n" for line in lines), None).ops[0]


def test_columns() -> None:
    made = op("inputs: {x: {dtype: [float16, float32]}, w: {dtype: [float32]}, v: }", "compute: y = w * x * v")
    assert combinations(made) == (("float16", "float32", "float16", "float16"), ("float32",) * 4)
    made = op(
        "inputs: {x: {dtype: [float16]}}", "outputs: {y: {shape: [...], dtype: [int8, int32]}, z: {shape: [...]}}"
    )
    assert combinations(made) == (("float16", "int8", "float16"), ("float16", "int32", "float16"))


def test_what_compute_gives() -> None:
    made = op("inputs: {x: {dtype: [float16, float32]}}", "compute: m, n, y = x > 0, cast(x, int32), x * 2")
    assert combinations(made) == (("float16", "bool", "int32", "float16"), ("float32", "bool", "int32", "float32"))
    assert made.backward
    assert not op("inputs: {x: {dtype: [float16, float32]}}", "compute: m, n = x > 0, cast(x, int32)").backward


def test_a_product_of_choices() -> None:
    made = op(
        "inputs: {x: {dtype: [float16, float32]}, i: {dtype: [int32, int64]}, v: }",
        "outputs: {y: {shape: [...]}, w: {inplace: i}, m: {dtype: [bool], shape: [...]}}",
        "dtype_product: true",
    )
    assert set(combinations(made)) == {
        (x, i, x, x, i, "bool") for x in ("float16", "float32") for i in ("int32", "int64")
    }


def test_a_product_with_a_dtype_of_compute() -> None:
    made = op(
        "inputs: {x: {dtype: [float16, float32]}, w: {dtype: [float32]}}", "compute: m = x > w", "dtype_product: true"
    )
    assert combinations(made) == (("float16", "float32", "bool"), ("float32", "float32", "bool"))


def test_a_soc_has_its_own_columns() -> None:
    made = op(
        "inputs: {x: {dtype: [float16, bfloat16, float32]}, w: {dtype: [float32]}, v: }",
        "overrides:",
        "  ascend310p: {x: {dtype: [float16]}}",
        "  ascend950: {x: {dtype: [float32, float16]}, w: {dtype: [float16]}}",
        "outputs: {y: {inplace: x}}",
    )
    assert combinations(made, "ascend310p") == (("float16", "float32", "float16", "float16"),)
    assert combinations(made, "ascend950") == (
        ("float32", "float16", "float32", "float32"),
        ("float16", "float16", "float16", "float16"),
    )
    assert len(combinations(made, "ascend910b")) == 3
    assert set(combinations(made)) == {
        row for soc in ("ascend310p", "ascend950", "ascend910b") for row in combinations(made, soc)
    }


def test_overrides_of_a_product() -> None:
    made = op(
        "inputs: {x: {dtype: [float16, float32]}, i: {dtype: [int32, int64]}}",
        "outputs: {y: {shape: [...]}, w: {inplace: i}}",
        "dtype_product: true",
        "overrides: {ascend310p: {i: {dtype: [int8, uint8]}}}",
    )
    assert set(combinations(made, "ascend310p")) == {
        (x, i, x, i) for x in ("float16", "float32") for i in ("int8", "uint8")
    }


NARROWED = """
edition: 1
project: {name: gates, soc: [ascend910b, ascend910_93]}
ops:
  Foo:
    inputs: {x: {dtype: [float16, float8_e5m2, hifloat8]}}
    outputs: {y: {shape: [...]}}
    overrides: {ascend910_93: {x: {dtype: [float32]}}}
  Bar:
    inputs: {x: {dtype: [float16, float32]}}
    compute: y = x * 2
"""


def test_what_is_left_out_is_said_in_words() -> None:
    spec = parse_spec(NARROWED, None)
    foo, bar = spec.ops
    assert narrowed(foo, "ascend910b") == ("float8_e5m2", "hifloat8")
    assert narrowed(foo, "ascend910_93") == narrowed(bar, "ascend910b") == ()
    assert narrowed(bar, "ascend910") == ()
    assert describe_narrowing(spec) == (
        "Foo on ascend910b: without float8_e5m2, hifloat8, which the SoC does not support; 1 combination of dtypes left"
    )
    assert describe_narrowing(parse_spec(NARROWED.replace(", float8_e5m2, hifloat8", ""), None)) == ""


@pytest.mark.parametrize("soc", ["ascend310p", "ascend910", "ascend310b"])
def test_socs_before_the_a2_have_no_bfloat16(soc: str) -> None:
    made = op("inputs: {x: {dtype: [bfloat16]}}", "compute: y = x * 2")
    assert without_dtypes(made, ("ascend910b", soc)) == (soc,)
