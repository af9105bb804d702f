"""docs/notebook.md: its session runs in a Python that nobody has activated, and an installed op keeps its name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kept import CACHE

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
# As where opforge is installed; the autoload is switched off by a start-up file there.
PYTHON = f"TORCH_DEVICE_BACKEND_AUTOLOAD=0 PYTHONPATH='{ROOT / 'src'}' python"
PAGE = ROOT / "docs" / "notebook.md"
SESSION = """
import doctest, pathlib, sys
options = doctest.ELLIPSIS | doctest.REPORT_NDIFF
names = {"GALLERY": pathlib.Path(sys.argv[2])}
found = doctest.testfile(sys.argv[1], module_relative=False, encoding="utf-8", optionflags=options, globs=names)
sys.exit(f"{found.failed} of {found.attempted} differ" if found.failed or found.attempted < 20 else 0)
"""
# A type that an installed package has, and an error after which the next version is the first one.
BESIDE = """
import opforge
try:
    opforge.compile("y = nosuch(x)", "x", name="VectorAdd")
except opforge.errors.SpecError:
    pass
add = opforge.compile("z = x + 2.0 * y", "x,y", name="VectorAdd", dtype="float32", verbose=False)
import torch, vector_add
x = torch.ones(5, device="npu")
print(add.__name__, add(x, x).tolist(), vector_add.vector_add(x, x).tolist())
again = opforge.compile("z = x + 2.0 * y", ["x", "y"], name="VectorAdd", dtype=["float32"])
print(again is add)
import subprocess, sys
if len(sys.argv) == 1:  # a child inherits the parent's packages, and has the same operator under the same name
    said = subprocess.run([sys.executable, __file__, "child"], capture_output=True, text=True, check=True).stdout
    print(said.splitlines()[0].split()[0])
"""


def test_all_of_the_page(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    session = tmp_path / "session.py"
    session.write_text(SESSION, encoding="utf-8")
    environment.sh(f"{PYTHON} '{session}' '{PAGE}' '{ROOT / 'examples/gallery'}'", tmp_path)


def test_an_installed_package_keeps_its_op(environment: Environment, built: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(built, tmp_path / "vector_add", symlinks=True))
    environment.sh("opforge install", project)
    (tmp_path / "beside.py").write_text(BESIDE)
    done = environment.sh(f"{PYTHON} beside.py", tmp_path)
    assert done.stdout.splitlines() == [
        "vector_add_v2 [3.0, 3.0, 3.0, 3.0, 3.0] [2.0, 2.0, 2.0, 2.0, 2.0]",
        "True",
        "vector_add_v2",
    ]


def test_the_processes_of_a_distributed_program_take_turns(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "rank.py").write_text(
        'import opforge\nf = opforge.compile("y = x * x * x", "x", name="Cube", dtype="float32", verbose=False)\n'
        'import torch\nprint(f(torch.full((2,), 3.0, device="npu")).tolist())\n'
    )
    cache = f"OPFORGE_CACHE='{tmp_path / 'cache'}'"  # a new one, with the toolkit of the tests
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "toolkit").symlink_to(CACHE / "toolkit")
    run = f"{cache} {PYTHON} rank.py"
    done = environment.sh(f"{run} & {run} & wait", tmp_path)
    assert done.stdout.splitlines() == ["[27.0, 27.0]", "[27.0, 27.0]"], done.stderr
