"""The log's headers, which host code of operator repositories includes, and what CANN's headers include for others."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

LOG = """
#include <base/alog_pub.h>
#include <base/err_msg.h>
#include "toolchain/slog.h"
#include "log/log.h"
int main() {
    dlog_info(OP, "not said");
    dlog_event(OP, "not said");
    dlog_error(OP, " %d", 1);
    DlogSub(OP, "part", DLOG_WARN, " %d", 2);
    if (AlogCheckDebugLevel(OP, DLOG_INFO) == 0) {
        AlogRecord(OP, DLOG_TYPE_DEBUG, DLOG_ERROR, "%s", "three");
    }
    REPORT_INNER_ERR_MSG("E89999", "four is %d", 4);
    REPORT_USER_DEFINED_ERR_MSG("E1", "five");
    REPORT_PREDEFINED_ERR_MSG("E2", std::vector<const char*>{"shape"}, std::vector<const char*>{"[6]"});
    OP_LOGE("Seven", "seven");
    return HCCL == 3 && OP == 63 && INVLID_MOUDLE_ID == 76 ? 0 : 1;
}
"""
SAID = """\
[ERROR] [log.cpp:9] 1
[WARNING] [log.cpp:10][part] 2
[ERROR] three
[ERROR] log.cpp:14 main: E89999: four is 4
[ERROR] E1: five
[ERROR] E2: shape [6]
[ERROR] log.cpp:17 Seven: seven
"""
# Each header, and a name of the standard library that CANN's own brings with it.
BROUGHT = {
    "exe_graph/runtime/shape.h": "std::numeric_limits<int>::max() + (std::cout.good() ? 1 : 0)",
    "register/op_impl_registry.h": "std::unordered_set<int>{1}.size() + std::set<int>{1}.size()",
    "graph/ascend_string.h": "std::function<int()>([] { return 1; })()",
}


@pytest.mark.parametrize("standard", ["c++11", "c++17"])
def test_what_the_log_says(standard: str, host_tools: HostTools, tmp_path: Path) -> None:
    (tmp_path / "log.cpp").write_text(LOG)
    command = ["g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{host_tools.root / 'include'}"]
    subprocess.run([*command, "log.cpp", "-o", "log"], check=True, cwd=tmp_path)
    done = subprocess.run([str(tmp_path / "log")], capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stderr == SAID


@pytest.mark.parametrize("header", BROUGHT)
def test_what_a_header_brings_with_it(header: str, host_tools: HostTools, tmp_path: Path) -> None:
    (tmp_path / "one.cpp").write_text(f'#include "{header}"\nauto one = {BROUGHT[header]};\n')
    command = ["g++", "-std=c++11", "-fsyntax-only", f"-I{host_tools.root / 'include'}", str(tmp_path / "one.cpp")]
    subprocess.run(command, check=True)
