"""PyTorch's requirements beyond correct results: opcheck, torch.compile, autocast, training, modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from opforge.testing.checks import captured, many_processes, regions, registration
from opforge.testing.checks.tested_operator import ExpressedOperator, combinations, identify

from product_cases import PRODUCTS

EVERY_OP = pytest.mark.parametrize("op", PRODUCTS, ids=identify)
EVERY = pytest.mark.parametrize(("op", "column"), combinations(PRODUCTS), ids=identify)
DEVICES = pytest.mark.parametrize("device", ["npu", "cpu"])


@DEVICES
@EVERY
def test_opcheck(op: ExpressedOperator, column: int, device: str) -> None:
    registration.check_opcheck(op, column, device)


@EVERY
def test_shapes_without_data(op: ExpressedOperator, column: int) -> None:
    registration.check_shapes_without_data(op, column)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@EVERY_OP
def test_compile(op: ExpressedOperator, backend: str, dynamic: bool) -> None:
    registration.check_compile(op, backend, dynamic)


@EVERY_OP
def test_another_stream(op: ExpressedOperator) -> None:
    registration.check_another_stream(op)


@EVERY
def test_captured_in_a_graph(op: ExpressedOperator, column: int) -> None:
    captured.check_capture(op, column)


@EVERY_OP
def test_memory_is_given_back(op: ExpressedOperator) -> None:
    registration.check_memory_is_given_back(op)


@DEVICES
@pytest.mark.parametrize("op", [op for op in PRODUCTS if op.autocasts], ids=identify)
def test_autocast(op: ExpressedOperator, device: str) -> None:
    op.check_region(device)


MODULES = [op for op in PRODUCTS if op.module]


@pytest.mark.parametrize(("op", "column"), combinations(MODULES), ids=identify)
def test_module(op: ExpressedOperator, column: int) -> None:
    registration.check_as_module(op, column)


@pytest.mark.parametrize("op", MODULES, ids=identify)
def test_traced_module(op: ExpressedOperator) -> None:
    registration.check_traced_module(op)


TRAINED = [op for op in PRODUCTS if op.differentiable and not op.written]
EVERY_TRAINED = pytest.mark.parametrize("op", TRAINED, ids=identify)


@DEVICES
@EVERY_TRAINED
def test_the_backward_pass_heeds_no_region(op: ExpressedOperator, device: str) -> None:
    regions.check_backward_in_region(op, device)


@EVERY_TRAINED
def test_compiled_in_a_region(op: ExpressedOperator) -> None:
    regions.check_compiled_in_region(op)


@pytest.mark.parametrize("use_reentrant", [False, True])
@EVERY_TRAINED
def test_checkpointing(op: ExpressedOperator, use_reentrant: bool) -> None:
    many_processes.check_checkpointing(op, use_reentrant)


def test_two_processes(tmp_path: Path) -> None:
    many_processes.check_two_processes(TRAINED, tmp_path)
