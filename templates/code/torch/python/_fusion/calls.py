"""Identifies the function or method that a torch.fx node calls, and the call's arguments by name."""

from __future__ import annotations

import ast
import inspect
import operator
from typing import Any

import torch
from torch.fx import Node

from .tracing import IN_PLACE

# The parameters of losses with a class for each row, after the target.
_OF_LOSSES = "weight=None size_average=None ignore_index=-100 reduce=None reduction='mean'"
# The parameters of the supported functions and methods, by their names in torch.
_PARAMETERS = {
    **dict.fromkeys(("abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf", "sign", "neg"), "input"),
    **dict.fromkeys(("sigmoid", "square", "log1p", "expm1", "log2", "exp2", "sin", "cos"), "input"),
    **dict.fromkeys(("floor", "ceil", "trunc", "frac", "isnan", "isinf", "isfinite", "logical_not"), "input"),
    **dict.fromkeys(("softsign", "tanhshrink", "logsigmoid", "log10", "tan", "sinc", "deg2rad", "rad2deg"), "input"),
    **dict.fromkeys(("sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "erfc", "erfinv"), "input"),
    **dict.fromkeys(("signbit", "isposinf", "isneginf", "detach"), "input"),
    "logit": "input eps=None",
    **dict.fromkeys(("relu", "relu6", "silu", "hardswish", "hardsigmoid", "mish", "selu"), "input inplace=False"),
    **dict.fromkeys(("elu", "celu"), "input alpha=1.0 inplace=False"),
    **dict.fromkeys(("hardshrink", "softshrink"), "input lambd=0.5"),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "minimum", "maximum", "matmul"), "input other"),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor", "atan2", "copysign", "hypot"), "input other"),
    **dict.fromkeys(("fmax", "fmin", "logaddexp", "logaddexp2", "xlogy"), "input other"),
    "heaviside": "input values",
    "nan_to_num": "input nan=None posinf=None neginf=None",
    "clamp_min": "input min",
    "clamp_max": "input max",
    "round": "input decimals=0",
    "softplus": "input beta=1 threshold=20",
    "threshold": "input threshold value inplace=False",
    **dict.fromkeys(("add", "sub", "rsub"), "input other alpha=1"),
    "clamp": "input min=None max=None",
    "mul": "input other",
    "div": "input other rounding_mode=None",
    "pow": "input exponent",
    "gelu": "input approximate='none'",
    "leaky_relu": "input negative_slope=0.01 inplace=False",
    "hardtanh": "input min_val=-1.0 max_val=1.0 inplace=False",
    "where": "condition input other",
    "masked_fill": "input mask value",
    "linear": "input weight bias=None",
    "addmm": "input mat1 mat2 beta=1 alpha=1",
    "addcmul": "input tensor1 tensor2 value=1",
    "addcdiv": "input tensor1 tensor2 value=1",
    "lerp": "input end weight",
    **dict.fromkeys(("remainder", "fmod", "floor_divide"), "input other"),
    **dict.fromkeys(("softmax", "log_softmax"), "input dim=None dtype=None _stacklevel=3"),
    **dict.fromkeys(("sum", "mean", "prod"), "input dim=None keepdim=False dtype=None"),
    **dict.fromkeys(("amax", "amin", "logsumexp", "any", "all"), "input dim=None keepdim=False"),
    "norm": "input p='fro' dim=None keepdim=False dtype=None out=None",
    "vector_norm": "input ord=2 dim=None keepdim=False dtype=None",
    "normalize": "input p=2.0 dim=1 eps=1e-12 out=None",
    **dict.fromkeys(("var", "std"), "input dim=None unbiased=True keepdim=False correction=1"),
    "rms_norm": "input normalized_shape weight=None eps=None",
    "layer_norm": "input normalized_shape weight=None bias=None eps=1e-05",
    "cross_entropy": f"input target {_OF_LOSSES} label_smoothing=0.0",
    "nll_loss": f"input target {_OF_LOSSES}",
    "t": "input",
    "transpose": "input dim0 dim1",
    "permute": "input *dims",
    "getattr": "input name",
    "to": "input dtype",
    "type_as": "input other",
    "new_full": "input size fill_value dtype=None",
}
_OTHER_NAMES = {
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
    "floordiv": "floor_divide",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "linalg_vector_norm": "vector_norm",
    "mm": "matmul",
    "mod": "remainder",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "sgn": "sign",
    "special_erf": "erf",
    "special_erfc": "erfc",
    "special_erfinv": "erfinv",
    "special_expit": "sigmoid",
    "special_logit": "logit",
    "special_sinc": "sinc",
    "special_xlogy": "xlogy",
    "subtract": "sub",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "true_divide": "div",
    "truediv": "div",
}
_METHODS = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16, "int": torch.int32}
_PLACES = (torch, torch.nn.functional, torch.Tensor, torch.special, torch.linalg, torch._C._nn, operator)


def _functions() -> dict[Any, str]:
    """Maps each function that torch exports under a name in _PARAMETERS to that name."""
    found: dict[Any, str] = {getattr: "getattr"}
    for name in (*_PARAMETERS, *_OTHER_NAMES):
        for place in _PLACES:
            function = getattr(place, name, None)
            if callable(function):
                found[function] = _OTHER_NAMES.get(name, name)
    return found


_FUNCTIONS = _functions()
_IN_PLACE = [getattr(operator, name) for name in IN_PLACE]


class Unknown(Exception):
    """A call that is not supported: its result is a leaf."""


def arguments(node: Node) -> tuple[str, dict[str, Any]]:
    """The name of the function or method that a node calls, and its arguments by name."""
    target, args, kwargs = node.target, node.args, dict(node.kwargs)
    if isinstance(target, torch._ops.OpOverload):
        name = target._schema.name.split("::")[1]
        kwargs = {("input" if key == "self" else key): value for key, value in kwargs.items()}
    elif isinstance(target, str):
        if target in _METHODS and len(args) == 1 and not kwargs:
            return "to", {"input": args[0], "dtype": _METHODS[target]}
        name = target.strip("_") if target.startswith("__") else target
    else:
        name = _FUNCTIONS.get(target, "")
    name = _OTHER_NAMES.get(name, name)
    if name not in _PARAMETERS:
        raise Unknown
    return name, _bound(_PARAMETERS[name].split(), args, kwargs)


def _bound(parameters: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    rest = list(args)
    for parameter in parameters:
        name, _, default = parameter.partition("=")
        if name.startswith("*"):
            found[name[1:]] = tuple(rest)
            rest = []
        elif rest:
            found[name] = rest.pop(0)
        elif name in kwargs:
            found[name] = kwargs.pop(name)
        elif default:
            found[name] = ast.literal_eval(default)
        else:
            raise Unknown
    if rest or kwargs:
        raise Unknown
    return found


def writes(node: Node, module: object = None) -> bool:
    """Whether a node changes an existing tensor; ``module`` is the module of a call_module node."""
    if node.op == "call_module":
        return bool(getattr(module, "inplace", False))
    if node.kwargs.get("out") is not None or node.kwargs.get("inplace"):
        return True
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.is_mutable
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    if node.op not in ("call_function", "call_method"):
        return False
    if name in ("setitem", "setattr", "__setitem__") or (name.endswith("_") and not name.endswith("__")):
        return True
    if node.target in _IN_PLACE:
        return True
    try:
        given = inspect.signature(node.target).bind(*node.args, **node.kwargs) if callable(node.target) else None
    except (TypeError, ValueError):  # a C function, or other parameters
        return False
    return given is not None and bool(given.arguments.get("inplace"))
