"""GNU make as a build drives it: what an outer make leaves, other makes, none, and several errors at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from workshop import Workshop

from opforge.build.make import clean_environment
from opforge.build.pipeline import build
from opforge.build.request import BuildRequest
from opforge.errors import OpforgeError
from opforge.toolkit.process import find_program

pytestmark = pytest.mark.compiler


def test_nothing_of_an_outer_make_or_of_canns_own_build_stays() -> None:
    outer = {
        "MAKEFLAGS": "n",
        "MFLAGS": "-n",
        "MAKELEVEL": "2",
        "MAKEFILES": "/x",
        "GNUMAKEFLAGS": "-i",
        "VERBOSE": "1",
    }
    orders = {"OPS_ACLNN_GEN": "0", "BUILD_BUILTIN_OPP": "1", "ENABLE_SOURCE_PACKAGE": "False", "DESTDIR": "/x"}
    kept = {"PATH": "/usr/bin", "CPATH": "/include", "ASCEND_SLOG_PRINT_TO_STDOUT": "0"}
    assert clean_environment({**outer, **orders, **kept, "LC_ALL": "zh_CN.UTF-8"}) == {
        **kept,
        "LC_ALL": "C",
        "ASCEND_GLOBAL_LOG_LEVEL": "3",
    }


def test_a_build_below_make_that_only_prints_or_ignores_errors(project: Path, workshop: Workshop) -> None:
    """MAKEFLAGS of `make -n`, with which nothing would be built, and of `make -i`, with which nothing would fail."""
    environ = {**workshop.environ, "MAKEFLAGS": "n --jobserver-auth=23,24", "MAKELEVEL": "1", "VERBOSE": "1"}
    built = build(workshop.request(project, environ=environ))
    assert built.run_package.is_file()
    assert "jobserver" not in (project / "build" / "logs" / "operators.log").read_text()
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("BROKEN\n")
    environ["MAKEFLAGS"] = "ki"
    with pytest.raises(OpforgeError, match="op_host or op_kernel did not build") as caught:
        build(workshop.request(project, environ=environ))
    assert caught.value.detail == "op_kernel/tiny_copy.cpp:1:1: error: BROKEN"


@pytest.fixture
def machine(project: Path, workshop: Workshop, tmp_path: Path) -> Callable[[str | None], BuildRequest]:
    """Requests of a machine on which make is a script; with None there is none."""

    def request(script: str | None) -> BuildRequest:
        programs = tmp_path / "bin"
        programs.mkdir()
        for name in ("env", "python3", "g++", "cmake", "bash", "sh", "uname", "ld", "as"):
            found = find_program(name, workshop.environ["PATH"])
            if found is not None:
                (programs / name).symlink_to(found)
        if script is not None:
            (programs / "make").write_text(f"#!/bin/sh\n{script}\n")
            (programs / "make").chmod(0o755)
        return workshop.request(project, environ={**workshop.environ, "PATH": str(programs)})

    return request


@pytest.mark.parametrize(
    ("script", "text", "hint"),
    [
        (None, "there is no make", "install GNU make (Debian, Ubuntu: apt install make)"),
        ("echo bmake 20220604", "/bin/make is not GNU make 3.81 or later", "put GNU make on PATH"),
        ("echo GNU Make 3.80", "/bin/make is not GNU make 3.81 or later", "put GNU make on PATH"),
    ],
    ids=["none", "another", "old"],
)
def test_without_gnu_make(
    machine: Callable[[str | None], BuildRequest], script: str | None, text: str, hint: str
) -> None:  # fmt: skip
    with pytest.raises(OpforgeError) as caught:
        build(machine(script))
    assert text in caught.value.what
    assert hint in (caught.value.hint or "")


def test_a_make_without_groups(project: Path, workshop: Workshop, tmp_path: Path) -> None:
    """GNU make 3.82 knows no --output-sync."""
    real = find_program("make", workshop.environ["PATH"])
    environ = dict(workshop.environ)
    old = tmp_path / "old"
    old.mkdir()
    (old / "make").write_text(
        '#!/bin/sh\ncase "$*" in --version) echo GNU Make 3.82; exit;; *output-sync*) exit 2;; esac\n'
        f'exec {real} "$@"\n'
    )
    (old / "make").chmod(0o755)
    environ["PATH"] = f"{old}:{environ['PATH']}"
    assert build(workshop.request(project, environ=environ)).run_package.is_file()
