"""Validates the JSON report of a measuring program, since a project's code runs in the program's process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from opforge.errors import MeasureError
from opforge.frozen import dataclass

SCHEMA = 1  # the version of the reports that opforge.testing writes

_SPELLED = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}  # numbers that JSON lacks
_TOO_MUCH = 2**63  # no count of bytes, elements or calls is larger
_LONGEST = 60  # characters shown of a wrong value


@dataclass(frozen=True)
class Entry:
    """An object of a document at ``place`` (``rows[2].custom_us``). A wrong field raises MeasureError."""

    fields: Mapping[str, object]
    file: Path
    place: str = ""

    def text(self, name: str) -> str:
        """A string."""
        value = self._get(name)
        if isinstance(value, str):
            return value
        raise self._refusal(name, value, "a text")

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._get(name)
        if isinstance(value, bool):
            return value
        raise self._refusal(name, value, "true or false")

    def count(self, name: str) -> int:
        """A whole number, 0 or more."""
        value = self._get(name)
        if _is_count(value):
            return int(str(value))
        raise self._refusal(name, value, "a whole number, 0 or more")

    def number(self, name: str) -> float:
        """Any number; JSON lacks infinities and NaN, which are spelled "inf", "-inf" and "nan"."""
        value = self._get(name)
        if isinstance(value, str) and value in _SPELLED:
            return _SPELLED[value]
        if isinstance(value, float):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _TOO_MUCH:
            return float(value)
        raise self._refusal(name, value, "a number")

    def counts(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers: a shape, an index."""
        value = self._get(name)
        if isinstance(value, list) and all(map(_is_count, value)):
            return tuple(value)
        raise self._refusal(name, value, "a list of whole numbers")

    def entry(self, name: str) -> Entry:
        """An object."""
        value = self._get(name)
        if isinstance(value, dict):
            return Entry(value, self.file, self._path(name))
        raise self._refusal(name, value, "an object")

    def maybe(self, name: str) -> Entry | None:
        """An object, or None for null."""
        return None if self._get(name) is None else self.entry(name)

    def entries(self, name: str) -> tuple[Entry, ...]:
        """A list of objects."""
        value = self._get(name)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return tuple(Entry(item, self.file, f"{self._path(name)}[{i}]") for i, item in enumerate(value))
        raise self._refusal(name, value, "a list of objects")

    def is_null(self, name: str) -> bool:
        """Whether the field is null; it must be present."""
        return self._get(name) is None

    def error(self, what: str) -> MeasureError:
        """The error for a wrong field of this object."""
        where = f"{self.place}: " if self.place else ""
        return MeasureError(
            f"{self.file} is not what opforge expects: {where}{what}",
            hint="`opforge vendor testing` replaces a copy of opforge.testing in tests/_opforge; if there is none, "
            "look at benchmarks/cases.py, which runs in the same process",
        )

    def _path(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def _get(self, name: str) -> object:
        if name not in self.fields:
            raise self.error(f"there is no `{name}`")
        return self.fields[name]

    def _refusal(self, name: str, value: object, expected: str) -> MeasureError:
        shown = json.dumps(value, ensure_ascii=True)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
        return self.error(f"`{name}` is {shown}, and not {expected}")


def read_document(file: Path) -> Entry:
    """The report in ``file``. Raises MeasureError if it is not a JSON object of this schema."""
    whole = Entry({}, file)
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # invalid UTF-8 also raises ValueError
        raise whole.error(f"it is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise whole.error("it is not a JSON object")
    document = Entry(value, file)
    if document.count("schema") != SCHEMA:
        raise document.error(f"its schema is {document.count('schema')}, and this opforge reads {SCHEMA}")
    return document


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _TOO_MUCH
