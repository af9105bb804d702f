"""The feed-forward half of LLaMA layers, before and after fusion, trained side by side on the NPU.

In the project's folder, after `opforge install`:  opforge run -- python llama_mlp/llama_mlp.py

A stack of blocks of nn.Linear, as published models have them, is trained four times, from the same weights on the same data:
as it is and after `swiglu.fuse(model)`, in float32; then as it is and written with the module `swiglu.SwiGLU`, both under
autocast to bfloat16, the module under torch.compile besides. The losses must fall, and agree with those of PyTorch's own
operators at every step.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional

import swiglu

# How far the losses may be apart, as rtol and atol: for float32 what the experimental precision standard of CANN's operator
# base (opbase, ops_precision_standard) says, for bfloat16 a unit in its last place. Both sides round at other places, and
# each step of training starts from the weights of the last.
FLOAT32, BFLOAT16 = (2**-10, 2**-16), (2**-8, 2**-16)


class LlamaMlp(nn.Module):
    """``x + down_proj(silu(gate_proj(h)) * up_proj(h))`` with ``h = norm(x)``, named as in published checkpoints."""

    def __init__(self, hidden: int, intermediate: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(hidden, eps=1e-6)
        self.gate_proj = nn.Linear(hidden, intermediate, bias=False)
        self.up_proj = nn.Linear(hidden, intermediate, bias=False)
        self.down_proj = nn.Linear(intermediate, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Four operators before down_proj, and each [..., intermediate] result between them goes through memory."""
        h = self.norm(x)
        return x + self.down_proj(functional.silu(self.gate_proj(h)) * self.up_proj(h))


class SwiGLUMlp(nn.Module):
    """The same block, written with this package's module: one kernel, gate and up exist only as tiles."""

    def __init__(self, hidden: int, intermediate: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(hidden, eps=1e-6)
        self.swiglu = swiglu.SwiGLU(hidden, intermediate)
        self.down_proj = nn.Linear(intermediate, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """What the operator leaves for PyTorch to do."""
        return x + self.down_proj(self.swiglu(self.norm(x)))

    @torch.no_grad()
    def load_plain(self, plain: LlamaMlp) -> None:
        """Takes the weights of a block of nn.Linear, which stores them as [out, in]; the operator's are [in, out]."""
        self.norm.weight.copy_(plain.norm.weight)
        self.swiglu.w_gate.copy_(plain.gate_proj.weight.T)
        self.swiglu.w_up.copy_(plain.up_proj.weight.T)
        self.down_proj.weight.copy_(plain.down_proj.weight)


@dataclass(frozen=True)
class Batch:
    """Inputs, and what another stack of the same kind, whose weights nobody sees, makes of them."""

    x: Tensor
    wanted: Tensor


def make_batches(teacher: nn.Module, count: int, rows: int, hidden: int) -> list[Batch]:
    """Random inputs on the NPU: four sequences of ``rows`` each."""
    inputs = [torch.randn(4, rows, hidden) for _ in range(count)]
    with torch.no_grad():
        return [Batch(x.to("npu"), teacher(x).to("npu")) for x in inputs]


def train(
    name: str,
    model: nn.Module,
    forward: Callable[[Tensor], Tensor],
    batches: list[Batch],
    region: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> list[float]:
    """A step of Adam for each batch. ``forward`` is the model, or what was made of it. Returns the losses."""
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    start = time.perf_counter()
    for batch in batches:
        optimizer.zero_grad()
        with region():
            y = forward(batch.x)
        loss = functional.mse_loss(y.float(), batch.wanted)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"{name}: {len(batches)} steps in {time.perf_counter() - start:.1f} s", flush=True)
    return losses


def kept_for_backward(model: nn.Module, x: Tensor) -> int:
    """How many bytes of activations a forward pass keeps for the backward pass, weights not counted."""
    weights = {parameter.data_ptr() for parameter in model.parameters()}
    kept: dict[int, int] = {}  # by address: what is saved twice is kept once

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        y = model(x)  # keeps alive what it keeps, so that no address is used twice
    total = sum(kept.values())
    del y
    return total


def main() -> None:
    """Trains all four, prints a line a step, and fails where they disagree or do not learn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--intermediate", type=int, default=688)
    parser.add_argument("--rows", type=int, default=64, help="rows of each of the four sequences of a batch")
    given = parser.parse_args()
    sizes = given.hidden, given.intermediate

    torch.manual_seed(0)
    plain, teacher = (nn.Sequential(*(LlamaMlp(*sizes) for _ in range(given.layers))) for _ in range(2))
    batches = make_batches(teacher, given.steps, given.rows, given.hidden)
    plain = plain.to("npu")
    also_plain = copy.deepcopy(plain)
    written = nn.Sequential(*(SwiGLUMlp(*sizes) for _ in plain)).to("npu")
    for block, theirs in zip(written, plain, strict=True):
        block.load_plain(theirs)
    fused, count = swiglu.fuse(copy.deepcopy(plain))
    print(f"fuse found {count} of {given.layers} MLPs in the stack of nn.Linear")
    assert count == given.layers
    before, after = (kept_for_backward(model, batches[0].x) for model in (plain, fused))

    def bfloat16() -> AbstractContextManager[object]:
        return torch.autocast("npu", dtype=torch.bfloat16)

    compiled = torch.compile(written, backend="aot_eager", fullgraph=True)
    exact = train("nn.Linear, float32", plain, plain, batches), train("after fuse, float32", fused, fused, batches)
    mixed = (
        train("nn.Linear, autocast", also_plain, also_plain, batches, bfloat16),
        train("swiglu.SwiGLU, autocast and torch.compile", written, compiled, batches, bfloat16),
    )

    shape = f"[4, {given.rows}, {given.hidden}]"
    print(f"\nlosses of {given.layers} blocks, x {shape}, intermediate size {given.intermediate}, Adam")
    print("                  float32                    autocast to bfloat16")
    print("  step     nn.Linear    after fuse     nn.Linear        SwiGLU")
    for number, losses in enumerate(zip(*exact, *mixed, strict=True), 1):
        print(f"  {number:4} " + " ".join(f"{loss:13.7f}" for loss in losses))
    print(f"saved for the backward pass, not counting weights: {before:,} bytes before fuse, {after:,} bytes after")

    for (golden, actual), (rtol, atol) in ((exact, FLOAT32), (mixed, BFLOAT16)):
        torch.testing.assert_close(actual, golden, rtol=rtol, atol=atol)
        assert actual[-1] < 0.8 * actual[0], "the loss does not fall"
    print("the losses fall, and at every step they agree with those of PyTorch's own operators within rounding")


if __name__ == "__main__":
    main()
