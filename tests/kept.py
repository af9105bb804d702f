"""What tests compile, kept by its content: parallel workers and later runs take it as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from opforge.toolkit.publish import published

# One cache for all runs and all parallel workers of this checkout; the first that needs a thing makes it, others wait.
CACHE = Path(__file__).parents[1] / "build" / "test-cache"

_WHOLE = "kept.json"  # the last file of an entry


def kept(kind: str, content: object, make: Callable[[Path], None]) -> Path:
    """The folder that ``make`` filled for this ``content``: everything that decides what it makes, as JSON.

    Nobody may write into it afterwards.
    """
    said = json.dumps(content, sort_keys=True, default=str)
    target = CACHE / kind / hashlib.sha256(said.encode()).hexdigest()[:16]
    if not (target / _WHOLE).is_file():
        with published(target, _WHOLE, lambda _: None) as scratch:
            if scratch is not None:
                made = scratch / "root"
                made.mkdir()
                make(made)
                (made / _WHOLE).write_text(said, encoding="utf-8")
    return target
