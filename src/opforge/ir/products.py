"""Names an op's matrix products, for its kernel and for the op that computes its gradients.

``gate = x @ w_gate`` is ``gate``; in ``silu(x @ w_gate)`` the weight gives the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opforge.naming import lower_camel, snake
from opforge.spec.check.names import check_variable
from opforge.spec.model import OpSpec
from opforge.spec.source import option_token
from opforge.spec.tree import Compute, Product

_PREFIXES = ("w_", "weight_")


def product_names(op: OpSpec, compute: Compute) -> Mapping[Product, str]:
    """A unique name for each product, also in aclnn's spelling: no tensor, attribute, gradient or value has it."""
    outputs = {t.name for t in op.outputs}
    tensors = [*(t.name for t in op.inputs), *outputs]
    taken = {*tensors, *(f"grad_{name}" for name in tensors), *(a.name for a in op.attrs)}
    taken |= {snake(op.type), snake(f"{op.type}Grad")}
    spelled = {lower_camel(name) for name in taken}
    local: dict[Product, str] = {}
    for assignment in compute.assignments:
        if isinstance(assignment.value, Product):
            local.setdefault(assignment.value, assignment.name)
    own: set[str] = set()
    for name in local.values():
        if _free(name, spelled):
            own.add(name)
            spelled |= {lower_camel(name), lower_camel(f"grad_{name}")}
    spelled |= {lower_camel(a.name) for a in compute.assignments}
    names: dict[Product, str] = {}
    for product in compute.products:
        mine = local.get(product)
        if mine is not None and mine in own:
            names[product] = mine
            continue
        name = next(w for w in _wanted(product.right.name) if _free(w, spelled))
        spelled |= {lower_camel(name), lower_camel(f"grad_{name}")}
        names[product] = name
    return names


def _wanted(right: str) -> Iterator[str]:
    """Candidates for a name, from the right operand, best first; an infinite sequence."""
    yield from (right.removeprefix(prefix) for prefix in _PREFIXES if right.startswith(prefix))
    yield f"{right}_product"
    number = 2
    while True:
        yield f"{right}_product{number}"
        number += 1


def _free(name: str, spelled: set[str]) -> bool:
    if {lower_camel(name), lower_camel(f"grad_{name}")} & spelled:
        return False
    return not check_variable(option_token("", name), "product")
