"""The run package and its installer, one option after the other, and the faults of the official one that it has not."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from workshop import Workshop, snapshot

from opforge.build.pipeline import Built
from opforge.build.plain_folder import cann_folder
from opforge.build.vendor_tree import content_hash

pytestmark = pytest.mark.compiler


@pytest.fixture
def package(built_project: tuple[Path, Built], tmp_path: Path) -> Path:
    """A copy of the run package, in a folder with spaces and letters beyond ASCII."""
    folder = tmp_path / "päck age"
    folder.mkdir()
    return Path(shutil.copy(built_project[1].run_package, folder))


def run(package: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND")}
    return subprocess.run(
        ["bash", package, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **env},
        cwd=package.parent,
    )


def uninstall(vendor: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", vendor / "scripts" / "uninstall.sh"], capture_output=True, text=True, check=False)


def test_help_info_list_check(package: Path) -> None:
    for option in (
        "--install-path=DIR",
        "--extract=DIR",
        "--check",
        "--force",
        "--install-for-all",
        "--noexec",
        "--quiet",
    ):
        assert option in run(package, "--help").stdout
    assert run(package, "--info").stdout.splitlines()[:2] == ["vendor: tiny", "toolkit version: 0.0.fake"]
    assert "packages/vendors/tiny/op_api/lib/libcust_opapi.so" in run(package, "--list").stdout.splitlines()
    assert run(package, "--check").stdout.startswith("the package is whole (sha256 ")
    assert list(package.parent.iterdir()) == [package]


@pytest.mark.parametrize("shell", ["dash", "sh"])
def test_by_another_shell(package: Path, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    target = tmp_path / "my opp"
    target.mkdir()
    words = [shell, package.name, "--quiet", f"--install-path={target}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=package.parent)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (target / "vendors" / "tiny" / "opforge.json").is_file()


def test_unknown_option(package: Path) -> None:
    done = run(package, "--instal-path=/x")
    assert (done.returncode, done.stderr) == (
        1,
        f"{package.name}: unknown option --instal-path=/x (--help lists them)\n",
    )


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_package_installs_nothing(package: Path, tmp_path: Path, damage: str) -> None:
    data = bytearray(package.read_bytes())
    if damage == "cut":
        data = data[:-100]
    else:
        data[-100] ^= 1
    package.write_bytes(data)
    done = run(package, f"--install-path={tmp_path / 'opp'}")
    assert done.returncode == 1
    assert "the package is damaged" in done.stderr
    assert not (tmp_path / "opp").exists()


def test_extract_without_installing(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "tree"
    assert run(package, "--noexec", f"--extract={target}", ASCEND_OPP_PATH=str(tmp_path / "opp")).returncode == 0
    tree = target / "packages" / "vendors" / "tiny"
    assert json.loads((tree / "opforge.json").read_text())["content_hash"] == content_hash(tree)
    assert not (tmp_path / "opp").exists()


def test_no_target(package: Path) -> None:
    done = run(package)
    assert done.returncode == 1
    assert "no target: give --install-path=DIR, or source the toolkit's set_env.sh" in done.stderr


def test_no_place_to_unpack(package: Path, tmp_path: Path) -> None:
    done = run(package, f"--install-path={tmp_path / 'opp'}", TMPDIR=str(tmp_path / "gone"))
    assert done.returncode == 1
    assert f"no temporary folder below {tmp_path / 'gone'}: let TMPDIR name a folder that you may" in done.stderr
    assert not (tmp_path / "opp").exists()


def test_relative_target(package: Path) -> None:
    done = run(package, "--install-path=opp")
    assert done.returncode == 1
    assert "must be an absolute path, not 'opp'" in done.stderr
    assert list(package.parent.iterdir()) == [package]


def test_order_of_targets(package: Path, tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("own", "custom", "opp")}
    env = {"ASCEND_CUSTOM_OPP_PATH": str(places["custom"]), "ASCEND_OPP_PATH": str(places["opp"])}
    assert run(package, f"--install-path={places['own']}", **env).returncode == 0
    assert [name for name, path in places.items() if path.exists()] == ["own"]
    assert run(package, **env).returncode == 0
    assert [name for name, path in places.items() if path.exists()] == ["own", "custom"]
    assert run(package, ASCEND_OPP_PATH=str(places["opp"])).returncode == 0
    assert (places["opp"] / "vendors" / "config.ini").read_text() == "load_priority=tiny\n"


def test_installing_again_after_sourcing_set_env(package: Path, tmp_path: Path) -> None:
    """The official installer of 8.1 then writes to a folder named after the whole search path."""
    run(package, f"--install-path={tmp_path / 'opp'}")
    place = tmp_path / "opp" / "vendors" / "tiny"
    assert run(package, ASCEND_CUSTOM_OPP_PATH=f"{place}:/other/vendors/x").returncode == 0
    assert [p.name for p in (tmp_path / "opp" / "vendors").iterdir() if p.is_dir()] == ["tiny"]


def test_set_env_twice(package: Path, tmp_path: Path) -> None:
    opp = tmp_path / "öpp path"
    run(package, f"--install-path={opp}")
    place = opp / "vendors" / "tiny"
    script = f"source '{place}/bin/set_env.bash'; source '{place}/bin/set_env.bash'; printenv ASCEND_CUSTOM_OPP_PATH"
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "ASCEND_CUSTOM_OPP_PATH": "/a"},
    )
    assert done.stdout == f"{place}:/a\n"


def test_no_file_of_an_earlier_version_stays(package: Path, tmp_path: Path) -> None:
    option = f"--install-path={tmp_path / 'opp'}"
    run(package, option)
    place = tmp_path / "opp" / "vendors" / "tiny"
    stale = place / "op_api" / "include" / "aclnn_old.h"
    stale.write_text("")
    assert run(package, option).returncode == 0
    assert not stale.exists()
    assert [p.name for p in place.parent.iterdir()] == ["tiny"]


def test_load_priority_takes_names_whole(package: Path, tmp_path: Path) -> None:
    """The official installer's sed finds ``tiny`` in ``my-tiny`` too, and an empty file is never filled."""
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    for before, after in (
        ("load_priority=my-tiny,tinyx", "load_priority=tiny,my-tiny,tinyx\n"),
        ("load_priority=my-tiny,tiny,tinyx", "load_priority=tiny,my-tiny,tinyx\n"),
        ("", "load_priority=tiny\n"),
    ):
        (vendors / "config.ini").write_text(before)
        assert run(package, ASCEND_OPP_PATH=str(tmp_path)).returncode == 0
        assert (vendors / "config.ini").read_text() == after


def test_uninstall_takes_its_own_name_only(package: Path, tmp_path: Path) -> None:
    run(package, ASCEND_OPP_PATH=str(tmp_path))
    (tmp_path / "vendors" / "config.ini").write_text("load_priority=tiny,my-tiny\n")
    assert uninstall(tmp_path / "vendors" / "tiny").returncode == 0
    assert (tmp_path / "vendors" / "config.ini").read_text() == "load_priority=my-tiny\n"
    assert [p.name for p in (tmp_path / "vendors").iterdir()] == ["config.ini"]


@pytest.mark.parametrize("option", [True, False], ids=["install-path", "opp"])
def test_uninstall_leaves_nothing(package: Path, tmp_path: Path, option: bool) -> None:
    opp = tmp_path / "opp"
    opp.mkdir()
    before = snapshot(tmp_path).keys()
    run(package, *([f"--install-path={opp}"] if option else []), ASCEND_OPP_PATH=str(opp))
    assert uninstall(opp / "vendors" / "tiny").returncode == 0
    assert snapshot(tmp_path).keys() == before


def test_uninstall_of_a_copy_refuses(package: Path, tmp_path: Path) -> None:
    run(package, f"--install-path={tmp_path / 'opp'}")
    copy = tmp_path / "elsewhere"
    shutil.copytree(tmp_path / "opp" / "vendors" / "tiny", copy)
    done = uninstall(copy)
    assert done.returncode == 1
    assert (copy / "op_api").is_dir()


def test_library_that_does_not_load(package: Path, workshop: Workshop, tmp_path: Path) -> None:
    toolkit = tmp_path / "toolkit"
    shutil.copytree(workshop.toolkit, toolkit)
    (toolkit / "lib64" / "libnnopbase.so").unlink()
    option = f"--install-path={tmp_path / 'opp'}"
    env = {"ASCEND_HOME_PATH": str(toolkit), "LD_LIBRARY_PATH": ""}
    done = run(package, option, **env)
    assert done.returncode == 1
    assert "libcust_opapi.so does not load with the toolkit at" in done.stderr
    assert not (tmp_path / "opp").exists()
    assert run(package, option, "--force", **env).returncode == 0


def test_install_for_all(package: Path, tmp_path: Path) -> None:
    assert run(package, "--install-for-all", f"--install-path={tmp_path / 'opp'}").returncode == 0
    for path in (tmp_path / "opp" / "vendors" / "tiny").rglob("*"):
        assert path.stat().st_mode & 0o044 == 0o044


def test_same_sources_same_bytes(built_project: tuple[Path, Built], workshop: Workshop, tmp_path: Path) -> None:
    out = cann_folder(workshop.request(built_project[0])) / "out"
    again = tmp_path / "again.run"
    subprocess.run(
        [
            "python3", workshop.toolkit / "tools" / "package" / "pack_run.py", "--root", workshop.toolkit, "--list",
            out / "packing_list.txt", "--units=ascend910b;ascend910_93", "--tree", tmp_path / "tree", "--run", again,
        ],
        check=True,
    )  # fmt: skip
    assert again.read_bytes() == built_project[1].run_package.read_bytes()
