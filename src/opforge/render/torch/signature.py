"""An op's signature on the torch side: parameters, annotations, defaults, the dispatcher's schema, columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from opforge.dtypes import DTYPES
from opforge.errors import Problem, SpecError
from opforge.frozen import dataclass
from opforge.naming import torch_function
from opforge.program import Kernel, Program
from opforge.render.layout import python_tuple
from opforge.render.torch.argument_types import KINDS, blocked, kind_of, label_of
from opforge.spec.arguments import input_kind, list_of
from opforge.spec.combinations import combinations, torch_combinations
from opforge.spec.model import AttrSpec, AttrType, AttrValue, OpSpec, TensorSpec

LIKE = "like"  # the tensor that gives the device of an op without tensors among its required inputs


@dataclass(frozen=True)
class Signature:
    """The op of a kernel as torch code spells it. Columns are dtype names, with one entry per tensor.

    ``modules`` and ``fuse`` are features of the project.
    """

    kernel: Kernel
    package: str
    modules: bool = True
    fuse: bool = True

    @property
    def op(self) -> OpSpec:
        """The op."""
        return self.kernel.op

    @property
    def gradient_of(self) -> str | None:
        """The function whose derivative this kernel computes; None for an op of the spec."""
        of = self.kernel.gradient_of
        return None if of is None else torch_function(of, self.package)

    @property
    def whole_attrs(self) -> tuple[str, ...]:
        """The attributes, and the elements of lists, that the kernel uses as int32."""
        return self.kernel.expression.whole_attrs if self.kernel.expressed else ()

    @property
    def list_lengths(self) -> Mapping[str, int]:
        """The list attributes of which the kernel uses elements, and how many each must have."""
        return self.kernel.expression.list_lengths if self.kernel.expressed else {}

    @property
    def function(self) -> str:
        """The name of the operator under torch.ops.<package>, and of the Python function."""
        return torch_function(self.op.type, self.package)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(tensor.name for tensor in self.op.inputs)

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the required inputs that are single tensors."""
        return tuple(t.name for t in self.op.inputs if input_kind(t) == "tensor" and not t.optional)

    @property
    def optional(self) -> tuple[str, ...]:
        """Names of the inputs that a caller may omit."""
        return tuple(tensor.name for tensor in self.op.inputs if tensor.optional)

    @property
    def axis(self) -> str:
        """The source of the dimension that is reduced or measured if only a call knows which; otherwise empty."""
        return self.kernel.expression.dim if self.kernel.expressed else ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Names of the attributes that are strings."""
        return tuple(attr.name for attr in self.op.attrs if attr.type == "str")

    @property
    def attrs(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(attr.name for attr in self.op.attrs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(tensor.name for tensor in self.op.outputs)

    @property
    def made(self) -> tuple[TensorSpec, ...]:
        """The outputs that the dispatcher's operator returns: all except in-place outputs."""
        return tuple(tensor for tensor in self.op.outputs if tensor.inplace is None)

    def check(self) -> None:
        """Raises SpecError if torch operators cannot express the op."""
        socs: list[str | None] = [soc.name for soc in self.kernel.socs if combinations(self.op, soc.name)]
        socs = socs or [None]
        if not any(torch_combinations(self.op, soc) for soc in socs):
            raise SpecError([_lacking(self.op, socs[0])])
        in_blocks = [tensor for tensor in self.op.inputs if tensor.name not in self.written and blocked(tensor)]
        for tensor in (*self.op.inputs, *self.op.outputs):
            plain = not tensor.formats or "ND" in tensor.formats or label_of(tensor) is not None
            if not plain and not any(tensor is one for one in in_blocks):
                what = f"{self.op.type}: {tensor.name} has the formats {', '.join(dict.fromkeys(tensor.formats))} alone"
                hint = "give it a column of ND for each dtype; an input that is only read may have FRACTAL_NZ instead"
                raise SpecError([Problem(what, hint=hint)])
        if self.typed:
            return
        given = any(input_kind(tensor) in ("tensor", "tensors") for tensor in self.op.inputs)
        if given or any(self.constant(place) is None for place in range(len(self.outputs))):
            hint = "give it one: torch chooses the device and the dtypes of outputs by an operator's tensors"
            raise SpecError([Problem(f"{self.op.type} has no tensor among its required inputs", hint=hint)])
        for name in (LIKE, "device"):
            if name in self.names:
                what = f"{self.op.type} has no tensor among its required inputs, so that `{name}` names the device"
                raise SpecError([Problem(what, hint="rename the input, attribute or output of this name")])

    @property
    def written(self) -> tuple[str, ...]:
        """The inputs whose memory outputs are written to."""
        return tuple(tensor.inplace for tensor in self.op.outputs if tensor.inplace is not None)

    @property
    def names(self) -> tuple[str, ...]:
        """All names from the spec."""
        return (*self.inputs, *self.attrs, *self.outputs)

    def spelled(self, name: str) -> str:
        """The source of an input or attribute in the op's expression, where it meets the other inputs."""
        if not self.kernel.expressed:
            return name
        graph = self.kernel.expression
        return graph.axes.unsqueezed(name) if name in graph.unsqueezed else name

    def list_of(self, output: TensorSpec) -> str | None:
        """The list of inputs that an output follows, tensor by tensor; None for other outputs."""
        followed = list_of(self.op, output)
        return None if followed is None else followed.name

    @property
    def lists(self) -> bool:
        """Whether any output is a list of tensors."""
        return any(tensor.dynamic for tensor in self.op.outputs)

    @property
    def plain(self) -> bool:
        """Whether all inputs are required tensors of any shape that broadcast to new outputs."""
        simple = all(t.dims == ("...",) and input_kind(t) == "tensor" and not t.optional for t in self.op.inputs)
        return simple and self.kernel.broadcasts and not self.written and not self.kernel.leading_alike

    @property
    def first(self) -> str:
        """The source, in Python and C++, of a tensor that is always given."""
        return self.typed[0][1] if self.typed else LIKE

    @property
    def placed(self) -> tuple[str, ...]:
        """The additional first argument of the dispatcher's operator: torch takes the device of the call from it."""
        return () if self.typed else (LIKE,)

    @property
    def dispatched(self) -> tuple[str, ...]:
        """Python parameters of the dispatcher's operator."""
        return (*(f"{name}: Tensor" for name in self.placed), *self.parameters)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Python parameters with annotations and defaults."""
        made = []
        for tensor in self.op.inputs:
            none = " | None" if tensor.optional else ""
            made.append(f"{tensor.name}: {kind_of(tensor).python}{none}{self._default(tensor.name, 'None')}")
        typed = ((attr, f"{attr.name}: {KINDS[attr.type].python}") for attr in self.op.attrs)
        return (
            *made,
            *(f"{text}{self._default(attr.name, python_literal(attr.type, attr.default))}" for attr, text in typed),
        )

    def _default(self, name: str, value: str) -> str:
        return f" = {value}" if name in self.defaults else ""

    @property
    def defaults(self) -> frozenset[str]:
        """Optional inputs and attributes that a caller may omit.

        An optional argument before a required one cannot be omitted, because arguments are positional, as in aclnn.
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
        """The Python annotation of all outputs."""
        return _annotation(self.op.outputs)

    @property
    def returns_made(self) -> str:
        """The Python annotation of the results of the dispatcher's operator."""
        return _annotation(self.made)

    @property
    def schema(self) -> str:
        """The dispatcher's schema: positional arguments only, in the order of the aclnn call."""
        arguments = [f"Tensor {name}" for name in self.placed]
        marks = iter("abcdefghijklmnopqrstuvwxyz")
        for tensor in self.op.inputs:
            given = "=None" if tensor.name in self.defaults else ""
            typed = kind_of(tensor).schema
            if tensor.name in self.written:
                typed = typed.replace("Tensor", f"Tensor({next(marks)}!)")
            arguments.append(f"{typed}{'?' if tensor.optional else ''} {tensor.name}{given}")
        for attr in self.op.attrs:
            default = f"={schema_literal(attr)}" if attr.name in self.defaults else ""
            arguments.append(f"{KINDS[attr.type].schema} {attr.name}{default}")
        types = ["Tensor[]" if tensor.dynamic else "Tensor" for tensor in self.made]
        returned = [f"{type_} {tensor.name}" for type_, tensor in zip(types, self.made, strict=True)]
        returns = types[0] if len(types) == 1 else f"({', '.join(returned)})"
        return f"{self.function}({', '.join(arguments)}) -> {returns}"

    @property
    def input_columns(self) -> tuple[tuple[str, ...], ...]:
        """Supported combinations of input dtypes."""
        return tuple(row[: len(self.inputs)] for row in self._rows)

    @property
    def output_columns(self) -> tuple[tuple[str, ...], ...]:
        """The output dtypes of each combination in ``input_columns``."""
        return tuple(row[len(self.inputs) :] for row in self._rows)

    @property
    def _rows(self) -> tuple[tuple[str, ...], ...]:
        """Combinations for a call. Of those that differ only in outputs, the widest, since a call names no dtypes."""
        rows: dict[tuple[str, ...], tuple[str, ...]] = {}
        for row in torch_combinations(self.op):
            given = row[: len(self.inputs)]
            known = rows.setdefault(given, row)
            if sum(DTYPES[name].bits for name in row) > sum(DTYPES[name].bits for name in known):
                rows[given] = row
        return tuple(rows.values())

    @property
    def typed(self) -> tuple[tuple[int, str], ...]:
        """Index and source of every tensor that is always given; for a list, of its first tensor."""
        given = ((place, tensor) for place, tensor in enumerate(self.op.inputs) if not tensor.optional)
        return tuple(
            (place, f"{tensor.name}[0]" if tensor.dynamic else tensor.name)
            for place, tensor in given
            if input_kind(tensor) in ("tensor", "tensors")
        )

    def follows(self, index: int) -> str | None:
        """The source of a tensor that always has the dtype of the output; None if there is no such tensor."""
        output = [row[index] for row in self.output_columns]
        alike = (source for place, source in self.typed if [row[place] for row in self.input_columns] == output)
        return next(alike, None)

    def constant(self, index: int) -> str | None:
        """The dtype that the output has in every combination; None if it follows an input or varies."""
        dtypes = {row[index] for row in self.output_columns}
        return dtypes.pop() if len(dtypes) == 1 and self.follows(index) is None else None

    def output_table(self, index: int) -> str:
        """The name of the table with an output's dtype for each combination. Only some outputs need one."""
        return f"{self.function.upper()}_{self.outputs[index].upper()}_DTYPES"

    def output_dtype(self, index: int, module: str = "") -> str:
        """Python source of an output's dtype. ``module`` qualifies the table: ``_reference.`` outside that module."""
        name, constant = self.follows(index), self.constant(index)
        if name is not None:
            return f"{name}.dtype"
        if constant is not None:
            floats = [source for place, source in self.typed if DTYPES[self.input_columns[0][place]].floating]
            if DTYPES[constant].floating and floats:
                return f"torch.float64 if {floats[0]}.dtype == torch.float64 else {torch_dtype(constant)}"
            return torch_dtype(constant)
        key = ", ".join(f"{source}.dtype" for _, source in self.typed)
        comma = "," if len(self.typed) == 1 else ""
        return f"{module}{self.output_table(index)}.get(({key}{comma}), torch.float64)"


def signature_of(program: Program, kernel: Kernel) -> Signature:
    """The signature of a kernel's op in torch code."""
    project = program.spec.project
    return Signature(kernel, project.package, modules=project.has("modules"), fuse=project.has("fuse"))


def python_literal(type_: AttrType, value: AttrValue | None) -> str:
    """An attribute's value as Python source, with the quotes that ruff format uses."""
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return repr(value) if '"' in value and "'" not in value else text
    if isinstance(value, tuple):
        items = [_number(item, type_) for item in value]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return "None" if value is None else _number(value, type_)


def schema_literal(attr: AttrSpec) -> str:
    """A default in the dispatcher's schema language."""
    if isinstance(attr.default, tuple):
        return f"[{', '.join(_number(item, attr.type) for item in attr.default)}]"
    return json.dumps(attr.default) if attr.type == "str" else python_literal(attr.type, attr.default)


def _number(value: AttrValue, type_: str) -> str:
    return repr(float(value) if type_ in ("float", "list_float") and isinstance(value, (int, float)) else value)


def _annotation(outputs: Sequence[TensorSpec]) -> str:
    types = [annotation(tensor) for tensor in outputs]
    return "None" if not types else types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"


def annotation(output: TensorSpec) -> str:
    """The Python annotation of an output. A list that the kernel writes to is the caller's own object."""
    if not output.dynamic:
        return "Tensor"
    return "list[Tensor]" if output.inplace is None else "Sequence[Tensor]"


def torch_dtype(name: str) -> str:
    """``torch.float16`` for ``float16``."""
    return f"torch.{DTYPES[name].torch}"


def dtype_row(names: Sequence[str]) -> str:
    """A combination of dtypes as a tuple."""
    return python_tuple([torch_dtype(name) for name in names])


def _lacking(op: OpSpec, soc: str | None) -> Problem:
    """The problem of an op each of whose combinations has a dtype that torch lacks."""
    dtypes = [dtype for row in combinations(op, soc) for dtype in row if not DTYPES[dtype].torch]
    named = [t.name for t in (*op.inputs, *op.outputs) if dtypes[0] in t.dtypes]
    where = f" of {', '.join(named)}" if named else ""
    hint = "add a combination without it, which PyTorch then calls, or hold its bytes in a tensor of uint8"
    return Problem(f"{op.type}: torch has no dtype {dtypes[0]}{where}", hint=hint)
