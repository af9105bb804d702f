"""The variables of team templates, in addition to the answers to their questions. See docs/templates.md."""

from __future__ import annotations

from dataclasses import fields

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.program import Kernel, Program
from opforge.render.readme import OpSection, Readme, readme_of
from opforge.spec.model import AttrSpec, AttrValue, TensorSpec


@dataclass(frozen=True)
class TensorVariables:
    """An input or an output. ``shape`` has ``...``, symbols and numbers; ``dtypes`` has one entry per combination."""

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
    """An attribute; ``default`` is None if the caller must pass a value."""

    name: str
    type: str
    default: AttrValue | None


@dataclass(frozen=True)
class OpVariables(OpSection):
    """One op of the spec: its signature, and the fields that the built-in README uses."""

    stem: str  # stem of its file names below op_host/ and op_kernel/
    handwritten: bool
    backward: bool
    inputs: tuple[TensorVariables, ...]
    attrs: tuple[AttrVariables, ...]
    outputs: tuple[TensorVariables, ...]


@dataclass(frozen=True)
class TemplateContext(Readme):
    """All variables. ``project`` and ``name`` are the same; the built-in README uses one of them."""

    project: str
    vendor: str
    version: str
    license: str | None
    soc: tuple[str, ...]
    ops: tuple[OpVariables, ...]


def template_context(program: Program) -> TemplateContext:
    """The variables for one project."""
    spec, readme = program.spec, readme_of(program)
    project = spec.project
    return TemplateContext(
        name=project.name,
        package=project.package,
        ops_sentence=readme.ops_sentence,
        modules=readme.modules,
        converter=readme.converter,
        aclnn=readme.aclnn,
        project=project.name,
        vendor=project.vendor,
        version=project.version,
        license=project.license,
        soc=project.soc,
        ops=tuple(_op(kernel, section) for kernel, section in zip(program.public, readme.ops, strict=True)),
    )


def _op(kernel: Kernel, section: OpSection) -> OpVariables:
    op = kernel.op
    return OpVariables(
        **{field.name: getattr(section, field.name) for field in fields(section)},
        stem=snake(op.type),
        handwritten=kernel.authored,
        backward=op.backward,
        inputs=tuple(_tensor(tensor) for tensor in op.inputs),
        attrs=tuple(_attr(attr) for attr in op.attrs),
        outputs=tuple(_tensor(tensor) for tensor in op.outputs),
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
