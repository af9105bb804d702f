"""The bodies of an op's Meta function and CPU implementation in _ops.py."""

from __future__ import annotations

from opforge.render.torch.dims import python_shape
from opforge.render.torch.layout import python_call, python_collection, python_return
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.model import TensorSpec


class Bodies:
    """Writes both for one op: the same checks, then empty tensors or the reference's results."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        local = Names((*signature.names, "torch"))
        self.sizes = local.new("sizes")
        self.shape = local.new("shape")

    def fake(self) -> tuple[str, ...]:
        """The Meta function: shapes and dtypes of what the operator returns."""
        made = [self._empty(place, tensor) for place, tensor in enumerate(self.signature.op.outputs)]
        empties = [text for text in made if text]
        lines = self._checks(shapes=True)
        if len(empties) == 1:
            lines.append(f"return {empties[0]}")
        elif empties:
            lines.append(python_collection("return (", empties, ")", 4))
        return tuple(lines)

    def cpu(self) -> tuple[str, ...]:
        """The CPU implementation: what the reference computes, copied to where it belongs."""
        signature = self.signature
        if signature.op.handwritten and signature.op.reference is None:
            what = (
                f"{signature.package}.{signature.function} has no CPU implementation: opforge.yaml gives no reference:"
            )
            return (python_call("raise NotImplementedError(", [f'"{what}"'], ")", 4),)
        by_hand = signature.op.handwritten
        lines = self._checks(shapes=by_hand or bool(signature.written))
        function = f"_reference.{signature.function}"
        if by_hand:
            function = (signature.op.reference or "").replace(":", ".")
        results = ", ".join(signature.outputs)
        lines.append(python_call(f"{results} = {function}(", (*signature.inputs, *signature.attrs), ")", 4))
        returned = []
        for place, tensor in enumerate(signature.op.outputs):
            value = f"{tensor.name}.contiguous()"
            if by_hand:
                value = self._fitting(place, tensor)
            if tensor.inplace is not None:
                lines.append(f"{tensor.inplace}.copy_({value if by_hand else tensor.name})")
            else:
                returned.append(value)
        if returned:
            lines.append(python_return(returned, 4))
        return tuple(lines)

    def _checks(self, *, shapes: bool) -> list[str]:
        """The checks; with ``shapes``, what the outputs' shapes are made of has names afterwards."""
        signature, constant = self.signature, self.signature.function.upper()
        given = [f"{name}={name}" for name in signature.inputs]
        if signature.plain:
            items = [f'"{signature.function}"', f"{constant}_COLUMNS", *given]
            target = f"{self.shape} = " if shapes else ""
            return [python_call(f"{target}_checks.check_arguments(", items, ")", 4)]
        items = [f'"{signature.function}"', f"{constant}_COLUMNS", f"{constant}_SHAPES", *given]
        call = "_shapes.check_arguments("
        used = shapes and (signature.broadcasts or bool(signature.written) or self._reads_sizes())
        lines = [python_call(f"{self.sizes} = {call}" if used else call, items, ")", 4)]
        if signature.broadcasts and used:
            lines.append(f"{self.shape} = {self.sizes}.broadcast()")
        elif signature.broadcasts:
            lines[0] = lines[0] + ".broadcast()"
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
        if self.signature.broadcasts:
            return self.shape
        return python_shape(self.signature, tensor.dims, self.sizes)

    def _empty(self, place: int, tensor: TensorSpec) -> str:
        """An output without data; nothing for one that is written in place."""
        if tensor.inplace is not None:
            return ""
        first, dtype = self.signature.first, self.signature.output_dtype(place, "_reference.")
        given = "" if dtype == f"{first}.dtype" else f", dtype={dtype}"
        return f"{first}.new_empty({self._shape_of(tensor)}{given})"

    def _fitting(self, place: int, tensor: TensorSpec) -> str:
        """A result of the user's own reference, as the spec says it is."""
        items = [f'"{self.signature.function}"', f'"{tensor.name}"', tensor.name, self._shape_of(tensor)]
        items.append(self.signature.output_dtype(place, "_reference."))
        return f"_by_hand.fitting({', '.join(items)})"
