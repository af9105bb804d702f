"""Features of a project: chosen when it is made, turned on and off later, with edits kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.scaffold.lock import LOCK_FILE
from opforge.spec.features import DEFAULT, FEATURES
from opforge.spec.read.parse import load_spec

if TYPE_CHECKING:
    from tests.cli.adopting import Run

PYTHON = "python/vector_add"
# What a feature alone brings into a project of one op.
OF = {
    "modules": {f"{PYTHON}/_modules.py"},
    "fuse": {f"{PYTHON}/_opforge/_fusion/__init__.py", f"{PYTHON}/_opforge/_fusion/fusible.py", "tests/test_fusion.py"},
    "converter": {f"{PYTHON}/_ge.py", "tests/test_converter.py"},
    "serving": {f"{PYTHON}/_opforge/_serving.py"},
    "agents": {"AGENTS.md"},
    "aclnn": {"aclnn/CMakeLists.txt", "aclnn/call_vector_add.cpp", "aclnn/launch_vector_add.cpp"},
}


def made(root: Path) -> set[str]:
    return set(json.loads((root / LOCK_FILE).read_text())["files"])


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_every_feature_is_looked_at() -> None:
    assert OF.keys() == FEATURES.keys()
    assert set(DEFAULT) == FEATURES.keys() - {"fuse", "converter", "serving", "agents"}


@pytest.mark.parametrize("chosen", [(), ("fuse",), ("converter", "modules"), ("aclnn",), tuple(FEATURES)])
def test_a_project_has_what_was_chosen_alone(chosen: tuple[str, ...], opforge: Run, tmp_path: Path) -> None:
    assert opforge("new", "VectorAdd", "--inputs", "x,y", "--features", ",".join(chosen))[0] == 0
    root = tmp_path / "vector_add"
    assert load_spec(root / "opforge.yaml").project.features == chosen
    files = made(root)
    for feature, names in OF.items():
        assert names & files == (names if feature in chosen else set())
    page = (root / PYTHON / "__init__.py").read_text()
    readme = (root / "README.md").read_text()
    for feature, word in {"modules": "import VectorAdd", "fuse": "import fuse", "converter": "_ge"}.items():
        assert (word in page) == (feature in chosen)
    for feature, word in {
        "fuse": "fuse(model)",
        "converter": "GE graphs",
        "aclnn": "aclnn/",
        "modules": "nn.Mod",
    }.items():
        assert (word in readme) == (feature in chosen)


def test_the_default_is_written_into_the_spec(opforge: Run, tmp_path: Path) -> None:
    assert opforge("new", "VectorAdd", "--inputs", "x,y")[0] == 0
    assert load_spec(tmp_path / "vector_add" / "opforge.yaml").project.features == DEFAULT


def test_a_feature_is_turned_on_and_off_and_edits_stay(opforge: Run, tmp_path: Path, monkeypatch) -> None:
    assert opforge("new", "VectorAdd", "--inputs", "x,y")[0] == 0
    root = tmp_path / "vector_add"
    monkeypatch.chdir(root)
    before = made(root)
    with (root / PYTHON / "__init__.py").open("a") as page:
        page.write("\nMINE = 1\n")
    edit(root / "opforge.yaml", "[modules, aclnn]", "[modules, fuse, aclnn]")
    assert opforge("update")[0] == 0
    assert OF["fuse"] <= made(root)
    text = (root / PYTHON / "__init__.py").read_text()
    assert "import fuse" in text
    assert text.endswith("MINE = 1\n")

    with (root / "tests" / "test_fusion.py").open("a") as test:
        test.write("\n# mine\n")
    edit(root / "opforge.yaml", "[modules, fuse, aclnn]", "[modules, aclnn]")
    code, _, told = opforge("update")
    assert code == 0
    assert "kept     tests/test_fusion.py: edited, and no longer rendered" in told
    assert made(root) == before
    assert not (root / PYTHON / "_opforge" / "_fusion" / "fusible.py").exists()
    assert (root / "tests" / "test_fusion.py").read_text().endswith("# mine\n")


def test_a_project_from_before_keeps_everything(opforge: Run, tmp_path: Path, monkeypatch) -> None:
    assert opforge("new", "VectorAdd", "--inputs", "x,y", "--features", ",".join(FEATURES))[0] == 0
    root = tmp_path / "vector_add"
    edit(root / "opforge.yaml", f"  features: [{', '.join(FEATURES)}]\n", "")
    monkeypatch.chdir(root)
    before = made(root)
    code, _, told = opforge("update")
    assert (code, told) == (0, "nothing to do: vector_add is up to date\n")
    assert opforge("add", "VectorSub", "--inputs", "x,y")[0] == 0
    assert before <= made(root)
    assert "features" not in (root / "opforge.yaml").read_text()


def test_a_wrong_feature_is_told_with_its_place(opforge: Run, tmp_path: Path, monkeypatch) -> None:
    code, _, told = opforge("new", "VectorAdd", "--inputs", "x,y", "--features", "modles,rockets,aclnn,aclnn")
    assert code == 3
    assert "<command line>:1:12: `modles` is not a valid feature" in told
    assert "did you mean `modules`?" in told
    assert "the features are modules, fuse, converter, serving, agents, aclnn" in told
    assert "`aclnn` is given twice" in told
    assert opforge("new", "VectorAdd", "--inputs", "x,y")[0] == 0
    root = tmp_path / "vector_add"
    monkeypatch.chdir(root)
    edit(root / "opforge.yaml", "[modules, aclnn]", "[modules, aclnm]")
    code, _, told = opforge("update")
    assert code == 3
    assert "opforge.yaml:8:23: `aclnm` is not a valid feature" in told


def test_a_template_may_choose_them(opforge: Run, tmp_path: Path) -> None:
    template = tmp_path / "templates" / "acme"
    template.mkdir(parents=True)
    (template / "copier.yml").write_text('_templates_suffix: ""\n_opforge_features: [modules, fuse]\n')
    new = ("new", "VectorAdd", "--inputs", "x,y", "--template", f"{template}/")
    assert opforge(*new)[0] == 0
    root = tmp_path / "vector_add"
    assert load_spec(root / "opforge.yaml").project.features == ("modules", "fuse")
    assert OF["fuse"] <= made(root)
    assert opforge(*new, "--features", "aclnn", "--path", "other")[0] == 0
    assert load_spec(tmp_path / "other" / "opforge.yaml").project.features == ("aclnn",)
    (template / "copier.yml").write_text('_templates_suffix: ""\n_opforge_features: [modules, fuze]\n')
    code, _, told = opforge(*new, "--path", "third")
    assert code != 0
    assert "the template ../templates/acme names unknown features\n  `fuze` is not a valid feature" in told
    assert "did you mean `fuse`?" in told
    assert not (tmp_path / "third").exists()
