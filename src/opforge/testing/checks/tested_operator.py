"""The interface of operators for checks, in the tables of a project's tests, for all kinds of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from opforge.testing.checks.module_case import ModuleCase
from opforge.testing.checks.tensors import as_tuple

Columns = tuple[tuple[torch.dtype, ...], ...]


class Operator:
    """A registered operator and its reference. Subclasses define its inputs."""

    function: Callable[..., Any]
    reference: Callable[..., Any]
    inputs: Any  # names of the tensors, in order
    columns: Columns  # combinations of the dtypes of the inputs
    attrs: Mapping[str, Any]  # other arguments; they differ from the defaults, to check that they are passed on

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        package = self.function.__module__.partition(".")[0]
        return getattr(getattr(torch.ops, package), self.name).default

    def arguments(self, *tensors: Any) -> tuple[Any, ...]:
        """All arguments in the operator's order."""
        named = dict(zip(self.inputs, tensors, strict=True)) | dict(self.attrs)
        return tuple(named[argument.name] for argument in self.overload._schema.arguments)

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """All arguments by name."""
        names = [argument.name for argument in self.overload._schema.arguments]
        return dict(zip(names, self.arguments(*values), strict=True))

    def __call__(self, *tensors: Any) -> tuple[Tensor, ...]:
        """The operator's outputs."""
        return as_tuple(self.function(*self.arguments(*tensors)))

    def golden(self, *tensors: Any) -> tuple[Tensor, ...]:
        """The expected results."""
        return as_tuple(self.reference(*self.arguments(*tensors)))


class ExpressedOperator(Operator, ABC):
    """An operator of the spec with an expression. Samples are CPU tensors for all inputs."""

    optional: tuple[str, ...]
    written: tuple[str, ...]  # inputs that outputs are written to
    differentiable: bool
    module: ModuleCase | None  # how to create its nn.Module
    by_author: Callable[..., Any] | None  # the author's reference beside the expression
    every_gradient: bool  # whether every input has a gradient

    @abstractmethod
    def sample(self, column: int, rows: int) -> list[Tensor]:
        """Inputs with this number of rows."""

    @abstractmethod
    def samples(self, column: int) -> list[list[Tensor]]:
        """Inputs of several small shapes, with results other than NaN."""

    @abstractmethod
    def shape_samples(self, column: int) -> list[list[Tensor]]:
        """Inputs for which the output shapes are compared."""

    @abstractmethod
    def author_samples(self, column: int) -> list[list[Tensor]]:
        """Inputs for the comparison with the author's reference."""

    @abstractmethod
    def large_sample(self) -> list[Tensor]:
        """Inputs that take a device some time."""

    @abstractmethod
    def training_sample(self, world: int) -> tuple[list[Tensor], list[int | None]]:
        """Inputs for ``world`` processes, and the dimension of each, if any, that has the rows."""

    @abstractmethod
    def column_dims(self) -> list[int | None] | None:
        """Each input's dimension that becomes the result's columns; None if they cannot be split over processes."""

    @property
    @abstractmethod
    def autocasts(self) -> bool:
        """Whether torch.autocast affects the operator."""

    @abstractmethod
    def check_region(self, device: str) -> None:
        """Checks the dtypes of the arguments in a region of torch.autocast."""

    @abstractmethod
    def assert_close(self, actual: Tensor, golden: Tensor, what: str = "the result", native: Any = None) -> None:
        """Like closeness.assert_close, with the tolerances of this operator."""

    def without_optional(self, values: Sequence[Any]) -> list[Any]:
        """The inputs without the optional ones."""
        return [None if name in self.optional else value for name, value in zip(self.inputs, values, strict=True)]


def combinations(ops: Iterable[Any]) -> list[tuple[Any, int]]:
    """Every operator with each combination of dtypes."""
    return [(op, column) for op in ops for column in range(len(op.columns))]


def identify(value: Any) -> str | None:
    """Test ids: the names of operators and checks, shapes in full, and numbers as pytest writes them."""
    if isinstance(value, tuple):
        return str(value)
    return value.name if isinstance(value, Operator) else getattr(value, "__name__", None)
