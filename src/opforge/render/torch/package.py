"""The Python package of a project: functions with docstrings, Meta functions, the CPU implementation, derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.program import Derivative
from opforge.render.layout import (
    COLUMNS,
    dims_literal,
    python_call,
    python_collection,
    python_return,
    python_row,
    python_rows,
    python_signature,
)
from opforge.render.torch.autocast import OUTSIDE, autocast_rule
from opforge.render.torch.derivative import no_derivative
from opforge.render.torch.docstrings import function_docstring
from opforge.render.torch.fusion import fusible
from opforge.render.torch.implementations import Implementations
from opforge.render.torch.modules import module_names
from opforge.render.torch.owned_modules import ALWAYS, OWNED
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.spec.arguments import input_kind
from opforge.spec.model import ProjectSpec


@dataclass(frozen=True)
class OptionalCheck:
    """The check of an argument that may be None."""

    name: str
    call: str


@dataclass(frozen=True)
class FunctionForm:
    """One function of __init__.py. ``checks`` are of what must be given; ``call`` are statements."""

    signature: str
    docstring: str
    checks: tuple[str, ...]
    optional_checks: tuple[OptionalCheck, ...]
    call: tuple[str, ...]


@dataclass(frozen=True)
class InitForm:
    """Context of ``code/torch/python/__init__.py``."""

    package: str
    summary: str
    sequences: bool
    classes: str
    fuse: bool
    converter: bool
    exports: str
    ops: tuple[FunctionForm, ...]


@dataclass(frozen=True)
class OpForm:
    """What _ops.py registers for one op. Lists of lines are indented by the form."""

    type: str
    function: str
    public: str
    columns: str
    shapes: str
    tables: tuple[str, ...]
    fake_signature: str
    fake_lines: tuple[str, ...]
    cpu_signature: str
    cpu_lines: tuple[str, ...]
    setup: bool
    derivative: Derivative
    refusal: str
    registration: str
    autocast: str
    outside: str

    @property
    def lines(self) -> tuple[str, ...]:
        """What names other modules of the package."""
        bodies = (*self.fake_lines, *self.cpu_lines, *self.derivative.lines)
        return (*bodies, self.shapes, self.refusal, self.autocast, self.outside)


@dataclass(frozen=True)
class OpsForm:
    """Context of ``code/torch/python/_ops.py``."""

    package: str
    own: str  # the modules of the package that it imports
    owned: str  # those below _opforge
    sequences: bool
    registered: bool  # whether some op has a derivative, or says that it has none
    standard: bool
    ops: tuple[OpForm, ...]


@dataclass(frozen=True)
class ChecksForm:
    """Context of ``code/torch/python/_checks.py``: which kinds of arguments it checks."""

    plain: bool
    lists: bool
    numbers: bool
    whole_attrs: bool
    texts: bool


def checks_context(signatures: Sequence[Signature]) -> ChecksForm:
    """The context for all ops of a project, those of derivatives included."""
    kinds = {input_kind(tensor) for signature in signatures for tensor in signature.op.inputs}
    plain = [signature.plain for signature in signatures]
    numbers = bool(kinds - {"tensor", "tensors"})
    return ChecksForm(
        any(plain), not all(plain), numbers, any(s.whole_attrs for s in signatures), any(s.texts for s in signatures)
    )


def init_context(project: ProjectSpec, signatures: Sequence[Signature]) -> InitForm:
    """The context of the package's front page."""
    names = ", ".join(signature.op.type for signature in signatures)
    classes = module_names(signatures)
    found = bool(fusible(signatures))
    exported = sorted(("FallbackWarning", *classes, *(["fuse"] if found else []), *(s.function for s in signatures)))
    exports = python_collection("__all__ = [", [f'"{name}"' for name in exported], "]")
    return InitForm(
        package=project.package,
        summary=f"Ascend C operators for PyTorch: {names}.",
        sequences=any("Sequence[" in parameter for s in signatures for parameter in s.parameters),
        classes=_imported(f"{project.package}._modules", classes),
        fuse=found,
        converter=project.has("converter"),
        exports=exports,
        ops=tuple(_function_form(project.package, signature) for signature in signatures),
    )


def _imported(module: str, names: Sequence[str]) -> str:
    """The import of these names; empty where there are none."""
    if not names:
        return ""
    flat = f"from {module} import {', '.join(sorted(names))}"
    return flat if len(flat) <= COLUMNS else python_collection(f"from {module} import (", sorted(names), ")")


_CHECKS = {"tensor": "check_tensors", "tensors": "check_lists", "number": "check_numbers"}


def _function_form(package: str, signature: Signature) -> FunctionForm:
    name = signature.function
    required: dict[str, list[str]] = {}
    optional = []
    for tensor in signature.op.inputs:
        check = _CHECKS.get(input_kind(tensor), "check_number_lists")
        if check == "check_lists" and not tensor.optional:
            check = "check_filled_lists"
        if tensor.optional:
            optional.append(OptionalCheck(tensor.name, f'_checks.{check}("{name}", {tensor.name}={tensor.name})'))
        else:
            required.setdefault(check, []).append(f"{tensor.name}={tensor.name}")
    checks = [python_call(f"_checks.{check}(", [f'"{name}"', *given], ")", 4) for check, given in required.items()]
    call = f"torch.ops.{package}.{name}("
    arguments = (*signature.inputs, *signature.attrs)
    if not signature.written:
        lines = [python_call(f"return {call}", arguments, ")", 4)]
    else:
        made = ", ".join(tensor.name for tensor in signature.made)
        lines = [python_call(f"{made} = {call}" if made else call, arguments, ")", 4)]
        lines.append(python_return([tensor.inplace or tensor.name for tensor in signature.op.outputs], 4))
    return FunctionForm(
        signature=python_signature(name, signature.parameters, signature.returns),
        docstring=function_docstring(signature),
        checks=tuple(checks),
        optional_checks=tuple(optional),
        call=tuple(lines),
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
    own = [name for name in ("_reference", *further) if any(f"{name}." in line for line in lines)]
    owned = [name for name in OWNED if name in ALWAYS or any(f"{name}." in line for line in lines)]
    sequences = any("Sequence[" in parameter for s in signatures for parameter in s.parameters)
    registered = any(op.registration for op in ops)
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
    function, constant = signature.function, signature.function.upper()
    implementations = Implementations(signature)
    derivative = derived or no_derivative(signature)
    registered = [f'"{signature.package}::{function}"', f"_{function}_backward"]
    if derivative.setup_lines:
        registered.append(f"setup_context=_{function}_setup_context")
    # torch takes no formula for an operator that writes to its arguments.
    refusal = f'_in_place.refuse_gradients("{function}")' if signature.written else ""
    return OpForm(
        type=signature.op.type,
        function=function,
        public=signature.gradient_of or function,
        columns=python_rows(
            f"{constant}_COLUMNS: _checks.Columns = (", [_row(c) for c in signature.input_columns], ")"
        ),
        shapes="" if signature.plain else _shapes(signature),
        tables=_tables(signature),
        fake_signature=python_signature(f"_{function}_fake", signature.parameters, signature.returns_made),
        fake_lines=implementations.fake(),
        cpu_signature=python_signature(f"_{function}_cpu", signature.parameters, signature.returns_made),
        cpu_lines=implementations.cpu(),
        setup=bool(derivative.setup_lines),
        derivative=derivative,
        refusal=refusal,
        registration="" if refusal else python_call("torch.library.register_autograd(", registered, ")"),
        autocast=autocast_rule(signature),
        outside=OUTSIDE if derived else "",
    )


def _shapes(signature: Signature) -> str:
    """The constant that says what an op's arguments are and which sizes must be equal."""
    inputs = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in signature.op.inputs]
    fields = [python_collection("inputs={", inputs, "}", 4)]
    kinds = {tensor.name: input_kind(tensor) for tensor in signature.op.inputs}
    groups = {
        "optional": signature.optional,
        "lists": [name for name, kind in kinds.items() if kind == "tensors"],
        "numbers": [name for name, kind in kinds.items() if kind not in ("tensor", "tensors")],
    }
    fields += [f"{field}={dims_literal(names)}" for field, names in groups.items() if names]
    if signature.kernel.leading_rows:
        fields.append("rows=True")
    return python_collection(f"{signature.function.upper()}_SHAPES = _shapes.Shapes(", fields, ")")


def _tables(signature: Signature) -> tuple[str, ...]:
    """Outputs' dtypes by those of the inputs, of an op without an expression; the others' are in _reference.py."""
    made = []
    for index in range(0 if signature.kernel.expressed else len(signature.outputs)):
        if signature.follows(index) is None and signature.constant(index) is None:
            given = [tuple(row[place] for place, _ in signature.typed) for row in signature.input_columns]
            dtypes = [row[index] for row in signature.output_columns]
            rows = [f"{_row(key)}: {torch_dtype(dtype)}" for key, dtype in zip(given, dtypes, strict=True)]
            made.append(python_rows(f"{signature.output_table(index)} = {{", rows, "}"))
    return tuple(made)


def _row(column: Sequence[str]) -> str:
    return python_row([torch_dtype(name) for name in column], 4)
