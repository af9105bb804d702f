"""LayerNormGrad, LayerNormGradBeta, DeepNorm, GroupNorm and BatchNorm, against the formulas of their pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adv_cases import APART, BASIC, EPSILON, PAGE, ROOM, ROOMS, ROWS, check, report
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError
from probes import NUMPY

pytestmark = pytest.mark.compiler

# rows, elements of a row
SHAPES = [(1, 16), (7, 48), (13, 96), (3, 128)]
TYPES = ["half", "float"]


def tiling(name: str, *fields: str) -> str:
    return f"{name}Tiling tiling;" + "".join(f"tiling.{field} = n({i});" for i, field in enumerate(fields))


def operands(t: str, out: int, inputs: int) -> str:
    return ", ".join([f"Out({i})<{t}>()" for i in range(out)] + [f"In({i})<{t}>()" for i in range(inputs)])


def calls() -> dict[str, str]:
    found = {}
    rows = ("sLength", "hLength", "originalHLength")
    for suffix, room in ROOMS.items():
        shared = "auto room = Room();" if room else ""
        given = "room, " if room else ""
        for t in TYPES:
            for reuse in ("", ", true") if t == "float" else ("",):
                found[f"LayerNormGrad {t}{reuse}{suffix}"] = (
                    f"{tiling('LayerNormGrad', *rows)} tiling.bLength = 1; {shared}"
                    f"LayerNormGrad<{t}{reuse}>({operands(t, 2, 5)}, {given}({t})f(0), tiling);"
                )
                found[f"LayerNormGradBeta {t}{reuse}{suffix}"] = (
                    f"{tiling('LayerNormGradBeta', *rows)} tiling.bLength = 1;"
                    f"LayerNormGradBeta<{t}{reuse}>({operands(t, 2, 2)}, {room}tiling);"
                )
            for basic in ("", ", false, true", ", true"):
                if basic != ", true" or t == "float":
                    found[f"DeepNorm {t}{basic}{suffix}"] = (
                        f"{tiling('DeepNorm', *rows)} tiling.bLength = 1;"
                        f"DeepNorm<{t}{basic}>({operands(t, 3, 4)}, {room}({t})f(1), ({t})f(0), tiling);"
                    )
                if basic != ", true":
                    found[f"BatchNorm {t}{basic}{suffix}"] = (
                        f"{tiling('BatchNorm', 'originalBLength', 'meanVarSize')}"
                        f"BatchNorm<{t}{basic}>({operands(t, 3, 3)}, {room}({t})f(0), tiling);"
                    )
            for reuse in ("", ", true") if t == "float" else ("",):
                found[f"GroupNorm {t}{reuse}{suffix}"] = (
                    f"{tiling('GroupNorm', 'n', 'g', 'd', 'hw', 'c', 'dhwAlignSize')}"
                    f"GroupNorm<{t}{reuse}>({operands(t, 3, 3)}, {room}({t})f(0), tiling);"
                )
    found["LayerNormGrad NZ"] = found["LayerNormGrad float"].replace(", tiling)", ", tiling, {DataFormat::NZ})")
    found["LayerNormGrad in place"] = (
        found["LayerNormGrad float"].replace("Out(0)", "In(1)").replace("Out(1)", "In(0)")
        + "DataCopy(Out(0)<float>(), In(1)<float>(), n(0) * n(1));"
        "DataCopy(Out(1)<float>(), In(0)<float>(), n(0) * n(1));"
    )
    found["LayerNormGrad reads its source after it"] = (
        found["LayerNormGrad float, true"] + "DataCopy(Out(2)<float>(), In(1)<float>(), n(0) * n(1));"
    )
    found["LayerNormGradBeta reads its source after it"] = (
        found["LayerNormGradBeta float, true"] + "DataCopy(Out(2)<float>(), In(1)<float>(), n(0) * n(1));"
    )
    found["DeepNorm in place"] = found["DeepNorm float"].replace("Out(0)", "In(0)")
    for name in ("DeepNorm float, true", "BatchNorm float"):
        found[f"{name} in place"] = (
            found[name].replace("Out(0)", "In(0)") + "DataCopy(Out(0)<float>(), In(0)<float>(), n(0) * n(1));"
        )
    found["GroupNorm of nothing"] = found["GroupNorm float"].replace("In(0)", "Out(3)")
    return found


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    return compile_adv_probes(root, calls(), tmp_path_factory.mktemp("adv_norm_grad"))


def names(function: str, t: str, variants: tuple[str, ...] = ("",)) -> list[tuple[str, int]]:
    return [(f"{function} {t}{v}{s}", 32768 if s else 0) for v in variants if t == "float" or v == "" for s in ROOMS]


def values(rng: np.random.Generator, t: str, *shape: int, least: float = -4.0) -> Array:
    return rng.uniform(least, 4, shape).astype(NUMPY[t])


def gradients(inputs: list[Array], epsilon: float) -> tuple[Array, Array]:
    """The page's formulas in float64."""
    dy, x, variance, mean, gamma = (a.astype(np.float64) for a in inputs)
    variance, mean = variance[:, None], mean[:, None]
    length = x.shape[1]
    up = dy * gamma
    by_variance = (-0.5 * up * (x - mean) * (variance + epsilon) ** -1.5).sum(axis=1, keepdims=True)
    by_mean = (-up * (variance + epsilon) ** -0.5).sum(axis=1, keepdims=True)
    by_mean += by_variance / length * (-2.0 * (x - mean)).sum(axis=1, keepdims=True)
    by_x = up * (variance + epsilon) ** -0.5 + by_variance * 2.0 / length * (x - mean) + by_mean / length
    return by_x, (x - mean) * (variance + epsilon) ** -0.5


def near(got: Array, want: Array, where: str) -> None:
    """Sums that cancel: near by the size of what was added."""
    tolerance = {"float16": 2e-3, "float32": 2e-6}[got.dtype.name] * max(1.0, float(np.abs(want).max()))
    assert np.allclose(got, want, rtol=0, atol=tolerance), f"{where}: {got} is not {want}"


@pytest.mark.parametrize("t", TYPES)
def test_layer_norm_grad(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(3)
    for name, room in names("LayerNormGrad", t, ("", ", true")):
        for rows, length in SHAPES:
            dy, x = values(rng, t, rows, length), values(rng, t, rows, length)
            gamma, given = values(rng, t, length), values(rng, t, rows, least=0.5)
            mean = x.astype(np.float64).mean(axis=1).astype(x.dtype)
            outs = [np.zeros(x.size, x.dtype) for _ in range(2)]
            got = probes(name, [dy.ravel(), x.ravel(), given, mean, gamma], outs, numbers=[rows, length, length],
                         reals=[EPSILON], room=room)  # fmt: skip
            want = gradients([dy, x, given, mean, gamma], float(x.dtype.type(EPSILON)))
            near(got[0].reshape(x.shape), want[0], f"{name} {x.shape}")
            check(got[1].reshape(x.shape), want[1], f"{name} {x.shape}")


def test_layer_norm_grad_where_its_sources_were(probes: AdvProbes) -> None:
    rng = np.random.default_rng(4)
    dy, x = values(rng, "float", 5, 24), values(rng, "float", 5, 24)
    gamma, variance, mean = values(rng, "float", 24), values(rng, "float", 5, least=1), values(rng, "float", 5)
    got = probes("LayerNormGrad in place", [dy.ravel(), x.ravel(), variance, mean, gamma],
                 [np.zeros(x.size, x.dtype)] * 2, numbers=[5, 24, 24], reals=[0.0])  # fmt: skip
    want = gradients([dy, x, variance, mean, gamma], 0.0)
    near(got[0].reshape(x.shape), want[0], "pdX")
    check(got[1].reshape(x.shape), want[1], "resForGamma")


@pytest.mark.parametrize("t", TYPES)
def test_layer_norm_grad_beta(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(5)
    for name, room in names("LayerNormGradBeta", t, ("", ", true")):
        for rows, length in SHAPES:
            res, dy = values(rng, t, rows, length), values(rng, t, rows, length)
            got = probes(name, [res.ravel(), dy.ravel()], [np.zeros(length, dy.dtype)] * 2, room=room,
                         numbers=[rows, length, length])  # fmt: skip
            check(got[0], (res.astype(np.float64) * dy.astype(np.float64)).sum(axis=0), f"{name} gamma")
            check(got[1], dy.astype(np.float64).sum(axis=0), f"{name} beta")


def normalized(x: Array, axis: int, epsilon: float) -> tuple[Array, Array, Array]:
    mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon), mean.ravel(), variance.ravel()


@pytest.mark.parametrize("t", TYPES)
def test_deep_norm(probes: AdvProbes, t: str) -> None:
    """The second statistic is the variance, whatever the page calls it; the padding of a row is none of the row's."""
    rng = np.random.default_rng(6)
    for name, room in [*names("DeepNorm", t, ("", ", true")), (f"DeepNorm {t}, false, true", 0)]:
        for rows, used in [(8, 64), (16, 192)] if "false, true" in name else [(1, 1), (7, 33), (3, 128), (1, 2025)]:
            stride = -(-used // 16) * 16
            x, gx = values(rng, t, rows, stride), values(rng, t, rows, stride)
            x[:, used:] = gx[:, used:] = 0
            beta, gamma = values(rng, t, stride), values(rng, t, stride)
            outs = [np.zeros(x.size, x.dtype), np.zeros(rows, x.dtype), np.zeros(rows, x.dtype)]
            got = probes(name, [x.ravel(), gx.ravel(), beta, gamma], outs, numbers=[rows, stride, used], load=True,
                         reals=[EPSILON, -1.5], room=room, checks=used == stride)  # fmt: skip
            wide = -1.5 * x.astype(np.float64) + gx.astype(np.float64)
            want, mean, variance = normalized(wide[:, :used], 1, float(x.dtype.type(EPSILON)))
            want = want * gamma[:used].astype(np.float64) + beta[:used].astype(np.float64)
            check(got[0].reshape(x.shape)[:, :used], want, f"{name} {rows} {used}")
            check(got[1], mean, f"{name} mean")
            check(got[2], variance, f"{name} variance")


@pytest.mark.parametrize("t", TYPES)
def test_group_norm(probes: AdvProbes, t: str) -> None:
    rng = np.random.default_rng(7)
    for name, room in names("GroupNorm", t, ("", ", true")):
        for n, c, groups, plane in [(1, 1, 1, 16), (2, 6, 3, 48), (3, 8, 1, 16), (1, 5, 5, 64)]:
            x, gamma, beta = values(rng, t, n * c * plane), values(rng, t, c), values(rng, t, c)
            outs = [np.zeros(x.size, x.dtype)] + [np.zeros(n * groups, x.dtype)] * 2
            d = c // groups
            got = probes(name, [x, gamma, beta], outs, numbers=[n, groups, d, plane, c, d * plane], reals=[EPSILON],
                         room=room)  # fmt: skip
            wide = x.astype(np.float64).reshape(n * groups, d * plane)
            want, mean, variance = normalized(wide, 1, float(x.dtype.type(EPSILON)))
            want = want.reshape(n, c, plane) * gamma.astype(np.float64)[:, None] + beta.astype(np.float64)[:, None]
            for i, values_ in enumerate((want.ravel(), mean, variance)):
                check(got[i], values_, f"{name} {n} {c} {groups} {plane} {i}")


@pytest.mark.parametrize("t", TYPES)
def test_batch_norm(probes: AdvProbes, t: str) -> None:
    """Over the batch; gamma and beta belong to its entries, as the page's example has it."""
    rng = np.random.default_rng(8)
    cases = [*names("BatchNorm", t), (f"BatchNorm {t}, false, true", 0)]
    for name, room in cases + [("BatchNorm float in place", 0)] * (t == "float"):
        for rows, columns in [(8, 64), (16, 128)] if "true" in name else [(1, 16), (7, 48), (13, 80), (15, 128)]:
            x, gamma, beta = values(rng, t, rows, columns), values(rng, t, rows), values(rng, t, rows)
            outs = [np.zeros(x.size, x.dtype)] + [np.zeros(columns, x.dtype)] * 2
            got = probes(name, [x.ravel(), gamma, beta], outs, numbers=[rows, columns], reals=[EPSILON], room=room)
            want, mean, variance = normalized(x.astype(np.float64), 0, float(x.dtype.type(EPSILON)))
            want = want * gamma.astype(np.float64)[:, None] + beta.astype(np.float64)[:, None]
            for i, values_ in enumerate((want.ravel(), mean, variance)):
                check(got[i], values_, f"{name} {rows} {columns} {i}")


SAME = "storageHLength and originHLength of the tiling's shape are the same"
PLANE = "a plane H * W is a multiple of 32 bytes: the page does not say how others lie"
REFUSED = {
    ("LayerNormGrad half", (0, 16, 16)): ("0 rows of 16 elements, 16 apart", ROWS),
    ("LayerNormGrad half", (2, 8, 8)): ("2 rows of 8 elements, 8 apart", ROWS),
    ("LayerNormGrad half", (2, 32, 31)): ("the tiling was made for 32 and 31", SAME),
    ("LayerNormGrad NZ", (2, 8, 8)): ("it is another", "the dataFormat of shapeInfo is DataFormat::ND"),
    ("LayerNormGradBeta half", (2, 8, 8)): ("2 rows of 8 elements, 8 apart", ROWS),
    ("LayerNormGradBeta float", (2, 16, 9)): ("the tiling was made for 16 and 9", SAME),
    ("DeepNorm half", (1, 2048, 2040)): ("it is 2048", "H is at most 2040"),
    ("DeepNorm half", (1, 16, 17)): ("1 rows of 17 elements, 16 apart", ROWS),
    ("DeepNorm half, false, true", (4, 64, 64)): ("4 rows of 64 elements, 64 apart", BASIC),
    ("GroupNorm half", (1, 1, 2, 12, 2, 32)): ("it has 12 elements", PLANE),
    ("GroupNorm half", (0, 0, 0, 0, 0, 0)): ("0 rows of 0 elements, 0 apart", ROWS),
    ("BatchNorm half", (0, 16)): (
        "0 rows of 16 elements", "there is a row, and S * H is a multiple of 32 bytes"
    ),
    ("BatchNorm half", (2, 24)): (
        "2 rows of 24 elements", "there is a row, and S * H is a multiple of 32 bytes"
    ),
    ("BatchNorm float, false, true", (7, 64)): ("7 rows of 64 elements", BASIC),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: tuple[str, tuple[int, ...]]) -> None:
    said, rule = REFUSED[case]
    function = case[0].split()[0]
    x = np.zeros(256, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes(case[0], [x] * 5, [x] * 3, numbers=case[1])
    assert report(refused) == f"Probe: block 0 of 1: HERE: {function}: {said}\n  rule: {rule} [{PAGE}{function}]"


def test_room_overlaps_and_undefined_elements(probes: AdvProbes) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes("LayerNormGradBeta float room", [x, x], [x[:8], x[:8]], numbers=[8, 8, 8], room=32)
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: LayerNormGradBeta: sharedTmpBuffer has 32 bytes, but at least 64 are needed\n"
        f"  rule: {ROOM} [高阶API/数学计算/更多样例-83]"
    )
    with pytest.raises(LaunchError) as refused:
        probes("DeepNorm in place", [x, x, x[:8], x[:8]], [x, x, x], numbers=[8, 8, 8])
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: DeepNorm: dst covers UB addresses 0 to 256, and src 0 to 256\n"
        f"  rule: {APART} [通用说明和约束, 通用地址重叠约束]"
    )
    with pytest.raises(LaunchError) as refused:
        probes("GroupNorm of nothing", [x, x, x], [x, x, x, x], numbers=[1, 1, 1, 8, 1, 8])
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: GroupNorm: element 0 of src (UB address 1536) has never been written\n"
        "  rule: an element that has never been written does not reach a reduction [高阶API/归约操作/Sum接口/Sum]"
    )
    for function, count in (("LayerNormGrad", 5), ("LayerNormGradBeta", 2)):
        with pytest.raises(LaunchError) as refused:
            probes(f"{function} reads its source after it", [x] * count, [x] * 3, numbers=[8, 8, 8], reals=[1.0])
        assert "has never been written" in refused.value.report
    got = probes("DeepNorm float, true in place", [x, x, x[:8], x[:8]], [x, x[:8], x[:8]], numbers=[8, 8, 8],
                 reals=[1.0, 1.0])  # fmt: skip
    assert (got[0] == 0).all()
