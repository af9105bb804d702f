"""Renders the docstrings of an op's Python function and module."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.render.torch.argument_types import KINDS
from opforge.render.torch.dims import shown_shape
from opforge.render.torch.reference import docstring
from opforge.render.torch.signature import Signature, python_literal
from opforge.spec.arguments import input_kind
from opforge.spec.model import AttrSpec, TensorSpec


def function_docstring(signature: Signature) -> str:
    """Summary, formula, arguments, results and errors, without the quotes."""
    op, parts = signature.op, _head(signature)
    entries = [_input_entry(tensor, signature) for tensor in op.inputs]
    entries += [attr_entry(attr, signature) for attr in op.attrs]
    if signature.placed:
        entries.append("device: where the operator runs and its results are.")
    parts.append("\n".join(["Args:", *(f"    {entry}" for entry in entries)]))
    parts.append("\n".join(["Returns:", *(f"    {_output_entry(tensor, signature)}" for tensor in op.outputs)]))
    limits = ["TypeError: an argument is not a tensor, or the combination of dtypes is not supported."]
    plain = "the shapes do not broadcast, or have more than 8 dimensions"
    limits.append(f"ValueError: {plain if signature.plain else signature.kernel.torch.refused_shapes}.")
    limits.append("RuntimeError: the arguments are on several devices, or the operator failed.")
    parts.append("\n".join(["Raises:", *(f"    {limit}" for limit in limits)]))
    return docstring("\n\n".join(parts), keep_indentation=True)


def module_docstring(
    signature: Signature, arguments: Sequence[TensorSpec], constructor: Sequence[str], attributes: Sequence[str]
) -> str:
    """Summary, formula, constructor arguments, parameters, inputs and results of forward; without the quotes.

    ``arguments`` has the lines for forward, ``constructor`` and ``attributes`` those for the rest.
    """
    parts = _head(signature)
    shapes = [_input_entry(tensor, signature) for tensor in arguments]
    shapes += [_output_entry(tensor, signature) for tensor in signature.op.outputs]
    for title, entries in (("Args:", constructor), ("Attributes:", attributes), ("Shape:", shapes)):
        if entries:
            parts.append("\n".join([title, *(f"    {entry}" for entry in entries)]))
    return docstring("\n\n".join(parts), keep_indentation=True)


def _head(signature: Signature) -> list[str]:
    op = signature.op
    parts = [op.doc.strip() if op.doc else f"{op.type}, {signature.kernel.torch.nature}."]
    if signature.kernel.expressed:
        parts.append("\n".join(["Computes::", "", *(f"    {line}" for line in op.compute.strip().splitlines())]))
    return parts


def _tensor_entry(tensor: TensorSpec, signature: Signature) -> str:
    shape = "a shape of its own" if tensor.own_shape else f"shape {shown_shape(signature, tensor)}"
    return f"{shape}; {', '.join(dict.fromkeys(tensor.dtypes))}"


def _output_entry(tensor: TensorSpec, signature: Signature) -> str:
    where = f", written to {tensor.inplace}" if tensor.inplace is not None else ""
    return f"{tensor.name}: {_tensor_entry(tensor, signature)}{where}."


def _input_entry(tensor: TensorSpec, signature: Signature) -> str:
    what = {
        "tensor": _tensor_entry(tensor, signature),
        "tensors": f"a list of tensors of {_tensor_entry(tensor, signature)}",
        "number": f"a number, taken as {', '.join(dict.fromkeys(tensor.dtypes))}",
        "numbers": f"a list of numbers, taken as {', '.join(dict.fromkeys(tensor.dtypes))}",
    }.get(input_kind(tensor), "a list of numbers")
    if not tensor.optional:
        return f"{tensor.name}: {what}."
    return f"{tensor.name}: {what}{', None by default' if tensor.name in signature.defaults else ', or None'}."


def attr_entry(attr: AttrSpec, signature: Signature) -> str:
    """The docstring entry of an attribute."""
    default = f", {python_literal(attr.type, attr.default)} by default" if attr.name in signature.defaults else ""
    what = KINDS[attr.type].python
    if what.startswith("Sequence["):
        what = f"a list of {what[len('Sequence[') : -1]}"
    return f"{attr.name}: {what}{default}."
