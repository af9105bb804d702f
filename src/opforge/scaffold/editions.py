"""Converts opforge.yaml from an earlier edition to the current one, as text, so that comments and layout stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from opforge.spec.read.document import Mapping as Tree
from opforge.spec.read.document import Scalar, read_document

# By n: converts the text of edition n to edition n + 1, including `edition:`.
MIGRATIONS: Mapping[int, Callable[[str], str]] = {}


def migrated(text: str, file: Path, migrations: Mapping[int, Callable[[str], str]] = MIGRATIONS) -> str:
    """The text in the newest edition that ``migrations`` lead to; unchanged if its edition cannot be read.

    Raises SpecError for a text that is not valid YAML.
    """
    while True:
        edition = _edition(text, file)
        migration = migrations.get(edition) if edition is not None else None
        if migration is None:
            return text
        text = migration(text)


def _edition(text: str, file: Path) -> int | None:
    tree, _ = read_document(text, file)
    found = tree.get("edition") if isinstance(tree, Tree) else None
    word = found.text if isinstance(found, Scalar) else ""
    return int(word) if word.isdecimal() and len(word) < 6 else None
