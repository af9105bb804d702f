"""The bodies of an op's Meta function and CPU implementation in _ops.py."""

from __future__ import annotations

from opforge.render.layout import python_call, python_collection, python_results, python_return
from opforge.render.torch.dims import computed_dims, python_shape
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.model import TensorSpec


class Implementations:
    """Writes both for one op: the same checks, then empty tensors or the reference's results."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        local = Names((*signature.names, "torch"))
        self.sizes = local.new("sizes")
        self.shape = local.new("shape")

    def fake(self) -> tuple[str, ...]:
        """The Meta function: shapes and dtypes of what the operator returns."""
        lines = self._checks(shapes=True)
        lines += [self._dynamic(tensor) for tensor in self.signature.op.outputs if tensor.shaped]
        made = [(i, tensor) for i, tensor in enumerate(self.signature.op.outputs) if tensor.inplace is None]
        if len(made) == 1:
            lines.append(self._empty("return ", *made[0], 4))
        elif made:
            lines.append(python_collection("return (", [self._empty("", *each, 8) for each in made], ")", 4))
        return tuple(lines)

    def cpu(self) -> tuple[str, ...]:
        """The CPU implementation: what the reference computes, copied to where it belongs."""
        signature, kernel = self.signature, self.signature.kernel
        if not kernel.computable:
            return (f'raise _fallback.no_reference("{signature.function}", {signature.first})',)
        lines = self._checks(shapes=not kernel.expressed or bool(signature.written))
        # A reference would find it out in words of its own.
        lines += [self._shape_of(tensor) for tensor in signature.op.outputs if computed_dims(signature, tensor.dims)]
        function = f"_reference.{signature.function}"
        if not kernel.expressed:
            function = (signature.op.reference or "").replace(":", ".")
        lines.append(python_results(signature.outputs, f"{function}(", (*signature.inputs, *signature.attrs), 4))
        for place, tensor in enumerate(signature.op.outputs):
            if not kernel.expressed:
                lines.append(self._fitting(place, tensor))
            if tensor.inplace is not None:
                lines.append(f"{tensor.inplace}.copy_({tensor.name})")
        returned = [f"{tensor.name}.contiguous()" if kernel.expressed else tensor.name for tensor in signature.made]
        return (*lines, python_return(returned, 4)) if returned else tuple(lines)

    def _checks(self, *, shapes: bool) -> list[str]:
        """The checks; with ``shapes``, what the outputs' shapes are made of has names afterwards."""
        signature, constant = self.signature, self.signature.function.upper()
        given = [f"{name}={name}" for name in signature.inputs]
        whole = [f"{name}={name}" for name in signature.whole_attrs]
        lines = [python_call("_checks.check_int32(", [f'"{signature.function}"', *whole], ")", 4)] if whole else []
        if signature.texts:
            texts = [f"{name}={name}" for name in signature.texts]
            lines.append(python_call("_checks.check_texts(", [f'"{signature.function}"', *texts], ")", 4))
        if signature.plain:
            items = [f'"{signature.function}"', f"{constant}_COLUMNS", *given]
            target = f"{self.shape} = " if shapes else ""
            return [*lines, python_call(f"{target}_checks.check_arguments(", items, ")", 4)]
        items = [f'"{signature.function}"', f"{constant}_COLUMNS", f"{constant}_SHAPES", *given]
        call = "_shapes.check_arguments("
        used = signature.kernel.broadcasts or (shapes and (bool(signature.written) or self._reads_sizes()))
        lines.append(python_call(f"{self.sizes} = {call}" if used else call, items, ")", 4))
        if signature.kernel.broadcasts:
            lines.append(f"{self.shape} = {self.sizes}.broadcast()" if shapes else f"{self.sizes}.broadcast()")
        if shapes:
            for tensor in signature.op.outputs:
                if tensor.inplace is not None:
                    items = [f'"{tensor.inplace}"', tensor.inplace, self._shape_of(tensor)]
                    lines.append(python_call(f"{self.sizes}.check_written(", items, ")", 4))
        return lines

    def _reads_sizes(self) -> bool:
        return any(f"{self.sizes}[" in text or f"{self.sizes}." in text for text in map(self._shape_of, self._outputs))

    @property
    def _outputs(self) -> tuple[TensorSpec, ...]:
        return self.signature.op.outputs

    def _shape_of(self, tensor: TensorSpec) -> str:
        if self.signature.kernel.broadcasts:
            return self.shape
        shape = python_shape(self.signature, tensor.dims, self.sizes)
        if computed_dims(self.signature, tensor.dims):
            return f'_shapes.made("{self.signature.function}", "{tensor.name}", {shape})'
        return shape

    def _empty(self, head: str, place: int, tensor: TensorSpec, indent: int) -> str:
        """An output without data."""
        first, dtype = self.signature.first, self._dtype(place)
        given = [] if dtype == f"{first}.dtype" else [f"dtype={dtype}"]
        shape = f"{tensor.name}_{self.shape}" if tensor.shaped else self._shape_of(tensor)
        return python_call(f"{head}{first}.new_empty(", [shape, *given], ")", indent)

    def _dynamic(self, tensor: TensorSpec) -> str:
        """The sizes of an output whose shape its kernel says, as far as they are known before."""
        return python_call(f"{tensor.name}_{self.shape} = _by_hand.dynamic(", [self._shape_of(tensor)], ")", 4)

    def _fitting(self, place: int, tensor: TensorSpec) -> str:
        """A result of the user's own reference, as the spec says it is."""
        items = [f'"{self.signature.function}"', f'"{tensor.name}"', tensor.name, self._shape_of(tensor)]
        fitting = "fitting_in" if tensor.shaped else "fitting"
        return python_call(f"{tensor.name} = _by_hand.{fitting}(", [*items, self._dtype(place)], ")", 4)

    def _dtype(self, place: int) -> str:
        """Source of an output's dtype; the table, where there is one, is the reference's, or _ops.py's own."""
        return self.signature.output_dtype(place, "_reference." if self.signature.kernel.expressed else "")
