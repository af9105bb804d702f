"""The sizes at which `opforge tune` looks: ``...=2048,H=4096,I=11008`` becomes the shapes of all tensors."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping

from opforge.build.tuned_table import Shapes, varying
from opforge.errors import UsageError
from opforge.frozen import dataclass
from opforge.program import Kernel, Shape
from opforge.render.ascendc.trials import shape_of
from opforge.spec.dimensions import Dots, Symbol
from opforge.spec.model import OpSpec

_PART = re.compile(r"([^=,\s]+)=(none|\d+(?:x\d+)*)")


@dataclass(frozen=True)
class Size:
    """Extents by name: of symbols, of ``...``, and whole shapes of inputs; None: an optional input is missing."""

    text: str
    extents: Mapping[str, Shape | None]

    @classmethod
    def parse(cls, text: str) -> Size:
        """The size in a text. Raises UsageError."""
        parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
        if not all(parts):
            raise UsageError(f"--at {text} is not a size", hint='for example --at "...=2048,H=4096"')
        found = [(part[1], part[2]) for part in parts if part]
        extents = {name: None if value == "none" else tuple(map(int, value.split("x"))) for name, value in found}
        return cls(text, extents)

    def shapes(self, kernel: Kernel) -> Shapes:
        """The shapes of an op's inputs. Raises UsageError if one is not given."""
        op, known = kernel.op, self.extents
        names = needed(op)
        missing = [name for name in names if name not in known and not _all_given(op, name, known)]
        unknown = [name for name in known if name not in (*names, *(tensor.name for tensor in op.inputs))]
        inputs = {tensor.name for tensor in op.inputs}
        several = [n for n, shape in known.items() if n != "..." and n not in inputs and len(shape or ()) != 1]
        if unknown:
            raise self._refusal(op, f"{op.type} has no {', '.join(unknown)}")
        if missing:
            raise self._refusal(op, f"it does not say {', '.join(missing)}")
        if several:
            raise self._refusal(op, f"{several[0]} is one number")
        sizes = {name: shape[0] for name, shape in known.items() if shape is not None and len(shape) == 1}
        leading = known.get("...") or ()
        shapes: dict[str, Shape | None] = {}
        for tensor in op.inputs:
            if tensor.name in known:
                shapes[tensor.name] = known[tensor.name]
            else:
                shapes[tensor.name] = () if tensor.scalar else shape_of(tensor.dimensions, leading, sizes)
        if not all(map(math.prod, filter(None, shapes.values()))):
            raise self._refusal(op, "a tensor without elements needs no plan")
        return shapes

    def _refusal(self, op: OpSpec, what: str) -> UsageError:
        return UsageError(f"--at {self.text}: {what}", hint=f'for example --at "{example(op)}"')


def _all_given(op: OpSpec, name: str, known: Mapping[str, Shape | None]) -> bool:
    """Whether each input with this dimension has a shape of its own."""
    return all(tensor.name in known for tensor in op.inputs if name in tensor.dims)


def needed(op: OpSpec) -> tuple[str, ...]:
    """The names of the dimensions of an op's inputs, in their order."""
    dims = itertools.chain.from_iterable(tensor.dimensions for tensor in op.inputs if not tensor.scalar)
    names = ("..." + dim.name if isinstance(dim, Dots) else dim.name for dim in dims if isinstance(dim, Dots | Symbol))
    return tuple(dict.fromkeys(names))


def example(op: OpSpec) -> str:
    """A size as ``--at`` takes it."""
    names = needed(op)
    alone = names == ("...",)
    return ",".join(f"{name}={'2048x4096' if alone else '2048' if name == '...' else '4096'}" for name in names)


def with_rows(op: OpSpec, shapes: Shapes, rows: int) -> Shapes:
    """The same shapes with another number of rows: inputs with as many leading elements as the op get it."""
    varies = varying(op, shapes)
    return {name: (rows, shape[-1]) if shape and name in varies else shape for name, shape in shapes.items()}
