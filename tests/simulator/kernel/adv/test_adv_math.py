"""Mathematics and activations above the instructions, in all their forms, against their meaning in NumPy and SciPy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from adv_probes import AdvProbes, compile_adv_probes
from api_rows import ApiFunction
from harness import Array, LaunchError
from probes import NUMPY
from scipy import special
from ulps import distance

pytestmark = pytest.mark.compiler

SIZES = [0, 1, 7, 8, 33, 128, 997]
FORMS = {"adv_unary", "adv_binary", "adv_scalar"}
# What the arguments are drawn from, by function; else from -8 to 8.
DOMAINS: dict[str, tuple[float, float]] = {
    "Acos": (-1, 1), "Asin": (-1, 1), "Acosh": (1, 60000), "Atanh": (-0.999, 0.999), "Log": (1e-3, 6e4),
    "Log2": (1e-3, 6e4), "Log10": (1e-3, 6e4), "Lgamma": (0.1, 50), "Digamma": (0.1, 50), "Sin": (-6e4, 6e4),
    "Cos": (-6e4, 6e4), "Tan": (-6e4, 6e4), "Atan": (-6e4, 6e4), "Asinh": (-6e4, 6e4), "Power": (0.1, 4),
}  # fmt: skip
# Some functions stay in a form of their own.
ARGUMENTS = {"Axpy": "z, x, {s}", "Swish": "z, x", "SwiGLU": "z, x, y, (float)f(0)"}
NO_COUNT = {"Ceil", "Digamma", "Floor", "Lgamma", "Round", "Exp", "ReGlu", "ClampMax", "ClampMin", "Axpy", "Silu",
            "Swish", "Gelu", "FasterGelu", "FasterGeluV2"}  # fmt: skip
NO_ROOM = {"Log", "Log10", "Silu", "Swish"}
ALWAYS_ROOM = {"Axpy"}
ROOM = 32768  # Lgamma of half asks for 6656 at least


def variants(row: ApiFunction, dtype: str) -> list[str]:
    """Which of sharedTmpBuffer and calCount the forms take; for all data types but the first only one form."""
    if dtype != row.dtypes[0]:
        return ["c" if row.name in NO_ROOM else "tc"]
    return [
        f"{room}{count}"
        for room in ("", "t")
        for count in ("", "c")
        if not (room and row.name in NO_ROOM)
        and not (not room and row.name in ALWAYS_ROOM)
        and not (not count and row.name in NO_COUNT)
    ]


def types_of(dtype: str) -> tuple[str, str]:
    dst, _, src = dtype.partition("<-")
    return dst, src or dst


def statement(row: ApiFunction, dtype: str, variant: str) -> str:
    dst, src = types_of(dtype)
    name = f"Exp<{dst}, 6>" if row.name == "Exp" else row.name
    operands = ARGUMENTS.get(row.name, "z, x, y" if row.form == "adv_binary" else "z, x")
    operands = operands.replace("{s}", f"({src})f(0)")
    room = ["room"] if "t" in variant else []
    count = ["(uint32_t)n(0)"] if "c" in variant else []
    scalar = [f"({dst})f(0)"] if row.name in {"ClampMax", "ClampMin", "Swish"} else []
    tail = [*count, *scalar] if row.name == "Swish" else [*room, *scalar, *count]
    return (
        f"auto z = Out(0)<{dst}>(); auto x = In(0)<{src}>(); auto y = In(1)<{src}>(); (void)y;"
        " auto room = Room(); (void)room;"
        f" z.SetSize(n(0)); x.SetSize(n(0)); y.SetSize(n(0)); {name}({', '.join([operands, *tail])});"
    )


@pytest.fixture(scope="module")
def rows(api_table: tuple[ApiFunction, ...]) -> list[ApiFunction]:
    return [row for row in api_table if row.form in FORMS]


@pytest.fixture(scope="module")
def probes(root: Path, rows: list[ApiFunction], tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    calls = {
        f"{row.name} {dtype} {variant}": statement(row, dtype, variant)
        for row in rows
        for dtype in row.dtypes
        for variant in variants(row, dtype)
    }
    room = "x.ReinterpretCast<uint8_t>()"
    x, count = "auto x = In(0)<half>();", "(uint32_t)n(0)"
    calls["in place"] = f"{x} Tanh(x, x, Room(), {count});"
    calls["in place, allowed"] = f"{x} Trunc(x, x, Room(), {count});"
    calls["half in place"] = f"{x} Trunc(x[16], x, Room(), 32);"
    calls["in its room"] = f"{x} Tanh(Out(0)<half>(), x, {room}, {count});"
    calls["power of a scalar"] = "Power(Out(0)<float>(), In(0)<float>(), (float)f(0), Room(), (uint32_t)n(0));"
    calls["scalar to a power"] = "Power(Out(0)<float>(), (float)f(0), In(0)<float>(), Room(), (uint32_t)n(0));"
    calls["power of a scalar, whole"] = "Power(Out(0)<float>(), In(0)<float>(), (float)f(0));"
    calls["scalar to a power, whole"] = "Power(Out(0)<float>(), (float)f(0), In(0)<float>());"
    calls["reuse"] = "Tanh<float, true>(Out(0)<float>(), In(0)<float>(), Room(), (uint32_t)n(0));"
    calls["far"] = "Tanh(Out(0)<float>(), In(0)<float>(), (uint32_t)n(0));"
    return compile_adv_probes(root, calls, tmp_path_factory.mktemp("adv_math"))


def real(a: Array, dtype: str) -> Array:
    """As float64; bfloat16 travels as its bits."""
    return (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64) if dtype == "bfloat16_t" else a


def rounded(a: Array, dtype: str) -> Array:
    if dtype != "bfloat16_t":
        return np.asarray(a).astype(NUMPY[dtype])
    bits = np.asarray(a).astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def meaning(row: ApiFunction, dtype: str, arrays: tuple[Array, Array, Array], s: float) -> Array:
    a, b, d = arrays
    dst, src = types_of(dtype)
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    values = {"special": special, "s": s, "d": np.asarray(real(d, dst), np.float64)}
    for name, array in (("a", a), ("b", b)):
        exact = real(array, src)
        values[name] = exact if exact.dtype.kind in "iu" else exact.astype(np.float64)
    assert row.meaning is not None
    with np.errstate(all="ignore"):
        return rounded(eval(row.meaning, {"__builtins__": {}, **names}, values), dst)  # noqa: S307


def data_for(row: ApiFunction, dtype: str, size: int, rng: np.random.Generator) -> Array:
    if dtype in {"int16_t", "uint16_t"}:
        return rng.integers(np.iinfo(NUMPY[dtype]).min, np.iinfo(NUMPY[dtype]).max, size, NUMPY[dtype], endpoint=True)
    if dtype == "int32_t":
        return rng.integers(-3, 20, size, np.int32)
    low, high = DOMAINS.get(row.name, (-8, 8))
    values = rng.uniform(low, high, size)
    if row.name not in DOMAINS:
        special_values = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, np.inf, -np.inf][: 6 if row.form == "adv_binary" else 8][
            :size
        ]
        values[: len(special_values)] = special_values
    return rounded(values, dtype)


def test_adv_functions(probes: AdvProbes, rows: list[ApiFunction]) -> None:
    rng = np.random.default_rng(5)
    ran = 0
    for row in rows:
        for dtype in row.dtypes:
            dst, src = types_of(dtype)
            for variant in variants(row, dtype):
                for size in SIZES:
                    a, b = (data_for(row, src, size, rng) for _ in "ab")
                    d = data_for(row, dst, size, rng)
                    s = 1.25
                    (got,) = probes(
                        f"{row.name} {dtype} {variant}", [a, b], [d], numbers=[size], reals=[s],
                        room=ROOM if "t" in variant else 0, load=row.name == "Axpy" or size == 0,
                    )  # fmt: skip
                    want = meaning(row, dtype, (a, b, d), s)
                    where = f"{row.name} {dtype} {variant} {size}"
                    if want.dtype.kind == "f":
                        assert distance(got, want) <= 1, f"{where}: {got} is not {want}"
                    elif dst == "bfloat16_t":
                        assert np.abs(got.astype(int) - want.astype(int)).max(initial=0) <= 1, where
                    else:
                        assert (got == want).all(), f"{where}: {got} is not {want}"
                    ran += 1
    assert ran > 900


def test_power_with_a_scalar(probes: AdvProbes) -> None:
    a = np.random.default_rng(6).uniform(0.1, 3, 997).astype(np.float32)
    b = a[:992]
    out, less = np.zeros(997, np.float32), np.zeros(992, np.float32)
    (got,) = probes("power of a scalar", [a], [out], numbers=[997], reals=[2.5], room=ROOM)
    assert distance(got, (a.astype(np.float64) ** 2.5).astype(np.float32)) <= 1
    (got,) = probes("scalar to a power", [a], [out], numbers=[997], reals=[2.5], room=ROOM)
    assert distance(got, (2.5 ** a.astype(np.float64)).astype(np.float32)) <= 1
    (got,) = probes("power of a scalar, whole", [b], [less], reals=[2.5])
    assert distance(got, (b.astype(np.float64) ** 2.5).astype(np.float32)) <= 1
    (got,) = probes("scalar to a power, whole", [b], [less], reals=[2.5])
    assert distance(got, (2.5 ** b.astype(np.float64)).astype(np.float32)) <= 1
    assert probes("reuse", [b], [less], numbers=[992], room=ROOM)[0] == pytest.approx(np.tanh(b))


def refusal(probes: AdvProbes, call: str, **operands: object) -> str:
    x = np.linspace(-2, 2, 128).astype(np.float16)
    with pytest.raises(LaunchError) as refused:
        probes(call, [x], [np.zeros(128, np.float16)], **operands)
    return "\n".join(re.sub(r"\S+probe\.cpp:\d+", "HERE", refused.value.report).splitlines()[:2])


def test_a_room_that_is_too_small_is_refused(probes: AdvProbes) -> None:
    assert refusal(probes, "Tanh half tc", numbers=[128], room=992) == (
        "Probe: block 0 of 1: HERE: Tanh: sharedTmpBuffer has 992 bytes, but at least 1024 are needed\n"
        "  rule: sharedTmpBuffer has at least the bytes that the function's GetXxxMaxMinTmpSize calls minValue"
        " [高阶API/数学计算/更多样例-83]"
    )
    big = np.zeros(49088, np.float16)
    with pytest.raises(LaunchError) as refused:
        probes("Tanh half c", [big], [big], numbers=[49088])
    assert "\n".join(re.sub(r"\S+probe\.cpp:\d+", "HERE", refused.value.report).splitlines()[:2]) == (
        "Probe: block 0 of 1: HERE: Tanh: 1024 bytes are needed, but TPipe has given out 196352 of 196608\n"
        "  rule: a function without sharedTmpBuffer takes its room from what TPipe has not given out"
        " [高阶API/数学计算/更多样例-83]"
    )


def test_operands_that_overlap_are_refused_where_the_page_says_so(probes: AdvProbes) -> None:
    assert refusal(probes, "in place", numbers=[128], room=1024) == (
        "Probe: block 0 of 1: HERE: Tanh: dst covers UB addresses 0 to 256, and src 0 to 256\n"
        "  rule: the function's source and destination do not overlap [通用说明和约束, 通用地址重叠约束]"
    )
    assert refusal(probes, "half in place", numbers=[128], room=1024) == (
        "Probe: block 0 of 1: HERE: Trunc: dst covers UB addresses 32 to 96, and src 0 to 64\n"
        "  rule: the function's source and destination are the same tensor or do not overlap"
        " [通用说明和约束, 通用地址重叠约束]"
    )
    assert refusal(probes, "in its room", numbers=[128]) == (
        "Probe: block 0 of 1: HERE: Tanh: sharedTmpBuffer covers UB addresses 0 to 256, src 0 to 256\n"
        "  rule: sharedTmpBuffer overlaps no other operand [高阶API/数学计算/更多样例-83]"
    )
    x = np.linspace(-2, 2, 128).astype(np.float16)
    probes("in place, allowed", [x], [], numbers=[128], room=1024)


def test_bounds_are_those_of_the_tensors(probes: AdvProbes) -> None:
    with pytest.raises(LaunchError) as refused:
        probes("far", [np.zeros(64, np.float32)], [np.zeros(64, np.float32)], numbers=[65])
    assert "\n".join(re.sub(r"\S+probe\.cpp:\d+", "HERE", refused.value.report).splitlines()[:2]) == (
        "Probe: block 0 of 1: HERE: Tanh: dst needs 260 bytes from UB address 256, but its tensor ends at 512"
        " (4 too many)\n  rule: an operand lies inside its tensor [高阶API/数学计算/Tanh接口/Tanh]"
    )
