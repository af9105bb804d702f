"""Operators with an expression and an author's reference: compares the reference with the golden and with the kernel.

The author's reference gets floating tensors as float64, so that its values are compared and not its rounding.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from opforge.testing.checks.tensors import as_tuple, double, on
from opforge.testing.checks.tested_operator import ExpressedOperator

__tracebackhide__ = True  # for pytest, which then shows the test itself


def check_against_author(op: ExpressedOperator, column: int) -> None:
    """The golden reference on the CPU and the kernel both compute the same as the author's reference."""
    samples: list[list[Any]] = [*op.author_samples(column)]
    if op.optional:
        samples.append(op.without_optional(samples[0]))
    for values in samples:
        references = wanted(op, values)
        for what, outputs in (("by its expression", op.golden(*values)), ("by its kernel", op(*on("npu", values)))):
            for i, (output, reference) in enumerate(zip(outputs, references, strict=True)):
                op.assert_close(output, reference.to(output.dtype), f"{op.name}'s output {i} {what}")


def wanted(op: ExpressedOperator, values: list[Any]) -> tuple[Tensor, ...]:
    """The results of the author's reference."""
    assert op.by_author is not None
    return as_tuple(op.by_author(*op.arguments(*map(double, values))))
