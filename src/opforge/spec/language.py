"""The tables of the expression language: its functions, and names for the Python syntax that it refuses."""

from __future__ import annotations

import ast

# The functions of the language and their number of arguments.
FUNCTIONS = {
    "abs": 1,
    "clamp": 3,
    "detach": 1,
    "erf": 1,
    "exp": 1,
    "gelu": 1,
    "gelu_tanh": 1,
    "leaky_relu": 2,
    "log": 1,
    "max": 2,
    "min": 2,
    "pow": 2,
    "reciprocal": 1,
    "relu": 1,
    "rsqrt": 1,
    "sigmoid": 1,
    "sign": 1,
    "silu": 1,
    "sqrt": 1,
    "tanh": 1,
}
# Functions of rows: they read the last dimension of a tensor as a whole. Their parameters after the tensor are torch's,
# but norms are over one dimension, the last, and name no shape.
ROW_FUNCTIONS = {
    "sum": ("dim", "keepdim"),
    "mean": ("dim", "keepdim"),
    "amax": ("dim", "keepdim"),
    "amin": ("dim", "keepdim"),
    "var": ("dim", "correction", "keepdim"),
    "std": ("dim", "correction", "keepdim"),
    "logsumexp": ("dim", "keepdim"),
    "softmax": ("dim",),
    "log_softmax": ("dim",),
    "rms_norm": ("weight", "eps"),
    "layer_norm": ("weight", "bias", "eps"),
}
# Words that are valid only in one form: see GIVEN_OR, WHERE and CAST.
FORMS = ("cast", "present", "where")
ACCEPTED = (
    f"supported: + - * / **, unary -, comparisons, `@` of inputs, numbers, where, cast, and {', '.join(FUNCTIONS)}"
)
OPERANDS = "the operands of `@` must be inputs or an input's `.T`"
GIVEN_OR = "write an optional input as `where(present(bias), bias, 0.0)`, with a number for when it is missing"
WHERE = "for example `where(x > 0, x, 0.1 * x)`: the first value if the mask is true, otherwise the second"
CAST = "for example `cast(x, float32)`"
MASKS = "for masks a and b: `cast(a, float32) * cast(b, float32) > 0` for `and`, `+` instead of `*` for `or`"

# Examples of calls; other functions are shown with one argument.
SAMPLES = {
    "cast": CAST,
    "clamp": "for example `clamp(x, 0, 6)`",
    "leaky_relu": "for example `leaky_relu(x, 0.01)`",
    "pow": "for example `pow(x, 3)`, which is `x ** 3`",
    "present": GIVEN_OR,
    "where": WHERE,
}


def sample(name: str) -> str:
    """An example of a call, for a hint."""
    if name in ROW_FUNCTIONS and name not in SAMPLES:
        return f"for example `{name}(x, {', '.join(ROW_SAMPLES.get(each, each) for each in ROW_FUNCTIONS[name])})`"
    return SAMPLES.get(name, f"for example `{name}({', '.join('xy'[: FUNCTIONS.get(name, 1)])})`")


# How the parameters of row functions are shown in examples.
ROW_SAMPLES = {"dim": "-1", "keepdim": "keepdim=True", "correction": "correction=1", "eps": "eps=1e-5"}

# Larger texts are refused before they are parsed.
MOST_CHARACTERS = 50_000
MOST_OPERATORS = 500
DEEPEST = 100

FLOAT32_MAX = 3.4028234663852886e38  # the largest finite value of the type that kernels compute in


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions planned for the language: refused as "not supported yet", not as unknown.
LATER = _words(
    """ceil cos cumsum exp2 expm1 floor hardsigmoid hardswish isfinite isinf isnan log1p log2 max_over min_over
    mish norm prod round sin softplus square trunc"""
)
# Replacements for some of them.
INSTEAD = {
    "exp2": "`exp(0.6931471805599453 * x)`",
    "expm1": "`exp(x) - 1`, if x is not close to 0",
    "hardsigmoid": "`clamp(x / 6 + 0.5, 0, 1)`",
    "hardswish": "`x * clamp(x + 3, 0, 6) / 6`",
    "isnan": "`x != x`",
    "log1p": "`log(1 + x)`, if x is not close to 0",
    "log2": "`log(x) / 0.6931471805599453`",
    "mish": "`x * tanh(where(x > 20, x, log(1 + exp(min(x, 20)))))`",
    "softplus": "`where(x > 20, x, log(1 + exp(min(x, 20))))`",
    "square": "`x ** 2`",
}
SPELLED = {
    "maximum": "max",
    "minimum": "min",
    "fabs": "abs",
    "swish": "silu",
    "expit": "sigmoid",
    "logistic": "sigmoid",
    "gelu_new": "gelu_tanh",
    "clip": "clamp",
    "power": "pow",
    "fmax": "max",
    "fmin": "min",
    "recip": "reciprocal",
    "leakyrelu": "leaky_relu",
    "prelu": "leaky_relu",
}

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.GtE: "ge",
    ast.Gt: "gt",
    ast.LtE: "le",
    ast.Lt: "lt",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
COMPARISONS = frozenset(COMPARE.values())
REDUCTIONS = ("sum", "amax", "amin")  # operators over the last dimension, which stays with extent 1
INTEGER = frozenset(("neg", "add", "sub", "mul", "min", "max"))  # operators of int32
NO_OPERATOR: dict[type[ast.operator], tuple[str, str]] = {
    ast.FloorDiv: ("floor division (`//`) is not supported yet", ACCEPTED),
    ast.Mod: ("the remainder (`%`) is not supported yet", ACCEPTED),
    ast.BitAnd: ("bitwise and (`&`) is not supported", MASKS),
    ast.BitOr: ("bitwise or (`|`) is not supported", MASKS),
    ast.BitXor: ("`^` is not supported", "write a power with `**`"),
    ast.LShift: ("shifts (`<<`) are not supported", ACCEPTED),
    ast.RShift: ("shifts (`>>`) are not supported", ACCEPTED),
}
NO_NODE: dict[type[ast.AST], tuple[str, str]] = {
    ast.IfExp: ("`if ... else` is not supported", WHERE),
    ast.BoolOp: ("`and` and `or` are not supported", MASKS),
    ast.Subscript: ("indexing (`[...]`) is not supported yet", ACCEPTED),
    ast.Lambda: ("`lambda` is not supported", ACCEPTED),
    ast.NamedExpr: ("`:=` is not supported", "assign the value on a separate line"),
    ast.JoinedStr: ("text is not supported", ACCEPTED),
    ast.List: ("lists are not supported", ACCEPTED),
    ast.Tuple: ("a tuple is not supported here", "for several outputs: `y, z = x + 1, x * 2`"),
    ast.Starred: ("`*` before a name is not supported", ACCEPTED),
}
_NO_MASK = "for a mask m: `cast(m, float32) == 0`"
NO_UNARY: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.Not: ("`not` is not supported", _NO_MASK),
    ast.Invert: ("`~` is not supported", _NO_MASK),
}
