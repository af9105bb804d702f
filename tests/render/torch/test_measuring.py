"""The measuring programs with cases.py of generated projects, for ops of every kind, with the CPU as the NPU."""

from __future__ import annotations

import gc
import importlib
import json
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing import interface
from opforge.testing.measuring.cases_file import MODULE, load_cases
from tests.portion import Portion
from tests.sampled import sampled

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.filterwarnings("ignore::UserWarning")]

MEASURING = ("case", "counting", "judging", "standards", "timing", "traffic")
PROJECTS = ("gate", "product", "kinds")


@pytest.fixture(scope="module", params=PROJECTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def measuring(name: str, request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """The modules that measure, and as "cases" what benchmarks/cases.py of one project says."""
    request.getfixturevalue(f"{name}_ops")
    with programs_of(request.getfixturevalue(f"{name}_project")) as modules:
        yield modules


@contextmanager
def programs_of(project: Path) -> Iterator[dict[str, Any]]:
    modules: dict[str, Any] = {name: importlib.import_module(f"opforge.testing.measuring.{name}") for name in MEASURING}
    modules["report"] = importlib.import_module("opforge.testing.report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tensor, "npu", lambda self: self.detach().clone(), raising=False)
        patch.setattr(modules["standards"], "RETRIES", 5)  # instead of 200: no verdict follows from it here
        patch.setattr(sys, "path", [*sys.path])
        patch.setitem(sys.modules, MODULE, ModuleType(MODULE))
        yield {**modules, "cases": load_cases(interface.cases_of(project))}


def cases_of(measuring: dict[str, Any]) -> list[Any]:
    cases = measuring["cases"]
    return [case for op in cases.ops for case in cases.timed(op, "small")]


def test_every_op_is_measured(name: str, measuring: dict[str, Any]) -> None:
    counts = {"gate": 9, "product": 12, "kinds": 9}
    assert len(measuring["cases"].ops) == counts[name]
    assert {case.op.name for case in cases_of(measuring)} == {op.name for op in measuring["cases"].ops}


def test_cases_fit_the_operators(measuring: dict[str, Any]) -> None:
    """Their Meta functions take them: ranks, dtypes, sizes."""
    for case in [case for case in cases_of(measuring) if case.tokens <= 33]:
        outputs = case.op.custom(measuring["case"].mapped(case.inputs(), lambda tensor: tensor.to("meta")))
        assert len(outputs) == len(case.op.outputs)
        assert case.tokens in {1, 33}


def test_the_same_seed_gives_the_same_inputs(measuring: dict[str, Any]) -> None:
    tensors_in = measuring["case"].tensors_in
    case = cases_of(measuring)[1]
    one, again, other = (list(tensors_in(case.inputs(seed))) for seed in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def rows_of(measuring: dict[str, Any], op: object) -> list[dict[str, object]]:
    judging = measuring["judging"]
    columns = range(len(op.columns))  # type: ignore[attr-defined]
    return [
        row for column in columns for trial in judging.trials(op, column, quick=True) for row in judging.rows(trial)
    ]


@pytest.mark.parametrize("count", sampled((3, 100), {3}))
def test_operators_pass_on_the_cpu(
    measuring: dict[str, Any], tmp_path: Path, count: int, portion: Portion[Any]
) -> None:
    """The CPU's implementation is the reference in the tensors' dtype, rounded once."""
    for op in portion(measuring["cases"].ops, count):
        rows = rows_of(measuring, op)
        assert [row for row in rows if not row["passed"]] == [], op.type
        named = {row["output"] for row in rows}
        assert named >= set(op.outputs) or op.golden is None
        assert op.differentiable or not any(row["gradient"] for row in rows)
        measuring["report"].write_json(tmp_path / "report.json", {"rows": rows})
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) is not None


def test_a_wrong_element_is_found_where_it_is(measuring: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    op = next(op for op in measuring["cases"].ops if op.golden is not None and not op.written)
    right = type(op).custom

    def wrong(self: object, values: list[object]) -> tuple[Tensor, ...]:
        outputs = [output.clone() for output in right(self, values)]
        if outputs[0].numel() > 20:
            outputs[0].view(-1)[17] += 10
        return tuple(outputs)

    monkeypatch.setattr(type(op), "custom", wrong)
    judging = measuring["judging"]
    for column in range(len(op.columns)):
        trial = next(judging.trials(op, column, quick=True))
        row = next(judging.rows(trial))
        assert (row["case"], row["output"], row["passed"]) == ("random", op.outputs[0], False)
        assert not row["A"]["passed"]
        assert row["worst"]["error"] == pytest.approx(10, rel=0.1)
        assert row["worst"]["rule"] == "standard A"
        shape = right(op, trial.case.inputs())[0].shape
        assert row["worst"]["index"] == [int(i) for i in torch.unravel_index(torch.tensor(17), shape)]


@pytest.fixture
def swiglu(product_project: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    request.getfixturevalue("product_ops")
    with programs_of(product_project) as modules:
        yield modules


def test_what_is_wrong_for_large_tensors_alone_stays_wrong_with_other_data(
    swiglu: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard C's further tries have the sizes of the first."""
    judging, op = swiglu["judging"], swiglu["cases"].ops[0]
    right = type(op).custom

    def wrong(self: object, values: list[object]) -> tuple[Tensor, ...]:
        (output,) = right(self, values)
        return (output + (0.5 * output.abs().mean() if len(output) > 33 else 0),)

    monkeypatch.setattr(type(op), "custom", wrong)
    row = next(judging.rows(next(judging.trials(op, 0, quick=False))))
    assert (row["C"]["retries"], row["C"]["passed"], row["passed"]) == (5, False, False)


def test_which_standards_decide(swiglu: dict[str, Any]) -> None:
    judging, op = swiglu["judging"], swiglu["cases"].ops[0]
    trial = next(judging.trials(op, 0, quick=True))
    golden = torch.ones(2000, dtype=torch.float64)
    near, far, cpu = (torch.full((2000,), value) for value in (1 + 2e-6, 1.002, 1 + 2e-7))

    def judged(actual: Tensor, asked: str = "", *, several: bool = False) -> tuple[object, ...]:
        row = judging.judged(actual, golden, cpu, replace(trial, asked=asked), several=several)
        assert (row["A"]["passed"], row["B"]["passed"], row["C"]["passed"]) == (*[actual is not far] * 2, actual is cpu)
        return row["passed"], row["judged_by"], row["worst"]["rule"]

    assert judged(cpu) == judged(cpu, "ABC") == (True, "ABC", "standard A")
    assert judged(near) == (False, "ABC", "standard C")
    assert judged(near, several=True) == (True, "A", "standard A")
    assert judged(near, "A") == (True, "A", "standard A")
    assert judged(far, "B") == (False, "B", "standard B")
    assert judged(far, several=True) == (False, "C", "standard C")
    assert judged(near, "C", several=True) == (False, "C", "standard C")
    # PyTorch's own error is as large: several operators in a row may have it.
    row = judging.judged(far, golden, far, trial, several=True)
    assert (row["passed"], row["judged_by"], row["A"]["passed"]) == (True, "C", False)
    # A sum of large terms: more than 32 units in the last place off, and still near.
    large = torch.full((2000,), 1e6, dtype=torch.float64)
    for several, verdict in ((True, (True, "B")), (False, (False, "ABC"))):
        row = judging.judged((large * (1 + 1e-5)).float(), large, large.float(), trial, several=several)
        assert (row["passed"], row["judged_by"]) == verdict
    # Of what has no products, C is told in float32, and decides where it is asked for.
    op = replace(op, products=())
    trial = replace(trial, case=replace(trial.case, op=op))
    assert judged(near) == (True, "AB", "standard A")
    assert judged(far) == (False, "AB", "standard A")
    assert judged(near, "ABC") == (False, "ABC", "standard C")


def test_traffic_by_hand(swiglu: dict[str, Any]) -> None:
    traffic, op = swiglu["traffic"], swiglu["cases"].ops[0]
    x, gate, up = values = [torch.ones(3, 5), torch.ones(5, 7), torch.ones(5, 7)]
    product, elements = 15 + 35 + 21, 3 * 7
    bytes_ = 4 * (2 * product + 2 * elements + 3 * elements)  # two products, silu, and a product of elements
    assert traffic.unfused(lambda: op.native(values)).moved == bytes_
    assert traffic.fused(values, op.custom(values)) == 4 * (15 + 35 + 35 + 21)
    assert traffic.unfused(lambda: (x.T.reshape(5, 3)[1:].expand(2, 4, 3),)).moved == 0  # views
    assert traffic.unfused(lambda: (torch.empty(3, 5),)).moved == 0
    assert traffic.unfused(lambda: (x + torch.ones(1).expand(3, 5),)).moved == 4 * (1 + 15 + 1 + 15)
    assert traffic.unfused(lambda: (gate.mul_(up),)).moved == 4 * (35 + 35 + 35)
    chain = traffic.unfused(lambda: ((x * 2 + x).sum(1),))  # the product and the sum are read again
    assert chain == traffic.Unfused(
        read=4 * (15 + 15 + 15 + 15), again=4 * (15 + 15), written=4 * (15 + 15 + 3), operators=3
    )


def test_traffic_follows_from_shapes(measuring: dict[str, Any]) -> None:
    """Without data the same bytes as with them, for all ops whose computation does not depend on data."""
    traffic, known = measuring["traffic"], 0
    for case in [case for case in cases_of(measuring) if case.label.startswith("33x") and case.op.native]:
        values = case.inputs()
        by_shapes = traffic.unfused_by_shapes(case.op.native, values)
        assert by_shapes in {None, traffic.unfused(lambda: case.op.native(values))}, case.op.type  # noqa: B023
        known += by_shapes is not None
    assert known
    assert traffic.unfused_by_shapes(lambda values: values[0].nonzero()[values[0].sum().int().item()], values) is None


def test_counts_of_one_call(measuring: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the device writes them. The sizes are those of a layer of a real model; smaller ones are drawn here."""
    monkeypatch.setattr(torch, "npu", SimpleNamespace(synchronize=lambda: None), raising=False)
    op = next(op for op in measuring["cases"].ops if op.native is not None and not op.written)
    labels = {case.label for case in measuring["cases"].counted(op)}
    assert labels == ({"128x4096 @ 4096x11008"} if op.products else {"2048x4096"})
    case = next(case for case in measuring["cases"].timed(op, "small") if case.label.startswith("33x"))
    monkeypatch.delenv("OPFORGE_SIM_PROFILE", raising=False)
    assert measuring["timing"].count(case) is None

    counters, calls = tmp_path / "launches.jsonl", []
    monkeypatch.setenv("OPFORGE_SIM_PROFILE", str(counters))
    right = type(op).custom

    def counting(self: object, values: list[object]) -> tuple[Tensor, ...]:
        calls.append(values)
        line = {"op": "X", "block_dim": 1, "tiling_key": 0, "gm": {"read": 5, "written": 7}, "cores": []}
        counters.write_text(json.dumps({**line, "peak": {}, "capacity": {}}) + "\n", encoding="utf-8")
        return tuple(right(self, values))

    monkeypatch.setattr(type(op), "custom", counting)
    row = measuring["timing"].count(case)
    assert len(calls) == 1
    assert row["gm_bytes"]["measured"] == {"read": 5, "written": 7}
    traffic, values = measuring["traffic"], case.inputs()
    assert row["gm_bytes"]["fused"] == traffic.fused(values, right(op, values))
    assert row["gm_bytes"]["unfused"] == traffic.unfused(lambda: op.native(values)).moved
    assert (row["custom_us"], row["native_us"], row["passed"]) == (None, None, None)
    assert row["tokens_per_s"] == row["peak_bytes"] == {"custom": None, "native": None}


def test_launches_are_added_up(swiglu: dict[str, Any]) -> None:
    def line(op: str, read: int, peak: int, *cores: tuple[str, int, int]) -> dict[str, object]:
        counts = {"gm_read": read, "gm_written": 1, "vector_elements": 2, "macs": 3, "instructions": 4}
        return {
            "schema": 1,
            "op": op,
            "soc": "Ascend910B1",
            "block_dim": 2,
            "tiling_key": 7,
            "gm": {"read": read * len(cores), "written": len(cores)},
            "cores": [{"kind": kind, "block": block, "sub": sub} | counts for kind, block, sub in cores],
            "peak": {"UB": peak},
            "capacity": {"UB": 196608},
        }

    lines = [line("A", 10, 64, ("aiv", 0, 0), ("aiv", 0, 1)), line("B", 5, 32, ("aiv", 0, 0), ("aic", 0, 0))]
    counted = swiglu["traffic"].counted(lines)
    assert (counted.read, counted.written) == (30, 4)
    assert [core["gm_read"] for core in counted.cores] == [15, 10, 5]
    assert [core["instructions"] for core in counted.cores] == [8, 4, 4]
    assert counted.memory == {"peak": {"UB": 64}, "capacity": {"UB": 196608}}
    assert counted.launches[1] == {"op": "B", "block_dim": 2, "tiling_key": 7}


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "npu", SimpleNamespace(synchronize=lambda: None), raising=False)


@pytest.mark.usefixtures("no_device")
def test_times_take_turns_and_leave_the_collector_as_it_was(swiglu: dict[str, Any]) -> None:
    called: list[str] = []

    def call(name: str) -> object:
        def function() -> tuple[Tensor, ...]:
            assert len(called) < 4 or not gc.isenabled()  # the first four warm up
            called.append(name)
            time.sleep(0.03)  # long enough to be a run of its own
            return ()

        return function

    gc.enable()
    times = swiglu["timing"]._times({"custom": call("custom"), "native": call("native")}, 3)
    assert called == ["custom"] * 2 + ["native"] * 2 + ["custom", "native"] * 3
    assert gc.isenabled()
    assert 3e4 <= times["custom"]["min"] <= times["custom"]["median"] <= times["custom"]["max"]


@pytest.mark.usefixtures("no_device")
@pytest.mark.parametrize(("kept", "grows"), [(0, False), (300, True), pytest.param(90, False, marks=pytest.mark.slow)])
def test_memory_that_every_batch_needs_is_a_leak_and_a_cache_that_fills_is_none(
    kept: int, grows: bool, swiglu: dict[str, Any]
) -> None:
    held: list[bytes] = []
    calls = [0]

    def call() -> None:
        calls[0] += 1
        if kept == 300 or calls[0] < kept:
            held.append(bytes(3000 + calls[0] % 7))

    assert swiglu["counting"]._process_grows(call, 300) == grows


def test_reports_are_json_and_come_in_one_go(tmp_path: Path, swiglu: dict[str, Any]) -> None:
    path = tmp_path / "reports" / "bench.json"
    swiglu["report"].write_json(path, {"rows": [{"a": math.inf, "b": (math.nan, -math.inf, 1.5)}], "none": None})
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "rows": [{"a": "inf", "b": ["nan", "-inf", 1.5]}],
        "none": None,
    }
    assert [each.name for each in path.parent.iterdir()] == ["bench.json"]


def test_operators_are_chosen_by_either_name(swiglu: dict[str, Any]) -> None:
    report, ops, root = swiglu["report"], swiglu["cases"].ops, swiglu["cases"].root
    assert [op.type for op in report.chosen(ops, ["SwiGLU", "linear"], root)[0]] == ["SwiGLU", "Linear"]
    with pytest.raises(SystemExit, match=r"no operator Swish in cases.py; it has SwiGLU, Linear, "):
        report.chosen(ops, ["Swish"], root)
    assert {case.dtype for case in report.of_dtype(cases_of(swiglu), ["bfloat16"])} == {"bfloat16"}


@pytest.mark.usefixtures("kinds_ops")
def test_a_kernel_that_is_not_written_is_left_out(kinds_project: Path) -> None:
    header = kinds_project / "op_kernel" / "scaled_kernel.h"
    header.parent.mkdir(exist_ok=True)
    header.write_text("// KERNEL BODY NOT WRITTEN YET\n", encoding="utf-8")
    try:
        with programs_of(kinds_project) as modules:
            ops, left_out = modules["report"].chosen(modules["cases"].ops, ["Scaled", "Mask"], kinds_project)
    finally:
        header.unlink()
    assert [op.type for op in ops] == ["Mask"]
    assert left_out == [{"op": "Scaled", "why": "its kernel body is not written yet: op_kernel/scaled_kernel.h"}]
