"""Renders the derivative of an op with matrix products as torch source.

The products are computed again. The derivative's own kernel turns the outputs' gradients into those of the products and
of the epilogue's inputs; ATen's products and sums turn these into the inputs' gradients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opforge.frozen import dataclass
from opforge.ir.backward import Backward
from opforge.ir.graph import Node
from opforge.ir.product_shapes import ProductShape
from opforge.program import Derivative
from opforge.render.layout import python_call, python_return, python_sum, python_unpacking
from opforge.render.torch.derivative import backward_definition
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names, number, product


@dataclass(frozen=True)
class _Term:
    """One term of an input's gradient: the tensor it comes from, and the other tensors that it reads."""

    text: str
    source: str
    reads: str | None = None


def product_derivative(
    signature: Signature, shape: ProductShape, backward: Backward, kernel: Signature | None
) -> Derivative:
    """The derivative by ``backward``; ``kernel`` is the signature of the gradient's kernel, if it has one."""
    return _Formula(signature, shape, backward, kernel).derivative()


class _Formula:
    def __init__(self, signature: Signature, shape: ProductShape, backward: Backward, kernel: Signature | None) -> None:
        self.signature = signature
        self.graph = graph = signature.kernel.expression
        self.shape = shape
        self.kernel = kernel
        self.gradients = backward.gradients
        self.dtypes = {tensor.name: tensor.dtypes for tensor in signature.op.inputs}
        self.grads = tuple(f"grad_{name}" for name in signature.outputs)
        self.results = {name: f"grad_{name}" for name in signature.inputs}
        taken = (*signature.names, *self.grads, *self.results.values(), "torch", "_products", "ctx")
        local = Names(taken)
        self.products = {node.name or "": node for node in graph.products}
        made = kernel.outputs if kernel is not None else ()
        self.names = {name: local.new(name) for name in (*self.products, *made)}
        self.names |= {grad: grad for grad in self.grads if grad not in made}
        self.values = {
            operand_name(graph, node): (local.new(f"{operand_name(graph, node)}_or"), node.value)
            for node in graph.nodes
            if node.op == "given_or"
        }

    def derivative(self) -> Derivative:
        terms = {name: tuple(self._terms(name)) for name in self.signature.inputs}
        through = [name for name, found in terms.items() if self.kernel and any(self._is_made(t) for t in found)]
        attrs = [attr.name for attr in self.kernel.op.attrs] if self.kernel is not None else []
        kept = self._kept(terms)
        lines = [python_unpacking(kept, "ctx.saved_tensors", 4)]
        lines += [f"{result}: Tensor | None = None" for result in self.results.values()]
        some = len(through) < len(self.signature.inputs)
        column = 8 if some else 4
        block = self._kernel_call(column) if through else []
        block += [line for name in through for line in self._gradient(name, terms[name], column)]
        if through and some:
            lines += [f"if {' or '.join(map(self._wanted, through))}:", *(f"    {line}" for line in block)]
        else:
            lines += block
        for name in self.signature.inputs:
            if name not in through and terms[name]:
                lines += self._gradient(name, terms[name], 4)
        lines.append(python_return([*self.results.values(), *("None" for _ in self.signature.attrs)], 4))
        alone = len(self.results) + len(self.signature.attrs) == 1
        return Derivative(
            setup_lines=tuple(self._setup(kept, attrs)),
            signature=backward_definition(self.signature, "Tensor | None" if alone else "tuple[Tensor | None, ...]"),
            lines=tuple(lines),
            scalars=False,
        )

    def _wanted(self, name: str) -> str:
        """The condition that an input's gradient is needed. torch omits trailing arguments that are None by default."""
        place = self.signature.inputs.index(name)
        if name in self.signature.defaults:
            return f"any(ctx.needs_input_grad[{place}:{place + 1}])"
        return f"ctx.needs_input_grad[{place}]"

    def _is_made(self, term: _Term) -> bool:
        return self.kernel is not None and term.source in self.kernel.outputs

    def _operands(self, node: Node) -> tuple[str, str]:
        left, right = (self.graph[operand].name or "" for operand in node.operands)
        return left, right

    def _terms(self, name: str) -> Iterator[_Term]:
        """The terms of an input's gradient."""
        for made, node in self.products.items():
            left, right = self._operands(node)
            source = self.gradients.get(made)
            if source is None:
                continue
            grad = self._as_dtype_of(left, source)
            if name == left:
                if node.transposed[0]:
                    yield _Term(product(right, grad, (node.transposed[1], True)), source, right)
                else:
                    yield _Term(product(grad, right, (False, not node.transposed[1])), source, right)
            if name == right:
                rows, folded = self._rows(left), self._rows(grad)
                if node.transposed[1]:
                    yield _Term(product(folded, rows, (True, node.transposed[0])), source, left)
                else:
                    yield _Term(product(rows, folded, (not node.transposed[0], False)), source, left)
        source = self.gradients.get(name)
        if source is not None and name not in self.products:
            grad = self._as_dtype_of(name, source)
            yield _Term(f"_products.summed({grad})" if name in self.shape.row_vectors else grad, source)

    def _rows(self, tensor: str) -> str:
        return f"_products.folded({tensor})" if self.shape.rows == ("...",) else tensor

    def _as_dtype_of(self, name: str, source: str) -> str:
        """A gradient, cast to the input's dtype if they differ."""
        given = {f"grad_{tensor.name}": tensor.dtypes for tensor in self.signature.op.outputs}
        if self.kernel is not None:
            given |= {tensor.name: tensor.dtypes for tensor in self.kernel.op.outputs}
        local = self.names[source]
        return local if given[source] == self.dtypes[name] else f"{local}.to({name}.dtype)"

    def _kept(self, terms: Mapping[str, tuple[_Term, ...]]) -> list[str]:
        """The inputs that the derivative reads."""
        used = {term.reads for found in terms.values() for term in found}
        used |= {name for name, found in terms.items() if any(f"{name}.dtype" in term.text for term in found)}
        if self.kernel is not None:
            used |= set(self.kernel.inputs)
            for made, node in self.products.items():
                if made in self.kernel.inputs:
                    used |= set(self._operands(node))
        return [name for name in self.signature.inputs if name in used]

    def _kernel_call(self, indent: int) -> list[str]:
        if self.kernel is None:
            return []
        lines = []
        for tensor in self.kernel.op.inputs:
            name = tensor.name
            if name in self.products:
                left, right = self._operands(self.products[name])
                value = product(left, right, self.products[name].transposed)
                if tensor.dtypes != self.dtypes[left]:
                    value = f"({value}).to({self.grads[0]}.dtype)"
                lines.append(f"{self.names[name]} = {value}")
            elif name in self.values:
                lines += self._given(name)
        arguments = [
            self.values[name][0] if name in self.values else self.names.get(name, name) for name in self.kernel.inputs
        ]
        arguments += [f"ctx.{attr.name}" for attr in self.kernel.op.attrs]
        call = f"torch.ops.{self.signature.package}.{self.kernel.function}("
        results = ", ".join(self.names[name] for name in self.kernel.outputs)
        return [*lines, python_call(f"{results} = {call}", arguments, ")", indent)]

    def _given(self, name: str) -> list[str]:
        """An optional input as the tensor that the kernel needs: the expanded number if it is left out."""
        local, value = self.values[name]
        size = f"{self.grads[0]}.shape{'[-1:]' if name in self.shape.row_vectors else ''}"
        text = number(value)
        return [f"{local} = {self.grads[0]}.new_full({size}, {text}) if {name} is None else {name}"]

    def _gradient(self, name: str, terms: tuple[_Term, ...], column: int) -> list[str]:
        total = python_sum(self.results[name], [term.text for term in terms], column + 4)
        return [f"if {self._wanted(name)}:", f"    {total}"]

    def _setup(self, kept: list[str], attrs: list[str]) -> list[str]:
        inputs = (*self.signature.inputs, *self.signature.attrs)
        used = {*kept, *attrs}
        lines = [python_unpacking([name if name in used else "_" for name in inputs], "inputs", 4)]
        if kept:
            lines.append(python_call("ctx.save_for_backward(", kept, ")", 4))
        return lines + [f"ctx.{name} = {name}" for name in attrs]
