"""The worker runs kernels in a sandbox: what it refuses by name, what goes on in it, and how it is turned off."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from opforge.doctor.sandbox_check import without_sandbox

HERE = without_sandbox({})
pytestmark = [pytest.mark.compiler, pytest.mark.skipif(HERE is not None, reason=f"no sandbox: {HERE}")]

# What a kernel tries (kernels.cpp), by which system call, and what that names.
WAYS = {
    1: ("open a file for writing", "open", "escaped"),
    2: ("open a file for writing", "creat", "escaped"),
    3: ("open a file for writing", "open", "made.txt"),
    4: ("open a file for writing", "open", "made.txt"),
    5: ("change files", "unlink", "escaped"),
    6: ("change files", "rename", "escaped"),
    7: ("change files", "chmod", "escaped"),
    8: ("change files", "truncate", "escaped"),
    9: ("use the network", "socket", None),
    10: ("start a program", "execve", "/bin/true"),
    12: ("start a process", "clone", None),
    13: ("reach another process", "kill", None),
    14: ("control a device", "ioctl", None),
    15: ("have signals sent", "fcntl", None),
    17: ("change files", "symlink", "elsewhere"),
    18: ("change files", "mkdir", "escaped"),
    19: ("change the system", "chroot", "elsewhere"),
}
# libc has several for some, on different machines.
FAMILIES = {"open": {"open", "openat"}, "creat": {"creat", "openat"}, "clone": {"clone", "fork", "vfork"}}


def test_what_a_kernel_may_not_do_ends_it_with_a_message(device_run, tmp_path: Path) -> None:
    (tmp_path / "made.txt").write_text("as it was")
    done = device_run(f"""
        import json
        os.chdir({str(tmp_path)!r})
        start()
        for way in {list(WAYS)}:
            x, z = two_buffers(3)
            status, text = launch(f"{{ROOT}}/escape.o", x, z, way, op_type="Bad")
            print(json.dumps([way, status, text]), flush=True)
        assert launch(f"{{ROOT}}/add_one.o", x, z, 3) == (0, "")
    """)
    assert done.returncode == 0, done.stderr
    said = {way: (status, text) for way, status, text in map(json.loads, done.stdout.splitlines())}
    for way, (tried, call, path) in WAYS.items():
        status, text = said[way]
        assert status == 507035, way
        found = re.match(
            r"Bad: the kernel tried to (.+) \(system call (\w+)(?: of '(.+)')?\), which the sandbox ", text
        )
        assert found, text
        assert (found[1], found[3]) == (tried, path)
        assert found[2] in FAMILIES.get(call, {call, f"{call}at", f"f{call}at"})
        assert (
            "), which the sandbox of the simulated device refuses. A kernel computes with the memory that it is given, "
            "and prints. OPFORGE_SIM_SANDBOX=off runs kernels without the sandbox, with all your rights" in text
        )
        assert text.endswith("escape.o")
    assert [path.name for path in tmp_path.iterdir()] == ["made.txt"]
    assert (tmp_path / "made.txt").read_text() == "as it was"


def test_what_a_kernel_may_do_goes_on(device_run) -> None:
    done = device_run("""
        start()
        x, z = two_buffers(3)
        print(*launch(f"{ROOT}/escape.o", x, z, 100))
        (worker,) = workers()
        status = dict(line.split(":", 1) for line in open(f"/proc/{worker}/status"))
        print(status["Seccomp"].strip(), status["NoNewPrivs"].strip())
    """)
    assert done.returncode == 0, done.stderr
    counts = "reads 1 1, memory 1, threads 1, no io_uring 1"
    assert done.stdout == f"{counts}\nthe kernel ended\n0 \n2 1\n"


def test_a_program_is_not_started_behind_blocked_signals(device_run, tmp_path: Path) -> None:
    """libc blocks them around the start of a program: the sandbox's own signal ends the process then."""
    done = device_run(f"""
        os.chdir({str(tmp_path)!r})
        start()
        x, z = two_buffers(3)
        print(*launch(f"{{ROOT}}/escape.o", x, z, 11, op_type="Bad"))
    """)
    assert done.returncode == 0, done.stderr
    said = "the kernel tried what the sandbox of the simulated device refuses, most likely to start a program. A kernel"
    assert done.stdout.startswith(f"507035 Bad: {said}")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_is_no_memory_is_the_kernels_fault_all_the_same(device_run) -> None:
    done = device_run("""
        start()
        x, z = two_buffers(3)
        print(*launch(f"{ROOT}/escape.o", x, z, 16, op_type="Bad"))
        assert launch(f"{ROOT}/add_one.o", x, z, 3) == (0, "")
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("507035 Bad: the kernel crashed with SIGSEGV")


def test_it_can_be_turned_off(device_run, tmp_path: Path) -> None:
    code = f"""
        os.chdir({str(tmp_path)!r})
        start()
        x, z = two_buffers(3)
        print(*launch(f"{{ROOT}}/escape.o", x, z, 1))
    """
    done = device_run(code, OPFORGE_SIM_SANDBOX="off")
    assert done.stdout == "the kernel ended\n0 \n", done.stderr
    assert (tmp_path / "escaped").read_text() == "here"
    wrong = device_run(code, OPFORGE_SIM_SANDBOX="no")
    assert "$OPFORGE_SIM_SANDBOX is 'no'; expected on or off" in wrong.stdout + wrong.stderr


# A filter that lets this process and its children install none, as some containers have it: prctl(22) is EINVAL.
NO_FILTERS = """
    import ctypes, platform, struct
    prctl = {"x86_64": 157, "aarch64": 167}[platform.machine()]
    lines = [(0x20, 0, 0, 0), (0x15, 0, 3, prctl), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (6, 0, 0, 0x50000 | 22)]
    lines.append((6, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 == libc.prctl(22, 2, program, 0, 0)
"""


def test_where_the_kernel_has_no_filters_the_worker_goes_on_without(device_run, tmp_path: Path) -> None:
    done = device_run(f"""{NO_FILTERS}
    from opforge.doctor.sandbox_check import without_sandbox
    os.chdir({str(tmp_path)!r})
    start()
    x, z = two_buffers(3)
    print(*launch(f"{{ROOT}}/escape.o", x, z, 1))
    print(without_sandbox({{}}))
    """)
    assert done.returncode == 0, done.stderr
    said = "this kernel or container takes no seccomp filters: Invalid argument"
    assert done.stdout == f"the kernel ended\n0 \n{said}\n"
    assert (tmp_path / "escaped").read_text() == "here"


# The chain of functions comes from addr2line, which another process runs for the worker.
WILD = """#include <cstdint>
#include "kernel_operator.h"
__attribute__((noinline)) void Inner(AscendC::GlobalTensor<float>& z) { z.SetValue(1 << 20, 1.0f); }
__attribute__((noinline)) void Outer(AscendC::GlobalTensor<float>& z) { Inner(z); }
extern "C" void sim_kernel_entry(const uint64_t* args) {
    AscendC::GlobalTensor<float> z;
    z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args[1]), 3);
    Outer(z);
}
"""


def test_a_report_says_the_way_through_the_kernel(device_run, toolkit_root: Path, tmp_path: Path) -> None:
    """By the engine itself, which the other tests have a stand-in for."""
    source, kernel, report = tmp_path / "wild.cpp", tmp_path / "wild.o", tmp_path / "report"
    source.write_text(WILD)
    options = ["-std=c++17", "-g1", "-gdwarf-4", "-O1", "-fPIC", "-shared", f"-I{toolkit_root}/include/ascendc"]
    subprocess.run(["g++", *options, "-o", str(kernel), str(source)], check=True)
    done = device_run(
        f"start()\nx, z = two_buffers(3)\nprint(launch({str(kernel)!r}, x, z, 3)[1])",
        OPFORGE_SIM_REPORT=str(report),
        ASCEND_HOME_PATH=str(toolkit_root),
        LD_PRELOAD="",
    )
    assert done.returncode == 0, done.stderr
    (line,) = report.read_text().splitlines()
    calls = [(call["function"].partition("(")[0], call["file"]) for call in json.loads(line)["calls"]]
    assert calls == [("Inner", str(source)), ("Outer", str(source))], done.stdout
