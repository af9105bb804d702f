"""Training beyond one device: gradients that are computed again, and work that is split over two processes.

The processes compute on the CPU and talk through gloo; on NPUs it is the same code with "hccl".
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
import torch.distributed.nn  # before there is a group: its default arguments would keep it
from torch import Tensor, distributed, multiprocessing
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

{% for text in imports %}
{{ text }}
{% endfor %}

WORLD = 2
LIMIT = 300  # seconds until the processes count as hanging

# Operators with derivatives, the tensors to try them with, and which dimension of each, if any, holds rows.
Sample = tuple[Operator, list[Tensor], list[int | None]]
{% for text in cases %}
{{ text }}
{% endfor %}


SAMPLES: list[Sample] = [{{ samples }}]


def exact(values: Sequence[Tensor]) -> list[Tensor]:
    """In double precision, where the order of a sum does not matter."""
    return [value.double() if value.is_floating_point() else value for value in values]


def weighted_sum(outputs: Sequence[Tensor]) -> Tensor:
    """A loss: the sum of all outputs that have gradients, columns counting differently."""
    total = torch.zeros((), dtype=torch.float64)
    for output in outputs:
        if output.requires_grad:
            total = total + (output * torch.linspace(0.5, 1.5, output.shape[-1]).to(output)).double().sum().cpu()
    return total


@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: identify(sample[0]))
def test_checkpointing(sample: Sample, use_reentrant: bool) -> None:
    op, values, _ = sample

    def gradients(call: Any, *how: Any, **options: Any) -> list[Tensor | None]:
        inputs = on("npu", values)
        leaves = [value.requires_grad_() for value in inputs if value.is_floating_point()]
        loss = weighted_sum(call(*how, *inputs, **options))
        if loss.requires_grad:
            loss.backward()
        return [leaf.grad for leaf in leaves]

    kept = gradients(op)
    computed_again = gradients(checkpoint, op, use_reentrant=use_reentrant)
    torch.testing.assert_close(computed_again, kept, rtol=0, atol=0, equal_nan=True)


def test_two_processes(tmp_path: Path) -> None:
    processes = multiprocessing.spawn(run, (str(tmp_path / "store"),), nprocs=WORLD, join=False)
    end = time.monotonic() + LIMIT
    while not processes.join(max(0.0, end - time.monotonic())):
        if time.monotonic() > end:
            for process in processes.processes:
                process.kill()
            pytest.fail(f"the processes have not ended within {LIMIT} s")


def run(rank: int, store: str) -> None:
    """One process."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # the name of this machine need not lead to an address
    wait = timedelta(seconds=LIMIT)
    distributed.init_process_group("gloo", f"file://{store}", wait, world_size=WORLD, rank=rank)
    for op, values, rows in SAMPLES:
        check_data_parallel(op, exact(values), rows, rank)
{% for text in checks %}
{{ text }}
{% endfor %}
    distributed.destroy_process_group()


class Scaled(torch.nn.Module):
    """An operator whose floating-point inputs are multiplied by parameters: one for each element that is no row's."""

    def __init__(self, op: Operator, values: list[Tensor], rows: list[int | None]) -> None:
        super().__init__()
        self.op = op
        one = [x if row is None else x.narrow(row, 0, 1) for x, row in zip(values, rows, strict=True)]
        self.gains = torch.nn.ParameterList(torch.ones(x.shape, dtype=torch.float64) for x in one)

    def forward(self, *inputs: Tensor) -> Tensor:
        scaled = [x * gain if x.is_floating_point() else x for x, gain in zip(inputs, self.gains, strict=True)]
        return weighted_sum(self.op(*scaled))


def part(value: Tensor, dim: int | None, rank: int) -> Tensor:
    """The share of one process."""
    return value if dim is None else value.chunk(WORLD, dim)[rank]


def check_data_parallel(op: Operator, values: list[Tensor], rows: list[int | None], rank: int) -> None:
    """Each process has a part of the rows; DistributedDataParallel gives the mean of their gradients."""
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
{% for text in tests %}
{{ text }}
{% endfor %}
