"""The Python package of a project: functions with docstrings, Meta functions, the CPU implementation, derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opforge.ir.graph import Graph
from opforge.render.torch.derivative import Derivative, derivative_of, no_derivative
from opforge.render.torch.layout import python_call, python_collection, python_return, python_rows, python_signature
from opforge.render.torch.reference import docstring
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.render.torch.spelling import Names
from opforge.spec.model import AttrSpec, ProjectSpec, TensorSpec


@dataclass(frozen=True)
class FunctionForm:
    """One function of __init__.py."""

    signature: str
    docstring: str
    check: str
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
    fake_signature: str
    fake_lines: tuple[str, ...]
    cpu_signature: str
    cpu_lines: tuple[str, ...]
    setup: bool
    derivative: Derivative
    registration: str


@dataclass(frozen=True)
class OpsForm:
    """Context of ``code/torch/python/_ops.py``."""

    package: str
    scalars: bool
    ops: tuple[OpForm, ...]


def init_context(project: ProjectSpec, signatures: Sequence[Signature]) -> InitForm:
    """The context of the package's front page."""
    functions = []
    for signature in signatures:
        tensors = [f'"{signature.function}"', *(f"{name}={name}" for name in signature.inputs)]
        arguments = (*signature.inputs, *signature.attrs)
        functions.append(
            FunctionForm(
                signature=python_signature(signature.function, signature.parameters, signature.returns),
                docstring=_function_docstring(signature),
                check=python_call("_checks.check_tensors(", tensors, ")", 4),
                call=python_call(f"return torch.ops.{project.package}.{signature.function}(", arguments, ")", 4),
            )
        )
    names = ", ".join(signature.op.type for signature in signatures)
    exports = python_collection("__all__ = [", [f'"{name}"' for name in sorted(s.function for s in signatures)], "]")
    return InitForm(project.package, f"Ascend C operators for PyTorch: {names}.", exports, tuple(functions))


def ops_context(package: str, signatures: Sequence[Signature], backwards: Mapping[str, Graph]) -> OpsForm:
    """The context of _ops.py. ``backwards`` holds the derivative's graph of each op that has one, by op type."""
    made = [_op_form(package, signature, backwards.get(signature.op.type)) for signature in signatures]
    return OpsForm(
        package=package,
        scalars=any(scalars for _, scalars in made),
        ops=tuple(form for form, _ in made),
    )


def _op_form(package: str, signature: Signature, backward: Graph | None) -> tuple[OpForm, bool]:
    function, columns = signature.function, f"{signature.function.upper()}_COLUMNS"
    shape = Names(signature.names).new("shape")
    first, one = signature.inputs[0], len(signature.outputs) == 1
    empties = []
    for i in range(len(signature.outputs)):
        dtype = signature.output_dtype(i, "_reference.")
        empties.append(f"{first}.new_empty({shape}{'' if dtype == f'{first}.dtype' else f', dtype={dtype}'})")
    check = [f'"{function}"', columns, *(f"{name}={name}" for name in signature.inputs)]
    results = ", ".join(signature.outputs)
    call = f"{results} = _reference.{function}("
    derivative = no_derivative(package, signature) if backward is None else derivative_of(signature, backward)
    setup = f"_{function}_setup_context"
    form = OpForm(
        type=signature.op.type,
        function=function,
        columns=python_rows(f"{columns}: _checks.Columns = (", [_row(c) for c in signature.input_columns], ")"),
        fake_signature=python_signature(f"_{function}_fake", signature.parameters, signature.returns),
        fake_lines=(
            python_call(f"{shape} = _checks.check_arguments(", check, ")", 4),
            f"return {empties[0]}" if one else python_collection("return (", empties, ")", 4),
        ),
        cpu_signature=python_signature(f"_{function}_cpu", signature.parameters, signature.returns),
        cpu_lines=(
            python_call("_checks.check_arguments(", check, ")", 4),
            python_call(call, (*signature.inputs, *signature.attrs), ")", 4),
            python_return([f"{name}.contiguous()" for name in signature.outputs], 4),
        ),
        setup=bool(derivative.setup_lines),
        derivative=derivative,
        registration=python_call(
            "torch.library.register_autograd(",
            [f'"{package}::{function}"', f"_{function}_backward", *([f"setup_context={setup}"] if backward else [])],
            ")",
        ),
    )
    return form, derivative.scalars


def _row(column: Sequence[str]) -> str:
    return f"({', '.join(map(torch_dtype, column))}{',' if len(column) == 1 else ''})"


def _function_docstring(signature: Signature) -> str:
    op = signature.op
    parts = [op.doc.strip() if op.doc else f"{op.type}, elementwise with NumPy's broadcasting rule."]
    parts.append("\n".join(["Computes::", "", *(f"    {line}" for line in op.compute.strip().splitlines())]))
    entries = [_tensor_entry(tensor) for tensor in op.inputs]
    entries += [_attr_entry(attr, signature) for attr in op.attrs]
    parts.append("\n".join(["Args:", *(f"    {entry}" for entry in entries)]))
    parts.append("\n".join(["Returns:", *(f"    {_tensor_entry(tensor)}" for tensor in op.outputs)]))
    limits = ["TypeError: an argument is no tensor, or the dtypes are not supported together."]
    limits.append("ValueError: the shapes do not broadcast, or have more than 8 dimensions.")
    limits.append("RuntimeError: the arguments are on several devices, or the operator failed.")
    parts.append("\n".join(["Raises:", *(f"    {limit}" for limit in limits)]))
    return docstring("\n\n".join(parts), keep_indentation=True)


def _tensor_entry(tensor: TensorSpec) -> str:
    return f"{tensor.name}: shape [{', '.join(tensor.dims)}]; {', '.join(dict.fromkeys(tensor.dtypes))}."


def _attr_entry(attr: AttrSpec, signature: Signature) -> str:
    default = f", {python_literal(attr)} by default" if attr.name in signature.defaults else ""
    return f"{attr.name}: {attr.type}{default}."
