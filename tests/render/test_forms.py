"""The one environment of forms, and the cache of compiled ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from jinja2 import DictLoader, Environment

from opforge.errors import InternalError
from opforge.render import forms
from opforge.render.compiled_forms import CompiledForms
from opforge.render.forms import render_form, templates_root


@dataclass(frozen=True)
class Named:
    """A context with one field."""

    name: str


def test_a_form_that_does_not_exist():
    with pytest.raises(InternalError, match=r"^no form templates/code/none\.cpp$"):
        render_form("code/none.cpp", Named("x"))


def test_a_name_that_is_no_field(monkeypatch):
    environment = Environment(loader=DictLoader({"f": "{{ nmae }}"}), undefined=forms.StrictUndefined, autoescape=False)  # noqa: S701
    monkeypatch.setattr(forms, "environment", lambda: environment)
    with pytest.raises(InternalError, match=r"^form templates/f: 'nmae' is undefined, with Named$"):
        render_form("f", Named("x"))


def test_forms_are_found():
    assert (templates_root() / "code" / "ascendc" / "op_host" / "op_host.cpp").is_file()


def loaded(cache: CompiledForms, text: str) -> str:
    environment = Environment(loader=DictLoader({"f": text}), bytecode_cache=cache, autoescape=False)  # noqa: S701
    return environment.get_template("f").render(name="x")


def test_compiled_forms_are_kept_and_follow_the_text(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    cache = CompiledForms(tmp_path / "forms")
    assert loaded(cache, "a {{ name }}") == "a x"
    (kept,) = cache.folder.iterdir()
    with monkeypatch.context() as patched:
        patched.setattr(Environment, "compile", lambda *_args, **_kwargs: pytest.fail("compiled again"))
        assert loaded(cache, "a {{ name }}") == "a x"
    assert loaded(cache, "b {{ name }}") == "b x"
    kept.write_bytes(b"damaged")
    assert loaded(cache, "b {{ name }}") == "b x"


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    cache = CompiledForms(tmp_path / "file" / "forms")
    (tmp_path / "file").write_text("no folder")
    assert loaded(cache, "a {{ name }}") == "a x"
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert loaded(CompiledForms(tmp_path / "other"), "a {{ name }}") == "a x"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
