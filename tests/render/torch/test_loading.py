"""Importing a package where it cannot work: what is wrong, and what to type."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch_projects import ROOT

pytestmark = pytest.mark.torch

FORM = ROOT / "templates" / "code" / "torch" / "python" / "_runtime.py"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder with a build for the simulator, in a process that has no NPU."""
    for name in ("ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "vector_add"
    series = ".".join(torch.__version__.split(".")[:2])
    (folder / "lib" / f"torch-{series}").mkdir(parents=True)
    (folder / "lib" / f"torch-{series}" / "libadapter.so").touch()
    (folder / "_opforge").mkdir()
    (folder / "_opforge" / "_runtime.py").write_bytes(FORM.read_bytes())
    describe(folder)
    tree(folder / "opp" / "vendors" / "vendor", "a" * 64)
    return folder


def describe(folder: Path, **facts: object) -> None:
    here = torch.__version__.split("+")[0]
    build: dict[str, object] = {
        "schema": 1,
        "files": {},
        "vendor": "vendor",
        "toolkit": "simulator",
        "torch": [here],
        "content_hash": "a" * 64,
    }
    build["toolkit_sources"] = "0123456789ab"
    (folder / "_build.json").write_text(json.dumps(build | facts), encoding="utf-8")


def tree(folder: Path, content_hash: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "opforge.json").write_text(json.dumps({"schema": 1, "content_hash": content_hash}), encoding="utf-8")
    return folder


def toolkit(folder: Path, *, simulated: bool, sources: str = "0123456789ab") -> str:
    folder.mkdir()
    text = "# a toolkit\nversion=1\n" + (f"simulated=1\nsources={sources}\n" if simulated else "")
    (folder / "version.cfg").write_text(text, encoding="utf-8")
    return str(folder)


def runtime(package: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("runtime_under_test", package / "_opforge" / "_runtime.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def refusal(package: Path) -> str:
    with pytest.raises(ImportError) as caught:
        runtime(package).load()
    return str(caught.value)


def check(package: Path) -> None:
    """All checks of load(), without opening the library."""
    module = runtime(package)
    build = module._read_build()
    module._adapter(build)
    module._check_toolkit(build)
    if module._npu_is_usable():
        module._check_operator_packages(build)


def test_the_source_tree_is_not_the_package(package: Path) -> None:
    (package / "_build.json").unlink()
    assert refusal(package) == (
        f"{package} is the source of vector_add, without its compiled part. "
        "Type `opforge build && opforge install` in the project, and start Python from another folder."
    )


def test_another_torch(package: Path) -> None:
    (lib,) = (package / "lib").iterdir()
    lib.rename(lib.with_name("torch-1.0"))
    describe(package, torch=["1.0.0", "1.1.2"])
    assert refusal(package) == (
        f"vector_add was built for torch 1.0.0 or 1.1.2, and this is torch {torch.__version__}: their C++ interfaces "
        "differ. Install torch 1.0.0 or 1.1.2, or build and install vector_add again in this environment."
    )


def test_another_patch_release_of_torch_will_do(package: Path) -> None:
    major, minor = torch.__version__.split(".")[:2]
    describe(package, torch=[f"{major}.{minor}.99"])
    check(package)


def test_another_simulator(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = toolkit(tmp_path / "toolkit", simulated=True, sources="ba9876543210")
    monkeypatch.setenv("ASCEND_HOME_PATH", home)
    assert refusal(package) == (
        f"vector_add was built for the simulator made of 0123456789ab, and ASCEND_HOME_PATH={home} is one made of "
        "ba9876543210: their C++ interfaces may differ. Type `opforge build && opforge install` in the project, or "
        "activate the simulator it was built for."
    )


@pytest.mark.parametrize("simulated", [False, True])
def test_kernels_for_another_toolkit(
    simulated: bool, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = toolkit(tmp_path / "toolkit", simulated=simulated)
    monkeypatch.setenv("ASCEND_HOME_PATH", home)
    describe(package, toolkit="cann" if simulated else "simulator")
    built, here, typed = (
        ("CANN", "a simulated toolkit", "simulator") if simulated else ("the simulated toolkit", "CANN", "cann")
    )
    assert refusal(package) == (
        f"vector_add was built for {built}, and ASCEND_HOME_PATH={home} is {here}. "
        f"Type `opforge build --toolchain {typed} && opforge install` in the project."
    )


def test_without_an_npu_nothing_needs_to_be_activated(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch_npu", raising=False)
    check(package)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(package / "no such folder"))
    check(package)


def test_the_operator_package_must_be_on_cann_s_path(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch_npu", ModuleType("torch_npu"))
    embedded = package / "opp" / "vendors" / "vendor"
    assert refusal(package) == (
        f"CANN will not find the kernels of vector_add: ASCEND_CUSTOM_OPP_PATH does not name {embedded}. "
        f"Before Python starts, type `source {package / 'set_env.sh'}`, or start it by `opforge run -- python ...`."
    )
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", f"/elsewhere/other:{embedded}:")
    check(package)


def test_an_installed_copy_of_the_same_content_will_do(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch_npu", ModuleType("torch_npu"))
    installed = tree(tmp_path / "opp" / "vendors" / "vendor", "a" * 64)
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(installed))
    check(package)
    monkeypatch.delenv("ASCEND_CUSTOM_OPP_PATH")
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "opp"))
    check(package)


@pytest.mark.parametrize("order", [1, -1])
def test_two_copies_that_differ(order: int, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch_npu", ModuleType("torch_npu"))
    installed = tree(tmp_path / "opp" / "vendors" / "vendor", "b" * 64)
    embedded = package / "opp" / "vendors" / "vendor"
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", ":".join(map(str, [installed, embedded][::order])))
    assert refusal(package) == (
        f"two operator packages of vendor vendor differ: {installed} (content bbbbbbbbbbbb) and {embedded} "
        "(content aaaaaaaaaaaa). Type `opforge install` in the project to install both alike, or remove the first one."
    )


def test_a_file_that_was_changed_after_its_installation(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch_npu", ModuleType("torch_npu"))
    text = b"a kernel"
    describe(package, files={"op_impl/kernel.o": hashlib.sha256(text).hexdigest(), "op_impl/missing.o": "c" * 64})
    installed = tree(tmp_path / "opp" / "vendors" / "vendor", "a" * 64)
    kernel = installed / "op_impl" / "kernel.o"
    kernel.parent.mkdir()
    kernel.write_bytes(text)
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(installed))
    check(package)  # what is missing, CANN misses at the call that needs it
    kernel.write_bytes(b"another kernel")
    assert refusal(package) == (
        f"{kernel} is not what vector_add was built with: it was changed after `opforge install`. Type "
        "`opforge install` in the project to install it again."
    )


def test_a_copy_that_says_nothing_of_itself(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch_npu", ModuleType("torch_npu"))
    installed = tree(tmp_path / "opp" / "vendors" / "vendor", "b" * 64)
    (installed / "opforge.json").write_text("{", encoding="utf-8")
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(installed))
    assert f"{installed} (content unknown)" in refusal(package)
