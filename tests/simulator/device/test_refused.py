"""What the runtime refuses, each with the whole message; addresses stand as the names of what they are."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiler

# ruff: noqa: E501 - the messages stand as they are printed
# fmt: off
# the call, its status, and the message
CALLS = [
    ("aclrtMalloc(ctypes.byref(place), 0, 0)", 107000, "aclrtMalloc: the size is 0"),
    ("aclrtMalloc(None, 8, 0)", 107000, "aclrtMalloc: no place for the result"),
    ("aclrtFree(host)", 107000, "aclrtFree: <host> is not device memory"),
    ("aclrtFree(x + 4)", 107000, "aclrtFree: <x+4> is not the start of a live allocation of device 0 (freed twice?)"),
    ("aclrtFree(freed)", 107000, "aclrtFree: <freed> is not the start of a live allocation of device 0 (freed twice?)"),
    ("aclrtMemcpy(None, 8, host, 8, 4)", 107000, "aclrtMemcpy: the destination is NULL"),
    ("aclrtMemcpy(x, 4096, host, 4096, H2D)", 107000, "aclrtMemcpy: the destination <x> with 4096 bytes is not inside one allocation of device 0"),
    ("aclrtMemcpy(x, 4, host, 8, H2D)", 107000, "aclrtMemcpy: 8 bytes into a destination of 4"),
    ("aclrtMemcpy(x, 8, host, 8, D2H)", 107000, "aclrtMemcpy: kind 2 copies from device to host memory, but the source <host> is host and the destination <x> is device memory"),
    ("aclrtMemcpy(x, 8, host, 8, 9)", 107000, "aclrtMemcpy: unknown kind 9"),
    ("aclrtMemset(x, 4, 0, 8)", 107000, "aclrtMemset: 8 bytes into a destination of 4"),
    ("aclrtMallocHost(ctypes.byref(place), ctypes.c_size_t(0))", 107000, "aclrtMallocHost: no place for the result, or size 0"),
    ("aclrtMallocHost(ctypes.byref(place), ctypes.c_size_t(1 << 62))", 207001, "aclrtMallocHost: the host has no 4611686018427387904 bytes"),
    ("aclrtFreeHost(ctypes.c_void_p(host))", 107000, "aclrtFreeHost: <host> was not given by aclrtMallocHost, or is freed"),
    ("aclrtGetDeviceResLimit(0, 99, ctypes.byref(number))", 107000, "aclrtGetDeviceResLimit: unknown resource 99"),
    ("aclrtSetDeviceResLimit(0, 0, 23)", 207000, "aclrtSetDeviceResLimit: core limits are not simulated (23 asked, 24 there)"),
    ("aclrtCtxSetSysParamOpt(99, ctypes.c_int64(1))", 107000, "unknown system option 99"),
    ("aclrtCtxGetSysParamOpt(99, ctypes.byref(wide))", 107000, "unknown system option 99"),
    ("aclGetDeviceCapability(0, 99, ctypes.byref(wide))", 207000, "aclGetDeviceCapability: 99 is not simulated"),
    ("aclrtGetDeviceInfo(0, 99, ctypes.byref(wide))", 207000, "aclrtGetDeviceInfo: attribute 99 is not simulated"),
    ("aclrtSetDeviceSatMode(0)", 207000, "aclrtSetDeviceSatMode: only the INF/NAN mode is simulated"),
    ("aclopSetAttrBool(None, b'x', 1)", 100000, "aclopSetAttr: no attribute object or no name"),
    ("aclopCompileAndExecute(b'Add', 0, None, None, 0, None, None, None, 0, 0, None, None)", 100024, "the simulated toolkit has no built-in operator 'Add'; custom operators and the ATen operators that PyTorch has on the CPU work on its device"),
    ("aclCreateTensorDesc(0, 2, None, 2)", 0, "aclCreateTensorDesc: 2 dimensions without values"),
    ("aclGetTensorDescDimV2(None, ctypes.c_size_t(3), ctypes.byref(wide))", 100000, "aclGetTensorDescDimV2: there is no dimension 3"),
    ("aclrtSynchronizeStream(ctypes.c_void_p(host))", 107017, "aclrtSynchronizeStream: <host> is not a live stream of this process"),
    ("aclrtEventElapsedTime(ctypes.byref(real), event, event)", 107006, "aclrtEventElapsedTime: the event <event> was not recorded"),
]
# fmt: on

PREPARE = """
acl.aclrtMallocHost.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
start()
x, freed = malloc(100), malloc(64)
assert acl.aclrtFree(freed) == 0
buffer = ctypes.create_string_buffer(8192)
host = ctypes.addressof(buffer)
place, number, wide, real = ctypes.c_void_p(), ctypes.c_uint32(), ctypes.c_int64(), ctypes.c_float()
event = ctypes.c_void_p()
assert acl.aclrtCreateEvent(ctypes.byref(event)) == 0
names = {hex(x): "<x>", hex(x + 4): "<x+4>", hex(freed): "<freed>", hex(host): "<host>", hex(event.value): "<event>"}
def say(status):
    text = message()
    for address, name in names.items():
        text = text.replace(address, name)
    print(status & 0xffffffff, text)
"""


def test_calls(device_run) -> None:
    done = device_run(PREPARE + "".join(f"say(acl.{call})\n" for call, _, _ in CALLS))
    assert done.returncode == 0, done.stderr
    said = dict(zip((call for call, _, _ in CALLS), done.stdout.splitlines(), strict=True))
    assert said == {call: f"{status} {text}" for call, status, text in CALLS}


def test_casts_of_formats(device_run) -> None:
    done = device_run(
        PREPARE
        + """
acl.aclCreateTensorDesc.restype = acl.aclCreateDataBuffer.restype = ctypes.c_void_p
acl.aclCreateDataBuffer.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
HALF, NCHW, ND, NC1HWC0, NZ = 1, 0, 2, 3, 29
def described(dims, format, stored):
    def numbers(values):
        return (ctypes.c_int64 * len(values))(*values)
    desc = ctypes.c_void_p(acl.aclCreateTensorDesc(HALF, len(dims), numbers(dims), ND))
    acl.aclSetTensorFormat(desc, format)
    acl.aclSetTensorShape(desc, len(stored), numbers(stored))
    return desc
def cast(source, target, *buffers):
    one = [(ctypes.c_void_p * 1)(desc) for desc in (source, target)]
    data = [(ctypes.c_void_p * 1)(acl.aclCreateDataBuffer(*buffer)) for buffer in buffers]
    say(acl.aclopCompileAndExecuteV2(b"Identity", 1, one[0], data[0], 1, one[1], data[1], None, 0, 0, None, None))
small, room = (x, 100), (malloc(4096), 4096)
rows = described((3, 5), ND, (3, 5))
cast(rows, described((3, 5), NC1HWC0, (3, 5)), small, room)
cast(rows, described((5, 3), NZ, (1, 1, 16, 16)), small, room)
cast(described((5,), ND, (5,)), described((5,), NZ, (1, 1, 16, 16)), small, room)
for wrong in ((1, 1, 16, 0), (1, 1, 8, 16), (2, 1, 16, 16), (1, 2, 16, 16), (16, 16)):
    cast(rows, described((3, 5), NZ, wrong), small, room)
blocks = described((3, 5), NZ, (1, 1, 16, 16))
cast(rows, blocks, small, small)
cast(rows, blocks, (x, 4), room)
cast(blocks, rows, (host, 4096), small)
print(acl.aclopCompileAndExecuteV2(b"Identity", 2, None, None, 1, None, None, None, 0, 0, None, None))
print(acl.aclrtMemset(x, 100, 7, 100))
cast(rows, blocks, small, room)
cast(blocks, described((3, 5), ND, (3, 5)), room, small)
cast(described((0, 5), ND, (0, 5)), described((0, 5), NZ, (1, 0, 16, 16)), small, room)
"""
    )
    assert done.returncode == 0, done.stderr
    shape = "the storage of a tensor in FRACTAL_NZ does not have the shape of its blocks"
    reach = "a cast of formats reaches beyond the memory of its tensor"
    *refused, other, filled, forth, back, none = done.stdout.splitlines()
    assert refused == [
        "207000 the simulated device casts between the formats ND (2) and FRACTAL_NZ (29), not from 2 to 3",
        *["100000 a cast of formats needs the same shape on both sides, of 2 or more dims"] * 2,
        *[f"100000 {shape}"] * 5,
        *[f"107000 {reach}"] * 3,
    ]
    assert [line.split()[0] for line in (other, filled, forth, back, none)] == ["100024", "0", "0", "0", "0"]


def test_before_the_first_device_and_after_its_memory(device_run) -> None:
    done = device_run("""
        context = ctypes.c_void_p()
        print(acl.aclrtGetCurrentContext(ctypes.byref(context)), message())
        start()
        x = malloc(100)
        acl.aclrtFree(x)
        print(acl.sim_host_view(x), message().replace(hex(x), "<x>"))
    """)
    assert done.stdout.splitlines() == [
        "107002 this thread has no context (aclrtSetDevice)",
        "None <x> is not live memory of device 0",
    ]


def test_a_soc_that_there_is_not(device_run) -> None:
    done = device_run("print(acl.aclrtSetDevice(0), message())", OPFORGE_SOC="Ascend910B77")
    assert re.fullmatch(
        r"507033 aclrtSetDevice: the simulated SoC 'Ascend910B77' is unknown: there is no \S.*/data/platform_config/Ascend910B77\.ini; set"
        r" OPFORGE_SOC to one of the names in that folder\n",
        done.stdout,
    ), done.stdout


def test_a_process_forked_behind_the_device(device_run) -> None:
    done = device_run("""
        start()
        x = malloc(64)
        child = os.fork()
        if child == 0:
            print(acl.aclrtMemset(x, 64, 0, 64), message(), flush=True)
            print(acl.sim_host_view(x), message(), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """)
    forked = (
        "this process was forked after its parent had opened the simulated device, and cannot use it; start processes"
        " with the 'spawn' method, or fork before the first use of the device"
    )
    first, second = done.stdout.splitlines()
    assert first == f"107000 aclrtMemset: {forked}"
    assert second == f"None reading device memory: {forked}"


def test_kernels_that_end_their_process(device_run) -> None:
    done = device_run("""
        start()
        x, z = two_buffers(16)
        status, said = launch(str(ROOT / "stray.o"), x, z, 16)
        print(said.replace(str(ROOT), "<root>"))
        print(launch(str(ROOT / "lib64" / "libascendcl.so"), x, z, 16)[1].replace(str(ROOT), "<root>"))
    """)
    _, stray, kernel_object, other = done.stdout.splitlines()  # the kernel prints a line before it crashes
    assert re.fullmatch(
        r"Step: the kernel crashed with SIGSEGV \(Segmentation fault\)( in \S.*)?, address 0x[0-9a-f]+\. It left the memory"
        r" it was given: look for an index past an array, or a pointer that did not come from a tensor",
        stray,
    ), stray
    assert kernel_object == "  kernel object: <root>/stray.o"
    assert other == (
        "Step: <root>/lib64/libascendcl.so is not a simulated kernel: it has no sim_kernel_entry (was it built for hardware?)"
    )


def test_a_kernel_that_is_killed_and_one_without_an_end(device_run) -> None:
    done = device_run(
        """
        import threading, time
        start()
        x, z = two_buffers(16)
        print(launch(str(ROOT / "endless.o"), x, z, 16)[1])
        assert launch(str(ROOT / "add_one.o"), x, z, 16)[0] == 0
        thread = threading.Thread(target=lambda: (time.sleep(0.3), [os.kill(pid, 9) for pid in workers()]))
        thread.start()
        print(launch(str(ROOT / "endless.o"), x, z, 16)[1].splitlines()[0])
        thread.join()
        """,
        OPFORGE_SIM_TIMEOUT="1",
    )
    assert done.stdout.splitlines() == [
        "Step: the kernel did not end within 1 s and was stopped. It may wait for an event or a queue that nobody serves,"
        " or loop for ever; OPFORGE_SIM_TIMEOUT sets the limit in seconds",
        f"Step: the kernel crashed with SIGKILL ({signal.strsignal(signal.SIGKILL)}). Something outside killed it; most"
        " often the machine ran out of memory",
    ], os.linesep


def test_workers_that_do_not_start(device_run, double_root: Path, tmp_path: Path) -> None:
    """A toolkit without its worker, with another program in its place, and without the kernel engine."""
    root = tmp_path / "toolkit"
    shutil.copytree(double_root, root, symlinks=True)
    worker = root / "bin" / "sim_device_worker"
    by_hand = subprocess.run([str(worker)], capture_output=True, text=True, check=False)
    assert by_hand.stderr == "sim_device_worker is started by the simulated Ascend runtime, not by hand\n"

    def said() -> str:
        run = "start()\nx, z = two_buffers(4)\nprint(launch(str(ROOT / 'add_one.o'), x, z, 4)[1])"
        return device_run(run, ASCEND_HOME_PATH=str(root)).stdout.strip()

    engine = root / "lib64" / "libascendc_sim.so"
    engine.rename(engine.with_suffix(".gone"))
    assert said().startswith(f"the worker of simulated device 0: no kernel engine: {engine}: ")
    worker.rename(worker.with_suffix(".gone"))
    assert said() == f"the worker of simulated device 0 does not start: {worker}: No such file or directory"
    worker.symlink_to("/bin/false")
    assert said() == "the worker of simulated device 0 ended at its start, wait status 256"
