"""Every elementwise function of the table, by count and by repeats, against its meaning in NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from api_rows import ApiFunction
from harness import Array
from probes import NUMPY, Choice, Probes, compile_probes
from ulps import distance

pytestmark = pytest.mark.compiler

SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128, 255, 256, 257, 997, 4095, 4096]
FORMS = {"unary", "binary", "scalar"}
CALLS = {
    "unary": "{name}(z, x, {n});",
    "binary": "{name}(z, x, y, {n});",
    "scalar": "{name}(z, x, Scalar<{src}>(data.scalar), {n});",
}
# Correct to this many units in the last place of float; everything else is exact.
ULPS = {"Exp": 1, "Ln": 1, "Rsqrt": 1}


def types_of(dtype: str) -> tuple[str, str]:
    dst, _, src = dtype.partition("<-")
    return dst, src or dst


def lanes_of(dtype: str) -> int:
    """Of a repeat: the wider type fills 256 bytes."""
    return 256 // max(np.dtype(NUMPY[t]).itemsize for t in types_of(dtype))


def repeats_of(row: ApiFunction, dtype: str, mask: str = "(uint64_t)data.lanes") -> str:
    """The arguments of the form with repeats that follow each other."""
    dst, src = (lanes_of(dtype) * np.dtype(NUMPY[t]).itemsize // 32 for t in types_of(dtype))
    sources = (
        (f"1, 1, {dst}, {src}, {src}", "BinaryRepeatParams")
        if row.form == "binary"
        else (f"1, {dst}, {src}", "UnaryRepeatParams")
    )
    return f"{mask}, data.repeat, {sources[1]}(1, {sources[0]})"


def choice_of(row: ApiFunction, dtype: str, arguments: str) -> Choice:
    dst, src = types_of(dtype)
    return Choice(dst, src, CALLS[row.form].format(name=row.name, src=src, n=arguments))


@pytest.fixture(scope="module")
def probes(root: Path, api_table: tuple[ApiFunction, ...], tmp_path_factory: pytest.TempPathFactory) -> Probes:
    rows = [(row, dtype) for row in api_table if row.family == "vector" and row.form in FORMS for dtype in row.dtypes]
    choices = [choice_of(row, dtype, "data.count") for row, dtype in rows]
    choices += [choice_of(row, dtype, repeats_of(row, dtype)) for row, dtype in rows]
    fill = next(row for row in api_table if (row.family, row.name) == ("vector", "Duplicate"))
    choices += [Choice(t, t, f"Duplicate(z, Scalar<{t}>(data.scalar), data.count);") for t in fill.dtypes]
    return compile_probes(root, choices, tmp_path_factory.mktemp("elementwise"))


def shift_left(a: Array, s: Array) -> Array:
    """The documented arithmetic shift: a signed type keeps its sign bit."""
    bits = a.dtype.itemsize * 8
    shifted = (a.astype(np.uint64) << np.uint64(s)).astype(f"u{a.dtype.itemsize}")
    if a.dtype.kind == "i":
        sign = np.array(1 << (bits - 1), shifted.dtype)
        shifted = (shifted & ~sign) | (a.view(shifted.dtype) & sign)
    return shifted.view(a.dtype)


def meaning(row: ApiFunction, a: Array, b: Array, d: Array, s: np.generic) -> Array:
    """The row's expression; half computes in float32 and is rounded at the end, float32 rounds after each operation."""
    wide = np.float32 if a.dtype == np.float16 else a.dtype
    names = {
        name: getattr(np, name) for name in ("abs", "exp", "log", "sqrt", "where", "maximum", "minimum", "float64")
    }
    values = {"a": a.astype(wide), "b": b.astype(wide), "d": d.astype(np.float32) if wide == np.float32 else d}
    values["s"] = np.asarray(s).astype(wide)[()]
    assert row.meaning is not None
    with np.errstate(all="ignore"):
        result = eval(row.meaning, {"__builtins__": {}, **names, "shift_left": shift_left}, values)  # noqa: S307
        return np.asarray(result).astype(wide).astype(d.dtype)


def data_for(numpy_type: type, size: int, rng: np.random.Generator) -> Array:
    if np.issubdtype(numpy_type, np.floating):
        values = (rng.standard_normal(size) * np.exp2(rng.integers(-8, 8, size))).astype(numpy_type)
        special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-7, 60000.0, -60000.0], numpy_type)
        values[: len(special)] = special[:size]
        return values
    info = np.iinfo(numpy_type)
    return rng.integers(info.min, info.max, size, numpy_type, endpoint=True)


def assert_equal(row: ApiFunction, got: Array, want: Array, where: str) -> None:
    if got.dtype.kind == "f":
        assert distance(got, want) <= ULPS.get(row.name, 0), f"{where}: {got} is not {want}"
    else:
        assert (got == want).all(), f"{where}: {got} is not {want}"


def scalar_for(row: ApiFunction, src: str) -> np.generic:
    return NUMPY[src](3) if row.name.startswith("Shift") else NUMPY[src](-1.75 if src in {"half", "float"} else 7)


def test_elementwise(probes: Probes, api_table: tuple[ApiFunction, ...]) -> None:
    rng = np.random.default_rng(7)
    ran = 0
    for row in (row for row in api_table if row.family == "vector" and row.form in FORMS):
        for dtype in row.dtypes:
            dst, src = types_of(dtype)
            scalar = scalar_for(row, src)
            for size in SIZES:
                a, b = data_for(NUMPY[src], size, rng), data_for(NUMPY[src], size, rng)[::-1].copy()
                d = data_for(NUMPY[dst], size, rng)
                got = probes(choice_of(row, dtype, "data.count"), a, b, d, scalar=scalar)
                want = meaning(row, a, b, d, scalar)
                if row.name == "Relu" and dst != "int32_t":
                    want = want + want.dtype.type(0)  # -0 becomes 0
                assert_equal(row, got, want, f"{row.name} {dtype} {size}")
                ran += 1
    assert ran > 1000


def test_repeats_with_a_mask_change_only_the_selected_lanes(probes: Probes, api_table: tuple[ApiFunction, ...]) -> None:
    rng = np.random.default_rng(8)
    for row in (row for row in api_table if row.family == "vector" and row.form in FORMS):
        for dtype in row.dtypes:
            dst, src = types_of(dtype)
            lanes = lanes_of(dtype)
            for selected, repeats in ((1, 1), (lanes // 2 + 1, 3), (lanes, 2)):
                size = repeats * lanes
                a, b, d = (data_for(NUMPY[t], size, rng) for t in (src, src, dst))
                scalar = scalar_for(row, src)
                got = probes(
                    choice_of(row, dtype, repeats_of(row, dtype)),
                    a,
                    b,
                    d,
                    scalar=scalar,
                    repeat=repeats,
                    lanes=selected,
                )
                active = np.arange(size) % lanes < selected
                want = meaning(row, a, b, d, scalar)
                assert_equal(row, got[active], want[active], f"{row.name} {dtype} {selected} lanes")
                assert got[~active].tobytes() == d[~active].tobytes()


def test_duplicate(probes: Probes, api_table: tuple[ApiFunction, ...]) -> None:
    for dtype in next(row for row in api_table if (row.family, row.name) == ("vector", "Duplicate")).dtypes:
        value = NUMPY[dtype](3.5 if dtype in {"half", "float"} else 12345)
        for size in SIZES:
            z = np.zeros(size, NUMPY[dtype])
            got = probes(
                Choice(dtype, dtype, f"Duplicate(z, Scalar<{dtype}>(data.scalar), data.count);"), z, z, z, scalar=value
            )
            assert (got == value).all()


def test_fast_mode_computes_the_same(probes: Probes, api_table: tuple[ApiFunction, ...]) -> None:
    rng = np.random.default_rng(9)
    for row in (row for row in api_table if row.family == "vector" and row.form in FORMS):
        a, b, d = (data_for(NUMPY[types_of(row.dtypes[0])[i]], 997, rng) for i in (1, 1, 0))
        scalar = scalar_for(row, types_of(row.dtypes[0])[1])
        choice = choice_of(row, row.dtypes[0], "data.count")
        slow, fast = (probes(choice, a, b, d, scalar=scalar, checks=checks) for checks in (True, False))
        assert slow.tobytes() == fast.tobytes()
