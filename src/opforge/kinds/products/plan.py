"""Plans an op with matrix products: the products on cube cores, the epilogue on vector cores.

Sources of the limits: the Ascend C documentation (page TCubeTiling, tuning) recommends 128 x 256 as baseM x baseN,
which fills L0C, as 256 x 128 does. An AI Core of the A2 and A3 products is one cube core with two vector cores. For
ascend310p: "Matmul usage", whose table 2 has a row for each combination of data types, and "SetLocalWorkspace".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.errors import PlanError
from opforge.frozen import dataclass
from opforge.ir.product_shapes import ProductShape
from opforge.kinds.products.cube_results import written_by_cubes
from opforge.plan.coupled import check_vector, coupled
from opforge.plan.lowering import lower
from opforge.plan.vector import arguments_of, check_socs, rows_of, vector_plan
from opforge.plan.vector_model import Argument, Arguments, HostScalar, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opforge.ir.graph import Graph
    from opforge.soc import Soc
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec

# The largest tile of the output, rows and columns: in float32 it fills the L0C buffer of the A2 and A3 products. Where
# the right operand is stored transposed, a tile may have more rows and fewer columns.
BASE_M = 128
BASE_N = 256
_TALL_M = 256
TILE_ELEMENTS = BASE_M * BASE_N
# Tiles per vector core in the user workspace: the cube core fills one while the vector core reads the other.
SLOTS = 2
# Buffers per product in which vector cores load parts of it: while one is added, the next one arrives.
PART_BUFFERS = 2
# What to do where cores cannot share the sums of a product.
_UNSHARED = "remove batch_invariant: false"
_APART = (
    f"{_UNSHARED}, or make an op of the products alone, with batch_invariant: false, and compute the rest in a second "
    "op"
)
# The only operand dtype for which ascend310p gives float32 products.
_OPERANDS = "float16"
# The UB in which the Matmul of ascend310p converts formats: twice the largest matrix, a float32 tile of C.
PRODUCT_TILE = (128, 128)
PRODUCT_RESERVE = 2 * PRODUCT_TILE[0] * PRODUCT_TILE[1] * 4


def most_rows(transposed: tuple[bool, bool]) -> int:
    """The most rows of a tile, by whether the left and the right operand are stored transposed."""
    return _TALL_M if transposed[1] else BASE_M


@dataclass(frozen=True)
class Product:
    """A matrix product: its name and its operands."""

    name: str
    left: str
    right: str


@dataclass(frozen=True)
class MatmulPlan(Arguments):
    """The plan of one op with products.

    ``epilogue`` is a plan of vector instructions like an elementwise op's. Its inputs are the products, float32, and
    then the tensors that the epilogue reads; its outputs are the op's.
    """

    op_type: str
    arguments: tuple[Argument, ...]  # in declaration order; ``moved``: the epilogue reads or writes it
    multiplications: tuple[Product, ...]
    shape: ProductShape
    epilogue: Plan
    results: tuple[str, ...]  # of ``multiplications``, if the cube cores write them; otherwise empty
    biases: tuple[str, ...]  # the row vectors with which the sums of ``results`` begin; empty if there are none
    shares_sums: bool  # cores may share the sums of a product, whose order then depends on its shape

    @property
    def cubes_alone(self) -> bool:
        """Whether the cube cores write the results themselves: nothing but a bias follows the products."""
        return bool(self.results)

    @property
    def widens_bias(self) -> bool:
        """Whether vector cores widen a bias for the cube cores, for at least one combination of dtypes."""
        return any("bfloat16" in each.dtypes for each in self.inputs if each.name in self.biases)

    @property
    def products(self) -> int:
        """The number of products in a tile."""
        return len(self.multiplications)

    @property
    def coupled(self) -> bool:
        """Whether at least one SoC has cores that combine a cube and a vector core."""
        return self.epilogue.coupled

    @property
    def scalars(self) -> tuple[HostScalar, ...]:
        """The scalars that the host computes for the epilogue."""
        return self.epilogue.scalars

    @property
    def optional(self) -> tuple[tuple[str, float], ...]:
        """The optional inputs, and the numbers that replace them."""
        return self.epilogue.optional

    @property
    def base_m(self) -> int:
        """The most rows of a tile."""
        return most_rows(self.shape.transposed)

    @property
    def slot_bytes(self) -> int:
        """Bytes of a full tile of all products."""
        return self.products * TILE_ELEMENTS * 4


def plan_products(op: OpSpec, graph: Graph, shape: ProductShape, socs: tuple[Soc, ...]) -> MatmulPlan:
    """The plan of an op with products for all ``socs``, which share the kernel's source.

    Raises PlanError, with the numbers, for a SoC or dtype that such kernels do not support, for more tensors than queue
    buffers, and for an expression whose smallest tile exceeds the unified buffer.
    """
    rows = rows_of(op, socs)
    check_socs(op, rows, socs)
    lowered = lower(graph)
    arguments = arguments_of(op, lowered)
    operands = [[graph[place].name or "" for place in product.operands] for product in graph.products]
    columns = len(arguments[0].dtypes)
    products = tuple(Argument(p.name or "", ("float32",) * columns) for p in graph.products)
    results, biases = written_by_cubes(op, graph, shape, arguments, socs)
    moved = tuple(a for a in arguments if a.moved)
    plan = MatmulPlan(
        op_type=op.type,
        arguments=arguments,
        multiplications=tuple(
            Product(p.name, left, right) for p, (left, right) in zip(products, operands, strict=True)
        ),
        shape=shape,
        epilogue=vector_plan(
            op,
            (*products, *moved),
            lowered,
            socs,
            reads="inputs and products",
            set_aside={soc.name: PRODUCT_RESERVE for soc in coupled(socs)},
        ),
        results=results,
        biases=biases,
        shares_sums=not op.batch_invariant,
    )
    _check_operands(plan, socs, rows)
    if plan.shares_sums and coupled(socs):
        raise order_error(op, socs)
    _check_queues(op, plan, socs)
    places = [place for place, argument in enumerate(arguments) if argument.moved]
    floats = ("float32",) * len(products)
    kept = {soc: tuple((*floats, *(row[place] for place in places)) for row in those) for soc, those in rows.items()}
    check_vector(plan.epilogue, socs, kept)
    return plan


def order_error(op: OpSpec, socs: Iterable[Soc]) -> PlanError:
    """The error for ``batch_invariant: false`` of an op whose kernel cannot share the sums of a product."""
    rows = "rows over the last dimension are computed from its products"
    why, hint = next(((f"{soc.name} has no kernel for it", _UNSHARED) for soc in coupled(socs)), (rows, _APART))
    return PlanError(
        f"{op.type} has batch_invariant: false, which lets cores share the sums of a product, but {why}", hint=hint
    )


def _check_queues(op: OpSpec, plan: MatmulPlan, socs: Iterable[Soc]) -> None:
    """Raises PlanError if there are too few queue buffers for the parts of products, which arrive in queues."""
    if not plan.shares_sums or plan.cubes_alone:
        return
    loaded = sum(plan.epilogue.buffers_of(a) for a in plan.epilogue.inputs if a.moved) + PART_BUFFERS * plan.products
    for soc in socs:
        if loaded > soc.queue_buffers:
            raise PlanError(
                f"{op.type} has batch_invariant: false: its inputs, products and their parts need {loaded} queue "
                f"buffers at VECIN, but {soc.name} has {soc.queue_buffers}",
                hint=_APART,
            )


def _check_operands(plan: MatmulPlan, socs: Iterable[Soc], rows: dict[str, tuple[Row, ...]]) -> None:
    """Raises PlanError for operands that the Matmul of a SoC does not support."""
    matrices = {*plan.shape.left, *plan.shape.right}
    for soc in coupled(socs):
        for row in rows[soc.name]:
            for argument, dtype in zip(plan.arguments, row, strict=True):
                if argument.name in matrices and dtype != _OPERANDS:
                    raise PlanError(
                        f"{plan.op_type} cannot be generated for {soc.name}: {argument.name} is {dtype}, "
                        f"but its Matmul computes float32 products of {_OPERANDS} only",
                        hint=f"give {soc.name} its own dtypes: "
                        f"overrides: {{{soc.name}: {{{argument.name}: [{_OPERANDS}]}}}}",
                    )
