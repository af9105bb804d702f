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
HERE_PYTHON = (3, 11)

HEAD = """\
# Matrix of versions and chips

A test writes this page (`pytest tests/fidelity --update-golden`) from what `make qualify` found. *Run*: a project was
built, installed and tested on the simulated device with these packages, unchanged. *Compiled*: it compiles against
their headers. *Read*: only documentation or sources were read. *Untried*: everything else, on hardware too.

A package is built for the PyTorch of its environment. Its wheel requires that series (`torch==2.13.*`), and `import`
says so if it finds another one: build and install it again there. Kernels and run package do not depend on PyTorch.

For users of several versions, `opforge export wheel DIR --also ENV` writes one wheel: ENV is an environment with
another torch and torch_npu, and the option can be repeated. The adapter, which uses their C++ interfaces, is compiled
for each of them, and the package loads the one for the PyTorch that imports it. It requires `torch>=2.10,<2.14` without
the releases between that it has no adapter for.

PyTorch's stable ABI would give one library for all versions. It is not used. As tried with torch 2.13, every error
becomes a RuntimeError, and the allocator's loses its text, so that programs cannot catch `torch.OutOfMemoryError`, or
the TypeError and ValueError of wrong arguments; and arguments of type Scalar are refused. By its source, torch_npu's
only C function for a stream waits until the task queue is empty.
"""


def versions() -> Iterator[str]:
    """The rows of PyTorch, oldest first."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in (RESULTS / "torch_versions").glob("*.json")]
    found.append({"torch": HERE[0], "torch_npu": HERE[1], "passed": "opforge's own"})
    for each in sorted(found, key=lambda each: tuple(map(int, each["torch"].split(".")))):
        outcome = f"run: {each['passed']} tests" if "passed" in each else "compiled"
        outcome += f"; without {each['left_out']}, which ends Python (below)" if each.get("left_out") else ""
        yield f"| {each['torch']} | {each['torch_npu']} | {outcome} |"


def pythons() -> Iterator[str]:
    """The rows of Python, oldest first: the results of tests/qualify/test_python_versions.py and this environment."""
    rows = {(3, minor): f"| 3.{minor} | | | untried |" for minor in range(10, 14)}
    for file in (RESULTS / "python_versions").glob("*.json"):
        found = json.loads(file.read_text(encoding="utf-8"))
        outcome = f"run: {found['passed']} tests of {found['op']}"
        outcome += f", without {found['left_out']} (from torch 2.13 on)" if "left_out" in found else ""
        key = tuple(map(int, file.stem.split(".")))
        rows[key] = f"| {found['python']} | {found['torch']} | {found['torch_npu']} | {outcome} |"
    rows[HERE_PYTHON] = f"| {'.'.join(map(str, HERE_PYTHON))} | {HERE[0]} | {HERE[1]} | run: opforge's own tests |"
    for key in sorted(rows):
        yield rows[key]


def kernels(name: str) -> str:
    """How many sources of a recorded comparison compiled, and how many were refused."""
    sources = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["sources"]
    said = [f"{each['compiled']} sources of {part}" for part, each in sources.items() if not each["refused"]]
    assert len(said) == len(sources), "a compilation was refused: say so on this page"
    return ", ".join(said)


def chips() -> Iterator[str]:
    """A row for each chip of the table of SoCs."""
    for name, soc in SOCS.items():
        yield f"| `{name}` | {'run' if soc.lacks is None else 'untried'} | untried |"


def test_versions_page(request: pytest.FixtureRequest) -> None:
    toolkit = json.loads((RESULTS / "toolkit.json").read_text(encoding="utf-8"))
    lines = [
        *("## PyTorch and torch_npu", "", "| torch | torch_npu | |", "|---|---|---|", *versions(), ""),
        "For x86_64, PyPI has CUDA builds of torch alone. torch_npu up to 2.10.0.post4 works beside one; later ones",
        "end Python there, so that those without a CPU build at hand were compiled only. With 2.10.0.post4, pickling a",
        "module on the NPU ends Python: torch.save's older format makes a tensor whose storage is not torch_npu's.",
        "",
        *("## Python", "", "opforge itself and a project, on the simulated device.", ""),
        *("| Python | torch | torch_npu | |", "|---|---|---|---|", *pythons(), ""),
        *("## CANN", "", "| CANN | what | |", "|---|---|---|"),
        "| 8.5, simulated | all of a project | run: opforge's own tests |",
        f"| 9.x, asc-devkit 82b89a1 | kernels, op_host | compiled: {kernels('compile_catalog')} |",
        f"| 9.x, asc-devkit 82b89a1 | CMake functions, op_build, installer | run: {toolkit['passed']} cases |",
        f"| 8.1.RC1 | kernels | compiled: {kernels('compile_catalog_81')} |",
        "| 8.1.RC1 | its project template | run, with a stand-in for opc |",
        *(
            f"| 9.x | {part['part']} | read: documentation alone; a stand-in ran |"
            for part in toolkit["components"]
            if not part["real"]
        ),
        "| any, with an NPU | all of a project | untried |",
        "",
        "`docs/fidelity.md` has the counts, and what stood in for parts that are not public.",
        "",
        *("## Chips", "", "| chip | simulated device | hardware |", "|---|---|---|", *chips(), ""),
        "`docs/real_hardware.md` says how to try hardware.",
        "",
    ]
    text = HEAD + "\n" + "\n".join(lines)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, f"{PAGE.name} is not what the results say: --update-golden"
