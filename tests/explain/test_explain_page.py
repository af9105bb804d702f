"""``docs/explain.md`` lists every cause and every code. ``pytest --update-golden`` writes it from the tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from opforge.explain.cause import Cause
from opforge.explain.causes.build_causes import BUILD
from opforge.explain.causes.device_causes import DEVICES
from opforge.explain.causes.kernel_build_causes import KERNEL_BUILD
from opforge.explain.causes.loading_causes import LOADING
from opforge.explain.causes.package_causes import PACKAGES
from opforge.explain.causes.python_causes import PYTHON
from opforge.explain.causes.run_causes import RUNS
from opforge.explain.codes.lookup import CODES
from opforge.explain.matching import Match, explain
from tests.house_rules.repository import ROOT

PAGE = ROOT / "docs" / "explain.md"
GROUPS = {
    "Libraries that do not load": LOADING,
    "Python packages": PYTHON,
    "Operator packages": PACKAGES,
    "Devices, memory, communication": DEVICES,
    "Builds": BUILD,
    "Kernels that do not compile": KERNEL_BUILD,
    "Calls and kernels that fail": RUNS,
}
INTRODUCTION = """\
# Errors explained

    opforge explain 161002                        # a code of aclnn, ACL, its runtime, HCCL, the driver or torch_npu
    opforge explain ACL_ERROR_RT_AICORE_TIMEOUT   # or its name
    opforge explain build.log                     # everything known in a log
    python train.py 2>&1 | opforge explain -

Each explanation has the line of the log, the cause, a check with what it found on this machine, and the fix. The most
likely root comes first: the machine and the environment, then single errors, then what follows from them. `-v` also
prints the source of an explanation, `--json` everything. The exit code is 0 if something was explained, otherwise 1.
The command needs neither torch nor CANN nor a project.

If `opforge build`, `install` or `test` fails, it prints the explanation of the output that it shows. `opforge run` does
so for errors that end a Python program, in environments with opforge; for other programs, send the output to
`opforge explain -`.

`opforge doctor` checks the machine before something fails; `opforge doctor --report FILE` writes what a bug report
needs, without secrets.

Do not edit: `tests/explain/test_explain_page.py` makes this page from the tables in `src/opforge/explain`. The tests
check that each text below is explained by its cause only.
"""


def cell(text: str) -> str:
    short = text.splitlines()[0]
    short = short if len(short) <= 120 else f"{short[:117]}..."
    return short.replace("|", "\\|")


def rows(causes: tuple[Cause, ...]) -> Iterator[str]:
    for cause in causes:
        (first, *_) = [match for match in explain(cause.example) if isinstance(match, Match)]
        fence = "``" if "`" in cause.example else "`"
        text = cell(cause.example)
        text = f"{fence} {text} {fence}" if fence == "``" else f"`{text}`"
        yield f"| {cell(first.cause.title)} | {text} | [source]({cause.source}) |"


def page() -> str:
    count = sum(map(len, GROUPS.values()))
    lines = [INTRODUCTION, f"{count} causes and {len(CODES)} codes are known.", ""]
    for title, causes in GROUPS.items():
        lines += [f"## {title}", "", "| cause | text, for example | |", "|---|---|---|", *rows(causes), ""]
    lines += ["## Codes", "", "| code | name | meaning |", "|---|---|---|"]
    lines += [f"| {code.number} | {code.name} | {cell(code.cause)} |" for code in CODES.values()]
    return "\n".join(lines) + "\n"


def test_the_page_is_what_the_tables_say(request: pytest.FixtureRequest) -> None:
    now = page()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now, "docs/explain.md is not what the tables say: --update-golden"
