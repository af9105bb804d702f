"""What the files below cases/ are made of: how an operator is called, and what it computes.

An entry is ours: it was written from the operator's documentation and definition. Its golden computes in float64.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

DTYPES = {"float": torch.float32, "bool": torch.bool}
# A result may differ from the golden by this part of its size, or of the largest size near 0.
CLOSE = {"float32": 2**-11, "float16": 2**-8, "bfloat16": 2**-5}


@dataclass(frozen=True)
class Operator:
    """One operator.

    ``shapes`` are those that an author must write into opforge.yaml, as YAML: ``{"y": "[M, N // 2]"}``, or with the
    length of a list: ``{"y": "{shape: [1], dynamic: x}"}``. ``arguments`` takes
    ``Tensors`` and a size of ``sizes``. ``golden`` gets the same arguments, floating ones in float64, and gives a
    result or a tuple of them; None for one that is not compared. ``columns`` are the dtypes of the first input that the
    operator is called with; empty: all. ``close`` widens the allowed difference by a factor, with its reason beside it.
    ``steps`` is by how much integers may differ, where a quantised value lies between two of them. ``include`` are
    folders of headers of other packages (added_packages.py).
    """

    arguments: Callable[..., dict[str, Any]] | None = None
    golden: Callable[..., Any] | None = None
    sizes: Sequence[tuple[Any, ...]] = ((),)
    shapes: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    close: float = 1.0
    steps: int = 0
    include: tuple[str, ...] = ()

    def takes(self, column: Mapping[str, str]) -> bool:
        """Whether it is called with this column of dtypes."""
        return not self.columns or next(iter(column.values())) in self.columns


def entries_of(repository: str) -> dict[str, Operator]:
    """A repository's entries by folder, or by ``folder#OpType`` where a folder has several ops."""
    module = Path(__file__).parent / "cases" / f"{repository.replace('-', '_')}.py"
    if not module.is_file():
        return {}
    found: dict[str, Operator] = importlib.import_module(f"cases.{module.stem}").OPERATORS
    return found


class Tensors:
    """Draws tensors by the names of arguments, in the dtypes of a column: ``t.x(5, 7)``, ``t.x(5, low=0, high=1)``."""

    def __init__(self, column: Mapping[str, str], seed: str) -> None:
        self._column = column
        self._generator = torch.Generator().manual_seed(random.Random(seed).getrandbits(32))

    def __getattr__(self, name: str) -> Callable[..., torch.Tensor]:
        if name.startswith("__"):
            raise AttributeError(name)
        return self(name)

    def __call__(self, name: str) -> Callable[..., torch.Tensor]:
        """``t("self")(5, 7)`` for names that Python does not take."""
        dtype = self.dtype(name)

        def draw(*shape: int, low: float | None = None, high: float | None = None) -> torch.Tensor:
            if dtype.is_floating_point:
                base = torch.rand(shape, generator=self._generator, dtype=torch.float64)
                least, most = -2.0 if low is None else low, 2.0 if high is None else high
                return (base * (most - least) + least).to(dtype)
            if dtype == torch.bool:
                return torch.rand(shape, generator=self._generator) < 0.5
            least, most = int(0 if low is None else low), int(5 if high is None else high)
            return torch.randint(least, most, shape, generator=self._generator).to(dtype)

        return draw

    def dtype(self, name: str) -> torch.dtype:
        """The dtype of an argument."""
        word = self._column[name]
        return DTYPES.get(word) or getattr(torch, word)


def on_host(values: Sequence[int], dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """A tensor that stays on the host: the host code reads its values."""
    made = torch.tensor(list(values), dtype=dtype)
    made.stays_on_host = True  # type: ignore[attr-defined]
    return made


def lies_close(result: Any, golden: Any, dtype: str, entry: Operator) -> str | None:
    """What differs, in words; None if nothing does. Lists are compared item by item."""
    if golden is None:
        return None
    if isinstance(result, list):
        wrong = [lies_close(one, other, dtype, entry) for one, other in zip(result, golden, strict=True)]
        return next(filter(None, wrong), None)
    if tuple(result.shape) != tuple(golden.shape):
        return f"shape {list(result.shape)}, golden {list(golden.shape)}"
    actual, exact = result.double(), golden.double()
    if not exact.numel():
        return None
    scale = exact[exact.isfinite()].abs().max().item() if exact.isfinite().any() else 1.0
    limit = entry.close * CLOSE.get(dtype, 0.0)
    alike = (actual == exact) | (actual.isnan() & exact.isnan())
    near = (actual - exact).abs() <= limit * torch.maximum(exact.abs(), torch.tensor(scale * 2**-3))
    near |= (actual - exact).abs() <= (0 if dtype in CLOSE else entry.steps)
    wrong_ones = ~(alike | near)
    if not wrong_ones.any():
        return None
    at = wrong_ones.flatten().nonzero()[0].item()
    count = int(wrong_ones.sum())
    made, meant = actual.flatten()[at].item(), exact.flatten()[at].item()
    return f"{count} of {exact.numel()} differ, first [{at}] {made:.6g} for {meant:.6g}"
