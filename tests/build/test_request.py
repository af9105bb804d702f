"""Where the cache lies: a folder that only the user may write to, whatever the environment lacks."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from opforge.build.request import cache_folder
from opforge.errors import EnvironmentProblem


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"OPFORGE_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/opforge"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/c"}, "/c/.cache/opforge"),
        ({"HOME": "/c"}, "/c/.cache/opforge"),
    ],
)
def test_the_first_that_is_set(environ: dict[str, str], folder: str) -> None:
    assert cache_folder(environ) == Path(folder)


@pytest.mark.parametrize("name", ["OPFORGE_CACHE", "HOME"])
def test_a_relative_folder_is_one_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cache_folder({name: "here"}).is_relative_to(tmp_path / "here")


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}])
def test_without_home_it_is_the_users(environ: dict[str, str]) -> None:
    assert cache_folder(environ) == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "opforge"


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    with pytest.raises(EnvironmentProblem) as refused:
        cache_folder({})
    assert refused.value.render() == (
        "error: HOME is not set, and user 54321 has no home folder: opforge has no place for its cache\n"
        "  help: export OPFORGE_CACHE=<a folder that only you may write to>"
    )
