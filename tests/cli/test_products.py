"""``opforge new`` and ``opforge inspect`` for ops with matrix products."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from opforge.cli import main as cli

NEW = ["new", "SwiGLU", "--inputs", "x,w_gate,w_up"]
WARNING = (
    "warning: CANN has ops with nearly the same names: SwiGLU (built in: SwiGlu), SwiGLUGrad (built in: SwiGluGrad)\n"
    "  CANN and this project both have aclnn_swi_glu.h, aclnn_swi_glu_grad.h, with the same include guard: "
    "C++ files can include only one of the two; generated code includes this project's\n"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["--quiet", *NEW]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "swiglu")
    return tmp_path / "swiglu"


def test_new_names_folder_and_package_as_the_catalog_says(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(NEW) == 0
    said = capsys.readouterr().err
    assert re.match(r"created swiglu: \d+ files, for ascend910b, ascend910_93\n", said)
    assert f"\n{WARNING}next:\n" in said
    assert "\n  SwiGLU(x, w_gate, w_up) -> y: y = silu(x @ w_gate) * (x @ w_up)\n" in said
    assert said.endswith("next:\n  cd swiglu\n  opforge test    # builds, installs and tests\n")


def test_forward_and_gradient_have_kernels_of_their_own(project: Path) -> None:
    for stem in ("swi_glu", "swi_glu_grad"):
        for name in (f"op_host/{stem}.cpp", f"op_kernel/{stem}.cpp", f"op_kernel/{stem}_kernel.h"):
            assert (project / name).is_file(), name
    assert (project / "python" / "swiglu" / "__init__.py").is_file()


def test_no_file_includes_the_built_in_header_of_the_same_name(project: Path) -> None:
    """Of two headers with one include guard the compiler would read the first alone."""
    found: set[str] = set()
    for path in project.rglob("*"):
        if path.suffix in (".h", ".cpp") and ".opforge" not in path.parts:
            found |= set(re.findall(r'#include\s+[<"]([^>"]*aclnn[^>"]*)[>"]', path.read_text()))
    ours = {name for name in found if name.startswith("aclnn_")}
    assert "aclnn_swi_glu.h" in ours
    assert not [name for name in found if name.startswith(("aclnnop/", "level2/"))]


def test_the_readme_shows_matching_sizes_and_the_gradient(project: Path) -> None:
    text = (project / "README.md").read_text()
    assert 'x = torch.rand(4, 100, 256, dtype=torch.float16, device="npu")\n' in text
    assert 'w_gate = torch.rand(256, 512, dtype=torch.float16, device="npu")\n' in text
    assert "y = swiglu.swiglu(x, w_gate, w_up)\n" in text
    assert "`torch.ops.swiglu.swiglu`" in text
    assert "`gate` and `up` are computed again in the backward pass, not kept. The kernel `SwiGLUGrad`" in text


@pytest.mark.usefixtures("project")
def test_inspect_shows_products_and_the_gradient_s_kernel(capsys) -> None:
    assert cli.run(["inspect", "ir"]) == 0
    out = capsys.readouterr().out
    assert "= matmul gate " in out
    assert "\nSwiGLUGrad:\n" in out
    assert cli.run(["inspect", "ir", "--backward", "--op", "SwiGLU"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("SwiGLUGrad:\n")
    assert out.endswith("\ngradient of gate: grad_gate\ngradient of up: grad_up\n")
    assert cli.run(["inspect", "plan", "--op", "SwiGLUGrad"]) == 0
    assert capsys.readouterr().out.startswith("plan SwiGLUGrad\n")
    assert cli.run(["inspect", "plan", "--op", "Swiglu"]) == 2
    assert capsys.readouterr().err == "error: the spec has no op Swiglu\n  help: it has SwiGLU, SwiGLUGrad\n"


def test_inspect_spec_and_files(project: Path, capsys) -> None:
    assert cli.run(["inspect", "spec"]) == 0
    assert capsys.readouterr().out == (project / "opforge.yaml").read_text()
    assert cli.run(["inspect", "files", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["files"]
    assert {row["state"] for row in rows} == {"as rendered"}
    assert cli.run(["inspect", "files", "op_kernel/swi_glu_grad_kernel.h"]) == 0
    assert capsys.readouterr().out == (project / "op_kernel/swi_glu_grad_kernel.h").read_text()


def test_an_optional_input_is_said_to_be_one(tmp_path: Path) -> None:
    root = tmp_path / "linear"
    assert cli.run(["--quiet", "new", "Linear", "--inputs", "x,weight,bias", "--path", str(root)]) == 0
    text = (root / "README.md").read_text()
    assert "| optional input | `bias` |" in text
    assert "PyTorch's own operators compute it, without a kernel" in text
    assert not (root / "op_kernel" / "linear_grad.cpp").exists()


def test_a_product_that_cannot_be_fused_shows_where(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = ["new", "Twice", "--inputs", "x,w,v", "--compute", "y = (x @ w) @ v"]
    assert cli.run(wrong) == 3
    said = capsys.readouterr().err
    assert "--compute y = (x @ w) @ v\n" in said
    assert "^" in said
    assert list(tmp_path.iterdir()) == []
