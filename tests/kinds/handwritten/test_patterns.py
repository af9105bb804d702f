"""The files of patterns, as text: clang-format and ruff change nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from opforge.kinds import kernel_of
from opforge.soc import SOCS
from opforge.spec.read.command_line import OpOptions, op_from_options

ROOT = Path(__file__).parents[3]
OPS = {
    "row_max": OpOptions("RowMax", ("x",), pattern="rows", shapes=("y=[...]",)),
    "row_rest": OpOptions("RowRest", ("x",), pattern="rows"),
    "add_relu": OpOptions("AddRelu", ("x", "bias"), pattern="elementwise", attrs=("eps:float=1.0",)),
    "pick_rows": OpOptions("PickRows", ("table", "index"), pattern="gather"),
    "my_product": OpOptions("MyProduct", ("a", "b"), pattern="matmul"),
}


def files_of(options: OpOptions) -> dict[str, str]:
    kernel = kernel_of(op_from_options(options), (SOCS["ascend910b"], SOCS["ascend910_93"]), None)
    assert options.pattern is not None
    return {str(file.path): file.text for file in kernel.pattern_files(options.pattern, "package")}


@pytest.mark.parametrize("name", OPS)
def test_formatters_change_nothing(name: str) -> None:
    for path, text in files_of(OPS[name]).items():
        python = path.endswith(".py")
        program = [Path(sys.executable).with_name("ruff" if python else "clang-format")]
        program += ["format", "--line-length=120", "-"] if python else [f"--style=file:{ROOT / '.clang-format'}"]
        done = subprocess.run(program, input=text, capture_output=True, text=True, check=True)
        assert done.stdout == text, path


def test_the_reference_takes_the_attributes() -> None:
    reference = files_of(OPS["add_relu"])["python/package/add_relu_reference.py"]
    assert "def add_relu(x: Tensor, bias: Tensor, eps: float) -> Tensor:\n" in reference
