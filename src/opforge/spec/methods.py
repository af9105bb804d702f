"""Rewrites torch's methods and qualified names as plain functions: ``x.exp()`` and ``torch.exp(x)`` as ``exp(x)``."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Sequence

_MODULES = frozenset(("torch", "torch.nn.functional", "torch.special", "nn.functional", "functional", "F"))
_LINALG = ("torch.linalg", "linalg")  # only its vector_norm: its norm of a matrix is another function than torch.norm
_CASTS = {"float": "float32", "half": "float16", "bfloat16": "bfloat16", "int": "int32"}  # methods that name a dtype


def as_functions(body: Sequence[ast.stmt], names: Collection[str]) -> tuple[ast.stmt, ...]:
    """The statements with plain functions, each node at the place of what it stands for.

    ``names`` are the tensors and attributes. One of these, or what the statements assign, is not the module of the same
    name. ``x.to(torch.float16)`` and ``x.half()`` are ``cast(x, float16)``, ``x.matmul(w.t())`` is ``x @ w.T``. Methods
    of unknown names stay.
    """
    nodes = [node for statement in body for node in ast.walk(statement)]
    if not any(isinstance(node, ast.Attribute) for node in nodes):
        return tuple(body)
    assigned = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    functions = _Functions({*names, *assigned})
    return tuple(functions.visit(copy.deepcopy(statement)) for statement in body)


class _Functions(ast.NodeTransformer):
    def __init__(self, values: Collection[str]) -> None:
        self.values = values

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        method = node.func
        if isinstance(method, ast.Attribute):
            first = root(method)
            if isinstance(first, ast.Name) and first.id not in self.values:
                return node
            node.func = name = _last_name(method)
            dtype = None if node.args or node.keywords else _CASTS.get(name.id)
            if dtype is not None:
                node.args = [ast.copy_location(ast.Name(dtype, ast.Load()), name)]
            if dtype is not None or name.id == "to":
                name.id = "cast"
            node.args.insert(1 if name.id == "where" else 0, method.value)
        return _product(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if self.of_module(node):
            return _last_name(node)
        return self.generic_visit(node)

    def of_module(self, node: ast.Attribute) -> bool:
        """Whether a name such as ``torch.nn.functional.gelu`` is in a module of torch."""
        first, module = root(node), ast.unparse(node.value)
        known = module in _MODULES or (module in _LINALG and node.attr == "vector_norm")
        return isinstance(first, ast.Name) and first.id not in self.values and known


def root(node: ast.expr) -> ast.expr:
    """The part before the first dot."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _product(node: ast.Call) -> ast.AST | None:
    """``x @ w`` for ``matmul(x, w)``, ``w.T`` for ``t(w)``; None for other calls."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if node.keywords:
        return None
    if name in ("matmul", "mm") and len(node.args) == 2:
        return ast.copy_location(ast.BinOp(node.args[0], ast.MatMult(), node.args[1]), node)
    if name == "t" and len(node.args) == 1:
        return ast.copy_location(ast.Attribute(node.args[0], "T", ast.Load()), node)
    return None


def _last_name(node: ast.Attribute) -> ast.Name:
    """The name behind the last dot, at its own place."""
    name = ast.copy_location(ast.Name(node.attr, ast.Load()), node)
    if node.end_lineno is not None and node.end_col_offset is not None:
        name.lineno, name.col_offset = node.end_lineno, node.end_col_offset - len(node.attr.encode())
    return name
