"""Verifies the rules of the kernel IR; runs after every pass."""

from __future__ import annotations

import math

from opforge.errors import InternalError
from opforge.ir.graph import BINARY, COMPARE, INTEGER, MEASURES, TERNARY, UNARY, Graph, Node
from opforge.spec.language import INTEGER_ONLY, REDUCTIONS, TOTALS

_ARITY = {
    **dict.fromkeys((*UNARY, *REDUCTIONS, *TOTALS), 1),
    **dict.fromkeys((*BINARY, *INTEGER_ONLY, *COMPARE, "max_first", "min_first"), 2),
    **dict.fromkeys(TERNARY, 3),
    "bitwise_not": 1,
    "cast": 1,
    "input": 0,
    "attr": 0,
    "says": 0,
    "const": 0,
    "matmul": 2,
    "given_or": 1,
    "size": 1,
    "rows": 1,
    "arange": 1,
}
_NAMED = ("input", "attr", "says", "matmul")
_VALUED = ("const", "given_or")
STORAGE = "storage"
COMPUTE = "float32"
WHOLE = "int32"
_COMPUTED = (COMPUTE, WHOLE)


def verify(graph: Graph) -> None:
    """Check every rule of ``Node`` and ``Graph``.

    Raises:
        InternalError: a node breaks a rule. This is a bug in opforge, since users do not write graphs.
    """
    sources: set[tuple[str, str, str]] = set()
    for place, node in enumerate(graph.nodes):
        broken = _broken(graph, place, node)
        if broken is None and node.op in _NAMED:
            attr = node.op == "attr"  # may be used in either dtype
            name = f"{node.name}{node.subscript}"
            source = "attr" if attr else "tensor", name, node.dtype if attr else node.text or ""
            broken = f"{node.op} {name} appears twice" if source in sources else None
            sources.add(source)
        if broken is not None:
            raise InternalError(f"kernel IR: node {place} ({node.op}): {broken}")
    _verify_outputs(graph)


def _broken(graph: Graph, place: int, node: Node) -> str | None:
    if node.id != place:
        return f"its id is {node.id}"
    if node.op not in _ARITY:
        return "unknown operator"
    return _broken_fields(node) or _broken_operands(graph, place, node)


def _broken_fields(node: Node) -> str | None:
    if (node.name is None) == (node.op in _NAMED):
        return "inputs, attributes and products must have a name, and no other node may have one"
    if (node.value is None) == (node.op in _VALUED):
        return "constants and optional inputs must have a value, and no other node may have one"
    if node.value is not None and (math.isnan(node.value) or (math.isinf(node.value) and node.op != "const")):
        return f"the value {node.value} is not finite"
    if node.axis is not None and node.op != "size":
        return "only sizes have an axis"
    if (node.text is None) == (node.op == "says") and (node.text is None or (node.op, node.dtype) != ("cast", WHOLE)):
        return "a comparison with a text must have one, and no other node but casts to narrow integers may have one"
    if node.element is not None and node.op != "attr":
        return "only attributes have elements"
    if node.op != "matmul" and node.transposed != (False, False):
        return "only products have transposed operands"
    return None


def _broken_operands(graph: Graph, place: int, node: Node) -> str | None:
    if len(node.operands) != _ARITY[node.op]:
        return f"it has {len(node.operands)} operands, but takes {_ARITY[node.op]}"
    if any(not 0 <= operand < place for operand in node.operands):
        return f"operands {node.operands} do not all come before it"
    operands = [graph.nodes[operand] for operand in node.operands]
    if node.op == "matmul" and any(o.op != "input" for o in operands):
        return "the operands of a product must be stored inputs"
    if node.op == "given_or" and (operands[0].op != "cast" or graph.nodes[operands[0].operands[0]].op != "input"):
        return "only inputs can be optional"
    if node.op in MEASURES and operands[0].op != "input":
        return "only stored inputs have sizes"
    if node.op == "arange":
        wrong = node.dtype != COMPUTE or node.scalar or not graph.axes.single
        return "it must be a float32 tensor along rows of one dimension" if wrong else None
    if node.op in ("max_first", "min_first") and operands[1].op != "arange":
        return "its second operand must be the numbers of the elements"
    return _broken_type(node, operands)


def _broken_type(node: Node, operands: list[Node]) -> str | None:
    if node.dtype not in (STORAGE, *_COMPUTED):
        return f"no operator computes in {node.dtype}"
    if node.op == "input":
        return None if node.dtype == STORAGE and not node.scalar else "an input must be a tensor of its storage dtype"
    if node.op in ("attr", "says", "const", "size", "rows"):
        return _broken_scalar(node)
    if node.op == "cast":
        return (
            None
            if (node.text or node.dtype != operands[0].dtype) and node.scalar == operands[0].scalar
            else "the cast changes nothing"
        )
    wide = operands[1:] if node.op == "where" else operands if node.op != "matmul" else []
    dtypes = {o.dtype for o in wide}
    made = {COMPUTE} if node.op in COMPARE or not wide else dtypes
    masks = operands[:1] if node.op == "where" else []
    if dtypes and dtypes not in _computed_in(node.op):
        return "operators compute in float32, some in int32, and need explicit casts around them"
    if {node.dtype} != made or any(mask.dtype != COMPUTE for mask in masks):
        return "operators compute in float32, some in int32, and masks are float32"
    if node.scalar != all(o.scalar for o in operands):
        return "it must be a scalar if and only if all its operands are"
    if node.op in (*REDUCTIONS, *TOTALS) and node.scalar:
        return "only tensors have rows"
    if node.op == "where" and operands[0].scalar and not node.scalar:
        return "its condition must be a tensor"
    return None


def _computed_in(op: str) -> tuple[set[str], ...]:
    """The dtypes of the operands of an operator."""
    if op in INTEGER_ONLY:
        return ({WHOLE},)
    return ({COMPUTE}, {WHOLE}) if op in INTEGER else ({COMPUTE},)


def _broken_scalar(node: Node) -> str | None:
    if node.dtype not in _COMPUTED or not node.scalar:
        return "it must be a float32 or int32 scalar"
    if node.dtype == WHOLE and node.value is not None and not (node.value.is_integer() and abs(node.value) <= 2**31):
        return f"the value {node.value} is not a valid int32"
    return None


def _verify_outputs(graph: Graph) -> None:
    names = [output.name for output in graph.outputs]
    if not names or len(set(names)) < len(names):
        raise InternalError(f"kernel IR: outputs must be one or more distinct names, not {names}")
    for output in graph.outputs:
        if not 0 <= output.node < len(graph.nodes):
            raise InternalError(f"kernel IR: output {output.name} names node {output.node}, which does not exist")
        node = graph.nodes[output.node]
        if node.op != "cast" or node.dtype != STORAGE:
            raise InternalError(f"kernel IR: output {output.name} is not cast to its storage dtype")
    used = {operand for node in graph.nodes for operand in node.operands} | {output.node for output in graph.outputs}
    if len(used) < len(graph.nodes):
        dead = next(node for node in graph.nodes if node.id not in used)
        raise InternalError(f"kernel IR: node {dead.id} ({dead.op}) is unused")
