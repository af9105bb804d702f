"""Whatever the simulator refuses, a test of the simulator provokes and compares with the whole message."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from refusals import Sentence, expected, open_rules, page_of_rules, rules, sentences

from opforge.spec.device_rules import DEVICE_RULES, OPEN_RULES

# Files that write code, and literals that are no message.
NO_MESSAGES = re.compile(
    r"host/op_build/\w+_writer\.cpp|host/include/log/log\.h|host/register/tiling_data\.cpp|host/platform/alias\.cpp"
    r"|kernel/engine/launch/fiber\.cpp|host/nnopbase/host_functions\.cpp: op_host stderr"
    r"|tools/asc_opc/asc_opc: (\s*acos|extern|#include|# 1|case|switch|if \(key|uint32_t|\(too|\\b|undefined reference"
    r"|Compiles one|implementation file with|the kernel function|the parameter file|full SoC name|folder of"
    r"|where to write)"
)

# What only a machine that fails, or a broken simulator, makes it say.
NOT_PROVOKED = {
    "the simulator itself failed": "out of memory inside the engine",
    "an earlier transfer": "stands in for a call that is longer ago than the engine remembers",
    "an earlier instruction": "stands in for a call that is longer ago than the engine remembers",
    "exited with status": "a compiler that fails without a word",
    "no memory for simulated device": "memfd_create or mmap fails",
    "the address window of simulated device…bytes at 0x…) is not free…a smaller OPFORGE_SIM_MEMORY may fit":
        "another mapping at the fixed address",
    "the worker of simulated device…does not stay alive": "the worker dies again and again between two launches",
    "no connection to the worker of simulated device": "socketpair fails",
    "cannot find its own place (/proc/self/exe)": "no /proc",
    "cannot map the device's memory at its address": "another mapping at the fixed address, in the worker",
    "no memory for its device code": "memfd_create fails",
    "the stream…is not captured": "another thread ends the capture between two calls of nnopbase",
    "has no device code": "an object of bisheng's whose kernels are another's",
    "a message from the host is cut": "the host dies while it writes",
    "no room for a whole line": "a disk that is full in the middle of a line of $OPFORGE_SIM_PROFILE",
}  # fmt: skip


@pytest.fixture(scope="module")
def said() -> list[Sentence]:
    devices = "\x02".join(text for rule in rules() for text in (rule.does, rule.source))  # docs/rules.md has them
    return [
        s
        for s in sentences()
        if not NO_MESSAGES.match(f"{s.file}: {s.text}") and not NO_MESSAGES.fullmatch(s.file) and s.text not in devices
    ]


def test_every_message_stands_in_a_test(said: list[Sentence]) -> None:
    strings = "\x02".join(expected())
    missing = [f"{s.file}:{s.line}: {s.text}" for s in said if s.text not in NOT_PROVOKED and not s.found_in(strings)]
    assert not missing, "no test of the simulator expects\n" + "\n".join(missing)


def test_what_is_not_provoked_is_still_said(said: list[Sentence]) -> None:
    assert set(NOT_PROVOKED) <= {s.text for s in said}


def test_every_rule_stands_in_a_test_with_its_page() -> None:
    strings = "\x02".join(expected())
    assert len(rules()) > 250
    missing = [f"{rule.text} [{rule.page}]" for rule in rules() if not rule.found_in(strings)]
    assert not missing, "no test expects\n" + "\n".join(missing)


def test_the_collector_sees_what_is_missing() -> None:
    """The proof is worth what it can find: a sentence that no test knows is not found."""
    strings = "\x02".join(expected())
    assert not Sentence("x.cpp", 1, ("this sentence {} nowhere".format("stands"),)).found_in(strings)
    assert Sentence("x.cpp", 1, ("freed, and its buffer has been allocated again at",)).found_in(strings)


def test_every_rule_has_a_short_name() -> None:
    assert not [rule for rule in rules() if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id) or not rule.page]


def test_what_a_project_may_allow_is_what_the_engine_asks_for() -> None:
    found = open_rules()
    assert {rule.id for rule in found} == set(OPEN_RULES)
    assert {rule.id for rule in found if rule.source} == set(DEVICE_RULES)
    assert not [rule for rule in found if bool(rule.does) != bool(rule.source)]
    assert not [rule for rule in found if rule.source and not re.search(r"\d", rule.source)], "a source has a version"


def test_the_page_of_rules(golden_page: Callable[[str], None]) -> None:
    golden_page(page_of_rules())


@pytest.fixture
def golden_page(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """docs/rules.md; ``--update-golden`` writes it."""
    page = Path(__file__).parents[2] / "docs" / "rules.md"

    def check(text: str) -> None:
        if request.config.getoption("--update-golden"):
            page.write_text(text, encoding="utf-8")
        assert page.read_text(encoding="utf-8") == text, "docs/rules.md is not what the sources say: --update-golden"

    return check
