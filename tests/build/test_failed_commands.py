"""What is shown of a build in which several commands failed: each op, and the first error of each reason."""

from __future__ import annotations

from opforge.build.failed_commands import what_was_said

HASH = "6b263e436f2853120b4b8ee2b031ea9f"


def failed(made: str, *said: str) -> list[str]:
    return [f"[3/27] Compiling {made}", f"FAILED: [code=1] {made} ", "cd out && compile it", *said]


def kernel(op: str, number: int, *said: str) -> list[str]:
    name = f"{op}_{HASH[:-1]}{number}"
    heard = failed(f"kernels/dav-2201/{name}.o kernels/dav-2201/{name}.json", f"asc_opc: {op}: kernel not compiled")
    return [*heard, f"op_kernel/{op}.cpp: In function 'void run()':", *said]


def wrong(op: str, line: int, dtype: str) -> tuple[str, ...]:
    return (
        f"op_kernel/{op}.cpp:{line}:11: error: 'class Kernel<{dtype}>' has no member named 'Imit'",
        f"    {line} |     op.Imit(x);",
        "      |        ^~~~",
        f"op_kernel/{op}.cpp:99:1: error: another",
    )


END = ["[4/27] Compiling another", "ninja: build stopped: cannot make progress due to previous errors."]


def test_one_reason_is_told_whole() -> None:
    lines = [*kernel("Add", 0, *wrong("Add", 9, "half")), *kernel("Add", 1, *wrong("Add", 9, "float")), *END]
    assert what_was_said(lines) == [
        "asc_opc: Add: kernel not compiled",
        "op_kernel/Add.cpp: In function 'void run()':",
        *wrong("Add", 9, "half"),
    ]


def test_each_op_and_each_reason_is_named() -> None:
    lines = [
        *failed("op_host/CMakeFiles/cust_optiling.dir/add.cpp.o", "op_host/add.cpp:3:1: fatal error: no x.h"),
        *kernel("Add", 0, *wrong("Add", 9, "half")),
        *kernel("Mul", 2, *wrong("Mul", 7, "half")),
        *kernel("Add", 1, *wrong("Add", 9, "float")),
        *failed("kernels/odd.o", "the compiler says nothing of a place"),
        *END,
    ]
    assert what_was_said(lines) == [
        "add.cpp.o, Add (2 kernels), Mul, odd.o did not compile:",
        "op_host/add.cpp:3:1: fatal error: no x.h",
        *wrong("Add", 9, "half")[:3],
        *wrong("Mul", 7, "half")[:3],
        "the compiler says nothing of a place",
    ]


def test_one_reason_of_many_ops_names_them() -> None:
    shared = ("op_kernel/shared.h:3:1: error: 'x' was not declared",)
    lines = [*kernel("Add", 0, *shared), *kernel("Mul", 2, *shared), *END]
    head, *said = what_was_said(lines)
    assert head == "Add, Mul did not compile:"
    assert said[-1] == shared[0]


def test_of_many_reasons_the_source_is_left_out() -> None:
    ops = [f"Op{number}" for number in range(11)]
    lines = [line for op in ops for line in kernel(op, 0, *wrong(op, 9, "half"))]
    assert what_was_said([*lines, *END]) == [
        f"{', '.join(ops)} did not compile:",
        *(wrong(op, 9, "half")[0] for op in ops),
    ]
