"""The bodies of an op's Meta function and CPU implementation in _ops.py."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.render.torch.dims import computed_dims, python_shape
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class Step:
    """A call. ``target`` is the name of its result; it is empty if the result is not used."""

    target: str
    function: str
    arguments: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text of the call, to search for names."""
        return " ".join((self.function, *self.arguments))


@dataclass(frozen=True)
class Fake:
    """The body of a Meta function: it returns one tensor made from ``empty``, a list, or the results ``several``."""

    steps: tuple[Step, ...]
    empty: tuple[str, ...]
    several: tuple[str, ...]
    maker: str = ""  # the function that makes the only result, if that is a list
    listed: tuple[str, ...] = ()  # its arguments


@dataclass(frozen=True)
class Cpu:
    """The body of a CPU implementation. If it is not ``computable``, it raises."""

    computable: bool
    steps: tuple[Step, ...]
    returned: tuple[str, ...]


class Implementations:
    """Writes both bodies for one op: the same checks, then either empty tensors or the results of the reference."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        local = Names((*signature.names, "torch"))
        self.sizes = local.new("sizes")
        self.shape = local.new("shape")

    def fake(self) -> Fake:
        """The Meta function: shapes and dtypes of the operator's results."""
        op = self.signature.op
        made = [self._empty(i, tensor) for i, tensor in enumerate(op.outputs) if tensor.inplace is None]
        listed = [tensor.dynamic for tensor in self.signature.made]
        makers = [
            f"{self.signature.first}.new_empty"
            if not tensor.dynamic
            else f"_by_hand.{'one_for_each' if tensor.count is None else 'repeated'}"
            for tensor in self.signature.made
        ]
        tensors = [f"{maker}({', '.join(arguments)})" for maker, arguments in zip(makers, made, strict=True)]
        return Fake(
            steps=(
                *self._checks(shapes=True),
                *self._own_shapes(),
                *(self._dynamic(tensor) for tensor in op.outputs if tensor.shaped),
            ),
            empty=made[0] if listed == [False] else (),
            several=tuple(tensors) if len(made) > 1 else (),
            maker=makers[0] if listed == [True] else "",
            listed=made[0] if listed == [True] else (),
        )

    def cpu(self) -> Cpu:
        """The CPU implementation: computes the reference and copies in-place results."""
        signature, kernel = self.signature, self.signature.kernel
        if not kernel.computable:
            return Cpu(computable=False, steps=(), returned=())
        steps = self._checks(shapes=not kernel.expressed or bool(signature.written))
        # Without this check, the reference would raise with a less helpful message.
        for tensor in signature.op.outputs:
            if not tensor.own_shape and computed_dims(signature, tensor.dimensions):
                steps.append(Step("", "_shapes.made", self._made(tensor)))
        function = f"_reference.{signature.function}" if kernel.expressed else self._reference
        steps.append(Step(", ".join(signature.outputs), function, (*signature.inputs, *signature.attrs)))
        for place, tensor in enumerate(signature.op.outputs):
            if not kernel.expressed:
                steps.append(self._fitting(place, tensor))
            if tensor.inplace is not None and tensor.dynamic:
                steps.append(Step("", "_by_hand.copy_each", (tensor.inplace, tensor.name)))
            elif tensor.inplace is not None:
                steps.append(Step("", f"{tensor.inplace}.copy_", (tensor.name,)))
        returned = [f"{tensor.name}.contiguous()" if kernel.expressed else tensor.name for tensor in signature.made]
        return Cpu(computable=True, steps=tuple(steps), returned=tuple(returned))

    @property
    def _reference(self) -> str:
        """The user's reference."""
        return (self.signature.op.reference or "").replace(":", ".")

    def _own_shapes(self) -> tuple[Step, ...]:
        """The call of the reference on tensors without data. Its results have the shapes that the spec leaves open."""
        op = self.signature.op
        if not any(tensor.own_shape for tensor in op.outputs):
            return ()
        names = [tensor.name if tensor.own_shape else "_" for tensor in op.outputs]
        return (Step(", ".join(names), self._reference, (*self.signature.inputs, *self.signature.attrs)),)

    def _checks(self, *, shapes: bool) -> list[Step]:
        """The checks. With ``shapes``, they also define the variables that output shapes use."""
        signature, constant = self.signature, self.signature.function.upper()
        quoted = f'"{signature.function}"'
        given = [f"{name}={name}" for name in signature.inputs]
        steps = []
        if signature.list_lengths:
            lengths = (f"{name}=({name}, {least})" for name, least in signature.list_lengths.items())
            steps.append(Step("", "_checks.check_lengths", (quoted, *lengths)))
        if signature.whole_attrs:
            whole = (f'**{{"{name}": {name}}}' if "[" in name else f"{name}={name}" for name in signature.whole_attrs)
            steps.append(Step("", "_checks.check_int32", (quoted, *whole)))
        if signature.texts:
            texts = (f"{name}={name}" for name in signature.texts)
            steps.append(Step("", "_checks.check_texts", (quoted, *texts)))
        if signature.plain:
            arguments = (quoted, f"{constant}_COLUMNS", *given)
            return [*steps, Step(self.shape if shapes else "", "_checks.check_arguments", arguments)]
        broadcasts = signature.kernel.broadcasts
        used = broadcasts or (shapes and (bool(signature.written) or self._reads_sizes()))
        arguments = (quoted, f"{constant}_COLUMNS", f"{constant}_SHAPES", *given)
        steps.append(Step(self.sizes if used else "", "_shapes.check_arguments", arguments))
        if broadcasts:
            steps.append(Step(self.shape if shapes else "", f"{self.sizes}.broadcast", ()))
        if signature.axis:
            steps.append(Step("", "_checks.check_dimension", (f"{signature.first}.dim()", signature.axis)))
        for tensor in signature.op.outputs if shapes else ():
            if tensor.inplace is not None and not tensor.dynamic:
                arguments = (f'"{tensor.inplace}"', tensor.inplace, self._shape_of(tensor))
                steps.append(Step("", f"{self.sizes}.check_written", arguments))
        return steps

    def _reads_sizes(self) -> bool:
        return any(f"{self.sizes}[" in text or f"{self.sizes}." in text for text in map(self._shape_of, self._outputs))

    @property
    def _outputs(self) -> tuple[TensorSpec, ...]:
        return self.signature.op.outputs

    def _shape_of(self, tensor: TensorSpec) -> str:
        if self.signature.kernel.broadcasts:
            return self.shape
        if tensor.own_shape:
            return tensor.name if tensor.dynamic else f"{tensor.name}.shape"
        followed = self.signature.list_of(tensor)
        if followed is not None:
            return followed
        if computed_dims(self.signature, tensor.dimensions):
            return f"_shapes.made({', '.join(self._made(tensor))})"
        return python_shape(self.signature, tensor.dimensions, self.sizes)

    def _made(self, tensor: TensorSpec) -> tuple[str, ...]:
        """The arguments that check a computed shape."""
        shape = python_shape(self.signature, tensor.dimensions, self.sizes)
        return (f'"{self.signature.function}"', f'"{tensor.name}"', shape)

    def _empty(self, place: int, tensor: TensorSpec) -> tuple[str, ...]:
        """The arguments that create an output without data."""
        dtype = self._dtype(place)
        if tensor.count is not None:
            return (*self._counted(tensor), self.signature.first, self._shape_of(tensor), dtype)
        if tensor.dynamic:
            return (self._shape_of(tensor), dtype)
        given = () if dtype == f"{self.signature.first}.dtype" else (f"dtype={dtype}",)
        return (f"{tensor.name}_{self.shape}" if tensor.shaped else self._shape_of(tensor), *given)

    def _counted(self, tensor: TensorSpec) -> tuple[str, ...]:
        """The names for messages, and the length of a list."""
        count = tensor.count if tensor.count in self.signature.attrs else f"len({tensor.count})"
        return (f'"{self.signature.function}"', f'"{tensor.name}"', count or "")

    def _dynamic(self, tensor: TensorSpec) -> Step:
        """The largest sizes of an output whose shape only its kernel knows."""
        return Step(f"{tensor.name}_{self.shape}", "_by_hand.dynamic", (self._shape_of(tensor),))

    def _fitting(self, place: int, tensor: TensorSpec) -> Step:
        """The check that a result of the user's reference has the shape and dtype of the spec."""
        quoted = (f'"{self.signature.function}"', f'"{tensor.name}"')
        arguments: tuple[str, ...] = (*quoted, tensor.name, self._shape_of(tensor))
        function = "_by_hand.fitting_in" if tensor.shaped else "_by_hand.fitting"
        function = "_by_hand.fitting_each" if tensor.dynamic else function
        if tensor.count is not None:
            function = "_by_hand.fitting_repeated"
            arguments = (*self._counted(tensor), *arguments[2:])
        return Step(tensor.name, function, (*arguments, self._dtype(place)))

    def _dtype(self, place: int) -> str:
        """Source of an output's dtype. Dtype tables of expressed ops are in _reference.py, others in _ops.py."""
        return self.signature.output_dtype(place, "_reference." if self.signature.kernel.expressed else "")
