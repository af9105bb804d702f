"""The acl headers: each stands alone, in C and in C++11, as CANN's do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiler

INCLUDE = Path(__file__).parents[3] / "src" / "opforge" / "simulator" / "device" / "include"
HEADERS = sorted(str(header.relative_to(INCLUDE)) for header in INCLUDE.rglob("*.h"))


@pytest.mark.parametrize(("compiler", "standard", "language"), [("gcc", "c99", "c"), ("g++", "c++11", "c++")])
def test_each_header_stands_alone_and_twice(compiler: str, standard: str, language: str) -> None:
    assert "acl/acl.h" in HEADERS
    for header in HEADERS:
        done = subprocess.run(
            [
                compiler,
                f"-std={standard}",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
                "-I",
                INCLUDE,
                "-x",
                language,
                "-",
            ],
            input=f'#include "{header}"\n#include "{header}"\n',
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{header}: {done.stderr}"
