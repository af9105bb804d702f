"""$OPFORGE_SIM_PROFILE: one line for each launch that ended, from all devices and processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.toolkit.device_reports import read_device_reports
from opforge.toolkit.device_warnings import read_warnings

pytestmark = pytest.mark.compiler

LAUNCHES = """
    start()
    x, z = two_buffers(3)
    for _ in range(20):
        assert launch(f"{ROOT}/add_one.o", x, z, 3, op_type='AddOne') == (0, "")
"""
CAPACITY = {"UB": 196608, "L1": 524288, "L0A": 65536, "L0B": 65536, "L0C": 131072}
BUSY = {"S": 13, "V": 14, "MTE1": 15, "MTE2": 16, "MTE3": 17, "M": 18, "FIX": 19}
# What engine_double.cpp says it has counted.
CORE = {"kind": "aiv", "block": 0, "sub": 0, "gm_read": 12, "gm_written": 12, "vector_elements": 5, "macs": 6}


def test_a_line_says_what_the_engine_counted(device_run, tmp_path: Path) -> None:
    profile = tmp_path / "a name.jsonl"
    profile.write_text("{}\n")
    assert device_run(LAUNCHES, OPFORGE_SIM_PROFILE=str(profile)).returncode == 0
    first, *lines = profile.read_text().splitlines()
    assert first == "{}", "the file is added to"
    assert len(lines) == 20
    for line in lines:
        assert json.loads(line) == {
            "schema": 2,
            "op": "AddOne",
            "soc": "Ascend910B1",
            "block_dim": 1,
            "tiling_key": 0,
            "gm": {"read": 12, "written": 12, "read_once": 27, "written_once": 28},
            "cores": [{**CORE, "instructions": 7, "crossed": 21, "bypassed": 22, "span": 20, "busy": BUSY}],
            "peak": {"UB": 8, "L1": 9, "L0A": 10, "L0B": 11, "L0C": 12},
            "capacity": CAPACITY,
        }


def test_a_launch_that_failed_has_no_line(device_run, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    done = device_run(
        """
        start()
        x, z = two_buffers(3)
        assert launch(f"{ROOT}/add_one.o", x, z, 3, tiling_key=13)[0] == 507035
        assert launch(f"{ROOT}/abort.o", x, z, 3)[0] == 507035
        assert launch(f"{ROOT}/add_one.o", x, z, 3, op_type='After "one"')[0] == 0
        """,
        OPFORGE_SIM_PROFILE=str(profile),
    )
    assert done.returncode == 0, done.stderr
    (line,) = profile.read_text().splitlines()
    assert json.loads(line)["op"] == "After ?one?"


def test_a_launch_that_was_refused_has_a_line_among_the_reports(device_run, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    done = device_run(
        """
        start()
        x, z = two_buffers(3)
        assert launch(f"{ROOT}/add_one.o", x, z, 3)[0] == 0
        assert launch(f"{ROOT}/add_one.o", x, z, 3, tiling_key=13)[0] == 507035
        """,
        OPFORGE_SIM_REPORT=str(reports),
    )
    assert done.returncode == 0, done.stderr
    (report,) = read_device_reports(reports)
    assert sorted(report) == ["op", "schema"]
    assert read_device_reports(tmp_path / "no launch") == []


def test_warnings_reach_stderr_once_and_the_file_at_once(device_run, tmp_path: Path) -> None:
    file = tmp_path / "warnings"
    done = device_run(
        """
        start()
        x, z = two_buffers(3)
        for _ in range(2):
            assert launch(f"{ROOT}/add_one.o", x, z, 3, tiling_key=14, op_type="One", rules=1)[0] == 0
        assert launch(f"{ROOT}/add_one.o", x, z, 3, tiling_key=15, op_type="Dead")[0] != 0
        """,
        OPFORGE_SIM_WARNINGS=str(file),
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert said == ["warning: One as on a device", "warning: Dead as documented"]
    warnings = read_warnings(file)
    assert [(w.fields["op"], w.times) for w in warnings] == [("One as on a device", 2), ("Dead as documented", 1)]
    assert read_warnings(tmp_path / "no launch") == ()


def test_lines_of_several_devices_do_not_mix(device_run, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    done = device_run(
        """
        import threading

        def work(device):
            start(device)
            x, z = two_buffers(3)
            for _ in range(50):
                assert launch(f"{ROOT}/add_one.o", x, z, 3, op_type=f"Device{device}") == (0, "")

        threads = [threading.Thread(target=work, args=(device,)) for device in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
        OPFORGE_SIM_PROFILE=str(profile),
        OPFORGE_SIM_DEVICES="3",
    )
    assert done.returncode == 0, done.stderr
    ops = [json.loads(line)["op"] for line in profile.read_text().splitlines()]
    assert sorted(ops) == [f"Device{device}" for device in range(3) for _ in range(50)]


def test_a_file_that_cannot_be_written_is_named(device_run, tmp_path: Path) -> None:
    missing = tmp_path / "no folder" / "profile"
    code = """
        start()
        x, z = two_buffers(3)
        print(*launch(f"{ROOT}/add_one.o", x, z, 3))
    """
    done = device_run(code, OPFORGE_SIM_PROFILE=str(missing))
    assert f"$OPFORGE_SIM_PROFILE: cannot open {missing}: No such file or directory" in done.stdout
    full = device_run(code, OPFORGE_SIM_PROFILE="/dev/full")
    assert "$OPFORGE_SIM_PROFILE: cannot write to /dev/full: No space left on device" in full.stdout
    assert device_run(code, OPFORGE_SIM_PROFILE="").stdout == "0 \n"
