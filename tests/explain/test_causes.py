"""The tables of causes and codes: each row is complete, and explains the real text that it carries."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from opforge.explain.cause import ROOT, SPECIFIC, SYMPTOM, Cause
from opforge.explain.causes.all_causes import CAUSES
from opforge.explain.codes.lookup import CODES, find_code, nearest_codes
from opforge.explain.local_checks import CHECKS, OWN_LOOK
from opforge.explain.matching import CodeMatch, Match, explain
from tests.house_rules.repository import ROOT as REPOSITORY

# Examples that show a second cause: their own one must come first.
ALSO: dict[str, set[str]] = {}


def keys(text: str) -> list[str]:
    return [match.cause.key for match in explain(text) if isinstance(match, Match)]


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.key)
def test_a_cause_explains_its_example_and_no_other_does(cause: Cause) -> None:
    first, *others = keys(cause.example)
    assert first == cause.key
    assert set(others) == ALSO.get(cause.key, set())


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.key)
def test_a_row_is_complete(cause: Cause) -> None:
    assert cause.rank in (ROOT, SPECIFIC, SYMPTOM)
    assert bool(cause.check) != bool(cause.look), "a check by opforge, or one by hand"
    if cause.check:
        assert cause.check[0] in CHECKS
    assert cause.needs in cause.example
    assert re.fullmatch(r"https://\S+", cause.source)
    assert cause.cause.endswith(".")
    assert 1 <= len(re.findall(r"[.:;](?: |$)", cause.cause)) <= 5
    assert len(cause.title) <= 110
    match = next(match for match in explain(cause.example) if isinstance(match, Match))
    filled = match.cause
    for text in (filled.title, filled.cause, filled.fix, filled.look, *filled.check):
        assert not re.search(r"\{\d\}", text), text


def test_keys_are_unique() -> None:
    counts = Counter(cause.key for cause in CAUSES)
    assert not [key for key, count in counts.items() if count > 1]


def test_every_check_has_a_way_by_hand() -> None:
    assert set(CHECKS) == set(OWN_LOOK)


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.number)
def test_a_code_is_complete(code) -> None:
    assert code.cause.endswith(".")
    assert code.fix
    assert find_code(code.number) == code
    if code.check:
        assert code.check[0] in CHECKS


def test_codes_are_found_by_name_and_in_any_case() -> None:
    assert find_code("acl_error_rt_aicore_exception") == CODES["507015"]
    assert find_code("ez9999") == CODES["EZ9999"]
    assert "507015" in [code.number for code in nearest_codes("50715")]


def test_an_unknown_code_of_a_family_says_the_family() -> None:
    found = find_code("EZ4711")
    assert found is not None
    assert "operators (aclnn)" in found.name
    assert find_code("999999") is None
    assert find_code("HELLO") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("NPU function error: c10_npu::SetDevice(device_id_), error code is 507033", "507033"),
        ("aclnnXxxGetWorkspaceSize failed with aclnnStatus=561103", "561103"),
        ("launch failed for Pack, errno:561000.", "561000"),
        ("synchronized memcpy failed, kind = 2, runtime result = 107030[FUNC:ReportCallError]", "107030"),
        ("rtSetDevice:ErrCode=107001, desc=[device id error]", "107001"),
        ("aclrtSynchronizeStream(stream) failed: 507035 (main.cpp:122)", "507035"),
        ("EJ0003: [PID: 159] Failed to bind", "EJ0003"),
        ("Invalid_Argument(EE1001): The argument is invalid.", "EE1001"),
    ],
)
def test_a_code_in_a_line(text: str, number: str) -> None:
    found = [match.code.number for match in explain(text) if isinstance(match, CodeMatch)]
    assert number in found or keys(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "everything is fine",
        "copied 507015 bytes in 161002 us",
        "loss 0.561103 at step 207008, 0 failed, 561 passed",
        "E0507 and W1234 are not codes of CANN, nor are ABCDEZ99990 and 0xEE1001FF",
        "warning: unused variable 'EventId' [-Wunused-variable]",
        "I cannot open the pod bay doors",
        "-- Found ASC: /usr/local/Ascend/cann/lib64/cmake/ASC/ASCConfig.cmake (found version 8.5.0)",
        "ruff: E50123 is not a rule; EX1234: nor is this; part EC2001 is out of stock",
    ],
)
def test_nonsense_is_not_explained(text: str) -> None:
    assert explain(text) == []


def test_a_successful_build_is_not_explained() -> None:
    log = Path(__file__).parent / "logs" / "build_vector_add.log"
    assert explain(log.read_text(encoding="utf-8")) == []


def test_there_are_enough_causes() -> None:
    assert len(CAUSES) >= 80


def test_several_libraries_are_shown_and_each_once() -> None:
    text = "\n".join(f"{name}.so: cannot open shared object file" for name in ("liba", "libb", "liba", "libc", "libd"))
    found = [match.cause.title for match in explain(text) if isinstance(match, Match)]
    assert found == [f"The loader does not find lib{name}.so" for name in "abc"]


def test_the_repositorys_own_pages_of_successful_builds_are_not_explained() -> None:
    for name in ("docs/project_life.md", "docs/write_a_kernel.md", "examples/demo.sh"):
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        assert keys(text) == [], name
