"""Versions, toolkits, libraries and operator packages that do not fit each other; memory, disks, the report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from opforge.cli import main as cli
from opforge.doctor import cann_checks, resource_checks
from opforge.doctor.bug_report import bug_report
from opforge.doctor.cann_checks import (
    check_libraries,
    check_packages,
    check_toolkits,
    check_triton,
    check_versions,
    torch_npu_skips,
)
from opforge.doctor.place import Finding, Place
from opforge.doctor.release_table import PYTHONS, RELEASES, fits_python, release_for, release_of
from opforge.doctor.resource_checks import check_disks, check_memory
from tests.doctor.test_machine_checks import place, program, with_variables  # noqa: F401  (a fixture)

Check = Callable[[Place], Iterator[Finding]]


def said(check: Check, at: Place) -> list[tuple[str, str]]:
    return [(finding.level, finding.text) for finding in check(at)]


def toolkit(root: Path, version: str) -> Path:
    program(root / "tools" / "opbuild", "op_build", "true")
    (root / "version.cfg").write_text(f"Version={version}\n")
    return root


def versions(at: Place, torch: str, torch_npu: str) -> Place:
    packages = at.env.purelib
    (packages / "torch/version.py").write_text(f"__version__ = '{torch}'\n")
    (packages / "torch_npu/version.py").write_text(f"__version__ = '{torch_npu}'\n")
    return at


def test_the_table_has_a_python_for_every_torch() -> None:
    assert {release.torch for release in RELEASES} <= set(PYTHONS)
    assert len(RELEASES) == len({release.torch_npu for release in RELEASES})
    assert release_of("2.9.0.post2+git12") == RELEASES[5]
    assert release_for("2.9.0+cpu", "8.5.0.1") == release_of("2.9.0")
    assert fits_python("2.8.0", "3.9")
    assert not fits_python("2.8.0+cpu", "3.14")


def test_versions_that_fit(place: Place) -> None:  # noqa: F811
    assert said(check_versions, versions(place, "2.9.0+cpu", "2.9.0")) == [
        ("ok", "torch_npu 2.9.0 is for torch 2.9.0 and CANN 8.5.0")
    ]


@pytest.mark.parametrize(
    ("torch", "torch_npu", "text"),
    [
        ("2.9.1", "2.9.0", "torch_npu 2.9.0 is for torch 2.9.0; this is 2.9.1"),
        ("2.2.0", "2.2.0", "there is no torch_npu 2.2.0 for Python 3.11"),
    ],
)
def test_versions_that_do_not(torch: str, torch_npu: str, text: str, place: Place) -> None:  # noqa: F811
    assert said(check_versions, versions(place, torch, torch_npu)) == [("warning", text)]


def test_a_torch_npu_of_another_cann(place: Place, tmp_path: Path) -> None:  # noqa: F811
    home = toolkit(tmp_path / "cann", "9.0.0")
    (finding,) = check_versions(versions(with_variables(place, ASCEND_HOME_PATH=str(home)), "2.9.0", "2.9.0"))
    assert finding.text == "torch_npu 2.9.0 is for CANN 8.5.0; this is CANN 9.0.0"
    assert finding.mend == "pip install torch-npu==2.9.0.post2"


def test_a_toolkit_that_is_not_activated(place: Place, tmp_path: Path) -> None:  # noqa: F811
    home = toolkit(tmp_path / "usr/local/Ascend/ascend-toolkit/8.5.0", "8.5.0")
    (finding,) = check_toolkits(place)
    assert finding.text == (
        f"CANN 8.5.0 at {home} is installed, and builds do not take it: ASCEND_HOME_PATH is not set"
    )
    assert finding.mend == f"opforge toolkit use {home}, or source its set_env.sh"


def test_several_toolkits_and_a_note_of_the_installer(place: Place, tmp_path: Path) -> None:  # noqa: F811
    used = toolkit(tmp_path / "home/cann-9", "9.0.0")
    other = toolkit(tmp_path / "usr/local/Ascend/cann-8.5.0", "8.5.0")
    noted = tmp_path / "etc/Ascend/ascend_cann_install.info"
    noted.parent.mkdir(parents=True)
    noted.write_text("Install_Type=full\nInstall_Path_Param=/usr/local/Ascend\n")
    activated = with_variables(place, ASCEND_HOME_PATH=str(used))
    one, two = said(check_toolkits, activated)
    assert one == ("ok", f"builds take {used}: ASCEND_HOME_PATH is the CANN toolkit {used}; others: 8.5.0 at {other}")
    assert two[0] == "warning"
    assert two[1].endswith(f"names {tmp_path}/usr/local/Ascend, and builds take another toolkit: {used}")
    inside = with_variables(place, ASCEND_HOME_PATH=str(other))
    assert said(check_toolkits, inside) == []


def test_libraries_of_a_recorded_toolkit_are_found(place: Place, tmp_path: Path) -> None:  # noqa: F811
    home = toolkit(tmp_path / "cann", "8.5.0")
    (home / "set_env.sh").write_text(f"export ASCEND_HOME_PATH={home} LD_LIBRARY_PATH={home}/lib64\n")
    library = place.env.purelib / "torch_npu/lib/libtorch_npu.so"
    library.parent.mkdir(parents=True)
    library.write_text("")
    script = 'case "$LD_LIBRARY_PATH" in *cann/lib64*) ;; *) echo "libhccl.so => not found";; esac'
    program(tmp_path / "bin", "ldd", script)
    project = tmp_path / "project"
    (project / ".opforge").mkdir(parents=True)
    (project / ".opforge/toolkit").write_text(f"{home}\n")
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    assert said(check_libraries, replace(with_variables(place, PATH=path), project=project)) == []
    (finding, _) = check_libraries(with_variables(place, PATH=path, ASCEND_HOME_PATH=str(home)))
    assert "libhccl.so" in finding.text


def test_libraries_that_do_not_load(place: Place, tmp_path: Path) -> None:  # noqa: F811
    home = toolkit(tmp_path / "cann", "8.5.0")
    library = place.env.purelib / "torch_npu/lib/libtorch_npu.so"
    for file in (library, place.env.purelib / "torch/lib/libc10.so"):
        file.parent.mkdir(parents=True)
        file.write_text("")
    lines = "libc10.so => not found\nlibascend_hal.so => not found\nlibm.so.6 => /lib/libm.so.6"
    program(tmp_path / "bin", "ldd", f'case "$1" in *torch_npu.so) echo "{lines}";; esac')
    (finding,) = check_libraries(with_variables(place, ASCEND_HOME_PATH=str(home)))
    assert finding.text == (
        "libtorch_npu.so needs libascend_hal.so, which the loader does not find: it belongs to the NPU driver"
    )
    assert "mount /usr/local/Ascend/driver" in (finding.mend or "")


def test_the_order_of_folders(place: Place, tmp_path: Path) -> None:  # noqa: F811
    stubs, real, own = tmp_path / "devlib", tmp_path / "lib64", tmp_path / "own"
    for folder in (stubs, real, own):
        folder.mkdir()
        (folder / "libascendcl.so").write_text("")
    path = with_variables(place, LD_LIBRARY_PATH=f"{stubs}:{real}")
    assert said(check_libraries, path) == [
        ("warning", f"LD_LIBRARY_PATH has the stubs {stubs} before the real libraries {real}")
    ]
    assert said(check_libraries, with_variables(place, LD_LIBRARY_PATH=f"{real}:{stubs}")) == []
    for folder in (real, own):
        (folder / "libopapi.so").write_text("")
    ((level, text),) = said(check_libraries, with_variables(place, LD_LIBRARY_PATH=f"{own}:{real}"))
    assert level == "warning"
    assert text.endswith(f"hides CANN's operators: {own}/libopapi.so, {real}/libopapi.so")


def package(folder: Path) -> Path:
    (folder / "op_api/lib").mkdir(parents=True)
    (folder / "op_api/lib/libcust_opapi.so").write_text("")
    return folder


def test_packages_that_this_user_may_not_read(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """CANN's installer writes config.ini for its own user and group; root, who runs these tests, may read all."""
    ini = package(tmp_path / "opp/vendors/there").parent / "config.ini"
    ini.write_text("load_priority=there\n")
    readable = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != ini and readable(path, mode))
    (found, *_) = check_packages(with_variables(place, ASCEND_OPP_PATH=str(tmp_path / "opp")))
    assert found.text == f"{ini} cannot be read by this user, so its operator packages are not found"
    assert found.mend == f"chmod 644 {ini} (as its owner)"


def test_triton_that_has_overwritten_triton_ascend(place: Place) -> None:  # noqa: F811
    packages = place.env.purelib
    record = packages / "triton_ascend-3.2.0.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("triton/__init__.py,sha256=a,0\ntriton/_C/libtriton.so,sha256=bb,7\n")
    library = packages / "triton" / "_C" / "libtriton.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"1234567")
    assert not list(check_triton(place))
    library.write_bytes(b"triton's own")
    (found,) = check_triton(place)
    assert found.text == f"triton-ascend 3.2.0 does not work: another package, such as triton, has replaced {library}"
    pip = f"{place.env.executable} -m pip"
    assert found.mend == (
        f"{pip} uninstall -y triton && {pip} install --force-reinstall --no-deps triton-ascend==3.2.0"
    )
    library.unlink()
    assert len(list(check_triton(place))) == 1


def test_vendors_that_are_gone(place: Place, tmp_path: Path) -> None:  # noqa: F811
    there = package(tmp_path / "opp/vendors/there")
    ini = there.parent / "config.ini"
    ini.write_text("load_priority=there,gone\n")
    assert said(check_packages, with_variables(place, ASCEND_OPP_PATH=str(tmp_path / "opp"))) == [
        ("warning", f"{ini} names the vendor gone, which does not exist"),
        ("ok", f"operator packages, in the order of the search: {there}"),
    ]


@pytest.mark.parametrize(
    ("owner", "user", "skipped"),
    [(1000, 1000, False), (0, 0, False), (0, 1000, False), (1000, 0, True), (1000, 1001, True)],
)
def test_libraries_of_other_users(owner: int, user: int, skipped: bool) -> None:
    assert torch_npu_skips(owner, user) == skipped


def test_a_library_that_torch_npu_skips(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    there = package(tmp_path / "vendor")
    monkeypatch.setattr(cann_checks, "torch_npu_skips", lambda owner, user: owner == user)
    found = list(check_packages(with_variables(place, ASCEND_CUSTOM_OPP_PATH=str(there))))
    assert [finding.level for finding in found] == ["warning", "ok"]
    assert found[0].text.startswith(f"torch_npu skips {there}/op_api/lib/libcust_opapi.so: it belongs to user ")


def test_memory(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(resource_checks.os, "cpu_count", lambda: 8)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal:  64000000 kB\nMemAvailable:  32000000 kB\n")
    assert said(check_memory, place) == [("ok", "32.8 of 65.5 GB are free, 8 cores")]
    limit = tmp_path / "sys/fs/cgroup/memory.max"
    limit.parent.mkdir(parents=True)
    limit.write_text("max\n")
    assert [finding.level for finding in check_memory(place)] == ["ok"]
    limit.write_text("4000000000\n")
    (finding,) = check_memory(place)
    assert (finding.level, finding.mend) == ("warning", "opforge build -j 3")


def test_disks(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    usage = SimpleNamespace(total=10**12, used=10**12, free=10**8)
    monkeypatch.setattr(resource_checks.shutil, "disk_usage", lambda _: usage)
    low, gone = check_disks(with_variables(place, TMPDIR=str(tmp_path / "gone")))
    assert (low.level, low.text) == ("warning", f"{Path.cwd()}: 0.1 GB free")
    assert (gone.level, gone.mend) == ("warning", "unset TMPDIR")


def test_a_report_has_no_secrets_and_no_home(place: Place) -> None:  # noqa: F811
    at = with_variables(
        place,
        HOME="/home/jane",
        ASCEND_HOME_PATH="/home/jane/Ascend/cann",
        OPFORGE_TOKEN="abc",  # noqa: S106
        HCCL_PRIVATE="xyz",
        PYTHONPATH="/home/jane:/home/janet",
        TORCH_HOME="https://jane:hunter2@example.com/?token=t0p",
        MY_OWN="no matter",
    )
    text = bug_report(at, (Finding("torch", "missing", "torch is not in /home/jane/env", "pip install torch"),))
    for secret in ("abc", "xyz", "hunter2", "t0p", "MY_OWN", "/home/jane/"):
        assert secret not in text
    assert "missing  torch        torch is not in ~/env\n" in text
    assert "help: pip install torch\n" in text
    assert "ASCEND_HOME_PATH=~/Ascend/cann\n" in text
    assert "PYTHONPATH=~:/home/janet\n" in text


def test_the_command_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    cli.run(["doctor", "--report", "report.md"])
    assert "wrote report.md\n" in capsys.readouterr().err
    assert (tmp_path / "report.md").read_text().startswith("# opforge doctor\n")
