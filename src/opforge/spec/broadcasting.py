"""The dimensions of ops without matrix products: declared ones are checked, and outputs get the inputs' broadcast.

NumPy's rule, over names: from the right, equal dimensions stay, a size of 1 gives way, and ``...`` meets ``...`` alone.
A symbol is one number wherever it stands, so that it meets itself or 1 and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.errors import Problem
from opforge.spec.dimensions import DOTS, Dim, Size, Symbol, names_of, print_dim
from opforge.spec.draft import TensorDraft
from opforge.spec.model import TensorSpec
from opforge.spec.source import closest
from opforge.spec.values import read_dims

Dims = tuple[Dim, ...]
ANY: Dims = (DOTS,)
_ONE = Size(1)


def read_plain_shapes(
    drafts: tuple[Sequence[TensorDraft], Sequence[TensorDraft]],
    kinds: tuple[Sequence[TensorSpec], Sequence[TensorSpec]],
    attrs: Mapping[str, str],
    problems: list[Problem],
    *,
    computed: bool,
) -> list[Dims] | None:
    """The dimensions of inputs and then outputs, or None where some are wrong.

    Args:
        drafts: inputs and outputs as declared.
        kinds: the same, as what kind of argument they are.
        attrs: the types of the attributes, by name.
        problems: where to report.
        computed: whether an expression gives the outputs.
    """
    before = len(problems)
    ins, outs = drafts
    read = [_input(draft, kind, attrs, problems) for draft, kind in zip(ins, kinds[0], strict=True)]
    if len(problems) > before or None in read:
        return None
    given = [dims or () for dims in read]
    given = _lengths_of_lists(given, ins, kinds[0])
    shapes = {kind.name: dims for kind, dims in zip(kinds[0], given, strict=True)}
    met = _Broadcast(problems)
    for draft, kind, dims in zip(ins, kinds[0], given, strict=True):
        if not kind.scalar and kind.value_depend is None:
            met.take(draft, dims, report=computed)
    if not met.shapes and not computed:
        met.failed = "no input is a tensor on the device"
    outputs = []
    for draft, kind in zip(outs, kinds[1], strict=True):
        if kind.inplace is not None:
            dims = shapes[kind.inplace]
            if computed and not met.failed:
                _check_written(draft, dims, met.dims, problems)
        elif draft.dims is None:
            dims = met.dims
            if met.failed and not computed:
                what = f"the shape of `{draft.name.text}` is not stated, and does not follow: {met.failed}"
                problems.append(draft.name.problem(what, "state it, as `shape: [...]`"))
            else:
                _check_known(draft, dims, kinds[0], shapes, attrs, problems)
        else:
            own = read_dims(draft.dims, problems, output=True)
            dims = own if own is not None else ANY
            if own is not None and not (computed and met.failed):
                _check_known(draft, dims, kinds[0], shapes, attrs, problems)
                if computed and dims != met.dims:
                    _report_other(draft, met.dims, problems)
        outputs.append(dims)
    return [*given, *outputs] if len(problems) == before else None


def _input(draft: TensorDraft, kind: TensorSpec, attrs: Mapping[str, str], problems: list[Problem]) -> Dims | None:
    if draft.dims is None:
        return () if kind.scalar else ANY
    dims = read_dims(draft.dims, problems, output=False)
    if dims is None:
        return None
    if kind.scalar and dims:
        at = draft.dims[0]
        problems.append(at.problem(f"`{kind.name}` is a scalar, which has no dimensions", "leave `shape` out"))
    if kind.value_depend is not None and (len(dims) != 1 or dims == ANY):
        what = f"the values of `{kind.name}` are a list on the host, which has one dimension"
        at = draft.dims[0] if draft.dims else draft.name
        problems.append(at.problem(what, "as `shape: [N]`, or leave it out"))
    for word, dim in zip(draft.dims, dims, strict=True):
        if isinstance(dim, Symbol) and dim.name in attrs:
            what = f"`{dim.name}` is an attribute, and only dimensions of outputs are made of attributes"
            problems.append(word.problem(what, "give the dimension a name of its own"))
    return dims


def _lengths_of_lists(given: list[Dims], drafts: Sequence[TensorDraft], kinds: Sequence[TensorSpec]) -> list[Dims]:
    """Lists of values on the host have a length, under a symbol that nobody else has."""
    used = {name for dims in given for dim in dims for name in names_of(dim)}
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
    """The broadcast of the inputs taken so far; ``failed`` says why there is none."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.dims: Dims = ()
        self.failed = ""
        self.owners: list[str] = []  # the tensor that each dimension is from
        self.shapes: list[tuple[str, Dims]] = []

    def take(self, draft: TensorDraft, dims: Dims, *, report: bool) -> None:
        name = draft.name.text
        if self.failed:
            return
        long, short = (self.dims, dims) if len(self.dims) >= len(dims) else (dims, self.dims)
        padded = (*(None for _ in range(len(long) - len(short))), *short)
        met: list[Dim] = []
        owners = []
        for place, (a, b) in enumerate(zip(long, padded, strict=True)):
            dim = a if b is None or a == b or b == _ONE else b if a == _ONE else None
            covered = DOTS in short and len(long) > len(short) and place < len(long) - len(short)
            if dim is None or (DOTS in (a, b) and b is not None and a != b) or covered:
                self.fail(draft, dims, report=report)
                return
            met.append(dim)
            mine = len(dims) - (len(long) - place)
            theirs = len(self.dims) - (len(long) - place)
            owners.append(
                self.owners[theirs] if theirs >= 0 and self.dims[theirs] == dim else name if mine >= 0 else ""
            )
        self.dims, self.owners = tuple(met), owners
        self.shapes.append((name, dims))

    def fail(self, draft: TensorDraft, dims: Dims, *, report: bool) -> None:
        mine = f"[{', '.join(map(print_dim, dims))}]"
        theirs = f"[{', '.join(map(print_dim, self.dims))}]"
        others = " and ".join(f"`{name}`" for name, _ in self.shapes)
        self.failed = f"`{draft.name.text}` {mine} does not broadcast with {others} {theirs}"
        if not report:
            return
        at = draft.dims[0] if draft.dims else draft.name
        hint = "from the right: equal dimensions, or 1; a symbol is equal everywhere, and `...` meets `...` alone"
        dots = next((name for name, shape in [*self.shapes, (draft.name.text, dims)] if shape == ANY), None)
        named = [dim for dim in (*self.dims, *dims) if isinstance(dim, Symbol | Size)]
        if dots is not None and named:
            longest = max((*self.shapes, (draft.name.text, dims)), key=lambda entry: sum(d != DOTS for d in entry[1]))[
                1
            ]
            trail = ", ".join(print_dim(dim) for dim in longest if dim != DOTS)
            hint = f"name the last dimensions of `{dots}` too: `{dots}: {{shape: [..., {trail}]}}`"
        self.problems.append(at.problem(self.failed, hint))


def _check_written(draft: TensorDraft, dims: Dims, result: Dims, problems: list[Problem]) -> None:
    if dims == result or draft.inplace is None:
        return
    mine, theirs = (", ".join(map(print_dim, each)) for each in (dims, result))
    what = f"the result [{theirs}] does not fit in `{draft.inplace.text}` [{mine}]"
    problems.append(draft.inplace.problem(what, "an output in place has the shape of its input"))


def _report_other(draft: TensorDraft, result: Dims, problems: list[Problem]) -> None:
    at = draft.dims[0] if draft.dims else draft.name
    shape = ", ".join(map(print_dim, result))
    what = f"`{draft.name.text}` is [{shape}], the broadcast of the inputs"
    problems.append(at.problem(what, f"write `shape: [{shape}]`, or leave it out"))


def _check_known(
    draft: TensorDraft,
    dims: Dims,
    kinds: Sequence[TensorSpec],
    shapes: Mapping[str, Dims],
    attrs: Mapping[str, str],
    problems: list[Problem],
) -> None:
    """Every name of an output's dimension is an attribute of type int, or stands in an input that is always there."""
    where: dict[str, list[TensorSpec]] = {}
    for kind in kinds:
        for dim in shapes[kind.name]:
            for name in ("...",) if dim == DOTS else names_of(dim):
                where.setdefault(name, []).append(kind)
    for place, dim in enumerate(dims):
        at = draft.dims[place] if draft.dims else draft.name
        for name in ("...",) if dim == DOTS else tuple(dict.fromkeys(names_of(dim))):
            if name in attrs and name not in where:
                if attrs[name] != "int":
                    what = f"the attribute `{name}` is of type {attrs[name]}, and a dimension is made of integers"
                    problems.append(at.problem(what))
                continue
            known = where.get(name, [])
            sure = [kind for kind in known if not kind.optional and (name == "..." or not kind.dynamic)]
            if sure:
                continue
            if not known and name == "...":
                problems.append(
                    at.problem("`...` is a dimension of no input", "an input that has it begins with `...`")
                )
            elif not known:
                meant = closest(name, (*where, *(n for n, type_ in attrs.items() if type_ == "int")))
                hint = f"did you mean `{meant}`?" if meant else "a symbol of an input's shape, or an int attribute"
                problems.append(at.problem(f"`{name}` is a dimension of no input", hint))
            else:
                kind = known[0]
                why = "which may not be given" if kind.optional else "whose tensors may differ in it"
                what = f"`{name}` is known from `{kind.name}` alone, {why}"
                problems.append(at.problem(what, "let an input that is always there have it, or an attribute"))
