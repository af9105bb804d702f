"""docs/versions.md, from results/ and the tables of opforge: which versions and chips were tried, and how far."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kept_results import RESULTS

from opforge.soc import SOCS

PAGE = Path(__file__).parents[2] / "docs" / "versions.md"
# The environment of every test.
HERE = ("2.13.0", "2.13.0")

HEAD = """\
# Versions and chips that were tried

A test writes this page (`pytest tests/fidelity --update-golden`) from what `make qualify` found. *Run*: a project with
ops of all kinds was built, installed and tested on the simulated device with these packages, unchanged. *Compiled*: its
adapter compiles against their headers. Whatever is not listed is untried.

A package is built for the PyTorch of its environment. Its wheel requires that series (`torch==2.13.*`), and `import`
says so if it finds another one: build and install it again there. Kernels and run package do not depend on PyTorch.
"""


def versions() -> Iterator[str]:
    """The rows of PyTorch, oldest first."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in (RESULTS / "torch_versions").glob("*.json")]
    found.append({"torch": HERE[0], "torch_npu": HERE[1], "passed": "opforge's own"})
    for each in sorted(found, key=lambda each: tuple(map(int, each["torch"].split(".")))):
        outcome = f"run: {each['passed']} tests" if "passed" in each else "compiled"
        outcome += f"; without {each['left_out']}, which ends Python (below)" if each.get("left_out") else ""
        yield f"| {each['torch']} | {each['torch_npu']} | {outcome} |"


def test_versions_page(request: pytest.FixtureRequest) -> None:
    chips = ", ".join(f"`{name}`" for name, soc in SOCS.items() if soc.lacks is None)
    lines = [
        *("## PyTorch and torch_npu", "", "| torch | torch_npu | |", "|---|---|---|", *versions(), ""),
        "For x86_64, PyPI has CUDA builds of torch alone. torch_npu up to 2.10.0.post4 works beside one; later ones",
        "end Python there, so that those without a CPU build at hand were compiled only. With 2.10.0.post4, pickling a",
        "module on the NPU ends Python: torch.save's older format makes a tensor whose storage is not torch_npu's.",
        "",
        *("## Python", "", "Run with 3.11. The code is checked for 3.10 and later.", ""),
        *("## CANN", "", "| CANN | what | |", "|---|---|---|"),
        "| 8.5, simulated | all of a project | run |",
        "| 9.x, asc-devkit 82b89a1 | kernels, op_host; CMake functions, op_build, installer | compiled; run |",
        "| 8.1.RC1 | kernels; its project template | compiled; run, with a stand-in for opc |",
        "",
        "`docs/fidelity.md` has the counts, and what stood in for parts that are not public.",
        "",
        *("## Chips", "", f"Run on the simulated device: {chips}. On hardware: none (`docs/real_hardware.md`).", ""),
    ]
    text = HEAD + "\n" + "\n".join(lines)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, f"{PAGE.name} is not what the results say: --update-golden"
