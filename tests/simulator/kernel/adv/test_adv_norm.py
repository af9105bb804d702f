"""Normalisation of rows and Welford's statistics, against the formulas of their pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adv_cases import APART, BASIC, EPSILON, PAGE, ROOM, ROOMS, ROWS, check, report
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError
from probes import NUMPY

pytestmark = pytest.mark.compiler

PREAMBLE = """
constexpr LayerNormConfig layerConfigs[] = {
    {false, false, false, true}, {true, false, false, true}, {false, true, false, true}, {true, true, false, true}};
constexpr LayerNormConfig layerPlain = layerConfigs[0], layerNoBeta = layerConfigs[1], layerNoGamma = layerConfigs[2],
                          layerNone = layerConfigs[3];
constexpr NormalizeConfig three{ReducePattern::AR, 3, false, false, false};
constexpr WelfordUpdateConfig inplace{true};
"""
# What of gamma and beta takes part.
CONFIGS = {"": (True, True), "NoBeta": (True, False), "NoGamma": (False, True), "None": (False, False)}
NORMALIZE = {"": "NLCFG_NORM", "NoBeta": "NLCFG_NOBETA", "NoGamma": "NLCFG_NOGAMMA", "None": "NLCFG_NOOPT"}
PAIRS = [("half", "half"), ("half", "float"), ("float", "float")]  # of src, of gamma and beta
# rows, elements of a row
SHAPES = [(1, 1), (1, 16), (7, 33), (13, 97), (3, 128)]


def calls() -> dict[str, str]:
    found = {}
    for suffix, room in ROOMS.items():
        for t in ("half", "float"):
            rms = "RmsNormTiling tiling; tiling.bLength = n(0); tiling.sLength = 1; tiling.hLength = n(1);"
            rms += "tiling.originalHLength = n(2);"
            for basic in ("", ", true"):
                found[f"RmsNorm {t}{basic}{suffix}"] = (
                    f"{rms} RmsNorm<{t}{basic}>(Out(0)<{t}>(), In(0)<{t}>(), In(1)<{t}>(), {room}({t})f(0), tiling);"
                )
            layer = rms.replace("RmsNormTiling", "LayerNormTiling")
            for reuse in ("", ", true") if t == "float" else ("",):
                found[f"LayerNorm {t}{reuse}{suffix}"] = (
                    f"{layer} LayerNorm<{t}{reuse}>(Out(0)<{t}>(), Out(1)<{t}>(), Out(2)<{t}>(), In(0)<{t}>(),"
                    f" In(1)<{t}>(), In(2)<{t}>(), {room}({t})f(0), tiling);"
                )
            for name in ("", "inplace"):
                config = f", false, {name}" if name else ""
                found[f"WelfordUpdate {t}{name}{suffix}"] = (
                    f"WelfordUpdate<{t}, float{config}>(Out(0)<float>(), Out(1)<float>(), In(0)<float>(),"
                    f" In(1)<float>(), In(2)<{t}>(), {room}WelfordUpdateParam"
                    "{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2), f(0)});"
                )
        for t, u in PAIRS:
            for config in CONFIGS:
                pair = f"{t} {u} {config}{suffix}"
                para = "{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2)}"
                found[f"LayerNorm {pair}"] = (
                    "LayerNormSeparateTiling tiling; tiling.aLength = n(3); tiling.rLength = n(4);"
                    f"LayerNorm<{u}, {t}, false, layer{config or 'Plain'}>(Out(0)<{t}>(), Out(1)<float>(),"
                    f" Out(2)<float>(), In(0)<{t}>(), In(1)<{u}>(), In(2)<{u}>(), f(0), {room}LayerNormPara{para},"
                    " tiling);"
                )
                found[f"Normalize {pair}"] = (
                    f"Normalize<{u}, {t}, false, {NORMALIZE[config]}>(Out(0)<{t}>(), Out(1)<float>(), In(3)<float>(),"
                    f" In(4)<float>(), In(0)<{t}>(), In(1)<{u}>(), In(2)<{u}>(), {room}f(0), NormalizePara{para});"
                )
        end = "WelfordFinalizePara para{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2), (uint32_t)n(3), (uint32_t)n(4),"
        end += "(uint32_t)n(5), f(0), f(1)};"
        head = f"{end} WelfordFinalize(Out(0)<float>(), Out(1)<float>(), In(0)<float>(), In(1)<float>(), "
        found[f"WelfordFinalize{suffix}"] = f"{head}{room}para);"
        found[f"WelfordFinalize counts{suffix}"] = f"{head}In(2)<int32_t>(), {room}para);"
    found["Normalize three"] = (
        "Normalize<float, float, false, three>(Out(0)<float>(), Out(1)<float>(), In(3)<float>(), In(4)<float>(),"
        " In(0)<float>(), In(1)<float>(), In(2)<float>(), f(0),"
        " NormalizePara{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2)});"
    )
    found["RmsNorm in place"] = (
        "RmsNormTiling tiling; tiling.bLength = 1; tiling.sLength = n(0); tiling.hLength = tiling.originalHLength ="
        " n(1); auto x = In(0)<float>(); RmsNorm<float>(x, x, In(1)<float>(), f(0), tiling);"
        "DataCopy(Out(0)<float>(), x, n(0) * n(1));"
    )
    found["RmsNorm on gamma"] = found["RmsNorm in place"].replace("(x, x, In(1)<float>()", "(x, In(1)<float>(), x")
    found["LayerNorm reads its source after it"] = (
        found["LayerNorm float, true"] + "DataCopy(Out(3)<float>(), In(0)<float>(), n(0) * n(1));"
    )
    found["LayerNorm of nothing"] = found["LayerNorm float"].replace("In(0)", "Out(3)")
    found["Normalize in place"] = (
        "auto x = In(0)<float>(); Normalize<float, float>(x, Out(1)<float>(), In(3)<float>(), In(4)<float>(), x,"
        " In(1)<float>(), In(2)<float>(), f(0), NormalizePara{1, 8, 8});"
    )
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_norm"), PREAMBLE)


class Case:
    """x of [rows, used] with padding to whole blocks, gamma and beta of a row, and their meaning in float64."""

    def __init__(self, t: str, u: str, shape: tuple[int, int]) -> None:
        rng = np.random.default_rng(sum(shape))
        self.rows, self.used = shape
        self.type, self.scale = NUMPY[t], NUMPY[u]
        block = 32 // np.dtype(self.type).itemsize
        self.stride = -(-self.used // block) * block
        self.x = np.full((self.rows, self.stride), 9, self.type)
        self.x[:, : self.used] = rng.uniform(-4, 4, shape).astype(self.type)
        self.gamma = rng.uniform(0.5, 2, self.stride).astype(self.scale)
        self.beta = rng.uniform(-2, 2, self.stride).astype(self.scale)
        self.wide = self.x[:, : self.used].astype(np.float64)
        self.epsilon = float(self.type(EPSILON))
        self.room = 4096

    def inputs(self) -> list[Array]:
        return [self.x.ravel(), self.gamma, self.beta]

    def scaled(self, values: Array, config: str = "") -> Array:
        gamma, beta = CONFIGS[config]
        columns = values.shape[1]
        values = values * self.gamma[:columns].astype(np.float64) if gamma else values
        return values + self.beta[:columns].astype(np.float64) if beta else values


@pytest.mark.parametrize("t", ["half", "float"])
def test_rms_norm(probes: AdvProbes, t: str) -> None:
    for suffix in ROOMS:
        for shape in [*SHAPES, (8, 64)]:
            c = Case(t, t, shape)
            names = [f"RmsNorm {t}{suffix}"] + [f"RmsNorm {t}, true{suffix}"] * (shape == (8, 64))
            for name in names:
                (got,) = probes(name, c.inputs()[:2], [np.zeros(c.x.size, c.type)], numbers=[c.rows, c.stride, c.used],
                                reals=[EPSILON], room=c.room if suffix else 0)  # fmt: skip
                root = np.sqrt((c.wide**2).mean(axis=1, keepdims=True) + c.epsilon)
                # The padding of a row is computed like its elements, but is none of the mean's.
                check(got.reshape(c.x.shape), c.scaled(c.x.astype(np.float64) / root, "NoBeta"), f"{name} {shape}")


def test_rms_norm_in_place(probes: AdvProbes) -> None:
    c = Case("float", "float", (5, 64))
    (got,) = probes("RmsNorm in place", c.inputs()[:2], [np.zeros(c.x.size, c.type)], numbers=[5, 64], reals=[EPSILON])
    root = np.sqrt((c.wide**2).mean(axis=1, keepdims=True) + c.epsilon)
    check(got.reshape(c.x.shape), c.scaled(c.wide / root, "NoBeta"), "in place")


@pytest.mark.parametrize("t", ["half", "float"])
def test_layer_norm_with_variance(probes: AdvProbes, t: str) -> None:
    names = [f"LayerNorm {t}{reuse}{suffix}" for suffix in ROOMS for reuse in ["", ", true"][: 1 + (t == "float")]]
    for name in names:
        for shape in [(1, 16), (7, 48), (13, 96), (8, 128)]:
            c = Case(t, t, shape)
            outs = [np.zeros(c.x.size, c.type), np.zeros(c.rows, c.type), np.zeros(c.rows, c.type)]
            got = probes(name, c.inputs(), outs, numbers=[c.rows, c.stride, c.used], reals=[EPSILON],
                         room=c.room if name.endswith("room") else 0)  # fmt: skip
            mean, variance = c.wide.mean(axis=1, keepdims=True), c.wide.var(axis=1, keepdims=True)
            want = c.scaled((c.wide - mean) / np.sqrt(variance + c.epsilon))
            for i, values in enumerate((want, mean, variance)):
                check(got[i], values.ravel(), f"{name} {shape} {i}")


@pytest.mark.parametrize(("t", "u"), PAIRS)
def test_layer_norm_with_rstd(probes: AdvProbes, t: str, u: str) -> None:
    for suffix in ROOMS:
        for config in CONFIGS:
            for shape in SHAPES:
                c = Case(t, u, shape)
                name = f"LayerNorm {t} {u} {config}{suffix}"
                outs = [np.zeros(c.x.size, c.type), np.zeros(c.rows, np.float32), np.zeros(c.rows, np.float32)]
                padded = c.used != c.stride  # with all checks padding cannot be stored
                got = probes(name, c.inputs(), outs, reals=[EPSILON], room=c.room if suffix else 0, load=True,
                             numbers=[c.rows, c.used, c.stride, c.rows + 1, c.used], checks=not padded)  # fmt: skip
                mean = c.wide.mean(axis=1, keepdims=True)
                rstd = 1 / np.sqrt(c.wide.var(axis=1, keepdims=True) + np.float32(EPSILON))
                want = c.scaled((c.wide - mean) * rstd, config)
                check(got[0].reshape(c.x.shape)[:, : c.used], want, f"{name} {shape}")
                check(got[1], mean.ravel(), f"{name} {shape} mean")
                check(got[2], rstd.ravel(), f"{name} {shape} rstd")


@pytest.mark.parametrize(("t", "u"), PAIRS)
def test_normalize(probes: AdvProbes, t: str, u: str) -> None:
    for suffix in ROOMS:
        for config in CONFIGS:
            for shape in SHAPES:
                c = Case(t, u, shape)
                rng = np.random.default_rng(5)
                mean = rng.uniform(-1, 1, (c.rows, 1)).astype(np.float32)
                variance = rng.uniform(1, 2, (c.rows, 1)).astype(np.float32)
                name = f"Normalize {t} {u} {config}{suffix}"
                padded = c.used != c.stride
                got = probes(name, [*c.inputs(), mean.ravel(), variance.ravel()],
                             [np.zeros(c.x.size, c.type), np.zeros(c.rows, np.float32)], reals=[EPSILON], load=True,
                             room=c.room if suffix else 0, numbers=[c.rows, c.used, c.stride],
                             checks=not padded)  # fmt: skip
                rstd = 1 / np.sqrt(variance.astype(np.float64) + np.float32(EPSILON))
                want = c.scaled((c.wide - mean) * rstd, config)
                check(got[0].reshape(c.x.shape)[:, : c.used], want, f"{name} {shape}")
                check(got[1], rstd.ravel(), f"{name} {shape} rstd")
    if (t, u) == ("float", "float"):
        c = Case(t, u, (3, 16))
        got = probes("Normalize three", [*c.inputs(), np.zeros(3, np.float32), np.ones(3, np.float32)],
                     [np.zeros(48, np.float32), np.zeros(3, np.float32)], numbers=[3, 16, 16])  # fmt: skip
        check(got[0].reshape(3, 16), c.scaled(c.wide), "three")


@pytest.mark.parametrize("t", ["half", "float"])
def test_welford_update_in_steps(probes: AdvProbes, t: str) -> None:
    """After n calls mean and sum of squares are those of the n values in each lane."""
    rng = np.random.default_rng(8)
    for suffix in ROOMS:
        for length, used in ((16, 16), (48, 33), (112, 97), (64, 1)):
            x = rng.uniform(-4, 4, (3, length)).astype(NUMPY[t])
            for name in ("", "inplace"):
                mean, squares = np.zeros(length, np.float32), np.zeros(length, np.float32)
                start = np.full(length, 5, np.float32)
                for i in range(3):
                    got = probes(f"WelfordUpdate {t}{name}{suffix}", [mean, squares, x[i]], [start, start],
                                 numbers=[1, length, used], reals=[1 / (i + 1)], load=True,
                                 room=4096 if suffix else 0)  # fmt: skip
                    for old, new in zip((mean, squares), got, strict=True):
                        rest = old if name else start
                        assert (new[used:] == rest[used:]).all(), "beyond abComputeLength"
                        old[:used] = new[:used]
                wide = x[:, :used].astype(np.float64)
                assert np.allclose(mean[:used], wide.mean(axis=0), rtol=1e-5, atol=1e-6)
                assert np.allclose(squares[:used], wide.var(axis=0) * 3, rtol=1e-5, atol=1e-6)


def test_welford_finalize(probes: AdvProbes) -> None:
    """Together the two functions give the mean and the variance of a row that was cut into blocks."""
    rng = np.random.default_rng(9)
    for suffix in ROOMS:
        room = 4096 if suffix else 0
        for length, rest in ((8, 0), (16, 7), (64, 33), (104, 97)):
            row = rng.uniform(-4, 4, 3 * length + rest)
            lanes = [row[i::length] for i in range(length)]
            mean = np.array([lane.mean() for lane in lanes], np.float32)
            squares = np.array([lane.var() * lane.size for lane in lanes], np.float32)
            counts = np.array([lane.size for lane in lanes], np.int32)
            blocks = 3 + (rest > 0)
            reals = [1 / length, 1 / row.size]
            head, tail = (rest, length - rest) if rest else (length, 0)
            numbers = [blocks, length, blocks, head, 3 if rest else 0, tail]
            out = np.zeros(1, np.float32)
            for name, inputs in (("", [mean, squares]), (" counts", [mean, squares, counts])):
                got = probes(f"WelfordFinalize{name}{suffix}", inputs, [out, out], numbers=numbers, reals=reals,
                             room=room)  # fmt: skip
                assert np.allclose(got[0], row.mean(), rtol=1e-5, atol=1e-6), (length, rest, name)
                assert np.allclose(got[1], row.var(), rtol=1e-5, atol=1e-6), (length, rest, name)


SEPARATE = (
    "aLength is at most the A of the tiling's shape, rLength its R, and rLengthWithPadding that of a row"
    " rounded up to 32 bytes"
)
UPDATE = "rnLength is 1, abLength a multiple of 32 / sizeof(T), and abComputeLength 1 to abLength"
COUNTS = "headCountLength and tailCountLength add up to abLength, and without a tailCount the latter is 0"
LANES = "abLength is a multiple of 8 floats"
REFUSED = {
    ("RmsNorm half", (0, 16, 16)): ("0 rows of 16 elements, 16 apart", ROWS),
    ("RmsNorm half", (1, 16, 17)): ("1 rows of 17 elements, 16 apart", ROWS),
    ("RmsNorm half", (1, 20, 17)): ("1 rows of 17 elements, 20 apart", ROWS),
    ("RmsNorm half, true", (1, 64, 64)): ("1 rows of 64 elements, 64 apart", BASIC),
    ("RmsNorm half, true", (8, 64, 33)): ("8 rows of 33 elements, 64 apart", BASIC),
    ("LayerNorm half", (1, 48, 33)): (
        "the tiling was made for 48 and 33", "storageHLength and originHLength of the tiling's shape are the same"
    ),
    ("LayerNorm half half ", (3, 16, 16, 2, 16)): (
        "aLength is 3, rLength 16, rLengthWithPadding 16, and the tiling was made for [2, 16]", SEPARATE
    ),
    ("LayerNorm half half ", (2, 15, 16, 2, 16)): (
        "aLength is 2, rLength 15, rLengthWithPadding 16, and the tiling was made for [2, 16]", SEPARATE
    ),
    ("LayerNorm half half ", (2, 16, 32, 2, 16)): (
        "aLength is 2, rLength 16, rLengthWithPadding 32, and the tiling was made for [2, 16]", SEPARATE
    ),
    ("Normalize three", (2, 8, 8)): (
        "they are 3 and 2", "the aLength of NormalizeConfig is -1 or that of NormalizePara"
    ),
    ("WelfordUpdate half", (2, 16, 16)): ("rnLength is 2, abLength 16 and abComputeLength 16", UPDATE),
    ("WelfordUpdate half", (1, 8, 8)): ("rnLength is 1, abLength 8 and abComputeLength 8", UPDATE),
    ("WelfordUpdate half", (1, 16, 0)): ("rnLength is 1, abLength 16 and abComputeLength 0", UPDATE),
    ("WelfordUpdate half", (1, 16, 17)): ("rnLength is 1, abLength 16 and abComputeLength 17", UPDATE),
    ("WelfordFinalize", (1, 12, 1, 12, 0, 0)): ("it is 12", LANES),
    ("WelfordFinalize", (1, 8, 1, 4, 1, 3)): ("they are 4 and 3, abLength 8 and tailCount 1", COUNTS),
    ("WelfordFinalize", (1, 8, 1, 4, 0, 4)): ("they are 4 and 4, abLength 8 and tailCount 0", COUNTS),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: tuple[str, tuple[int, ...]]) -> None:
    said, rule = REFUSED[case]
    function = case[0].split()[0]
    x = np.zeros(256, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes(case[0], [x] * 5, [x] * 3, numbers=case[1])
    assert report(refused) == f"Probe: block 0 of 1: HERE: {function}: {said}\n  rule: {rule} [{PAGE}{function}]"


@pytest.mark.parametrize(("name", "rows", "columns", "least"), [
    ("LayerNorm float, true room", 14, 128, 1152), ("LayerNorm half room", 16, 256, 3200),
    ("RmsNorm half room", 7, 128, 1056),
])  # fmt: skip
def test_canns_least_room_is_enough_and_less_is_told(
    probes: AdvProbes, name: str, rows: int, columns: int, least: int
) -> None:
    """Measured: what CANN's function calls minValue for the shape."""
    t = "half" if "half" in name else "float"
    c = Case(t, t, (rows, columns))
    outs = [np.zeros(c.x.size, c.type), np.zeros(rows, c.type), np.zeros(rows, c.type)][: 1 if "Rms" in name else 3]
    probes(name, c.inputs(), outs, numbers=[rows, columns, columns], reals=[EPSILON], room=least)
    with pytest.raises(LaunchError) as refused:
        probes(name, c.inputs(), outs, numbers=[rows, columns, columns], reals=[EPSILON], room=least - 32)
    assert f"sharedTmpBuffer has {least - 32} bytes, but at least {least} are needed" in refused.value.report


def test_room_and_overlaps(probes: AdvProbes) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes("RmsNorm float room", [x, x], [x], numbers=[8, 8, 8], room=32)
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: RmsNorm: sharedTmpBuffer has 32 bytes, but at least 64 are needed\n"
        f"  rule: {ROOM} [高阶API/数学计算/更多样例-83]"
    )
    for call, role in (("RmsNorm on gamma", "gamma"), ("Normalize in place", "src")):
        with pytest.raises(LaunchError) as refused:
            probes(call, [x, x, x, x, x], [x, x], numbers=[8, 8])
        covered = 256 if call.startswith("Rms") else 32
        assert report(refused) == (
            f"Probe: block 0 of 1: HERE: {call.split()[0]}: dst covers UB addresses 0 to {covered}, and {role} 0 to"
            f" 32\n  rule: {APART} [通用说明和约束, 通用地址重叠约束]"
        )


def test_an_undefined_element_reaches_no_mean(probes: AdvProbes) -> None:
    """A row of which nothing was loaded, and a source that reuse has made undefined."""
    x = np.zeros(8, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes("LayerNorm of nothing", [x, x, x], [x, x, x, x], numbers=[1, 8, 8])
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: LayerNorm: element 0 of src (UB address 192) has never been written\n"
        "  rule: an element that has never been written does not reach a reduction [高阶API/归约操作/Sum接口/Sum]"
    )
    with pytest.raises(LaunchError) as refused:
        probes("LayerNorm reads its source after it", [x, x, x], [x, x[:1], x[:1], x], numbers=[1, 8, 8])
    assert "has never been written" in refused.value.report
