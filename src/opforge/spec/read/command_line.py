"""Makes a ``Spec`` from the options of `opforge new` and `add`, by the same rules as for files."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from opforge.dtypes import COMPUTE_DTYPES
from opforge.errors import Problem, SpecError
from opforge.naming import snake
from opforge.spec import catalog
from opforge.spec.check import names
from opforge.spec.check.assemble import assemble_op, assemble_project
from opforge.spec.draft import AttrDraft, OpDraft, ProjectDraft, SizeDraft, TensorDraft
from opforge.spec.features import DEFAULT, read_features
from opforge.spec.model import OpSpec, Spec
from opforge.spec.patterns import PATTERNS, default_reference, fits, op_shapes
from opforge.spec.read.option_fields import (
    DTYPE,
    PATTERN,
    SHAPE,
    VALUES,
    sizes_of_pattern,
    with_dtypes,
    with_pattern,
    with_shapes,
    with_values,
)
from opforge.spec.read.recipe import Wanted, drafted
from opforge.spec.source import Token, closest, option_passage, option_token

Words = tuple[Token, ...]


@dataclasses.dataclass(frozen=True)
class OpOptions:
    """One op as given by a command line.

    ``attrs`` are ``name:type`` or ``name:type=default``; ``shapes`` and ``values`` are ``name=field``, with the field
    as in opforge.yaml; ``dtypes`` may have entries ``name=dtype``, which begin the column of that tensor. Without
    ``compute``, ``like`` and ``pattern``, the op type is looked up in the catalog; an unknown op is handwritten.
    ``inputs`` may be None only for an op of the catalog.
    """

    type: str
    inputs: Sequence[str] | None
    outputs: Sequence[str] | None = None
    compute: str | None = None
    attrs: Sequence[str] = ()
    dtypes: Sequence[str] | None = None
    like: str | None = None
    command: str = "opforge new"
    shapes: Sequence[str] = ()
    values: Sequence[str] = ()
    pattern: str | None = None


def spec_from_options(
    name: str,
    inputs: Sequence[str] | None,
    *,
    outputs: Sequence[str] | None = None,
    compute: str | None = None,
    attrs: Sequence[str] = (),
    dtypes: Sequence[str] | None = None,
    like: str | None = None,
    shapes: Sequence[str] = (),
    values: Sequence[str] = (),
    pattern: str | None = None,
    socs: Sequence[str] | None = None,
    package: str | None = None,
    license: str | None = None,  # noqa: A002 - the field's name
    features: Sequence[str] | None = DEFAULT,
) -> Spec:
    """The spec of a project with one op; the arguments that ``OpOptions`` does not have are the project's.

    Args:
        name: the op type.
        inputs: names of the inputs, in order.
        outputs: names of the outputs, in order; None: those of the expression's last line, or one output.
        compute: the expression; None: the op is in the catalog, or handwritten.
        attrs: attributes as ``name:type`` or ``name:type=default``.
        dtypes: supported dtypes; None: all that expressions compute in, or the catalog's.
        like: the op type of the catalog's op whose signature and expression are used.
        shapes: dimensions as ``name=[..., H]``.
        values: what tests draw for an input, as ``name={min: 0, below: N}``.
        pattern: what the kernel begins with, a name of ``PATTERNS``.
        socs: compute units; None: all that opforge generates kernels for.
        package: the Python package; None: the catalog's, or the op type in snake_case.
        license: SPDX expression for the sources.
        features: the project's features; None: the spec does not state them.

    Raises:
        SpecError: with every problem of the command line.
    """
    options = OpOptions(
        name, inputs, outputs, compute, attrs, dtypes, like, shapes=shapes, values=values, pattern=pattern
    )
    return new_spec(options, socs=socs, package=package, license=license, features=features)


def new_spec(
    options: OpOptions,
    *,
    socs: Sequence[str] | None = None,
    package: str | None = None,
    license: str | None = None,  # noqa: A002
    features: Sequence[str] | None = DEFAULT,
) -> Spec:
    """Like ``spec_from_options``, from collected options."""
    problems: list[Problem] = []
    op = _op(options, problems)
    given = (options.compute, options.like, options.pattern)
    own = catalog.package(options.type) if all(each is None for each in given) else None
    draft = _project(_op_type(options), (package, own), socs, license, problems)
    chosen = read_features(_words("--features", features), problems)
    project = assemble_project(draft, problems)
    if problems or op is None or project is None:
        raise SpecError(problems)
    return Spec(dataclasses.replace(project, features=chosen), (op,))


def op_from_options(options: OpOptions) -> OpSpec:
    """One op, for an existing project. Raises SpecError with every problem of the command line."""
    problems: list[Problem] = []
    op = _op(options, problems)
    if problems or op is None:
        raise SpecError(problems)
    return op


def _op_type(options: OpOptions) -> Token:
    token = option_token("", options.type)
    return dataclasses.replace(
        token, line_text=f"{options.command} {options.type}", column=len(options.command) + 2, length=None
    )


def _op(options: OpOptions, problems: list[Problem]) -> OpSpec | None:
    op_type = _op_type(options)
    inputs, outputs = _words("--inputs", options.inputs), _words("--outputs", options.outputs)
    if options.pattern is not None:
        return _from_pattern(op_type, options.pattern, options, problems)
    if options.compute is not None:
        if options.like is not None:
            what = "--like and --compute both give an expression"
            problems.append(option_token("--like", options.like).problem(what, "remove one of them"))
            return None
        return _assembled(op_type, options, inputs or (), outputs, problems)
    entry = catalog.entry(options.like if options.like is not None else options.type)
    if options.like is not None and entry is None:
        problems.append(_unknown(option_token("--like", options.like)))
        return None
    if entry is None:
        if outputs is None and (wrong := _near_miss(op_type, inputs or ())) is not None:
            problems.append(wrong)
            return None
        return _assembled(op_type, options, inputs or (), outputs or (_free(inputs or ()),), problems)
    given = options.inputs is not None and options.like is None
    if given and tuple(t.name for t in entry.inputs) != tuple(options.inputs or ()):
        problems.append(_other_inputs(op_type, entry, inputs or ()))
        return None
    wanted = Wanted(op_type, inputs, outputs, _words(DTYPE, options.dtypes))
    return _from_entry(entry, options, wanted, problems)


def _words(option: str, values: Sequence[str] | None) -> Words | None:
    """The values of a comma-separated option, each at its place."""
    if values is None:
        return None
    whole = option_token(option, ",".join(values))
    words, start = [], 0
    for value in values:
        words.append(whole.part(start, start + len(value)))
        start += len(value) + 1
    return tuple(words)


def _free(inputs: Words) -> Token:
    """A default name for the output that differs from all inputs."""
    taken = {word.text for word in inputs}
    candidates = ("y", "z", "w", *(f"y{number}" for number in range(len(taken) + 1)))
    return option_token("--outputs", next(name for name in candidates if name not in taken))


def _assembled(
    op_type: Token, options: OpOptions, inputs: Words, outputs: Words | None, problems: list[Problem]
) -> OpSpec | None:
    """The op, with an expression or handwritten; None if it has mistakes."""
    usual = COMPUTE_DTYPES if options.pattern is None else PATTERNS[options.pattern].dtypes
    column = tuple(option_token(DTYPE, dtype) for dtype in usual)
    tensors = [TensorDraft(word, column if place == 0 else None) for place, word in enumerate(inputs)]
    tensors += [TensorDraft(word) for word in outputs or ()]
    full = with_shapes(with_dtypes(tensors, _words(DTYPE, options.dtypes) or (), problems), options.shapes, problems)
    read = with_values(full[: len(inputs)], options.values, problems)
    reference = None
    sizes: tuple[SizeDraft, ...] = ()
    if options.pattern is not None:
        read, written = with_pattern(options.pattern, read, full[len(inputs) :])
        full, sizes = (*read, *written), sizes_of_pattern(options.pattern, read)
        reference = option_token(PATTERN, default_reference(op_type.text))
    draft = OpDraft(
        type=op_type,
        inputs=read,
        attrs=tuple(_attr(text, problems) for text in options.attrs),
        outputs=None if outputs is None else full[len(inputs) :],
        compute=None if options.compute is None else option_passage("--compute", options.compute),
        by_use=True,
        reference=reference,
        sizes=sizes,
    )
    return assemble_op(draft, problems)


def _from_pattern(op_type: Token, pattern: str, options: OpOptions, problems: list[Problem]) -> OpSpec | None:
    """A handwritten op that begins with a pattern; None if it has mistakes or the pattern does not fit it."""
    word = option_token(PATTERN, pattern)
    if pattern not in PATTERNS:
        meant = closest(pattern, list(PATTERNS))
        hint = f"did you mean `{meant}`?" if meant else f"the patterns are {', '.join(PATTERNS)}"
        problems.append(word.problem(f"`{pattern}` is not a valid pattern", hint))
        return None
    for option, value in (("--compute", options.compute), ("--like", options.like)):
        if value is not None:
            what = f"--pattern is for handwritten ops, and {option} gives an expression"
            problems.append(option_token(option, value).problem(what, "remove one of them"))
            return None
    inputs, outputs = _words("--inputs", options.inputs) or (), _words("--outputs", options.outputs)
    op = _assembled(op_type, options, inputs, outputs or (_free(inputs),), problems)
    if op is not None and not fits(pattern, op):
        what = f"the signature does not fit the pattern: {op_shapes(op)}"
        problems.append(word.problem(what, f"`{pattern}` needs {PATTERNS[pattern].needs}{_later(pattern, op)}"))
        return None
    return op


def _later(pattern: str, op: OpSpec) -> str:
    """For an op with more tensors than its pattern has: that the spec can change afterwards."""
    inputs = PATTERNS[pattern].inputs
    more = len(op.outputs) > 1 or (inputs is not None and len(op.inputs) > len(inputs))
    return "; begin with these, then add the other tensors to opforge.yaml" if more else ""


def _attr(text: str, problems: list[Problem]) -> AttrDraft:
    """An attribute from ``alpha:float=1.0``."""
    whole = option_token("--attr", text)
    head, equals, _ = text.partition("=")
    name, colon, _ = head.partition(":")
    if not colon:
        problems.append(whole.problem(f"`{text}` has no type", f"for example `--attr {name or 'alpha'}:float=1.0`"))
        return AttrDraft(whole.part(0, len(name)), None)
    default = whole.part(len(head) + 1, len(text)) if equals else None
    type_ = whole.part(len(name) + 1, len(head))
    return AttrDraft(whole.part(0, len(name)), type_, default, quoted=default is not None and not default.text)


def _from_entry(entry: OpSpec, options: OpOptions, wanted: Wanted, problems: list[Problem]) -> OpSpec | None:
    """The catalog's op with the user's names and dtypes."""
    own = (
        ("--attr", options.attrs, "attributes"),
        (SHAPE, options.shapes, "shapes"),
        (VALUES, options.values, "values"),
    )
    for option, given, kind in own:
        if given:
            what = f"`{entry.type}` is in the catalog and has its own {kind}"
            problems.append(option_token(option, given[0]).problem(what, "give the expression with --compute"))
    draft = drafted(entry, wanted, problems)
    return None if draft is None else assemble_op(draft, problems)


def _unknown(like: Token) -> Problem:
    """``--like`` names an op that is not in the catalog."""
    listed = catalog.names()
    meant = closest(like.text, listed)
    hint = f"did you mean `{meant}`? " if meant else ""
    return like.problem(f"`{like.text}` is not in the catalog", f"{hint}the catalog has {', '.join(listed)}")


def _near_miss(op_type: Token, inputs: Words) -> Problem | None:
    """The problem if an op has neither expression nor outputs, and its name is close to one in the catalog."""
    if names.check_op_type(op_type):
        return None
    lowered = op_type.text.lower()
    listed = catalog.names()
    meant = next((n for n in listed if n.lower() in (lowered, f"vector{lowered}")), None) or closest(lowered, listed)
    entry = catalog.entry(meant) if meant else None
    if entry is None or [t.name for t in entry.inputs] != [word.text for word in inputs]:
        return None
    outputs = ",".join(t.name for t in entry.outputs)
    return op_type.problem(
        f"`{op_type.text}` is not in the catalog, which has {signature(entry)}",
        f"did you mean `{meant}`? Otherwise give your expression with --compute, or use `--outputs {outputs}` to "
        "write the kernel by hand",
    )


def _other_inputs(op_type: Token, known: OpSpec, inputs: Words) -> Problem:
    theirs = ",".join(t.name for t in known.inputs)
    what = f"the catalog's `{known.type}` has other inputs: {signature(known)}"
    hint = f"use `--inputs {theirs}`"
    if len(known.inputs) == len(inputs):
        hint += f", or your names with `--like {known.type}`"
    mine = ",".join(word.text for word in inputs)
    at = inputs[0] if inputs else op_type
    return at.problem(what, f"{hint}, or give your expression with --compute", length=len(mine) or None)


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
    """The project block; ``packages`` are the user's package name and the catalog's."""
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
