"""The kernel tests once more, on an engine built with AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from api_rows import KERNEL_API

from tests.portion import Portion
from tests.sampled import sampled

pytestmark = pytest.mark.compiler

# One process with the whole of Python under the sanitizers: the tests that run kernels.
FILES = (
    "test_checks.py",
    "launch/test_system.py",
    "order/test_cores.py",
    "memory/test_atomic.py",
    "memory/test_data_copy.py",
    "matmul/test_matmul_refused.py",
    "matmul/test_matmul.py",
    "vector/test_functions.py",
    "vector/test_casts.py",
    "vector/test_compare_select.py",
)

FORM = """
cmake_minimum_required(VERSION 3.16)
project(sanitized LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_INSTALL_LIBDIR lib64)
set(CMAKE_BUILD_TYPE Release)
add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
add_link_options(-fsanitize=address,undefined)
function(sim_precompile)
endfunction()
add_library(sim_interfaces INTERFACE)
target_include_directories(sim_interfaces INTERFACE {simulator}/interfaces)
add_subdirectory({simulator}/kernel kernel)
add_subdirectory({simulator}/tools/asc_opc asc_opc)
install(DIRECTORY {simulator}/host/include/ DESTINATION include)
"""


def tool(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("count", sampled((2, len(FILES)), {2}))
def test_kernels_run_clean_under_the_sanitizers(tmp_path: Path, count: int, portion: Portion[str]) -> None:
    """The engine is built alone, so that the sanitizers of the other parts are their own tests' matter."""
    lists = FORM.format(simulator=KERNEL_API.parent)
    (tmp_path / "CMakeLists.txt").write_text(lists)
    root = tmp_path / "toolkit"
    tool("cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), "-G", "Ninja", f"-DCMAKE_INSTALL_PREFIX={root}")
    tool("ninja", "-C", str(tmp_path / "build"), "-j2", "install")
    libraries = [tool("g++", f"-print-file-name=lib{name}.so") for name in ("asan", "ubsan")]
    here = Path(__file__).parent
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            *(str(here / file) for file in portion(FILES, count)),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=here.parents[2],
        env={
            **os.environ,
            "OPFORGE_KERNEL_TOOLKIT": str(root),
            "LD_PRELOAD": " ".join(libraries),
            # Python itself leaks; a kernel that throws leaves its frames by the unwinder
            "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    assert "runtime error" not in done.stdout + done.stderr
