"""Device memory: what a program may do with it, and what dies."""

from __future__ import annotations

import re
import signal

import pytest

pytestmark = pytest.mark.compiler


def test_bytes_come_back_at_every_size(device_run) -> None:
    done = device_run("""
        start()
        for count in (1, 2, 7, 127, 128, 129, 1009, 65537):
            x = malloc(count * 4)
            assert x % 512 == 0
            assert all(value != value for value in get(x, count))  # nobody wrote it: NaN, not a lucky zero
            put(x, array.array("f", range(count)))
            assert get(x, count) == [float(i) for i in range(count)]
            assert acl.aclrtMemset(x, count * 4, 0, count * 4) == 0
            assert get(x, count) == [0.0] * count
            assert acl.aclrtFree(x) == 0
        assert live("device_allocation") == 0 == live("device_bytes")
    """)
    assert done.returncode == 0, done.stderr


def test_what_is_alive_is_counted_by_kind(device_run) -> None:
    done = device_run("""
        start()
        kinds = ("device_allocation", "device_bytes", "stream", "event")

        def counts():
            return [live(kind) for kind in kinds]

        assert counts() == [0, 0, 0, 0]
        x = malloc(1000)
        y = malloc(24)
        assert counts() == [2, 1024, 0, 0]
        stream, event = ctypes.c_void_p(), ctypes.c_void_p()
        for _ in range(3):
            assert acl.aclrtCreateStream(ctypes.byref(stream)) == 0 == acl.aclrtCreateEvent(ctypes.byref(event))
            assert counts()[2:] == [1, 1]
            assert acl.aclrtRecordEvent(event, stream) == 0 == acl.aclrtStreamWaitEvent(stream, event)
            assert acl.aclrtDestroyStream(stream) == 0 == acl.aclrtDestroyEvent(event)
            assert acl.aclrtDestroyStream(stream) != 0  # twice
            assert counts()[2:] == [0, 0]
        assert launch(f"{ROOT}/stray.o", x, y, 3)[0] != 0
        assert acl.aclrtFree(x) == 0 == acl.aclrtFree(y)
        assert counts() == [0, 0, 0, 0]
        assert live("context") == -1
        assert acl.opforgeSimLiveDevice(None) == -1
    """)
    assert done.returncode == 0, done.stderr


def test_wrong_uses_are_refused_with_their_reason(device_run) -> None:
    done = device_run("""
        pointer = ctypes.c_void_p()
        print(acl.aclrtMalloc(ctypes.byref(pointer), 8, 0), message())
        start()
        x = malloc(100)
        host = ctypes.create_string_buffer(4096)
        for name, code in [
            ("zero", acl.aclrtMalloc(ctypes.byref(pointer), 0, 0)),
            ("past the end", acl.aclrtMemcpy(x, 4096, host, 4096, H2D)),
            ("wrong side", acl.aclrtMemcpy(x, 8, host, 8, D2H)),
            ("host pointer", acl.aclrtFree(ctypes.addressof(host))),
            ("too big", acl.aclrtMemcpy(x, 4, host, 8, H2D)),
            ("good", acl.aclrtFree(x)),
            ("twice", acl.aclrtFree(x)),
            ("freed", acl.aclrtMemcpy(host, 8, x, 8, D2H)),
            ("device 5", acl.aclrtSetDevice(5)),
        ]:
            print(name, code)
        print(message())
    """)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "107002 no device was set on this thread (aclrtSetDevice)"
    codes = dict(line.rsplit(" ", 1) for line in lines[1:-1])
    assert codes == {
        "zero": "107000", "past the end": "107000", "wrong side": "107000", "host pointer": "107000",
        "too big": "107000", "good": "0", "twice": "107000", "freed": "107000", "device 5": "107001",
    }  # fmt: skip
    assert lines[-1] == "aclrtSetDevice: there is no device 5; the simulated machine has 1 (OPFORGE_SIM_DEVICES)"


def test_memory_ends_and_comes_back(device_run) -> None:
    done = device_run(
        """
        start()
        def free_bytes():
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            assert acl.aclrtGetMemInfo(1, ctypes.byref(free), ctypes.byref(total)) == 0
            assert total.value == 64 << 20
            return free.value
        before = free_bytes()
        blocks = []
        try:
            while True:
                blocks.append(malloc(1 << 20))
        except MemoryError as e:
            print(e.args[0], e.args[1])
        assert len(blocks) == 63
        for block in blocks[::2] + blocks[1::2]:  # out of order: neighbours must join again
            assert acl.aclrtFree(block) == 0
        assert free_bytes() == before
        malloc(before - 512)
        """,
        OPFORGE_SIM_MEMORY="64M",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("207001 simulated device 0 is out of memory: 1048576 bytes asked, ")
    assert "of 67108864 in use; OPFORGE_SIM_MEMORY sets how much there is" in done.stdout


@pytest.mark.parametrize(("access", "word"), [("string_at(x, 4)", "read"), ("memset(x, 0, 4)", "wrote to")])
def test_host_code_that_touches_a_device_pointer_dies_and_is_told_why(device_run, access: str, word: str) -> None:
    done = device_run(f"start(); x = malloc(64); ctypes.{access}")
    assert done.returncode == -signal.SIGSEGV
    told = re.search(rf"it ({word}|touched) (0x[0-9a-f]+),", done.stderr)
    assert told is not None, done.stderr
    assert (
        f"opforge simulator: host code dereferenced a device pointer: it {told[1]} {told[2]}, memory of device 0.\n"
        "  On hardware this address means nothing to the CPU. Copy the data first (tensor.cpu(), aclrtMemcpy), or\n"
        "  do the work in a kernel.\n"
    ) in done.stderr


def test_another_fault_is_left_to_the_handlers_there_before(device_run) -> None:
    done = device_run("import faulthandler; faulthandler.enable(); start(); malloc(8); ctypes.string_at(8, 4)")
    assert done.returncode == -signal.SIGSEGV
    assert "device pointer" not in done.stderr
    assert "Fatal Python error: Segmentation fault" in done.stderr


def test_a_forked_child_is_told_to_spawn_and_harms_nobody(device_run) -> None:
    done = device_run("""
        start()
        x, z = two_buffers(5)
        child = os.fork()
        if child == 0:
            assert acl.aclrtFree(x) == 0  # as destructors of inherited tensors do
            print(acl.aclrtMemcpy(z, 4, x, 4, D2D), message(), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert get(x, 5) == [0, 1, 2, 3, 4]
    """)
    assert done.returncode == 0, done.stderr
    assert "forked after its parent had opened the simulated device" in done.stdout
    assert "'spawn' method" in done.stdout


def test_kernels_get_an_address_to_wait_for_each_other(device_run) -> None:
    """It is handed to SetSyncBaseAddr; the simulated flags are elsewhere."""
    done = device_run("""
        start()
        first, again = ctypes.c_void_p(), ctypes.c_void_p()
        assert acl.aclrtGetHardwareSyncAddr(ctypes.byref(first)) == 0
        assert acl.aclrtGetHardwareSyncAddr(ctypes.byref(again)) == 0
        print(first.value == again.value != None)
    """)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_child_forked_before_first_use_has_a_device_of_its_own(device_run) -> None:
    done = device_run("""
        acl.aclrtGetSocName()
        child = os.fork()
        start()
        x, z = two_buffers(5)
        assert launch(f"{ROOT}/add_one.o", x, z, 5) == (0, "")
        assert get(z, 5) == [1, 2, 3, 4, 5]
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    """)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("OPFORGE_SIM_MEMORY", "8X", "$OPFORGE_SIM_MEMORY is '8X'; expected a whole number"),
        ("OPFORGE_SIM_CHECKS", "some", "$OPFORGE_SIM_CHECKS is 'some'; expected off, fast or full"),
        ("OPFORGE_SIM_RULES", "real", "$OPFORGE_SIM_RULES is 'real'; expected documented or device"),
        ("OPFORGE_SIM_DEVICES", "17", "$OPFORGE_SIM_DEVICES is '17'; expected a whole number from 1 to 16"),
        (
            "ASCEND_RT_VISIBLE_DEVICES",
            "1",
            "$ASCEND_RT_VISIBLE_DEVICES is '1'; expected different numbers below 1, "
            "the number of devices of the simulated machine (OPFORGE_SIM_DEVICES)",
        ),
        ("ASCEND_RT_VISIBLE_DEVICES", "0,0", "$ASCEND_RT_VISIBLE_DEVICES is '0,0'; expected different numbers"),
        ("ASCEND_RT_VISIBLE_DEVICES", "0,", "$ASCEND_RT_VISIBLE_DEVICES is '0,'; expected different numbers"),
        ("ASCEND_RT_VISIBLE_DEVICES", "0;1", "$ASCEND_RT_VISIBLE_DEVICES is '0;1'; expected different numbers"),
        ("OPFORGE_SIM_TIMEOUT", "-1", "$OPFORGE_SIM_TIMEOUT is '-1'"),
        ("OPFORGE_SOC", "Ascend999", "the simulated SoC 'Ascend999' is unknown"),
    ],
)
def test_a_bad_setting_is_refused_by_name(device_run, variable: str, value: str, expected: str) -> None:
    done = device_run("print(acl.aclInit(None), message())", **{variable: value})
    assert done.stdout.startswith("507033 ")
    assert expected in done.stdout


@pytest.mark.parametrize(("value", "count"), [("1", 1), ("2,0", 2), ("0,1,2", 3)])
def test_only_the_visible_devices_count(device_run, value: str, count: int) -> None:
    code = "n = ctypes.c_uint32(); print(acl.aclInit(None), acl.aclrtGetDeviceCount(ctypes.byref(n)), n.value)"
    variables = {"OPFORGE_SIM_DEVICES": "3", "ASCEND_RT_VISIBLE_DEVICES": value}
    done = device_run(f"import ctypes\n{code}\nprint(acl.aclrtSetDevice({count}))", **variables)
    first, second = done.stdout.split("\n")[:2]
    assert first == f"0 0 {count}"
    assert second == "107001"
