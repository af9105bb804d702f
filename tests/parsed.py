"""Ops of tests that are made in memory, with their expressions parsed as those of a spec are."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from opforge.errors import SpecError
from opforge.ir.builder import GraphBuilder
from opforge.ir.graph import Graph
from opforge.ir.op_graphs import build_graph
from opforge.spec import compute
from opforge.spec.compute import parse_compute, parse_statements
from opforge.spec.model import OpSpec


def parsed(op: OpSpec) -> OpSpec:
    """The op with the tree of its ``compute``. Raises SpecError for a text that is not an expression."""
    inputs = {tensor.name: tensor.dtypes for tensor in op.inputs}
    attrs = {attr.name: attr.type for attr in op.attrs}
    optional = frozenset(tensor.name for tensor in op.inputs if tensor.optional)
    outputs = tuple(tensor.name for tensor in op.outputs)
    dims = {tensor.name: tensor.dimensions for tensor in op.inputs}
    tree = parse_compute(parse_statements(op.passage), inputs, attrs, outputs, optional=optional, dims=dims)
    if tree.problems:
        raise SpecError(tree.problems)
    known = tuple(replace(tensor, unsqueezed=tensor.name in tree.unsqueezed) for tensor in op.inputs)
    return replace(op, inputs=known, tree=tree)


def graph_of(op: OpSpec) -> Graph:
    """The graph of an op that is made in memory."""
    return build_graph(parsed(op))


def counted(patch: pytest.MonkeyPatch) -> Counter[str]:
    """How many expressions are parsed, by their texts, and graphs begun from now on."""
    counts: Counter[str] = Counter()
    begin, parse = GraphBuilder.__init__, ast.parse

    def begun(self: GraphBuilder) -> None:
        counts["graphs"] += 1
        begin(self)

    def read(text: str) -> object:
        counts[text] += 1
        return parse(text)

    patch.setattr(GraphBuilder, "__init__", begun)
    patch.setattr(compute, "ast", SimpleNamespace(**{**vars(ast), "parse": read}))
    return counts
