"""The part of ops that reduce the values of all rows in the package for PyTorch."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.kinds.elementwise.torch_side import ElementwiseTorch


@dataclass(frozen=True)
class RowTotalsTorch(ElementwiseTorch):
    """The torch side of ops with reductions over rows, and then over all of them."""

    @property
    def nature(self) -> str:
        return f"reductions over {self.kernel.expression.axes.described}, and then over all rows, to one element"

    @property
    def summary(self) -> str:
        return f"R{self.nature[1:]}."

    @property
    def promise(self) -> str:
        return "A result has the same bits on any number of cores."
