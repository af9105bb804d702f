"""The cases of opforge.testing.verify, and the verdicts on each: a row for each output and each gradient."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor

from opforge.testing.measuring import difficult, standards
from opforge.testing.measuring.case import (
    Arguments,
    Case,
    Op,
    doubled,
    element_case,
    mapped,
    product_case,
    single,
    tensors_in,
)
from opforge.testing.measuring.sizes import Size

ENOUGH = 1000  # elements: with fewer, ratios of errors to another device's mean nothing
FEW = 32  # of a sum, for which A may not be suitable
BROADCAST = ((8, 1, 250), (1, 8, 250))  # enough in every gradient
QUICK = 20_000  # the most elements of a size, if asked to be quick
SPECIAL_INPUTS = 4  # number of inputs with all combinations of special values; further inputs repeat them

Compute = Callable[[Arguments], tuple[Tensor, ...]]
Results = Callable[[Compute, Arguments], list["Tensor | None"]]


@dataclass(frozen=True)
class Trial:
    """A case and its special properties. ``overflows``: golden must be float32, because overflows are expected."""

    case: Case
    name: str
    gradients: bool = True  # for operators that have gradients
    overflows: bool = False
    asked: str = ""  # the standards that results must pass; empty: the suitable ones
    again: bool = False  # retry with other data if standard C fails
    lenient: bool = False  # any of the standards is enough
    sizes: tuple[Case, ...] = ()  # instead of ``case``; the first that fails is reported
    change: Callable[[Case, Arguments], Arguments] = lambda _, values: values
    limits: standards.Limits = standards.STANDARD


def trials(op: Op, column: int, *, quick: bool) -> Iterator[Trial]:
    """The cases of standard A (section 1.4): random data, one element, no element, infinities, NaN and bounds.

    Then every size of every named dimension, and values at which computations lose precision.
    """
    products = bool(op.products)
    many, few = (_products if products else _elements)(op, column, quick=quick)
    yield Trial(many, "random", again=True)
    if op.leads or not op.by_hand:
        yield Trial(_sized(op, column, 1), "one element")
        yield Trial(_sized(op, column, 0), "empty")
    sizes = [case for case in op.varied(column) if case.elements or not op.by_hand]
    sizes = [case for case in sizes if not quick or case.elements <= QUICK]
    if len(op.names) and sizes:
        yield Trial(sizes[0], "sizes", gradients=False, lenient=True, sizes=tuple(sizes))
    yield from _difficult(op, many)
    if products:
        yield Trial(few, "infinities and NaN", gradients=False, change=_special_rows)
    elif not op.symbols and not op.by_hand:
        yield Trial(few, "special values", gradients=False, overflows=True, change=_special_values)
        if sum(given.kind == "Tensor" for given in op.inputs.values()) > 1 and not op.written and _keeps_shapes(few):
            yield Trial(replace(few, leading=BROADCAST), "broadcast", again=True)
    optional = tuple(name for name, given in op.inputs.items() if given.optional)
    if optional:
        yield Trial(replace(many, omitted=optional), "without " + ", ".join(optional), again=True)


def _keeps_shapes(case: Case) -> bool:
    """Whether the results have the inputs' shape. Where elements are reduced, all inputs must have one shape."""
    values = mapped(case.inputs(), lambda tensor: tensor.to("meta"))
    shapes = {tensor.shape for tensor in tensors_in(values)}
    return {result.shape for result in case.op.custom(values)} == shapes


def _products(op: Op, column: int, *, quick: bool) -> tuple[Case, Case]:
    few = product_case(op, column, 33, 127, 67)
    return (few if quick else product_case(op, column, 129, 255, 257)), few


def _difficult(op: Op, case: Case) -> Iterator[Trial]:
    """Values at which computations lose precision. Of equal values, sorting kernels may choose any."""
    trial = Trial(case, "wide range", gradients=False, lenient=True, overflows=not op.by_hand and not op.products)
    if op.products:
        yield replace(trial, change=difficult.scaled_rows)
        return
    yield replace(trial, change=difficult.wide_range)
    if not op.by_hand:
        yield replace(trial, name="near ties", change=difficult.near_ties)
    yield replace(trial, name="cancelling", change=difficult.cancelling)


def _elements(op: Op, column: int, *, quick: bool) -> tuple[Case, Case]:
    few = element_case(op, column, 33, 67)
    return (few if quick else element_case(op, column, 257, 509)), few


def _sized(op: Op, column: int, size: int) -> Case:
    """A case with one element, or with none."""
    if op.products:
        return product_case(op, column, size, 17 if size == 0 else 1, 33 if size == 0 else 1)
    case = element_case(op, column, 33, 67)
    sizes = {symbol: op.sizes.get(symbol, Size()).nearest(1) for symbol in case.sizes}
    return replace(case, leading=((size,),) if op.leads else ((),), sizes=sizes)


def _special_rows(case: Case, values: Arguments) -> Arguments:
    """The first rows of the first operand are NaN and infinities."""
    place = list(case.op.inputs).index(case.op.left[0])
    changed = values[place].clone()
    dim = case.op.inputs[case.op.left[0]].dims.index(case.op.products[0])
    for row, value in enumerate(("nan", "inf", "-inf")):
        changed.select(dim, row).fill_(float(value))
    return [*values[:place], changed, *values[place + 1 :]]


def _special_values(case: Case, values: Arguments) -> Arguments:
    """Every combination of values at which formulas are likely to fail."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    function = case.op.reference or case.op.in_torch or case.op.function
    count = len(_specials(torch.float32, function))
    every = torch.tensor(list(itertools.product(range(count), repeat=min(len(places), SPECIAL_INPUTS))))
    changed = list(values)
    for i, place in enumerate(places):
        changed[place] = _specials(values[place].dtype, function)[every[:, i % every.shape[1]]]
    return changed


def _specials(dtype: torch.dtype, function: Callable[..., Any]) -> Tensor:
    """Special values of a dtype. Integers are small, because sums that do not fit have no meaning."""
    if dtype.is_floating_point:
        facts = torch.finfo(dtype)
        largest = difficult.largest(function, dtype)
        numbers = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), largest, -largest, facts.tiny]
        return torch.tensor(numbers, dtype=dtype)
    return (torch.arange(10) - (5 if dtype.is_signed else 0)).to(dtype)


def rows(trial: Trial) -> Iterator[dict[str, Any]]:
    """The verdicts on the operator's results and on the gradients of its inputs."""
    if trial.sizes:
        yield from _of_sizes(trial)
        return
    op = trial.case.op
    values = trial.change(trial.case, trial.case.inputs())
    yield from _compared(trial, values, list(op.outputs), _outputs, gradient=False)
    if trial.gradients and op.differentiable:
        compute = functools.partial(_gradients, through=_differentiable_outputs(op, values))
        yield from _compared(trial, values, _leaves(op, values), compute, gradient=True)


def _of_sizes(trial: Trial) -> Iterator[dict[str, Any]]:
    """One row for each output: of the first size that fails, else of the largest one."""
    found: dict[str, dict[str, Any]] = {}
    elements: dict[str, int] = {}
    for case in trial.sizes:
        for row in rows(replace(trial, case=case, sizes=(), name=f"sizes: {case.label}")):
            elements[row["output"]] = elements.get(row["output"], 0) + row["elements"]
            if found.get(row["output"], row)["passed"]:
                found[row["output"]] = row
    for output, row in found.items():
        passed = {"case": f"{len(trial.sizes)} sizes", "elements": elements[output]} if row["passed"] else {}
        yield {**row, **passed}


def _compared(
    trial: Trial, values: Arguments, names: Sequence[str], compute: Results, *, gradient: bool
) -> Iterator[dict[str, Any]]:
    op = trial.case.op
    if op.golden is None:
        return
    actual, others, exact, called = _three_ways(trial, values, compute)
    outputs = op.custom(mapped(values, lambda tensor: tensor.to("meta"))) if gradient else ()
    if len(names) != len(actual):  # the tensors of a list
        names = [f"result {place}" for place in range(len(actual))]
    retried: list[list[standards.RatioVerdict]] = []
    for place, (name, result, precise, other) in enumerate(zip(names, actual, exact, others, strict=True)):
        if result is None or precise is None or not _comparable(trial, result):
            continue
        row: dict[str, Any] = {"op": op.type, "dtype": trial.case.dtype, "case": trial.name, "output": name}
        row |= {"gradient": gradient, "elements": result.numel(), "golden": called}
        summed = bool(op.products) or op.by_hand or any(result.shape != output.shape for output in outputs)
        again = functools.partial(_in_float32, op.golden, compute, values, place) if called == "float64" else None
        verdicts = judged(result, precise, other, trial, several=trial.lenient or (gradient and summed), again=again)
        if "C" in verdicts["judged_by"] and _fails(verdicts["C"]) and trial.again:
            retried = retried or _retried(trial, compute)
            _reconsider(verdicts, retried[place])
        yield row | verdicts


def _comparable(trial: Trial, result: Tensor) -> bool:
    """Whether a standard covers the result. Infinities converted to integers are undefined."""
    floats = any(dtype.is_floating_point for dtype in trial.case.op.columns[trial.case.column])
    integer = not result.dtype.is_floating_point and result.dtype != torch.bool
    return not (integer and floats and trial.overflows) and not standards.without_rule([result.dtype], trial.limits)


def _in_float32(golden: Compute, compute: Results, values: Arguments, place: int) -> Tensor | None:
    return compute(golden, mapped(values, single))[place]


def _fails(verdict: dict[str, Any] | None) -> bool:
    return verdict is not None and not verdict["passed"]


def _three_ways(trial: Trial, values: Arguments, compute: Results) -> tuple[Any, Any, Any, str]:
    """The operator's results, those of PyTorch's operators on the CPU, the golden ones, and the dtype of the latter."""
    op = trial.case.op
    actual = compute(op.custom, mapped(values, lambda tensor: tensor.npu()))
    others = _of_pytorch(trial, values, compute) or [None] * len(actual)
    exact, called = _golden(trial, cast("Compute", op.golden), compute, values)
    return actual, others, exact, called


def _of_pytorch(trial: Trial, values: Arguments, compute: Results) -> Any:
    """The results of PyTorch's operators on the CPU; none if the op has none, or if amax refuses an empty row."""
    native = trial.case.op.native
    try:
        return None if native is None else compute(native, mapped(values, Tensor.clone))
    except IndexError:
        if all(tensor.numel() for tensor in tensors_in(values)):
            raise
        return None


def _retried(trial: Trial, compute: Results) -> list[list[standards.RatioVerdict]]:
    """The ratios of each result with other data of the same sizes; empty for results without ratios."""
    found: list[list[standards.RatioVerdict]] = []
    for seed in range(1, standards.RETRIES + 1):
        actual, others, exact, _ = _three_ways(trial, trial.change(trial.case, trial.case.inputs(seed)), compute)
        found = found or [[] for _ in actual]
        for ratios, result, other, precise in zip(found, actual, others, exact, strict=True):
            if precise is not None and other is not None and result.dtype in trial.limits.tolerances:
                pairs = standards.paired(result, precise), standards.paired(other, precise)
                ratios.append(standards.error_ratios(*pairs))
    return found


def _reconsider(row: dict[str, Any], others: Sequence[standards.RatioVerdict]) -> None:
    """Applies the retries of standard C."""
    first = standards.RatioVerdict(**row["C"])
    row["C"] |= {"retries": len(others), "passed": standards.passes_again(first, others)}
    row["passed"] = not any(_fails(row[name]) for name in row["judged_by"])


def _golden(trial: Trial, golden: Compute, compute: Results, values: Arguments) -> tuple[list[Tensor | None], str]:
    """Golden results and the dtype in which they were computed: float32 if float64 is not possible."""
    if not trial.overflows:
        try:
            return compute(golden, mapped(values, doubled)), "float64"
        except (KeyError, TypeError, ValueError, RuntimeError):
            if not trial.case.op.by_hand:  # an author's reference may support only the operator's dtypes
                raise
    made = compute(golden, mapped(values, Tensor.clone))
    return [_one_by_one(result, place, golden, compute, values) for place, result in enumerate(made)], "float32"


def _one_by_one(
    result: Tensor | None, place: int, golden: Compute, compute: Results, values: Arguments
) -> Tensor | None:
    """The result, whose elements that are NaN for finite inputs are computed alone.

    PyTorch's vector instructions give NaN for fmod and remainder of large quotients; for one element it calls the C
    library, which is exact.
    """
    tensors = list(tensors_in(values))
    if result is None or any(tensor.shape != result.shape for tensor in tensors):
        return result
    finite = functools.reduce(torch.logical_and, (tensor.isfinite() for tensor in tensors))
    for index in map(tuple, (result.isnan() & finite).nonzero().tolist()):
        alone = compute(golden, mapped(values, functools.partial(_element, index=index)))[place]
        if alone is not None:
            result[index] = alone[0]
    return result


def _element(tensor: Tensor, index: tuple[int, ...]) -> Tensor:
    return tensor[index].reshape(1)


def _outputs(function: Compute, values: Arguments) -> list[Tensor | None]:
    with torch.no_grad():
        return [*function(values)]


def _differentiable_outputs(op: Op, values: Arguments) -> list[bool]:
    """For each output, whether the operator has a derivative for it. The reference may have more of them."""
    on_meta = mapped(values, lambda tensor: tensor.to("meta").requires_grad_(tensor.is_floating_point()))
    return [output.requires_grad for output in op.custom(on_meta)]


def _gradients(function: Compute, values: Arguments, *, through: Sequence[bool]) -> list[Tensor | None]:
    leaves = [tensor.requires_grad_() for tensor in tensors_in(values) if tensor.is_floating_point()]
    outputs = [output for output, wanted in zip(function(values), through, strict=True) if wanted]
    outputs = [output for output in outputs if output.requires_grad]
    if not outputs:
        return [None] * len(leaves)
    upstream = [_normal(output.shape, place).to(output.device, output.dtype) for place, output in enumerate(outputs)]
    return [*torch.autograd.grad(outputs, leaves, upstream, allow_unused=True)]


def _normal(shape: Sequence[int], seed: int) -> Tensor:
    """Incoming gradients. They are the same in every dtype, because they are rounded to the narrowest one."""
    return torch.randn(tuple(shape), generator=torch.Generator().manual_seed(seed)).bfloat16().half()


def _leaves(op: Op, values: Arguments) -> list[str]:
    """Names of the inputs that have gradients."""
    names = []
    for name, value in zip(op.inputs, values, strict=False):
        if isinstance(value, list):
            names += [f"grad_{name}[{i}]" for i, item in enumerate(value) if _differentiable(item)]
        elif _differentiable(value):
            names.append(f"grad_{name}")
    return names


def _differentiable(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def judged(
    actual: Tensor,
    golden: Tensor,
    native: Tensor | None,
    trial: Trial,
    *,
    several: bool,
    again: Callable[[], Tensor | None] | None = None,
) -> dict[str, Any]:
    """The verdicts on one tensor, and its worst element. ``again`` computes the golden result in float32, for ties.

    In float32, C decides only for products and is otherwise only reported. Its other device is the CPU, whose exp, tanh
    and erf are accurate to one unit in the last place; a chip's are not. In narrower dtypes the CPU rounds like a chip.

    Results of ``several`` operators in sequence, including sums, pass by any standard, as do those of lenient trials.
    B accounts for the rounding of the inputs and of the result, but not for values that are rounded in between and
    then cancel. PyTorch's own operators fail it as well. A limits absolute errors, and sums of large terms exceed the
    limit even if each term is accurate.
    """
    if not actual.dtype.is_floating_point:
        floats = any(dtype.is_floating_point for dtype in trial.case.op.columns[trial.case.column])
        exact = standards.exactness(actual, golden, from_floats=floats)
        if not exact.passed and floats and again is not None:
            golden = standards.at_ties(actual, golden, again())
            exact = standards.exactness(actual, golden, from_floats=floats)
        error = (actual.cpu().double() - golden.double()).abs().flatten()
        return {
            "golden": "exact",
            "passed": exact.passed,
            "judged_by": "",
            **dict.fromkeys("ABC"),
            "worst": worst(actual, golden, error, error, "integers and truth values are exact"),
        }
    pair = standards.paired(actual, golden, trial.limits)
    other = None if native is None else standards.paired(native, golden, trial.limits)
    verdicts: dict[str, Any] = dict.fromkeys("ABC")
    if actual.numel():
        verdicts["A"] = standards.mixed_tolerance(pair)
        verdicts["B"] = standards.relative_errors(pair, other)
    if other is not None and actual.numel() >= (FEW if several else ENOUGH):
        verdicts["C"] = standards.error_ratios(pair, other)
    missed = {name for name, verdict in verdicts.items() if verdict is not None and not verdict.passed}
    strict = actual.dtype == torch.float32 and not trial.case.op.products and not several
    asked = trial.asked or ("AB" if strict else "ABC")
    if several:
        suited = [name for name in asked if verdicts[name] is not None]
        asked = next((name for name in suited if name not in missed), suited[-1] if suited else asked)
    failed = [name for name in asked if name in missed]
    by_tolerance = standards.tolerance_used(pair)
    rule = f"standard {failed[0] if failed else 'A'}"
    blame = by_tolerance if rule == "standard A" else pair.relative_errors
    return {
        "passed": not failed,
        "judged_by": asked,
        **{name: None if verdict is None else asdict(verdict) for name, verdict in verdicts.items()},
        "worst": worst(actual, golden, blame, pair.errors, rule),
    }


def worst(actual: Tensor, golden: Tensor, blame: Tensor, errors: Tensor, rule: str) -> dict[str, Any] | None:
    """The element with the worst error; None if there is no error."""
    if not errors.numel() or not bool((errors > 0).any()):
        return None
    place = int(torch.where(errors > 0, blame, -1.0).argmax())
    index = [int(each) for each in torch.unravel_index(torch.tensor(place), actual.shape)]
    value, precise = float(actual.detach().cpu().flatten()[place]), float(golden.detach().cpu().flatten()[place])
    return {"index": index, "value": value, "golden": precise, "error": float(errors[place]), "rule": rule}
