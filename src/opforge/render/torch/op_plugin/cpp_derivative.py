"""The derivative of an op as a C++ function of op-plugin, and its formula in derivatives.yaml.

The kernel of the derivative is an operator of its own; around it stand ATen's products and sums, as in _ops.py.
Locals are lowerCamel, which no argument is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from opforge.frozen import dataclass
from opforge.ir.backward import Backward
from opforge.ir.graph import Graph, Node
from opforge.ir.product_shapes import ProductShape, product_shape
from opforge.naming import lower_camel
from opforge.render.torch.layout import cpp_assignment, cpp_call
from opforge.render.torch.op_plugin.function_schema import parameters, schema
from opforge.render.torch.op_plugin.output_expressions import cpp_dtype, cpp_size
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature
from opforge.spec.arguments import input_kind


@dataclass(frozen=True)
class BackwardFunction:
    """A function ``<name>`` that gives the gradients of ``inputs``."""

    name: str
    schema: str
    taken: Signature  # what it is given beside the gradients
    inputs: tuple[str, ...]
    returns: str
    parameters: tuple[str, ...]
    lines: tuple[str, ...]
    formula: tuple[str, ...]  # lines of derivatives.yaml, without the name


@dataclass(frozen=True)
class _Source:
    """What the function is made of."""

    signature: Signature
    graph: Graph
    shape: ProductShape | None
    backward: Backward
    kernel: Signature | None


def backward_function(
    signature: Signature,
    name: str,
    graph: Graph,
    backward: Backward,
    kernel: tuple[Signature, str] | None,
) -> BackwardFunction | None:
    """The derivative of the function ``name``; ``kernel`` is its kernel and what that is called. None: it has none."""
    shape = product_shape(signature.op, graph)
    source = _Source(signature, graph, shape, backward, kernel[0] if kernel else None)
    tensors = [tensor for tensor in signature.op.inputs if input_kind(tensor) == "tensor"]
    reached = {name for node in graph.products if node.name in backward.gradients for name in _operands(source, node)}
    inputs = tuple(t.name for t in tensors if t.name in backward.gradients or t.name in reached)
    if not inputs or signature.written:
        return None
    several = len(signature.outputs) > 1
    taken = _taken(source)
    head = schema(taken, f"{name}_backward").partition("(")[2].rpartition(") -> ")[0]
    grads = ", ".join(f"Tensor{'?' if several else ''} grad_{output}" for output in signature.outputs)
    made = ", ".join(f"Tensor grad_{given}" for given in inputs)
    returned = "Tensor" if len(inputs) == 1 else f"({made})"
    cpp = "const c10::optional<at::Tensor>& grad_{}" if several else "const at::Tensor& grad_{}"
    arguments = ", ".join((*taken.inputs, *taken.attrs))
    given = ", ".join(f"grads[{i}]" for i in range(len(signature.outputs))) if several else "grad"
    rest = [tensor.name for tensor in tensors if tensor.name not in inputs]
    return BackwardFunction(
        name=f"{name}_backward",
        schema=f"{name}_backward({grads}, {head}) -> {returned}",
        taken=taken,
        inputs=inputs,
        returns="at::Tensor" if len(inputs) == 1 else f"::std::tuple<{', '.join(['at::Tensor'] * len(inputs))}>",
        parameters=(*(cpp.format(output) for output in signature.outputs), *parameters(taken)),
        lines=tuple(_lines(source, inputs, kernel[1] if kernel else "", several=several)),
        formula=(
            f"{', '.join(inputs)}: {name}_backward({given}, {arguments})",
            *(f"{tensor}: non_differentiable" for tensor in rest),
        ),
    )


def _taken(source: _Source) -> Signature:
    """What the function is given beside gradients: all tensors, and what its kernel reads. Autograd cannot keep all."""
    op, kernel = source.signature.op, source.kernel
    read = (*kernel.inputs, *kernel.attrs) if kernel is not None else ()
    inputs = tuple(t for t in op.inputs if input_kind(t) == "tensor" or t.name in read)
    attrs = tuple(attr for attr in op.attrs if attr.name in read)
    return replace(source.signature, op=replace(op, inputs=inputs, attrs=attrs))


def _lines(source: _Source, inputs: Sequence[str], kernel: str, *, several: bool) -> Iterator[str]:
    signature = source.signature
    grads = {f"grad_{output}": f"grad_{output}" for output in signature.outputs}
    if several:
        for place, tensor in enumerate(signature.op.outputs):
            local = lower_camel(f"grad_{tensor.name}_given")
            options = f"{signature.first}.options().dtype({cpp_dtype(signature, place)})"
            grads[f"grad_{tensor.name}"] = local
            yield f"at::Tensor {local};"
            yield f"if (grad_{tensor.name}.has_value() && grad_{tensor.name}->defined()) {{"
            yield f"    {local} = *grad_{tensor.name};"
            yield "} else {"
            size = cpp_size(signature, tensor, own=True)
            yield f"    {cpp_call(f'{local} = at::zeros(', [size, options], ');', 8)}"
            yield "}"
    if source.kernel is not None:
        yield from _kernel(source, grads, kernel)
        for place, output in enumerate(source.kernel.outputs):
            alone = len(source.kernel.outputs) == 1
            grads[output] = "kernelGradients" if alone else f"std::get<{place}>(kernelGradients)"
    results = []
    for name in inputs:
        value = _product_gradient(source, name, grads) if source.shape is not None else _summed(source, name, grads)
        if name in signature.optional:
            value = f"{name}.has_value() ? {value} : at::Tensor()"
        results.append(lower_camel(f"result_{name}"))
        yield cpp_assignment(f"at::Tensor {results[-1]}", f"{value};", 4)
    yield f"return {results[0]};" if len(results) == 1 else f"return std::make_tuple({', '.join(results)});"


def _kernel(source: _Source, grads: dict[str, str], name: str) -> Iterator[str]:
    """The call of the derivative's kernel, and what is computed for it."""
    kernel = source.kernel
    assert kernel is not None  # noqa: S101  (the caller asked)
    grad = next(iter(grads.values()))
    products = {node.name or "": node for node in source.graph.products}
    values = {operand_name(source.graph, n): n.value for n in source.graph.nodes if n.op == "given_or"}
    dtypes = {tensor.name: tensor.dtypes for tensor in source.signature.op.inputs}
    arguments = []
    for tensor in kernel.op.inputs:
        local = lower_camel(f"value_{tensor.name}")
        if tensor.name in grads:
            arguments.append(grads[tensor.name])
            continue
        if tensor.name in products:
            left, right = _operands(source, products[tensor.name])
            value = _product(left, right, products[tensor.name].transposed)
            cast = f".to({grad}.scalar_type())" if tensor.dtypes != dtypes[left] else ""
            yield cpp_assignment(f"at::Tensor {local}", f"{value}{cast};", 4)
        elif tensor.name in values:
            size = "{}" if source.shape is None else f"{grad}.sizes()"
            if source.shape is not None and tensor.name in source.shape.row_vectors:
                size = f"{{{grad}.size(-1)}}"
            full = f"at::full({size}, {values[tensor.name]!r}, {_alike(source, kernel, tensor.name, grad)})"
            yield cpp_assignment(f"at::Tensor {local}", f"{tensor.name}.has_value() ? *{tensor.name} : {full};", 4)
        else:
            local = tensor.name
        arguments.append(local)
    yield cpp_call(f"auto kernelGradients = op_api::{name}(", (*arguments, *kernel.attrs), ");", 4)


def _alike(source: _Source, kernel: Signature, name: str, grad: str) -> str:
    """The options of a tensor that stands for one that is not given: of one whose dtypes are the same."""
    if source.shape is not None:
        return f"{grad}.options()"
    mine = [row[kernel.inputs.index(name)] for row in kernel.input_columns]
    for place, tensor in enumerate(kernel.op.inputs):
        known = tensor.name.startswith("grad_") or tensor.name not in source.signature.optional
        if known and input_kind(tensor) == "tensor" and [row[place] for row in kernel.input_columns] == mine:
            return f"{grad if tensor.name.startswith('grad_') else tensor.name}.options()"
    return f"{grad}.options()"


def _summed(source: _Source, name: str, grads: dict[str, str]) -> str:
    """Of an elementwise op: what was broadcast is summed."""
    at = f"{name}->" if name in source.signature.optional else f"{name}."
    return f"at::sum_to({grads[source.backward.gradients[name]]}, {at}sizes()).to({at}scalar_type())"


def _operands(source: _Source, node: Node) -> tuple[str, str]:
    left, right = (source.graph[operand].name or "" for operand in node.operands)
    return left, right


def _product(left: str, right: str, transposed: tuple[bool, bool]) -> str:
    return f"at::matmul({left}{'.mT()' if transposed[0] else ''}, {right}{'.mT()' if transposed[1] else ''})"


def _product_gradient(source: _Source, name: str, grads: dict[str, str]) -> str:
    """Of an op with products: one term for each product that an input is part of, and what the epilogue reads."""
    shape = source.shape
    assert shape is not None  # noqa: S101  (the caller asked)
    made = source.kernel.op.outputs if source.kernel is not None else ()
    dtypes = {tensor.name: tensor.dtypes for tensor in made}
    dtypes |= {f"grad_{tensor.name}": tensor.dtypes for tensor in source.signature.op.outputs}
    given = {tensor.name: tensor.dtypes for tensor in source.signature.op.inputs}
    folds = shape.rows == ("...",)

    def rows(tensor: str) -> str:
        return f"custom_op::folded({tensor})" if folds else tensor

    def cast(holder: str, target: str, at: str) -> str:
        return grads[holder] if dtypes[holder] == given[target] else f"{grads[holder]}.to({at}scalar_type())"

    terms = []
    for node in source.graph.products:
        holder = source.backward.gradients.get(node.name or "")
        left, right = _operands(source, node)
        if holder is None or name not in (left, right):
            continue
        grad = cast(holder, left, f"{left}.")
        first, second = node.transposed
        if name == left:
            terms.append(_product(right, grad, (second, True)) if first else _product(grad, right, (False, not second)))
        if name == right:
            folded, kept = rows(grad), rows(left)
            terms.append(
                _product(folded, kept, (True, first)) if second else _product(kept, folded, (not first, False))
            )
    holder = source.backward.gradients.get(name)
    if holder is not None:
        grad = cast(holder, name, f"{name}->" if name in source.signature.optional else f"{name}.")
        terms.append(f"custom_op::folded({grad}).sum(0)" if name in shape.row_vectors else grad)
    return " + ".join(terms)
