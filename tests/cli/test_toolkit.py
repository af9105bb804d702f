"""``opforge toolkit``: what it lists, describes and records, and that builds follow it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.cli import main as cli
from tests.toolkit.test_detect import lay_cann
from tests.toolkit.test_recorded_choice import ASC, CUSTOMIZE


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, a user's home with two CANN toolkits, and no variables of a toolkit."""
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    lay_cann(tmp_path / "home/Ascend/ascend-toolkit/8.1.RC1", CUSTOMIZE, "Version=8.1.RC1\n")
    new = lay_cann(tmp_path / "home/Ascend/cann-9.0.0", ASC, "version=9.0.0\n")
    for name in ("bin/asc_opc", "bin/bisheng", "set_env.sh", "compiler/data/platform_config/Ascend910B2.ini"):
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        (new / name).write_text("")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/opforge.yaml").write_text("")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict:
    capsys.readouterr()
    assert cli.run([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_list_has_every_toolkit_and_marks_the_one_that_builds(machine: Path, capsys) -> None:
    found = answer(capsys, "toolkit", "list")
    rows = [(row["kind"], row["version"], row["generation"], row["used"]) for row in found["toolkits"][:-1]]
    assert rows == [("cann", "8.1.RC1", 8, False), ("cann", "9.0.0", 9, False)]
    assert found["toolkits"][-1]["kind"] == "simulator"
    assert found["toolkits"][-1]["used"]
    assert found["toolkits"][0]["found"] == f"it is in {machine}/home/Ascend"
    assert (found["reason"], found["error"]) == ("ASCEND_HOME_PATH is not set", None)
    assert cli.run(["toolkit", "use", "9.0"]) == 0
    capsys.readouterr()
    assert cli.run(["toolkit", "list"]) == 0
    said = capsys.readouterr()
    marked = [line for line in said.out.splitlines() if line.startswith("*")]
    assert len(marked) == 1
    assert marked[0].startswith("* CANN 9.0.0       find_package(ASC)")
    assert f"{machine}/project/.opforge/toolkit says 9.0" in said.err


def test_list_also_works_if_the_recorded_toolkit_is_gone(machine: Path, capsys) -> None:
    (machine / "project/.opforge").mkdir()
    (machine / "project/.opforge/toolkit").write_text("7.0\n")
    found = answer(capsys, "toolkit", "list")
    assert found["error"].startswith("CANN 7.0, which ")
    assert not any(row["used"] for row in found["toolkits"])


def test_info_names_what_a_build_would_miss(machine: Path, capsys) -> None:
    found = answer(capsys, "toolkit", "info", "9.0.0")
    assert (found["generation"], found["socs"]) == (9, ["ascend910b"])
    assert found["programs"]["asc_opc"] == f"{machine}/home/Ascend/cann-9.0.0/bin/asc_opc"
    assert found["programs"]["opc"] is None
    assert "lib64/libregister.so" in found["missing"]
    assert not any("asc_opc" in text or "bisheng" in text for text in found["missing"])
    old = answer(capsys, "toolkit", "info", "8.1")
    assert old["generation"] == 8
    assert old["missing"][0] == "asc_opc or opc, which compiles kernels"
    assert cli.run(["toolkit", "info", str(machine / "home/Ascend/ascend-toolkit/8.1.RC1")]) == 0
    assert "CMake       customize template, " in capsys.readouterr().out


def test_use_records_for_the_project_or_the_user_and_auto_removes(machine: Path, capsys) -> None:
    used = answer(capsys, "toolkit", "use", "8.1", "--user")
    assert used["file"] == f"{machine}/home/.config/opforge/toolkit"
    assert used["used"]["path"] == f"{machine}/home/Ascend/ascend-toolkit/8.1.RC1"
    ours = machine / "project/.opforge/toolkit"
    assert answer(capsys, "toolkit", "use", "../home/Ascend/cann-9.0.0/.")["named"].startswith(str(machine))
    assert ours.read_text().startswith(f"{machine}/project/../home/Ascend/cann-9.0.0")
    assert answer(capsys, "toolkit", "use", "auto")["used"]["path"].endswith("8.1.RC1")
    assert not ours.exists()
    assert answer(capsys, "toolkit", "use", "simulator")["used"]["kind"] == "simulator"


@pytest.mark.parametrize(
    ("named", "what"),
    [
        ("7.1", "CANN 7.1, which the command line names, was not found"),
        ("./nowhere", "does not exist"),
        ("/usr", "the toolkit /usr, which the command line names, has no tools/opbuild/op_build"),
    ],
)
def test_use_refuses_what_is_not_there_and_records_nothing(named: str, what: str, machine: Path, capsys) -> None:
    out = answer(capsys, "toolkit", "use", named, code=6)
    assert what in out["error"]["what"]
    assert not (machine / "project/.opforge/toolkit").exists()


def test_doctor_follows_the_record(machine: Path, capsys) -> None:
    assert cli.run(["toolkit", "use", "9.0.0"]) == 0
    rows = answer(capsys, "doctor", code=1)["findings"]
    texts = [row["text"] for row in rows if row["topic"] == "toolkit"]
    file = machine / "project/.opforge/toolkit"
    assert any(text.startswith("CANN 9.0.0 at ") and f"{file} says 9.0.0" in text for text in texts), texts
