"""A project's own tests catch mistakes, without opforge, by the copy of opforge.testing in the project.

Each mistake is one that an author makes, in what is installed or in the kernel. A test fails and says why.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

TESTS = "opforge run -- python -m pytest -p no:cacheprovider"
# The file of the installed package, the line and what becomes of it; a test that fails, and what it says.
IN_PYTHON = {
    "Meta function with a wrong shape": (
        "_ops.py",
        "    return x.new_empty(shape)\n",
        "    return x.new_empty((*shape, 1))\n",
        "test_pytorch.py::test_shapes_without_data",
        r"vector_add of meta tensors \[\[3, 1, 5\], \[4, 1\]\] gives \[\(\[3, 4, 5, 1\], torch\.float16\)\], not ",
    ),
    "no rule for autocast": (
        "_ops.py",
        '_autocast.promote_in_autocast("vector_add", VECTOR_ADD_COLUMNS)\n',
        "",
        "test_pytorch.py::test_autocast",
        r"\(x, y\) have dtypes",
    ),
    "no check of the arguments": (
        "__init__.py",
        '    _checks.check_tensors("vector_add", x=x, y=y)\n',
        "",
        "test_bad_input.py::test_refused",
        r"what_is_not_a_tensor",
    ),
    "gradient of one input forgotten": (
        "_ops.py",
        "    return grad_x, grad_y\n",
        "    return grad_x, None\n",
        "test_backward.py::test_gradients",
        r"the gradient of y is None, that of the golden is not 0",
    ),
}


def test_mistakes_are_caught_without_opforge(environment: Environment, built: Path, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    environment.sh("opforge build && opforge install && opforge vendor testing", project)
    absent = environment.sh("opforge run -- python -c 'import opforge.testing'", project, check=False)
    assert "No module named 'opforge" in absent.stderr
    right = environment.sh(TESTS, project)
    assert re.search(r"\d{3} passed", right.stdout)
    assert "skipped" not in right.stdout

    (installed,) = environment.prefix.glob("lib/python*/site-packages/vector_add")
    for mistake, (name, line, instead, test, why) in IN_PYTHON.items():
        file = installed / name
        text = file.read_text(encoding="utf-8")
        assert text.count(line) == 1, mistake
        file.write_text(text.replace(line, instead), encoding="utf-8")
        failed = environment.sh(f"{TESTS} -x tests/{test}", project, check=False)
        assert failed.returncode == 1, mistake
        assert re.search(rf"FAILED tests/{test}\b", failed.stdout), f"{mistake}: {failed.stdout}"
        assert re.search(why, failed.stdout), f"{mistake}: {failed.stdout}"
        file.write_text(text, encoding="utf-8")

    kernel = project / "op_kernel" / "vector_add_kernel.h"
    text = kernel.read_text(encoding="utf-8")
    assert text.count("AscendC::Add(zLocal, xLocal, yLocal, elementCount)") == 1
    kernel.write_text(text.replace("AscendC::Add(", "AscendC::Sub("), encoding="utf-8")
    environment.sh("opforge build && opforge install", project, check=False)  # the call that it checks may be wrong
    failed = environment.sh(f"{TESTS} -x tests/test_forward.py", project, check=False)
    assert "FAILED tests/test_forward.py::test_sizes" in failed.stdout
    assert re.search(r"vector_add's output 0 \(torch\.float16, shape \[1\]\): 1 of 1 elements are off", failed.stdout)
