"""Reads aic-<SoC>-ops-info.ini, the list of ops that op_build writes."""

from __future__ import annotations

import configparser
from pathlib import Path
from typing import Any

Op = dict[str, Any]  # a section of the file: values, and mappings of values below a dotted key


def read_ops(path: Path) -> dict[str, Op]:
    """Op type -> its keys, nested at the dots: ``{"input0": {"name": "x", "dtype": "float16,float"}, ...}``."""
    parser = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",), strict=True, interpolation=None)
    parser.optionxform = str
    with path.open(encoding="utf-8") as stream:
        parser.read_file(stream)
    ops: dict[str, Op] = {}
    for op_type in parser.sections():
        nested: Op = {}
        for key, value in parser.items(op_type):
            head, _, rest = key.partition(".")
            if rest:
                nested.setdefault(head, {})[rest] = value
            else:
                nested[head] = value
        ops[op_type] = nested
    return ops


def tensors(op: Op, kind: str) -> list[dict[str, Any]]:
    """The ``input`` or ``output`` entries in order, each with its dtypes and formats as lists."""
    found: list[dict[str, Any]] = []
    while (entry := op.get(f"{kind}{len(found)}")) is not None:
        dtypes = entry["dtype"].split(",")
        formats = entry.get("format", "ND").split(",")
        found.append({**entry, "dtypes": dtypes, "formats": formats * len(dtypes) if len(formats) == 1 else formats})
    return found


def attributes(op: Op) -> list[dict[str, str]]:
    """The attributes in order, each with its name."""
    listed = op.get("attr", {}).get("list", "")
    return [{"name": name, **op.get(f"attr_{name}", {})} for name in listed.split(",") if name]
