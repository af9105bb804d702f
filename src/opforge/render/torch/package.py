"""The Python package of a project: functions with docstrings, Meta functions, the CPU implementation, derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opforge.render.torch.derivative import Derivative, no_derivative
from opforge.render.torch.layout import (
    dims_literal,
    python_call,
    python_collection,
    python_return,
    python_rows,
    python_signature,
)
from opforge.render.torch.reference import docstring
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.render.torch.spelling import Names
from opforge.spec.model import AttrSpec, ProjectSpec, TensorSpec


@dataclass(frozen=True)
class OptionalCheck:
    """The check of an argument that may be None."""

    name: str
    call: str


@dataclass(frozen=True)
class FunctionForm:
    """One function of __init__.py."""

    signature: str
    docstring: str
    check: str
    optional_checks: tuple[OptionalCheck, ...]
    call: str


@dataclass(frozen=True)
class InitForm:
    """Context of ``code/torch/python/__init__.py``."""

    package: str
    summary: str
    exports: str
    ops: tuple[FunctionForm, ...]


@dataclass(frozen=True)
class OpForm:
    """What _ops.py registers for one op. Lists of lines are indented by the form."""

    type: str
    function: str
    columns: str
    shapes: str
    fake_signature: str
    fake_lines: tuple[str, ...]
    cpu_signature: str
    cpu_lines: tuple[str, ...]
    setup: bool
    derivative: Derivative
    registration: str
    autocast: str


@dataclass(frozen=True)
class OpsForm:
    """Context of ``code/torch/python/_ops.py``."""

    package: str
    modules: str
    scalars: bool
    folds: bool
    ops: tuple[OpForm, ...]


@dataclass(frozen=True)
class ChecksForm:
    """Context of ``code/torch/python/_checks.py``: which kinds of operators it checks."""

    elementwise: bool
    products: bool


def checks_context(signatures: Sequence[Signature]) -> ChecksForm:
    """The context for all ops of a project, those of derivatives included."""
    kinds = {signature.products for signature in signatures}
    return ChecksForm(False in kinds, True in kinds)


def init_context(project: ProjectSpec, signatures: Sequence[Signature]) -> InitForm:
    """The context of the package's front page."""
    functions = []
    for signature in signatures:
        tensors = [f'"{signature.function}"', *(f"{name}={name}" for name in signature.required)]
        arguments = (*signature.inputs, *signature.attrs)
        functions.append(
            FunctionForm(
                signature=python_signature(signature.function, signature.parameters, signature.returns),
                docstring=_function_docstring(signature),
                check=python_call("_checks.check_tensors(", tensors, ")", 4),
                optional_checks=tuple(
                    OptionalCheck(name, f'_checks.check_tensors("{signature.function}", {name}={name})')
                    for name in signature.optional
                ),
                call=python_call(f"return torch.ops.{project.package}.{signature.function}(", arguments, ")", 4),
            )
        )
    names = ", ".join(signature.op.type for signature in signatures)
    exports = python_collection("__all__ = [", [f'"{name}"' for name in sorted(s.function for s in signatures)], "]")
    return InitForm(project.package, f"Ascend C operators for PyTorch: {names}.", exports, tuple(functions))


def ops_context(package: str, signatures: Sequence[Signature], derivatives: Mapping[str, Derivative]) -> OpsForm:
    """The context of _ops.py. ``derivatives`` are by op type; an op without one refuses to be differentiated."""
    made = {s.op.type: derivatives.get(s.op.type) or no_derivative(s) for s in signatures}
    scalars = any(derivative.scalars for derivative in made.values())
    folds = any("_products." in line for derivative in made.values() for line in derivative.lines)
    products = any(signature.products for signature in signatures)
    further = {"_autocast": products, "_products": folds, "_scalars": scalars}
    modules = ["_checks", "_reference", "_runtime", *(name for name, used in further.items() if used)]
    return OpsForm(
        package=package,
        modules=", ".join(sorted(modules)),
        scalars=scalars,
        folds=folds,
        ops=tuple(_op_form(signature, made[signature.op.type]) for signature in signatures),
    )


def _op_form(signature: Signature, derivative: Derivative) -> OpForm:
    function, constant = signature.function, signature.function.upper()
    shape = Names(signature.names).new("shape")
    first, one = signature.required[0], len(signature.outputs) == 1
    empties = []
    for i in range(len(signature.outputs)):
        dtype = signature.output_dtype(i, "_reference.")
        empties.append(f"{first}.new_empty({shape}{'' if dtype == f'{first}.dtype' else f', dtype={dtype}'})")
    checker = "_checks.check_products(" if signature.products else "_checks.check_arguments("
    check = [f'"{function}"', f"{constant}_COLUMNS", *([f"{constant}_SHAPES"] if signature.products else [])]
    check += [f"{name}={name}" for name in signature.inputs]
    results = ", ".join(signature.outputs)
    registered = [f'"{signature.package}::{function}"', f"_{function}_backward"]
    if derivative.setup_lines:
        registered.append(f"setup_context=_{function}_setup_context")
    return OpForm(
        type=signature.op.type,
        function=function,
        columns=python_rows(
            f"{constant}_COLUMNS: _checks.Columns = (", [_row(c) for c in signature.input_columns], ")"
        ),
        shapes=_shapes(signature) if signature.products else "",
        fake_signature=python_signature(f"_{function}_fake", signature.parameters, signature.returns),
        fake_lines=(
            python_call(f"{shape} = {checker}", check, ")", 4),
            f"return {empties[0]}" if one else python_collection("return (", empties, ")", 4),
        ),
        cpu_signature=python_signature(f"_{function}_cpu", signature.parameters, signature.returns),
        cpu_lines=(
            python_call(checker, check, ")", 4),
            python_call(f"{results} = _reference.{function}(", (*signature.inputs, *signature.attrs), ")", 4),
            python_return([f"{name}.contiguous()" for name in signature.outputs], 4),
        ),
        setup=bool(derivative.setup_lines),
        derivative=derivative,
        registration=python_call("torch.library.register_autograd(", registered, ")"),
        autocast=f'_autocast.follow_autocast("{function}", {constant}_COLUMNS)' if signature.products else "",
    )


def _shapes(signature: Signature) -> str:
    """The constant that says of an op with products which sizes must be equal."""
    inputs = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in signature.op.inputs]
    fields = [python_collection("inputs={", inputs, "}", 4), f"output={dims_literal(signature.op.outputs[0].dims)}"]
    if signature.optional:
        names = ", ".join(f'"{name}"' for name in signature.optional)
        fields.append(f"optional=({names}{',' if len(signature.optional) == 1 else ''})")
    return python_collection(f"{signature.function.upper()}_SHAPES = _checks.Shapes(", fields, ")")


def _row(column: Sequence[str]) -> str:
    return f"({', '.join(map(torch_dtype, column))}{',' if len(column) == 1 else ''})"


def _function_docstring(signature: Signature) -> str:
    op = signature.op
    kind = "elementwise with NumPy's broadcasting rule"
    if signature.products:
        kind = "matrix products and what follows them in one kernel"
    parts = [op.doc.strip() if op.doc else f"{op.type}, {kind}."]
    parts.append("\n".join(["Computes::", "", *(f"    {line}" for line in op.compute.strip().splitlines())]))
    entries = [_input_entry(tensor, signature) for tensor in op.inputs]
    entries += [_attr_entry(attr, signature) for attr in op.attrs]
    parts.append("\n".join(["Args:", *(f"    {entry}" for entry in entries)]))
    parts.append("\n".join(["Returns:", *(f"    {_tensor_entry(tensor)}" for tensor in op.outputs)]))
    limits = ["TypeError: an argument is no tensor, or the dtypes are not supported together."]
    if signature.products:
        limits.append("ValueError: a symbol has two sizes, or more than int32 holds, or a rank is wrong.")
    else:
        limits.append("ValueError: the shapes do not broadcast, or have more than 8 dimensions.")
    limits.append("RuntimeError: the arguments are on several devices, or the operator failed.")
    parts.append("\n".join(["Raises:", *(f"    {limit}" for limit in limits)]))
    return docstring("\n\n".join(parts), keep_indentation=True)


def _tensor_entry(tensor: TensorSpec) -> str:
    return f"{tensor.name}: shape [{', '.join(tensor.dims)}]; {', '.join(dict.fromkeys(tensor.dtypes))}."


def _input_entry(tensor: TensorSpec, signature: Signature) -> str:
    default = ", None by default" if tensor.name in signature.defaults else ", or None"
    return f"{_tensor_entry(tensor)[:-1]}{default if tensor.optional else ''}."


def _attr_entry(attr: AttrSpec, signature: Signature) -> str:
    default = f", {python_literal(attr)} by default" if attr.name in signature.defaults else ""
    return f"{attr.name}: {attr.type}{default}."
