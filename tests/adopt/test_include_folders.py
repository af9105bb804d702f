"""Headers and their C++ files that adopt finds around an operator."""

from __future__ import annotations

from pathlib import Path

from opforge.adopt.include_folders import Repository
from opforge.adopt.layouts import Unit

TILING = '#include "atvoss/tiling.h"\n'
NEEDED = ["third_party/opbase/pkg_inc"]


def repository(root: Path, files: dict[str, str]) -> Repository:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Repository(root, ())


def test_the_cpp_file_of_a_header_of_pkg_inc(tmp_path: Path) -> None:
    files = {
        "is_inf/op_host/tiling.cpp": TILING,
        "third_party/opbase/pkg_inc/atvoss/tiling.h": "",
        "third_party/opbase/src/atvoss/tiling.cpp": "",
    }
    found = repository(tmp_path, files).included(Unit("is_inf", ("op_host/tiling.cpp",), ()))
    assert found.folders == NEEDED
    assert found.sources == ["third_party/opbase/src/atvoss/tiling.cpp"]


def test_a_header_beside_op_host_that_is_named_by_its_architecture(tmp_path: Path) -> None:
    files = {
        "is_inf/op_host/tiling.cpp": '#include "tiling_arch35.h"\n#include "arch35/more.h"\n',
        "is_inf/op_host/tiling_arch35.h": TILING,
        "is_inf/op_host/arch35/more.h": '#include "other/other.h"\n',
        "is_inf/op_kernel/is_inf.cpp": '#include "kernel_arch35.h"\n',
        "is_inf/op_kernel/kernel_arch35.h": '#include "other/other.h"\n',
        "third_party/opbase/pkg_inc/atvoss/tiling.h": "",
        "third_party/other/other/other.h": "",
    }
    unit = Unit("is_inf", ("op_host/tiling.cpp",), ("op_kernel/is_inf.cpp",))
    assert repository(tmp_path, files).included(unit).folders == NEEDED
