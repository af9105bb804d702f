"""A whole project from a spec: the ops' sources, the torch side, and the files around them. Pure: no disk, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from opforge.fileset import File, FileSet, with_comment
from opforge.ir.backward import backward_of, kernel_ops
from opforge.ir.build import build_graphs
from opforge.ir.graph import Graph
from opforge.naming import snake, torch_function
from opforge.plan.ascendc import plan_op
from opforge.render.ascendc import render_op, render_shared
from opforge.render.forms import render_form
from opforge.render.torch import render_torch
from opforge.soc import SOCS
from opforge.spec.model import OpSpec, Spec, TensorSpec
from opforge.spec.printer import print_spec

_MATMUL = "Matrix products with everything after them in one kernel; leading dimensions of the first operand are rows."
_SIZES = (256, 512, 128, 64)  # of the symbols in the README's example


@dataclass(frozen=True)
class TensorRow:
    """One line of an op's table in the README."""

    role: str
    name: str
    dtype: str
    shape: str


@dataclass(frozen=True)
class OpSection:
    """What the README says of one op."""

    type: str
    doc: str
    compute: str
    rows: tuple[TensorRow, ...]
    function: str
    call_setup: str
    call: str
    gradient: str


@dataclass(frozen=True)
class Readme:
    """Context of ``project/README.md``."""

    name: str
    package: str
    ops_sentence: str
    ops: tuple[OpSection, ...]


@dataclass(frozen=True)
class NoSlots:
    """Context of a form that is the same in every project."""


def render_project(spec: Spec) -> FileSet:
    """Every file of a project but ``.opforge/``.

    Raises SpecError for an expression that cannot be read, PlanError for an op that does not fit one of its SoCs.
    """
    graphs = build_graphs(spec)
    socs = tuple(SOCS[name] for name in spec.project.soc)
    kernels = kernel_ops(spec, graphs)
    plans = {op.type: plan_op(op, graph, socs) for op, graph in kernels}
    files = [
        File(PurePosixPath("opforge.yaml"), print_spec(spec), "spec"),
        _form("README.md", readme_of(spec, graphs)),
        _form("pyproject.toml", NoSlots()),
        _form(".gitignore", NoSlots()),
        _form(".gitattributes", NoSlots()),
    ]
    sources: list[File] = []
    for op, graph in kernels:
        sources += render_op(spec, op, graph, plans[op.type])
    sources += render_shared(spec, plans.values())
    sources += render_torch(spec, graphs, plans)
    return FileSet.of(*files, *(with_licence(file, spec.project.license) for file in sources))


def with_licence(file: File, licence: str | None) -> File:
    """The file with an SPDX line on top, below a ``#!`` line; as it is without a licence or for data files."""
    return file if licence is None else with_comment(file, f"SPDX-License-Identifier: {licence}")


def _form(name: str, context: Readme | NoSlots) -> File:
    form = f"project/{name}"
    return File(PurePosixPath(name), render_form(form, context), form)


def readme_of(spec: Spec, graphs: Mapping[str, Graph] | None = None) -> Readme:
    """What the README says; a team template may say it too. Raises SpecError for an expression that cannot be read."""
    graphs = build_graphs(spec) if graphs is None else graphs
    names = [f"`{op.type}`" for op in spec.ops]
    sentence = f"The custom operator {names[0]}" if len(names) == 1 else f"The custom operators {', '.join(names)}"
    return Readme(
        name=spec.project.name,
        package=spec.project.package,
        ops_sentence=sentence,
        ops=tuple(_section(spec, op, graphs.get(op.type)) for op in spec.ops),
    )


def _section(spec: Spec, op: OpSpec, graph: Graph | None) -> OpSection:
    rows = [_tensor_row("input", tensor) for tensor in op.inputs]
    for attr in op.attrs:
        default = "required" if attr.required else f"default {attr.default}"
        rows.append(TensorRow("attribute", attr.name, attr.type, default))
    rows += [_tensor_row("output", tensor) for tensor in op.outputs]
    function = torch_function(op.type, spec.project.package)
    sample = {"int": "1", "float": "1.0", "bool": "True", "str": '""'}
    arguments = [tensor.name for tensor in op.inputs] + [sample[attr.type] for attr in op.attrs if attr.required]
    return OpSection(
        type=op.type,
        doc=op.doc or _what(op, graph),
        compute=op.compute.rstrip(),
        rows=tuple(rows),
        function=function,
        call_setup=_sample_inputs(op),
        call=f"{', '.join(t.name for t in op.outputs)} = {spec.project.package}.{function}({', '.join(arguments)})",
        gradient=_gradient(op, graph),
    )


def _sample_inputs(op: OpSpec) -> str:
    """Python lines that make one tensor for each input; a symbol has one size wherever it stands."""
    symbols = dict.fromkeys(dim for tensor in op.inputs for dim in tensor.dims if dim != "..." and not dim.isdigit())
    if not symbols:
        made = ", ".join(f'torch.rand(1000, dtype=torch.{t.dtypes[0]}, device="npu")' for t in op.inputs)
        return f"{', '.join(tensor.name for tensor in op.inputs)} = {made}"
    sizes = {"...": "4, 100", **{symbol: str(_SIZES[place % len(_SIZES)]) for place, symbol in enumerate(symbols)}}
    lines = []
    for tensor in op.inputs:
        shape = ", ".join(sizes.get(dim, dim) for dim in tensor.dims)
        lines.append(f'{tensor.name} = torch.rand({shape}, dtype=torch.{tensor.dtypes[0]}, device="npu")')
    return "\n".join(lines)


def _what(op: OpSpec, graph: Graph | None) -> str:
    if graph is None:
        return f"Its kernel is written by hand, in `op_kernel/{snake(op.type)}_kernel.h`."
    return _MATMUL if graph.products else "Elementwise, with NumPy's broadcasting rule."


def _gradient(op: OpSpec, graph: Graph | None) -> str:
    """How the gradient comes about, in words; empty where there is none."""
    if not op.backward:
        return ""
    if graph is None:
        return f"Its gradient is that of its reference, `{op.reference}`."
    derived = backward_of(op, graph)
    if derived is None:
        return "Its gradient is derived from the expression."
    if derived.kernel is None:
        return "Its gradient is derived from the expression: products and sums, which are PyTorch's own."
    names = " and ".join(f"`{product.name}`" for product in graph.products)
    again = "are computed" if len(graph.products) > 1 else "is computed"
    return (
        f"Its gradient is derived from the expression. {names} {again} again in the backward pass and not kept; "
        f"the kernel `{derived.kernel.type}` leads back through what follows, and PyTorch's own products from there."
    )


def _tensor_row(role: str, tensor: TensorSpec) -> TensorRow:
    role = f"optional {role}" if tensor.optional else role
    return TensorRow(role, tensor.name, ", ".join(tensor.dtypes), f"[{', '.join(tensor.dims)}]")
