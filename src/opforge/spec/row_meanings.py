"""The meaning of functions of rows as operators of the IR, and their spelling in torch.

The IR has only ``sum``, ``prod``, ``amax`` and ``amin``; the others are written with these, in forms that lose no
digits: a variance is computed from the distances to the mean, an exponential after the largest element is subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

from opforge.frozen import dataclass
from opforge.spec.axes import Axes
from opforge.spec.language import FLOAT32_MAX, ROW_FUNCTIONS
from opforge.spec.tree import Apply, Arange, Call, Cast, Expression, Number, RowCount

Value = TypeVar("Value")

# Rows of indices have at most this many elements: float32 counts them exactly.
MOST_NUMBERED = 2**24

# The numbers that stand for arguments that a call leaves out.
DEFAULTS: Mapping[str, float] = {"correction": 1.0, "eps": 1e-5, "ignore_index": -100.0, "label_smoothing": 0.0}

# Those of one function that are others.
_OWN_DEFAULTS: Mapping[str, Mapping[str, float]] = {"normalize": {"eps": 1e-12}}

# Losses with a class index for each row.
CLASS_LOSSES = ("cross_entropy", "nll_loss")

# Torch's form of the losses of all rows as one number, without weights: the last step of the call.
ALL_LOSSES = "{6}"

# Functions of all elements that an op may also have where it reduces rows: of the values of all rows.
TOTALLED = ("sum", "mean", "amax", "amin")

# Functions whose result is the number of an element, and functions that have it as a second result, each with the
# reduction whose value the element has.
INDICES = {"argmax": "amax", "argmin": "amin"}
EXTREMES = {"max": "max_first", "min": "min_first"}

# Functions of masks; floats are compared with 0. The last one counts.
TESTS = ("any", "all", "count_nonzero")

# Functions whose result has one element for each row.
REDUCING = frozenset(name for name, parameters in ROW_FUNCTIONS.items() if "keepdim" in parameters) | {"count_nonzero"}


@dataclass(frozen=True)
class Row:
    """The argument of a row function: its tree, and the number of elements that are reduced, as a tree.

    ``numbers`` are those of its elements, where the function needs them. ``order`` is that of a norm.
    """

    tree: Expression
    extent: Expression
    numbers: Arange = Arange("")
    order: float = 2.0

    def reduced(self, op: str, tree: Expression | None = None) -> Expression:
        """A reduction of the row, or of another value of the same shape."""
        operand = self.tree if tree is None else tree
        return operand if self.extent == Number(1.0) else Apply(op, (operand,))


def apply(op: str, *operands: Expression) -> Expression:
    """An operator of the IR on its operands."""
    return Apply(op, operands)


def _mean(row: Row, tree: Expression | None = None) -> Expression:
    return apply("div", row.reduced("sum", tree), row.extent)


def _variance(row: Row, correction: Expression) -> Expression:
    distance = apply("sub", row.tree, _mean(row))
    total = row.reduced("sum", apply("mul", distance, distance))
    return apply("div", total, apply("max", apply("sub", row.extent, correction), Number(0.0)))


def _largest(row: Row) -> Expression:
    """The number that exponentials are relative to. The result does not depend on it, so it has no gradient."""
    return apply("detach", row.reduced("amax"))


def _exponentials(row: Row) -> Expression:
    return apply("exp", apply("sub", row.tree, _largest(row)))


def _softmax(row: Row) -> Expression:
    above = _exponentials(row)
    return apply("div", above, row.reduced("sum", above))


def _log_softmax(row: Row) -> Expression:
    below = apply("sub", row.tree, _largest(row))
    return apply("sub", below, apply("log", row.reduced("sum", apply("exp", below))))


def _logsumexp(row: Row) -> Expression:
    """The largest element is only subtracted if it is finite; inf - inf is NaN."""
    largest = _largest(row)
    infinite = apply("gt", apply("abs", largest), Number(FLOAT32_MAX))
    base = apply("where", infinite, Number(0.0), largest)
    above = row.reduced("sum", apply("exp", apply("sub", row.tree, base)))
    return apply("add", apply("log", above), base)


def _rms_norm(row: Row, given: Mapping[str, Expression]) -> Expression:
    root = apply("rsqrt", apply("add", _mean(row, apply("mul", row.tree, row.tree)), given["eps"]))
    return apply("mul", apply("mul", row.tree, root), given["weight"])


def _layer_norm(row: Row, given: Mapping[str, Expression]) -> Expression:
    distance = apply("sub", row.tree, _mean(row))
    root = apply("rsqrt", apply("add", _mean(row, apply("mul", distance, distance)), given["eps"]))
    return apply("add", apply("mul", apply("mul", distance, root), given["weight"]), given["bias"])


def first_place(
    applied: Callable[..., Value], number: Callable[[float], Value], x: Value, extreme: Value, numbers: Value
) -> Value:
    """The number of the first element of a row that is its extreme, or of the first NaN: then the extreme is NaN too.

    ``applied`` makes a value of an operator of the IR and its operands, ``number`` one of a literal. For a row without
    elements, which torch refuses, the result is MOST_NUMBERED.
    """
    most = number(float(MOST_NUMBERED))
    nan = applied("where", applied("ne", x, x), numbers, most)
    places = applied("where", applied("eq", x, extreme), numbers, nan)
    return applied("min", applied("amin", places), most)


def _index(row: Row, op: str) -> Expression:
    """The number of the first element that is equal to the reduction ``op`` of its row."""
    return first_place(apply, Number, row.tree, row.reduced(op), row.numbers)


def _root_of_squares(row: Row) -> Expression:
    """The root of the sum of squares. At 0, where a root has no derivative, that of a norm is 0, as in torch."""
    total = row.reduced("sum", apply("mul", row.tree, row.tree))
    some = apply("ne", total, Number(0.0))
    return apply("where", some, apply("sqrt", apply("where", some, total, Number(1.0))), Number(0.0))


# By order.
NORMS: Mapping[float, Callable[[Row], Expression]] = {
    1.0: lambda row: row.reduced("sum", apply("abs", row.tree)),
    2.0: _root_of_squares,
    math.inf: lambda row: row.reduced("amax", apply("abs", row.tree)),
}


def _norm(row: Row, _: Mapping[str, Expression]) -> Expression:
    return NORMS[row.order](row)


def _normalize(row: Row, given: Mapping[str, Expression]) -> Expression:
    return apply("div", row.tree, apply("max", _norm(row, given), given["eps"]))


def _chosen(row: Row, tree: Expression, target: Expression) -> Expression:
    """The element of a row whose number is ``target``."""
    return row.reduced("sum", apply("where", apply("eq", row.numbers, target), tree, Number(0.0)))


def _counts(row: Row, given: Mapping[str, Expression]) -> Expression:
    """1 for a row that counts, 0 for one of the class that is ignored."""
    ignored = apply("eq", Cast(given["target"], "float32"), given["ignore_index"])
    return row.reduced("amax", apply("where", ignored, Number(0.0), Number(1.0)))


def _weight(row: Row, given: Mapping[str, Expression]) -> Expression:
    """The weight of a row's class, a constant as in torch."""
    return _chosen(row, apply("detach", given["weight"]), Cast(given["target"], "float32"))


def _weighted(row: Row, loss: Expression, given: Mapping[str, Expression]) -> Expression:
    """A loss times the weight of its class, if there are weights, of the rows that count."""
    return _counted(row, apply("mul", loss, _weight(row, given)) if "weight" in given else loss, given)


def _counted(row: Row, loss: Expression, given: Mapping[str, Expression]) -> Expression:
    """A loss, and 0 for rows of the class that is ignored, whatever their elements are."""
    return apply("where", apply("ne", _counts(row, given), Number(0.0)), loss, Number(0.0))


def _cross_entropy(row: Row, given: Mapping[str, Expression]) -> Expression:
    """The logarithm of the sum of exponentials, less the element of the target's class; relative to the largest one.

    With smoothing, the mean of all elements is a part of what is subtracted.
    """
    target = Cast(given["target"], "float32")
    below = apply("sub", row.tree, _largest(row))
    total = apply("log", row.reduced("sum", apply("exp", below)))
    chosen = _chosen(row, below, target)
    smoothing = given["label_smoothing"]
    if smoothing != Number(0.0):
        rest = apply("sub", Number(1.0), smoothing)
        chosen = apply("add", apply("mul", chosen, rest), apply("mul", _mean(row, below), smoothing))
    return _weighted(row, apply("sub", total, chosen), given)


def _nll_loss(row: Row, given: Mapping[str, Expression]) -> Expression:
    chosen = _chosen(row, row.tree, Cast(given["target"], "float32"))
    return _weighted(row, apply("neg", chosen), given)


def reduced_loss(reduction: str, losses: Expression, row: Row, given: Mapping[str, Expression]) -> Expression:
    """The losses of all rows, their sum, or their mean over the rows that count: 0 / 0 is NaN.

    With weights of the classes, the mean is relative to the sum of the rows' weights.
    """
    if reduction == "none":
        return losses
    total = apply("sum_all", losses)
    if reduction == "sum":
        return total
    counts = _counted(row, _weight(row, given), given) if "weight" in given else _counts(row, given)
    return apply("div", total, apply("sum_all", counts))


def of_all_rows(name: str, values: Expression, rows: RowCount) -> Expression:
    """A sum, mean, largest or smallest one of the values of all rows."""
    if name == "mean":
        return apply("div", apply("sum_all", values), rows)
    return apply(f"{name}_all", values)


MEANING: dict[str, Callable[[Row, Mapping[str, Expression]], Expression]] = {
    "sum": lambda row, _: row.reduced("sum"),
    "amax": lambda row, _: row.reduced("amax"),
    "amin": lambda row, _: row.reduced("amin"),
    "prod": lambda row, _: row.reduced("prod"),
    "mean": lambda row, _: _mean(row),
    "var": lambda row, given: _variance(row, given["correction"]),
    "std": lambda row, given: apply("sqrt", _variance(row, given["correction"])),
    "logsumexp": lambda row, _: _logsumexp(row),
    "softmax": lambda row, _: _softmax(row),
    "log_softmax": lambda row, _: _log_softmax(row),
    "argmax": lambda row, _: _index(row, INDICES["argmax"]),
    "argmin": lambda row, _: _index(row, INDICES["argmin"]),
    "cross_entropy": _cross_entropy,
    "nll_loss": _nll_loss,
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "norm": _norm,
    "vector_norm": _norm,
    "normalize": _normalize,
    # Without elements, the largest is -inf and the smallest inf.
    "any": lambda row, _: apply("gt", row.reduced("amax"), Number(0.0)),
    "all": lambda row, _: apply("gt", row.reduced("amin"), Number(0.0)),
    "count_nonzero": lambda row, _: row.reduced("sum"),
}


def defaults(name: str) -> Mapping[str, float]:
    """The numbers that stand for arguments that a call of a function leaves out."""
    return {**DEFAULTS, **_OWN_DEFAULTS.get(name, {})}


def _call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(arguments)})"


_LAST = "{0}.shape[-1:]"


def torch_form(name: str, axes: Axes, order: float = 2.0) -> str:
    """Torch's function with the same value; its arguments are the tensor and then the parameters but dim and keepdim.

    ``order`` is that of a norm. A reduction keeps its dimensions here; results drop them at the end. That of all
    dimensions has none.
    """
    if name in ("rms_norm", "layer_norm"):
        given = [f"{{{place}}}" for place in range(1, len(ROW_FUNCTIONS[name]) + 1)]
        return _call(f"torch.nn.functional.{name}", "{0}", _LAST, *given)
    power = 'float("inf")' if order == math.inf else f"{order:.0f}"
    if name == "normalize":
        return _call("torch.nn.functional.normalize", "{0}", power, axes.spelled(), "{1}")
    if name in ("norm", "vector_norm"):
        over = [] if axes.whole else [axes.spelled(), "keepdim=True"]
        return _call("torch.linalg.vector_norm", "{0}", power, *over)
    if name == "count_nonzero":
        return axes.unsqueezed(_call("torch.count_nonzero", "{0}", *([] if axes.whole else [axes.spelled()])))
    if name == "prod" and len(axes.at) > 1:  # torch.prod takes one dimension
        form = "{0}"
        for axis in reversed(axes.at):
            form = _call("torch.prod", form, f"{axis}", "keepdim=True")
        return form
    correction = ["correction={1}"] if name in ("var", "std") else []
    if axes.whole:
        return _call(f"torch.{name}", "{0}", *correction)
    kept = ["keepdim=True"] if "keepdim" in ROW_FUNCTIONS.get(name, ("keepdim",)) else []
    return _call(f"torch.{name}", "{0}", axes.spelled(), *correction, *kept)


def loss_call(name: str, row: Row, given: Mapping[str, Expression], reduction: str) -> Call:
    """Torch's loss, which has the classes in the second dimension."""
    ignored, smoothing = given["ignore_index"], given["label_smoothing"]
    weights = [given["weight"]] if "weight" in given else []
    options = [f'reduction="{reduction}"', *("weight={4}" for _ in weights)]
    if ignored != Number(DEFAULTS["ignore_index"]):
        options.append(f"ignore_index={ignored.value:.0f}" if isinstance(ignored, Number) else "ignore_index={2}")
    if smoothing != Number(DEFAULTS["label_smoothing"]):
        options.append("label_smoothing={3}")
    first = 4 + len(weights)  # the place of the first step
    steps = (
        ("rows", "{0}.reshape(-1, {0}.shape[-1])"),
        ("classes", "{1}.reshape(-1).long()"),
        ("losses", _call(f"torch.nn.functional.{name}", f"{{{first}}}", f"{{{first + 1}}}", *options)),
    )
    losses = f"{{{first + 2}}}"
    shaped = f"{losses}.reshape({{1}}.shape)" if reduction == "none" else losses
    return Call(shaped, (row.tree, given["target"], ignored, smoothing, *weights), steps)
