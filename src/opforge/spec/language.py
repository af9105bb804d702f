"""What the expression language has, and by which name it refuses what Python has beside it."""

from __future__ import annotations

import ast

# The functions of the language and their number of arguments.
FUNCTIONS = {
    "abs": 1,
    "exp": 1,
    "gelu_tanh": 1,
    "leaky_relu": 2,
    "max": 2,
    "min": 2,
    "relu": 1,
    "sigmoid": 1,
    "silu": 1,
}
# Words that mean something in one form only: see GIVEN_OR.
FORMS = ("present", "where")
ACCEPTED = f"accepted are + - * /, unary -, `@` of inputs, numbers, and {', '.join(FUNCTIONS)}"
OPERANDS = "the operands of `@` are inputs, or an input's `.T`"
GIVEN_OR = "an optional input stands as `where(present(bias), bias, 0.0)`, with a number for where it is not given"

FLOAT32_MAX = 3.4028234663852886e38  # finite; the type that kernels compute in


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of the language to come: refused as "not supported yet", not as unknown.
LATER = _words(
    """ceil clamp cos cumsum erf exp2 floor gelu log log1p log2 max_over mean min_over norm pow prod round rsqrt sign
    sin softmax softplus sqrt square sum tanh trunc"""
)
# What to take in the place of some of them.
INSTEAD = {"gelu": "`gelu_tanh` is its tanh approximation, which torch calls `approximate='tanh'`"}
SPELLED = {
    "maximum": "max",
    "minimum": "min",
    "fabs": "abs",
    "swish": "silu",
    "expit": "sigmoid",
    "logistic": "sigmoid",
    "gelu_new": "gelu_tanh",
    "leakyrelu": "leaky_relu",
    "prelu": "leaky_relu",
}

BINARY: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
NO_OPERATOR: dict[type[ast.operator], tuple[str, str]] = {
    ast.Pow: ("powers (`**`) are not supported yet", "write `x * x` for a square"),
    ast.FloorDiv: ("floor division (`//`) is not supported yet", ACCEPTED),
    ast.Mod: ("the remainder (`%`) is not supported yet", ACCEPTED),
    ast.BitAnd: ("bitwise and (`&`) is not supported", ACCEPTED),
    ast.BitOr: ("bitwise or (`|`) is not supported", ACCEPTED),
    ast.BitXor: ("`^` is not supported", "a power is `**` in Python, and not supported yet either: write `x * x`"),
    ast.LShift: ("shifts (`<<`) are not supported", ACCEPTED),
    ast.RShift: ("shifts (`>>`) are not supported", ACCEPTED),
}
NO_NODE: dict[type[ast.AST], tuple[str, str]] = {
    ast.Compare: ("comparisons are not supported yet", ACCEPTED),
    ast.IfExp: ("`if ... else` is not supported", "`max` and `min` can often say it"),
    ast.BoolOp: ("`and` and `or` are not supported", ACCEPTED),
    ast.Subscript: ("indexing (`[...]`) is not supported yet", ACCEPTED),
    ast.Lambda: ("`lambda` is not supported", ACCEPTED),
    ast.NamedExpr: ("`:=` is not supported", "give the value a line of its own"),
    ast.JoinedStr: ("text is not supported", ACCEPTED),
    ast.List: ("lists are not supported", ACCEPTED),
    ast.Tuple: ("a tuple is not supported here", "several outputs: `y, z = x + 1, x * 2`"),
    ast.Starred: ("`*` before a name is not supported", ACCEPTED),
}
NO_UNARY: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.Not: ("`not` is not supported", ACCEPTED),
    ast.Invert: ("`~` is not supported", ACCEPTED),
}
