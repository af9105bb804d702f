"""A project lives on: a kernel tuned by hand, a changed spec, an op added; every command and what it says is a page.

The page is docs/project_life.md: what a run prints, but for times and paths. ``pytest --update-golden`` writes it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "project_life.md"
HEAD = """\
# A project's life

Somebody tunes a kernel by hand, then changes the spec, then adds another op. `tests/e2e/test_project_life.py`
records what opforge prints, without times and paths; do not edit this page.
"""
TUNED = "    static constexpr uint32_t kBuffers = 1;  // Measured: copying is not what takes the time here."
NEW = "opforge new ScaledSum --inputs x,y --attr alpha:float=1.0 --compute 'z = alpha * x + y'"
# A command, the folder below the start that it runs in, and what it is for.
STEPS = (
    (
        "Create a project with one op.",
        "",
        "opforge new ScaledSum --inputs x,y --attr alpha:float=1.0 --compute 'z = alpha * x + y'",
    ),
    (
        "Tune its kernel by hand: one buffer for each queue instead of two.",
        "scaled_sum",
        f"sed -i 's|^ *static constexpr uint32_t kBuffers = 2;$|{TUNED}|' op_kernel/scaled_sum_kernel.h",
    ),
    ("opforge shows the edited file.", "scaled_sum", "opforge status"),
    (
        "Change the spec; the same file depends on it.",
        "scaled_sum",
        "sed -i 's|compute: .*|compute: z = relu(alpha * x + y)|' opforge.yaml",
    ),
    ("The build stops, because it would overwrite the edit.", "scaled_sum", "opforge build"),
    ("See what an update would do.", "scaled_sum", "opforge status"),
    ("Update: opforge merges the edit with the new text.", "scaled_sum", "opforge update"),
    (
        "The file has the edited line and the new instruction.",
        "scaled_sum",
        "grep -n -e 'kBuffers = ' -e 'AscendC::Relu' op_kernel/scaled_sum_kernel.h",
    ),
    ("Add another op; opforge.yaml keeps its comments.", "scaled_sum", "opforge add VectorTanh --inputs x"),
    ("Test both; what changed is built and installed first.", "scaled_sum", "opforge test -k 'forward or backward'"),
    ("", "scaled_sum", "opforge status"),
)


def _plain(text: str, folder: Path) -> str:
    """Without what differs from run to run, or with each line that a form gains."""
    text = text.replace(str(folder), "~").replace("\r", "")
    text = re.sub(
        r"^(?:  (?:device|spec|skeleton|operators|adapter|wheel|install)|(?:  )?toolkit): .*\n",
        "",
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(r" \(\+\d+ -\d+\)", "", text)
    text = re.sub(r"/\S*/(toolkit/)\w+", r"~/.cache/opforge/\1KEY", text)
    text = re.sub(r"\d+(\.\d+)? ?s\b( \(\d:\d\d:\d\d\))?", "N s", text)
    text = re.sub(r"^[.s]+ *\[ *\d+%\]\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"=+ warnings summary =+\n.*?(?=\d+ passed)", "", text, flags=re.DOTALL)
    return re.sub(r"\d+ passed(, \d+ (skipped|deselected|warnings?))*", "all passed", text)


def test_hand_edits_survive_a_changed_spec(
    environment: Environment, toolkit_root: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    assert toolkit_root.is_dir()  # built before, and no part of the story
    page = [HEAD]
    for why, folder, command in STEPS:
        done = environment.sh(command, tmp_path / folder, check=False)
        said = _plain(done.stdout + done.stderr, tmp_path)
        ended = f"\n(exit status {done.returncode})" if done.returncode else ""
        page.append(f"{why}\n" if why else "")
        page.append(f"    $ {command}\n" + "".join(f"    {line}\n" for line in (said + ended).splitlines() if line))
    kernel = (tmp_path / "scaled_sum/op_kernel/scaled_sum_kernel.h").read_text()
    assert TUNED in kernel
    assert "AscendC::Relu(" in kernel
    text = "\n".join(page)
    if pytestconfig.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "docs/project_life.md is another run's: --update-golden"
