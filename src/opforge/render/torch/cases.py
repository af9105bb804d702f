"""The tables of cases that a project's tests use."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.plan.vector_model import Plan
from opforge.render.layout import dims_literal, python_strings
from opforge.render.torch.drawn_literals import value_items
from opforge.render.torch.modules import size_names
from opforge.render.torch.parameters import is_module, parameters
from opforge.render.torch.signature import Signature, dtype_row, python_literal
from opforge.spec.arguments import input_kind
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec
from opforge.spec.samples import ATTR_SAMPLES, sample_number


@dataclass(frozen=True)
class CaseForm:
    """One operator in tests/op_cases.py. Items of lists are expressions in Python; ``by_author`` may be empty."""

    function: str
    reference: str
    inputs: tuple[str, ...]
    columns: tuple[str, ...]
    tiles: tuple[int, ...]
    dims: tuple[str, ...]
    reduced: tuple[str, ...]
    axis: str
    optional: tuple[str, ...]
    written: tuple[str, ...]
    attrs: tuple[str, ...]
    drawn: tuple[str, ...]
    differentiable: bool
    detaches: bool
    module: tuple[str, ...]
    by_author: str


@dataclass(frozen=True)
class ImportedNames:
    """``from module import names``."""

    module: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class CaseImports:
    """The imports of a table: names of opforge.testing, the project's package, and names of the package."""

    testing: tuple[ImportedNames, ...]
    package: str
    own: tuple[ImportedNames, ...]


@dataclass(frozen=True)
class CasesForm:
    """Context of ``code/torch/tests/op_cases.py``: a table of ops, with its name."""

    imports: CaseImports
    table: str
    ops: tuple[CaseForm, ...]


def vector_case(signature: Signature, plan: Plan, soc: str, reduced: Sequence[str] = ()) -> CaseForm:
    """The row of an op that broadcasts. ``soc`` is the simulated SoC; its tile sizes are used.

    ``reduced``: the dimensions of a row, if it is not the last one alone.
    """
    op = signature.op
    tensors = [(place, tensor) for place, tensor in enumerate(op.inputs) if not tensor.scalar]
    rows = combinations(op, soc)
    columns = list(dict.fromkeys(tuple(row[place] for place, _ in tensors) for row in rows))
    tiles = {tuple(tile.dtypes[place] for place, _ in tensors): tile.elements for tile in plan.tiles if tile.soc == soc}
    named = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for _, tensor in tensors if tensor.dims != ("...",)]
    return CaseForm(
        function=function_of(signature),
        reference=f"_reference.{signature.function}",
        inputs=python_strings([tensor.name for _, tensor in tensors]),
        columns=tuple(map(dtype_row, columns)),
        tiles=tuple(tiles[column] for column in columns),
        dims=tuple(named),
        reduced=python_strings(reduced),
        axis=signature.kernel.expression.axes.attribute,
        optional=python_strings([tensor.name for _, tensor in tensors if tensor.optional]),
        written=python_strings(signature.written),
        attrs=attr_values(signature),
        drawn=value_items([tensor for _, tensor in tensors]),
        differentiable=op.backward
        and any(DTYPES[column[i]].floating for column in columns for i in range(len(column))),
        detaches=op.tree is not None and op.tree.detaches,
        module=module_arguments(signature),
        by_author=author_of(signature),
    )


def case_imports(signatures: Sequence[Signature], cases: str, names: Sequence[str]) -> CaseImports:
    """The imports of a table: ``names`` from ``cases`` of opforge.testing, and the modules that rows refer to."""
    package = signatures[0].package
    testing = [ImportedNames(f"checks.{cases}", tuple(names))]
    if any(map(is_module, signatures)):
        testing.append(ImportedNames("checks.module_case", ("ModuleCase",)))
    if any(value_items(signature.op.inputs) for signature in signatures):
        testing.append(ImportedNames("measuring", ("Values",)))
    own = [ImportedNames(package, ("_reference",))]
    for signature in signatures:
        if author_of(signature):
            module, _, name = (signature.op.reference or "").partition(":")
            alias = author_of(signature)
            own.append(ImportedNames(f"{package}.{module}", (name if name == alias else f"{name} as {alias}",)))
    by_module = attrgetter("module")
    return CaseImports(tuple(sorted(testing, key=by_module)), package, tuple(sorted(own, key=by_module)))


def function_of(signature: Signature) -> str:
    """The expression for an op's function in a table. Kernels of derivatives exist only in torch.ops."""
    inner = signature.gradient_of is not None
    return f"{'torch.ops.' if inner else ''}{signature.package}.{signature.function}"


def author_of(signature: Signature) -> str:
    """The name of the author's reference in a table; empty if the op has no reference beside its expression."""
    return f"{signature.function}_reference" if signature.kernel.expressed and signature.op.reference else ""


def module_arguments(signature: Signature) -> tuple[str, ...]:
    """The arguments of ModuleCase: ``swiglu.SwiGLU, sizes={"hidden": ("x", -1)}, held=("w_gate", "w_up")``, or none."""
    if not is_module(signature):
        return ()
    sizes = [f'"{name}": {_place(signature, symbol)}' for symbol, name in size_names(signature).items()]
    held = [parameter.tensor.name for parameter in parameters(signature)]
    items = [f"{signature.package}.{signature.op.type}"]
    items += [f"sizes={{{', '.join(sizes)}}}"] if sizes else []
    items += [f"held={dims_literal(held)}"] if held else []
    items += [f"attrs={dims_literal(signature.attrs)}"] if signature.attrs else []
    return tuple(items)


def _place(signature: Signature, symbol: str) -> str:
    """The tensor and the dimension that determine a size, as Python source. Required tensors are preferred."""
    having = [t for t in signature.op.inputs if input_kind(t) == "tensor" and symbol in t.dims]
    tensor = min(having, key=lambda each: each.optional)
    return f'("{tensor.name}", {tensor.dims.index(symbol) - len(tensor.dims)})'


def attr_values(signature: Signature) -> tuple[str, ...]:
    """The numbers and attributes, each with a value."""
    numbers = [tensor for tensor in signature.op.inputs if tensor.scalar]
    attrs = [f'"{t.name}": {sample_number(t)}' for t in numbers]
    return (*attrs, *(f'"{attr.name}": {other_value(attr)}' for attr in signature.op.attrs))


def other_value(attr: AttrSpec) -> str:
    """A value that differs from the default, so that a test notices whether the attribute is passed on."""
    value, sample = attr.default, ATTR_SAMPLES[attr.type]
    if attr.axis:  # tensors of every rank have these
        value = -1 if value == 0 else 0
    elif isinstance(value, tuple):
        turned = value[::-1] or sample
        value = turned if turned != value else (*value, *value)
    elif isinstance(value, str):
        value += "x"
    elif isinstance(value, bool):
        value = not value
    else:
        value = sample if value is None else value + (0.5 if attr.type == "float" else 1)
    return python_literal(attr.type, value)
