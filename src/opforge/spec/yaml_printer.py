"""Prints a ``Spec`` as canonical YAML: ``parse_spec(print_spec(spec))`` gives an equal spec."""

from __future__ import annotations

import json
import re

from opforge.spec.derivatives import why_no_backward
from opforge.spec.model import (
    ANY_VALUES,
    Allowed,
    AttrSpec,
    AttrValue,
    OpDefCalls,
    OpSpec,
    Override,
    ProjectSpec,
    SimulatorSpec,
    SizeRange,
    Spec,
    TensorSpec,
    Values,
)

_WIDTH = 120
# Words that need no quotes anywhere in YAML, flow style included.
_PLAIN = re.compile(r"[A-Za-z0-9_+.][A-Za-z0-9_+.-]*( [A-Za-z0-9_+.][A-Za-z0-9_+.-]*)*")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_+./-]*")
# A compute line that YAML reads whole without quotes; YAML gives a meaning to leading signs, quotes and brackets.
_PLAIN_COMPUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_+*/=(),.@ -]*")
_PLAIN_DOC = re.compile(r"[A-Za-z][^:#\x00-\x1f\x7f-\x9f\"'`\[\]{}]*")
_BREAKS_AND_MARK = frozenset("\u2028\u2029\ufeff")  # beside the patterns: such a character class takes 4 ms to compile
_ESCAPED = r"[\x7f-\x9f\u2028\u2029\ufeff]"


def print_spec(spec: Spec) -> str:
    """The whole file, ending in a newline."""
    lines = [f"edition: {spec.edition}", *_project(spec.project), "ops:"]
    for op in spec.ops:
        lines += _op(op)
    lines += _simulator(spec.simulator)
    return "\n".join(lines) + "\n"


def _project(project: ProjectSpec) -> list[str]:
    fields = {
        "name": _word(project.name),
        "package": _word(project.package),
        "vendor": _word(project.vendor),
        "version": _word(project.version),
        "soc": f"[{', '.join(project.soc)}]",
    }
    if project.license is not None:
        fields["license"] = _word(project.license)
    if project.host_cpp != 11:
        fields["host_cpp"] = str(project.host_cpp)
    if project.allow_multiple_definition:
        fields["allow_multiple_definition"] = "true"
    if project.define:
        fields["define"] = f"[{', '.join(map(_word, project.define))}]"
    if project.include:
        fields["include"] = f"[{', '.join(project.include)}]"
    if project.features is not None:
        fields["features"] = f"[{', '.join(project.features)}]"
    flow = f"project: {{{', '.join(f'{k}: {v}' for k, v in fields.items())}}}"
    if len(flow) <= _WIDTH:
        return [flow]
    return ["project:", *(f"  {k}: {v}" for k, v in fields.items())]


def _op(op: OpSpec) -> list[str]:
    lines = [f"  {op.type}:"]
    if op.doc is not None:
        lines += _text("doc", op.doc, plain=_PLAIN_DOC)
    lines += _block("inputs", [(t.name, _tensor(t)) for t in op.inputs])
    lines += _block("attrs", [(a.name, _attr(a)) for a in op.attrs])
    of_call = op.tree is not None and bool(op.tree.axes.dim)  # only a call knows the shapes that reductions give
    outputs = [(t.name, _tensor(t, shaped=not of_call or t.dims == ("...",))) for t in op.outputs if op.outputs_given]
    lines += _block("outputs", outputs)
    if op.dtype_product:
        lines.append("    dtype_product: true")
    if not op.batch_invariant:
        lines.append("    batch_invariant: false")
    lines += _block("overrides", [(o.soc, _override(o)) for o in op.overrides])
    if op.compute:
        lines += _text("compute", op.compute, plain=_PLAIN_COMPUTE)
    if op.reference is not None:
        lines.append(f"    reference: {op.reference}")
    if op.sources:
        flow = f"    sources: [{', '.join(op.sources)}]"
        lines += [flow] if len(flow) <= _WIDTH else ["    sources:", *(f"      - {source}" for source in op.sources)]
    lines += _block("sizes", [(size.symbol, _size(size)) for size in op.sizes])
    lines += _block("opdef", _opdef_calls(op.opdef))
    if op.gradient is not None:
        lines.append(f"    backward: {op.gradient}")
    if not op.backward and why_no_backward(op) is None:
        lines.append("    backward: false")
    return lines


def _simulator(simulator: SimulatorSpec) -> list[str]:
    lines = [] if simulator.rules is None else [f"  rules: {simulator.rules}"]
    if simulator.allow:
        lines += ["  allow:", *(f"    - {_allowed(entry)}" for entry in simulator.allow)]
    return ["simulator:", *lines] if lines else []


def _allowed(entry: Allowed) -> str:
    fields = {"rule": entry.rule, "op": entry.op, "in": None if entry.file is None else _path(entry.file)}
    fields |= {"level": "warning" if entry.warn else None, "why": _word(entry.why)}
    return f"{{{', '.join(f'{key}: {value}' for key, value in fields.items() if value is not None)}}}"


def _path(text: str) -> str:
    return text if _PLAIN_PATH.fullmatch(text) else _double_quoted(text)


def _block(key: str, entries: list[tuple[str, str]]) -> list[str]:
    return [f"    {key}:", *_aligned(entries)] if entries else []


def _aligned(entries: list[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in entries) + 1
    return [f"      {name + ':':{width}} {value}" for name, value in entries]


def _tensor(tensor: TensorSpec, *, shaped: bool = True) -> str:
    fields = []
    if tensor.inplace is not None:
        fields.append(f"inplace: {tensor.inplace}")
    else:
        if tensor.own_shape:
            fields.append("shape: handwritten")
        elif shaped and not tensor.scalar:
            fields.append(f"shape: [{', '.join(map(_dim, tensor.dims))}]")
        if tensor.dtypes_given:
            fields.append(f"dtype: [{', '.join(_once(tensor.dtypes))}]")
        if tensor.formats:
            fields.append(f"format: [{', '.join(_once(tensor.formats))}]")
        flags = [flag for flag in ("optional", "dynamic", "scalar") if getattr(tensor, flag)]
        fields += [f"{flag}: {(flag == 'dynamic' and tensor.count) or 'true'}" for flag in flags]
        if tensor.value_depend is not None:
            fields.append(f"value_depend: {tensor.value_depend}")
        if not tensor.contiguous:
            fields.append("contiguous: ignore")
    if tensor.values != ANY_VALUES:
        fields.append(f"values: {_values(tensor.values)}")
    if tensor.opdef:
        fields.append(_opdef(tensor.opdef))
    return f"{{{', '.join(fields)}}}"


def _opdef(calls: OpDefCalls) -> str:
    return f"opdef: {{{', '.join(f'{method}: {value}' for method, value in _opdef_calls(calls))}}}"


def _values(values: Values) -> str:
    fields = [f"{name}: {_dim(text)}" for name, text in (("min", values.min), ("below", values.below)) if text]
    fields += [f"{flag}: true" for flag in ("unique", "sorted") if getattr(values, flag)]
    return f"{{{', '.join(fields)}}}"


def _size(size: SizeRange) -> str:
    fields = [f"min: {size.min}"] if size.min else []
    fields += [f"max: {size.max}"] if size.max is not None else []
    fields += [f"multiple_of: {size.multiple_of}"] if size.multiple_of > 1 else []
    return f"{{{', '.join(fields) or 'min: 0'}}}"


def _dim(text: str) -> str:
    return f'"{text}"' if "," in text else text


def _once(column: tuple[str, ...]) -> tuple[str, ...]:
    """The column; a single entry if all entries are equal."""
    return column[:1] if len(set(column)) == 1 else column


def _override(override: Override) -> str:
    tensors = []
    for tensor in override.tensors:
        fields = [f"dtype: [{', '.join(_once(tensor.dtypes))}]"] if tensor.dtypes_given else []
        if tensor.formats and tensor.dtypes_given:
            fields.append(f"format: [{', '.join(_once(tensor.formats))}]")
        if fields:
            tensors.append(f"{tensor.name}: {{{', '.join(fields)}}}")
    return f"{{{', '.join(tensors)}}}"


def _opdef_calls(calls: OpDefCalls) -> list[tuple[str, str]]:
    """Each method with its argument, or with a list of arguments if it is called several times."""
    by_method: dict[str, list[str]] = {}
    for method, argument in calls:
        by_method.setdefault(method, []).append(_argument(argument))
    return [(method, each[0] if len(each) == 1 else f"[{', '.join(each)}]") for method, each in by_method.items()]


def _argument(text: str) -> str:
    """C++ text: in single quotes if it contains double quotes."""
    plain = text.isascii() and text.isprintable() and '"' in text and "'" not in text
    return f"'{text}'" if plain else _word(text)


def _attr(attr: AttrSpec) -> str:
    default = "" if attr.default is None else f", default: {_value(attr.default)}"
    calls = f", {_opdef(attr.opdef)}" if attr.opdef else ""
    return f"{{type: {attr.type}{default}{calls}}}"


def _value(value: AttrValue) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _word(value)
    return repr(value)


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _double_quoted(text)


def _double_quoted(text: str) -> str:
    """A double-quoted scalar: JSON's form, with further escapes that YAML requires."""
    return re.sub(_ESCAPED, lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text, ensure_ascii=False))


def _text(key: str, text: str, *, plain: re.Pattern[str]) -> list[str]:
    if "\n" not in text:
        fits = plain.fullmatch(text) and _BREAKS_AND_MARK.isdisjoint(text) and not text.endswith((" ", ":"))
        return [f"    {key}: {text if fits else _double_quoted(text)}"]
    lines = text.split("\n")
    if lines[0].startswith(" ") or not lines[-1] or any(not _printable(line) for line in lines):
        return [f"    {key}: {_double_quoted(text)}"]
    return [f"    {key}: |", *(f"      {line}" if line else "" for line in lines)]


def _printable(line: str) -> bool:
    return line.isprintable() and line == line.rstrip()
