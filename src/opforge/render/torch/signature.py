"""How the torch side spells an op's signature: parameters, annotations, defaults, the dispatcher's schema, columns."""

from __future__ import annotations

import json
from dataclasses import dataclass

from opforge.dtypes import DTYPES
from opforge.naming import torch_function
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec

_SCHEMA_TYPES = {"int": "int", "float": "float", "bool": "bool", "str": "str"}


@dataclass(frozen=True)
class Signature:
    """An op as torch code spells it. ``columns`` are dtype names, an entry per tensor.

    ``products`` says that it has matrix products; ``gradient_of`` names the function whose derivative's kernel it is.
    """

    op: OpSpec
    package: str
    products: bool = False
    gradient_of: str | None = None

    @property
    def function(self) -> str:
        """The operator's name under torch.ops.<package>, and the Python function's."""
        return torch_function(self.op.type, self.package)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input tensors."""
        return tuple(tensor.name for tensor in self.op.inputs)

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the input tensors that a caller must give."""
        return tuple(tensor.name for tensor in self.op.inputs if not tensor.optional)

    @property
    def optional(self) -> tuple[str, ...]:
        """Names of the others."""
        return tuple(tensor.name for tensor in self.op.inputs if tensor.optional)

    @property
    def attrs(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(attr.name for attr in self.op.attrs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(tensor.name for tensor in self.op.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name a user chose."""
        return (*self.inputs, *self.attrs, *self.outputs)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Python parameters with annotations and defaults."""
        made = [self._parameter(tensor) for tensor in self.op.inputs]
        for attr in self.op.attrs:
            default = f" = {python_literal(attr)}" if attr.name in self.defaults else ""
            made.append(f"{attr.name}: {attr.type}{default}")
        return tuple(made)

    def _parameter(self, tensor: TensorSpec) -> str:
        if not tensor.optional:
            return f"{tensor.name}: Tensor"
        return f"{tensor.name}: Tensor | None{' = None' if tensor.name in self.defaults else ''}"

    @property
    def defaults(self) -> frozenset[str]:
        """Optional inputs and attributes that a caller may leave out.

        One that a required argument follows must be given: arguments are positional, as in aclnn.
        """
        found: set[str] = set()
        last_first = [(attr.name, attr.required) for attr in reversed(self.op.attrs)]
        last_first += [(tensor.name, not tensor.optional) for tensor in reversed(self.op.inputs)]
        for name, required in last_first:
            if required:
                break
            found.add(name)
        return frozenset(found)

    @property
    def returns(self) -> str:
        """The Python annotation of the result."""
        return "Tensor" if len(self.outputs) == 1 else f"tuple[{', '.join('Tensor' for _ in self.outputs)}]"

    @property
    def schema(self) -> str:
        """The dispatcher's schema: positional arguments only, in the order of the aclnn call."""
        arguments = []
        for tensor in self.op.inputs:
            given = "=None" if tensor.name in self.defaults else ""
            arguments.append(f"Tensor? {tensor.name}{given}" if tensor.optional else f"Tensor {tensor.name}")
        for attr in self.op.attrs:
            default = f"={schema_literal(attr)}" if attr.name in self.defaults else ""
            arguments.append(f"{_SCHEMA_TYPES[attr.type]} {attr.name}{default}")
        returns = "Tensor" if len(self.outputs) == 1 else f"({', '.join(f'Tensor {name}' for name in self.outputs)})"
        return f"{self.function}({', '.join(arguments)}) -> {returns}"

    @property
    def input_columns(self) -> tuple[tuple[str, ...], ...]:
        """Supported combinations of input dtypes."""
        return tuple(zip(*(tensor.dtypes for tensor in self.op.inputs), strict=True))

    @property
    def output_columns(self) -> tuple[tuple[str, ...], ...]:
        """The outputs' dtypes for each of them."""
        return tuple(zip(*(tensor.dtypes for tensor in self.op.outputs), strict=True))

    def follows(self, index: int) -> str | None:
        """The input whose dtype an output has in every combination; None: only the combination tells."""
        output = self.op.outputs[index]
        given = (tensor for tensor in self.op.inputs if not tensor.optional)
        return next((tensor.name for tensor in given if tensor.dtypes == output.dtypes), None)

    def output_table(self, index: int) -> str:
        """Name of the constant that gives an output's dtype for each combination, where ``follows`` gives none."""
        return f"{self.function.upper()}_{self.outputs[index].upper()}_DTYPES"

    def output_dtype(self, index: int, module: str = "") -> str:
        """Python source of an output's dtype. ``module`` qualifies the table, ``_reference.`` outside of it."""
        name = self.follows(index)
        if name is not None:
            return f"{name}.dtype"
        key = ", ".join(f"{name}.dtype" for name in self.required)
        comma = "," if len(self.required) == 1 else ""
        return f"{module}{self.output_table(index)}.get(({key}{comma}), torch.float64)"


def python_literal(attr: AttrSpec) -> str:
    """A default as Python source, with the quotes that ruff format prefers."""
    if isinstance(attr.default, str):
        text = json.dumps(attr.default, ensure_ascii=False)
        return repr(attr.default) if '"' in attr.default and "'" not in attr.default else text
    return repr(float(attr.default) if attr.type == "float" and attr.default is not None else attr.default)


def schema_literal(attr: AttrSpec) -> str:
    """A default in the dispatcher's schema language."""
    return json.dumps(attr.default) if attr.type == "str" else python_literal(attr)


def torch_dtype(name: str) -> str:
    """``torch.float16`` for ``float16``."""
    return f"torch.{DTYPES[name].torch}"
