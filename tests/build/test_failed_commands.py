"""What is shown of a build in which several commands failed: each op, and the first error of each reason."""

from __future__ import annotations

from opforge.build.failed_commands import what_was_said

HASH = "6b263e436f2853120b4b8ee2b031ea9f"


def failed(made: str, *said: str) -> list[str]:
    makefile = f"{made.split('/', maxsplit=1)[0]}/CMakeFiles/some.dir/build.make:76"
    return [f"[ 12%] Building {made}", *said, f"make[3]: *** [{makefile}: {made}] Error 1"]


def kernel(op: str, number: int, *said: str) -> list[str]:
    name = f"{op}_{HASH[:-1]}{number}"
    heard = (f"asc_opc: {op}: kernel not compiled", f"op_kernel/{op}.cpp: In function 'void run()':")
    return failed(f"kernels/dav-2201/{name}.o", *heard, *said)


def wrong(op: str, line: int, dtype: str) -> tuple[str, ...]:
    return (
        f"op_kernel/{op}.cpp:{line}:11: error: 'class Kernel<{dtype}>' has no member named 'Imit'",
        f"    {line} |     op.Imit(x);",
        "      |        ^~~~",
        f"op_kernel/{op}.cpp:99:1: error: another",
    )


END = [
    "[ 14%] Compiling kernel another",
    "make[3]: Target 'CMakeFiles/binary' not remade because of errors.",
    "make[2]: *** [CMakeFiles/Makefile2:232: CMakeFiles/binary.dir/all] Error 2",
    "make: *** [Makefile:156: binary] Error 2",
]


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


def of_cann(op: str, *said: str) -> list[str]:
    """A kernel under CANN's own functions, which start a make of their own below make."""
    name = f"{op}_{HASH}"
    return [
        "[ 60%] Built target before",
        f"[ascend910b] Generating {name} ...",
        *said,
        "[ERROR] compile failed",
        f"/out/{op.lower()}/{name}.json not generated!",
        f"make[4]: *** [/out/{op}_ascend910b/{op.lower()}.make:3: {op.lower()}0] Error 1",
        "make[4]: Target 'all' not remade because of errors.",
        "Traceback (most recent call last):",
        '  File "/cann/util/ascendc_compile_kernel.py", line 337, in <module>',
        f"RuntimeError: Kernel Compilation Error: OpType {op} Kernel File /src/op_kernel/{op}.cpp!",
        f"make[3]: *** [op_kernel/CMakeFiles/{op}_ascend910b.dir/build.make:70: op_kernel/{op}_ascend910b] Error 1",
        f"make[2]: *** [CMakeFiles/Makefile2:300: op_kernel/CMakeFiles/{op}_ascend910b.dir/all] Error 2",
    ]


def test_kernels_of_cann_are_told_without_its_traceback() -> None:
    lines = [*of_cann("Add", *wrong("Add", 9, "half")), *of_cann("Mul", *wrong("Mul", 7, "half")), *END]
    assert what_was_said(lines) == [
        "Add, Mul did not compile:",
        *wrong("Add", 9, "half")[:3],
        *wrong("Mul", 7, "half")[:3],
    ]


def test_kernels_that_failed_without_make_being_told() -> None:
    name = f"Add_{HASH}"
    lines = [
        f"[ 20%] Compiling kernel {name}",
        f"[ascend910b] Generating {name} ...",
        *wrong("Add", 9, "half"),
        f"[ascend910b] Generating {name} Done",
        "[100%] Built target binary",
    ]
    assert what_was_said(lines, [name]) == [*wrong("Add", 9, "half")]


def test_a_make_that_does_not_name_makefiles() -> None:
    """Before 4.0."""
    lines = [
        "[ 12%] Building op_host/add.cpp.o",
        "op_host/add.cpp:3:1: error: no",
        "make[3]: *** [op_host/CMakeFiles/cust_optiling.dir/add.cpp.o] Error 1",
        "make[2]: *** [op_host/CMakeFiles/cust_optiling.dir/all] Error 2",
        "make: *** [binary] Error 2",
    ]
    assert what_was_said(lines) == ["op_host/add.cpp:3:1: error: no"]


OF_CANN = """\
$ cmake -S src
-- The C compiler identification is GNU 12.2.0
CMake Warning (policy) at func.cmake:1200 (install):
  Policy CMP0177 is not set: install() DESTINATION paths are normalized.  Run
  "cmake --help-policy CMP0177" for policy details.
Call Stack (most recent call first):
  op_host/CMakeLists.txt:44 (npu_op_package_add)
This warning is for project developers.  Use -Wno-dev to suppress it.

INFO target name: cust_opapi
compile ascend_all_ops info: /usr/bin/g++ -fPIC -std=c++11 -c -o add.o op_host/add.cpp

compile ascend_all_ops result: 1
CMake Error at func.cmake:732 (message):
  opbuild run failed! In file included from op_host/a_name_that_fills_a_line.h:11,

                   from op_host/add.cpp:5:

  op_host/another_name_that_fills_a_line.h:21:10:
  fatal error: x.h: No such file or directory

     21 | #include "x.h"
        |          ^~~~~

  compilation terminated.

  make: *** [/out/autogen/ascendc_all_ops.make:31: /out/add.o] Error 1

  Traceback (most recent call last):

    File "compile_ascendc_all_ops_so.py", line 127, in <module>
      run_compile_cmd(args)

  RuntimeError: compile ascend all ops failed

Call Stack (most recent call first):
  op_host/CMakeLists.txt:13 (npu_op_code_gen)


-- Configuring incomplete, errors occurred!
"""


def test_op_host_under_cann_is_read_out_of_cmakes_own_error() -> None:
    assert what_was_said(OF_CANN.splitlines()) == [
        "In file included from op_host/a_name_that_fills_a_line.h:11,",
        "                 from op_host/add.cpp:5:",
        "op_host/another_name_that_fills_a_line.h:21:10: fatal error: x.h: No such file or directory",
        '   21 | #include "x.h"',
        "      |          ^~~~~",
        "compilation terminated.",
    ]


def test_op_build_under_cann() -> None:
    said = """\
opbuild ops info: [ERROR]   77 [op_generator.cpp:60][SetGenPath]no

opbuild ops result: 1
CMake Error at func.cmake:782 (message):
  opbuild ops error: Element num of DataType and Format is not aligned.

Call Stack (most recent call first):
  op_host/CMakeLists.txt:13 (npu_op_code_gen)
"""
    assert what_was_said(said.splitlines()) == [
        "[ERROR]   77 [op_generator.cpp:60][SetGenPath]no",
        "Element num of DataType and Format is not aligned.",
    ]


def test_an_error_of_cmake_itself() -> None:
    said = """\
CMake Error at CMakeLists.txt:5 (find_package):
  By not providing "FindASC.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file.


-- Configuring incomplete, errors occurred!
"""
    assert what_was_said(said.splitlines()) == [
        'By not providing "FindASC.cmake" in CMAKE_MODULE_PATH this project has asked CMake to find a package'
        " configuration file."
    ]


def test_remarks_of_canns_headers_are_left_out() -> None:
    lines = [
        "[ 25%] Building CXX object op_host/add.cpp.o",
        "In file included from /cann/include/a.h:16,",
        "                 from op_host/add.cpp:6:",
        "/cann/include/b.h:15:122: note: '#pragma message: Warning: b.h is deprecated'",
        '   15 |     "Warning: b.h is deprecated")',
        "      |                             ^",
        "op_host/add.cpp:3:1: warning: unused variable 'x'",
        "    3 | int x;",
        "In file included from op_host/add.cpp:7:",
        "op_host/add.h:4:1: error: 'y' does not name a type",
        "    4 | y z;",
        "op_host/add.h:2:1: note: declared here",
        "    2 | int z;",
        "make[3]: *** [op_host/CMakeFiles/a.dir/build.make:79: op_host/add.cpp.o] Error 1",
    ]
    assert what_was_said(lines) == lines[8:13]
