"""What ``opforge adopt`` refuses; nothing is written then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.spec.read.parse import load_spec
from tests.cli.adopting import PROTOTYPE, Run, files, operator

pytestmark = [pytest.mark.compiler, pytest.mark.usefixtures("toolkit_root")]


def test_what_does_not_compile_is_refused_or_left_out(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "all" / "good", "GoodOp", "good_op")
    operator(tmp_path / "all" / "bad", "BadOp", "bad_op")
    host = tmp_path / "all" / "bad" / "op_host" / "bad_op.cpp"
    host.write_text(host.read_text().replace(".Float(0.5)", ".Real(0.5)"))
    before = files(tmp_path / "all")
    code, out, err = opforge("adopt", "all")
    assert (code, out) == (5, "")
    assert err == (
        "error: 1 of 2 cannot be adopted\n"
        "bad: op_host/bad_op.cpp does not compile\n"
        "  op_host/bad_op.cpp:18:48: error: 'class ops::OpAttrDef' has no member named 'Real'\n"
        "  help: nothing was written; --keep-going adopts the others\n"
    )
    assert files(tmp_path / "all") == before
    code, _, err = opforge("adopt", "all", "--keep-going")
    assert code == 0
    assert "warning: bad was skipped: op_host/bad_op.cpp does not compile" in err
    assert [op.type for op in load_spec(tmp_path / "all" / "opforge.yaml").ops] == ["GoodOp"]


def test_what_torch_cannot_call_is_left_out(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "all" / "good", "GoodOp", "good_op")
    operator(tmp_path / "all" / "images", "ImagesOp", "images_op")
    host = tmp_path / "all" / "images" / "op_host" / "images_op.cpp"
    text = host.read_text()
    assert "ge::FORMAT_ND" in text
    host.write_text(text.replace("ge::FORMAT_ND", "ge::FORMAT_NC1HWC0"))
    code, _, err = opforge("adopt", "all", "--keep-going")
    assert code == 0
    assert (
        "warning: ImagesOp was skipped: ImagesOp: x has the formats NC1HWC0 alone "
        "(give it a column of ND for each dtype; an input that is only read may have FRACTAL_NZ instead)\n"
    ) in err
    assert [op.type for op in load_spec(tmp_path / "all" / "opforge.yaml").ops] == ["GoodOp"]


def test_a_wrong_prototype_is_shown_in_its_place(tmp_path: Path, opforge: Run) -> None:
    wrong = {**PROTOTYPE, "attr": [{"name": "axes", "param_type": "optional", "type": "list_list_int"}]}
    (tmp_path / "wrong.json").write_text(json.dumps(wrong, indent=2))
    code, _, err = opforge("adopt", "wrong.json")
    assert code == 3
    assert "wrong.json:55:16: `axes` cannot be of type `list_list_int`" in err
    assert '55 |       "type": "list_list_int"\n' in err
    assert not list(tmp_path.glob("scaled*"))
    for soc in ("aicore-Ascend910B1", "ai_core-Ascend910B9", "Ascend950PR_9599"):
        assert opforge("adopt", "wrong.json", "--soc", soc)[0] == 3
    assert opforge("adopt", "wrong.json", "--vendor", "acme")[0] == 2
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    assert opforge("adopt", "mine", "--path", "elsewhere")[0] == 2


def test_what_is_in_the_way_is_named_and_nothing_is_written(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    (tmp_path / "mine" / "csrc").mkdir()
    (tmp_path / "mine" / "csrc" / "adapter.cpp").write_text("// mine\n")
    before = files(tmp_path / "mine")
    code, _, err = opforge("adopt", "mine")
    assert code == 5
    assert "1 of opforge's files cannot be written into" in err
    assert "  csrc/adapter.cpp: exists already\n" in err
    assert files(tmp_path / "mine") == before


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ((), "contains no operator project"),
        (("op_host/", "op_kernel/x.cpp"), "has no C++ file in op_host"),
        (("op_host/x.cpp", "op_kernel/"), "has no C++ file in op_kernel"),
    ],
)
def test_folders_that_are_no_operator(tmp_path: Path, opforge: Run, made: tuple[str, ...], said: str) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    for name in made:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).mkdir() if name.endswith("/") else (folder / name).write_text("")
    code, _, err = opforge("adopt", "empty")
    assert code == 5
    assert said in err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "*(volatile int*)nullptr = 1;",
            "the code of op_host was ended by SIGSEGV before op_build had read the definition",
        ),
        ("_exit(0);", "the code of op_host ended its process before op_build had read the definition"),
        ("throw 7;", "the code of op_host was ended by SIGABRT before op_build had read the definition"),
        ("", "op_build refuses the definition\n  op_host registers no operator: is OP_ADD missing?\n"),
    ],
)
def test_definitions_that_do_not_let_themselves_be_read(tmp_path: Path, opforge: Run, line: str, said: str) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    text = host.read_text().replace("OpDef(name) {", f"OpDef(name) {{ {line}")
    host.write_text("#include <unistd.h>\n" + (text if line else text.replace("OP_ADD(ScaledX);", "")))
    before = files(tmp_path / "mine")
    code, _, err = opforge("adopt", "mine")
    assert (code, files(tmp_path / "mine")) == (5, before)
    assert err.startswith(f"error: it cannot be adopted\n.: {said}")
    assert "\n  help: nothing was written" in err


def test_an_op_that_two_folders_define(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "all" / "a", "ScaledX", "scaled_x")
    operator(tmp_path / "all" / "b", "ScaledX", "scaled_x")
    assert opforge("adopt", "all", "--package", "scaled") == (
        5,
        "",
        "error: 1 of 2 cannot be adopted\nb: ScaledX is defined in a too: --only adopts one of them\n"
        "  help: nothing was written; --keep-going adopts the others\n",
    )
    assert opforge("adopt", "all", "--package", "scaled", "--keep-going", "--dry-run")[0] == 0


def test_links_in_a_circle_and_to_nowhere(tmp_path: Path, opforge: Run) -> None:
    mine = tmp_path / "mine"
    operator(mine, "ScaledX", "scaled_x")
    (mine / "op_host" / "up").symlink_to("..")
    (mine / "op_kernel" / "again").symlink_to("../op_kernel")
    assert opforge("adopt", "mine", "--dry-run")[0] == 0
    (mine / "op_host" / "gone.cpp").symlink_to("nowhere.cpp")
    assert opforge("adopt", "mine") == (
        5,
        "",
        f"error: {mine / 'op_host' / 'gone.cpp'} is not a file\n  help: restore its target, or remove it\n",
    )


def test_files_that_are_no_prototypes(tmp_path: Path, opforge: Run) -> None:
    (tmp_path / "notes.txt").write_text("hello\n")
    code, _, err = opforge("adopt", "notes.txt")
    assert (code, "notes.txt is neither a folder nor a .json file" in err) == (5, True)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    code, _, err = opforge("adopt", "deep.json")
    assert (code, "this is not a valid prototype: its lists are nested too deeply" in err) == (3, True)
