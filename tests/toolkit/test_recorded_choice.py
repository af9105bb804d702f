"""The toolkit that `opforge toolkit use` has recorded: how it is found, and what goes before it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opforge.errors import ToolkitError
from opforge.toolkit.detect import Choice, choose
from opforge.toolkit.installed_cann import installed_cann, of_version
from opforge.toolkit.recorded_choice import AUTO, project_file, read_record, user_file, write_record
from opforge.toolkit.set_env import with_cann
from tests.toolkit.test_detect import lay_cann

ASC = "lib64/cmake/ASCConfig.cmake"
CUSTOMIZE = "tools/op_project_templates/ascendc/customize/cmake/func.cmake"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A file system with CANN 8.1.RC1 and 9.0.0; ``latest`` has links to the parts of 8.1.RC1, as CANN makes it."""
    toolkits = tmp_path / "usr/local/Ascend/ascend-toolkit"
    old = lay_cann(toolkits / "8.1.RC1", CUSTOMIZE, "Version=7.7.0.1\n")
    (old / "aarch64-linux").mkdir()
    (old / "aarch64-linux/ascend_toolkit_install.info").write_text("version=8.1.RC1\n")
    (toolkits / "latest").mkdir()
    for name in ("tools", "compiler", "aarch64-linux"):
        (toolkits / "latest" / name).symlink_to(old / name)
    lay_cann(tmp_path / "usr/local/Ascend/cann-9.0.0", ASC, "version=9.0.0\n")
    return tmp_path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".opforge").mkdir(parents=True)
    return tmp_path / "project"


def use(file: Path | None, named: str) -> Path:
    assert file is not None
    write_record(file, named)
    return file


def test_each_toolkit_is_listed_once(top: Path) -> None:
    assert [(one.version, one.root.name) for one in installed_cann({}, top)] == [
        ("8.1.RC1", "8.1.RC1"),
        ("9.0.0", "cann-9.0.0"),
    ]


def test_a_version_may_be_shortened_at_a_dot(top: Path) -> None:
    found = installed_cann({}, top)
    assert [one.version for one in of_version(found, "8.1")] == ["8.1.RC1"]
    assert [one.version for one in of_version(found, "9.0.0")] == ["9.0.0"]
    assert of_version(found, "8") == of_version(found, "8.1")
    assert of_version(found, "8.") == of_version(found, "8.1.RC") == []


def test_the_project_goes_before_the_user(top: Path, project: Path) -> None:
    environ = {"HOME": str(top / "home")}
    assert user_file(environ) == top / "home/.config/opforge/toolkit"
    assert user_file({**environ, "XDG_CONFIG_HOME": "/x"}) == Path("/x/opforge/toolkit")
    mine = use(user_file(environ), "9.0.0")
    root = top / "usr/local/Ascend/cann-9.0.0"
    assert choose("auto", environ, project, top) == Choice("cann", root, f"{mine} says 9.0.0")
    ours = use(project_file(project), "8.1")
    old = top / "usr/local/Ascend/ascend-toolkit/8.1.RC1"
    assert choose("auto", environ, project, top) == Choice("cann", old, f"{ours} says 8.1")
    assert choose("auto", environ, None, top).root == root
    use(project_file(project), AUTO)
    assert choose("auto", environ, project, top).root == root


def test_the_simulator_can_be_recorded(top: Path, project: Path) -> None:
    file = use(project_file(project), "simulator")
    assert choose("auto", {}, project, top) == Choice("simulator", None, f"{file} says simulator")
    with pytest.raises(ToolkitError, match="says simulator"):
        choose("cann", {}, project, top)


def test_the_environment_and_the_option_go_before_a_record(top: Path, project: Path) -> None:
    file = use(project_file(project), "8.1")
    new = top / "usr/local/Ascend/cann-9.0.0"
    choice = choose("auto", {"ASCEND_HOME_PATH": str(new)}, project, top)
    assert choice.root == new
    assert choice.reason == f"ASCEND_HOME_PATH is the CANN toolkit {new}; it goes before 8.1 of {file}"
    latest = top / "usr/local/Ascend/ascend-toolkit/latest"
    same = choose("auto", {"ASCEND_HOME_PATH": str(latest)}, project, top)
    assert same.reason == f"ASCEND_HOME_PATH is the CANN toolkit {latest}"
    assert choose("simulator", {}, project, top).kind == "simulator"


def test_a_shell_with_the_simulator_stays_there_and_says_so(top: Path, project: Path) -> None:
    file = use(project_file(project), "8.1")
    root = lay_cann(top / "sim", ASC)
    (root / "version.cfg").write_text("version=8.5.0\nsimulated=1\n")
    choice = choose("auto", {"ASCEND_HOME_PATH": str(root)}, project, top)
    assert choice.reason == f"ASCEND_HOME_PATH is the simulated toolkit {root}; it goes before 8.1 of {file}"
    assert choose("cann", {"ASCEND_HOME_PATH": str(root)}, project, top).kind == "cann"


def test_a_recorded_toolkit_that_is_gone_is_never_replaced(top: Path, project: Path) -> None:
    file = use(project_file(project), "8.2")
    with pytest.raises(ToolkitError) as caught:
        choose("auto", {}, project, top)
    there = f"8.1.RC1 at {top}/usr/local/Ascend/ascend-toolkit/8.1.RC1, 9.0.0 at {top}/usr/local/Ascend/cann-9.0.0"
    assert caught.value.what == f"CANN 8.2, which {file} names, was not found; CANN on this machine: {there}"
    for path, why in (("/nowhere", "does not exist"), (str(top), "has no tools/opbuild/op_build")):
        use(project_file(project), path)
        with pytest.raises(ToolkitError) as caught:
            choose("auto", {}, project, top)
        assert caught.value.what == f"the toolkit {path}, which {file} names, {why}"
        assert "--toolchain simulator" in (caught.value.hint or "")


def test_a_record_that_cannot_be_read(project: Path) -> None:
    (project / ".opforge/toolkit").mkdir()
    with pytest.raises(ToolkitError, match="which names the toolkit, cannot be read"):
        read_record(project, {})


def test_a_home_of_another_user_has_no_record(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is made here."""

    def refuse(path: Path, **_: str) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    for method in ("exists", "read_text"):
        monkeypatch.setattr(Path, method, refuse)
    assert read_record(None, {"HOME": str(top)}) is None
    monkeypatch.undo()
    (top / "file").write_text("")
    assert read_record(None, {"HOME": str(top / "file")}) is None


def test_set_env_of_all_versions_is_taken_for_the_chosen_one(top: Path) -> None:
    """set_env.sh of CANN 8.x names ascend-toolkit/latest, which may be another version."""
    toolkits = top / "usr/local/Ascend/ascend-toolkit"
    (toolkits / "set_env.sh").write_text(
        f"echo chatter\nexport ASCEND_TOOLKIT_HOME={toolkits}/latest\n"
        "export PATH=${ASCEND_TOOLKIT_HOME}/bin:$PATH\nexport ASCEND_HOME_PATH=${ASCEND_TOOLKIT_HOME}\n"
    )
    root = toolkits / "8.1.RC1"
    made = with_cann(root, {"PATH": os.environ["PATH"], "MINE": "kept"})
    assert made["PATH"] == f"{root}/bin:{os.environ['PATH']}"
    assert (made["ASCEND_HOME_PATH"], made["ASCEND_TOOLKIT_HOME"]) == (str(root), str(root))
    assert made["MINE"] == "kept"
    assert not {"_", "SHLVL", "PWD"} & made.keys()
    assert with_cann(root, made) == made


def test_only_the_path_of_the_script_is_replaced(top: Path) -> None:
    root = top / "usr/local/Ascend/cann-9.0.0"
    link = root.with_name("cann")
    link.symlink_to(root)
    (root / "set_env.sh").write_text(f"export ASCEND_HOME_PATH={link}\nexport PATH={link}/bin:{link}-8.5/bin:$PATH\n")
    made = with_cann(root, {"PATH": os.environ["PATH"]})
    assert made["PATH"] == f"{root}/bin:{link}-8.5/bin:{os.environ['PATH']}"


def test_a_set_env_that_fails_is_told(top: Path) -> None:
    root = top / "usr/local/Ascend/cann-9.0.0"
    (root / "set_env.sh").write_text("exit 3\n")
    with pytest.raises(ToolkitError, match="does not set ASCEND_HOME_PATH"):
        with_cann(root, {"PATH": os.environ["PATH"]})


def test_a_toolkit_without_set_env(top: Path) -> None:
    root = top / "usr/local/Ascend/cann-9.0.0"
    made = with_cann(root, {"PATH": "/usr/bin"})
    assert made["PATH"] == f"{root}/bin:{root}/compiler/ccec_compiler/bin:/usr/bin"
    assert made["ASCEND_OPP_PATH"] == f"{root}/opp"
