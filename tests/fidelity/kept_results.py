"""The files in results/: what comparisons and long runs have found, each with the commit that it was found with."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"


def commit() -> str:
    """The commit under test; "unknown" outside of a repository. Its tree has changes where it ends with a plus."""

    def git(*words: str) -> str:
        done = subprocess.run(("git", *words), cwd=TESTS, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    changed = git(
        "status", "--porcelain", "--untracked-files=no", "--", ".", ":!fidelity/results", "../src", "../templates"
    )
    return (git("rev-parse", "HEAD") or "unknown") + ("+" if changed else "")


def keep_result(name: str, found: dict[str, Any]) -> None:
    """``results/<name>.json`` is of this run; docs/fidelity.md is rendered from these files."""
    file = RESULTS / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"commit": commit(), **found}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
