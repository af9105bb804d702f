"""The tables of the expression language: its functions, and names for the Python syntax that it refuses."""

from __future__ import annotations

import ast


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The functions of the language that are operators of the IR, and their number of arguments.
FUNCTIONS = {
    "abs": 1,
    "acos": 1,
    "acosh": 1,
    "asin": 1,
    "asinh": 1,
    "atan": 1,
    "atan2": 2,
    "atanh": 1,
    "ceil": 1,
    "cos": 1,
    "cosh": 1,
    "detach": 1,
    "div": 2,
    "eq": 2,
    "erf": 1,
    "erfc": 1,
    "erfinv": 1,
    "exp": 1,
    "exp2": 1,
    "expm1": 1,
    "floor": 1,
    "fmod": 2,
    "ge": 2,
    "gelu_tanh": 1,
    "gt": 2,
    "le": 2,
    "log": 1,
    "log1p": 1,
    "log2": 1,
    "lt": 2,
    "max": 2,
    "maximum": 2,
    "min": 2,
    "minimum": 2,
    "mul": 2,
    "ne": 2,
    "neg": 1,
    "pow": 2,
    "reciprocal": 1,
    "relu": 1,
    "round": 1,
    "rsqrt": 1,
    "sigmoid": 1,
    "sign": 1,
    "silu": 1,
    "sin": 1,
    "sinh": 1,
    "sqrt": 1,
    "tanh": 1,
    "trunc": 1,
}
LOSSES = _words("binary_cross_entropy_with_logits huber_loss kl_div l1_loss mse_loss smooth_l1_loss")
# The functions of prelude.txt: most texts use none of them, and then the file is not read.
DEFINED = LOSSES | _words(
    """add addcdiv addcmul bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
    celu clamp clamp_max clamp_min copysign deg2rad elu floor_divide fmax fmin frac gelu hardshrink hardsigmoid
    hardswish hardtanh heaviside hypot isfinite isinf isnan isneginf isposinf leaky_relu lerp log10 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor logit logsigmoid masked_fill mish nan_to_num
    rad2deg relu6 remainder rsub selu signbit sinc softplus softshrink softsign square sub tan tanhshrink
    threshold xlogy"""
)
# Functions of rows: they read some dimensions of a tensor as a whole. Their parameters after the tensor are torch's.
# Norms are over one dimension, the last, and name no shape.
ROW_FUNCTIONS = {
    "sum": ("dim", "keepdim"),
    "mean": ("dim", "keepdim"),
    "amax": ("dim", "keepdim"),
    "amin": ("dim", "keepdim"),
    "prod": ("dim", "keepdim"),
    "var": ("dim", "correction", "keepdim"),
    "std": ("dim", "correction", "keepdim"),
    "logsumexp": ("dim", "keepdim"),
    "argmax": ("dim", "keepdim"),
    "argmin": ("dim", "keepdim"),
    "softmax": ("dim",),
    "cross_entropy": ("target", "weight", "ignore_index", "label_smoothing", "reduction"),
    "nll_loss": ("target", "weight", "ignore_index", "reduction"),
    "log_softmax": ("dim",),
    "rms_norm": ("weight", "eps"),
    "layer_norm": ("weight", "bias", "eps"),
    "norm": ("p", "dim", "keepdim"),
    "vector_norm": ("ord", "dim", "keepdim"),
    "normalize": ("p", "dim", "eps"),
    "any": ("dim", "keepdim"),
    "all": ("dim", "keepdim"),
    "count_nonzero": ("dim",),
}
# Functions that the first texts did not have: a text may also use these names for values.
RECENT = (DEFINED | FUNCTIONS.keys() | ROW_FUNCTIONS.keys()) - _words(
    "abs clamp erf exp gelu gelu_tanh leaky_relu log max min pow reciprocal relu rsqrt sigmoid sign silu sqrt tanh"
)
# Words that are valid only in one form: see GIVEN_OR, WHERE and CAST.
FORMS = ("cast", "present", "where")
ACCEPTED = (
    "supported: + - * / // % **, unary -, comparisons, `and`, `or` and `not` of masks, `& | ^ ~ << >>` of "
    "integers, `@` of inputs, numbers, where, cast, and functions of torch such as exp, gelu, softmax and mean; "
    "README.md lists them"
)
OPERANDS = "the operands of `@` must be inputs or an input's `.T`"
GIVEN_OR = "write an optional input as `where(present(bias), bias, 0.0)`, with a number for when it is missing"
WHERE = "for example `where(x > 0, x, 0.1 * x)`: the first value if the mask is true, otherwise the second"
CAST = "for example `cast(x, float32)`"
ELEMENT = "for example `x * {name}[0]`"
SAYS = 'for example `x if {name} == "text" else 2 * x`'
MASKS = "for example `(x > 0) & (y > 0)`, or `x > 0 and y > 0`"

# Examples of calls; other functions are shown with one argument.
SAMPLES = {
    "cast": CAST,
    "pow": "for example `pow(x, 3)`, which is `x ** 3`",
    "present": GIVEN_OR,
    "where": WHERE,
}


def sample(name: str) -> str:
    """An example of a call, for a hint."""
    if name in ROW_FUNCTIONS and name not in SAMPLES:
        parameters = [each for each in ROW_FUNCTIONS[name] if each != "weight" or "target" not in ROW_FUNCTIONS[name]]
        return f"for example `{name}(x, {', '.join(ROW_SAMPLES.get(each, each) for each in parameters)})`"
    return SAMPLES.get(name, f"for example `{name}({', '.join('xy'[: FUNCTIONS.get(name, 1)])})`")


# How the parameters of row functions are shown in examples.
ROW_SAMPLES = {
    "dim": "-1",
    "p": "2",
    "ord": "2",
    "keepdim": "keepdim=True",
    "correction": "correction=1",
    "eps": "eps=1e-5",
}
ROW_SAMPLES |= {
    "ignore_index": "ignore_index=-100",
    "label_smoothing": "label_smoothing=0.1",
    "reduction": 'reduction="none"',
}

# Larger texts are refused before they are parsed.
MOST_CHARACTERS = 50_000
MOST_OPERATORS = 500
DEEPEST = 100

FLOAT32_MAX = 3.4028234663852886e38  # the largest finite value of the type that kernels compute in


# Functions of torch that the language does not have: refused as "not supported yet", not as unknown.
LATER = _words(
    """argsort cat chunk cummax cummin cumprod cumsum digamma embedding gather
    group_norm lgamma max_over median min_over nanmean nansum scatter
    softmin sort split stack topk"""
)
# Other names that torch has for functions.
OTHER_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "clip": "clamp",
    "divide": "div",
    "expit": "sigmoid",
    "fix": "trunc",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "sgn": "sign",
    "subtract": "sub",
    "true_divide": "div",
}
SPELLED = {
    "log_sigmoid": "logsigmoid",
    "hard_sigmoid": "hardsigmoid",
    "hard_swish": "hardswish",
    "soft_plus": "softplus",
    "fabs": "abs",
    "swish": "silu",
    "logistic": "sigmoid",
    "gelu_new": "gelu_tanh",
    "power": "pow",
    "recip": "reciprocal",
    "leakyrelu": "leaky_relu",
    "prelu": "leaky_relu",
}

# What else to write in the place of some unknown functions.
INSTEAD = {
    "float": 'an infinity is `float("inf")` or `-float("inf")`; a conversion is `cast(x, float32)`',
    "binary_cross_entropy": "`binary_cross_entropy_with_logits` is more exact; or `opforge add BceLossElements`",
}

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
# Operators that are functions of prelude.txt.
CALLED: dict[type[ast.operator], str] = {ast.FloorDiv: "floor_divide", ast.Mod: "remainder"}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.GtE: "ge",
    ast.Gt: "gt",
    ast.LtE: "le",
    ast.Lt: "lt",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
LOGICAL = ("and", "or", "not")  # operators of masks
SAME = {"maximum": "max", "minimum": "min"}  # functions with two names
COMPARISONS = frozenset(COMPARE.values())
# Operators over dimensions, which stay with extent 1. `max_first` and `min_first`, which also take the numbers of the
# elements, are amax and amin, but all of the gradient goes to the first of equal elements.
REDUCTIONS = ("sum", "prod", "amax", "amin", "max_first", "min_first")
# Operators over the values of all rows, in an op that also reduces rows; the result is one element.
TOTALS = ("sum_all", "amax_all", "amin_all")
PARTS = ("Rows", "Totals")  # after the op's name: the parts of the kernel of an op with such operators
INTEGER_NUMBERS = _words("neg add sub mul min max")  # operators of integers that depend on no tensor
BITS: dict[type[ast.operator | ast.unaryop], str] = {
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.Invert: "bitwise_not",
    ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift",
}
BITWISE = tuple(BITS.values())
INTEGER_ONLY = ("floor_divide", "remainder", *BITWISE)  # operators of the IR; those of floats are in the prelude
DIVISIONS = ("floor_divide", "remainder", "fmod")  # torch refuses integers divided by 0
# Operators of integers, beside comparisons.
INTEGER = INTEGER_NUMBERS | _words("abs sign relu where").union(DIVISIONS, BITWISE)
# These depend on more than the lowest bits of integers.
ORDERING = COMPARISONS | _words("min max where").union(DIVISIONS, BITWISE)
# The functions of prelude.txt that are written with operators of integers alone.
INTEGER_FUNCTIONS = _words("square add sub rsub addcmul clamp_min clamp_max masked_fill")
NO_NODE: dict[type[ast.AST], tuple[str, str]] = {
    ast.Subscript: ("indexing (`[...]`) is not supported yet", ACCEPTED),
    ast.Lambda: ("`lambda` is not supported", ACCEPTED),
    ast.NamedExpr: ("`:=` is not supported", "assign the value on a separate line"),
    ast.JoinedStr: ("text is not supported", ACCEPTED),
    ast.List: ("lists are not supported", ACCEPTED),
    ast.Tuple: ("a tuple is not supported here", "for several outputs: `y, z = x + 1, x * 2`"),
    ast.Starred: ("`*` before a name is not supported", ACCEPTED),
}
