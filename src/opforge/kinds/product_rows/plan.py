"""Plans an op with rows of matrix products: the products as whole matrices in the workspace, then the rows.

The products stay float32 between the two parts, so nothing is rounded that a kernel of rows would not round. The rows
are planned like those of an op whose inputs are the products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.ir.product_cut import cut_for_kernel
from opforge.kinds.products.plan import Product, order_error
from opforge.kinds.rows.plan import plan_rows
from opforge.plan.lowering import lower
from opforge.plan.vector import arguments_of
from opforge.plan.vector_model import Argument, Arguments

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.ir.product_shapes import ProductShape
    from opforge.kinds.rows.plan import RowsPlan
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class ProductRowsPlan(Arguments):
    """The plan of one op with rows of products.

    ``arguments`` are the op's, in declaration order. ``rows`` is the plan of the vector cores for ``graph``, the
    expression behind the products; its arguments are the products, float32, and the tensors that the rows read or
    write.
    """

    arguments: tuple[Argument, ...]
    multiplications: tuple[Product, ...]
    shape: ProductShape
    graph: Graph
    rows: RowsPlan


def plan_product_rows(op: OpSpec, graph: Graph, shape: ProductShape, socs: tuple[Soc, ...]) -> ProductRowsPlan:
    """The plan for all ``socs``, which share the kernel's source. Raises PlanError as ``plan_rows`` does."""
    if not op.batch_invariant:
        raise order_error(op, socs)
    behind = cut_for_kernel(graph)
    arguments = arguments_of(op, lower(behind))
    columns = len(arguments[0].dtypes)
    products = tuple(Argument(node.name or "", ("float32",) * columns) for node in graph.products)
    operands = [[graph[place].name or "" for place in node.operands] for node in graph.products]
    return ProductRowsPlan(
        arguments=arguments,
        multiplications=tuple(
            Product(product.name, left, right) for product, (left, right) in zip(products, operands, strict=True)
        ),
        shape=shape,
        graph=behind,
        rows=plan_rows(op, behind, socs, products),
    )
