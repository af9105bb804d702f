"""Templates of teams: where they are found, what they may do to a project, and what they may not."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from opforge.build.rendering import Rendered, choose, git_fetch, lay, render_for, with_answers
from opforge.doctor.template_check import sample
from opforge.errors import TemplateError
from opforge.fileset import FileSet, is_owned
from opforge.kinds import derive
from opforge.render.forms import templates_root
from opforge.render.project import render_project
from opforge.render.template_context import template_context
from opforge.scaffold.lock import BUILT_IN, TemplateRecord
from opforge.scaffold.template_source import Fetched, Template, find_template, is_address, list_templates
from opforge.spec.model import Spec
from opforge.toolkit.process import Runner

ACME = Path(__file__).parent / "templates" / "acme"


@pytest.fixture(scope="module")
def spec() -> Spec:
    return sample("elementwise")


@pytest.fixture(scope="module")
def rendered(spec: Spec) -> FileSet:
    return render_project(derive(spec))


def no_fetch(address: str, ref: str | None) -> Fetched:
    raise AssertionError(f"fetched {address} {ref}")


def make(folder: Path, **files: str) -> Path:
    """A template of these files; ``__`` in a name is a dot, and copier.yml renders all of them unless given."""
    texts = {"copier__yml": '_templates_suffix: ""\n', **files}
    for name, text in texts.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def of(folder: Path) -> Template:
    return find_template(f"{folder}/", folder.parent / "project", templates_root(), no_fetch)


def text(files: FileSet, name: str) -> str:
    return files.files[PurePosixPath(name)].text


# Finding


def test_a_name_is_looked_up_in_the_folders_around_the_project_up_to_its_repository(tmp_path: Path) -> None:
    outside, repository = make(tmp_path / "templates/other"), tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    far, near = make(repository / "templates/acme"), make(repository / "ops/templates/acme", extra="x")
    builtin = templates_root()
    assert find_template("acme", repository / "ops/add", builtin, no_fetch).folder == near
    assert find_template("acme", repository / "add", builtin, no_fetch).folder == far
    assert find_template("acme", repository / "ops/add", builtin, no_fetch).source == "repository"
    with pytest.raises(TemplateError) as caught:
        find_template(outside.name, repository / "add", builtin, no_fetch)
    assert caught.value.render().startswith("error: there is no template other\n  help: known here: acme, project. ")
    assert [t.name for t in list_templates(repository / "ops", builtin)] == ["acme", "project"]


def test_outside_of_a_repository_all_folders_above_are_looked_at(tmp_path: Path) -> None:
    make(tmp_path / "templates/acme")
    assert find_template("acme", tmp_path / "a/b/c", templates_root(), no_fetch).folder == tmp_path / "templates/acme"


def test_project_is_opforge_s_own_unless_the_repository_has_one(tmp_path: Path) -> None:
    assert find_template("project", tmp_path / "p", templates_root(), no_fetch).ours
    assert find_template("project", Path(__file__).parent, templates_root(), no_fetch).ours  # its own checkout
    make(tmp_path / "templates/project")
    assert find_template("project", tmp_path / "p", templates_root(), no_fetch).source == "repository"


@pytest.mark.parametrize(
    "wanted",
    [
        "https://host/team/template.git",
        "https://user@host/team/template",
        "ssh://git@host/template.git@v1.2",
        "git@host:team/template.git",
        "git@host:team/template.git@release/1",
        "git+https://host/template",
        "gh:team/template",
        "file:///srv/template.git",
    ],
)
def test_these_are_git_addresses(wanted: str) -> None:
    assert is_address(wanted)


@pytest.mark.parametrize(
    "wanted", ["acme", "./acme", "../templates/acme", "/srv/templates/acme", "ext::sh -c id", "-u"]
)
def test_these_are_none(wanted: str) -> None:
    assert not is_address(wanted)


@pytest.mark.parametrize(
    ("wanted", "address", "ref"),
    [
        ("https://host/t.git", "https://host/t.git", None),
        ("https://user@host/t", "https://user@host/t", None),
        ("git+https://host/t@v1", "https://host/t", "v1"),
        ("git@host:team/t.git@main", "git@host:team/t.git", "main"),
        ("gh:team/t@v2.0", "https://github.com/team/t", "v2.0"),
    ],
)
def test_an_address_may_name_a_version(wanted: str, address: str, ref: str | None, tmp_path: Path) -> None:
    asked = []

    def fetch(address: str, ref: str | None) -> Fetched:
        asked.append((address, ref))
        return Fetched(make(tmp_path / "fetched"), "c0ffee")

    found = find_template(wanted, tmp_path / "p", templates_root(), fetch)
    assert asked == [(address, ref)]
    assert (found.name, found.source, found.ref) == (wanted, "git", "c0ffee")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("./nowhere", "the template ./nowhere does not exist"),
        ("./empty", "the folder {}/empty is not a template"),
        ("acme", "there is no template acme"),
        ("code", "there is no template code"),
    ],
)
def test_what_is_no_template_is_refused(wanted: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TemplateError) as caught:
        find_template(wanted, tmp_path / "p", templates_root(), no_fetch, tmp_path)
    assert caught.value.what == message.format(tmp_path)
    assert caught.value.exit_code == 10


# What a template does


@pytest.fixture(scope="module")
def acme(spec: Spec, rendered: FileSet) -> Rendered:
    return lay(rendered, derive(spec), of(ACME), {"team": "vectors", "year": 2031})


def test_its_files_are_laid_over_opforge_s_own(acme: Rendered, rendered: FileSet) -> None:
    assert text(acme.files, "README.md") == (
        "# checked_elementwise\n\n"
        "Owned by Acme vectors. Vendor `checked_elementwise`, package `checked_elementwise`, for ascend910b.\n\n"
        "- `CheckedAdd`(x, y)\n"
    )
    added = {str(path) for path in acme.files.files.keys() - rendered.files.keys()}
    assert added == {"ci.yml", "tests/test_acme.py"}
    assert acme.files.files[PurePosixPath("README.md")].origin == "template/README.md"
    assert text(acme.files, "pyproject.toml") == text(rendered, "pyproject.toml")


def test_its_header_stands_above_every_source_and_nowhere_else(acme: Rendered, rendered: FileSet) -> None:
    line = "Copyright (c) 2031 Acme, team vectors"
    for file in rendered:
        now = text(acme.files, str(file.path))
        if file.origin.startswith("project/") or is_owned(file.path):
            assert line not in now, file.path
        elif file.path.suffix in (".cpp", ".h"):
            assert now == f"// {line}\n{file.text}", file.path
        elif file.path.suffix == ".py":
            assert now == f"# {line}\n{file.text}", file.path
    assert text(acme.files, "op_host/checked_add.cpp").splitlines()[1] == "// SPDX-License-Identifier: MIT"


def test_the_lock_gets_every_answer_and_the_template_s_version(acme: Rendered) -> None:
    record = acme.template
    assert (record.source, record.answers) == ("path", {"team": "vectors", "year": 2031, "with_ci": True})
    assert re.fullmatch(r"[0-9a-f]{12}", record.ref)


def test_answers_may_be_texts_and_decide_which_files_there_are(spec: Spec, rendered: FileSet) -> None:
    laid = lay(rendered, derive(spec), of(ACME), {"year": "1999", "with_ci": "no"})
    assert laid.template.answers == {"team": "kernels", "year": 1999, "with_ci": False}
    assert PurePosixPath("ci.yml") not in laid.files.files


def test_the_version_changes_with_any_file(tmp_path: Path) -> None:
    folder = make(tmp_path / "acme", a="1")
    first = of(folder).ref
    assert of(folder).ref == first
    (folder / "a").write_text("2")
    second = of(folder).ref
    (folder / "a").chmod(0o755)
    assert len({first, second, of(folder).ref}) == 3


def test_programs_stay_programs(tmp_path: Path, spec: Spec, rendered: FileSet) -> None:
    folder = make(tmp_path / "acme", tool__sh="#!/bin/sh\n")
    (folder / "tool.sh").chmod(0o755)
    assert lay(rendered, derive(spec), of(folder), {}).files.files[PurePosixPath("tool.sh")].executable


def test_one_file_for_each_op(tmp_path: Path) -> None:
    spec = sample("several")
    name = "{% yield op from ops %}docs_{{ op.stem }}.md{% endyield %}"
    folder = make(tmp_path / "acme", **{name.replace(".", "__"): "# {{ op.type }}\n"})
    files = lay(render_project(derive(spec)), derive(spec), of(folder), {}).files
    assert text(files, "docs_checked_axpy.md") == "# CheckedAxpy\n"
    assert text(files, "docs_checked_butterfly.md") == "# CheckedButterfly\n"


# What it may not


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("opforge.yaml", "the template acme has a file opforge.yaml, which is opforge's own"),
        (".opforge/lock.json", "the template acme has a file .opforge/lock.json, which is opforge's own"),
        ("build/x", "the template acme has a file build/x, which is opforge's own"),
        ("op_host/checked_add.cpp", "the template acme would replace op_host/checked_add.cpp, which is generated"),
        ("tests/conftest.py", "the template acme would replace tests/conftest.py, which is generated from the spec"),
    ],
)
def test_what_follows_from_the_spec_is_no_template_s(
    name: str, message: str, tmp_path: Path, spec: Spec, rendered: FileSet
) -> None:
    folder = make(tmp_path / "acme")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("mine")
    with pytest.raises(TemplateError) as caught:
        lay(rendered, derive(spec), dataclasses.replace(of(folder), name="acme"), {})
    assert caught.value.what.startswith(message)


def test_binary_files_and_links_are_refused(tmp_path: Path, spec: Spec, rendered: FileSet) -> None:
    folder = make(tmp_path / "binary")
    (folder / "logo.png").write_bytes(b"\x89PNG\xff\x00")
    with pytest.raises(TemplateError, match=r"logo.png of the template \S+ is not UTF-8 text"):
        lay(rendered, derive(spec), of(folder), {})
    folder = make(tmp_path / "link", copier__yml="_preserve_symlinks: true\n")
    (folder / "passwd").symlink_to("/etc/passwd")
    with pytest.raises(TemplateError, match="is a link that leads out of the template, to /etc/passwd"):
        lay(rendered, derive(spec), of(folder), {})


@pytest.mark.parametrize("name", ["{{ '.' * 2 }}/{{ '.' * 2 }}/escaped", "inner"])
def test_no_file_leads_out_of_the_template_or_the_project(
    name: str, tmp_path: Path, spec: Spec, rendered: FileSet
) -> None:
    folder = make(tmp_path / "acme")
    (tmp_path / "secret").write_text("secret")
    (folder / name).parent.mkdir(exist_ok=True, parents=True)
    if name == "inner":
        (folder / name).symlink_to(tmp_path / "secret")
    else:
        (folder / name).write_text("x")
    with pytest.raises(TemplateError):
        lay(rendered, derive(spec), of(folder), {})


CODE = {
    "tasks": '_tasks: ["touch {marker}"]\n',
    "jinja_extensions": "_jinja_extensions: [code_of_a_template.Extension]\n",
}


@pytest.mark.parametrize("kind", CODE)
def test_code_of_a_template_does_not_run_unless_trusted(
    kind: str, tmp_path: Path, spec: Spec, rendered: FileSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "ran"
    folder = make(tmp_path / "acme", copier__yml=CODE[kind].format(marker=marker))
    (tmp_path / "code_of_a_template.py").write_text(f"open({str(marker)!r}, 'w')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TemplateError) as caught:
        lay(rendered, derive(spec), of(folder), {})
    assert "runs its own code" in caught.value.what
    assert kind in (caught.value.detail or "")
    assert caught.value.hint == "read its copier.yml, and use --trust if you trust it"
    assert not marker.exists()


def test_trusted_tasks_see_the_whole_project(tmp_path: Path, spec: Spec, rendered: FileSet) -> None:
    folder = make(tmp_path / "acme", copier__yml="_tasks: ['ls op_host > listing.txt', 'echo more >> README.md']\n")
    files = lay(rendered, derive(spec), of(folder), {}, trust=True).files
    assert "checked_add.cpp" in text(files, "listing.txt")
    assert text(files, "README.md") == text(rendered, "README.md") + "more\n"
    assert text(files, "op_host/checked_add.cpp") == text(rendered, "op_host/checked_add.cpp")


def test_the_user_s_copier_settings_trust_nobody_here(
    tmp_path: Path, spec: Spec, rendered: FileSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "ran"
    folder = make(tmp_path / "acme", copier__yml=CODE["tasks"].format(marker=marker))
    settings = tmp_path / "settings.yml"
    settings.write_text(f'trust: ["{tmp_path}/"]\n')
    monkeypatch.setenv("COPIER_SETTINGS_PATH", str(settings))
    with pytest.raises(TemplateError):
        lay(rendered, derive(spec), of(folder), {})
    assert not marker.exists()


# What is wrong, and where

WRONG = {
    "a name that there is not": (
        {"a__md": "fine\n  {{ projct }}\n"},
        "error: {folder}/a.md:2:6: 'projct' is undefined\n 2 |   {{{{ projct }}}}\n   |      ^^^^^^\n"
        "  help: docs/templates.md lists opforge's variables; the others are the questions in copier.yml",
    ),
    "a field that there is not": (
        {"a__md": "{% for op in ops %}{{ op.typ }}{% endfor %}"},
        "error: {folder}/a.md:1:26: 'opforge.render.template_context.OpVariables object' has no attribute 'typ'\n",
    ),
    "syntax": (
        {"a__md": "\n{% for op in ops %}\n"},
        "error: {folder}/a.md:2:4: Unexpected end of template.",
    ),
    "a question like a variable": (
        {"copier__yml": "team: x\nops: 3\n"},
        "error: {folder}/copier.yml:2:1: the question `ops` hides opforge's own variable\n 2 | ops: 3\n   | ^^^\n"
        "  help: give it another name",
    ),
    "YAML": ({"copier__yml": "team: x\nyear: [\n"}, "error: {folder}/copier.yml:3:1: "),
    "a required answer": (
        {"copier__yml": "team: {type: str}\n"},
        "error: the template {name} asks team, and it has no default\n  help: answer it: --answer team=VALUE",
    ),
    "a header that goes on": (
        {"SOURCE_HEADER": "first \\\nsecond\n"},
        "error: a line of SOURCE_HEADER ends with a backslash, which continues a C++ comment on the next line\n",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said_with_its_place(wrong: str, tmp_path: Path, spec: Spec, rendered: FileSet) -> None:
    files, message = WRONG[wrong]
    folder = make(tmp_path / "acme", **files)
    template = of(folder)
    with pytest.raises(TemplateError) as caught:
        lay(rendered, derive(spec), template, {})
    assert caught.value.render().startswith(message.format(folder=folder, name=template.name)), caught.value.render()


def test_the_place_is_the_template_s_also_where_a_copy_was_rendered(
    tmp_path: Path, spec: Spec, rendered: FileSet
) -> None:
    folder = make(tmp_path / "acme", a__md="{{ nothing }}")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)  # copier would take its last commit
    with pytest.raises(TemplateError) as caught:
        lay(rendered, derive(spec), of(folder), {})
    assert caught.value.render().startswith(f"error: {folder}/a.md:1:4: 'nothing' is undefined\n")


def test_an_answer_to_no_question_gets_a_suggestion(spec: Spec, rendered: FileSet) -> None:
    with pytest.raises(TemplateError) as caught:
        lay(rendered, derive(spec), of(ACME), {"yer": "2026"})
    assert caught.value.render() == "error: the template has no question yer\n  help: did you mean year?"


# Git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = make(tmp_path / "remote", a__md="one {{ project }}\n")
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "one"], ["tag", "v1"]):
        git(folder, *command)
    (folder / "a.md").write_text("two\n")
    git(folder, "commit", "-q", "-a", "-m", "two")
    return folder


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_a_git_template_is_fetched_once_for_each_commit(repository: Path, tmp_path: Path, spec: Spec) -> None:
    fetch = git_fetch(tmp_path / "cache", os.environ, Runner(), [].append)
    address = f"file://{repository}"
    newest = choose(address, tmp_path / "p", fetch, tmp_path)
    assert newest == TemplateRecord(address, "git", git(repository, "rev-parse", "HEAD"))
    old = choose(f"{address}@v1", tmp_path / "p", fetch, tmp_path)
    assert old.ref == git(repository, "rev-parse", "v1")
    made = render_for(derive(spec), tmp_path / "p", old, fetch)
    assert text(made.files, "a.md") == "one checked_elementwise\n"
    assert not list((tmp_path / "cache").rglob(".git"))
    assert sorted(path.name for path in (tmp_path / "cache/templates").glob("*/*") if path.is_dir()) == sorted(
        {newest.ref, old.ref}
    )
    shutil.rmtree(repository)
    assert text(render_for(derive(spec), tmp_path / "p", newest, fetch, newest=False).files, "a.md") == "two\n"
    with pytest.raises(TemplateError) as caught:
        render_for(derive(spec), tmp_path / "p", newest, fetch)
    assert caught.value.what.startswith(f"the template {address} cannot be fetched: git exited with status 128")


def test_a_damaged_template_is_fetched_again(repository: Path, tmp_path: Path, spec: Spec) -> None:
    notes: list[str] = []
    fetch = git_fetch(tmp_path / "cache", os.environ, Runner(), notes.append)
    record = choose(f"file://{repository}", tmp_path / "p", fetch, tmp_path)
    (kept,) = (tmp_path / "cache" / "templates").glob("*/*/a.md")
    kept.write_text("four\n")
    assert text(render_for(derive(spec), tmp_path / "p", record, fetch, newest=False).files, "a.md") == "two\n"
    assert notes == [f"{kept.parent} is not as it was fetched: the template was fetched again"]


def test_a_cache_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    fetch = git_fetch(tmp_path / "cache", os.environ, Runner(), [].append)
    with pytest.raises(TemplateError) as caught:
        choose("https://example.invalid/a.git", tmp_path / "p", fetch, tmp_path)
    assert caught.value.what == f"cannot write to {tmp_path / 'cache/templates'}: Not a directory"
    assert caught.value.hint == "choose a cache folder of your own with OPFORGE_CACHE"


def test_a_branch_moves_and_its_project_follows(repository: Path, tmp_path: Path, spec: Spec) -> None:
    fetch = git_fetch(tmp_path / "cache", os.environ, Runner(), [].append)
    record = choose(f"file://{repository}@main", tmp_path / "p", fetch, tmp_path)
    (repository / "a.md").write_text("three\n")
    git(repository, "commit", "-q", "-a", "-m", "three")
    assert text(render_for(derive(spec), tmp_path / "p", record, fetch, newest=False).files, "a.md") == "two\n"
    now = render_for(derive(spec), tmp_path / "p", record, fetch)
    assert text(now.files, "a.md") == "three\n"
    assert now.template.ref == git(repository, "rev-parse", "HEAD")


def test_hooks_of_the_user_s_git_configuration_do_not_run(repository: Path, tmp_path: Path) -> None:
    hooks, marker = tmp_path / "hooks", tmp_path / "ran"
    hooks.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (hooks / "post-checkout").chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\thooksPath = {hooks}\n")
    fetch = git_fetch(tmp_path / "cache", {**os.environ, "GIT_CONFIG_GLOBAL": str(config)}, Runner(), [].append)
    choose(f"file://{repository}", tmp_path / "p", fetch, tmp_path)
    assert not marker.exists()


# Again


def test_a_template_that_is_gone_is_named(tmp_path: Path, spec: Spec) -> None:
    record = TemplateRecord("acme", "repository", "0")
    with pytest.raises(TemplateError, match="made from the template acme, which no longer exists"):
        render_for(derive(spec), tmp_path / "p", record, no_fetch)


def test_a_path_is_kept_relative_to_the_project(tmp_path: Path, spec: Spec) -> None:
    make(tmp_path / "shared/acme", a="x")
    record = choose("shared/acme", tmp_path / "ops/add", no_fetch, tmp_path)
    assert (record.name, record.source) == ("../../shared/acme", "path")
    assert PurePosixPath("a") in render_for(derive(spec), tmp_path / "ops/add", record, no_fetch).files.files


def test_further_answers_win(tmp_path: Path, spec: Spec) -> None:
    record = choose(str(ACME), tmp_path / "p", no_fetch, tmp_path)
    first = render_for(
        derive(spec), tmp_path / "p", with_answers(record, {"team": "a", "year": "2020"}), no_fetch
    ).template
    assert first.answers == {"team": "a", "year": 2020, "with_ci": True}
    second = render_for(derive(spec), tmp_path / "p", with_answers(first, {"team": "b"}), no_fetch).template
    assert second.answers == {"team": "b", "year": 2020, "with_ci": True}


# opforge's own


@pytest.mark.parametrize("kind", ["elementwise", "products", "handwritten", "several"])
def test_copier_and_opforge_fill_the_built_in_template_with_the_same_bytes(kind: str, tmp_path: Path) -> None:
    spec = sample(kind)
    ours = render_project(derive(spec))
    copy = shutil.copytree(templates_root() / "project", tmp_path / "project")
    laid = lay(ours, derive(spec), of(copy), {})
    names = {str(file.path) for file in ours if file.origin.startswith("project/")}
    assert names == {path.name for path in copy.iterdir()} - {"copier.yml"}
    assert laid.files == ours  # a file of the same text stays opforge's
    other = lay(FileSet(), derive(spec), of(copy), {}).files
    assert {str(file.path): file.text for file in other} == {name: text(ours, name) for name in names}


def test_opforge_s_own_costs_no_copier(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from opforge.build.rendering import render_for
from opforge.doctor.template_check import sample
from opforge.kinds import derive
from opforge.scaffold.lock import BUILT_IN
made = render_for(derive(sample("elementwise")), Path({str(tmp_path)!r}), BUILT_IN, None)
assert made.template == BUILT_IN and len(made.files) > 20
assert not {{"copier", "pydantic", "plumbum"}} & {{name.partition(".")[0] for name in sys.modules}}
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_record_without_a_template_is_opforge_s_own(spec: Spec, rendered: FileSet, tmp_path: Path) -> None:
    assert choose("project", tmp_path / "p", no_fetch, tmp_path) == BUILT_IN
    assert render_for(derive(spec), tmp_path / "p", BUILT_IN, no_fetch) == Rendered(rendered, BUILT_IN)


def test_every_variable_is_in_the_documentation(spec: Spec) -> None:
    page = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
    context = template_context(derive(spec))
    parts = [context, context.ops[0], context.ops[0].inputs[0], context.ops[0].rows[0]]
    attr = template_context(derive(sample("several"))).ops[0].attrs[0]
    names = {field.name for part in (*parts, attr) for field in dataclasses.fields(part)}
    assert {name for name in names if f"`{name}`" not in page} == set()
