"""Adds to a failing tool's output what opforge knows about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opforge.cli.shared.console import Console, current
from opforge.errors import OpforgeError

_MOST = 2  # explanations for one failure


def explain_detail(console: Console, error: OpforgeError) -> None:
    """Prints the known causes of a tool's output that an error shows; nothing with ``--json``."""
    if error.detail and not console.as_json:
        explain_output(console, error.detail, error.hint or "")


def explain_output(console: Console, text: str, said: str = "") -> None:
    """Prints title, cause and fix of the known causes in a text, except those that ``said`` has named already."""
    from opforge.explain.matching import Match, explain  # noqa: PLC0415  (only for a failure)

    known = [match.cause for match in explain(text) if isinstance(match, Match)]
    for cause in [cause for cause in known if cause.title.lower() not in said.lower()][:_MOST]:
        console.explained(cause.title, cause.cause, cause.fix)


@contextmanager
def failed_texts_explained() -> Iterator[Mapping[str, str]]:
    """Variables with which processes in the block leave the texts of failures; then explains those that are known.

    None without a folder for temporary files.
    """
    from pathlib import Path  # noqa: PLC0415
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from opforge.install.failed_texts import VARIABLE  # noqa: PLC0415

    try:
        folder = TemporaryDirectory(prefix="opforge-failed-")
    except OSError:  # no disk for it: the command runs, and nothing is explained
        yield {}
        return
    with folder:
        texts = Path(folder.name, "failed.txt")
        yield {VARIABLE: str(texts)}
        if texts.is_file():
            explain_output(current(), texts.read_text(encoding="utf-8", errors="replace"))
