"""Softmax and its relatives, row by row, against the formulas of their pages."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from adv_probes import AdvProbes, compile_adv_probes
from harness import Array, LaunchError
from probes import NUMPY
from ulps import distance

pytestmark = pytest.mark.compiler

SHAPE = "SoftMaxShapeInfo{(uint32_t)n(0), (uint32_t)n(1), (uint32_t)n(2), (uint32_t)n(3)}"
FORMS = {"half": "half", "float": "float", "mixed": "half"}  # the data type of dst and src
ALONE = "constexpr SoftmaxConfig alone{true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};"
# rows, columns, and how many of them count
SHAPES = [(1, 16, 1, 16), (8, 64, 8, 64), (7, 48, 7, 33), (13, 128, 5, 97), (3, 208, 3, 199)]
CALLS: dict[str, str] = {}
for _form, _t in FORMS.items():
    _u = "float" if _form == "mixed" else _t
    _stats = f"Out(1)<{_u}>(), Out(2)<{_u}>()"
    for _room in ("", "Room(), "):
        _all = f"{_room}tiling, info"
        _own = f"{_form}{' room' if _room else ''}"
        _v2 = f"Out(0)<{_t}>(), {_stats}, In(0)<{_t}>(), Out(3)<{_t}>(), In(1)<{_u}>(), In(2)<{_u}>()"
        CALLS |= {
            f"SoftMax {_own}": f"SoftMax<{_t}>(Out(0)<{_t}>(), {_stats}, In(0)<{_t}>(), {_all});",
            f"SimpleSoftMax {_own}": f"SimpleSoftMax<{_t}>(Out(0)<{_t}>(), In(1)<{_u}>(), In(2)<{_u}>(), In(0)<{_t}>(),"
            f" {_all});",
            f"SoftmaxFlashV2 {_own}": f"SoftmaxFlashV2<{_t}>({_v2}, {_all});",
            f"SoftmaxFlashV2 {_own} update": f"SoftmaxFlashV2<{_t}, true>({_v2}, {_all});",
            f"SoftmaxFlash {_own}": f"SoftmaxFlash<{_t}>({_v2}, {_room}tiling, false, info);",
            f"SoftmaxFlash {_own} update": f"SoftmaxFlash<{_t}>({_v2}, {_room}tiling, true, info);",
        }
        if _form != "mixed":
            _grads = f"Out(0)<{_t}>(), In(1)<{_t}>(), In(0)<{_t}>()"
            CALLS |= {
                f"SoftMax {_own} short": f"SoftMax<{_t}>(Out(0)<{_t}>(), In(0)<{_t}>(), {_all});",
                f"SoftmaxGrad {_own}": f"SoftmaxGrad<{_t}>({_grads}, {_room}tiling, false, info);",
                f"SoftmaxGrad {_own} front": f"SoftmaxGrad<{_t}>({_grads}, {_room}tiling, true, info);",
                f"SoftmaxGradFront {_own}": f"SoftmaxGradFront<{_t}>({_grads}, {_all});",
                f"SoftmaxFlashV2 {_own} alone": f"SoftmaxFlashV2<{_t}, true, false, false, false, alone>"
                f"({_v2}, {_all});",
            }
    if _form != "mixed":
        CALLS[f"LogSoftMax {_form}"] = (
            f"LogSoftMax<{_t}>(Out(0)<{_t}>(), {_stats}, In(0)<{_t}>(), Room(), LogSoftMaxTiling{{}}, info);"
        )
CALLS["outReduceMax"] = (
    "SoftmaxFlashV2<float, true, false, false, false, alone>(Out(0)<float>(), Out(1)<float>(), In(3)<float>(),"
    " In(4)<float>(), In(0)<float>(), Out(3)<float>(), In(1)<float>(), In(2)<float>(), tiling, info);"
)
CALLS["adjust"] = (
    "bool found = AdjustSoftMaxRes<half, float>(In(0)<half>(), In(1)<float>(), 0xff7fffff, (half)f(0), info);"
    "Duplicate(Out(0)<half>(), (half)(found ? 1.0f : 2.0f), 16); DataCopy(Out(1)<half>(), In(0)<half>(), Size(0) / 2);"
)
CALLS["of the tiling"] = "tiling.srcM = 2; tiling.srcK = 16; SoftMax<half>(Out(0)<half>(), In(0)<half>(), tiling);"
CALLS["of the kernel's tiling"] = (
    "constexpr SoftMaxTiling own = SoftMaxFlashV2TilingFunc({2, 16, 2, 16}, 2, 4, 1024);"
    "constexpr SoftMaxTiling same = SoftMaxFlashV2TilingFuncImpl(2, 16, 2, 4, 1024);"
    "static_assert(same.srcM == own.srcM && same.srcK == own.srcK && same.outMaxK == own.outMaxK);"
    "SoftMax<half>(Out(0)<half>(), In(0)<half>(), same);"
)
CALLS["basic"] = "SoftMax<half, false, true>(Out(0)<half>(), In(0)<half>(), tiling, info);"
CALLS["undefined"] = "SoftMax<float>(Out(0)<float>(), Out(1)<float>(), tiling, info);"


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> AdvProbes:
    calls = {name: f"SoftMaxTiling tiling{{}}; const auto info = {SHAPE}; {call}" for name, call in CALLS.items()}
    return compile_adv_probes(root, calls, tmp_path_factory.mktemp("adv_softmax"), ALONE)


class Case:
    """The operands of one shape and form: x and g of [m, k], sums and maxima of a block or an element a row."""

    def __init__(self, form: str, shape: tuple[int, int, int, int], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.m, self.k, self.used_m, self.used_k = shape
        self.padded = shape[:2] != shape[2:]  # with all checks padding cannot be stored
        self.type = NUMPY[FORMS[form]]
        self.reduced = np.float32 if form != "half" else np.float16
        self.x = rng.uniform(-4, 4, (self.m, self.k)).astype(self.type)
        self.g = rng.uniform(-4, 4, (self.m, self.k)).astype(self.type)
        self.sum = rng.uniform(1, 9, (self.m, 1)).astype(self.reduced)
        self.max = rng.uniform(-5, 5, (self.m, 1)).astype(self.reduced)

    def block(self, column: Array) -> Array:
        return np.repeat(column, 32 // column.dtype.itemsize, axis=1).ravel()

    def used(self, array: Array) -> Array:
        return array[: self.used_m, : self.used_k].astype(np.float64)

    def rows(self, array: Array) -> Array:
        return array[: self.used_m].astype(np.float64)


def check(got: Array, want: Array, where: str) -> None:
    assert distance(got, want.astype(got.dtype)) <= 1, f"{where}: {got} is not {want}"


def softmax(case: Case, update: bool, divided: bool) -> tuple[Array, Array, Array, Array]:
    """dst, sum, max and expMax of the pages of SoftMax, SoftmaxFlash (divided) and SoftmaxFlashV2."""
    x = case.used(case.x)
    top = x.max(axis=1, keepdims=True)
    if not update:
        e = np.exp(x - top)
        total = e.sum(axis=1, keepdims=True)
        return (e / total if divided else e), total, top, np.zeros_like(top)
    before = case.rows(case.max)
    top = np.maximum(top, before)
    e = np.exp(x - top)
    scale = np.exp(before - top)
    total = scale * case.rows(case.sum) + e.sum(axis=1, keepdims=True)
    return (e / total if divided else e), total, top, (scale * case.rows(case.sum) / total if divided else scale)


@pytest.mark.parametrize("form", FORMS)
def test_softmax_and_flash(probes: AdvProbes, form: str) -> None:
    for room in ("", " room"):
        for seed, shape in enumerate(SHAPES):
            c = Case(form, shape, seed)
            used = [c.used_m * c.k, c.used_m * 32 // np.dtype(c.reduced).itemsize, c.used_m * 32 // c.x.dtype.itemsize]
            for name in ("SoftMax", "SoftmaxFlash", "SoftmaxFlashV2", "SoftmaxFlash update", "SoftmaxFlashV2 update"):
                update = name.endswith("update")
                function, _, tail = name.partition(" ")
                outs = [np.zeros(c.m * c.k, c.type), np.zeros(c.m * 32 // np.dtype(c.reduced).itemsize, c.reduced)]
                outs += [outs[1].copy(), np.zeros(c.m * 32 // c.x.dtype.itemsize, c.type)]
                got = probes(
                    f"{function} {form}{room}{' ' + tail if tail else ''}",
                    [c.x.ravel(), c.block(c.sum), c.block(c.max)], outs, numbers=shape, room=4096 if room else 0,
                    load=True, checks=not c.padded,
                )  # fmt: skip
                dst, total, top, scale = softmax(c, update, function != "SoftmaxFlashV2")
                where = f"{name} {form} {shape}"
                check(c.used(got[0].reshape(c.m, c.k)).astype(c.type), dst, where)
                check(got[1][: used[1]], c.block(total.astype(c.reduced)), where)
                check(got[2][: used[1]], c.block(top.astype(c.reduced)), where)
                if update:
                    check(got[3][: used[2]], c.block(scale.astype(c.type)), where)


@pytest.mark.parametrize("form", ["half", "float"])
def test_the_relatives(probes: AdvProbes, form: str) -> None:
    for room in ("", " room"):
        for seed, shape in enumerate(SHAPES):
            c = Case(form, shape, seed)
            x, g = c.used(c.x), c.used(c.g)
            out = np.zeros(c.m * c.k, c.type)
            column = np.zeros(c.m * 32 // c.x.dtype.itemsize, c.type)
            options = {"numbers": shape, "room": 4096 if room else 0, "load": True, "checks": not c.padded}
            (got,) = probes(f"SoftMax {form}{room} short", [c.x.ravel()], [out], **options)
            check(c.used(got.reshape(c.m, c.k)).astype(c.type), softmax(c, False, True)[0], "SoftMax")
            (got,) = probes(f"SoftmaxGrad {form}{room}", [c.x.ravel(), c.g.ravel()], [out], **options)
            total = (x * g).sum(axis=1, keepdims=True)
            check(c.used(got.reshape(c.m, c.k)).astype(c.type), (g - total) * x, "SoftmaxGrad")
            for call in (f"SoftmaxGrad {form}{room} front", f"SoftmaxGradFront {form}{room}"):
                (got,) = probes(call, [c.x.ravel(), c.g.ravel()], [column], **options)
                check(got[: c.used_m * 32 // c.x.dtype.itemsize], c.block(total.astype(c.type)), call)
            inputs = [c.x.ravel(), c.block(c.sum), c.block(c.max)]
            (got,) = probes(f"SimpleSoftMax {form}{room}", inputs, [out], **options)
            want = np.exp(x - c.rows(c.max)) / c.rows(c.sum)
            check(c.used(got.reshape(c.m, c.k)).astype(c.type), want, "SimpleSoftMax")
            outs = [out, np.zeros(c.m, c.type), np.zeros(c.m, c.type), np.zeros(c.m, c.type)]
            inputs = [c.x.ravel(), c.sum.ravel(), c.max.ravel()]
            got4 = probes(f"SoftmaxFlashV2 {form}{room} alone", inputs, outs, **options)
            dst, sums, top, scale = softmax(c, True, False)
            check(c.used(got4[0].reshape(c.m, c.k)).astype(c.type), dst, "alone")
            for i, want in ((1, sums), (2, top), (3, scale)):
                check(got4[i][: c.used_m], want.ravel(), f"alone {i}")


@pytest.mark.parametrize("form", ["half", "float"])
def test_log_softmax_takes_the_logarithm_to_the_base_of_ten(probes: AdvProbes, form: str) -> None:
    c = Case(form, (7, 48, 7, 48), 3)
    block = np.zeros(c.m * 32 // c.x.dtype.itemsize, c.type)
    outs = [np.zeros(c.x.size, c.type), block, block]
    got = probes(f"LogSoftMax {form}", [c.x.ravel()], outs, numbers=[7, 48, 7, 48], room=1024)
    dst, total, top, _ = softmax(c, False, True)
    check(got[0].reshape(7, 48), np.log10(dst), "LogSoftMax")
    check(got[1], c.block(total.astype(c.type)), "sum")
    check(got[2], c.block(top.astype(c.type)), "max")


def test_the_first_maximum_and_adjustments(probes: AdvProbes) -> None:
    c = Case("float", (8, 64, 8, 64), 4)
    spare = np.zeros(8, np.float32)
    outs = [np.zeros(512, np.float32), spare, np.zeros(0, np.float32), spare]
    got = probes(
        "outReduceMax", [c.x.ravel(), c.sum.ravel(), c.max.ravel(), spare, spare], outs, numbers=[8, 64, 8, 64]
    )
    check(got[1], c.x.max(axis=1), "outReduceMax")
    x = np.arange(64, dtype=np.float16).reshape(4, 16)
    top = np.float32([[1], [np.finfo(np.float32).min], [2], [np.finfo(np.float32).min]])
    got = probes("adjust", [x.ravel(), c.block(top)], [np.zeros(16, np.float16), x.ravel()], numbers=[4, 16, 4, 16],
                 reals=[-7.0])  # fmt: skip
    x[[1, 3]] = -7
    assert (got[0] == 1).all()
    assert (got[1] == x.ravel()).all()
    for call in ("of the tiling", "of the kernel's tiling"):
        (got2,) = probes(call, [x[:2].ravel()], [np.zeros(32, np.float16)])
        e = np.exp(x[:2].astype(np.float64) - x[:2].max(axis=1, keepdims=True))
        check(got2.reshape(2, 16), e / e.sum(axis=1, keepdims=True), call)


REFUSED = {
    "of no rows": (
        "SoftMax half short", [0, 0, 0, 0], "SoftMax", "srcM is 0 and srcK 0",
        "srcM and srcK are not 0, and a row of srcK elements is a multiple of 32 bytes",
    ),
    "of odd rows": (
        "SoftMax half short", [2, 12, 2, 12], "SoftMax", "srcM is 2 and srcK 12",
        "srcM and srcK are not 0, and a row of srcK elements is a multiple of 32 bytes",
    ),
    "of more than there is": (
        "SoftMax half short", [2, 16, 3, 16], "SoftMax", "3 of 2 rows, and 16 of 16 columns",
        "oriSrcM and oriSrcK are at most srcM and srcK",
    ),
    "of a basic block": (
        "basic", [4, 64, 4, 64], "SoftMax", "srcM is 4 and srcK 64",
        "isBasicBlock needs a multiple of 8 rows of 256 / sizeof(T) to 2047 elements, a multiple of 64",
    ),
}  # fmt: skip


def report(error: pytest.ExceptionInfo[LaunchError]) -> str:
    return "\n".join(re.sub(r"\S+probe\.cpp:\d+", "HERE", error.value.report).splitlines()[:2])


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_that_are_refused(probes: AdvProbes, case: str) -> None:
    call, numbers, function, said, rule = REFUSED[case]
    x = np.zeros(256, np.float16)
    with pytest.raises(LaunchError) as refused:
        probes(call, [x], [x], numbers=numbers)
    page = "高阶API/激活函数/SoftMax接口/SoftMax"
    assert report(refused) == f"Probe: block 0 of 1: HERE: {function}: {said}\n  rule: {rule} [{page}]"


def test_an_undefined_element_reaches_no_reduction(probes: AdvProbes) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(LaunchError) as refused:
        probes("undefined", [], [x, x], numbers=[8, 8, 8, 8])
    assert report(refused) == (
        "Probe: block 0 of 1: HERE: SoftMax: element 0 of src (UB address 256) has never been written\n"
        "  rule: an element that has never been written does not reach a reduction [高阶API/归约操作/Sum接口/Sum]"
    )
