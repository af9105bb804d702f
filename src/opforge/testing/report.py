"""The options of the measuring programs, the environment that they report, and the JSON output."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opforge.testing.measuring.case import Case, Op

SCHEMA = 1  # of the JSON


def options(program: str, description: str) -> argparse.ArgumentParser:
    """The options of every program. Ends the process if the environment is not activated."""
    name = f"opforge.testing.{program}"
    if not os.environ.get("ASCEND_HOME_PATH"):
        sys.exit(
            "No CANN and no simulated toolkit is activated. Type `opforge build && opforge install`, and then "
            f"`opforge run -- python -m {name}`."
        )
    parser = argparse.ArgumentParser(prog=name, description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there instead of a table")
    parser.add_argument("--op", action="append", default=[], metavar="NAME", help="only this operator (repeatable)")
    parser.add_argument("--dtype", action="append", default=[], metavar="NAME", help="only this dtype (repeatable)")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, fewer and smaller cases")
    return parser


def chosen(ops: Sequence[Op], names: Sequence[str], root: Path) -> tuple[list[Op], list[dict[str, str]]]:
    """The requested operators, by either name, and those that are left out, each with the reason."""
    unknown = [name for name in names if not any(name in (op.name, op.type) for op in ops)]
    if unknown:
        sys.exit(f"no operator {', '.join(unknown)} in cases.py; it has {', '.join(op.type for op in ops)}")
    asked = [op for op in ops if not names or op.name in names or op.type in names]
    left_out = [{"op": op.type, "why": op.why_not(root)} for op in asked if op.why_not(root)]
    return [op for op in asked if not op.why_not(root)], left_out


def of_dtype(cases: Sequence[Case], names: Sequence[str]) -> list[Case]:
    """The cases that have a tensor of one of these dtypes; all cases if no dtype is named."""
    return [case for case in cases if not names or set(names) & {case.dtype, *case.dtype.split("/")}]


def surroundings() -> dict[str, Any]:
    """Schema, device and versions, which every report contains first."""
    import torch  # noqa: PLC0415  (only where the environment is activated)
    import torch_npu  # noqa: F401, PLC0415  (device "npu")

    return {
        "schema": SCHEMA,
        "simulated": is_simulated(),
        "soc": torch.npu.get_device_name(0),
        "torch": torch.__version__,
    }


def is_simulated() -> bool:
    """Whether the active toolkit is a simulated one, whose times say nothing about hardware."""
    try:
        facts = (Path(os.environ["ASCEND_HOME_PATH"]) / "version.cfg").read_text(encoding="utf-8")
    except (KeyError, OSError, UnicodeDecodeError):
        return False
    return "simulated=1" in facts.splitlines()


def write_json(path: Path, report: dict[str, Any]) -> None:
    """Writes the report by one rename, so that an interrupted run leaves no file. Infinities and NaN become text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_plain(report), indent=1, allow_nan=False) + "\n"
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
