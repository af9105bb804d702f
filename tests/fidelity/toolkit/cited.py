"""Looks up what tests/simulator/differences.json cites: python cited.py <folder with the checkouts, by their names>.

Each source is ``<checkout> <file>:<lines>``; one of the lines must have the row's word.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROWS = Path(__file__).parents[2] / "simulator" / "differences.json"


def main() -> int:
    """Prints what is not where a row says; the exit status is the number of such rows."""
    checkouts, wrong = Path(sys.argv[1]), 0
    for row in json.loads(ROWS.read_text(encoding="utf-8")):
        found = re.fullmatch(r"(\S+) (\S+):([\d,-]+)", row["source"])
        if not row["word"]:
            continue
        if found is None:
            sys.stdout.write(f"no place: {row['source']}\n")
            wrong += 1
            continue
        files = list((checkouts / found[1]).rglob(found[2])) if not (checkouts / found[1] / found[2]).is_file() else []
        path = next(iter(files), checkouts / found[1] / found[2])
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        spans = [(part.split("-") * 2)[:2] for part in found[3].split(",")]
        cited = [line for first, last in spans for line in lines[int(first) - 1 : int(last)]]
        if not any(row["word"] in line for line in cited):
            sys.stdout.write(f"{row['source']} has no {row['word']!r}: {row['there']}\n")
            wrong += 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
