"""Rules for every file: nothing is left for later, no registry is named, UTF-8; the README's two commands."""

from __future__ import annotations

import fnmatch
import re
import tokenize

import pytest

from opforge.scaffold.base_file import BASE_FILE
from tests.house_rules.repository import ROOT, show, text_of, tracked

# Spelled in two parts, so that this file may be searched as well.
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "raise NotImplemented" + "Error", "x" + "fail")))


def test_nothing_is_left_for_later() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        if path.relative_to(ROOT).parts[0] in ("src", "tests", "templates", "examples", "benchmarks")
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not findings, show(findings)


def test_pytest_goes_into_every_folder_of_tests(pytestconfig: pytest.Config) -> None:
    """By default it leaves out folders with names such as `build`."""
    left_out = pytestconfig.getini("norecursedirs")
    tests = (path.relative_to(ROOT) for path in tracked() if path.match("test_*.py"))
    folders = {path.parent for path in tests if path.parts[0] == "tests"}
    assert len(folders) > 20
    findings = [str(f) for f in folders if any(fnmatch.fnmatch(part, out) for part in f.parts for out in left_out)]
    assert not findings, show(findings)


HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "deb" + "ian.org")
MACHINE = re.compile("|".join([r"(?<![\w.$}])/(?:work|root)/", *map(re.escape, HOSTS)]))


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if MACHINE.search(line) or str(ROOT) in line
    ]
    assert not findings, show(findings)


def test_sources_are_utf8_with_line_feeds() -> None:
    findings = []
    for path in tracked():
        data = path.read_bytes()
        if path.name == BASE_FILE.name or path.suffix == ".xz":
            continue  # of an example, and a recorded project: compressed texts
        if b"\0" in data[:1024]:
            findings.append(f"{path.relative_to(ROOT)}: a binary file")
        elif b"\r\n" in data:
            findings.append(f"{path.relative_to(ROOT)}: CRLF")
        elif path.suffix == ".py":
            with path.open("rb") as file:
                assert tokenize.detect_encoding(file.readline)[0] == "utf-8", path
    assert not findings, show(findings)


def test_the_readme_starts_with_the_two_commands() -> None:
    readme = text_of(ROOT / "README.md")
    assert 0 < readme.index("make demo") < readme.index("make test") < 2000


def test_continuous_integration_runs_the_readmes_command() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert text_of(script).startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in text_of(script)
    assert "make test-all" in text_of(script)
    makefile = text_of(ROOT / "Makefile")
    for target in ("demo", "test", "test-all", "lint", "setup"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
