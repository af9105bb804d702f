"""LLaMA blocks whose norms, softmax and gated activation are generated ops, trained on the NPU beside PyTorch's own.

In the project's folder, after `opforge install`:  opforge run -- python block.py

A stack of blocks is trained twice from the same weights on the same data: on the CPU with PyTorch's operators, and on
the NPU with the project's. At each step both start from the same weights. Losses and gradients must agree.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import llama_block
import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor, nn
from torch.nn import functional

HIDDEN, HEADS, INTERMEDIATE, LAYERS = 96, 4, 160, 2
BATCH, LENGTH, STEPS = 2, 19, 6
# Of float32 rounded at other places: of the value, and of the largest value of a tensor.
RELATIVE, ABSOLUTE = 2**-10, 2**-13


class Plain:
    """The functions of a block, by PyTorch's own operators."""

    @staticmethod
    def rms_norm(x: Tensor, gamma: Tensor) -> Tensor:
        return functional.rms_norm(x, (x.shape[-1],), gamma, 1e-6)

    @staticmethod
    def add_rms_norm(x: Tensor, residual: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor]:
        total = x + residual
        return functional.rms_norm(total, (x.shape[-1],), gamma, 1e-6), total

    @staticmethod
    def masked_softmax(scores: Tensor, mask: Tensor, scale: float) -> Tensor:
        return functional.softmax(scores * scale + mask, -1)

    @staticmethod
    def silu_mul(gate: Tensor, up: Tensor) -> Tensor:
        return functional.silu(gate) * up


class Block(nn.Module):
    """Attention and a gated MLP, each after a norm; ``ops`` has the functions that are generated or PyTorch's own."""

    def __init__(self, ops: Any) -> None:
        super().__init__()
        self.ops = ops
        self.attention_norm = nn.Parameter(torch.ones(HIDDEN))
        self.mlp_norm = nn.Parameter(torch.ones(HIDDEN))
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(HIDDEN, INTERMEDIATE, bias=False) for _ in range(2))
        self.down = nn.Linear(INTERMEDIATE, HIDDEN, bias=False)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``x`` is [batch, length, hidden]; ``mask`` is [length, length], added to the scores."""
        h = self.ops.rms_norm(x, self.attention_norm)
        q, k, v = (self._heads(layer(h)) for layer in (self.query, self.key, self.value))
        weights = self.ops.masked_softmax(torch.matmul(q, k.transpose(-1, -2)), mask, 1 / math.sqrt(HIDDEN // HEADS))
        attended = torch.matmul(weights, v).transpose(1, 2).reshape(x.shape)
        h, total = self.ops.add_rms_norm(self.out(attended), x, self.mlp_norm)
        return total + self.down(self.ops.silu_mul(self.gate(h), self.up(h)))

    @staticmethod
    def _heads(x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], HEADS, HIDDEN // HEADS).transpose(1, 2)


class Model(nn.Module):
    """A stack of blocks, and a norm."""

    def __init__(self, ops: Any) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(ops) for _ in range(LAYERS))
        self.norm = nn.Parameter(torch.ones(HIDDEN))
        self.ops = ops

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x, mask)
        return self.ops.rms_norm(x, self.norm)


def step(model: nn.Module, x: Tensor, wanted: Tensor, mask: Tensor) -> tuple[float, dict[str, Tensor]]:
    """The loss, and the gradients by name."""
    model.zero_grad()
    loss = functional.mse_loss(model(x, mask), wanted)
    loss.backward()
    return loss.item(), {name: p.grad.cpu() for name, p in model.named_parameters() if p.grad is not None}


def main() -> None:
    """Trains, compares at each step, and prints the losses."""
    torch.manual_seed(0)
    plain = Model(Plain)
    generated = Model(llama_block)
    generated.load_state_dict(copy.deepcopy(plain.state_dict()))
    generated.to("npu")
    mask = torch.full((LENGTH, LENGTH), -math.inf).triu(1)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.5)
    x, wanted = torch.randn(2, BATCH, LENGTH, HIDDEN)
    losses = []
    for number in range(STEPS):
        loss, gradients = step(plain, x, wanted, mask)
        found, others = step(generated, x.npu(), wanted.npu(), mask.npu())
        assert math.isclose(found, loss, rel_tol=RELATIVE), f"step {number}: loss {found}, PyTorch's own is {loss}"
        assert gradients.keys() == others.keys()
        for name, gradient in gradients.items():
            bound = ABSOLUTE * float(gradient.abs().max())
            text = f"step {number}, {name}: ".__add__
            torch.testing.assert_close(others[name], gradient, rtol=RELATIVE, atol=bound, msg=text)
        losses.append(loss)
        optimizer.step()
        generated.load_state_dict(plain.state_dict())
    assert losses == sorted(losses, reverse=True), f"the losses do not fall: {losses}"
    assert losses[-1] < 0.9 * losses[0]
    print("losses", " ".join(f"{loss:.4f}" for loss in losses))  # noqa: T201


if __name__ == "__main__":
    main()
