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
from opforge.render.torch.derivative import gradients_definition, keep, return_gradients, start_gradients
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names, number, product
from opforge.render.torch.statements import Statements


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
        self.row_results = {f"grad_{output.name}": output.row for output in graph.outputs if output.row is not None}
        self.columns = f"{shape.right[0]}.shape[{-2 if shape.transposed[1] else -1}]"
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
        body, results = Statements(), tuple(self.results.values())
        body.unpack(kept, "ctx.saved_tensors")
        start_gradients(body, results)
        if self.kernel is not None and through:
            some = len(through) < len(self.signature.inputs)
            with body.when(" or ".join(map(self._wanted, through)) if some else ""):
                self._kernel_call(self.kernel, body)
                for name in through:
                    self._gradient(name, terms[name], body)
        for name in self.signature.inputs:
            if name not in through and terms[name]:
                self._gradient(name, terms[name], body)
        return_gradients(body, self.signature, results)
        return Derivative(
            setup_lines=tuple(keep(self.signature, kept, attrs, ()).lines),
            signature=gradients_definition(self.signature),
            lines=tuple(body.lines),
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
        local = self._whole(source)
        return local if given[source] == self.dtypes[name] else f"{local}.to({name}.dtype)"

    def _whole(self, source: str) -> str:
        """A gradient of the products' shape: that of a result with one element for each row stands for a whole row."""
        if source not in self.row_results:
            return self.names[source]
        return f"_products.repeated({self._whole_rank(source)}, {self.columns})"

    def _whole_rank(self, source: str) -> str:
        """A gradient with all dimensions."""
        dropped = self.row_results.get(source) == "dropped"
        return f"{self.names[source]}.unsqueeze(-1)" if dropped else self.names[source]

    def _kept(self, terms: Mapping[str, tuple[_Term, ...]]) -> list[str]:
        """The inputs that the derivative reads."""
        used = {term.reads for found in terms.values() for term in found}
        used |= {name for name, found in terms.items() if any(f"{name}.dtype" in term.text for term in found)}
        texts = [term.text for found in terms.values() for term in found]
        texts += map(self._given, self.values if self.kernel is not None else ())
        used |= {self.shape.right[0]} if any(self.columns in text for text in texts) else set()
        if self.kernel is not None:
            used |= set(self.kernel.inputs)
            for made, node in self.products.items():
                if made in self.kernel.inputs:
                    used |= set(self._operands(node))
        return [name for name in self.signature.inputs if name in used]

    def _kernel_call(self, kernel: Signature, body: Statements) -> None:
        for tensor in kernel.op.inputs:
            name = tensor.name
            if name in self.products:
                left, right = self._operands(self.products[name])
                value = product(left, right, self.products[name].transposed)
                if tensor.dtypes != self.dtypes[left]:
                    value = f"({value}).to({self.grads[0]}.dtype)"
                body.assign(self.names[name], value)
            elif name in self.values:
                body.assign(self.values[name][0], self._given(name))
        arguments = [self.values[name][0] if name in self.values else self._argument(name) for name in kernel.inputs]
        arguments += [f"ctx.{attr.name}" for attr in kernel.op.attrs]
        function = f"torch.ops.{self.signature.package}.{kernel.function}"
        body.assign_results([self.names[name] for name in kernel.outputs], function, arguments)

    def _argument(self, name: str) -> str:
        return self._whole_rank(name) if name in self.row_results else self.names.get(name, name)

    def _given(self, name: str) -> str:
        """An optional input as the tensor that the kernel needs: the expanded number if it is left out."""
        size = f"{self.grads[0]}.shape{'[-1:]' if name in self.shape.row_vectors else ''}"
        size = f"({self.columns},)" if self.graph.reductions else size  # its kernel broadcasts
        value = number(self.values[name][1])
        return f"{self.grads[0]}.new_full({size}, {value}) if {name} is None else {name}"

    def _gradient(self, name: str, terms: tuple[_Term, ...], body: Statements) -> None:
        with body.when(self._wanted(name)):
            body.assign_sum(self.results[name], [term.text for term in terms])
