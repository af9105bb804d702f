"""What the rules look at: opforge's modules, its forms, and every file that git tracks."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "opforge"
TEMPLATES = ROOT / "templates"


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git tracks, or would with the next commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return tuple(path for name in names if name and (path := ROOT / name).is_file())


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if PACKAGE / "simulator" not in path.parents)


def forms() -> list[Path]:
    """Those of opforge: code/ and project/, whose copier.yml is for copier; other folders are templates of teams."""
    found = (path for folder in ("code", "project") for path in (TEMPLATES / folder).rglob("*"))
    left_out = {"__pycache__", "copier.yml"}
    return sorted(path for path in found if path.is_file() and not left_out.intersection(path.parts))


def show(findings: list[str]) -> str:
    return "\n" + "\n".join(findings)
