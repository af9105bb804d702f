"""Reads attributes: their types and defaults. The type, never YAML, decides how a default is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from opforge.errors import Problem
from opforge.spec.check.opdef import read_opdef_calls, refuse_version
from opforge.spec.draft import AttrDraft, ItemDraft
from opforge.spec.language import FLOAT32_MAX
from opforge.spec.model import AttrSpec, AttrType, AttrValue, OpDefCalls
from opforge.spec.source import Token, closest

ATTR_TYPES: tuple[AttrType, ...] = ("int", "float", "bool", "str", "list_int", "list_float", "list_bool")
_LIST = "list_"
_NEVER = {
    "list_str": "op_build refuses lists of text",
    "list_string": "op_build refuses lists of text",
    "list_list_int": "op_build refuses lists of lists",
    "type": "op_build writes attributes of that type wrongly",
    "tensor": "declare the tensor as an input",
}
_SPELLED = {
    "string": "str",
    "text": "str",
    "double": "float",
    "integer": "int",
    "int64": "int",
    "float32": "float",
    "boolean": "bool",
    "ints": "list_int",
    "floats": "list_float",
    "bools": "list_bool",
    "int[]": "list_int",
    "float[]": "list_float",
    "bool[]": "list_bool",
    "listint": "list_int",
    "listfloat": "list_float",
    "listbool": "list_bool",
}
_LONGEST = 1000  # entries of a default

_INT = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INT64 = 2**63


def read_attrs(drafts: Sequence[AttrDraft], problems: list[Problem], *, by_hand: bool) -> tuple[AttrSpec, ...]:
    """The attributes that could be read, in order.

    Handwritten ops may declare them in any order, as in OpDef; only the last ones then have defaults in Python.
    """
    if not by_hand:
        _order(drafts, problems)
    read = [_attr(draft, problems) for draft in drafts]
    return tuple(attr for attr in read if attr is not None)


def _attr(draft: AttrDraft, problems: list[Problem]) -> AttrSpec | None:
    type_ = read_attr_type(draft.type, problems) if draft.type is not None else None
    if type_ is None:
        return None
    if draft.default is None:
        return AttrSpec(draft.name.text, type_, opdef=_calls(draft, problems))
    if draft.items is None:
        value = read_attr_value(draft.default, type_, problems, quoted=draft.quoted)
    elif type_.startswith(_LIST):
        value = _read_list(draft.default, draft.items, type_, problems)
    else:
        what = f"a default of type {type_} must be a single value"
        problems.append(
            draft.default.problem(what, "only `list_int`, `list_float` and `list_bool` have lists as defaults")
        )
        return None
    return AttrSpec(draft.name.text, type_, value, _calls(draft, problems))


def _calls(draft: AttrDraft, problems: list[Problem]) -> OpDefCalls:
    if draft.default is None:
        refuse_version(draft.name, draft.opdef, problems)
    return read_opdef_calls(draft.opdef, "attribute", problems)


def _order(attrs: Sequence[AttrDraft], problems: list[Problem]) -> None:
    """Check the order: attributes are positional arguments, so those with a default must be last."""
    optional: Token | None = None
    for attr in attrs:
        if attr.default is not None:
            optional = optional or attr.name
        elif optional is not None:
            what = f"attribute `{attr.name.text}` has no default, but comes after `{optional.text}`, which has one"
            problems.append(attr.name.problem(what, "put attributes without a default first"))


def read_attr_type(word: Token, problems: list[Problem]) -> AttrType | None:
    """The type of an attribute."""
    for known in ATTR_TYPES:
        if word.text == known:
            return known
    choice = f"supported: {', '.join(ATTR_TYPES)}"
    if word.text in _NEVER:
        what = f"attributes of type `{word.text}` are not supported: {_NEVER[word.text]}"
        problems.append(word.problem(what, choice))
    else:
        meant = _SPELLED.get(word.text.lower()) or closest(word.text, list(ATTR_TYPES))
        hint = f"did you mean `{meant}`?" if meant else choice
        problems.append(word.problem(f"`{word.text}` is not a valid attribute type", hint))
    return None


def read_attr_value(word: Token, type_: AttrType, problems: list[Problem], *, quoted: bool = False) -> AttrValue | None:
    """A default, read by its attribute's type; only a ``str`` may be quoted.

    A list in one word comes from a command line: ``[1, 2]`` or ``1,2``.
    """
    text = word.text
    if type_ == "str":
        if text or quoted:
            return text
        problems.append(word.problem("the default is empty", 'empty text is written `""`'))
        return None
    if not text:
        problems.append(word.problem("the default is empty", "remove the key, so that callers must give a value"))
        return None
    if quoted:
        problems.append(word.problem(f"a default of type {type_} must not be quoted", f"write `{text}`"))
        return None
    if type_.startswith(_LIST) and word.file is None:
        return _read_list(word, _split(word), type_, problems)
    if type_.startswith(_LIST):
        problems.append(word.problem(f"`{text}` is not a valid {type_}", f"write a list in brackets: `[{text}]`"))
        return None
    if type_ == "bool":
        if text in ("true", "false"):
            return text == "true"
        problems.append(word.problem(f"`{text}` is not a valid truth value", "write `true` or `false`"))
        return None
    return _read_int(word, problems) if type_ == "int" else _read_float(word, problems)


def _read_list(at: Token, items: Sequence[ItemDraft], type_: AttrType, problems: list[Problem]) -> AttrValue | None:
    if len(items) > _LONGEST:
        problems.append(at.problem(f"the list has {len(items)} entries", f"the limit is {_LONGEST}"))
        return None
    of = cast("AttrType", type_.removeprefix(_LIST))
    read = [read_attr_value(item.value, of, problems, quoted=item.quoted) for item in items]
    return cast("AttrValue", tuple(read)) if None not in read else None


def _split(word: Token) -> tuple[ItemDraft, ...]:
    """The entries of a list in one word, each at its place."""
    text = word.text
    start, end = (1, len(text) - 1) if text.startswith("[") and text.endswith("]") else (0, len(text))
    items = []
    for piece in text[start:end].split(","):
        lead = len(piece) - len(piece.lstrip())
        items.append(ItemDraft(word.part(start + lead, start + lead + len(piece.strip())), quoted=False))
        start += len(piece) + 1
    return () if len(items) == 1 and not items[0].value.text else tuple(items)


def _read_int(word: Token, problems: list[Problem]) -> int | None:
    if not _INT.fullmatch(word.text):
        octal = re.fullmatch(r"[+-]?0[0-9]+", word.text)
        hint = "a number must not begin with 0: YAML 1.1 reads it as octal" if octal else "for example `3` or `-1`"
        problems.append(word.problem(f"`{word.text}` is not a valid int", hint))
        return None
    value = int(word.text) if len(word.text) < 40 else _INT64
    if not -_INT64 <= value < _INT64:
        problems.append(
            word.problem(f"`{word.text}` does not fit in 64 bits", "an int attribute is an int64_t in CANN")
        )
        return None
    return value


def _read_float(word: Token, problems: list[Problem]) -> float | None:
    if not _FLOAT.fullmatch(word.text):
        octal = re.fullmatch(r"[+-]?0[0-9]+.*", word.text)
        lowered = word.text.lower().lstrip("+-.")
        if lowered in ("inf", "nan", "infinity"):
            problems.append(
                word.problem(f"`{word.text}` is not supported as a default", "expected a finite number, such as `1e-5`")
            )
            return None
        hint = "a number must not begin with 0" if octal else "for example `1.0` or `1e-5`"
        problems.append(word.problem(f"`{word.text}` is not a valid float", hint))
        return None
    value = float(word.text)
    if abs(value) > FLOAT32_MAX:
        what = f"`{word.text}` does not fit in float32, the type of float attributes in CANN"
        problems.append(word.problem(what, f"the largest is {FLOAT32_MAX!r}"))
        return None
    return value
