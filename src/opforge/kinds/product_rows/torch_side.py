"""The part of ops with rows of matrix products in the package for PyTorch."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.kinds.products.torch_side import ProductsTorch


@dataclass(frozen=True)
class ProductRowsTorch(ProductsTorch):
    """The torch side of ops with products and reductions."""

    @property
    def nature(self) -> str:
        return "matrix products and reductions over their last dimension in one kernel"

    @property
    def summary(self) -> str:
        return (
            "Matrix products and reductions over their last dimension in one kernel; "
            "leading dimensions of the first operand are rows."
        )
