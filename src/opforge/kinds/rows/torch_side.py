"""The part of ops with rows in the package for PyTorch."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from opforge.frozen import dataclass
from opforge.kinds.elementwise.torch_side import ElementwiseTorch
from opforge.spec.language import REDUCTIONS


@dataclass(frozen=True)
class RowsTorch(ElementwiseTorch):
    """The torch side of ops with reductions whose results have the broadcast shape of the inputs."""

    @property
    def nature(self) -> str:
        return "reductions over the last dimension, with NumPy's broadcasting rule for the others"

    @property
    def summary(self) -> str:
        return "Reductions over the last dimension, with NumPy's broadcasting rule for the others."

    def makes_shape(self, inputs: AbstractSet[str], operators: AbstractSet[str]) -> bool:
        return not operators & set(REDUCTIONS) and super().makes_shape(inputs, operators)
