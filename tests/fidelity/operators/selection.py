"""Which public operators are tried: a rule that was written down before any of them was tried.

An operator is a folder with op_host and op_kernel whose op_host has a definition (OP_ADD in a C++ file) with a
configuration for ascend910b. Folders of tests, templates and scripts do not count, nor do operators that talk to other
devices (HCCL): the simulated toolkit has no network. The operators of a repository are ordered by the SHA-256 of
``<repository>/<folder>``, and the first ones are taken, as many as ``COUNTS`` says. The first three tenths of these,
rounded up, are compared with a golden of ours; the others only run.

``chosen.json`` is the result at the commits named there: ``python selection.py CHECKOUTS --write``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHOSEN = Path(__file__).with_name("chosen.json")
# The repositories whose users deploy them whole are taken whole.
COUNTS = {
    "asc-devkit": 2,
    "cann-ops": 40,
    "ops-math": 46,
    "ops-nn": 56,
    "ops-transformer": 24,
    "sgl-kernel-npu": 1000,
    "vllm-ascend": 1000,
}
_SOURCES = (".cpp", ".cc", ".h")
_SKIPPED = frozenset(("docs", "op_host", "op_kernel", "scripts", "test", "tests"))
_CONFIG = re.compile(r'AddConfig\(\s*"ascend910b"')
_DEFINITION = re.compile(r"\bOP_ADD\(")
_NETWORK = re.compile(r"hccl|MC2", re.IGNORECASE)


@dataclass(frozen=True)
class Chosen:
    """One folder of one repository."""

    repository: str
    folder: str
    golden: bool

    @property
    def name(self) -> str:
        """``repository/folder``."""
        return f"{self.repository}/{self.folder}"


def select(checkouts: Path) -> list[Chosen]:
    """The operators of all repositories below ``checkouts``."""
    return [one for repository, count in COUNTS.items() for one in _of(checkouts / repository, count)]


def chosen() -> list[Chosen]:
    """The committed selection."""
    document = json.loads(CHOSEN.read_text(encoding="utf-8"))
    return [
        Chosen(repository, folder, place < _compared(len(entry["folders"])))
        for repository, entry in document.items()
        for place, folder in enumerate(entry["folders"])
    ]


def _of(root: Path, count: int) -> list[Chosen]:
    folders = sorted(_operators(root), key=lambda folder: hashlib.sha256(f"{root.name}/{folder}".encode()).hexdigest())
    taken = folders[:count]
    return [Chosen(root.name, folder, place < _compared(len(taken))) for place, folder in enumerate(taken)]


def _compared(count: int) -> int:
    return math.ceil(0.3 * count)


def _operators(root: Path) -> list[str]:
    found = []
    for here, inner, _ in os.walk(root):
        parts = {"op_host", "op_kernel"} <= set(inner)
        inner[:] = sorted(name for name in inner if name not in _SKIPPED)
        if parts and _is_chosen(Path(here)):
            found.append(Path(here).relative_to(root).as_posix())
    return found


def _is_chosen(folder: Path) -> bool:
    files = [path for path in sorted((folder / "op_host").rglob("*")) if path.suffix in _SOURCES and path.is_file()]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in files}
    defined = any(_DEFINITION.search(text) for path, text in texts.items() if path.suffix != ".h")
    host = "".join(texts.values())
    return defined and bool(_CONFIG.search(host)) and not _NETWORK.search(host)


def main() -> None:
    """Prints the selection, or writes it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--commit", action="append", default=[], metavar="REPOSITORY=COMMIT")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    commits = dict(text.split("=") for text in args.commit)
    made: dict[str, Any] = {}
    for one in select(args.checkouts):
        entry = made.setdefault(one.repository, {"commit": commits.get(one.repository, "unknown"), "folders": []})
        entry["folders"].append(one.folder)
    text = json.dumps(made, indent=1) + "\n"
    if args.write:
        CHOSEN.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
