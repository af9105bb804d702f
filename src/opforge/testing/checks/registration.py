"""Checks PyTorch's requirements: opcheck, shapes without data, torch.compile, modules, streams, memory."""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from opforge.testing.checks.module_case import Named, check_initial_values, check_module, check_tracing
from opforge.testing.checks.tensors import as_tuple, on
from opforge.testing.checks.tested_operator import ExpressedOperator

__tracebackhide__ = True  # for pytest, which then shows the test itself


def check_opcheck(op: ExpressedOperator, column: int, device: str) -> None:
    """torch.library.opcheck: schema, fake tensors, registration of autograd, for several small shapes."""
    for values in op.samples(column):
        inputs = on(device, values)
        # No requires_grad on the NPU: torch's own opcheck supports it only on CPU, CUDA and XPU.
        if device == "cpu" and _can_be_added(op.golden(*values)):
            inputs = requiring_gradients(op, inputs)
        torch.library.opcheck(op.overload, op.arguments(*inputs))
        if op.optional:
            torch.library.opcheck(op.overload, op.arguments(*op.without_optional(inputs)))


def _can_be_added(results: tuple[torch.Tensor, ...]) -> bool:
    """Whether opcheck can add the results to the first one: not if it is of integers and another is not."""
    floating = [result.dtype.is_floating_point for result in results]
    return floating[0] or not any(floating)


def check_shapes_without_data(op: ExpressedOperator, column: int) -> None:
    """Meta tensors and fake tensors give outputs with the shapes and dtypes of the golden reference."""
    for values in op.shape_samples(column):
        shapes = [list(value.shape) for value in values]
        goldens = [(list(golden.shape), golden.dtype) for golden in op.golden(*values)]
        meta = op(*on("meta", values))
        with FakeTensorMode():
            fake = op(*(torch.empty(tensor.shape, dtype=tensor.dtype, device="npu") for tensor in values))
        for kind, made in (("meta", meta), ("fake", fake)):
            found = [(list(output.shape), output.dtype) for output in made]
            assert found == goldens, f"{op.name} of {kind} tensors {shapes} gives {found}, not {goldens}"
        assert all(output.device.type == "npu" for output in fake)


def check_compile(op: ExpressedOperator, backend: str, dynamic: bool) -> None:
    """torch.compile produces one graph; results and gradients equal those of the reference."""
    torch.compiler.reset()
    function = op.function

    def twice(*arguments: Any) -> tuple[torch.Tensor, ...]:
        given = [a.clone() if i in written else a for i, a in enumerate(arguments)]
        return tuple(output * 2 for output in as_tuple(function(*given)) if output.dtype.is_floating_point)

    written = [i for i, argument in enumerate(op.overload._schema.arguments) if argument.name in op.written]
    compiled = torch.compile(twice, backend=backend, fullgraph=True, dynamic=dynamic)
    for rows in (33, 7):
        values = op.sample(0, rows)
        inputs = requiring_gradients(op, on("npu", values))
        outputs = compiled(*op.arguments(*inputs))
        goldens = [golden for golden in op.golden(*values) if golden.dtype.is_floating_point]
        for i, (output, golden) in enumerate(zip(outputs, goldens, strict=True)):
            op.assert_close(output, golden * 2, f"twice {op.name}'s output {i}, compiled")
        flowing = [output for output in outputs if output.requires_grad]
        if flowing:
            sum(output.float().sum() for output in flowing).backward()
            leaves = [tensor for tensor in inputs if tensor.requires_grad]
            assert all(tensor.grad is None or tensor.grad.shape == tensor.shape for tensor in leaves)
            assert not op.every_gradient or all(tensor.grad is not None for tensor in leaves)


def check_another_stream(op: ExpressedOperator) -> None:
    """Results are correct on a stream that is not the current one."""
    on_cpu = op.large_sample()
    on_npu = on("npu", on_cpu)
    stream = torch.npu.Stream()
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        outputs = op(*on_npu)
    stream.synchronize()
    for i, (output, golden) in enumerate(zip(outputs, op.golden(*on_cpu), strict=True)):
        op.assert_close(output, golden, f"{op.name}'s output {i}")


def check_memory_is_given_back(op: ExpressedOperator) -> None:
    """After calls, the number of allocated bytes is the same as before."""
    inputs = on("npu", op.sample(0, 337))
    op(*inputs)
    torch.npu.synchronize()
    before = torch.npu.memory_allocated()
    for _ in range(20):
        op(*inputs)
    torch.npu.synchronize()
    after = torch.npu.memory_allocated()
    assert after == before, f"20 calls of {op.name} keep {after - before} bytes"


def check_as_module(op: ExpressedOperator, column: int) -> None:
    """The module computes the same as the function, with and without optional inputs."""
    assert op.module is not None
    optional = [argument.name for argument in op.overload._schema.arguments if "Optional" in str(argument.type)]
    for rows in (5, 0, 1):
        named = op.named(op.sample(column, rows))
        check_module(op.module, op.function, named)
        if optional and rows:
            check_module(op.module, op.function, named | dict.fromkeys(optional))


def check_traced_module(op: ExpressedOperator) -> None:
    """Checks the module's initial values, and that torch.compile, torch.export and torch.fx see one operator."""
    assert op.module is not None

    def of_rows(rows: int) -> Named:
        return op.named(op.sample(-1, rows))

    check_initial_values(op.module, of_rows(1))
    check_tracing(op.module, of_rows)


def requiring_gradients(op: ExpressedOperator, inputs: list[Any]) -> list[Any]:
    """The inputs; floating-point ones require gradients."""
    for value in inputs if op.differentiable else ():
        if value is not None and value.dtype.is_floating_point:
            value.requires_grad_()
    return inputs
