"""Scalars by the field that holds them: dtypes, SoCs, dimensions, numbers, truth values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from opforge.dtypes import ALIASES, COMPUTE_DTYPES, DTYPES
from opforge.errors import Problem
from opforge.soc import SOCS, SUPPORTED, soc_of_version
from opforge.spec.language import FLOAT32_MAX
from opforge.spec.model import AttrType, AttrValue
from opforge.spec.source import Token, closest

ATTR_TYPES: tuple[AttrType, ...] = ("int", "float", "bool", "str")
_ATTR_LATER = ("list_int", "list_float", "list_bool")
_ATTR_NEVER = {
    "list_str": "op_build refuses lists of text",
    "list_string": "op_build refuses lists of text",
    "list_list_int": "op_build refuses lists of lists",
    "type": "op_build writes attributes of that type wrongly",
    "tensor": "a tensor is an input",
}
_ATTR_SPELLED = {
    "string": "str",
    "text": "str",
    "double": "float",
    "integer": "int",
    "int64": "int",
    "float32": "float",
}

_INT = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SYMBOL = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_INT64 = 2**63


def read_dtype(word: Token, problems: list[Problem]) -> str | None:
    """A dtype that ops compute on today."""
    if word.text in COMPUTE_DTYPES:
        return word.text
    supported = ", ".join(COMPUTE_DTYPES)
    if word.text in DTYPES:
        problems.append(word.problem(f"dtype `{word.text}` is not supported yet", f"supported are {supported}"))
        return None
    meant = ALIASES.get(word.text.lower()) or closest(word.text, list(DTYPES))
    if meant == "float64":
        problems.append(
            word.problem(
                f"dtype `{word.text}` is not supported", f"the vector unit has none; supported are {supported}"
            )
        )
        return None
    hint = f"did you mean `{meant}`?" if meant in COMPUTE_DTYPES else f"supported are {supported}"
    problems.append(word.problem(f"there is no dtype `{word.text}`", hint))
    return None


def read_socs(words: Sequence[Token], problems: list[Problem]) -> tuple[str, ...]:
    """Compute units that opforge generates kernels for, in order, none twice."""
    socs: list[str] = []
    for word in words:
        soc = _read_soc(word, problems)
        if soc is not None and soc in socs:
            problems.append(word.problem(f"`{soc}` is given twice"))
        elif soc is not None:
            socs.append(soc)
    return tuple(socs)


def _read_soc(word: Token, problems: list[Problem]) -> str | None:
    soc = SOCS.get(word.text)
    supported = ", ".join(SUPPORTED)
    if soc is not None:
        if soc.lacks is None:
            return soc.name
        problems.append(word.problem(f"`{soc.name}` is not supported yet: {soc.lacks}", f"supported are {supported}"))
        return None
    chip = soc_of_version(word.text)
    if chip is not None:
        hint = f"did you mean `{chip.name}`? `{word.text}` is a chip; a spec names its compute unit"
    else:
        series = {
            "a2": "ascend910b",
            "a3": "ascend910_93",
            "910b": "ascend910b",
            "910_93": "ascend910_93",
            "310p": "ascend310p",
        }
        meant = series.get(word.text.lower()) or closest(word.text, list(SOCS))
        hint = f"did you mean `{meant}`?" if meant else f"supported are {supported}"
    problems.append(word.problem(f"there is no SoC `{word.text}`", hint))
    return None


def is_symbol(text: str) -> bool:
    """Whether a dimension of that name can be declared."""
    return _SYMBOL.fullmatch(text) is not None


def read_dims(dims: Sequence[Token], problems: list[Problem]) -> tuple[str, ...]:
    """The dimensions of a tensor of an elementwise op; ``...`` alone is what is supported so far."""
    texts = tuple(d.text for d in dims)
    if texts == ("...",):
        return texts
    if not dims:
        return ("...",)
    for place, dim in enumerate(dims):
        if dim.text == "..." and place == 0:
            continue
        if dim.text == "...":
            problems.append(dim.problem("`...` stands first, and once", "it means the leading dimensions"))
        elif _INT.fullmatch(dim.text) or _SYMBOL.fullmatch(dim.text):
            hint = "write `shape: [...]`, or leave it out: any shape, broadcast by NumPy's rule"
            what = f"the dimension `{dim.text}`: without a product named and fixed ones are not supported yet"
            problems.append(dim.problem(what, hint))
        else:
            problems.append(dim.problem(f"`{dim.text}` is no dimension", "write `shape: [...]`"))
    return texts


def read_attr_type(word: Token, problems: list[Problem]) -> AttrType | None:
    """The type of an attribute."""
    for known in ATTR_TYPES:
        if word.text == known:
            return known
    choice = f"supported are {', '.join(ATTR_TYPES)}"
    if word.text in _ATTR_LATER:
        problems.append(word.problem(f"attributes of type `{word.text}` are not supported yet", choice))
    elif word.text in _ATTR_NEVER:
        what = f"attributes of type `{word.text}` are not supported: {_ATTR_NEVER[word.text]}"
        problems.append(word.problem(what, choice))
    else:
        meant = _ATTR_SPELLED.get(word.text.lower()) or closest(word.text, list(ATTR_TYPES))
        hint = f"did you mean `{meant}`?" if meant else choice
        problems.append(word.problem(f"there is no attribute type `{word.text}`", hint))
    return None


def read_attr_value(word: Token, type_: AttrType, problems: list[Problem], *, quoted: bool = False) -> AttrValue | None:
    """A default, read as its attribute's type says; text in quotes is a ``str`` and nothing else."""
    text = word.text
    if type_ == "str":
        if text or quoted:
            return text
        problems.append(word.problem("the default is empty", 'empty text is written `""`'))
        return None
    if not text:
        problems.append(word.problem("the default is empty"))
        return None
    if quoted:
        problems.append(word.problem(f"a default of type {type_} stands without quotes"))
        return None
    if type_ == "bool":
        if text in ("true", "false"):
            return text == "true"
        problems.append(word.problem(f"`{text}` is no truth value", "write `true` or `false`"))
        return None
    return _read_int(word, problems) if type_ == "int" else _read_float(word, problems)


def _read_int(word: Token, problems: list[Problem]) -> int | None:
    if not _INT.fullmatch(word.text):
        octal = re.fullmatch(r"[+-]?0[0-9]+", word.text)
        hint = "a number does not begin with 0: YAML 1.1 reads it as octal" if octal else "as `3` or `-1`"
        problems.append(word.problem(f"`{word.text}` is no int", hint))
        return None
    value = int(word.text) if len(word.text) < 40 else _INT64
    if not -_INT64 <= value < _INT64:
        problems.append(word.problem(f"`{word.text}` does not fit in 64 bits"))
        return None
    return value


def _read_float(word: Token, problems: list[Problem]) -> float | None:
    if not _FLOAT.fullmatch(word.text):
        octal = re.fullmatch(r"[+-]?0[0-9]+.*", word.text)
        lowered = word.text.lower().lstrip("+-.")
        if lowered in ("inf", "nan", "infinity"):
            problems.append(word.problem(f"`{word.text}` is not supported as a default", "a finite number, as `1e-5`"))
            return None
        hint = "a number does not begin with 0" if octal else "as `1.0` or `1e-5`"
        problems.append(word.problem(f"`{word.text}` is no float", hint))
        return None
    value = float(word.text)
    if abs(value) > FLOAT32_MAX:
        what = f"`{word.text}` does not fit in float32, which a float attribute is in CANN"
        problems.append(word.problem(what, f"the largest is {FLOAT32_MAX!r}"))
        return None
    return value
