"""Templates with links that lead out, files that never end, and loops that never end."""

import os
import sys
import time
from pathlib import Path

import pytest

from opforge.build.rendering import choose, render_for
from opforge.doctor.template_check import sample
from opforge.errors import TemplateError
from opforge.kinds import derive
from opforge.render.forms import templates_root
from opforge.scaffold import template_render
from opforge.scaffold.template_source import Fetched, Template, find_template


def no_fetch(address: str, ref: str | None) -> Fetched:
    raise AssertionError(f"fetched {address} {ref}")


def make(folder: Path, **files: str) -> Path:
    """A template of these files; ``__`` in a name is a dot."""
    folder.mkdir()
    for name, text in {"copier__yml": '_templates_suffix: ""\n', **files}.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


def of(folder: Path) -> Template:
    return find_template(f"{folder}/", folder.parent / "project", templates_root(), no_fetch)


def refusal(folder: Path) -> str:
    with pytest.raises(TemplateError) as caught:
        of(folder)
    return caught.value.render()


@pytest.mark.parametrize("target", ["/etc/passwd", "/etc", "../elsewhere"])
def test_links_that_lead_out(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = make(tmp_path / "acme", README__md="x")
    (folder / "docs").symlink_to(target)
    real = os.path.realpath(folder / target)
    assert refusal(folder) == (
        f"error: {folder / 'docs'} is a link that leads out of the template, to {real}\n  help: replace it by a copy"
    )


def test_links_inside_are_fine(tmp_path: Path) -> None:
    folder = make(tmp_path / "acme", README__md="x")
    (folder / "OTHER.md").symlink_to("README.md")
    assert of(folder).folder == folder


def test_what_is_no_file(tmp_path: Path) -> None:
    folder = make(tmp_path / "acme")
    os.mkfifo(folder / "NOTES.md")
    assert refusal(folder) == (
        f"error: {folder / 'NOTES.md'} is a FIFO, not a file\n  help: remove it from the template"
    )
    (folder / "NOTES.md").unlink()
    (folder / "NOTES.md").symlink_to("missing")
    assert refusal(folder).startswith(f"error: {folder / 'NOTES.md'} cannot be read: No such file or directory")


LOOP = """\
fine
{% for a in range(99999) %}{% for b in range(99999) %}{% if a < b %}{% endif %}{% endfor %}{% endfor %}
"""


def test_a_loop_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_render, "_SECONDS", 2.0)  # a slow machine has begun the loop by then
    folder = make(tmp_path / "acme", NOTES__md=LOOP)
    before = time.process_time()
    assert problem(folder) == (
        f"error: {folder / 'NOTES.md'}:2:1: rendering takes more than 2 s of processor time\n"
        "  help: a loop runs too long, here or in a called macro"
    )
    assert time.process_time() - before < 10


def test_an_end_that_python_drops_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first signal comes while an object is destroyed, Python prints what is raised, and goes on."""
    dropped: list[object] = []

    class Burning:
        def __del__(self) -> None:
            start = time.process_time()
            while time.process_time() - start < 20:  # the signal ends it; its clock is slower on a busy machine
                sum(range(10_000))

    def render() -> None:
        with template_render._limited():
            Burning()
            assert dropped == [TemplateError]
            while True:
                pass

    monkeypatch.setattr(sys, "unraisablehook", lambda told: dropped.append(told.exc_type))
    monkeypatch.setattr(template_render, "_SECONDS", 0.2)
    with pytest.raises(TemplateError, match=r"more than 0\.2 s"):
        render()


def test_a_template_that_renders_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_render, "_LARGEST", 2**20)
    folder = make(tmp_path / "acme", NOTES__md="{% for a in range(9999) %}" + "x" * 200 + "{% endfor %}")
    assert problem(folder) == (
        "error: the template ../acme renders more than 1 MiB, at NOTES.md\n  help: check its loops"
    )


def problem(folder: Path) -> str:
    record = choose(f"{folder}/", folder.parent / "project", no_fetch, folder.parent)
    with pytest.raises(TemplateError) as caught:
        render_for(derive(sample("elementwise")), folder.parent / "project", record, no_fetch)
    return caught.value.render()
