"""Every tiling of a matrix product satisfies the documented constraints; what has none is refused with the reason."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

# ruff: noqa: E501 - the messages stand as they are printed

SOURCES = Path(__file__).parent / "sources"
HEADER = Path("include/kernel_tiling/kernel_tiling.h")
CORES = {"Ascend910B1": 48, "Ascend910B4": 40, "Ascend910_9391": 48}
L1, L0A, L0B, L0C, BIAS_TABLE = 512 * 1024 - 256, 64 * 1024, 64 * 1024, 128 * 1024, 1024
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "int8": 1, "int32": 4}

Settings = Mapping[str, object]
Ask = Callable[[list[Settings]], tuple[list["Answer"], str]]


class Answer:
    """One request's result: the statuses of the setters, GetTiling's status, the fields, GetCoreNum/GetSingleShape."""

    def __init__(self, line: str, second: str, names: list[str]) -> None:
        statuses, rest = line[1:].split("]")
        self.statuses = [int(word) for word in statuses.split()]
        words = rest.split()
        self.status = int(words[0])
        self.remark = words[1 + len(names) :] if self.status == 0 else words[1:]
        self.fields = dict(zip(names, map(int, words[1:]), strict=False)) if self.status == 0 else {}
        self.cores = [int(word) for word in second.split()]

    def __getitem__(self, name: str) -> int:
        return self.fields[name]


def ceil_div(value: int, by: int) -> int:
    return -(-value // by)


def round_up(value: int, to: int) -> int:
    return ceil_div(value, to) * to


@pytest.fixture(scope="module", params=[0, 1], ids=["old-strings", "new-strings"])
def ask(request: pytest.FixtureRequest, host_tools: HostTools, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Asks the program of matmul_tiling.cpp, built as op_host sources are, for tilings."""
    program = tmp_path_factory.mktemp("tiling") / "matmul_tiling"
    command = ["g++", "-std=c++11", "-O0", "-Wall", "-Wextra", "-Werror", f"-D_GLIBCXX_USE_CXX11_ABI={request.param}"]
    command += [f"-I{host_tools.root / 'include'}", str(SOURCES / "matmul_tiling.cpp"), "-o", str(program)]
    command += [f"-L{host_tools.root / 'lib64'}", "-lregister", "-ltiling_api"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)
    names = re.findall(r"int32_t (\w+) = 0;", (host_tools.root / HEADER).read_text())
    assert len(names) == 50

    def run(requests: list[Settings]) -> tuple[list[Answer], str]:
        lines = "".join(" ".join(f"{key}={value}" for key, value in r.items()) + "\n" for r in requests)
        env = {**os.environ, **host_tools.preload}
        done = subprocess.run([str(program)], input=lines, capture_output=True, text=True, check=False, env=env)
        assert done.returncode == 0, done.stderr
        out = done.stdout.splitlines()
        assert len(out) == 2 * len(requests)
        return [Answer(out[2 * i], out[2 * i + 1], names) for i in range(len(requests))], done.stderr

    return run


def check(request: Settings, answer: Answer) -> None:
    """Table 2 of the page on TCubeTiling (where its recommended values need it, "<" is "<=") and table 3 (MDL)."""

    def number(key: str, otherwise: int) -> int:
        return int(str(request.get(key, otherwise)))

    assert answer.status == 0
    assert not answer.remark
    t = answer
    m, n, k = number("m", -1), number("n", -1), number("k", -1)
    element = BYTES[str(request["a"])]
    c0 = 32 // element
    dim = 1 if "one_core" in request else number("dim", 1)
    parts = ceil_div(m, t["singleCoreM"]) * ceil_div(n, t["singleCoreN"]) * ceil_div(k, t["singleCoreK"])
    fixed = "single_m" in request or "single_k" in request
    assert t["usedCoreNum"] == (dim if fixed else parts)
    assert parts <= dim or fixed
    assert (t["M"], t["N"]) == (number("whole_m", m), number("whole_n", n))
    assert (t["Ka"], t["Kb"]) == (number("ka", number("whole_k", k)), number("kb", number("whole_k", k)))
    assert 0 < t["singleCoreM"] <= round_up(m, 16)  # CANN's library does not trim it
    assert 0 < t["singleCoreN"] <= round_up(n, 16)
    assert 0 < t["singleCoreK"] <= k
    assert t["singleCoreK"] == k or "split_k" in request
    assert (t["baseM"] % 16, t["baseN"] % 16) == (0, 0)
    assert t["baseK"] % c0 == 0
    assert 0 < t["baseM"] <= round_up(t["singleCoreM"], max(16, c0))
    assert 0 < t["baseN"] <= round_up(t["singleCoreN"], max(16, c0))
    assert t["baseM"] * t["baseK"] * element * t["dbL0A"] <= L0A
    assert t["baseN"] * t["baseK"] * element * t["dbL0B"] <= L0B
    assert t["baseM"] * t["baseN"] * 4 * t["dbL0C"] <= number("l0c", L0C)
    assert {t["dbL0A"], t["dbL0B"], t["dbL0C"]} <= {1, 2}
    bias = BYTES[str(request["bias"])] if "bias" in request else 0
    assert t["baseN"] * bias <= BIAS_TABLE
    assert t["isBias"] == (1 if bias else 0)
    a_buffers = t["depthA1"] / (t["stepM"] * t["stepKa"])
    b_buffers = t["depthB1"] / (t["stepN"] * t["stepKb"])
    assert {a_buffers, b_buffers} <= {1, 2}
    l1 = t["baseM"] * t["baseK"] * t["depthA1"] * element + t["baseN"] * t["baseK"] * t["depthB1"] * element
    assert l1 + t["baseN"] * bias <= number("l1", L1)
    assert t["stepKa"] <= ceil_div(t["singleCoreK"], t["baseK"])
    rounds = [ceil_div(t["singleCoreK"], t["baseK"] * t[step]) for step in ("stepKa", "stepKb")]
    assert max(rounds) % min(rounds) == 0
    assert min(rounds) == 1 or (t["stepM"], t["stepN"]) == (1, 1)
    assert t["iterateOrder"] in (0, 1)
    if "one_core" not in request:
        m_parts, n_parts = ceil_div(m, t["singleCoreM"]), ceil_div(n, t["singleCoreN"])
        assert answer.cores == [0, t["usedCoreNum"], m_parts, n_parts, 0, *(t[f"singleCore{x}"] for x in "MNK")]


def product_of(dtype: str, m: int, n: int, k: int, soc: str = "Ascend910B1", **more: object) -> Settings:
    result = "int32" if dtype == "int8" else "float32"
    return {"soc": soc, "a": dtype, "b": dtype, "c": result, "m": m, "n": n, "k": k, "dim": CORES[soc], **more}


COUPLED = {"soc": "Ascend310P3", "dim": 8}
SHAPES = [
    *product((1, 15, 16, 17), (1, 16, 31), (1, 16, 33)),
    *[(127, 129, 64), (1024, 4096, 1024), (2048, 11008, 4096), (3, 11008, 4096), (100003, 16, 64), (16, 100003, 7)],
    *[(1, 1, 1000003), (2147483647, 1, 1), (1, 2147483647, 65536), (997, 991, 983), (65536, 65536, 65536)],
]


def test_tilings_satisfy_every_constraint(ask: Ask) -> None:
    requests: list[Settings] = []
    for soc, dtype, (m, n, k) in product(CORES, ("float16", "bfloat16", "float32", "int8"), SHAPES):
        requests.append(product_of(dtype, m, n, k, soc))
    for dtype, ta, tb, (m, n, k) in product(("float16", "float32", "int8"), (0, 1), (0, 1), SHAPES[::3]):
        requests.append(product_of(dtype, m, n, k, ta=ta, tb=tb))
        requests.append(product_of(dtype, m, n, k, ta=ta, tb=tb, one_core=1))
    for (m, n, k), dim in product(SHAPES[::2], (1, 2, 7, 47)):
        requests.append({**product_of("float16", m, n, k, bias="float32"), "dim": dim})
    for m, n, k in SHAPES:
        requests.append(product_of("bfloat16", m, n, k, split_k=1))
        requests.append(product_of("float16", m, n, k, l1=70000, l0c=32768))
        requests.append(product_of("float32", m, n, k, whole_m=m, whole_n=n, ka=k, kb=min(k + 13, 2**31 - 1)))
    answers, _ = ask(requests)
    for request, answer in zip(requests, answers, strict=True):
        try:
            check(request, answer)
        except AssertionError as error:
            raise AssertionError(f"{request}: {answer.fields}") from error


def test_coupled_cores_have_room_in_the_unified_buffer_for_changes_of_format(ask: Ask) -> None:
    requests: list[dict[str, object]] = []
    for dtype, ta, tb, (m, n, k) in product(("float16", "int8"), (0, 1), (0, 1), SHAPES):
        bias = "int32" if dtype == "int8" else "float32"
        requests.append({**COUPLED, "a": dtype, "b": dtype, "ta": ta, "tb": tb, "m": m, "n": n, "k": k, "bias": bias,
                         "c": bias, "c_form": 5, "config": 0})  # fmt: skip
    requests += [{**request, "ub": 65536} for request in requests]
    requests += [{**request, "config": 1} for request in requests]
    answers, _ = ask(requests)
    for request, t in zip(requests, answers, strict=True):
        assert t.status == 0, request
        element = BYTES[str(request["a"])]
        k = t["baseK"] * (t["stepKa"] if request["config"] else 1)  # MDL takes several at once
        length = max(t["baseM"] * k * element, t["baseN"] * k * element, t["baseM"] * t["baseN"] * 4)
        assert length <= t["transLength"] <= max(length, t["baseN"] * 8)
        assert t["shareUbSize"] == t["baseM"] * t["baseN"] * 4
        assert 2 * t["transLength"] <= int(str(request.get("ub", 262144)))
        assert t["baseM"] * t["baseK"] * element * t["dbL0A"] <= L0A
        assert t["baseN"] * t["baseK"] * element * t["dbL0B"] <= L0B
        assert t["usedCoreNum"] <= 8


def test_tall_wide_and_small_products_share_the_cores(ask: Ask) -> None:
    shapes = {(100000, 16, 64): 48, (16, 100000, 64): 48, (1024, 4096, 1024): 48, (7, 13, 5): 1}
    answers, _ = ask([product_of("float16", *shape) for shape in shapes])
    for (shape, cores), answer in zip(shapes.items(), answers, strict=True):
        assert answer["usedCoreNum"] == cores, shape
        least = shape[0] * shape[1] / cores  # no core has much more than its share
        part = answer["singleCoreM"] * answer["singleCoreN"]
        assert part <= 1.1 * least or part <= 256, (shape, answer.fields)


def test_parts_of_a_split_k_are_equal(ask: Ask) -> None:
    """But for the last one, in whole groups of 32 bytes."""
    answers, _ = ask(
        [
            {**product_of("float16", 16, 16, k, split_k=1), "dim": dim}
            for k, dim in ((1024, 24), (1024, 20), (1000, 24), (16 * 67, 24), (16 * 23, 24))
        ]
    )
    parts = [(t["singleCoreK"], t["usedCoreNum"]) for t in answers]
    assert parts == [(48, 22), (64, 16), (48, 21), (48, 23), (16, 23)]


def test_what_the_caller_fixes_is_kept(ask: Ask) -> None:
    tile = {"single_m": 128, "single_n": 256, "base_m": 128, "base_n": 256}
    requests = [
        product_of("float16", 1000, 5000, 512, **tile),
        product_of("float16", 16, 4096, 512, base_m=16, base_n=256),
        product_of("float16", 512, 512, 512, traverse=2),
        product_of("float16", 512, 512, 512, traverse=1),
        product_of("float16", 1024, 512, 4096, split_k=1, single_k=512),
        product_of("float16", 512, 128, 128, dim=2, base_m=128, base_n=64, base_k=128),
        product_of("float16", 512, 128, 40, dim=2, base_m=128, base_n=64, base_k=128),
    ]
    answers, _ = ask(requests)
    for request, answer in zip(requests, answers, strict=True):
        check(request, answer)
    assert [answers[0][name] for name in ("singleCoreM", "singleCoreN", "baseM", "baseN")] == [128, 256, 128, 256]
    assert answers[0]["usedCoreNum"] == 48
    assert (answers[1]["baseM"], answers[1]["baseN"], answers[1]["usedCoreNum"]) == (16, 256, 16)
    assert (answers[2]["iterateOrder"], answers[3]["iterateOrder"]) == (1, 0)
    assert answers[4]["singleCoreK"] == 512
    assert [answers[5][name] for name in ("baseM", "baseN", "baseK")] == [128, 64, 128]
    assert answers[6]["baseK"] == 48
    plain, *with_limits = ask(
        [
            product_of("float16", 512, 512, 512, **limits)
            for limits in ({}, {"max_base_m": 48}, {"align_m": 64, "align_n": 128}, {"max_single_m": 48})
        ]
    )[0]
    assert all(each.fields == plain.fields for each in with_limits), "CANN's library heeds no such limits"


def test_products_of_four_bits_are_those_of_bytes_with_half_the_k(ask: Ask) -> None:
    sizes = [(2, 2, 2), (16, 64, 64), (30, 60, 34), (128, 4096, 7168), (1000, 512, 130)]
    more: list[dict[str, object]] = [{}, {"one_core": 1}, {"ta": 1}, {"tb": 1}]
    pairs = list(product(sizes, more))
    fours = [product_of("int4", m, n, k, **{**each, "c": "int32"}) for (m, n, k), each in pairs]
    bytes_ = [product_of("int8", m, n, k // 2, **each) for (m, n, k), each in pairs]
    four_answers, byte_answers = ask(fours)[0], ask(bytes_)[0]
    for asked, four, byte in zip(fours, four_answers, byte_answers, strict=True):
        assert (four.status, byte.status) == (0, 0), asked
        doubled = {name: 2 * byte[name] for name in ("Ka", "Kb", "singleCoreK", "baseK")}
        assert four.fields == {**byte.fields, **doubled}, asked
    assert four_answers[0]["baseK"] % 64 == 0


GOOD = {"soc": "Ascend910B1", "a": "float16", "b": "float16", "c": "float32", "m": 64, "n": 64, "k": 64, "dim": 48}
NONE = object()  # a setting that is left out
# fmt: off
# what is changed, and every warning
REFUSED: list[tuple[dict[str, object], list[str]]] = [
    ({"a": NONE}, ["SetAType was not called"]),
    ({"c": NONE}, ["SetCType was not called"]),
    ({"m": NONE}, ["the product has M -1, N -1, K -1 (SetShape, SetOrgShape); each must be at least 1"]),
    ({"k": 0}, ["the product has M 64, N 64, K 0 (SetShape, SetOrgShape); each must be at least 1"]),
    ({"m": -5}, ["the product has M -5, N 64, K 64 (SetShape, SetOrgShape); each must be at least 1"]),
    ({"dim": 49}, ["SetDim(49), but this SoC has 48 cores", "SetDim(49): from 1 to the SoC's cores, 48"]),
    ({"dim": 0}, ["SetDim(-1), but this SoC has 48 cores", "SetDim(0): from 1 to the SoC's cores, 48"]),
    ({"a": "float64", "b": "float64"}, ["A is DataType 11; the simulator has DT_FLOAT, DT_FLOAT16, DT_BFLOAT16, DT_INT8 and DT_INT4"]),
    ({"b": "bfloat16"}, ["A is DT_FLOAT16 and B is DT_BFLOAT16; they must be the same"]),
    ({"c": "int32"}, ["C is DT_INT32, which a product of DT_FLOAT16 does not give"]),
    ({"bias": "int32"}, ["the bias is DT_INT32, which does not go with A of DT_FLOAT16"]),
    ({"c_pos": 1}, ["C lies at TPosition 1, where the simulated Matmul object takes none"]),
    ({"a_nz": 1, "m": 65}, ["A is NZ, so M must be a multiple of 16 and Ka of 16; M is 65, Ka 64"]),
    ({"base_m": 80, "base_n": 16}, ["SetFixSplit(80, 16), but a core's part has M 16 and N 16, so at most 16 and 16 are right"]),
    ({"base_m": 33, "base_n": 16}, ["SetFixSplit(33, 16, -1): baseM, baseN and baseK are positive multiples of 16, or -1"]),
    ({"base_m": 16, "base_n": 16, "base_k": 40}, ["SetFixSplit(16, 16, 40): baseM, baseN and baseK are positive multiples of 16, or -1"]),
    ({"dim": 1, "m": 512, "n": 512, "base_m": 256, "base_n": 256}, ["SetFixSplit(256, 256) needs 262144 bytes of L0C, which has 131072"]),
    ({"dim": 1, "n": 512, "base_n": 512, "bias": "float32"}, ["SetFixSplit: a bias block of 512 elements is longer than the BiasTable's 1024 bytes"]),
    ({"l1": 600000}, ["SetBufferSpace: 600000 bytes of L1, which has 524032"]),
    ({"l1": 1024}, ["M 64, N 64, K 64: one block of A and B, M 16, N 16, K 64, does not fit the 1024 bytes of L1"]),
    ({"single_k": 32}, ["SetSingleShape's K is 32 of 64; only EnableMultiCoreSplitK(true) splits K"]),
    ({"schedule": 1}, ["SetMatmulConfigParams: the simulator has ScheduleType::INNER_PRODUCT only"]),
    ({"mad": 1}, ["SetMadType: the simulator has MatrixMadType::NORMAL only"]),
    ({"batch": 0}, ["SetBatchNum(0): at least 1"]),
    ({"soc": "Ascend310B1", "dim": 1}, ["the simulator has matrix products for Atlas A2, A3, Ascend310P and Ascend950 only"]),
    ({"soc": "Ascend310P3", "dim": 8, "a": "bfloat16", "b": "bfloat16"}, ["A is DT_BFLOAT16 and B is DT_BFLOAT16; on Ascend310P the simulator has products of DT_FLOAT16 and of DT_INT8"]),
    ({"soc": "Ascend310P3", "dim": 8, "c": "int32"}, ["C is DT_INT32, which a product of DT_FLOAT16 does not give on Ascend310P"]),
    ({"soc": "Ascend310P3", "dim": 8, "bias": "float16"}, ["the bias is DT_FLOAT16, which does not go with A of DT_FLOAT16 on Ascend310P"]),
    ({"soc": "Ascend310P3", "dim": 8, "n": 30, "c_pos": 9}, ["C lies in the unified buffer with the format ND and rows of 30 DT_FLOAT: on Ascend310P they are multiples of 32 bytes"]),
    ({"soc": "Ascend310P3", "dim": 8, "ub": 1024}, ["M 64, N 64, K 64: no base block fits L0A (65536 bytes), L0B (65536) and L0C (262144), with twice its largest matrix in 1024 bytes of UB"]),
    ({"b_nz": 1, "n": 65}, ["B is NZ, so N must be a multiple of 16 and Kb of 16; N is 65, Kb 64"]),
    ({"c_form": 2}, ["C has CubeFormat 2, which the simulator has not"]),
    ({"whole_m": 64, "whole_n": -64, "ka": 64, "kb": 64}, ["SetOrgShape(M 64, N -64, Ka 64, Kb 64): a size is negative"]),
    ({"l1_cache": 1}, ["SetMatmulConfigParams: Atlas A2 and A3 have no enableL1CacheUB, and for Ascend310P it is not simulated"]),
    ({"split_k": 1, "c_pos": 9}, ["EnableMultiCoreSplitK needs C in GM, where the parts of K are added up"]),
    ({"a": "int4", "b": "int4"}, ["C is DT_FLOAT, which a product of DT_INT4 does not give"]),
    ({"a": "int4", "b": "int8", "c": "int32"}, ["A is DT_INT4 and B is DT_INT8; they must be the same"]),
    ({"a": "int4", "b": "int4", "c": "int32", "k": 63}, ["K of a product of DT_INT4 is even, since two elements fill a byte; it is 63"]),
    ({"a": "int4", "b": "int4", "c": "int32", "n": 63}, ["rows of DT_INT4 are of even length, since two elements fill a byte; M 64, N 63, K 64"]),
    ({"a": "int4", "b": "int4", "c": "int32", "a_nz": 1, "k": 96}, ["A is NZ, so Ka must be a multiple of 64; Ka is 96"]),
    ({"a": "int4", "b": "int4", "c": "int32", "b_nz": 1, "k": 96}, ["B is NZ, so Kb must be a multiple of 64; Kb is 96"]),
    ({"a": "int4", "b": "int4", "c": "int32", "soc": "Ascend310P3", "dim": 8}, ["A is DT_INT4 and B is DT_INT4; on Ascend310P the simulator has products of DT_FLOAT16 and of DT_INT8"]),
    ({"a": "int4", "b": "int4", "c": "int32", "soc": "Ascend950PR_9599", "dim": 32}, ["A or B is DT_INT4, of which the cube cores of Ascend950 have no products: cast to int8_t first"]),
    ({"not_there": "sparse"}, ["SetSparse: the simulator has no sparse products"]),
    ({"not_there": "scale_a"}, ["SetScaleAType: the simulator has no MxMatmul"]),
    ({"not_there": "scale_b"}, ["SetScaleBType: the simulator has no MxMatmul"]),
    ({"axes_a": "1,2,0,4,5"}, ["SetALayout(B 1, S 2, N 0, G 4, D 5): an axis is at least 1"]),
    ({"axes_b": "1,-2,3,4,5"}, ["SetBLayout(B 1, S -2, N 3, G 4, D 5): an axis is at least 1"]),
    ({"axes_c": "0,2,3,4,5"}, ["SetCLayout(B 0, S 2, N 3, G 4, D 5): an axis is at least 1"]),
    ({"normal": "2,0,16,16,16"}, ["SetBatchInfoForNormal(2, 0, M 16, N 16, K 16): batches and sizes are at least 1"]),
    ({"l0c": 512}, ["M 64, N 64, K 64: no base block fits L0A (65536 bytes), L0B (65536) and L0C (512)"]),
]
# fmt: on


def test_what_has_no_tiling_is_refused_with_the_reason(ask: Ask) -> None:
    requests: list[Settings] = [
        {key: value for key, value in {**GOOD, **change}.items() if value is not NONE} for change, _ in REFUSED
    ]
    answers, errors = ask(requests)
    said = errors.split("> ")[1:]
    for (change, messages), answer, text in zip(REFUSED, answers, said, strict=True):
        warnings = [line.removeprefix("[WARNING] MatmulApi Tiling: ") for line in text.splitlines()[1:]]
        if answer.status != 0:
            assert warnings[-2:] == [
                "GetCoreNum: no GetTiling succeeded before",
                "GetSingleShape: no GetTiling succeeded before",
            ]
            del warnings[-2:]
        assert sorted(set(warnings)) == messages, change
        if answer.status == 0:  # the setter said no, and the rest stands without it
            assert -1 in answer.statuses, change
        else:
            assert not answer.remark, change  # the caller's struct is untouched
            assert (answer.cores[0], answer.cores[4]) == (-1, -1)


def test_with_layouts_all_matrices_of_a_batch_fit_into_l1(ask: Ask) -> None:
    layouts = {"axes_a": "3,233,1,1,276", "axes_b": "3,119,1,1,276", "axes_c": "3,233,1,1,119", "batched": 1}
    size = {**GOOD, "m": 233, "n": 119, "k": 276, **layouts}
    answers, errors = ask([{**size, "batch": 2}, {**size, "batch": 3}])
    assert [answer.status for answer in answers] == [0, -1]
    wanted = "take fewer at once, or the layout NORMAL with SetBatchInfoForNormal"
    assert f"3 matrices of A and B (SetBatchNum) take 582912 bytes, L1 has 524032: {wanted}" in errors


def test_an_unknown_template_is_norm_and_told(ask: Ask) -> None:
    answers, errors = ask([GOOD, {**GOOD, "config": 7}])
    assert answers[0].fields == answers[1].fields
    assert "SetMatmulConfigParams: mmConfigType is 7, which is taken for 0 (Norm); 0 and 1 (MDL) are right" in errors


def test_without_set_dim_one_core_computes_and_says_so(ask: Ask) -> None:
    answers, errors = ask([{key: value for key, value in GOOD.items() if key != "dim"}])
    assert answers[0].status == 0
    assert answers[0]["usedCoreNum"] == 1
    assert "SetDim was not called: one core computes the whole product" in errors


AXES = [
    f"{side}LayoutInfo{axis}"
    for side, axes in (("A", "BSNGD"), ("B", "BSNGD"), ("C", ("B", "S1", "N", "G", "S2")))
    for axis in axes
]


@pytest.mark.parametrize("batched", [False, True])
def test_batches(ask: Ask, batched: bool) -> None:
    common = {**GOOD, **({"batched": 1} if batched else {})}
    requests: list[Settings] = [
        common,
        {**common, "axes_a": "2,64,1,3,64", "axes_b": "2,64,1,1,64", "axes_c": "2,64,1,3,64", "batch": 3},
        {**common, "normal": "4,2,64,48,32", "bias": "float32"},
    ]
    answers, _ = ask(requests)
    for request, answer in zip(requests, answers, strict=True):
        check({**request, "one_core": 1} if batched else request, answer)
    assert [answers[0][name] for name in (*AXES, "BatchNum")] == [0] * 16
    assert [answers[1][name] for name in (*AXES, "BatchNum")] == [2, 64, 1, 3, 64, 2, 64, 1, 1, 64, 2, 64, 1, 3, 64, 3]
    assert [answers[2][name] for name in (*AXES, "BatchNum")] == [4, 64, 1, 1, 32, 2, 48, 1, 1, 32, 4, 64, 1, 1, 48, 0]
    if batched:
        assert all(answer["usedCoreNum"] == 1 and answer.cores == [0, 1, 1, 1, 1, 1] for answer in answers)


def test_a_value_of_the_switch_that_means_nothing(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPFORGE_SIM_TILING", "any")
    answers, errors = ask([GOOD])
    assert answers[0].status == -1
    assert "$OPFORGE_SIM_TILING is 'any'; legal:<seed> is right, as legal:1" in errors
