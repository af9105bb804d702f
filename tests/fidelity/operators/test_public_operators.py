"""The rule that chooses public operators, the entries for calling them, and what is known of each that failed."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from added_packages import PACKAGES, PARTS, added, package_of  # noqa: E402
from entries import Operator, entries_of, lies_close  # noqa: E402
from operators_page import CLASSES, classified, is_right, reached, rows_of, unfinished  # noqa: E402
from selection import CHOSEN, Chosen, chosen, select  # noqa: E402

from tests.kept import CACHE  # noqa: E402

DEFINITION = 'this->AICore().AddConfig("ascend910b", config);\n};\nOP_ADD(X);\n'


def test_at_least_two_hundred_and_sixty_of_them_with_a_golden() -> None:
    assert len(chosen()) >= 200
    assert sum(one.golden for one in chosen()) >= 60


def test_the_rule(tmp_path: Path) -> None:
    def operator(folder: str, text: str, name: str = "x_def.cpp") -> None:
        for part in ("op_host", "op_kernel"):
            (tmp_path / "ops-nn" / folder / part).mkdir(parents=True)
        (tmp_path / "ops-nn" / folder / "op_host" / name).write_text(text)

    operator("norm/taken", DEFINITION)
    operator("csrc/deep/er/taken_too", DEFINITION)
    operator("norm/other_chip", DEFINITION.replace("ascend910b", "ascend950"))
    operator("norm/no_definition", DEFINITION, "x_def.h")
    operator("mc2/all_reduce", f"#include <hccl/hccl.h>\n{DEFINITION}")
    operator("norm/tests/stub", DEFINITION)
    assert sorted(one.folder for one in select(tmp_path)) == ["csrc/deep/er/taken_too", "norm/taken"]
    assert [one.golden for one in select(tmp_path)] == [True, False]


@pytest.mark.parametrize("repository", list(json.loads(CHOSEN.read_text(encoding="utf-8"))))
class TestRepository:
    def test_entries_are_of_chosen_operators(self, repository: str) -> None:
        folders = {folder.partition("#")[0] for folder in entries_of(repository)}
        assert folders <= {one.folder for one in chosen() if one.repository == repository}

    def test_an_operator_to_compare_that_runs_has_a_golden(self, repository: str) -> None:
        rows = rows_of("operators", repository)
        ran = {folder for folder, row in rows.items() if row["golden"] and reached(row, "run")}
        assert ran <= {folder.partition("#")[0] for folder, entry in entries_of(repository).items() if entry.golden}

    def test_only_those_that_fail_are_classified(self, repository: str) -> None:
        folders = [one.folder for one in chosen() if one.repository == repository]
        why = classified(repository)
        assert set(why) <= set(unfinished(repository, folders))
        for folder, entry in why.items():
            assert entry["class"] in CLASSES, folder
            assert entry["place"], folder
            assert entry["why"], folder


def test_differences_are_seen() -> None:
    import torch

    exact = torch.linspace(-3, 3, 100, dtype=torch.float64)
    off = exact.clone()
    off[7] += 1e-2
    assert lies_close(exact.float(), exact, "float32", Operator()) is None
    assert lies_close(off.float(), exact, "float32", Operator()) == "1 of 100 differ, first [7] -2.56576 for -2.57576"
    assert lies_close(off.bfloat16(), exact, "bfloat16", Operator()) is None
    assert lies_close(exact[:7], exact, "float32", Operator()) == "shape [7], golden [100]"
    assert lies_close(torch.tensor([3]), torch.tensor([4]), "int32", Operator()) is not None
    assert is_right({"reached": "run", "judged": 2, "right": 2})
    assert not is_right({"reached": "run", "judged": 2, "right": 1})
    assert not is_right({"reached": "run", "judged": 0, "right": 0})


def test_packages_are_linked_and_removed(tmp_path: Path) -> None:
    for part in PARTS["opbase"]:
        path = tmp_path / "checkouts" / "opbase" / part / "log.h"
        path.parent.mkdir(parents=True)
        path.write_text("")
    root = tmp_path / "ops-nn"
    (root / "index").mkdir(parents=True)
    with added(tmp_path / "checkouts", root, ("opbase/pkg_inc",)) as options:
        assert options == ["--include", "third_party/opbase/pkg_inc"]
        linked = {path.relative_to(root / "third_party" / "opbase").as_posix() for path in root.rglob("*.h")}
        assert linked == {"pkg_inc/log.h", "src/op_common/log.h"}
    assert [path.name for path in root.iterdir()] == ["index"]
    with pytest.raises(OSError, match="catlass"), added(tmp_path / "checkouts", root, ("catlass/include",)):
        pass
    assert [path.name for path in root.iterdir()] == ["index"]


def test_a_row_has_the_folders_of_its_entry() -> None:
    named = [(one, entries_of(one.repository).get(one.folder)) for one in chosen()]
    including = {one: entry.include for one, entry in named if entry is not None and entry.include}
    assert including
    for one, folders in including.items():
        assert {package_of(folder) for folder in folders} <= set(PACKAGES), one.name
    for one in chosen():
        row = rows_of("operators", one.repository).get(one.folder)
        assert row is None or tuple(row.get("added", ())) == including.get(one, ()), one.name


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.torch
def test_an_operator_and_its_broken_twin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPFORGE_CACHE", str(CACHE))
    described = importlib.util.spec_from_file_location("operators_run", HERE / "run.py")
    assert described is not None
    assert described.loader is not None
    program = importlib.util.module_from_spec(described)
    described.loader.exec_module(program)
    checkout = tmp_path / "checkouts" / "cann-ops"
    operator = Chosen("cann-ops", "src/silu_mul", golden=False)
    shutil.copytree(HERE.parents[1] / "corpus" / "silu_mul", checkout / operator.folder)
    kernel = _named_otherwise(checkout / operator.folder, "silu_mul_apt")
    files = sorted(checkout.rglob("*"))
    (tmp_path / "work").mkdir()

    row = program.Site(tmp_path / "checkouts", tmp_path / "work").tried(operator)
    assert row["reached"] == "run", row
    assert row["ops"] == ["SiluMul"]
    assert sorted(checkout.rglob("*")) == files  # nothing is written into a checkout

    kernel.write_text(kernel.read_text().replace("            CopyOut(offset, count);\n", ""))
    (tmp_path / "again").mkdir()
    row = program.Site(tmp_path / "checkouts", tmp_path / "again").tried(operator)
    assert row["reached"] == "built"
    assert "queue" in row["why"]


def _named_otherwise(operator: Path, name: str) -> Path:
    """The kernel's file, which is called otherwise than the op: its definition says so, as many of CANN's do."""
    host, kernel = operator / "op_host" / "silu_mul.cpp", operator / "op_kernel" / f"{name}.cpp"
    (operator / "op_kernel" / "silu_mul.cpp").rename(kernel)
    plain = 'this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");'
    said = f'OpAICoreConfig config; config.ExtendCfgInfo("opFile.value", "{name}"); '
    assert plain in host.read_text()
    host.write_text(host.read_text().replace(plain, said + 'this->AICore().AddConfig("ascend910b", config);'))
    return kernel


@pytest.mark.qualify
@pytest.mark.skipif("OPFORGE_CHECKOUTS" not in os.environ, reason="needs OPFORGE_CHECKOUTS, a folder with checkouts")
def test_all_of_them() -> None:
    """Renews results/operators; what came to its end before still does."""
    names = list(chosen())
    before = {one.name for one in names if one.folder not in unfinished(one.repository, [one.folder])}
    command = [sys.executable, HERE / "run.py", os.environ["OPFORGE_CHECKOUTS"], "--result"]
    subprocess.run(command, check=True)
    after = {one.name for one in names if one.folder not in unfinished(one.repository, [one.folder])}
    assert before <= after
