"""Chooses the torch.autocast rule of each op, and the rules that a package's _autocast.py contains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.render.torch.signature import Signature
from opforge.spec.arguments import input_kind


@dataclass(frozen=True)
class AutocastForm:
    """Context of ``code/torch/python/_autocast.py``: which rules it defines."""

    package: str
    follows: bool
    promotes: bool
    casts: bool
    derivatives: bool


def autocast_rule(signature: Signature) -> str:
    """The line of _ops.py that registers an op's rule; empty if the op has no rule.

    Three groups of ops have none: ops that write to an argument (a cast would lose the result), ops with at most one
    floating-point tensor, and kernels of derivatives (they run outside autocast).
    """
    if signature.written or signature.gradient_of is not None:
        return ""
    floating = [
        tensor
        for tensor in signature.op.inputs
        if input_kind(tensor) in ("tensor", "tensors") and any(DTYPES[name].floating for name in tensor.dtypes)
    ]
    follows = signature.kernel.torch.autocasts
    rule = "follow_autocast" if follows else "promote_in_autocast"
    several = follows or len(floating) > 1 or any(tensor.dynamic for tensor in floating)
    return rule if several else ""


def autocast_context(package: str, signatures: Sequence[Signature], differentiable: Iterable[str]) -> AutocastForm:
    """The context for all ops of a project. ``differentiable`` has the types of ops with a derivative."""
    rules = [autocast_rule(signature) for signature in signatures]
    follows, promotes = (any(name in rule for rule in rules) for name in ("follow_autocast", "promote_in_autocast"))
    return AutocastForm(package, follows, promotes, follows or promotes, any(True for _ in differentiable))
