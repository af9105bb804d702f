"""What a team template may ask of opforge, beside the answers to its own questions. See docs/templates.md."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.naming import snake
from opforge.render.readme import OpSection, TensorRow, readme_of
from opforge.spec.model import AttrSpec, AttrValue, OpSpec, Spec, TensorSpec


@dataclass(frozen=True)
class TensorVariables:
    """An input or an output: ``shape`` has its dimensions (``...``, symbols, numbers), ``dtypes`` one a combination."""

    name: str
    dtypes: tuple[str, ...]
    shape: tuple[str, ...]
    formats: tuple[str, ...]
    optional: bool
    dynamic: bool
    scalar: bool
    value_depend: bool
    inplace: str | None


@dataclass(frozen=True)
class AttrVariables:
    """An attribute; ``default`` is None where a caller must give it."""

    name: str
    type: str
    default: AttrValue | None


@dataclass(frozen=True)
class OpVariables:
    """One op of the spec. ``rows``, ``call_setup``, ``call``, ``on_cpu`` and ``gradient`` are what the built-in README shows."""

    type: str
    stem: str  # of its files below op_host/ and op_kernel/
    function: str  # below torch.ops.<package> and in the Python package
    doc: str
    compute: str  # empty where its kernel is written by hand
    handwritten: bool
    backward: bool
    inputs: tuple[TensorVariables, ...]
    attrs: tuple[AttrVariables, ...]
    outputs: tuple[TensorVariables, ...]
    rows: tuple[TensorRow, ...]
    call_setup: str
    call: str
    on_cpu: str
    gradient: str


@dataclass(frozen=True)
class TemplateContext:
    """All variables. ``name`` is ``project`` by another name, as the built-in README has it."""

    project: str
    name: str
    package: str
    vendor: str
    version: str
    license: str | None
    soc: tuple[str, ...]
    ops_sentence: str
    ops: tuple[OpVariables, ...]


def template_context(spec: Spec) -> TemplateContext:
    """The variables for one spec. Raises what rendering the README raises: SpecError for an expression."""
    project, readme = spec.project, readme_of(spec)
    return TemplateContext(
        project=project.name,
        name=project.name,
        package=project.package,
        vendor=project.vendor,
        version=project.version,
        license=project.license,
        soc=project.soc,
        ops_sentence=readme.ops_sentence,
        ops=tuple(_op(op, section) for op, section in zip(spec.ops, readme.ops, strict=True)),
    )


def _op(op: OpSpec, section: OpSection) -> OpVariables:
    return OpVariables(
        type=op.type,
        stem=snake(op.type),
        function=section.function,
        doc=section.doc,
        compute=section.compute,
        handwritten=op.handwritten,
        backward=op.backward,
        inputs=tuple(_tensor(tensor) for tensor in op.inputs),
        attrs=tuple(_attr(attr) for attr in op.attrs),
        outputs=tuple(_tensor(tensor) for tensor in op.outputs),
        rows=section.rows,
        call_setup=section.call_setup,
        call=section.call,
        on_cpu=section.on_cpu,
        gradient=section.gradient,
    )


def _tensor(tensor: TensorSpec) -> TensorVariables:
    return TensorVariables(
        name=tensor.name,
        dtypes=tensor.dtypes,
        shape=tensor.dims,
        formats=tensor.formats,
        optional=tensor.optional,
        dynamic=tensor.dynamic,
        scalar=tensor.scalar,
        value_depend=tensor.value_depend is not None,
        inplace=tensor.inplace,
    )


def _attr(attr: AttrSpec) -> AttrVariables:
    return AttrVariables(attr.name, attr.type, attr.default)
