"""Tiling data of BEGIN_TILING_DATA_DEF: members that nobody sets are zero, in nested structs and arrays too.

As in CANN, whose TilingDef::InitData allocates them value-initialised; no launch is refused for them.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

SOURCE = """
#include <cstdio>
#include <cstdlib>
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(Inner)
TILING_DATA_FIELD_DEF(uint64_t, wide);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 5, few);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(Outer)
TILING_DATA_FIELD_DEF(uint8_t, first);
TILING_DATA_FIELD_DEF(uint32_t, set);
TILING_DATA_FIELD_DEF_STRUCT(Inner, inner);
TILING_DATA_FIELD_DEF(int32_t, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerOp, Inner)
}
int main() {
    // what the heap gives out next is not zero
    for (size_t bytes = 8; bytes < 4096; bytes += 8) {
        void* used = malloc(bytes);
        memset(used, 0xa5, bytes);
        free(used);
    }
    optiling::Outer tiling;
    tiling.set_set(0x01020304);
    unsigned char data[256];
    memset(data, 0xa5, sizeof(data));
    tiling.SaveToBuffer(data, sizeof(data));
    for (size_t i = 0; i < tiling.GetDataSize(); ++i) {
        printf("%02x", data[i]);
    }
    printf("\\n%d %d\\n", tiling.get_first(), tiling.get_last());
}
"""


def test_members_that_nobody_sets_are_zero(host_tools: HostTools, tmp_path: Path) -> None:
    (tmp_path / "zero.cpp").write_text(SOURCE)
    command = ["g++", "-std=c++17", f"-I{host_tools.root / 'include'}", str(tmp_path / "zero.cpp"), "-o"]
    command += [str(tmp_path / "zero"), f"-L{host_tools.root / 'lib64'}", "-lregister"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)
    env = {**os.environ, **host_tools.preload, "ASCEND_TOOLKIT_HOME": str(host_tools.root)}
    done = subprocess.run([str(tmp_path / "zero")], capture_output=True, text=True, check=True, env=env)
    data, values = done.stdout.splitlines()
    assert data == "00" * 4 + "04030201" + "00" * (8 + 16 + 8)
    assert values == "0 0"


ELSEWHERE = """
void Fill(optiling::Inner inner, uint64_t wide) { inner.set_wide(wide); }
int main() {
    unsigned char data[64];
    memset(data, 0xa5, sizeof(data));
    optiling::Outer tiling;
    Fill(tiling.inner, 7);  // a copy of a field has its bytes
    optiling::Outer other(tiling);
    other.set_set(5);
    printf("%d %d ", (int)tiling.inner.get_wide(), tiling.get_set());
    tiling.SetDataPtr(data);
    tiling.set_set(1);
    tiling.inner.set_wide(2);
    optiling::Inner inner(data + 40);
    inner.set_wide(3);
    printf("%02x %d %d %d", data[0], data[4], data[8], data[40]);
    tiling.SaveToBuffer(data, sizeof(data));  // where it is already
    printf(" %02x %d %d\\n", data[0], data[4], data[8]);
}
"""


def test_fields_that_lie_in_the_raw_tiling_data(host_tools: HostTools, tmp_path: Path) -> None:
    """SetDataPtr and the constructor with a pointer copy nothing: metadef base/registry/tilingdata_base.cc."""
    (tmp_path / "there.cpp").write_text(SOURCE.partition("int main()")[0] + ELSEWHERE)
    command = ["g++", "-std=c++17", f"-I{host_tools.root / 'include'}", str(tmp_path / "there.cpp"), "-o"]
    command += [str(tmp_path / "there"), f"-L{host_tools.root / 'lib64'}", "-lregister"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)
    env = {**os.environ, **host_tools.preload, "ASCEND_TOOLKIT_HOME": str(host_tools.root)}
    done = subprocess.run([str(tmp_path / "there")], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["7", "0", "a5", "1", "2", "3", "a5", "1", "2"]
