"""What the tests of a generated project stand on: when they refuse to run, and when a result is close enough."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from torch_projects import VECTOR_ADD, render, spec_of, write

from opforge.scaffold.vendoring import VENDORED, package_files
from tests.e2e.conftest import make_environment


def run_tests(folder: Path, python: Path = Path(sys.executable), **environ: str) -> subprocess.CompletedProcess[str]:
    spec = spec_of(VECTOR_ADD)
    # A package that no environment has: vector_add may be left over from a demo.
    write(render(replace(spec, project=replace(spec.project, package="nobody_s_adder"))), folder)
    hidden = ("ASCEND", "PYTEST", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)} | environ
    command = [python, "-X", "importtime", "-m", "pytest", "-p", "no:cacheprovider", "tests"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", ["nowhere", "no folder", "not installed"])
def test_they_stop_before_torch_where_nothing_is_activated(place: str, tmp_path: Path) -> None:
    typed = (
        "Type `opforge test`, or `opforge run -- pytest`, or source the set_env.sh files that `opforge install` printed"
    )
    home = str(tmp_path / ("csrc" if place == "not installed" else "missing"))
    messages = {
        "nowhere": f"ASCEND_HOME_PATH is not set: no CANN and no simulated toolkit is activated. {typed}.",
        "no folder": f"ASCEND_HOME_PATH={home} is not a folder. {typed}.",
        "not installed": "nobody_s_adder is not installed for this Python. Type `opforge build && opforge install`.",
    }
    done = run_tests(tmp_path, **({} if place == "nowhere" else {"ASCEND_HOME_PATH": home}))
    assert done.returncode == 2
    shown = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("import time:")]
    assert [line for line in shown if line] == [f"Exit: {messages[place]}"]
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "pytest" in imported
    assert not imported & {"torch", "torch_npu"}


@pytest.fixture(scope="module")
def without_opforge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has pytest and torch; of opforge it sees templates at most, and none of its modules."""
    prefix = make_environment(tmp_path_factory.mktemp("environment") / "env").prefix
    python = prefix / "bin" / "python"
    found = subprocess.run([python, "-c", "import opforge.testing"], capture_output=True, text=True, check=False)
    assert "No module named 'opforge" in found.stderr
    return python


def exit_message(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("import time:")]
    return "\n".join(line for line in said if line).removeprefix("Exit: ")


def test_without_opforge_they_say_how_to_get_its_assertions(without_opforge: Path, tmp_path: Path) -> None:
    said = exit_message(run_tests(tmp_path, python=without_opforge, ASCEND_HOME_PATH=str(tmp_path)))
    missing, _, help_ = said.partition("\n")
    assert missing.startswith(("No module named 'opforge", "cannot import name"))
    assert help_ == (
        "  help: `opforge test` brings opforge.testing along. For other ways to run the tests, `python -m pip install "
        "--no-deps opforge` installs it, and `opforge vendor testing` copies it into the project"
    )


def vendor(folder: Path) -> Path:
    """As `opforge vendor testing` does."""
    for file in package_files():
        path = folder / VENDORED / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    return folder / VENDORED / "opforge" / "testing"


def test_without_opforge_a_copy_in_the_project_is_enough(without_opforge: Path, tmp_path: Path) -> None:
    vendor(tmp_path)
    said = exit_message(run_tests(tmp_path, python=without_opforge, ASCEND_HOME_PATH=str(tmp_path)))
    assert said == "nobody_s_adder is not installed for this Python. Type `opforge build && opforge install`."


@pytest.mark.parametrize("interface", ["(1, 0)", "(2, 0)"])
def test_another_interface_is_refused(interface: str, tmp_path: Path) -> None:
    """The copy in the project comes before the installed one."""
    here = vendor(tmp_path)
    init = here / "__init__.py"
    text = init.read_text(encoding="utf-8")
    assert text.count("INTERFACE = (1, 2)") == 1
    init.write_text(text.replace("INTERFACE = (1, 2)", f"INTERFACE = {interface}"), encoding="utf-8")
    version = ".".join(interface.strip("()").split(", "))
    help_ = {
        "1.0": "type `opforge vendor testing`: it replaces that copy",
        "2.0": "type `opforge update`: it changes the file, and keeps your edits",
    }
    assert exit_message(run_tests(tmp_path, ASCEND_HOME_PATH=str(tmp_path))) == (
        f"benchmarks/cases.py works with opforge.testing >=1.2,<2; the version in {here} is {version}\n"
        f"  help: {help_[version]}"
    )


@pytest.fixture(scope="module")
def closeness() -> ModuleType:
    return importlib.import_module("opforge.testing.checks.closeness")


@pytest.fixture(scope="module")
def random_tensor() -> Callable[..., Any]:
    return importlib.import_module("opforge.testing.measuring.drawing").random_tensor


@pytest.mark.torch
class TestPrecision:
    def test_equal_is_close(self, closeness: ModuleType, random_tensor: Callable[..., Any]) -> None:
        import torch

        for dtype in closeness.TOLERANCES:
            data = random_tensor((1000,), dtype, seed=3)
            special = torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0, -0.0]).to(dtype)
            closeness.assert_close(torch.cat([data, special]), torch.cat([data, special]))
            closeness.assert_close(data[:0], data[:0])

    @pytest.mark.parametrize("value", [1.01, -1.0, float("inf"), float("nan")])
    @pytest.mark.parametrize("at", [0, 63, 999])
    def test_a_wrong_element_at_either_end_is_found(self, at: int, value: float, closeness: ModuleType) -> None:
        import torch

        golden = torch.ones(1000)
        wrong = golden.clone()
        wrong[at] = value
        with pytest.raises(AssertionError, match=rf"1 of 1000 elements are off, the first at flat index {at}: "):
            closeness.assert_close(wrong, golden)

    def test_a_wildly_wrong_element_in_the_middle_is_found(self, closeness: ModuleType) -> None:
        import torch

        golden = torch.ones(1_000_003)
        for value in (1.02, 0.0, float("nan")):
            wrong = golden.clone()
            wrong[500_000] = value
            with pytest.raises(AssertionError, match="1 of 1000003 elements are off"):
                closeness.assert_close(wrong, golden)
        near = golden.clone()
        near[500_000] = 1.005  # over the tolerance, and below the limit that the standard sets for one in a hundred
        closeness.assert_close(near, golden)

    def test_many_slightly_wrong_elements_are_found(self, closeness: ModuleType) -> None:
        import torch

        golden = torch.ones(10_000)
        wrong = golden.clone()
        wrong[5000:5101] = 1.005
        with pytest.raises(AssertionError, match="101 of 10000 elements are off"):
            closeness.assert_close(wrong, golden)

    def test_infinities_and_nan_stand_where_they_should(self, closeness: ModuleType) -> None:
        import torch

        inf, nan = float("inf"), float("nan")
        for actual, golden in ((inf, -inf), (inf, 1.0), (1.0, inf), (nan, 1.0), (1.0, nan), (65504.0, inf)):
            with pytest.raises(AssertionError, match="1 of 1 elements are off"):
                closeness.assert_close(torch.tensor([actual]), torch.tensor([golden]))

    def test_what_a_product_cancels_is_judged_by_what_it_was_made_of(self, closeness: ModuleType) -> None:
        import torch

        golden = torch.randn(10_000, generator=torch.Generator().manual_seed(1)).to(torch.float16)
        golden[::100] = 0.0
        near = golden.clone()
        near[::50] += 2**-9 * 1.5
        closeness.assert_product_close(near, golden)
        with pytest.raises(AssertionError, match="elements are off"):
            closeness.assert_close(near, golden)
        with pytest.raises(AssertionError, match="elements are off"):
            closeness.assert_product_close(near + 2**-7, golden)
        closeness.assert_product_close(golden[:0], golden[:0])

    @pytest.mark.parametrize("side", ["down", "towards zero"])
    def test_results_that_lean_to_one_side_are_found(self, closeness: ModuleType, side: str) -> None:
        import torch

        exact = torch.randn(4096, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        nearest = exact.half()
        closeness.assert_close(nearest, exact.half())
        over = nearest.double() > exact if side == "down" else nearest.double().abs() > exact.abs()
        toward = torch.tensor(-torch.inf).half() if side == "down" else torch.zeros(()).half()
        leaning = torch.where(over, torch.nextafter(nearest, toward), nearest)
        with pytest.raises(AssertionError, match="results are rounded"):
            closeness.assert_close(leaning, exact.half())
        closeness.assert_close(leaning[:1000], exact[:1000].half())  # too few to tell

    def test_float32_products_in_hf32_are_found(self, closeness: ModuleType) -> None:
        import torch

        source = torch.Generator().manual_seed(2)
        x, w = (torch.randn(128, 128, generator=source) for _ in range(2))
        golden = (x.double() @ w.double()).float()
        closeness.assert_product_close(x @ w, golden)
        with pytest.raises(AssertionError, match="elements are off"):  # 10 bits of mantissa, as float16 has
            closeness.assert_product_close(x.half().float() @ w.half().float(), golden)

    def test_shape_and_dtype(self, closeness: ModuleType) -> None:
        import torch

        with pytest.raises(AssertionError, match=r"the result has shape \[3\], not \[1, 3\]"):
            closeness.assert_close(torch.ones(3), torch.ones(1, 3))
        with pytest.raises(AssertionError, match=r"the result has dtype torch\.float16, not torch\.float32"):
            closeness.assert_close(torch.ones(3).half(), torch.ones(3))

    def test_data_repeats_and_differs(self, random_tensor: Callable[..., Any]) -> None:
        import torch

        first = random_tensor((1000,), torch.float32, seed=1)
        assert torch.equal(first, random_tensor((1000,), torch.float32, seed=1))
        assert not torch.equal(first, random_tensor((1000,), torch.float32, seed=2))
        assert first.min() < -1 < 1 < first.max()

    def test_integers_and_truth_values_may_fall_to_the_other_side_of_a_boundary(self, closeness: ModuleType) -> None:
        import torch

        golden = torch.arange(3000, dtype=torch.int32)
        near = golden.clone()
        near[[100, 200, 300]] += 1
        closeness.assert_close(near, golden)
        for wrong in (golden + (golden == 1500) * 2, golden + (golden % 500 == 99), golden + (golden == 63)):
            with pytest.raises(AssertionError, match="elements are off"):
                closeness.assert_close(wrong.to(torch.int32), golden)
        with pytest.raises(AssertionError, match="1 of 100 elements are off"):
            closeness.assert_close(torch.arange(100) > 98, torch.arange(100) > 99)

    def test_a_sum_of_rounded_terms_is_judged_by_what_the_cpu_makes_of_them(self, closeness: ModuleType) -> None:
        import torch

        golden, native = torch.zeros(100).half(), torch.full((100,), 0.01).half()
        closeness.assert_close(native * 1.5, golden, "the sum", native)
        with pytest.raises(AssertionError, match="100 of 100 elements are off"):
            closeness.assert_close(native * 3, golden, "the sum", native)

    def test_data_of_integers_is_small(self, random_tensor: Callable[..., Any]) -> None:
        import torch

        for dtype, least in ((torch.int8, -9), (torch.uint8, 0), (torch.int32, -9)):
            data = random_tensor((1000,), dtype, seed=1)
            assert data.dtype == dtype
            assert (int(data.min()), int(data.max())) == (least, 9)
        truths = random_tensor((1000,), torch.bool, seed=1)
        assert truths.any()
        assert not truths.all()
