"""The test of training beyond one device, of the ops that have derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.torch.signature import Signature


@dataclass(frozen=True)
class TrainingForm:
    """Context of ``code/torch/tests/test_training.py``; ``inputs`` and ``samples`` are Python source."""

    elementwise: bool
    products: bool
    inputs: str
    samples: str


def training_context(elementwise: Sequence[Signature], products: Sequence[Signature]) -> TrainingForm | None:
    """The context, None where no op of either kind has a derivative."""
    some = [any(s.op.backward and not s.written for s in signatures) for signatures in (elementwise, products)]
    if not any(some):
        return None
    inputs = [name for name, used in zip(("random_inputs", "product_inputs"), some, strict=True) if used]
    samples = [f"*{kind}_samples()" for kind, used in zip(("elementwise", "product"), some, strict=True) if used]
    return TrainingForm(some[0], some[1], ", ".join(sorted(inputs)), ", ".join(samples))
