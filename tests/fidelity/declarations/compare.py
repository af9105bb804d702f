"""Compares our headers with the public ones: ``compare.py CHECKOUTS [--write]``.

CHECKOUTS is a folder with checkouts named asc-devkit, metadef, opbase, runtime and CANN-8.1.RC1 (its text files), and,
if somebody has generated it there, ``generated/kernel_tiling/kernel_tiling.h`` of asc-devkit's build. With ``--write``
public/, the table of differences and the result file are written anew. The exit status is 1 while a difference has
no reason.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from comparing import HERE, PUBLIC, Difference, Read, differences, read, read_public, read_reasons, read_theirs, why
from kept_results import keep_result
from parts import Part, assembled, parts

TABLE = HERE / "differences.md"


def facts_of(ours: Read, theirs: Read, like: str | None) -> dict[str, Any]:
    """The names that we declare and that are there; where another part has most of them, only what differs from it."""
    names: dict[str, Any] = {name: sorted(theirs.table[name]) for name in sorted(ours.table) if name in theirs.table}
    if like is None:
        return {"names": names}
    same = {name: sorted(forms) for name, forms in read_public(like).items()}
    changed = {name: forms for name, forms in names.items() if same.get(name) != forms}
    changed.update({name: None for name in same if name not in names})
    return {"like": like, "names": dict(sorted(changed.items()))}


def write_public(part: Part, ours: Read, theirs: Read, like: str | None) -> None:
    kept = facts_of(ours, theirs, like)
    lines = [f"{json.dumps(name)}: {json.dumps(forms, ensure_ascii=False)}" for name, forms in kept["names"].items()]
    head = f'"like": {json.dumps(like)},\n' if like else ""
    PUBLIC.mkdir(exist_ok=True)
    text = f'{{\n{head}"names": {{\n' + ",\n".join(lines) + "\n}}\n"
    (PUBLIC / f"{part.name}.json").write_text(text, encoding="utf-8")


def table_of(part: Part, found: list[tuple[Difference, list[str] | None]]) -> str:
    """The part's differences by reason, each with the names in our words."""
    by_reason: dict[str, list[str]] = {}
    for difference, reasons in found:
        for reason in reasons or ["**No reason yet.**"]:
            by_reason.setdefault(reason, []).append(f"`{difference.name}`")
    text = [f"## {part.name}\n\nCompared with {part.source}.\n"]
    text += [f"- {reason}\n  {', '.join(names)}\n" for reason, names in sorted(by_reason.items())]
    return "\n".join(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--write", action="store_true", help="write public/, differences.md and the result")
    parser.add_argument("--part", action="append", help="only this part, without --write")
    asked = parser.parse_args()
    reasons, result, tables, unexplained = read_reasons(), {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        root = assembled(Path(folder) / "include")
        for part in parts():
            if asked.part and part.name not in asked.part:
                continue
            ours, theirs = read(part.ours, root), read_theirs(part, asked.checkouts.absolute())
            if asked.write:
                write_public(part, ours, theirs, "kernel_ascend910b" if part.name == "kernel_ascend310p" else None)
            found = [(each, why(part.name, each, reasons)) for each in differences(ours, theirs.table)]
            open_ones = [each for each, reason in found if reason is None]
            unexplained += len(open_ones)
            for each in open_ones:
                print(f"{part.name}: {each.file}: {each.name}", *each.lines, sep="\n    ")
            tables.append(table_of(part, found))
            result[part.name] = {
                "compared_with": part.source,
                "names": len(ours.table),
                "forms": sum(map(len, ours.table.values())),
                "same": len(ours.table) - len(found),
                "differ_with_a_reason": dict(Counter(each.kind for each, reason in found if reason is not None)),
                "differ_without_a_reason": len(open_ones),
                "parser_errors": {"ours": len(ours.errors), "theirs": len(theirs.errors)},
            }
    if asked.write:
        TABLE.write_text("# Declarations that differ from the public headers\n\n" + "\n".join(tables), encoding="utf-8")
        keep_result("declarations", {"parts": result})
    print(json.dumps(result, indent=2))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
