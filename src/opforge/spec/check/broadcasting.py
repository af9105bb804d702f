"""Checks the dimensions of ops without matrix products and gives outputs the broadcast shape.

The rule is that of ``value_dims``. A symbol has one value, so it matches only itself or 1. Named leading dimensions,
``...gamma``, do not broadcast: a tensor that has them has a shape of its own, and so has each tensor of a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from opforge.errors import Problem
from opforge.spec import value_dims
from opforge.spec.axes import LAST, Axes
from opforge.spec.check.values import read_dims
from opforge.spec.dimensions import DOTS, Dim, Dots, Size, Symbol, is_dots, names_of, print_dim
from opforge.spec.draft import TensorDraft
from opforge.spec.model import TensorSpec
from opforge.spec.source import closest
from opforge.spec.value_dims import Dims, shown

ANY: Dims = (DOTS,)


def read_plain_shapes(
    drafts: tuple[Sequence[TensorDraft], Sequence[TensorDraft]],
    kinds: tuple[Sequence[TensorSpec], Sequence[TensorSpec]],
    attrs: Mapping[str, str],
    problems: list[Problem],
    *,
    computed: bool,
    own_sources: bool = False,
    results: Mapping[str, Dims] = MappingProxyType({}),
    axes: Axes = LAST,
    totals: bool = False,
) -> list[Dims] | None:
    """The dimensions of inputs and then outputs, or None if some are wrong.

    Args:
        drafts: inputs and outputs as declared.
        kinds: the same tensors with their kinds of arguments.
        attrs: the types of the attributes, by name.
        problems: the list that mistakes are added to.
        computed: whether the op has an expression.
        own_sources: whether its author writes op_host.
        results: the dimensions of its outputs that reductions give; others have the broadcast shape of the inputs.
        axes: the dimensions that it reduces.
        totals: whether it also reduces the values of all rows to one.
    """
    before = len(problems)
    ins, outs = drafts
    read = [_input(draft, kind, attrs, problems) for draft, kind in zip(ins, kinds[0], strict=True)]
    if len(problems) > before or None in read:
        return None
    given = _lengths_of_lists([dims or () for dims in read], ins, kinds[0], attrs)
    met = _Broadcast(problems)
    for draft, kind, dims in zip(ins, kinds[0], given, strict=True):
        apart = any(isinstance(dim, Dots) and dim.name for dim in dims)
        if apart and computed:
            what = f"`{kind.name}` has leading dimensions of its own, `{print_dim(dims[0])}`, which do not broadcast"
            at = draft.dims[0] if draft.dims else draft.name
            problems.append(at.problem(what, "write `...`; only handwritten ops (without `compute`) can have them"))
        elif apart:
            met.failed = met.failed or f"`{kind.name}` has leading dimensions of its own"
        elif not kind.scalar and kind.value_depend is None:
            met.take(draft, (*dims, value_dims.ONE) if kind.unsqueezed else dims, report=computed)
    if not met.shapes and not computed:
        met.failed = met.failed or "no input is a tensor on the device"
    outputs = _Outputs(
        kinds[0],
        given,
        met,
        attrs,
        problems,
        computed=computed,
        own_sources=own_sources,
        results=results,
        axes=axes,
        totals=totals,
    )
    made = [outputs.dims(draft, kind) for draft, kind in zip(outs, kinds[1], strict=True)]
    return [*given, *made] if len(problems) == before else None


def _input(draft: TensorDraft, kind: TensorSpec, attrs: Mapping[str, str], problems: list[Problem]) -> Dims | None:
    if draft.dims is None:
        return () if kind.scalar else ANY
    dims = read_dims(draft.dims, problems, output=False)
    if dims is None:
        return None
    if kind.scalar and dims:
        at = draft.dims[0]
        problems.append(at.problem(f"`{kind.name}` is a scalar and has no dimensions", "remove `shape`"))
    if kind.value_depend is not None and (len(dims) != 1 or dims == ANY):
        what = f"the values of `{kind.name}` are a list on the host, so it must have one dimension"
        at = draft.dims[0] if draft.dims else draft.name
        problems.append(at.problem(what, "write `shape: [N]`, or remove `shape`"))
    for word, dim in zip(draft.dims, dims, strict=True):
        if isinstance(dim, Symbol) and dim.name in attrs:
            what = f"`{dim.name}` is an attribute: only output dimensions can use attributes"
            problems.append(word.problem(what, "give the dimension another name"))
    return dims


def _lengths_of_lists(
    given: list[Dims], drafts: Sequence[TensorDraft], kinds: Sequence[TensorSpec], attrs: Iterable[str]
) -> list[Dims]:
    """Gives each list of values on the host a length: a symbol that is not used elsewhere."""
    used = set(attrs) | {name for dims in given for dim in dims for name in names_of(dim)}
    full = []
    for draft, kind, dims in zip(drafts, kinds, given, strict=True):
        if kind.value_depend is None or draft.dims is not None:
            full.append(dims)
            continue
        name = next(n for n in ("N", *(f"N{i}" for i in range(1, len(given) + len(used) + 1))) if n not in used)
        used.add(name)
        full.append((Symbol(name),))
    return full


class _Broadcast:
    """The broadcast of the inputs read so far; ``failed`` is the reason if they do not broadcast."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.dims: Dims = ()
        self.failed = ""
        self.shapes: list[tuple[str, Dims]] = []

    def take(self, draft: TensorDraft, dims: Dims, *, report: bool) -> None:
        if self.failed:
            return
        met = value_dims.met(self.dims, dims)
        if met is None:
            self.fail(draft, dims, report=report)
            return
        self.dims = met
        self.shapes.append((draft.name.text, dims))

    def fail(self, draft: TensorDraft, dims: Dims, *, report: bool) -> None:
        others = " and ".join(f"`{name}`" for name, _ in self.shapes)
        self.failed = f"`{draft.name.text}` {shown(dims)} does not broadcast with {others} {shown(self.dims)}"
        if not report:
            return
        at = draft.dims[0] if draft.dims else draft.name
        hint = "from the right, dimensions must be equal or 1; a symbol has one value, and `...` matches only `...`"
        dots = next((name for name, shape in [*self.shapes, (draft.name.text, dims)] if shape == ANY), None)
        named = [dim for dim in (*self.dims, *dims) if isinstance(dim, Symbol | Size)]
        if dots is not None and named:
            longest = max((*self.shapes, (draft.name.text, dims)), key=lambda entry: sum(d != DOTS for d in entry[1]))[
                1
            ]
            trail = ", ".join(print_dim(dim) for dim in longest if dim != DOTS)
            hint = f"also name the last dimensions of `{dots}`: `{dots}: {{shape: [..., {trail}]}}`"
        self.problems.append(at.problem(self.failed, hint))


class _Outputs:
    """Derives the dimensions of outputs from those of inputs."""

    def __init__(
        self,
        kinds: Sequence[TensorSpec],
        shapes: Sequence[Dims],
        met: _Broadcast,
        attrs: Mapping[str, str],
        problems: list[Problem],
        *,
        computed: bool,
        own_sources: bool,
        results: Mapping[str, Dims],
        axes: Axes,
        totals: bool,
    ) -> None:
        self.own_sources = own_sources
        self.totals = totals
        self.results = results
        self.axes = axes
        self.kinds = kinds
        self.shapes = {kind.name: dims for kind, dims in zip(kinds, shapes, strict=True)}
        self.met = met
        self.attrs = attrs
        self.problems = problems
        self.computed = computed
        self.where: dict[str, list[TensorSpec]] = {}  # the inputs that use a symbol or `...`
        for kind in kinds:
            for dim in self.shapes[kind.name]:
                for name in _names(dim):
                    self.where.setdefault(name, []).append(kind)

    @property
    def by_hand(self) -> str:
        """The hint that an author can compute the shape; empty if opforge has no file for that."""
        return "" if self.computed or self.own_sources else "; or compute the shape in C++: `shape: handwritten`"

    def dims(self, draft: TensorDraft, kind: TensorSpec) -> Dims:
        if kind.inplace is not None:
            return self.written(draft, self.shapes[kind.inplace])
        if kind.own_shape:
            return ANY
        if kind.dynamic and kind.count is None and not self.computed:
            return self.listed(draft)
        if self.computed and not self.met.failed:
            self.check_rows(draft)
        if draft.dims is None:
            return self.followed(draft)
        own = read_dims(draft.dims, self.problems, output=True)
        if own is None or (self.computed and self.met.failed):
            return ANY
        self.check_known(draft, own)
        made, at = self.made(draft), draft.dims[0] if draft.dims else draft.name
        if self.computed and made in ((value_dims.KEPT,), (value_dims.DROPPED,)):
            what = f"`{draft.name.text}` is reduced over `dim={self.axes.dim}`, so that only a call knows its shape"
            self.problems.append(at.problem(what, "remove `shape`"))
        elif self.computed and own != made:
            why = "the broadcast of the inputs" if draft.name.text not in self.results else "by its expression"
            what = f"`{draft.name.text}` is {shown(made)}, {why}"
            self.problems.append(at.problem(what, f"write `shape: {shown(made)}`, or remove it"))
        return own

    def made(self, draft: TensorDraft) -> Dims:
        """The dimensions that compute gives an output."""
        return self.results.get(draft.name.text, self.met.dims)

    def check_rows(self, draft: TensorDraft) -> None:
        """Check that an output has a row, or one value, for each row of the broadcast of the inputs."""
        whole, own = self.met.dims, self.made(draft)
        if own not in (whole, self.axes.kept(whole), self.axes.dropped(whole), *(((),) if self.totals else ())):
            what = f"`{draft.name.text}` is {shown(own)}, but the broadcast of the inputs is {shown(whole)}"
            hint = (
                "a result has one row, or one value, for each row of that shape; make this result in an op of its own"
            )
            self.problems.append(draft.name.problem(what, hint))

    def listed(self, draft: TensorDraft) -> Dims:
        """The dimensions of a list: it has one tensor for each of a list among the inputs, of the same shape."""
        lists = [kind for kind in self.kinds if kind.dynamic and not kind.scalar and not kind.optional]
        known = [self.shapes[kind.name] for kind in lists]
        first = known[0] if known else None
        own = first if draft.dims is None else read_dims(draft.dims, self.problems, output=True)
        if own is not None and own in known and len(own) == 1 and isinstance(own[0], Dots):
            return own
        name = draft.name.text
        at = draft.dims[0] if draft.dims else draft.name
        what = f"`{name}` is a list of tensors, so its shape must be that of a list among the inputs"
        other = lists[0].name if lists else "x"
        shape = f"{{shape: [...{other}], dynamic: true}}"
        hint = f"for example `{other}: {shape}` and `{name}: {shape}`; or name the list, or an int attribute with its"
        hint += f" length: `{name}: {{shape: [1], dynamic: {other}}}`{self.by_hand}"
        self.problems.append(at.problem(what, hint))
        return ANY

    def followed(self, draft: TensorDraft) -> Dims:
        """The dimensions of an output that declares none: the broadcast of the inputs."""
        if not self.met.failed:
            self.check_known(draft, self.made(draft))
        elif not self.computed:
            what = f"`{draft.name.text}` has no shape, and it cannot be derived: {self.met.failed}"
            self.problems.append(draft.name.problem(what, "add it, for example `shape: [...]`"))
        return self.made(draft)

    def written(self, draft: TensorDraft, dims: Dims) -> Dims:
        if self.computed and not self.met.failed and dims != self.met.dims and draft.inplace is not None:
            what = f"the result {shown(self.met.dims)} does not fit in `{draft.inplace.text}` {shown(dims)}"
            self.problems.append(draft.inplace.problem(what, "an in-place output has its input's shape"))
        return dims

    def check_known(self, draft: TensorDraft, dims: Dims) -> None:
        """Check that every name is an int attribute or appears in a required input."""
        for place, dim in enumerate(dims):
            if dim in (value_dims.KEPT, value_dims.DROPPED):
                continue  # of the dimensions of all inputs
            at = draft.dims[place] if draft.dims else draft.name
            for name in dict.fromkeys(_names(dim)):
                refused = self.unknown(name)
                if refused is not None:
                    self.problems.append(at.problem(*refused))

    def unknown(self, name: str) -> tuple[str, str] | None:
        """The reason why an output cannot use a name, with a hint; None if it can."""
        known = self.where.get(name, [])
        if not known and name in self.attrs:
            type_ = self.attrs[name]
            what = f"the attribute `{name}` has type {type_}, but dimensions need integers"
            return None if type_ == "int" else (what, f"make the attribute an int{self.by_hand}")
        if any(not kind.optional and (name == "..." or not kind.dynamic) for kind in known):
            return None
        if known:
            why = "which is optional" if known[0].optional else "whose tensors may differ in it"
            what = f"`{name}` depends only on `{known[0].name}`, {why}"
            return what, f"use it in a required input, or as an attribute{self.by_hand}"
        if is_dots(name):
            return f"no input has the dimension `{name}`", f"put `{name}` first in the shape of an input"
        meant = closest(name, (*self.where, *(n for n, type_ in self.attrs.items() if type_ == "int")))
        hint = f"did you mean `{meant}`?" if meant else "expected a symbol of an input's shape, or an int attribute"
        return f"no input has the dimension `{name}`", hint


def _names(dim: Dim) -> tuple[str, ...]:
    return (print_dim(dim),) if isinstance(dim, Dots) else tuple(names_of(dim))
