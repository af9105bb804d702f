"""When ``import torch`` leaves torch_npu alone: without an activated toolkit, and only if the user has not decided."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from _opforge_autoload import settle, undo

ROOT = Path(__file__).parents[1]
OFF = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OPFORGE_NO_AUTOLOAD": "1"}


@pytest.fixture
def cann(tmp_path: Path) -> Path:
    folder = tmp_path / "lib64"
    folder.mkdir()
    (folder / "libascendcl.so").touch()
    return folder


def settled(cache: str = "/nonexistent", **environ: str) -> dict[str, str]:
    settle(environ, cache)
    return environ


def test_without_a_toolkit_it_is_off() -> None:
    assert settled() == OFF
    assert settled(LD_LIBRARY_PATH=":/nonexistent") == {**OFF, "LD_LIBRARY_PATH": ":/nonexistent"}


@pytest.mark.parametrize("name", ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"])
def test_with_an_activated_toolkit_it_is_on(name: str) -> None:
    assert settled(**{name: "/cann"}) == {name: "/cann"}
    assert settled(**{name: "/cann"}, **OFF) == {name: "/cann"}  # the parent process had none
    assert settled(**{name: ""}) == {**OFF, name: ""}


def test_the_library_is_found_as_the_loader_finds_it(cann: Path, tmp_path: Path) -> None:
    path = {"LD_LIBRARY_PATH": f"/nonexistent:{cann}"}
    assert settled(**path) == path
    cache = tmp_path / "ld.so.cache"
    cache.write_bytes(b"\0libc.so.6\0libascendcl.so\0")
    assert settled(str(cache)) == {}
    cache.write_bytes(b"\0libc.so.6\0")
    assert settled(str(cache)) == OFF


@pytest.mark.parametrize("value", ["0", "1"])
def test_what_the_user_has_set_stays(value: str) -> None:
    own = {"TORCH_DEVICE_BACKEND_AUTOLOAD": value}
    assert settled(**own) == own
    assert settled(**own, ASCEND_HOME_PATH="/cann") == {**own, "ASCEND_HOME_PATH": "/cann"}
    undo(own)
    assert own == {"TORCH_DEVICE_BACKEND_AUTOLOAD": value}


def test_opforge_passes_nothing_of_it_on() -> None:
    environ = {**os.environ, **OFF, "PYTHONPATH": str(ROOT / "src")}
    code = (
        "import os, sys, opforge.__main__ as m, opforge.cli.main as cli\n"
        f"cli.run = lambda words: sys.exit(str(sorted(os.environ.keys() & {set(OFF)!r})))\n"
        "m.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n"


def test_the_line_for_site_packages_runs(tmp_path: Path) -> None:
    """As Python does at its start, of the files that the wheel has at its top."""
    (tmp_path / "zzz_opforge_autoload.pth").write_bytes((ROOT / "packaging" / "zzz_opforge_autoload.pth").read_bytes())
    (tmp_path / "_opforge_autoload.py").write_bytes((ROOT / "src" / "_opforge_autoload.py").read_bytes())
    code = f"import site, os; site.addsitedir({str(tmp_path)!r}); print(os.environ.get('OPFORGE_NO_AUTOLOAD'))"
    shown = {}
    for home in ("", "/cann"):
        environ = {"ASCEND_HOME_PATH": home, "PATH": os.environ["PATH"]}
        shown[home] = subprocess.run(
            [sys.executable, "-S", "-c", code], env=environ, capture_output=True, text=True, check=True
        )
    assert {home: done.stdout for home, done in shown.items()} == {"": "1\n", "/cann": "None\n"}
    assert all(done.stderr == "" for done in shown.values())
    included = (ROOT / "pyproject.toml").read_text()
    for line in (
        '"src/_opforge_autoload.py" = "_opforge_autoload.py"',
        '"packaging/zzz_opforge_autoload.pth" = "zzz_opforge_autoload.pth"',
    ):
        assert f"\n{line}\n" in included


def fails(tmp_path: Path, code: str) -> tuple[str, str]:
    """What Python prints for a program with an uncaught error, and what it leaves in the file."""
    texts = tmp_path / "texts"
    program = f"import _opforge_autoload; _opforge_autoload.settle(); {code}"
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPFORGE_FAILED_TEXTS": str(texts)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], env=environ, capture_output=True, text=True, check=False
    )
    return done.stderr, texts.read_text() if texts.exists() else ""


def test_uncaught_errors_are_kept_for_opforge_run(tmp_path: Path) -> None:
    printed, kept = fails(tmp_path, "raise ValueError('no such tile')")
    assert printed == kept
    assert kept.endswith("ValueError: no such tile\n")


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "raise KeyboardInterrupt", "print('all is well')"])
def test_other_ends_are_not(code: str, tmp_path: Path) -> None:
    assert fails(tmp_path, code)[1] == ""


def test_a_file_that_is_gone_is_no_matter(tmp_path: Path) -> None:
    printed, _ = fails(tmp_path / "gone", "raise ValueError('no such tile')")
    assert printed.endswith("ValueError: no such tile\n")
    assert "OSError" not in printed
