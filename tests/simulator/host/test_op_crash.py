"""An op's own tiling that crashes: what is said before the process dies of it, and that nothing else changes."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable

import pytest

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "subprocess.CompletedProcess[str]"]
CALL = 'failure("AddCustom", Tensor([{0}]), Tensor([{0}]), 1.0, Tensor([{0}]))'
WHO = "opforge simulator: AddCustom: tiling for x [{0}], y [{0}] on Ascend910B1 crashed.\n"
OURS = {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigfpe=0:handle_abort=0"}  # of the sanitized host side
LIMIT = "import resource as r; r.setrlimit(r.RLIMIT_STACK, (8 << 20, r.getrlimit(r.RLIMIT_STACK)[1]))\n"
FULL = "SIGSEGV: the stack is full: a function calls itself without end, or has a very large array"
END = "  The function is the operator's own code in op_host: it runs in this process, which ends now.\n"


@pytest.mark.parametrize(
    ("length", "died_of", "what", "frame"),
    [
        (823, signal.SIGFPE, "SIGFPE: an integer was divided by zero", "optiling::Rounds(long)"),
        (
            831,
            signal.SIGABRT,
            "SIGABRT: abort() was called, as a failed assert and an exception in a noexcept function do",
            "optiling::Crash(long)",
        ),
        (
            833,
            signal.SIGILL,
            "SIGILL: there is no instruction here; g++ puts such an end behind a function without return",
            "optiling::Crash(long)",
        ),
        (837, signal.SIGSEGV, "SIGSEGV: a null pointer was used", "optiling::Crash(long)"),
        (839, signal.SIGSEGV, "SIGSEGV: memory that is not there was used", "optiling::Crash(long)"),
        (853, signal.SIGSEGV, FULL, "optiling::Deeper(long)"),
        (857, signal.SIGSEGV, FULL, "optiling::Fill(long)"),
    ],
)
def test_a_crash_names_op_function_and_line(
    aclnn_run: AclnnRun, length: int, died_of: signal.Signals, what: str, frame: str
) -> None:
    done = aclnn_run(LIMIT + CALL.format(length), check=False, **OURS)
    assert done.returncode == -died_of
    who, how, where, *rest = done.stderr.splitlines(keepends=True)
    assert (who, "".join(rest)) == (WHO.format(length), END)
    assert how == f"  {what}\n"
    name, _, place = where.partition(" at ")
    assert name == f"  in {frame}"
    assert place.rpartition(":")[0].endswith("sources/op_host.cpp")


def test_python_s_own_handler_has_the_signal_next(aclnn_run: AclnnRun) -> None:
    done = aclnn_run(f"import faulthandler; faulthandler.enable()\n{CALL.format(823)}", check=False, **OURS)
    assert done.returncode == -signal.SIGFPE
    assert done.stderr.startswith(WHO.format(823))
    assert f"{END}Fatal Python error: Floating" in done.stderr
    assert "in failure" in done.stderr


def test_crashes_elsewhere_are_not_ours(aclnn_run: AclnnRun) -> None:
    """The handlers are there only while an op's function runs: what Python has set in between stays."""
    done = aclnn_run(
        f"""
        import signal
        {CALL.format(17)}
        assert signal.getsignal(signal.SIGFPE) == signal.SIG_DFL
        signal.signal(signal.SIGFPE, lambda *_: print("mine", flush=True))
        {CALL.format(17)}
        signal.raise_signal(signal.SIGFPE)
        signal.signal(signal.SIGFPE, signal.SIG_DFL)
        signal.raise_signal(signal.SIGFPE)
        """,
        check=False,
        **OURS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGFPE, "mine\n", "")


def test_crashes_in_threads(aclnn_run: AclnnRun) -> None:
    """Other threads are inside functions that end well; the one that dies names its own call."""
    done = aclnn_run(
        f"""
        import threading
        def often():
            for _ in range(200):
                {CALL.format(19)}
        threads = [threading.Thread(target=often) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        threads = [threading.Thread(target=often) for _ in range(3)]
        for thread in threads: thread.start()
        {CALL.format(823)}
        """,
        check=False,
        **OURS,
    )
    assert done.returncode == -signal.SIGFPE
    assert done.stderr.startswith(WHO.format(823))


def test_an_exception_is_a_failure(aclnn_run: AclnnRun) -> None:
    done = aclnn_run(f"print({CALL.format(829)})")
    assert done.stdout == (
        "561002: EZ9999: AddCustom: tiling failed for x [829], y [829] on Ascend910B1: an exception left the function:"
        " there is no row 829 (561002)\n"
    )
