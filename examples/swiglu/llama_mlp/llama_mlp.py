"""The feed-forward half of a LLaMA layer, before and after fusion, trained side by side on the NPU.

In the project's folder, after `opforge install`:  opforge run -- python llama_mlp/llama_mlp.py

Both blocks start with the same weights and see the same data. The plain one is PyTorch's own operators; the fused one calls
swiglu.swiglu where the plain one has five. The losses must fall, and agree at every step.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional

import swiglu

# Of float32 in the experimental precision standard of CANN's operator base (opbase, ops_precision_standard). Both blocks
# round at other places, and each step of training starts from the weights of the last.
RTOL, ATOL = 2**-10, 2**-16


class LlamaMlp(nn.Module):
    """``x + down(silu(h @ w_gate) * (h @ w_up))`` with ``h = RMSNorm(x)``, in plain PyTorch.

    Weights are stored as [in, out]. Those of a published checkpoint are nn.Linear's, [out, in]: `from_linear` takes them.
    """

    def __init__(self, hidden: int, intermediate: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.norm = nn.Parameter(torch.ones(hidden))
        self.w_gate = nn.Parameter(torch.randn(hidden, intermediate) * hidden**-0.5)
        self.w_up = nn.Parameter(torch.randn(hidden, intermediate) * hidden**-0.5)
        self.w_down = nn.Parameter(torch.randn(intermediate, hidden) * intermediate**-0.5)

    @torch.no_grad()
    def from_linear(self, gate_proj: nn.Linear, up_proj: nn.Linear, down_proj: nn.Linear) -> None:
        """Takes the weights of the three projections as transformers' LlamaMLP names them."""
        for mine, theirs in ((self.w_gate, gate_proj), (self.w_up, up_proj), (self.w_down, down_proj)):
            mine.copy_(theirs.weight.T)

    def activation(self, h: Tensor) -> Tensor:
        """Five operators, and each [..., intermediate] result between them goes through global memory."""
        return functional.silu(h @ self.w_gate) * (h @ self.w_up)

    def forward(self, x: Tensor) -> Tensor:
        h = functional.rms_norm(x, (x.shape[-1],), self.norm, self.eps)
        return x + self.activation(h) @ self.w_down


class FusedLlamaMlp(LlamaMlp):
    """The same block and the same weights; this line is all that changes."""

    def activation(self, h: Tensor) -> Tensor:
        """One kernel: gate and up exist only as tiles."""
        return swiglu.swiglu(h, self.w_gate, self.w_up)


@dataclass(frozen=True)
class Step:
    """One step of training: its loss, and how many bytes of activations the forward pass kept for the backward pass."""

    loss: float
    kept: int


def train(block: LlamaMlp, batches: list[tuple[Tensor, Tensor]], rate: float) -> list[Step]:
    """A step of Adam for each batch of inputs and wanted outputs."""
    optimizer = torch.optim.Adam(block.parameters(), lr=rate)
    weights = {parameter.data_ptr() for parameter in block.parameters()}
    steps = []
    for x, wanted in batches:
        kept: dict[int, int] = {}  # by address: what is saved twice is kept once

        def pack(tensor: Tensor, kept: dict[int, int] = kept) -> Tensor:
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in weights:
                kept[storage.data_ptr()] = storage.nbytes()
            return tensor

        optimizer.zero_grad()
        with saved_tensors_hooks(pack, lambda tensor: tensor):
            y = block(x)
        loss = functional.mse_loss(y, wanted)
        loss.backward()
        optimizer.step()
        steps.append(Step(loss.item(), sum(kept.values())))
    return steps


def make_batches(count: int, rows: int, hidden: int, intermediate: int, device: str) -> list[tuple[Tensor, Tensor]]:
    """What another block of the same kind, whose weights nobody sees, makes of random inputs."""
    torch.manual_seed(1)
    teacher = LlamaMlp(hidden, intermediate)
    batches = []
    for _ in range(count):
        x = torch.randn(4, rows, hidden)
        with torch.no_grad():
            batches.append((x.to(device), teacher(x).to(device)))
    return batches


def main() -> None:
    """Trains both blocks, prints a line a step, and fails where they disagree or do not learn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--intermediate", type=int, default=688)
    parser.add_argument("--rows", type=int, default=64, help="rows of each of the four sequences of a batch")
    arguments = parser.parse_args()
    hidden, intermediate = arguments.hidden, arguments.intermediate

    batches = make_batches(arguments.steps, arguments.rows, hidden, intermediate, "npu")
    torch.manual_seed(0)
    plain = LlamaMlp(hidden, intermediate)
    fused = FusedLlamaMlp(hidden, intermediate)
    fused.load_state_dict(plain.state_dict())

    runs = []
    for block in (plain, fused):
        start = time.perf_counter()
        runs.append(train(block.to("npu"), batches, rate=3e-3))
        print(f"{type(block).__name__}: {arguments.steps} steps in {time.perf_counter() - start:.1f} s", flush=True)

    print(f"\nx [4, {arguments.rows}, {hidden}], intermediate size {intermediate}, float32, Adam")
    print("  step   loss, plain   loss, fused   difference")
    for number, (one, other) in enumerate(zip(*runs, strict=True), 1):
        print(f"  {number:4} {one.loss:13.7f} {other.loss:13.7f} {abs(one.loss - other.loss):12.1e}")
    before, after = (max(step.kept for step in run) for run in runs)
    print(f"kept for the backward pass, without weights: {before:,} bytes plain, {after:,} bytes fused")

    for one, other in zip(*runs, strict=True):
        torch.testing.assert_close(other.loss, one.loss, rtol=RTOL, atol=ATOL)
    for (name, mine), theirs in zip(fused.named_parameters(), plain.parameters(), strict=True):
        moved = (theirs - mine).abs().max().item()
        print(f"  largest difference of {name:6} after training: {moved:.1e}")
    assert all(run[-1].loss < 0.8 * run[0].loss for run in runs), "the loss does not fall"
    print(f"the loss falls, and is the same within {RTOL:.2g} at every step")


if __name__ == "__main__":
    main()
