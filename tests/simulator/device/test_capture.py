"""Graph capture by the acl functions: what is recorded, what a replay does, and what is refused meanwhile."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.compiler

# A program's helpers: streams and events, a launch on a stream, the outcome of a call with its message.
HELPERS = """
GLOBAL, THREAD_LOCAL, RELAXED = 0, 1, 2
NONE, ACTIVE, INVALID = 0, 1, 2
P = ctypes.c_void_p
acl.aclrtMemcpyAsync.argtypes = [P, ctypes.c_size_t, P, ctypes.c_size_t, ctypes.c_int, P]
acl.aclrtMemsetAsync.argtypes = [P, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t, P]

class Argument(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("address", ctypes.c_uint32), ("value", ctypes.c_uint64)]

def made(create):
    handle = P()
    assert create(ctypes.byref(handle)) == 0
    return handle

def stream(): return made(acl.aclrtCreateStream)
def event(): return made(acl.aclrtCreateEvent)

def add_one(x, z, count, on, kernel="add_one"):
    size = malloc(8)
    put(size, array.array("q", [count]))
    return lambda: acl.sim_kernel_launch(b"AddOne", str(ROOT / f"{kernel}.o").encode(), 1, on, (Argument * 3)(
        Argument(b"x", 1, x), Argument(b"z", 1, z), Argument(b"count", 1, size)), 3)

def begin(on, mode=GLOBAL):
    assert acl.aclmdlRICaptureBegin(on, mode) == 0, message()

def end(on):
    graph = P()
    code = acl.aclmdlRICaptureEnd(on, ctypes.byref(graph))
    return code, graph

def status(on):
    now = ctypes.c_int(-1)
    assert acl.aclmdlRICaptureGetInfo(on, ctypes.byref(now), ctypes.byref(P())) == 0
    return now.value

def pinned(count):
    pointer = P()
    assert acl.aclrtMallocHost(ctypes.byref(pointer), count * 4) == 0
    return (ctypes.c_float * count).from_address(pointer.value)

def told(code):
    print(code, message())
"""


def test_work_is_recorded_and_replayed(device_run) -> None:
    done = device_run(
        HELPERS
        + """
start()
s = stream()
x, z = two_buffers(4)
y = malloc(16)
first, second = add_one(x, y, 4, s), add_one(y, z, 4, s)
host, back = pinned(4), pinned(4)
acl.aclrtMemset(z, 16, 0, 16)
begin(s)
assert status(s) == ACTIVE
assert acl.aclrtMemcpyAsync(x, 16, host, 16, H2D, s) == 0 == first() == second()
assert acl.aclrtMemcpyAsync(back, 16, z, 16, D2H, s) == 0 == acl.aclrtMemsetAsync(y, 16, 0, 16, s)
seen = []
called = ctypes.CFUNCTYPE(None, P)(lambda _: seen.append(1))
assert acl.aclrtLaunchCallback(called, None, 0, s) == 0
code, graph = end(s)
assert code == 0 and status(s) == NONE and live("graph") == 1
assert get(z, 4) == [0.0] * 4 and not seen  # nothing has run
for n in (1, 2):
    host[:] = [n * 10.0] * 4
    assert acl.aclmdlRIExecuteAsync(graph, s) == 0 == acl.aclrtSynchronizeStream(s), message()
    assert list(back) == [n * 10.0 + 2] * 4 == get(z, 4) and get(y, 4) == [0.0] * 4 and len(seen) == n
number = ctypes.c_uint32()
assert acl.aclmdlRIGetId(graph, ctypes.byref(number)) == 0 and number.value > 0
assert acl.aclmdlRIExecute(graph, -1) == 0 == acl.aclmdlRIDestroy(graph)
assert live("graph") == 0 and acl.aclmdlRIDestroy(graph) == 107017 == acl.aclmdlRIExecute(graph, -1)
"""
    )
    assert done.returncode == 0, done.stderr


def test_streams_join_by_events(device_run) -> None:
    done = device_run(
        HELPERS
        + """
start()
s, other, third = stream(), stream(), stream()
there, back, before = event(), event(), event()
x, z = two_buffers(4)
y = malloc(16)
first, second = add_one(x, y, 4, s), add_one(y, z, 4, other)
begin(s)
assert first() == 0 == acl.aclrtRecordEvent(there, s) == acl.aclrtStreamWaitEvent(other, there)
assert status(other) == ACTIVE and status(third) == NONE
assert second() == 0 == acl.aclrtRecordEvent(back, other) == acl.aclrtStreamWaitEvent(s, back)
code, graph = end(s)
assert code == 0 and status(other) == NONE, message()
assert acl.aclmdlRIExecuteAsync(graph, third) == 0 and get(z, 4) == [2.0, 3.0, 4.0, 5.0]
for event_query in (acl.aclrtSynchronizeEvent, lambda e: acl.aclrtQueryEventStatus(e, ctypes.byref(ctypes.c_int()))):
    assert event_query(back) == 0  # an ordinary event again

begin(s)  # a stream that does not come back
acl.aclrtRecordEvent(there, s), acl.aclrtStreamWaitEvent(other, there), second()
told(end(s)[0])
begin(s)  # an event of before
acl.aclrtRecordEvent(before, third)
told(acl.aclrtStreamWaitEvent(s, before))
assert end(s)[0] == 507903
begin(s), begin(other)  # two captures
acl.aclrtRecordEvent(there, s)
told(acl.aclrtStreamWaitEvent(other, there))
assert end(s)[0] == 507903
told(end(other)[0])
begin(s)
acl.aclrtRecordEvent(there, s)
told(acl.aclrtStreamWaitEvent(None, there))
assert end(s)[0] == 507903
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "107025 aclmdlRICaptureEnd: capture model contains a stream that was not joined to the original stream. "
        "Record an event behind the last work of each stream and let the first stream wait for it",
        "107024 aclrtStreamWaitEvent: in the model capture scenario, the event wait task has no corresponding "
        "event record task. The event was recorded before the capture: wait for it before the capture, too",
        "107032 aclrtStreamWaitEvent: the event belongs to another capture than the stream",
        "507903 aclmdlRICaptureEnd: an error has invalidated the stream capture sequence: one of its streams waited "
        "for an event of another capture",
        "107031 aclrtStreamWaitEvent: the default stream cannot take part in a capture",
    ]


def test_what_waits_or_reads_is_refused(device_run) -> None:
    """Each in a capture of its own: the code, then that the end says the same and the device goes on."""
    done = device_run(
        HELPERS
        + """
start()
s, e = stream(), event()
x, z = two_buffers(4)
data = ctypes.create_string_buffer(16)
work = add_one(x, z, 4, s)
calls = [
    lambda: acl.aclrtMemcpy(data, 16, z, 16, D2H), lambda: acl.aclrtMemset(z, 16, 0, 16),
    lambda: acl.aclrtMemcpyAsync(z, 16, data, 16, H2D, s), lambda: acl.aclrtSynchronizeStream(s),
    lambda: acl.aclrtSynchronizeDevice(), lambda: acl.aclrtStreamQuery(s, ctypes.byref(ctypes.c_int())),
    lambda: acl.aclrtDestroyStream(s), lambda: acl.aclrtSynchronizeEvent(e),
    lambda: acl.aclrtQueryEventStatus(e, ctypes.byref(ctypes.c_int())),
    lambda: acl.aclrtEventElapsedTime(ctypes.byref(ctypes.c_float()), e, e),
    lambda: acl.aclmdlRIExecuteAsync(P(1), s), lambda: acl.aclmdlRICaptureBegin(s, GLOBAL),
]
for call in calls:
    begin(s)
    assert work() == 0 == acl.aclrtRecordEvent(e, s)
    told(call())
    reason = message()
    assert status(s) == INVALID and work() == 507903
    late = f"507903 {message()}"
    code, graph = end(s)
    assert code == 507903 and not graph.value and "an error has invalidated the stream capture sequence" in message()
    assert status(s) == NONE and work() == 0 == acl.aclrtSynchronizeStream(s) and live("graph") == 0
    assert get(z, 4) == [1.0, 2.0, 3.0, 4.0]
print(late)
told(end(s)[0])
told(acl.aclmdlRICaptureBegin(None, GLOBAL))
told(end(None)[0])
told(acl.aclmdlRICaptureBegin(s, 3))
"""
    )
    assert done.returncode == 0, done.stderr
    at_once = (
        ": operation not permitted when a stream is capturing and the specified capture mode is not relaxed (this "
        "thread captures, mode GLOBAL). It copies or reads at once, and what the stream has recorded has not run: do "
        "this before the capture or after a replay, or copy on the captured stream (non_blocking=True, host memory "
        "pinned)"
    )
    waits = (
        ": stream is captured. Its work is recorded and has not run, so there is nothing to wait for or to read: do "
        "this before the capture or after a replay"
    )
    event = ": event is captured. A captured stream has recorded it, so it has no time and no end yet"
    assert done.stdout.splitlines() == [
        f"107030 aclrtMemcpy{at_once}",
        f"107030 aclrtMemset{at_once}",
        "107000 aclrtMemcpyAsync: the pageable memory copy task does not support graph capture. Host memory of a "
        "captured copy must be pinned (aclrtMallocHost, pin_memory())",
        f"107027 aclrtSynchronizeStream{waits}",
        "107027 aclrtSynchronizeDevice: stream is captured. A device cannot be waited for while one of its streams is "
        "captured: do this before the capture or after a replay",
        f"107027 aclrtStreamQuery{waits}",
        f"107027 aclrtDestroyStream{waits}",
        f"107028 aclrtSynchronizeEvent{event}",
        f"107028 aclrtQueryEventStatus{event}",
        f"107028 aclrtEventElapsedTime{event}",
        f"107027 aclmdlRIExecuteAsync{waits}",
        "107027 aclmdlRICaptureBegin: stream is captured already",
        "507903 AddOne: the capture of this stream is not valid any more: aclmdlRICaptureBegin: stream is captured "
        "already",
        "107029 aclmdlRICaptureEnd: stream is not in capture status",
        "107000 aclmdlRICaptureBegin: the default stream cannot be captured",
        "107000 aclmdlRICaptureEnd: the default stream cannot be captured",
        "107000 aclmdlRICaptureBegin: there is no capture mode 3",
    ]


def test_modes(device_run) -> None:
    """Whether this thread and another one may copy at once, by the mode of the capture and by the thread's own."""
    done = device_run(
        HELPERS
        + """
import threading
start()
s = stream()
x, z = two_buffers(4)
why = set()

def copies(own=None):
    start()
    mode = ctypes.c_int(own if own is not None else GLOBAL)
    assert acl.aclmdlRICaptureThreadExchangeMode(ctypes.byref(mode)) == 0
    allowed = acl.aclrtMemcpy(z, 16, x, 16, D2D) == 0
    if not allowed:
        why.add(message().partition(" (")[2].partition(")")[0])
    assert acl.aclmdlRICaptureThreadExchangeMode(ctypes.byref(mode)) == 0
    return allowed

def elsewhere(function, *arguments):
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)))
    thread.start(), thread.join()
    return results[0]

allowed = {GLOBAL: (False, False), THREAD_LOCAL: (False, True), RELAXED: (True, True)}
for mode, (here, there) in allowed.items():
    begin(s, mode)
    assert elsewhere(copies) == there and elsewhere(copies, RELAXED) and elsewhere(copies, THREAD_LOCAL)
    assert copies(RELAXED)
    assert status(s) == ACTIVE  # what another thread may not do ends no capture
    assert copies() == here
    assert end(s)[0] == (0 if here else 507903)
assert why == {
    "this thread captures, mode GLOBAL",
    "this thread captures, mode THREAD_LOCAL",
    "another thread captures, mode GLOBAL",
}, why
begin(s)
elsewhere(lambda: told(end(s)[0]))
assert status(s) == NONE
begin(s, RELAXED)
assert elsewhere(end, s)[0] == 0
assert acl.aclmdlRICaptureThreadExchangeMode(ctypes.byref(ctypes.c_int(7))) == 107000

begin(s)
side, e = stream(), event()
acl.aclrtRecordEvent(e, s), acl.aclrtStreamWaitEvent(side, e)
told(end(side)[0])  # it was brought in by an event
graph = P()
assert acl.aclmdlRICaptureGetInfo(s, ctypes.byref(ctypes.c_int()), ctypes.byref(graph)) == 0
told(acl.aclmdlRIExecute(graph, -1))
told(acl.aclmdlRIDestroy(graph))
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "107038 aclmdlRICaptureEnd: end capture in the wrong thread. Only captures of the mode RELAXED may end in "
        "another one",
        "107036 aclmdlRICaptureEnd: the capture was not initiated in this stream",
        "107026 aclmdlRIExecute: model is captured: end the capture first",
        "107026 aclmdlRIDestroy: model is captured: end the capture first",
    ]


def test_a_replay_that_fails_says_where(device_run) -> None:
    """A kernel that crashes, memory that was freed: the task by number and name."""
    done = device_run(
        HELPERS
        + """
start()
s = stream()
x, z = two_buffers(4)
y = malloc(16)
good, bad = add_one(x, z, 4, s), add_one(x, z, 4, s, "stray")
begin(s)
assert good() == 0 == bad()
told(acl.aclmdlRIExecuteAsync(end(s)[1], s))
begin(s)
assert good() == 0 == acl.aclrtMemcpyAsync(y, 16, z, 16, D2D, s)
code, graph = end(s)
told(acl.aclmdlRIExecuteAsync(graph, s))
acl.aclrtFree(y)
told(acl.aclmdlRIExecuteAsync(graph, s))
for function in ("aclmdlRICaptureTaskGrpBegin", "aclmdlRIAddCondTask", "aclmdlRIDebugJsonPrint"):
    told(getattr(acl, function)(None))
"""
    )
    assert done.returncode == 0, done.stderr
    assert "507035 replay of a graph, task 2 of 2 (AddOne):\nAddOne: the kernel crashed with SIGSEGV" in done.stdout
    assert "\n0 \n" in done.stdout
    assert "107000 replay of a graph, task 2 of 2 (aclrtMemcpyAsync):" in done.stdout
    assert "is not inside one allocation of device 0" in done.stdout
    assert "207000 aclmdlRICaptureTaskGrpBegin is not simulated" in done.stdout


def test_attributes_of_streams(device_run) -> None:
    done = device_run(
        HELPERS
        + """
start()
s = stream()
value = (ctypes.c_uint32 * 4)()
for attribute in (1, 2, 3, 4, 5):
    value[0] = attribute * 7
    assert acl.aclrtSetStreamAttribute(s, attribute, value) == 0
for attribute in (1, 2, 3, 4, 5):
    assert acl.aclrtGetStreamAttribute(s, attribute, value) == 0 and value[0] == attribute * 7
assert acl.aclrtSetStreamAttribute(s, 99, value) == 107000 and acl.aclrtGetStreamAttribute(P(1), 1, value) == 107017
"""
    )
    assert done.returncode == 0, done.stderr
