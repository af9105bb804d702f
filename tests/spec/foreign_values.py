"""Defaults of attributes, from the C++ text in an OpDef to values."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from opforge.dtypes import DTYPES
from opforge.spec.model import AttrType, AttrValue


class Unknown:
    """A default that the text does not say: the name of a constant."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()
ForeignValue: TypeAlias = AttrValue | Unknown | None

_ZERO: dict[AttrType, AttrValue] = {
    "int": 0,
    "float": 0.0,
    "bool": False,
    "str": "",
    "list_int": (),
    "list_float": (),
    "list_bool": (),
}
_CAST = re.compile(r"(?:static_cast<\w+>|u?int\d+_t)\((.*)\)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlLuU]*")
_QUOTIENT = re.compile(r"([^/]+)/([^/]+)")
_CONSTANTS = {"INT64_MAX": 2**63 - 1, "INT32_MAX": 2**31 - 1, "INT64_MIN": -(2**63)}
_ENUMERATORS = {f"ge::{dtype.ge}": dtype.acl for dtype in DTYPES.values()}  # acl and ge number dtypes alike


def read_default(text: str, type_: AttrType) -> ForeignValue:
    """The value of a default. Without a text it is op_build's own: zero, or the empty text or list."""
    text = text.strip()
    if not text:
        return _ZERO[type_]
    if type_.startswith("list_"):
        return _list(text, type_)
    if type_ == "str":
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else UNKNOWN
    if type_ == "bool":
        return {"true": True, "1": True, "false": False, "0": False}.get(text, UNKNOWN)
    number = _number(text)
    if number is None:
        return UNKNOWN
    return float(number) if type_ == "float" else int(number)


def _list(text: str, type_: AttrType) -> ForeignValue:
    if not (text.startswith("{") and text.endswith("}")):
        return UNKNOWN
    of: AttrType = "int" if type_ == "list_int" else "float" if type_ == "list_float" else "bool"
    items = [read_default(part, of) for part in text[1:-1].split(",") if part.strip()]
    if of == "bool":
        bools = tuple(item for item in items if isinstance(item, bool))
        return bools if len(bools) == len(items) else UNKNOWN
    if of == "int":
        ints = tuple(item for item in items if isinstance(item, int))
        return ints if len(ints) == len(items) else UNKNOWN
    floats = tuple(item for item in items if isinstance(item, float))
    return floats if len(floats) == len(items) else UNKNOWN


def _number(text: str) -> int | float | None:
    cast = _CAST.fullmatch(text)
    if cast:
        return _number(cast[1].strip())
    if text in _CONSTANTS or text in _ENUMERATORS:
        return _CONSTANTS.get(text, _ENUMERATORS.get(text))
    quotient = _QUOTIENT.fullmatch(text)
    if quotient:
        parts = [_number(part.strip()) for part in quotient.groups()]
        return parts[0] / parts[1] if parts[0] is not None and parts[1] else None
    number = _NUMBER.fullmatch(text)
    if not number:
        return None
    return int(number[1]) if number[1].lstrip("+-").isdecimal() else float(number[1])
