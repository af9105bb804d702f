"""The torch side of a project: adapter, Python package, tests, benchmarks."""

from __future__ import annotations

from opforge.render.torch.torch_side import render_torch

__all__ = ["render_torch"]
