"""The part of ops with rows in the package for PyTorch."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.kinds.elementwise.torch_side import ElementwiseTorch


@dataclass(frozen=True)
class RowsTorch(ElementwiseTorch):
    """The torch side of ops with reductions."""

    @property
    def nature(self) -> str:
        return f"reductions over {self.kernel.expression.axes.described}, with NumPy's broadcasting rule for the others"

    @property
    def summary(self) -> str:
        return f"R{self.nature[1:]}."

    @property
    def promise(self) -> str:
        return "A row has the same bits in every batch."
