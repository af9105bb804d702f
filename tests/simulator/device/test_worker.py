"""Launches: the worker process runs kernels, survives nothing it should not, and says what happened."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiler


def test_a_kernel_reads_and_writes_device_memory_at_its_own_addresses(device_run) -> None:
    done = device_run("""
        start()
        for count in (0, 1, 7, 8, 9, 1009):
            x, z = two_buffers(count)
            assert launch(f"{ROOT}/add_one.o", x, z, count) == (0, "")
            assert get(z, count) == [i + 1.0 for i in range(count)]
    """)
    assert done.returncode == 0, done.stderr


def test_everything_in_a_launch_travels_and_the_report_comes_back(device_run) -> None:
    done = device_run(
        """
        start()
        x, z = two_buffers(3)
        print(*launch(f"{ROOT}/add_one.o", x, z, 3, tiling_key=13, op_type="Odd"))
        """,
        OPFORGE_SOC="Ascend910B3",
    )
    assert done.stdout == "507035 Odd on Ascend910B3, block dim 1, checks 1, in x 12, out z 12\n"


def test_a_crash_is_an_error_and_the_next_launch_works(device_run) -> None:
    done = device_run("""
        start()
        x, z = two_buffers(3)
        for kernel in ("stray", "abort", "exit"):
            print(*launch(f"{ROOT}/{kernel}.o", x, z, 3, op_type="Bad"), end="\\n--\\n", flush=True)
            assert launch(f"{ROOT}/add_one.o", x, z, 3) == (0, "")
            assert get(z, 3) == [1, 2, 3]
    """)
    assert done.returncode == 0, done.stderr
    stray, abort, leave, _ = done.stdout.split("\n--\n")
    assert stray.startswith(
        "a line before the crash\n507035 Bad: the kernel crashed with SIGSEGV (Segmentation fault) in follow_wild_index"
    )
    assert "index past an array" in stray
    assert stray.endswith("stray.o")
    assert abort.startswith("507035 Bad: the kernel crashed with SIGABRT (Aborted)")
    assert "a line from the kernel" in leave
    assert "507035 Bad: the kernel ended its process, exit status 3" in leave


@pytest.mark.parametrize(("queue", "stays"), [("0", False), ("1", True), ("2", True)])
def test_behind_a_task_queue_a_fault_stays_until_the_device_is_reset(device_run, queue: str, stays: bool) -> None:
    """The queue drops what follows a fault: a later synchronisation must not pass as if it had been done."""
    done = device_run(
        """
        start()
        x, z = two_buffers(3)
        assert acl.aclrtSynchronizeDevice() == 0
        launch(f"{ROOT}/add_one.o", x, z, 3, tiling_key=13, op_type="Odd")
        print(acl.aclrtSynchronizeDevice(), message())
        event = ctypes.c_void_p()
        assert acl.aclrtCreateEvent(ctypes.byref(event)) == 0 == acl.aclrtRecordEvent(event, None)
        print(acl.aclrtSynchronizeStream(None), acl.aclrtSynchronizeEvent(event), acl.aclrtPeekAtLastError(0))
        assert acl.aclrtResetDevice(0) == 0
        assert acl.aclrtSynchronizeDevice() == 0
        """,
        TASK_QUEUE_ENABLE=queue,
    )
    assert done.returncode == 0, done.stderr
    if stays:
        text = "507035 simulated device 0 is in an error state since Odd; start the process anew\n"
        assert done.stdout.startswith(text + "Odd on Ascend910B1, block dim 1")
        assert done.stdout.endswith("\n507035 507035 507035\n")
    else:
        assert done.stdout == "0 \n0 0 507035\n"


def test_a_kernel_that_never_ends_is_stopped(device_run) -> None:
    begin = time.monotonic()
    done = device_run(
        """
        start()
        x, z = two_buffers(3)
        print(*launch(f"{ROOT}/endless.o", x, z, 3))
        assert launch(f"{ROOT}/add_one.o", x, z, 3) == (0, "")
        """,
        OPFORGE_SIM_TIMEOUT="1",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("507034 Step: the kernel did not end within 1 s and was stopped")
    assert time.monotonic() - begin < 20


ENDLESS = """#include <cstdint>
__attribute__((noinline)) void Turn(volatile int& n) {
    for (;;) {
        n = n + 1;
    }
}
extern "C" void sim_kernel_entry(const uint64_t*) {
    volatile int n = 0;
    Turn(n);
}
"""


def test_a_kernel_that_never_ends_says_where_it_is(device_run, toolkit_root: Path, tmp_path: Path) -> None:
    """By the engine itself, which the other tests have a stand-in for."""
    (tmp_path / "endless.cpp").write_text(ENDLESS)
    kernel = tmp_path / "endless.o"
    options = ("-std=c++17", "-g1", "-gdwarf-4", "-O1", "-fPIC", "-shared", "-o")
    subprocess.run(["g++", *options, str(kernel), str(tmp_path / "endless.cpp")], check=True)
    run = f"start()\nx, z = two_buffers(3)\nprint(launch('{kernel}', x, z, 3)[1])"
    done = device_run(run, OPFORGE_SIM_TIMEOUT="1", ASCEND_HOME_PATH=str(toolkit_root), LD_PRELOAD="")
    assert done.returncode == 0, done.stderr
    first, where = done.stdout.splitlines()
    assert first.endswith(
        " and was stopped. It still computes, as far as can be seen; OPFORGE_SIM_TIMEOUT sets the limit in seconds"
    )
    assert re.fullmatch(rf"  block 0 of 1: in Turn\(int volatile&\) \({tmp_path}/endless.cpp:[34]\)", where)


def test_objects_that_are_no_kernels_are_refused(device_run) -> None:
    done = device_run("""
        start()
        x, z = two_buffers(3)
        print(*launch("/nowhere/kernel.o", x, z, 3))
        print(*launch(f"{ROOT}/lib64/libascendc_sim.so", x, z, 3))
        print(*launch(f"{ROOT}/data/platform_config/Ascend910B1.ini", x, z, 3))
        assert launch(f"{ROOT}/add_one.o", x, z, 3) == (0, "")
    """)
    assert done.returncode == 0, done.stderr
    missing, no_entry, no_object = done.stdout.splitlines()
    assert missing == "507000 Step: no kernel object /nowhere/kernel.o: No such file or directory"
    assert "libascendc_sim.so is not a simulated kernel: it has no sim_kernel_entry" in no_entry
    assert "the kernel object does not load" in no_object


@pytest.mark.parametrize("replace", ["os.replace(new, kernel)", "open(kernel, 'r+b').write(open(new, 'rb').read())"])
def test_a_rebuilt_kernel_is_the_one_that_runs(device_run, tmp_path: Path, replace: str) -> None:
    done = device_run(f"""
        import shutil
        start()
        kernel, new = "{tmp_path}/k.o", "{tmp_path}/new.o"
        shutil.copy(f"{{ROOT}}/add_one.o", kernel)
        shutil.copy(f"{{ROOT}}/add_two.o", new)
        x, z = two_buffers(3)
        assert launch(kernel, x, z, 3) == (0, "")
        assert get(z, 3) == [1, 2, 3]
        {replace}
        assert launch(kernel, x, z, 3) == (0, "")
        assert get(z, 3) == [2, 3, 4]
    """)
    assert done.returncode == 0, done.stderr


def test_devices_have_memory_and_workers_of_their_own(device_run) -> None:
    done = device_run(
        """
        pairs = []
        for device in range(3):
            start(device)
            pairs.append(two_buffers(4))
        for device, (x, z) in enumerate(pairs):
            start(device)
            assert launch(f"{ROOT}/add_one.o", x, z, 4) == (0, "")
            assert get(z, 4) == [1, 2, 3, 4]
        assert len({x >> 40 for x, _ in pairs}) == 3
        started = workers()
        assert len(started) == 3
        acl.aclFinalize()
        assert not any(os.path.exists(f"/proc/{p}") for p in started)  # ended and reaped
        start(0)
        assert launch(f"{ROOT}/add_one.o", *pairs[0], 4) == (0, "")  # and started again on demand
        """,
        OPFORGE_SIM_DEVICES="3",
    )
    assert done.returncode == 0, done.stderr


def _alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("kernel", ["endless", "add_one"])
def test_the_worker_ends_with_its_host(child_env: dict[str, str], kernel: str) -> None:
    """Killed without a chance to clean up, with a kernel running or idle."""
    code = f"""
from acl_client import *
start()
x, z = two_buffers(3)
launch(f"{{ROOT}}/add_one.o", x, z, 3)
print(*workers(), flush=True)
launch(f"{{ROOT}}/{kernel}.o", x, z, 3)
while True:
    pass
"""
    with subprocess.Popen([sys.executable, "-c", code], env=child_env, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        worker = int(host.stdout.readline())
        time.sleep(0.2)
        assert _alive(worker)
        host.send_signal(signal.SIGKILL)
        host.wait()
    deadline = time.monotonic() + 10
    while _alive(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(worker)


def test_the_keyboard_ends_a_running_kernel_and_not_an_idle_worker(device_run) -> None:
    done = device_run("""
        import signal, threading, time
        start()
        x, z = two_buffers(3)
        assert launch(f"{ROOT}/add_one.o", x, z, 3) == (0, "")
        (idle,) = workers()
        os.kill(idle, signal.SIGINT)  # as the terminal does to the whole group
        time.sleep(0.1)
        assert launch(f"{ROOT}/add_one.o", x, z, 3) == (0, "")
        assert workers() == [idle]
        threading.Timer(0.3, lambda: os.kill(idle, signal.SIGINT)).start()
        print(*launch(f"{ROOT}/endless.o", x, z, 3))
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("507035 Step: the kernel was interrupted from the keyboard")


def test_launches_from_threads_take_turns(device_run) -> None:
    done = device_run("""
        import threading
        failures = []
        def work(count):
            try:
                start()
                x, z = two_buffers(count)
                for _ in range(50):
                    assert launch(f"{ROOT}/add_one.o", x, z, count) == (0, "")
                assert get(z, count) == [i + 1.0 for i in range(count)]
            except BaseException as e:
                failures.append(e)
        threads = [threading.Thread(target=work, args=(count,)) for count in (1, 7, 64, 129)]
        [t.start() for t in threads], [t.join() for t in threads]
        assert not failures, failures
    """)
    assert done.returncode == 0, done.stderr
