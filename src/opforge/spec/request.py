"""The options of ``opforge new`` to a ``Spec``: the same rules as for a file, with carets into the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from opforge.dtypes import COMPUTE_DTYPES
from opforge.errors import Problem, SpecError
from opforge.naming import snake
from opforge.spec import catalog, names
from opforge.spec.assemble import assemble_op, assemble_project
from opforge.spec.columns import read_tensors
from opforge.spec.draft import AttrDraft, OpDraft, ProjectDraft, TensorDraft
from opforge.spec.model import OpSpec, Spec
from opforge.spec.source import Token, closest, option_passage, option_token

# Ops whose names people try first, and which this edition cannot say.
_LATER = {
    **dict.fromkeys(("Attention", "FlashAttention"), "products of products are"),
    **dict.fromkeys(("Softmax", "SoftMax", "RmsNorm", "RMSNorm", "LayerNorm", "Sum", "Mean"), "reductions are"),
    **dict.fromkeys(("Gelu", "GELU", "Tanh", "Sqrt", "Rsqrt", "Log"), "its function is"),
}


def spec_from_options(
    name: str,
    inputs: Sequence[str],
    *,
    compute: str | None = None,
    attrs: Sequence[str] = (),
    dtypes: Sequence[str] | None = None,
    socs: Sequence[str] | None = None,
    package: str | None = None,
    license: str | None = None,  # noqa: A002 - the field's name
) -> Spec:
    """The spec of a project with one op.

    Args:
        name: the op type.
        inputs: names of the inputs, in order.
        compute: the expression; None: the catalog knows the op.
        attrs: attributes as ``name:type`` or ``name:type=default``.
        dtypes: supported dtypes; None: all that opforge computes on, or the catalog's.
        socs: compute units; None: all that opforge generates kernels for.
        package: the Python package; None: the catalog's, or the op type in snake_case.
        license: SPDX expression for the sources.

    Raises:
        SpecError: with every problem of the command line.
    """
    problems: list[Problem] = []
    op_type = option_token("", name) if name else option_token("NAME", "")
    op_type = dataclasses.replace(op_type, line_text=f"opforge new {name}", column=13)
    typed = _words("--dtype", dtypes)
    if compute is not None:
        op = _from_expression(op_type, inputs, compute, attrs, typed, problems=problems)
    else:
        op = _from_catalog(op_type, inputs, attrs, typed, problems)
    own = catalog.package(name) if compute is None else None
    project = assemble_project(_project(op_type, (package, own), socs, license, problems), problems)
    if problems or op is None or project is None:
        raise SpecError(problems)
    return Spec(project, (op,))


def _words(option: str, values: Sequence[str] | None) -> tuple[Token, ...] | None:
    """The values of a comma-separated option, each at its place."""
    if values is None:
        return None
    whole = option_token(option, ",".join(values))
    words, start = [], 0
    for value in values:
        words.append(whole.part(start, start + len(value)))
        start += len(value) + 1
    return tuple(words)


def _from_expression(
    op_type: Token,
    inputs: Sequence[str],
    compute: str,
    attrs: Sequence[str],
    dtypes: tuple[Token, ...] | None,
    *,
    problems: list[Problem],
) -> OpSpec | None:
    words = _words("--inputs", inputs) or ()
    column = dtypes or tuple(option_token("--dtype", dtype) for dtype in COMPUTE_DTYPES)
    draft = OpDraft(
        type=op_type,
        inputs=tuple(TensorDraft(word, column if place == 0 else None) for place, word in enumerate(words)),
        attrs=tuple(_attr(text, problems) for text in attrs),
        outputs=None,
        compute=option_passage("--compute", compute),
        by_use=True,
    )
    return assemble_op(draft, problems)


def _attr(text: str, problems: list[Problem]) -> AttrDraft:
    """``alpha:float=1.0`` as its three words."""
    whole = option_token("--attr", text)
    head, equals, _ = text.partition("=")
    name, colon, _ = head.partition(":")
    if not colon:
        problems.append(whole.problem(f"`{text}` has no type", f"as `--attr {name or 'alpha'}:float=1.0`"))
        return AttrDraft(whole.part(0, len(name)), None)
    default = whole.part(len(head) + 1, len(text)) if equals else None
    type_ = whole.part(len(name) + 1, len(head))
    return AttrDraft(whole.part(0, len(name)), type_, default, quoted=default is not None and not default.text)


def _from_catalog(
    op_type: Token,
    inputs: Sequence[str],
    attrs: Sequence[str],
    dtypes: tuple[Token, ...] | None,
    problems: list[Problem],
) -> OpSpec | None:
    words = _words("--inputs", inputs) or ()
    op = catalog.find(op_type.text, tuple(inputs))
    if op is None:
        problems.append(_not_found(op_type, words))
        return None
    if attrs:
        what = f"`{op_type.text}` comes from the catalog with its own attributes"
        problems.append(option_token("--attr", attrs[0]).problem(what, "say what it computes with --compute"))
    if dtypes is None:
        return op
    return _retyped(
        op, [TensorDraft(word, dtypes if place == 0 else None) for place, word in enumerate(words)], problems
    )


def _retyped(op: OpSpec, drafts: Sequence[TensorDraft], problems: list[Problem]) -> OpSpec:
    """The catalog's op for the dtypes that were asked for."""
    read, _ = read_tensors(drafts, (), problems)
    if not read:
        return op
    column = read[0].dtypes
    inputs = tuple(dataclasses.replace(t, dtypes=column, dtypes_given=i == 0) for i, t in enumerate(op.inputs))
    outputs = tuple(dataclasses.replace(t, dtypes=column) for t in op.outputs)
    return dataclasses.replace(op, inputs=inputs, outputs=outputs)


def _not_found(op_type: Token, inputs: Sequence[Token]) -> Problem:
    name = op_type.text
    why = _LATER.get(name)
    if why is not None:
        what = f"`{name}` is not in the catalog: {why} not supported yet"
        return op_type.problem(what, "`opforge new --help` shows what can be said")
    known = catalog.entry(name)
    if known is not None:
        theirs = ",".join(t.name for t in known.inputs)
        what = f"the catalog's `{name}` has other inputs: {signature(known)}"
        hint = f"take `--inputs {theirs}`, or say what yours computes with --compute"
        mine = ",".join(word.text for word in inputs)
        return (inputs[0] if inputs else op_type).problem(what, hint, length=len(mine) or None)
    problems = names.check_op_type(op_type)
    if problems:
        return problems[0]
    listed = catalog.names()
    meant = closest(name, listed)
    hint = f"did you mean `{meant}`? " if meant else ""
    free = next(n for n in ("y", "z", "w", "result") if n not in [word.text for word in inputs])
    return op_type.problem(
        f"`{name}` is not in the catalog",
        f"{hint}say what it computes, as --compute '{free} = ...'; the catalog has {', '.join(listed)}",
    )


def signature(op: OpSpec) -> str:
    """``VectorAdd(x, y): z = x + y``."""
    arguments = ", ".join([*(t.name for t in op.inputs), *(a.name for a in op.attrs)])
    return f"{op.type}({arguments}): {'; '.join(op.compute.splitlines())}"


def _project(
    op_type: Token,
    packages: tuple[str | None, str | None],
    socs: Sequence[str] | None,
    license_: str | None,
    problems: list[Problem],
) -> ProjectDraft:
    """The project block; ``packages`` are the one asked for and the catalog's."""
    package, own = packages
    text = own or snake(op_type.text)
    name = dataclasses.replace(op_type, text=text, length=len(op_type.text))
    if package is not None:
        name = option_token("--package", package)
    words = _words("--soc", socs)
    if words is not None and not words:
        problems.append(option_token("--soc", "").problem("no SoC is given"))
    return ProjectDraft(
        name=name if package is not None or not names.check_op_type(op_type) else None,
        package=name,
        soc=words,
        license=option_token("--license", license_) if license_ is not None else None,
    )
