"""Sources that hold host and device code: <<<>>>, bisheng, and the language ASC of CMake."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opforge.toolkit.build_tools import find_cmake, find_ninja

SOURCES = Path(__file__).parent / "asc"

pytestmark = pytest.mark.compiler

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(activation: dict[str, str]) -> Run:
    def run_one(*command: object, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        env = activation | variables
        return subprocess.run(words, env=env, cwd=cwd, capture_output=True, text=True, timeout=240, check=False)

    return run_one


@pytest.fixture(scope="module")
def program(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kernels.asc, moved away from where it was built."""
    folder = tmp_path_factory.mktemp("asc")
    done = run("bisheng", SOURCES / "kernels.asc", "-o", folder / "built", "--npu-arch=dav-2201")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return (folder / "built").rename(folder / "moved")


@pytest.mark.parametrize("count", [1, 63, 64, 65, 131])
def test_a_struct_and_addresses_arrive(program: Path, run: Run, count: int) -> None:
    done = run(program, "scale", count)
    assert done.returncode == 0, done.stderr
    *values, ended = done.stdout.splitlines()
    assert ended == "scale: 0"
    assert [float(value) for value in values] == [0.5 * i + 3 for i in range(count)]


@pytest.mark.parametrize("blocks", [1, 48, 49, 113])
def test_each_instance_of_a_template_runs_on_more_blocks_than_cores_too(program: Path, run: Run, blocks: int) -> None:
    done = run(program, "number", blocks)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:-1] == [f"{7 * i} {-10 * i}" for i in range(blocks)]


def test_a_block_of_cube_and_vector_cores(program: Path, run: Run) -> None:
    done = run(program, "cores", 2)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[:-1]) == [f"vector core {i} of 2" for i in range(4)]


def test_blocks_that_wait_for_each_other_are_no_more_than_cores(program: Path, run: Run) -> None:
    done = run(program, "cores", 25)
    assert done.stdout == "cores: 107000\n"
    assert done.stderr.startswith("cores: block dim 25 is above the 24 cube cores of Ascend910B1")


def test_a_report_names_kernel_block_and_place(program: Path, run: Run) -> None:
    done = run(program, "outside", 9)
    line = next(
        i for i, row in enumerate((SOURCES / "kernels.asc").read_text().splitlines(), 1) if "tile, from, kT" in row
    )
    place = f"{SOURCES / 'kernels.asc'}:{line}"
    assert (done.returncode, done.stdout) == (1, "outside: 507035\n")
    assert done.stderr.splitlines()[0] == (
        f"outside: block 0 of 1: {place}: DataCopy: reads 256 bytes at offset 0 of x, which has 37 bytes (219 too many)"
    )
    assert done.stderr.splitlines()[-1] == f"  in: outside ({place})"


def test_assertions_of_the_standard_header_are_the_devices_in_a_kernel(program: Path, run: Run) -> None:
    assert run(program, "limited", 1).returncode == 0
    done = run(program, "limited", 2)
    line = 1 + next(
        i for i, row in enumerate((SOURCES / "kernels.asc").read_text().splitlines()) if "count < li" in row
    )
    place = f"{SOURCES / 'kernels.asc'}:{line}"
    assert done.stdout == "limited: 507035\n"
    assert done.stderr.startswith(f"limited: block 0 of 1: {place}: assert: ")
    assert "count < limit" in done.stderr
    assert done.stderr.splitlines()[-1] == f"  in: limited<2u>(unsigned int) ({place})"


FLAGS = {
    "Plain": ("__vector__", "", "AIV_ONLY", 0),
    "Hard": ("__vector__", "AscendC::SyncAll();", "MIX_AIV_1_0", 1),
    "Soft": ("__vector__", "AscendC::SyncAll(g, u);", "AIV_ONLY", 1),
    "Set": ("__vector__", "AscendC::IBSet(g, u, 0, 0);", "AIV_ONLY", 1),
    "Cross": ("__cube__", "AscendC::CrossCoreWaitFlag(3);", "MIX_AIC_1_0", 1),
    "Raw": ("__vector__", "ffts_cross_core_sync(PIPE_MTE3, 0x301);", "MIX_AIV_1_0", 1),
    "Wait": ("__cube__", "wait_flag_dev(PIPE_S, 3);", "MIX_AIC_1_0", 1),
}
TYPES = ("AIV_ONLY", "AIC_ONLY", "MIX_AIC_1_1", "MIX_AIC_1_2", "MIX_AIV_1_0", "MIX_AIC_1_0")  # as in sim_launch.h


def test_only_the_hardwares_flags_ask_for_a_type_that_has_them(run: Run, tmp_path: Path) -> None:
    """As asc_opc has it; what waits through global memory is not a matter of the type."""
    tensors = "AscendC::GlobalTensor<int32_t> g; AscendC::LocalTensor<int32_t> u;"
    kernels = [f"__global__ {cores} void {n}() {{ {tensors} {body} }}" for n, (cores, body, _, _) in FLAGS.items()]
    launches = " ".join(f"{name}<<<1, nullptr, stream>>>();" for name in FLAGS)
    lines = ['#include "acl/acl.h"', '#include "kernel_operator.h"', *kernels]
    source, built, kernels_so = tmp_path / "flags.asc", tmp_path / "flags.o", tmp_path / "kernels.so"
    source.write_text("\n".join([*lines, f"void Launch(aclrtStream stream) {{ {launches} }}", ""]), encoding="utf-8")
    done = run("bisheng", "-c", source, "-o", built, "--npu-arch=dav-2201")
    assert done.returncode == 0, done.stderr
    section = "--only-section=.rodata.simKernels"
    assert run("objcopy", "-O", "binary", section, built, kernels_so).returncode == 0
    ask = f"""
        import ctypes
        kernels = ctypes.CDLL({str(kernels_so)!r}, mode=ctypes.RTLD_GLOBAL)
        for key in range({len(FLAGS)}):
            key = ctypes.c_uint64(key)
            print(kernels.sim_kernel_type(key), kernels.sim_kernel_synchronises(key))
    """
    answers = run(sys.executable, "-c", textwrap.dedent(ask)).stdout.splitlines()
    # by the mangled names' order, in which entries are numbered
    by_name = sorted(FLAGS.items(), key=lambda item: (len(item[0]), item[0]))
    assert answers == [f"{TYPES.index(type_)} {waits}" for _, (_, _, type_, waits) in by_name]


@pytest.fixture(scope="module")
def sides(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """sides.asc, with an option whose value is the next word."""
    built = tmp_path_factory.mktemp("sides") / "built"
    options = ("-mllvm", "-cce-aicore-record-overflow=true", "--npu-arch=dav-2201", "-std=c++17")
    done = run("bisheng", SOURCES / "sides.asc", "-o", built, *options)
    assert done.returncode == 0, done.stderr
    return built


@pytest.mark.parametrize(
    ("kind", "blocks", "wrote"),
    [("cube", 24, (24, 0)), ("vector", 48, (0, 48)), ("both", 3, (3, 6))],  # 48 blocks would be too many of both
)
def test_a_kernel_without_a_type_is_of_the_cores_it_has_code_for(
    sides: Path, run: Run, kind: str, blocks: int, wrote: tuple[int, int]
) -> None:
    done = run(sides, kind, blocks)
    assert done.returncode == 0, done.stderr
    cubes, vectors = ([int(word) for word in line.split()] for line in done.stdout.split("\n")[:2])
    assert cubes == [100 + i for i in range(wrote[0])]
    assert vectors == [2 * (100 + i) for i in range(wrote[1])]


def test_more_blocks_than_cube_cores_of_a_kernel_for_both(sides: Path, run: Run) -> None:
    assert "block dim 48 is above the 24 cube cores" in run(sides, "both", 48).stderr


def test_the_hosts_half_and_bfloat16(sides: Path, run: Run) -> None:
    values = np.array([1 / 3, -65519, 65520, 2**-24 * 1.5, 2**-25, 2049])
    with np.errstate(over="ignore"):
        halves = values.astype(np.float16)
    floats = values.astype(np.float32).view(np.uint32)
    brains = ((floats + 0x7FFF + (floats >> 16 & 1)) >> 16).astype(np.uint16)
    numbers = (brains.astype(np.uint32) << 16).view(np.float32)
    rows = zip(halves.view(np.uint16), halves.astype(float), brains, numbers.astype(float), strict=True)
    assert run(sides, "numbers").stdout.splitlines() == [
        *("{:04x} {:.9g} {:04x} {:.9g}".format(*row) for row in rows),
        "7 1",
        "inf 1 0 -65504 7fff ffff",
    ]


def test_memory_of_the_host_is_refused(program: Path, run: Run) -> None:
    done = run(program, "nowhere", 1)
    assert done.stdout == "nowhere: 107000\n"
    assert "which is not memory of the current device (aclrtMalloc)" in done.stderr


def test_entries_of_a_list_belong_to_the_launch(program: Path, run: Run) -> None:
    assert run(program, "listed", 64).returncode == 0
    done = run(program, "listed", 9)
    assert done.stdout == "listed: 507035\n"
    assert (
        ": DataCopy: reads 256 bytes at offset 0 of an entry of a list, which has 37 bytes (219 too many)"
        in done.stderr
    )


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [
        (
            "number",
            0,
            "number: numBlocks is 0\n  rule: numBlocks is 1 to 65535 [guide/编程指南/语言扩展层/SIMD-BuiltIn关键字]",
        ),
        (
            "dynamic",
            196609,
            "outside: dynUBufSize is 196609, the unified buffer of Ascend910B1 has 196608 bytes\n"
            "  rule: dynUBufSize is a part of the unified buffer [guide/编程指南/语言扩展层/SIMD-BuiltIn关键字]",
        ),
    ],
)
def test_launches_that_cannot_be_are_refused(program: Path, run: Run, name: str, count: int, message: str) -> None:
    done = run(program, name, count)
    assert done.stdout == f"{name}: 107000\n"
    assert message in done.stderr


def test_the_documentations_example_runs_and_its_report_is_as_shown(run: Run, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "asc_sources.md").read_text(encoding="utf-8")
    code, _, rest = page.partition("`double.asc`:\n")[2].partition("\nBuilt and run")
    source = tmp_path / "double.asc"
    source.write_text(textwrap.dedent(code).lstrip("\n"))
    done = run("bisheng", source, "-o", tmp_path / "double", "--npu-arch=dav-2201")
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "double").stdout == "0: 3\n"
    source.write_text(source.read_text().replace("twice<<<4", "twice<<<5"))
    done = run("bisheng", source, "-o", tmp_path / "double", "--npu-arch=dav-2201")
    report = run(tmp_path / "double").stderr.replace(f"{tmp_path}/", "").splitlines()
    shown = rest[rest.index("    twice: block") :].splitlines()[:5]
    assert report[:5] == [row.removeprefix("    ") for row in shown]


HEAD = '#include "kernel_operator.h"\n'
KERNEL = HEAD + "__global__ __vector__ void k(GM_ADDR x)\n{{\n    {body}\n}}\n"
HOST = HEAD + "__global__ __vector__ void k(int x) {{}}\nvoid f()\n{{\n    {body}\n}}\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (KERNEL.format(body="int n = undeclared;"), "4:13: error: 'undeclared' was not declared in this scope"),
        (KERNEL.format(body="double n = *x;"), "4: error: double: double precision does not exist on the AI Core"),
        (KERNEL.format(body="*x = std::floor(*x);"), "4: error: std::floor: libm does not exist on the AI Core"),
        (
            KERNEL.format(body="float f = static_cast<int>(*x); *x = static_cast<int>(f + 0.5);"),
            "4: error: arithmetic in double precision",
        ),
        (
            KERNEL.format(body="uint32_t n = *x; float f = (float)n; *x = f > 2;"),
            "4: error: cast from uint32_t to float: the AI Core",
        ),
        (KERNEL.format(body="delete new int(*x);"), "4: error: new: the AI Core has no heap"),
        (HOST.format(body="k<<<1, 0, nullptr, 2>>>(1);"), "5: error: '<<<1, 0, nullptr, 2>>>': it takes numBlocks"),
        (HOST.format(body="k<<<1, 0;"), "5: error: '<<<' without '>>>'"),
        (HOST.format(body="k<<<1, 0>>>;"), "5: error: '<<<1, 0>>>' without the kernel's arguments"),
        (HOST.format(body='k<<<1, 0>>>("one");'), "error: invalid conversion from 'const char*' to 'int'"),
        (
            HEAD + "struct S { S() {} S(const S&) {} };\n"
            "__global__ __vector__ void k(S s) {}\nvoid f() { k<<<1, 0>>>(S()); }\n",
            "a kernel's parameter is an address, a number or a struct that may be copied byte by byte "
            "(语言扩展层/SIMD-BuiltIn关键字)",
        ),
        (HEAD + "__global__ __mix__(2, 1) void k() {}\n", "2: error: __mix__(2, 1): there are (1, 0), (0, 1)"),
        (HEAD + "extern __global__ __aicpu__ int k(void*);\n__global__ __aicpu__ int k(void*) {}\n", "no AI CPU"),
    ],
)
def test_what_is_wrong_in_a_source_is_named_with_its_place(run: Run, tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "wrong.asc"
    path.write_text(source)
    done = run("bisheng", "-c", path, "-o", tmp_path / "wrong.o", LC_ALL="C")
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count(f"{path}:") >= 1
    assert "bisheng." not in done.stderr
    assert not (tmp_path / "wrong.o").exists()


def test_what_only_device_code_has_not_is_the_hosts_to_use(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "right.asc"
    path.write_text(
        HEAD + '#include <string>\n#include <vector>\nstatic std::vector<std::string> names{"a"};\n'
        "int Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1) + Factorial(n - 2); }\n"
        "__global__ __vector__ void k(int x) {}\n"
        "float f(unsigned n)\n{\n    names.push_back(std::to_string(Factorial(n)));\n"
        "    k<<<1, 0>>>(1);\n    return n;\n}\n"
    )
    done = run("bisheng", "-c", path, "-o", tmp_path / "right.o")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.asc", "--npu-arch=dav-3002"], "--npu-arch=dav-3002: the simulated device has the kernel API of dav-2201"),
        (["-c"], "no input files"),
        (["a.asc", "--enable-simt"], "--enable-simt: SIMT exists on Ascend 950 only"),
        (["-dc", "a.asc"], "-dc: device code of one source cannot call another's here"),
        (["-c", "a.asc", "b.asc", "-o", "c.o"], "-o with -c and several sources"),
    ],
)
def test_options_that_cannot_be_followed_are_refused(run: Run, words: list[str], message: str) -> None:
    done = run("bisheng", *words)
    assert done.returncode == 1
    assert done.stderr.startswith(f"bisheng: error: {message}")


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake_builds_the_language_asc(run: Run, tmp_path: Path, generator: str) -> None:
    project = tmp_path / "ein Wörterbuch 中"
    shutil.copytree(SOURCES, project)
    if generator != "Ninja" and shutil.which("make") is None:
        pytest.skip("no make")
    cmake, build = find_cmake({}), project / "build it"
    tool = [f"-DCMAKE_MAKE_PROGRAM={find_ninja({})}"] if generator == "Ninja" else []
    done = run(cmake, "-S", project, "-B", build, "-G", generator, *tool)
    assert done.returncode == 0, done.stderr
    done = run(cmake, "--build", build)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run(build / "program", "scale", 3).stdout.splitlines() == ["3", "3.5", "4", "scale: 0"]
    done = run(build / "library_user")
    assert (done.returncode, done.stdout) == (0, "1 2 4 8\n"), done.stderr
    # Nothing is built twice, and a change of a header is seen.
    assert "Building ASC" not in run(cmake, "--build", build).stdout
    header = project / "doubled.h"
    header.write_text(header.read_text().replace("* 2", "* 3"))
    done = run(cmake, "--build", build)
    assert "doubled.asc" in done.stdout
    assert "kernels.asc" not in done.stdout
    assert run(build / "library_user").stdout == "1 3 9 27\n"


def test_programs_can_convert_float16(toolkit_root: Path) -> None:
    library = ctypes.CDLL(str(toolkit_root / "lib64" / "libascendcl.so"))
    library.aclFloat16ToFloat.restype = ctypes.c_float
    library.aclFloat16ToFloat.argtypes = [ctypes.c_uint16]
    library.aclFloatToFloat16.restype = ctypes.c_uint16
    library.aclFloatToFloat16.argtypes = [ctypes.c_float]
    bits = np.unique(np.concatenate([np.arange(0, 65536, 97), [0, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x8000, 0xFC00]]))
    numbers = bits.astype(np.uint16).view(np.float16)
    there = np.array([library.aclFloat16ToFloat(int(one)) for one in bits], np.float32)
    np.testing.assert_array_equal(there, numbers.astype(np.float32))
    steps = [
        1,
        1 + 2**-11,
        1 + 3 * 2**-11,
        65519,
        65520,
        2**-25,
        2**-24 * 1.5,
        2**-14 * (1 - 2**-12),
        -0.1,
        1e-9,
        np.inf,
    ]
    with np.errstate(over="ignore"):
        wanted = np.array(steps, np.float32).astype(np.float16).view(np.uint16)
    assert [library.aclFloatToFloat16(one) for one in steps] == wanted.tolist()
