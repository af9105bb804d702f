"""Installing into an environment and taking it away again. Calling the ops needs a real torch: see tests/e2e."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from workshop import SPEC, Workshop, make_project

from opforge.build.pipeline import Built, build
from opforge.build.state import State
from opforge.build.step_context import find_context
from opforge.errors import InstallError, UsageError
from opforge.install.activation import activated, chip
from opforge.install.installing import Installed, install
from opforge.install.receipts import Receipt, all_receipts, read_receipt, write_receipt
from opforge.install.uninstalling import uninstall
from opforge.install.up_to_date import require_installed
from opforge.progress import Silent
from opforge.toolkit.process import Runner

pytestmark = pytest.mark.compiler


@pytest.fixture(autouse=True)
def _no_aten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in torch has no ATen to build for."""
    monkeypatch.setattr("opforge.toolkit.aten_library.ensure_aten", lambda *_, **__: None)


def files(workshop: Workshop) -> set[str]:
    """Every file and folder of the environment; an empty folder left behind counts."""
    prefix = workshop.python.parents[1]
    return {str(p.relative_to(prefix)) for p in prefix.rglob("*") if "torch" not in str(p)}


def installed(workshop: Workshop, project: Path, environ: Mapping[str, str] | None = None, **options: object) -> Built:
    """Installs; the call of the ops fails, as it must without a torch."""
    request = workshop.request(project, environ={**workshop.environ, **(environ or {})})
    built = build(request)
    options = {"prefix": None, "activate": False, "soc_version": None, **options}
    with pytest.raises(InstallError, match="tiny_op is installed, but does not run"):
        install(request, built, **options)
    return built


def take_away(workshop: Workshop, package: str = "tiny_op") -> Receipt:
    context = find_context(workshop.request(Path("/")), State())
    receipt = uninstall(package, context.env, Runner(), workshop.environ, Silent())
    assert receipt is not None
    return receipt


@pytest.mark.parametrize("activate", [False, True], ids=["plain", "activate"])
def test_uninstall_leaves_no_residue(workshop: Workshop, built_project: tuple[Path, Built], activate: bool) -> None:
    before = files(workshop)
    installed(workshop, built_project[0], activate=activate)
    there = files(workshop) - before
    assert any(name.endswith("site-packages/tiny_op/__init__.py") for name in there)
    assert "opp/vendors/tiny/op_api/lib/libcust_opapi.so" in there
    assert "opp/opforge/tiny_op.json" in there
    assert any(name.endswith(".pth") for name in there) == activate
    receipt = take_away(workshop)
    assert receipt.package == "tiny_op"
    assert files(workshop) == before


def test_a_path_that_the_locale_has_no_letters_for(workshop: Workshop, built_project: tuple[Path, Built]) -> None:
    assert not str(built_project[1].wheel).isascii()
    before = files(workshop)
    installed(workshop, built_project[0], {"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert files(workshop) != before
    take_away(workshop)


def test_installed_twice_is_installed_once(workshop: Workshop, built_project: tuple[Path, Built]) -> None:
    before = files(workshop)
    installed(workshop, built_project[0])
    once = files(workshop)
    installed(workshop, built_project[0])
    assert files(workshop) == once
    take_away(workshop)
    assert files(workshop) == before


def test_start_up_file_yields_to_cann(workshop: Workshop, built_project: tuple[Path, Built]) -> None:
    installed(workshop, built_project[0], activate=True)
    show = "print(e.get('ASCEND_HOME_PATH'), e.get('ASCEND_CUSTOM_OPP_PATH', '').count('tiny'))"
    ask = [workshop.python, "-c", f"from os import environ as e; {show}"]
    try:
        plain = Runner().run(ask, cwd=Path("/"), env=workshop.environ)
        assert plain.output.split() == [str(workshop.toolkit), "1"]
        elsewhere = Runner().run(ask, cwd=Path("/"), env={**workshop.environ, "ASCEND_HOME_PATH": "/usr/local/Ascend"})
        assert elsewhere.output.split() == ["/usr/local/Ascend", "0"]
    finally:
        take_away(workshop)


def test_prefix(workshop: Workshop, built_project: tuple[Path, Built], tmp_path: Path) -> None:
    prefix = tmp_path / "my opp"
    installed(workshop, built_project[0], prefix=prefix)
    assert (prefix / "vendors" / "tiny" / "opforge.json").is_file()
    take_away(workshop)
    assert list(tmp_path.iterdir()) == [prefix] or not prefix.exists()
    assert not (prefix / "vendors").exists()


def test_moved_prefix_leaves_no_old_vendor_folder(
    workshop: Workshop, built_project: tuple[Path, Built], tmp_path: Path
) -> None:
    installed(workshop, built_project[0], prefix=tmp_path / "one")
    installed(workshop, built_project[0], prefix=tmp_path / "two")
    assert not (tmp_path / "one" / "vendors").exists()
    take_away(workshop)


def test_damaged_run_package_leaves_nothing(
    workshop: Workshop, built_project: tuple[Path, Built], tmp_path: Path
) -> None:
    before = files(workshop)
    request = workshop.request(built_project[0])
    built = build(request)
    broken = tmp_path / built.run_package.name
    broken.write_bytes(built.run_package.read_bytes()[:-9])
    with pytest.raises(InstallError, match="does not install into") as caught:
        install(request, replace(built, run_package=broken), prefix=None, activate=False, soc_version=None)
    assert "the package is damaged" in caught.value.render()
    assert files(workshop) == before


def test_wheel_that_pip_refuses_leaves_nothing(
    workshop: Workshop, built_project: tuple[Path, Built], tmp_path: Path
) -> None:
    before = files(workshop)
    request = workshop.request(built_project[0])
    built = build(request)
    broken = tmp_path / built.wheel.name
    broken.write_bytes(b"no zip")
    with pytest.raises(InstallError, match=r"tiny_op-.*\.whl does not install into"):
        install(request, replace(built, wheel=broken), prefix=None, activate=False, soc_version=None)
    assert files(workshop) == before


def test_vendor_of_another_package(workshop: Workshop, built_project: tuple[Path, Built], tmp_path: Path) -> None:
    installed(workshop, built_project[0])
    try:
        other = make_project(tmp_path / "other")
        (other / "opforge.yaml").write_text(SPEC.replace("package: tiny_op", "package: other_op"))
        (other / "python" / "tiny_op").rename(other / "python" / "other_op")
        request = workshop.request(other)
        with pytest.raises(InstallError) as caught:
            install(request, build(request), prefix=None, activate=False, soc_version=None)
        vendor = workshop.python.parents[1] / "opp" / "vendors" / "tiny"
        assert caught.value.render() == (
            f"error: {vendor} belongs to the package tiny_op\n"
            "  help: give this project another vendor in opforge.yaml, or run: opforge uninstall tiny_op"
        )
    finally:
        take_away(workshop)


def test_an_op_of_another_package_too_is_told(
    workshop: Workshop, built_project: tuple[Path, Built], tmp_path: Path
) -> None:
    installed(workshop, built_project[0])
    try:
        other = make_project(tmp_path / "other")
        text = SPEC.replace("package: tiny_op", "package: other_op").replace("vendor: tiny", "vendor: other")
        (other / "opforge.yaml").write_text(text)
        (other / "python" / "tiny_op").rename(other / "python" / "other_op")
        request = workshop.request(other)
        with pytest.raises(InstallError, match="other_op is installed, but does not run"):
            install(request, build(request), prefix=None, activate=False, soc_version=None)
        vendors = workshop.python.parents[1] / "opp" / "vendors"
        assert (
            f"note warning: two installed packages have TinyCopy: {vendors / 'other'} comes first and runs;"
            f" {vendors / 'tiny'} is ignored\n"
            "  give the op another type in one of the projects, or take one away: opforge uninstall <package>"
        ) in request.progress.lines
        take_away(workshop, "other_op")
    finally:
        take_away(workshop)


def test_what_is_not_installed(workshop: Workshop) -> None:
    with pytest.raises(InstallError) as caught:
        take_away(workshop, "nothing")
    assert "nothing was not installed into" in caught.value.what


def test_installed_must_be_what_was_built(workshop: Workshop, project: Path) -> None:
    installed(workshop, project)
    try:
        with pytest.raises(Exception, match="pytest is not installed in"):
            require_installed(workshop.request(project))
        (project / "python" / "tiny_op" / "__init__.py").write_text('"""New."""\n')
        with pytest.raises(InstallError, match=r"not up to date: wheel: python/tiny_op/__init__\.py changed"):
            require_installed(workshop.request(project))
        build(workshop.request(project))
        with pytest.raises(InstallError, match="is not the one in dist/"):
            require_installed(workshop.request(project))
    finally:
        take_away(workshop)


def test_receipts(tmp_path: Path) -> None:
    receipt = Receipt("p", "1", "v", "/v", "h", "w", "simulator", "/t", "Ascend910B1", ("/a.pth",))
    write_receipt(tmp_path / "r", receipt)
    assert all_receipts(tmp_path / "r") == [receipt]
    (tmp_path / "r" / "q.json").write_text(json.dumps({"schema": 2}))
    with pytest.raises(InstallError, match=r"q\.json cannot be read: another schema"):
        read_receipt(tmp_path / "r" / "q.json")


def test_activation_puts_installed_vendors_first(workshop: Workshop, tmp_path: Path) -> None:
    context = find_context(workshop.request(Path("/")), State())
    env = replace(context.env, prefix=tmp_path)
    vendor = tmp_path / "opp" / "vendors" / "v"
    vendor.mkdir(parents=True)
    write_receipt(env.receipts, Receipt("p", "1", "v", str(vendor), "h", "w", "simulator", "/t", "Ascend910B1"))
    write_receipt(env.receipts, Receipt("gone", "1", "w", str(tmp_path / "gone"), "h", "w", "simulator", "/t", "x"))
    active = activated(context.toolkit, env, {"PATH": "/usr/bin", "ASCEND_CUSTOM_OPP_PATH": f"/mine:{vendor}"})
    assert active["ASCEND_CUSTOM_OPP_PATH"] == f"{vendor}:/mine"
    assert active["PATH"] == os.pathsep.join([str(env.executable.parent), f"{workshop.toolkit}/bin", "/usr/bin"])
    assert activated(context.toolkit, env, active) == active
    assert active["OPFORGE_SOC"] == "Ascend910B1"  # what it was installed for; asked for otherwise, that
    assert activated(context.toolkit, env, {"PATH": "", "OPFORGE_SOC": "A"})["OPFORGE_SOC"] == "A"
    assert activated(context.toolkit, env, {"PATH": ""}, "B")["OPFORGE_SOC"] == "B"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("ascend910b", "Ascend910B1"),
        ("Ascend910_93", "Ascend910_9391"),
        ("ascend910b4-1", "Ascend910B4-1"),
        (None, None),
    ],
)
def test_chip(asked: str | None, found: str | None) -> None:
    assert chip(asked) == found


def test_unknown_chip() -> None:
    with pytest.raises(UsageError, match="--soc Ascend910C is not a valid chip"):
        chip("Ascend910C")


def test_what_was_tried_is_said() -> None:
    """Ops written by hand are not called, and are not said to agree with a golden that they need not have."""
    receipt = Receipt("tiny_op", "0.1.0", "tiny", "/v", "0", "0", "simulator", "/t", "Ascend910B1")
    assert Installed(receipt, (), ()).tried == "every op was called and agrees with its golden"
    assert Installed(receipt, (), ("Mish",)).tried == "handwritten ops (Mish) were not called: use `opforge test`"
    said = Installed(receipt, (), ("A", "B", "C", "D")).tried
    assert said == "handwritten ops (A, B, C, ...) were not called: use `opforge test`"
