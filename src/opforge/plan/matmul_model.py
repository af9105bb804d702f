"""What a plan of an op with matrix products says: its products on the cube cores, its epilogue on the vector cores.

Sources of the limits: the tile of 128 x 256 is what the Ascend C documentation recommends as baseM x baseN (page
TCubeTiling, tuning) and fills L0C; one AI Core of the A2 and A3 products is one cube core with two vector cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from opforge.ir.product_shapes import ProductShape
from opforge.plan.handwritten import HandwrittenPlan
from opforge.plan.model import Argument, Arguments, HostScalar, Plan

# Most rows and columns of a tile of the output: float32, it fills the L0C buffer of the A2 and A3 products.
BASE_M = 128
BASE_N = 256
# Tiles that a vector core has in the user workspace: one is filled by the cube core while the other is read.
SLOTS = 2


@dataclass(frozen=True)
class Product:
    """One matrix product: its name, and the inputs it multiplies."""

    name: str
    left: str
    right: str


@dataclass(frozen=True)
class MatmulPlan(Arguments):
    """How one op with products runs.

    ``epilogue`` is a plan of vector instructions like an elementwise op's. Its inputs are the products, float32, and
    then the tensors that the epilogue reads; its outputs are the op's.
    """

    op_type: str
    arguments: tuple[Argument, ...]  # of the kernel, in declaration order; ``moved``: the epilogue reads or writes it
    multiplications: tuple[Product, ...]
    shape: ProductShape
    epilogue: Plan
    base_m: int = BASE_M
    base_n: int = BASE_N

    @property
    def products(self) -> int:
        """How many products a tile has."""
        return len(self.multiplications)

    @property
    def coupled(self) -> bool:
        """Whether one of its SoCs has cube and vector core in one."""
        return self.epilogue.coupled

    @property
    def scalars(self) -> tuple[HostScalar, ...]:
        """Numbers that the host computes for the epilogue."""
        return self.epilogue.scalars

    @property
    def optional(self) -> tuple[tuple[str, float], ...]:
        """Inputs that may be missing, and the number that stands for each then."""
        return self.epilogue.optional

    @property
    def slot_bytes(self) -> int:
        """Bytes of a whole tile of all products."""
        return self.products * self.base_m * self.base_n * 4


AnyPlan = Plan | MatmulPlan | HandwrittenPlan
