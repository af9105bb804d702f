"""What a long build says while it runs."""

import threading
from pathlib import Path

import pytest

from opforge.toolkit.build_parts import parts_told

LINES = """\
-- Configuring done (0.5s)
[0/2] Re-checking globbed directories...
[1/9] Building CXX object host/CMakeFiles/a.dir/a.cpp.o
[2/9] Linking CXX shared library host/libexe_graph.so
[3/9] Building CXX object host/CMakeFiles/a.dir/b.cpp.o
[4/9] Linking CXX static library device/libsim_wire.a
[5/9] Building CXX object host/CMakeFiles/a.dir/c.cpp.o
[8/9] Linking CXX executable device/sim_device_worker
[9/9] Install the project...
[10/9] Linking CXX executable half"""
TOLD = [
    "    2 of 9 steps: libexe_graph.so is built",
    "    3 of 9 steps",
    "    5 of 9 steps",
    "    8 of 9 steps: sim_device_worker is built",
]


def test_each_part_and_each_quarter_is_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    log = tmp_path / "build.log"
    with parts_told(log, told.append):
        log.write_text(LINES)
    assert told == TOLD


def test_lines_come_while_the_build_runs(tmp_path: Path) -> None:
    came = threading.Event()
    log = tmp_path / "build.log"
    with parts_told(log, lambda _: came.set()):
        log.write_text(LINES)
        assert came.wait(20)


def test_a_failing_build_ends_the_reports(tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(ValueError, match="failed"), parts_told(tmp_path / "no.log", print):
        raise ValueError("failed")
    assert threading.active_count() == before
