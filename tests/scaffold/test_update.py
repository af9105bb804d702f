"""What an update does to each kind of file, what it refuses before it writes, and how an interrupted one goes on."""

from __future__ import annotations

import dataclasses
import random
import re
import shutil
import zlib
from pathlib import Path, PurePosixPath

import pytest

from opforge import __version__
from opforge.errors import ProjectError, SpecError
from opforge.fileset import File, FileSet
from opforge.scaffold import base_file
from opforge.scaffold import project_update as module
from opforge.scaffold.base_file import BASE_FILE, OLD_FOLDER, read_base, write_base
from opforge.scaffold.lock import BUILT_IN, TemplateRecord, dump_lock, lock_of, parse_lock, read_lock
from opforge.scaffold.merge import conflict_lines
from opforge.scaffold.new_project import write_project
from opforge.scaffold.project_root import SPEC_FILE
from opforge.scaffold.project_state import project_state
from opforge.scaffold.project_status import drift, local_status
from opforge.scaffold.project_update import Update, apply_update, plan_update
from opforge.scaffold.refresh import refresh
from opforge.spec.model import OpSpec, ProjectSpec, Spec, TensorSpec
from opforge.spec.read.editions import read_current
from opforge.spec.yaml_printer import print_spec

SPEC = Spec(
    ProjectSpec("scale", "scale", "scale", "0.1.0", ("ascend910b",)),
    (
        OpSpec(
            "Scale",
            (TensorSpec("x", ("float32",)),),
            (),
            (TensorSpec("y", ("float32",), dtypes_given=False),),
            "y = x * 2.0",
        ),
    ),
)
CHANGED = dataclasses.replace(SPEC, ops=(dataclasses.replace(SPEC.ops[0], compute="y = x * 3.0"),))

KERNEL = "// kernel\nint a;\nint b;\nint c;\nint d;\n// end\n"
NEXT_KERNEL = KERNEL.replace("int d;", "int D;")
FILES = {"kernel.h": KERNEL, "tests/test_it.py": "two\n", "run.sh": "#!/bin/sh\n"}
NEXT = {**FILES, "kernel.h": NEXT_KERNEL}
K, T = PurePosixPath("kernel.h"), PurePosixPath("tests/test_it.py")


def rendered(texts: dict[str, str], spec: Spec = SPEC) -> FileSet:
    files = [File(PurePosixPath(path), text, "form", path.endswith(".sh")) for path, text in texts.items()]
    return FileSet.of(File(SPEC_FILE, print_spec(spec), "spec"), *files)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "scale"
    write_project(rendered(FILES), SPEC, root)
    return root


def run(root: Path, texts: dict[str, str], spec: Spec = SPEC) -> Update:
    lock = read_lock(root)
    assert lock is not None
    files = rendered(texts, spec)
    todo = plan_update(root, lock, files)
    apply_update(root, todo, files, spec, BUILT_IN)
    return todo


OWNED = PurePosixPath("op_kernel/opforge/tile.h")
OWNING = {**FILES, str(OWNED): "int tile;\n"}


@pytest.fixture
def owning(tmp_path: Path) -> Path:
    root = tmp_path / "owning"
    write_project(rendered(OWNING), SPEC, root)
    return root


def test_an_edited_file_that_opforge_owns_is_replaced_and_the_edit_kept_beside_it(owning: Path) -> None:
    (owning / OWNED).write_text("int mine;\n")
    assert actions(run(owning, OWNING)) == {str(OWNED): "replaced"}
    assert (owning / OWNED).read_text() == "int tile;\n"
    assert (owning / f"{OWNED}~").read_text() == "int mine;\n"
    assert actions(run(owning, OWNING)) == {}
    (owning / OWNED).write_text("int another;\n")
    run(owning, OWNING)
    assert (owning / f"{OWNED}~").read_text() == "int mine;\n"
    assert (owning / f"{OWNED}.2~").read_text() == "int another;\n"
    assert actions(run(owning, {**OWNING, str(OWNED): "int tile2;\n"})) == {str(OWNED): "changed"}


def test_a_removed_file_that_opforge_owns_comes_back(owning: Path) -> None:
    (owning / OWNED).unlink()
    (owning / K).unlink()
    assert actions(run(owning, OWNING)) == {str(OWNED): "added"}
    assert (owning / OWNED).read_text() == "int tile;\n"


def test_no_base_is_kept_of_what_opforge_owns(owning: Path) -> None:
    assert OWNED not in read_base(owning)
    assert local_status(owning).bases_missing == ()


def test_a_build_leaves_an_edit_of_what_opforge_owns(owning: Path) -> None:
    (owning / OWNED).write_text("int mine;\n")
    done = refresh(owning, rendered({**OWNING, "kernel.h": NEXT_KERNEL}, CHANGED), CHANGED)
    assert done.written == (K,)
    assert (owning / OWNED).read_text() == "int mine;\n"
    assert project_state(owning).edited == (OWNED,)


def test_a_build_stops_where_the_spec_changes_an_edited_file_that_opforge_owns(owning: Path) -> None:
    (owning / OWNED).write_text("int mine;\n")
    with pytest.raises(ProjectError, match="edited files depend on it") as caught:
        refresh(owning, rendered({**OWNING, str(OWNED): "int tile2;\n"}, CHANGED), CHANGED)
    assert caught.value.detail == f"  {OWNED}"
    assert (owning / OWNED).read_text() == "int mine;\n"


def actions(update: Update) -> dict[str, str]:
    return {str(change.path): change.action for change in update.changes}


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def check_settled(root: Path, texts: dict[str, str], spec: Spec = SPEC) -> None:
    """The lock and the base are those of a fresh project, and another update has nothing to do."""
    assert read_lock(root) == lock_of(rendered(texts, spec), spec)
    assert read_base(root) == {file.path: file.text.encode() for file in rendered(texts, spec)}
    assert not (root / OLD_FOLDER).exists()
    before = tree(root)
    assert run(root, texts, spec).changes == ()
    assert tree(root) == before


def test_what_nobody_edited_follows(project: Path) -> None:
    assert actions(run(project, NEXT)) == {"kernel.h": "changed"}
    assert (project / K).read_text() == NEXT_KERNEL
    check_settled(project, NEXT)


def test_an_edit_elsewhere_in_the_file_is_merged(project: Path) -> None:
    (project / K).write_text(KERNEL.replace("int a;", "int mine;"))
    update = run(project, NEXT)
    assert actions(update) == {"kernel.h": "merged"}
    assert update.changes[0].counts == (1, 1)
    assert (project / K).read_text() == NEXT_KERNEL.replace("int a;", "int mine;")
    assert project_state(project).edited == (K,)
    check_settled(project, NEXT)


def test_an_edit_of_the_same_line_is_marked_and_stops_the_next_build_and_update(project: Path) -> None:
    (project / K).write_text(KERNEL.replace("int d;", "int mine;"))
    update = run(project, NEXT)
    assert actions(update) == {"kernel.h": "conflict"}
    assert update.conflicts[0].conflicts == (5,)
    assert (project / K).read_text() == (
        "// kernel\nint a;\nint b;\nint c;\n"
        f"<<<<<<< yours\nint mine;\n=======\nint D;\n>>>>>>> opforge {__version__}\n// end\n"
    )
    assert read_lock(project) == lock_of(rendered(NEXT), SPEC)
    for again in (lambda: refresh(project, rendered(NEXT), SPEC), lambda: run(project, NEXT)):
        before = tree(project)
        with pytest.raises(ProjectError) as caught:
            again()
        assert caught.value.what == "conflicts of an earlier merge are not resolved"
        assert caught.value.detail == "  kernel.h:5"
        assert tree(project) == before
    (project / K).write_text(NEXT_KERNEL.replace("int D;", "int mine; int D;"))
    refresh(project, rendered(NEXT), SPEC)
    assert run(project, NEXT).changes == ()


def test_what_is_new_comes_and_what_is_gone_goes(project: Path) -> None:
    texts = {"kernel.h": KERNEL, "run.sh": "#!/bin/sh\n", "op/new.h": "new\n"}
    assert actions(run(project, texts)) == {"op/new.h": "added", "tests/test_it.py": "removed"}
    assert not (project / "tests").exists()
    check_settled(project, texts)


def test_an_edited_file_that_is_gone_is_kept_and_told_once(project: Path) -> None:
    (project / T).write_text("mine\n")
    texts = {"kernel.h": KERNEL, "run.sh": "#!/bin/sh\n"}
    assert actions(run(project, texts)) == {"tests/test_it.py": "kept"}
    assert (project / T).read_text() == "mine\n"
    check_settled(project, texts)


def test_what_the_user_removed_stays_removed(project: Path) -> None:
    (project / K).unlink()
    shutil.rmtree(project / "tests")
    assert actions(run(project, NEXT)) == {"kernel.h": "left out"}
    assert not (project / K).exists()
    assert not (project / "tests").exists()
    assert project_state(project).missing == (K, T)
    assert run(project, NEXT).changes == ()
    assert run(project, {"run.sh": "#!/bin/sh\n"}).changes == ()


def test_a_file_of_the_users_own_at_a_new_path_is_marked_and_not_overwritten(project: Path) -> None:
    (project / "new.h").write_text("mine\n")
    assert actions(run(project, {**FILES, "new.h": "rendered\n"})) == {"new.h": "conflict"}
    assert "mine\n=======\nrendered\n" in (project / "new.h").read_text()


def test_permissions_stay_and_scripts_run(project: Path) -> None:
    (project / K).chmod(0o755)
    (project / "run.sh").chmod(0o700)
    texts = {**NEXT, "run.sh": "#!/bin/bash\n", "more.sh": "#!/bin/sh\n"}
    run(project, texts)
    modes = {path: (project / path).stat().st_mode & 0o777 for path in ("kernel.h", "run.sh", "more.sh")}
    assert (modes["kernel.h"], modes["run.sh"]) == (0o755, 0o700)
    assert modes["more.sh"] & 0o100


def test_a_text_that_becomes_a_script_can_be_run(project: Path) -> None:
    files = FileSet.of(*(f for f in rendered(FILES) if f.path != K), File(K, KERNEL, "form", executable=True))
    lock = read_lock(project)
    assert lock is not None
    update = plan_update(project, lock, files)
    assert actions(update) == {"kernel.h": "changed"}
    apply_update(project, update, files, SPEC, BUILT_IN)
    assert (project / K).stat().st_mode & 0o111 == 0o111 & ~_umask()


def _umask() -> int:
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_checkout_with_crlf_stays_one(project: Path) -> None:
    for path in (K, T):
        (project / path).write_bytes((project / path).read_bytes().replace(b"\n", b"\r\n"))
    (project / K).write_bytes((project / K).read_bytes().replace(b"int a;", b"int mine;"))
    update = run(project, {**NEXT, "tests/test_it.py": "three\n"})
    assert actions(update) == {"kernel.h": "merged", "tests/test_it.py": "changed"}
    assert (project / T).read_bytes() == b"three\r\n"
    assert (project / K).read_bytes() == NEXT_KERNEL.replace("int a;", "int mine;").replace("\n", "\r\n").encode()
    assert project_state(project).edited == (K,)


@pytest.mark.parametrize("kind", ["binary", "link", "read-only", "linked folder", "folder that is a file"])
def test_what_cannot_be_written_stops_everything_before_it_starts(kind: str, project: Path) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    texts = {**NEXT, "tests/test_it.py": "three\n"}
    path = project / (T if "folder that" in kind or kind == "linked folder" else K)
    if kind == "binary":
        path.write_bytes(b"\x7fELF\0\0")
        why = "it holds a NUL byte, and only text can be merged"
    elif kind == "link":
        path.unlink()
        (outside / "kernel.h").write_text(KERNEL)
        path.symlink_to(outside / "kernel.h")
        why = "it is a link, and its target may not belong to this project"
    elif kind == "read-only":
        path.chmod(0o444)
        why = "it is read-only"
    elif kind == "linked folder":
        shutil.move(project / "tests", outside / "tests")
        (project / "tests").symlink_to(outside / "tests")
        why = "tests is a link, and its target may not belong to this project"
    else:
        shutil.rmtree(project / "tests")
        (project / "tests").write_text("mine")
        texts["tests/new.py"] = "new\n"
        path = project / "tests/new.py"
        why = "tests is not a folder"
    before = tree(project)
    with pytest.raises(ProjectError) as caught:
        run(project, texts)
    assert caught.value.what == "files that have to change cannot be changed"
    assert caught.value.detail == f"  {path.relative_to(project)}: {why}"
    assert tree(project) == before


def test_a_folder_where_a_new_file_has_to_go_is_in_the_way(project: Path) -> None:
    (project / "new.h" / "mine").mkdir(parents=True)
    with pytest.raises(ProjectError) as caught:
        run(project, {**FILES, "new.h": "new\n"})
    assert caught.value.detail == "  new.h: it is a folder"
    (project / K).unlink()
    (project / K).mkdir()  # of a file that was there, it says that the user took it away
    assert actions(run(project, NEXT)) == {"kernel.h": "left out"}


def test_binary_garbage_in_a_file_that_need_not_change_harms_nothing(project: Path) -> None:
    (project / T).write_bytes(b"\x7fELF\0\0")
    assert actions(run(project, NEXT)) == {"kernel.h": "changed"}
    assert (project / T).read_bytes() == b"\x7fELF\0\0"


def test_a_lost_base_is_no_matter_where_nothing_has_to_be_merged(project: Path) -> None:
    (project / T).write_text("mine\n")
    (project / BASE_FILE).unlink()
    assert set(local_status(project).bases_missing) == {K, T, PurePosixPath("run.sh")}
    assert actions(run(project, NEXT)) == {"kernel.h": "changed"}
    check_settled(project, NEXT)
    assert (project / T).read_text() == "mine\n"


@pytest.mark.parametrize("damage", ["gone", "another"])
def test_with_a_lost_base_every_difference_of_an_edited_file_is_marked(damage: str, project: Path) -> None:
    (project / K).write_text(KERNEL.replace("int a;", "int mine;"))
    base = {**read_base(project), K: b"scribble\n"}
    if damage == "gone":
        del base[K]
    write_base(project, base)
    assert local_status(project).bases_missing == (K,)
    update = run(project, NEXT)
    assert actions(update) == {"kernel.h": "conflict"}
    assert update.conflicts[0].conflicts == (2, 9)
    text = (project / K).read_text()
    for line in ("int mine;", "int a;", "int d;", "int D;"):
        assert f"\n{line}\n" in text
    assert read_base(project)[K] == NEXT_KERNEL.encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<<<<<<< ours\n", "incorrect header check"),
        (zlib.compress(b"{}", wbits=31), "'schema'"),
        (zlib.compress(b'{"schema": 2}', wbits=31), "it has schema 2, and this opforge reads 1"),
        (zlib.compress(b'{"schema": 1, "files": ["a"]}', wbits=31), "'list' object has no attribute 'items'"),
        (base_file.dump_base({K: b"cut"})[:-9], "incomplete or truncated stream"),
    ],
    ids=["a conflict of git", "no schema", "a later one", "a list", "cut"],
)
def test_a_damaged_base_is_said_and_nothing_written(data: bytes, why: str, project: Path) -> None:
    (project / K).write_text(KERNEL.replace("int a;", "int mine;"))
    (project / BASE_FILE).write_bytes(data)
    before = tree(project)
    for look in (lambda: local_status(project), lambda: run(project, NEXT)):
        with pytest.raises(ProjectError, match=re.escape(f"{project / BASE_FILE} is damaged: ")) as caught:
            look()
        assert why in caught.value.what
    assert tree(project) == before
    (project / BASE_FILE).unlink()  # as the hint says
    assert actions(run(project, NEXT)) == {"kernel.h": "conflict"}


def as_before(root: Path) -> None:
    """The base as older projects have it: a folder with a copy of each file."""
    for path, text in read_base(root).items():
        (root / OLD_FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (root / OLD_FOLDER / path).write_bytes(text)
    (root / BASE_FILE).unlink()


def test_the_base_of_an_older_project_is_read_and_replaced(project: Path) -> None:
    as_before(project)
    assert local_status(project).bases_missing == ()
    assert (project / OLD_FOLDER / K).is_file()
    (project / K).write_text(KERNEL.replace("int a;", "int mine;"))
    assert actions(run(project, NEXT)) == {"kernel.h": "merged"}
    assert not (project / OLD_FOLDER).exists()
    assert (project / K).read_text() == NEXT_KERNEL.replace("int a;", "int mine;")
    (project / K).write_text(NEXT_KERNEL)
    check_settled(project, NEXT)


def test_the_same_texts_leave_the_base_as_it_is(project: Path) -> None:
    """Another version of zlib compresses otherwise: that alone is no reason to write."""
    other = zlib.compress(zlib.decompress((project / BASE_FILE).read_bytes(), wbits=31), level=1, wbits=31)
    assert other != (project / BASE_FILE).read_bytes()
    (project / BASE_FILE).write_bytes(other)
    write_base(project, read_base(project))
    assert (project / BASE_FILE).read_bytes() == other


def test_a_base_keeps_what_is_no_utf_8(project: Path) -> None:
    texts = {K: b"caf\xe9\r\n", T: "Ümlaut 算子\n".encode()}
    write_base(project, texts)
    assert read_base(project) == texts


def test_a_lost_lock_is_said_and_nothing_written(project: Path) -> None:
    (project / ".opforge/lock.json").unlink()
    with pytest.raises(ProjectError, match=r"there is no \.opforge/lock\.json in .*, so opforge does not know"):
        local_status(project)


class Stop(BaseException):
    """The power goes off."""


@pytest.mark.parametrize("edit", ["none", "merged", "conflict"])
@pytest.mark.parametrize("after", range(14))
def test_an_interrupted_update_is_finished_by_the_next(
    edit: str, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before its n-th write, for every n; the user resolves what is marked, and updates again."""
    texts = {"kernel.h": NEXT_KERNEL, "run.sh": "#!/bin/bash\n", "op/new.h": "new\n"}
    mine = {"none": KERNEL, "merged": KERNEL.replace("int a;", "mine"), "conflict": KERNEL.replace("int d;", "mine")}
    expected = {
        "none": NEXT_KERNEL,
        "merged": NEXT_KERNEL.replace("int a;", "mine"),
        "conflict": NEXT_KERNEL.replace("int D;", "both"),
    }[edit]
    root = tmp_path / "scale"
    write_project(rendered(FILES), SPEC, root)
    (root / "kernel.h").write_text(mine[edit])
    left = after

    def counted(write):
        def call(*args, **options) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Stop
            write(*args, **options)

        return call

    with monkeypatch.context() as patch:
        for where, name in ((module, "write_bytes"), (module, "remove"), (base_file, "write_bytes")):
            patch.setattr(where, name, counted(getattr(where, name)))
        try:
            run(root, texts)
            assert left >= 0
        except Stop:
            assert left < 0
    settled = False
    for _ in range(4):
        if conflict_lines((root / "kernel.h").read_bytes()):
            assert edit == "conflict"
            assert re.search("\n(mine|both)\n", (root / "kernel.h").read_text())
            (root / "kernel.h").write_text(expected)
        settled = not run(root, texts).changes
    assert settled
    assert (root / "kernel.h").read_text() == expected
    check_settled(root, texts)
    assert not (root / "tests").exists()


@pytest.mark.parametrize("seed", range(12))
def test_random_edits_of_random_renderings_lose_nothing(seed: int, tmp_path: Path) -> None:
    """Ten generations of a project: at each the user edits, adds, removes; what is theirs and unmarked is there."""
    dice = random.Random(seed)
    texts = {f"f{n}.h": "".join(f"line {n}.{i}\n" for i in range(20)) for n in range(4)}
    write_project(rendered(texts), SPEC, tmp_path / "p")
    user = User(tmp_path / "p", dice)
    for generation in range(10):
        user.edit(generation, [name for name in sorted(texts) if (user.root / name).exists()])
        texts = {name: re_rendered(text, dice, generation) for name, text in texts.items() if dice.random() > 0.03}
        if dice.random() < 0.3:
            texts[f"g{generation}.h"] = f"new in {generation}\nlast\n"
        user.resolve(run(user.root, texts))
        user.check(texts)


class User:
    """Edits a project at random, and remembers what is theirs."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.mine: dict[str, set[str]] = {}
        self.removed: set[str] = set()

    def edit(self, generation: int, files: list[str]) -> None:
        for name in files:
            path = self.root / name
            if self.dice.random() < 0.5:
                lines = path.read_text().splitlines()
                lines.insert(self.dice.randrange(len(lines) + 1), f"mine {generation} {name}")
                self.mine.setdefault(name, set()).add(f"mine {generation} {name}")
                path.write_text("\n".join(lines) + "\n")
            elif self.dice.random() < 0.05:
                path.unlink()
                self.removed.add(name)

    def resolve(self, update: Update) -> None:
        for change in update.conflicts:
            path = self.root / change.path
            lines = path.read_text().splitlines()
            kept = [line for line in lines if not line.startswith(("<<<<<<< ", "=======", ">>>>>>> "))]
            path.write_text("\n".join(kept) + "\n")

    def check(self, texts: dict[str, str]) -> None:
        for name, lines in self.mine.items():
            if name not in self.removed:
                assert lines <= set((self.root / name).read_text().splitlines()), name
        assert not [name for name in self.removed if (self.root / name).exists()]
        for name, text in texts.items():
            if name not in self.mine and name not in self.removed:
                assert (self.root / name).read_text() == text


def re_rendered(text: str, dice: random.Random, generation: int) -> str:
    lines = text.splitlines()
    for _ in range(dice.randrange(3)):
        at = dice.randrange(len(lines) + 1)
        lines[at : at + dice.randrange(2)] = [f"rendered {generation}"]
    return "\n".join(lines) + "\n"


def test_files_of_a_later_opforge_do_not_go_back(project: Path) -> None:
    lock = read_lock(project)
    assert lock is not None
    later = dataclasses.replace(lock, opforge="1000.0.1.dev3")
    (project / ".opforge/lock.json").write_text(dump_lock(later))
    before = tree(project)
    for again in (lambda: run(project, NEXT), lambda: refresh(project, rendered(NEXT, CHANGED), CHANGED)):
        with pytest.raises(ProjectError) as caught:
            again()
        assert caught.value.what == (
            f"the project was rendered with opforge 1000.0.1.dev3; {__version__} would revert its files"
        )
    assert tree(project) == before
    found = drift(local_status(project), SPEC, rendered(NEXT), BUILT_IN)
    assert found.update is None
    assert found.blocked is not None
    assert "would revert its files" in found.blocked.what
    refresh(project, FileSet(), SPEC)  # a comment in the spec brings no file back


# --- the spec and the template beside the files ---


def test_what_changed_is_told(project: Path) -> None:
    local = local_status(project)
    found = drift(local, CHANGED, rendered(NEXT, CHANGED), BUILT_IN)
    assert (found.spec_changed, found.opforge_changed, found.template_changed) == (True, False, False)
    assert found.update is not None
    assert actions(found.update) == {"kernel.h": "changed"}
    older = dataclasses.replace(local, lock=dataclasses.replace(local.lock, opforge="0.0.1"))
    found = drift(older, SPEC, rendered(FILES), TemplateRecord("team", "repository", "abc"))
    assert (found.spec_changed, found.opforge_changed, found.template_changed) == (False, True, True)
    (project / K).write_text("<<<<<<< yours\n")
    local = local_status(project)
    assert local.unmerged == {K: (1,)}
    assert drift(local, SPEC, rendered(NEXT), BUILT_IN).update is None


def test_the_lock_keeps_a_template(project: Path) -> None:
    record = TemplateRecord(
        "team", "git", "0123abc", {"owner": "Ünï", "year": 2026, "strict": True, "tags": ["a", "b"]}
    )
    lock = lock_of(rendered(FILES), SPEC, record)
    assert parse_lock(dump_lock(lock), Path("lock.json")) == lock
    apply_update(project, Update(()), rendered(FILES), SPEC, record)
    found = read_lock(project)
    assert found is not None
    assert found.template == record


FIRST_LOCK = """{
  "schema": 1,
  "edition": 1,
  "template": {"name": "project", "version": "0.1.0"},
  "spec_sha256": "12cc9c18d39612c1c69b60318c96d92e7405b0655ecfcc6409411f24b23c702d",
  "files": {
    ".gitignore": {"sha256": "0ef48d9dec5fc5693a3991fa6aabc1d85d0c0705d578eacabb6344b1e4285d55", "origin": "project/.gitignore"},
    "tools/run.sh": {"sha256": "64e9fe77c18cb36236278dff599691713656f2d0383a86cc09bbc154ec6c787f", "origin": "x", "executable": true}
  }
}
"""  # noqa: E501


def test_the_lock_of_the_first_version_is_read_and_written_as_it_was() -> None:
    lock = parse_lock(FIRST_LOCK, Path("lock.json"))
    assert (lock.template, lock.opforge) == (BUILT_IN, "0.1.0")
    assert lock.files[PurePosixPath("tools/run.sh")].executable
    assert dump_lock(lock) == FIRST_LOCK


@pytest.mark.parametrize(
    "template",
    ['{"name": 3, "version": "0.1.0"}', '{"version": "0.1.0"}', '{"name": "t", "version": "1", "source": "x"}'],
)
def test_a_lock_with_a_strange_template_is_damaged(template: str) -> None:
    with pytest.raises(ProjectError, match=r"lock\.json is damaged"):
        parse_lock(FIRST_LOCK.replace('{"name": "project", "version": "0.1.0"}', template), Path("lock.json"))


# --- editions ---


def test_an_edition_of_today_is_left_as_it_is() -> None:
    text = "# mine\nedition: 2\n"
    assert read_current(text, Path("opforge.yaml"))[0] is text


FIRST = """\
# max(x, 0) was elementwise
edition: "1"  # old
project: {name: a}
ops:
  A:
    inputs: {x: {shape: [..., max(H, 2)], dtype: [float32]}, b: {shape: [..., H]}}
    attrs: {alpha: {type: float, default: 1.0}}
    compute: |
      # max(x, 0)
      é = max(min(x, 3.0), max(b, alpha))  # max(x, 1)
      v, i = max(x, -1)
      y = é + amax(x, 0) + softmax(x, -1) + clamp(x, max=2)
  B: {inputs: {x: {dtype: [float32]}}, compute: 'y, z = x * min(x, 2), max(x, 1)'}
  C:
    inputs: {x: {dtype: [float32]}}
    compute: |
      maximum = x * 2
      y = max(maximum, x)
"""
SECOND = (
    FIRST.replace('"1"', '"2"')
    .replace("max(min(x, 3.0), max(b, alpha))", "maximum(minimum(x, 3.0), maximum(b, alpha))")
    .replace("x * min(x, 2), max(x, 1)", "x * minimum(x, 2), maximum(x, 1)")
)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_maximum_is_said_where_the_first_edition_had_max(ends: str, mark: str) -> None:
    """What is not elementwise stays: dimensions, comments, values with indices; so does what needs no other name."""
    assert read_current(mark + FIRST.replace("\n", ends), None)[0] == mark + SECOND.replace("\n", ends)
    assert read_current(SECOND, None)[0] is SECOND


@pytest.mark.parametrize("mark", ["&a ", "!!str ", "!!int ", "&b2 "])
def test_an_edition_may_have_an_anchor_or_a_tag(mark: str) -> None:
    assert read_current(f"edition: {mark}1\nops: {{}}\n", None)[0] == f"edition: {mark}2\nops: {{}}\n"


@pytest.mark.parametrize("text", ["edition: &a1 1\n", "edition: &a 1\nproject: *a\n"])
def test_reading_ends_where_an_edition_cannot_be_written(text: str) -> None:
    """An endless loop was found by mutated texts."""
    assert read_current(text, None)[1] is not None


def test_an_older_edition_goes_through_every_migration() -> None:
    steps = {
        1: lambda text, _: text.replace("edition: 1", "edition: 2").replace("dtype", "types"),
        2: lambda text, _: text.replace("edition: 2", "edition: 3").replace("types", "element"),
    }
    text = "# mine\nedition: 1  # old\nx: {dtype: 3}\n"
    assert read_current(text, Path("f"), steps)[0] == "# mine\nedition: 3  # old\nx: {element: 3}\n"
    assert read_current(text.replace("1 ", "2 "), Path("f"), steps)[0] == "# mine\nedition: 3  # old\nx: {dtype: 3}\n"


@pytest.mark.parametrize("text", ["a: 1\n", "edition: [1]\n", "edition: x\n", "- edition\n", "edition: 99999999\n"])
def test_a_text_without_a_readable_edition_is_the_parsers_to_refuse(text: str) -> None:
    assert read_current(text, Path("opforge.yaml"), {1: lambda text, _: text.upper()})[0] == text


def test_a_text_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(SpecError):
        read_current("edition: {", Path("opforge.yaml"))
