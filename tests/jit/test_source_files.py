"""The files of ``opforge.load``: their places in a project, the op that they define, another type for it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from opforge.errors import UsageError
from opforge.jit.source_files import ANY_ENCODING, defined_op, read_sources, renamed

DEFINITION = "class AddCustom : public OpDef {};\nOP_ADD(AddCustom);\n"
KERNEL = 'extern "C" __global__ __aicore__ void add_custom(GM_ADDR x) {}\n'


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(texts: object) -> list[str]:
    assert isinstance(texts, dict)
    return sorted(str(path) for path in texts)


def test_a_folder_stands_for_its_two_folders(tmp_path: Path) -> None:
    write(tmp_path, op_host__a_DOT_cpp=DEFINITION, op_host__a_tiling_DOT_h="", op_kernel__arch__a_DOT_cpp=KERNEL)
    write(tmp_path, reference_DOT_py="", tests__t_DOT_cpp="", op_host___DOT_a_DOT_cpp_DOT_swp="")
    found = ["op_host/a.cpp", "op_host/a_tiling.h", "op_kernel/arch/a.cpp", "reference.py"]
    assert names(read_sources(tmp_path)) == found
    assert names(read_sources([str(tmp_path / "op_host"), tmp_path / "op_kernel"])) == found[:-1]


def test_files_elsewhere_are_recognised_by_their_text(tmp_path: Path) -> None:
    write(tmp_path, d_DOT_cpp=DEFINITION, k_DOT_cpp=KERNEL, t_DOT_h="", g_DOT_py="def add_custom(x): ...\n")
    files = [tmp_path / name for name in ("d.cpp", "k.cpp", "t.h", "g.py")]
    assert names(read_sources(files)) == [
        "op_host/d.cpp",
        "op_host/t.h",
        "op_kernel/k.cpp",
        "op_kernel/t.h",
        "reference.py",
    ]


def test_comments_in_another_encoding(tmp_path: Path) -> None:
    for name, text in (("d.cpp", DEFINITION), ("k.cpp", KERNEL)):
        (tmp_path / name).write_bytes(text.encode() + "// 加法\n".encode("gbk"))
    texts = renamed(read_sources([tmp_path / "d.cpp", tmp_path / "k.cpp"]), "AddCustom", "AddCustomV2")
    kernel = texts[PurePosixPath("op_kernel/k.cpp")].encode(errors=ANY_ENCODING)
    assert kernel == KERNEL.replace("add_custom", "add_custom_v2").encode() + "// 加法\n".encode("gbk")


def test_what_is_refused(tmp_path: Path) -> None:
    write(tmp_path, d_DOT_cpp=DEFINITION, k_DOT_cpp=KERNEL, other_DOT_cpp="int x;\n", empty__readme="")
    for sources, what in (
        ([], "must be paths"),
        (3, "must be paths"),
        ([tmp_path / "nosuch.cpp"], "does not exist"),
        (tmp_path / "empty", "has no sources in op_host and op_kernel"),
        ([tmp_path / "d.cpp"], "no C\\+\\+ file of op_kernel"),
        ([tmp_path / "k.cpp"], "no C\\+\\+ file of op_host"),
        ([tmp_path / "other.cpp"], "neither code of op_host"),
    ):
        with pytest.raises(UsageError, match=what):
            read_sources(sources)


@pytest.mark.parametrize("name", ["AddCustom", "add_custom"])
def test_the_op_that_is_defined(name: str) -> None:
    assert defined_op(name, {PurePosixPath("op_host/a.cpp"): DEFINITION}) == "AddCustom"


def test_another_op_than_the_defined_one() -> None:
    with pytest.raises(UsageError, match="the sources define AddCustom, not `add`") as caught:
        defined_op("add", {PurePosixPath("op_host/a.cpp"): DEFINITION})
    assert caught.value.hint == 'opforge.load("AddCustom", ...)'
    with pytest.raises(UsageError, match=r"no OP_ADD"):
        defined_op("add", {PurePosixPath("op_host/a.cpp"): "", PurePosixPath("op_kernel/a.cpp"): DEFINITION})


def test_another_type_for_an_op() -> None:
    text = (
        'class AddCustom;\nAddCustomTilingData t; KernelAddCustom k; AddCustomize c;\n#include "add_custom_tiling.h"\n'
        "void add_custom(); void aclnn_add_custom(); int add_customs;\n"
    )
    (made,) = renamed({PurePosixPath("op_kernel/add_custom.cpp"): text}, "AddCustom", "AddCustomV2").items()
    assert made == (
        PurePosixPath("op_kernel/add_custom_v2.cpp"),
        "class AddCustomV2;\nAddCustomV2TilingData t; KernelAddCustom k; AddCustomize c;\n"
        '#include "add_custom_v2_tiling.h"\n'
        "void add_custom_v2(); void aclnn_add_custom_v2(); int add_customs;\n",
    )
