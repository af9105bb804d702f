"""How the inputs of a graph are loaded in torch source: the dtypes that values are computed in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.ir.legality import WHOLE
from opforge.render.torch.spelling import LONGEST_LINE, Names
from opforge.render.torch.statements import Statements
from opforge.spec.model import OpSpec
from opforge.spec.value_kinds import kinds_of


@dataclass(frozen=True)
class Loads:
    """How inputs are loaded: ``wide`` are cast to floats, ``whole`` to int32; masks stay bool and int32 stays int32."""

    wide: tuple[str, ...]
    whole: tuple[str, ...]
    masks: frozenset[str]


def loads(op: OpSpec, graph: Graph, names: Iterable[str]) -> Loads:
    """How the inputs of a graph are loaded. Names that are not inputs of the op are floats."""
    dtypes = {tensor.name: tensor.dtypes for tensor in op.inputs}
    given = tuple(names)
    masks = frozenset(name for name in given if kinds_of(dtypes.get(name, ())) == ("mask",))
    casts = (node for node in graph.nodes if node.op == "cast" and node.dtype == WHOLE)
    ints = {graph[node.operands[0]].name for node in casts if graph[node.operands[0]].op == "input"}
    wide = tuple(name for name in given if name not in masks and name not in ints)
    return Loads(wide, tuple(name for name in given if name in ints and set(dtypes[name]) != {"int32"}), masks)


def load(body: Statements, come: Loads, wide: str) -> None:
    """Turns tensors into the dtypes that values are computed in; ``wide`` is that of floats."""
    _widen(body, come.wide, wide)
    _widen(body, come.whole, "torch.int32")


def _widen(body: Statements, names: Sequence[str], wide: str) -> None:
    each = [f"{name}.to({wide})" for name in names]
    targets, values = ", ".join(names), ", ".join(each)
    if len(f"{targets} = {values}") > LONGEST_LINE:
        for name, value in zip(names, each, strict=True):
            body.assign(name, value)
    elif names:
        body.assign(targets, values)


def wrapping_dtypes(graph: Graph) -> tuple[str, ...]:
    """The dtypes of tensors that integers wrap around in, each as ``x.dtype``."""
    texts = (node.text for node in graph.nodes if node.op == "cast" and node.text is not None)
    return tuple(dict.fromkeys(text for text in texts if "." in text))


def kept_dtypes(graph: Graph, local: Names) -> tuple[Statements, dict[str, str]]:
    """Statements that keep the dtypes of tensors that integers wrap around in, and the names by ``x.dtype``."""
    body, made = Statements(), {}
    for text in wrapping_dtypes(graph):
        made[text] = local.new(text.replace(".", "_"))
        body.assign(made[text], text)
    return body, made
