"""Operators with handwritten kernels in a project's tests, and the checks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_close
from opforge.testing.checks.module_case import ModuleCase, Named, check_initial_values, check_module, check_tracing
from opforge.testing.checks.tensors import as_tuple, on
from opforge.testing.measuring.case import Case, Op
from opforge.testing.measuring.drawing import random_tensor

__tracebackhide__ = True  # for pytest, which then shows the test itself

LEADING = ((), (3, 5), (2, 1, 3))  # in addition to one leading dimension
MOST_OF_GRADIENTS = 5000  # elements of the inputs


@dataclass(frozen=True)
class ByHand(Op):
    """One operator. ``reference`` computes the expected results; without it, only shapes and dtypes are compared."""

    root: Path = Path()  # of the project
    shapes_by_kernel: bool = False  # its kernel determines the shape of an output, which no Meta function knows
    module: ModuleCase | None = None

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        package = self.function.__module__.partition(".")[0]
        return getattr(getattr(torch.ops, package), self.name).default

    @property
    def placed(self) -> bool:
        """Whether a parameter `device` chooses the device: the operator takes no tensors."""
        return self.overload._schema.arguments[0].name not in (*self.inputs, *self.attrs)

    def on(self, device: str, values: Sequence[Any]) -> Any:
        """The results on a device."""
        return self.function(*on(device, values), **({"device": device} if self.placed else {}))

    def require_kernel(self) -> None:
        """Fails while the kernel body is not written."""
        why = self.why_not(self.root)
        if why:
            pytest.fail(f"{self.type}: {why}", pytrace=False)

    def named(self, column: int, rows: int) -> Named:
        """The arguments by name, with one leading dimension."""
        return dict(zip((*self.inputs, *self.attrs), self.usual(column, rows).inputs(), strict=True))


def check_sizes(op: ByHand, column: int) -> None:
    """Results for every size of every named dimension. The smallest wrong one is shown."""
    op.require_kernel()
    shapes = [op.usual(column, *leading) for leading in LEADING] if op.leads else []
    for case in (*op.varied(column), *shapes):
        try:
            expected = _expected(op, case)
        except (ArithmeticError, IndexError, RuntimeError, ValueError):
            if case.elements:
                raise
            continue  # the reference does not define a result for empty tensors
        try:
            _compare(op, case, expected)
        except RuntimeError as error:
            if hasattr(error, "add_note"):  # Python 3.11
                error.add_note(_advice(case))
            raise


def check_case(op: ByHand, case: Case) -> None:
    """Results for one case: equal to the reference's, or, without one, with the Meta function's shapes and dtypes."""
    op.require_kernel()
    _compare(op, case, _expected(op, case))


def check_lists(op: ByHand, column: int, count: int) -> None:
    """Results for lists of this length."""
    check_case(op, replace(op.usual(column, 33), count=count))


def check_without_optional(op: ByHand, column: int) -> None:
    """Results without the optional inputs."""
    omitted = tuple(name for name, given in op.inputs.items() if given.optional)
    check_case(op, replace(op.usual(column, 33), omitted=omitted))


def _expected(op: ByHand, case: Case) -> tuple[Tensor, ...] | None:
    return None if op.reference is None else as_tuple(op.reference(*case.inputs()))


def _compare(op: ByHand, case: Case, goldens: tuple[Tensor, ...] | None) -> None:
    values = case.inputs()
    on_npu = on("npu", values)
    made = op.on("npu", on_npu)
    outputs = as_tuple(made)
    if not op.shapes_by_kernel:
        shapes = as_tuple(op.on("meta", values))
        assert [(o.shape, o.dtype) for o in outputs] == [(s.shape, s.dtype) for s in shapes]
    assert all(output.device.type == "npu" for output in outputs)
    for name, value in zip(op.inputs, on_npu, strict=False):
        given_back = made if isinstance(made, tuple) else (made,)
        assert name not in op.written or any(_is_same(output, value) for output in given_back)
    for i, (output, golden) in enumerate(zip(outputs, goldens or (), strict=goldens is not None)):
        which = op.outputs[i] if len(outputs) == len(op.outputs) else f"result {i}"
        assert_close(output, golden.to(output.dtype), f"{which} of {op.name} for {case.label}")


def _is_same(output: Any, value: Any) -> bool:
    """Whether a result is the argument itself; of a list, tensor by tensor."""
    if isinstance(value, list) and isinstance(output, Sequence):
        return len(output) == len(value) and all(map(_is_same, output, value))
    return output is value


def _advice(case: Case) -> str:
    return f"{case.op.type} for {case.label}. If it does not support this size, state its `sizes` in opforge.yaml."


def check_registration(op: ByHand, column: int) -> None:
    """Checks torch's requirements for an operator, except its results."""
    op.require_kernel()
    values = [*([torch.empty(0)] if op.placed else []), *op.usual(column, 33).inputs()]
    torch.library.opcheck(op.overload, tuple(on("npu", values)))
    if op.reference is not None:
        torch.library.opcheck(op.overload, tuple(values))


def check_as_module(op: ByHand, column: int) -> None:
    """The module computes the same as the function, and is compiled, exported and traced as one operator."""
    op.require_kernel()
    assert op.module is not None
    check_module(op.module, op.function, op.named(column, 33))
    check_initial_values(op.module, op.named(column, 1))
    check_tracing(op.module, lambda rows: op.named(column, rows))


def check_gradients(op: ByHand, column: int) -> None:
    """The gradients on the NPU equal those of the reference."""
    op.require_kernel()
    usual = op.usual(column, 7)
    through = _differentiable_outputs(op, usual)
    for case in (usual, *(case for case in op.varied(column) if 0 < case.elements <= MOST_OF_GRADIENTS)):
        _compare_gradients(op, case, through)


def _compare_gradients(op: ByHand, case: Case, through: list[bool]) -> None:
    """Sums that cancel may have twice the error that the reference has in the same dtypes; float64 tells it."""
    actual, native = _gradients(op, case, "npu", through), _gradients(op, case, "cpu", through)
    exact = _gradients(op, case, "cpu", through, wide=True)
    names = _floating(dict(zip(op.inputs, case.inputs(), strict=False)))
    for name, mine, same, golden in zip(names, actual, native, exact, strict=True):
        assert (mine is None) == (same is None), f"only one of kernel and reference has a gradient of {name}"
        if mine is not None and same is not None and golden is not None:
            assert_close(mine, golden.to(same.dtype), f"the gradient of {name} for {case.label}", same)


def _differentiable_outputs(op: ByHand, case: Case) -> list[bool]:
    """For each output, whether the operator has a derivative for it. The reference may have more of them."""
    values = on("npu", case.inputs())
    for leaf in _floating(dict(enumerate(values))).values():
        leaf.requires_grad_()
    return [output.requires_grad for output in as_tuple(op.function(*values))]


def _floating(named: Mapping[Any, Any]) -> dict[Any, Tensor]:
    """The tensors that can have a gradient; those of a list `x` are `x[0]`, `x[1]` and so on."""
    tensors: dict[Any, Any] = {}
    for name, value in named.items():
        tensors |= {f"{name}[{i}]": each for i, each in enumerate(value)} if isinstance(value, list) else {name: value}
    return {k: v for k, v in tensors.items() if isinstance(v, Tensor) and v.dtype.is_floating_point}


def _gradients(
    op: ByHand, case: Case, device: str, through: list[bool], *, wide: bool = False
) -> tuple[Tensor | None, ...]:
    """The gradients of the operator on the NPU, or of its reference on the CPU; with ``wide``, of float64 inputs.

    They are sums over the outputs that ``through`` selects.
    """
    given = case.inputs()
    if wide:
        given = [_widened(value) for value in given]
    values = on(device, given)
    leaves = [tensor.requires_grad_() for tensor in _floating(dict(enumerate(values))).values()]
    function = op.function if device == "npu" or op.reference is None else op.reference
    outputs = as_tuple(function(*values))
    stored = as_tuple(function(*case.inputs())) if wide else outputs  # with the dtypes of the other runs
    ends, weights = [], []
    assert any(through) or not any(output.requires_grad for output in outputs), "no output is differentiable"
    for i, (output, other) in enumerate(zip(outputs, stored, strict=True)):
        if output.requires_grad and through[i]:
            ends.append(output)
            weights.append(random_tensor(other.shape, other.dtype, 100 + i).to(device, output.dtype))
    made: tuple[Tensor | None, ...] = torch.autograd.grad(ends, leaves, weights, allow_unused=True)
    return made


def _widened(value: Any) -> Any:
    if isinstance(value, list):
        return [_widened(each) for each in value]
    return value.double() if isinstance(value, Tensor) and value.dtype.is_floating_point else value
