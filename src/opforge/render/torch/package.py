"""The Python package of a project: functions with docstrings, Meta functions, the CPU implementation, derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.program import Derivative
from opforge.render.layout import dims_literal, uses_module
from opforge.render.torch.autocast import autocast_rule
from opforge.render.torch.derivative import no_derivative
from opforge.render.torch.docstrings import function_docstring
from opforge.render.torch.fusion import fusible
from opforge.render.torch.implementations import Cpu, Fake, Implementations
from opforge.render.torch.modules import module_names
from opforge.render.torch.owned_modules import ALWAYS, OWNED
from opforge.render.torch.reference import DtypeTable
from opforge.render.torch.signature import Signature, dtype_row, torch_dtype
from opforge.spec.arguments import input_kind
from opforge.spec.model import ProjectSpec


@dataclass(frozen=True)
class Check:
    """The check of required arguments of one kind, by name."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class OptionalCheck:
    """The check of an argument that may be None."""

    name: str
    function: str


@dataclass(frozen=True)
class FunctionForm:
    """One function of __init__.py. ``made`` and ``returned`` are empty unless the op writes to arguments."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    docstring: str
    checks: tuple[Check, ...]
    optional_checks: tuple[OptionalCheck, ...]
    made: str
    arguments: tuple[str, ...]
    returned: tuple[str, ...]


@dataclass(frozen=True)
class InitForm:
    """Context of ``code/torch/python/__init__.py``."""

    package: str
    summary: str
    sequences: bool
    classes: tuple[str, ...]
    fuse: bool
    serving: bool
    converter: bool
    exports: tuple[str, ...]
    ops: tuple[FunctionForm, ...]


@dataclass(frozen=True)
class OpForm:
    """The registrations of one op in _ops.py. Lists of lines are not indented; the form does that."""

    type: str
    function: str
    constant: str
    public: str
    columns: tuple[str, ...]
    shapes: tuple[str, ...]
    tables: tuple[DtypeTable, ...]
    parameters: tuple[str, ...]
    returns: str
    first: str
    fake: Fake
    cpu: Cpu
    setup: bool
    derivative: Derivative
    in_place: bool
    registered: tuple[str, ...]
    autocast: str
    outside: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """The text that may refer to other modules of the package."""
        written = ["_in_place."] if self.in_place else []
        written += ["_shapes."] if self.shapes else []
        written += ["_autocast."] if self.autocast or self.outside else []
        listed = ["_by_hand."] if self.fake.listed else []
        steps = [step.text for step in (*self.fake.steps, *self.cpu.steps)]
        return (*steps, *self.fake.empty, *self.fake.several, *listed, *self.derivative.lines, *written)


@dataclass(frozen=True)
class OpsForm:
    """Context of ``code/torch/python/_ops.py``."""

    package: str
    own: str  # modules of the package that _ops.py imports
    owned: str  # modules below _opforge that it imports
    sequences: bool
    registered: bool  # whether any op registers a derivative, or a backward that raises
    standard: bool
    ops: tuple[OpForm, ...]


@dataclass(frozen=True)
class ChecksForm:
    """Context of ``code/torch/python/_checks.py``: which kinds of arguments it checks."""

    plain: bool
    lists: bool
    numbers: bool
    whole_attrs: bool
    listed_attrs: bool
    texts: bool
    axes: bool


def checks_context(signatures: Sequence[Signature]) -> ChecksForm:
    """The context for all ops of a project, including those of derivatives."""
    kinds = {input_kind(tensor) for signature in signatures for tensor in signature.op.inputs}
    plain = [signature.plain for signature in signatures]
    numbers = bool(kinds - {"tensor", "tensors"})
    return ChecksForm(
        plain=any(plain),
        lists=not all(plain),
        numbers=numbers,
        whole_attrs=any(signature.whole_attrs for signature in signatures),
        listed_attrs=any(signature.list_lengths for signature in signatures),
        texts=any(signature.texts for signature in signatures),
        axes=any(signature.axis for signature in signatures),
    )


def init_context(project: ProjectSpec, signatures: Sequence[Signature]) -> InitForm:
    """The context of the package's ``__init__.py``."""
    names = ", ".join(signature.op.type for signature in signatures)
    classes = module_names(signatures)
    found = bool(fusible(signatures))
    serving = project.has("serving")
    functions = [*(["fuse"] if found else []), *(["register_sglang", "register_vllm"] if serving else [])]
    exported = sorted(("FallbackWarning", *classes, *functions, *(s.function for s in signatures)))
    return InitForm(
        package=project.package,
        summary=f"Ascend C operators for PyTorch: {names}.",
        sequences=any("Sequence[" in parameter for s in signatures for parameter in s.parameters),
        classes=tuple(sorted(classes)),
        fuse=found,
        serving=serving,
        converter=project.has("converter"),
        exports=tuple(f'"{name}"' for name in exported),
        ops=tuple(_function_form(signature) for signature in signatures),
    )


_CHECKS = {"tensor": "check_tensors", "tensors": "check_lists", "number": "check_numbers"}


def _function_form(signature: Signature) -> FunctionForm:
    name = signature.function
    required: dict[str, list[str]] = {}
    optional = []
    for tensor in signature.op.inputs:
        check = _CHECKS.get(input_kind(tensor), "check_number_lists")
        if check == "check_lists" and not tensor.optional:
            check = "check_filled_lists"
        if tensor.optional:
            optional.append(OptionalCheck(tensor.name, check))
        else:
            required.setdefault(check, []).append(f"{tensor.name}={tensor.name}")
    return FunctionForm(
        name=name,
        parameters=(*signature.parameters, *(("*", 'device: torch.device | str = "npu"') if signature.placed else ())),
        returns=signature.returns,
        docstring=function_docstring(signature),
        checks=tuple(Check(check, (f'"{name}"', *given)) for check, given in required.items()),
        optional_checks=tuple(optional),
        made=", ".join(tensor.name for tensor in signature.made) if signature.written else "",
        arguments=(
            *("torch.empty(0, device=device)" for _ in signature.placed),
            *signature.inputs,
            *signature.attrs,
        ),
        returned=tuple(t.inplace or t.name for t in signature.op.outputs) if signature.written else (),
    )


def ops_context(
    package: str, signatures: Sequence[Signature], derivatives: Mapping[str, Derivative], further: Sequence[str]
) -> OpsForm:
    """The context of _ops.py.

    Args:
        package: the Python package.
        signatures: all operators.
        derivatives: by op type; an op without one refuses to be differentiated.
        further: modules of the package that ops have as their reference.
    """
    ops = tuple(_op_form(signature, derivatives.get(signature.op.type)) for signature in signatures)
    lines = [line for op in ops for line in op.lines]
    own = [name for name in ("_reference", *further) if uses_module(lines, name)]
    owned = [name for name in OWNED if name in ALWAYS or uses_module(lines, name)]
    sequences = any("Sequence[" in parameter for s in signatures for parameter in s.parameters)
    registered = any(op.registered for op in ops)
    return OpsForm(
        package=package,
        own=", ".join(sorted(own)),
        owned=", ".join(owned),
        sequences=sequences,
        registered=registered,
        standard=sequences or registered,
        ops=ops,
    )


def _op_form(signature: Signature, derived: Derivative | None) -> OpForm:
    function = signature.function
    implementations = Implementations(signature)
    derived = None if signature.placed else derived  # nothing to differentiate by
    derivative = derived or no_derivative(signature)
    registered = [f'"{signature.package}::{function}"', f"_{function}_backward"]
    if derivative.setup_lines:
        registered.append(f"setup_context=_{function}_setup_context")
    return OpForm(
        type=signature.op.type,
        function=function,
        public=signature.gradient_of or function,
        constant=function.upper(),
        columns=tuple(dtype_row(column) for column in signature.input_columns),
        shapes=() if signature.plain else _shapes(signature),
        tables=_tables(signature),
        parameters=signature.dispatched,
        returns=signature.returns_made,
        first=signature.first,
        fake=implementations.fake(),
        cpu=implementations.cpu(),
        setup=bool(derivative.setup_lines),
        derivative=derivative,
        in_place=bool(signature.written),  # torch accepts no formula for an operator that writes to its arguments
        registered=() if signature.written or signature.placed else tuple(registered),
        autocast=autocast_rule(signature),
        outside=derived is not None,
    )


def _shapes(signature: Signature) -> tuple[str, ...]:
    """The constant with the kinds of an op's arguments and the sizes that must be equal."""
    inputs = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in signature.op.inputs]
    fields = [f"inputs={{{', '.join(inputs)}}}"]
    kinds = {tensor.name: input_kind(tensor) for tensor in signature.op.inputs}
    groups = {
        "optional": signature.optional,
        "lists": [name for name, kind in kinds.items() if kind == "tensors"],
        "numbers": [name for name, kind in kinds.items() if kind not in ("tensor", "tensors")],
    }
    fields += [f"{field}={dims_literal(names)}" for field, names in groups.items() if names]
    if signature.kernel.leading_rows:
        fields.append("rows=True")
    if signature.kernel.leading_alike:
        fields.append("alike=True")
    return tuple(fields)


def _tables(signature: Signature) -> tuple[DtypeTable, ...]:
    """Tables of output dtypes by input dtypes, for ops without an expression; _reference.py has the others."""
    made = []
    for index in range(0 if signature.kernel.expressed else len(signature.outputs)):
        if signature.follows(index) is None and signature.constant(index) is None:
            given = [tuple(row[place] for place, _ in signature.typed) for row in signature.input_columns]
            dtypes = [row[index] for row in signature.output_columns]
            rows = (f"{dtype_row(key)}: {torch_dtype(dtype)}" for key, dtype in zip(given, dtypes, strict=True))
            made.append(DtypeTable(signature.output_table(index), tuple(rows)))
    return tuple(made)
