"""Training beyond one device: recomputed gradients, and work that is split over two processes.

The processes compute on the CPU and communicate through gloo. On NPUs the same code runs with "hccl".
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed.nn  # imported before a group exists, because its default arguments would keep that group
from torch import Tensor, distributed, multiprocessing
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from opforge.testing.checks.closeness import assert_same
from opforge.testing.checks.tensors import double, on
from opforge.testing.checks.tested_operator import ExpressedOperator

WORLD = 2
LIMIT = 300  # seconds until a process counts as hanging


def check_checkpointing(op: ExpressedOperator, use_reentrant: bool) -> None:
    """Gradients that torch.utils.checkpoint recomputes are bitwise equal."""
    values, _ = op.training_sample(WORLD)

    def gradients(call: Any, *how: Any, **options: Any) -> list[Tensor | None]:
        inputs = on("npu", values)
        leaves = [value.requires_grad_() for value in inputs if value.is_floating_point()]
        loss = weighted_sum(call(*how, *inputs, **options))
        if loss.requires_grad:
            loss.backward()
        return [leaf.grad for leaf in leaves]

    kept = gradients(op)
    assert_same(gradients(checkpoint, op, use_reentrant=use_reentrant), kept)


def check_two_processes(ops: Sequence[ExpressedOperator], folder: Path) -> None:
    """With data parallelism, and with split columns if possible, the results equal those of one process."""
    processes: Any = multiprocessing.spawn(run, (str(folder / "store"), ops), nprocs=WORLD, join=False)
    end = time.monotonic() + LIMIT
    while not processes.join(max(0.0, end - time.monotonic())):
        if time.monotonic() > end:
            for process in processes.processes:
                process.kill()
            pytest.fail(f"the processes have not ended within {LIMIT} s")


def run(rank: int, store: str, ops: Sequence[ExpressedOperator]) -> None:
    """One process."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # the name of this machine may not resolve
    wait = timedelta(seconds=LIMIT)
    distributed.init_process_group("gloo", f"file://{store}", wait, world_size=WORLD, rank=rank)
    for op in ops:
        values, rows = op.training_sample(WORLD)
        if all(row is None for row in rows):
            continue
        # Use double precision, in which the order of a sum does not matter.
        exact = [double(value) for value in values]
        check_data_parallel(op, exact, rows, rank)
        columns = op.column_dims()
        if columns is not None:
            check_column_parallel(op, exact, columns, rank)
    distributed.destroy_process_group()


def weighted_sum(outputs: Sequence[Tensor]) -> Tensor:
    """A loss: the sum of all outputs that have gradients, with a different weight for each column.

    An output of one dimension has no columns: its elements are those of rows.
    """
    total = torch.zeros((), dtype=torch.float64)
    for output in outputs:
        if output.requires_grad:
            columns = output.shape[-1] if output.dim() > 1 else 1
            total = total + (output * torch.linspace(0.5, 1.5, columns).to(output)).double().sum().cpu()
    return total


class Scaled(torch.nn.Module):  # type: ignore[misc]
    """An operator whose floating-point inputs are multiplied by parameters, one for each element outside rows."""

    def __init__(self, op: ExpressedOperator, values: list[Tensor], rows: list[int | None]) -> None:
        super().__init__()
        self.op = op
        one = [x if row is None else x.narrow(row, 0, 1) for x, row in zip(values, rows, strict=True)]
        self.gains = torch.nn.ParameterList(torch.ones(x.shape, dtype=torch.float64) for x in one)

    def forward(self, *inputs: Tensor) -> Tensor:
        """A loss."""
        scaled = [x * gain if x.is_floating_point() else x for x, gain in zip(inputs, self.gains, strict=True)]
        return weighted_sum(self.op(*scaled))


def part(value: Tensor, dim: int | None, rank: int) -> Tensor:
    """The share of one process."""
    return value if dim is None else value.chunk(WORLD, dim)[rank]


def check_data_parallel(op: ExpressedOperator, values: list[Tensor], rows: list[int | None], rank: int) -> None:
    """Each process has a part of the rows. DistributedDataParallel averages their gradients."""
    alone = Scaled(op, values, rows)
    loss = alone(*values)
    if not loss.requires_grad:
        return
    (loss / WORLD).backward()
    together = DistributedDataParallel(Scaled(op, values, rows), find_unused_parameters=True)
    together(*(part(value, row, rank) for value, row in zip(values, rows, strict=True))).backward()
    for mine, whole in zip(together.parameters(), alone.parameters(), strict=True):
        assert whole.grad is None or mine.grad is not None
        if whole.grad is not None:
            torch.testing.assert_close(mine.grad, whole.grad, equal_nan=True)


def check_column_parallel(op: ExpressedOperator, values: list[Tensor], columns: list[int | None], rank: int) -> None:
    """Each process has a part of the result's columns, as in tensor-parallel layers.

    The parts are gathered or used in place, and give the same result. The gradients of shared inputs are summed.
    """
    inputs = [value.clone().requires_grad_() for value in values]
    mine = [part(value, dim, rank).clone().requires_grad_() for value, dim in zip(values, columns, strict=True)]
    whole, parts = op(*inputs), op(*mine)
    for output, local in zip(whole, parts, strict=True):
        gathered = [torch.empty_like(local) for _ in range(WORLD)]
        distributed.all_gather(gathered, local.detach())
        torch.testing.assert_close(torch.cat(gathered, -1), output.detach(), equal_nan=True)
    weights = [torch.linspace(-1, 1, output.numel()).reshape(output.shape).to(output) for output in whole]
    wanted = torch.autograd.grad(whole, inputs, weights)
    given = torch.autograd.grad(parts, mine, [part(weight, -1, rank) for weight in weights])
    for golden, grad, dim in zip(wanted, given, columns, strict=True):
        if dim is None:
            distributed.all_reduce(grad)
        torch.testing.assert_close(grad, part(golden, dim, rank), equal_nan=True)
