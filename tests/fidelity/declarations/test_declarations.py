"""What our headers declare is what the public ones declare, as public/ has it; each difference has a reason.

``compare.py`` reads the public headers themselves and writes public/ anew.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("clang.cindex", reason="libclang, of the development dependencies")
sys.path.insert(0, str(Path(__file__).parent))

from compare import TABLE
from comparing import Difference, Read, differences, read, read_public, read_reasons, why
from kept_results import RESULTS
from parts import Part, assembled, parts

PARTS = {part.name: part for part in parts()}
SLOW = {"kernel_ascend310p"}  # the same headers once more
NAMES = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in PARTS]


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assembled(tmp_path_factory.mktemp("toolkit") / "include")


@cache
def ours(part: Part, root: Path) -> Read:
    return read(part.ours, root)


def found(name: str, root: Path) -> list[Difference]:
    return differences(ours(PARTS[name], root), read_public(name))


@pytest.mark.parametrize("name", NAMES)
def test_declarations_are_those_of_the_public_headers(name: str, include: Path) -> None:
    reasons = read_reasons()
    wrong = [each for each in found(name, include) if why(name, each, reasons) is None]
    shown = "\n".join(f"{each.file}: {each.name}\n    " + "\n    ".join(each.lines) for each in wrong)
    assert not wrong, f"declared otherwise (-: as the public headers, +: as ours):\n{shown}"


@pytest.mark.parametrize("name", NAMES)
def test_our_headers_are_read_without_an_error(name: str, include: Path) -> None:
    assert ours(PARTS[name], include).errors == ()


@pytest.mark.slow
def test_every_reason_is_needed(include: Path) -> None:
    every = [(name, each.name, line) for name in PARTS for each in found(name, include) for line in each.lines]
    unused = [reason.names.pattern for reason in read_reasons() if not any(reason.covers(*each) for each in every)]
    assert unused == []


def test_the_table_and_the_result_are_there() -> None:
    assert "No reason yet" not in TABLE.read_text(encoding="utf-8")
    result = json.loads((RESULTS / "declarations.json").read_text(encoding="utf-8"))
    assert [part["differ_without_a_reason"] for part in result["parts"].values()] == [0] * len(PARTS)


PLANTED = [  # what an author would write, in place of what stands there
    ("kernel_tensor.h", "Site::Here()) { Write(", "Site::Here()) const { Write(", "AscendC::GlobalTensor::SetValue"),
    ("kernel_operator_vec_duplicate_intf.h", "sim::Mask& mask", "sim::ConstMask& mask", "AscendC::Duplicate"),
    ("kernel_operator_mm_intf.h", "{ ENABLE, DISABLE }", "{ DISABLE, ENABLE }", "AscendC::HF32Mode::DISABLE"),
    ("kernel_type.h", "DEQF16 = 11", "DEQF16 = 3", "DEQF16"),
    ("kernel_operator_fixpipe_intf.h", "CFG_ROW_MAJOR, typename S", "CFG_NZ, typename S", "AscendC::Fixpipe"),
    ("kernel_operator_vec_binary_scalar_intf.h", "bool roundEn = false", "bool roundEn", "AscendC::ShiftRight"),
    ("adv/activation/softmaxflashv3.h", "splitMeanCnt = 8", "splitMeanCnt = 0", "AscendC::SoftMaxParams::splitMeanCnt"),
    ("kernel_type.h", "    uint16_t blockLen = 0;\n    union", "    union", "AscendC::DataCopyParams::blockLen"),
    ("kernel_tiling.h", "#define TILING_KEY_LIST(...)", "#define TILING_KEY_LIST(key, ...)", "#TILING_KEY_LIST"),
]  # fmt: skip


@pytest.mark.slow
def test_planted_mistakes_are_found(tmp_path: Path) -> None:
    """Each of PLANTED, all in one copy of the headers."""
    root = assembled(tmp_path / "include")
    for file, right, wrong, _ in PLANTED:
        path = root / "ascendc" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(right) >= 1, (file, right)
        path.write_text(text.replace(right, wrong), encoding="utf-8")
    reasons = read_reasons()
    part = "kernel_ascend910b"
    wrong_ones = {each.name for each in found(part, root) if why(part, each, reasons) is None}
    assert {name for *_, name in PLANTED} - {"AscendC::DataCopyParams::blockLen"} <= wrong_ones
    assert "AscendC::DataCopyParams::srcGap" in wrong_ones  # a field that lacks moves those behind it
