"""What the aclnn runtime refuses, each with the whole message: arguments, packages, and what op_host does wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "subprocess.CompletedProcess[str]"]
CONFIG = "op_impl/ai_core/tbe/kernel/config/ascend910b"


def test_arguments(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        def check(said, expected):
            assert said == expected, said
        complex64 = ctypes.c_void_p(meta.aclCreateScalar(ctypes.create_string_buffer(16), 16))
        total, most = Tensor([2]), Tensor([5], dtype=FLOAT16)
        check(failure("Accumulate", Tensor([2]), complex64, scalar(4, INT64), total, most),
              "161002: EZ1001: Accumulate: by has dtype complex64, which does not convert to float32 (161002)")
        check(failure("Accumulate", Tensor([2, 2], strides=[1, 2]), scalar(1.0), scalar(4, INT64), total, most),
              "161002: EZ1001: Accumulate: x is a non-contiguous tensor: shape [2, 2], strides [1, 2]. Make it "
              "contiguous, or declare AutoContiguous() in OpDef (161002)")
        check(failure("MacroTiling", Tensor([3]), Tensor([3])),
              "561002: EZ9999: MacroTiling: tiling data of 65544 bytes do not fit the buffer of 65536 (561002)")
        three = (ctypes.c_int64 * 1)(3)
        def create(dims, count, strides, offset):
            return meta.aclCreateTensor(dims, ctypes.c_uint64(count), 0, strides, ctypes.c_int64(offset), 2, three,
                                        ctypes.c_uint64(1), None)
        minus = (ctypes.c_int64 * 1)(-1)
        assert create(None, 1, None, 0) is None
        check(message(), "EZ1001: aclCreateTensor: dims are null although their number is not 0")
        for dims, offset in ((minus, 0), (three, -1)):
            assert create(dims, 1, None, offset) is None
            check(message(), "EZ1001: aclCreateTensor: a dimension or the offset is negative")
        assert create(three, 1, minus, 0) is None
        check(message(), "EZ1001: aclCreateTensor: a stride is negative")
        assert meta.aclCreateScalar(None, 0) is None
        check(message(), "EZ1001: aclCreateScalar: the value is null or its dtype has no size")
        assert meta.aclSetInputTensorAddr(None, 0, None, None) == 161001
        check(message(), "EZ1001: aclSetTensorAddr: executor or tensor is a null pointer (161001)")
        """
    )


SAY = 'print(failure("AddCustom", Tensor([4]), Tensor([4]), 1.0, Tensor([4])))'


def test_socs(aclnn_run: AclnnRun) -> None:
    assert aclnn_run(SAY, OPFORGE_SOC="Ascend310P3").stdout == (
        "561112: EZ1013: AddCustom is declared for ascend910_93, ascend910b, not for ascend310p (this device is"
        ' Ascend310P3). Add AddConfig("ascend310p") to its OpDef and build again, or run on one of those (561112)\n'
    )
    assert aclnn_run(SAY, OPFORGE_SOC="Ascend910B77").stdout == (
        "561002: EZ1013: AddCustom: the toolkit has no data/platform_config/Ascend910B77.ini. Build the toolkit again"
        " (561002)\n"
    )


def test_no_package(aclnn_run: AclnnRun) -> None:
    assert aclnn_run(SAY, ASCEND_CUSTOM_OPP_PATH="").stdout == (
        "561107: EZ1002: AddCustom: no operator package is installed. ASCEND_CUSTOM_OPP_PATH names none and"
        " ASCEND_OPP_PATH/vendors/config.ini lists none. Source the package's bin/set_env.bash, or install the package"
        " (561107)\n"
    )


@pytest.fixture
def broken(aclnn_run: AclnnRun, package: Path, tmp_path: Path) -> Callable[[], tuple[Path, Callable[..., str]]]:
    """A copy of the package to break, and what a call says of it."""

    def make() -> tuple[Path, Callable[..., str]]:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(package, copy, symlinks=True)

        def said(code: str = SAY, **env: str) -> str:
            return aclnn_run(code, ASCEND_CUSTOM_OPP_PATH=str(copy), **env).stdout

        return copy, said

    return make


Broken = Callable[[], tuple[Path, Callable[..., str]]]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("{} {}", 1, "text after the value"),
        ("[" * 66, 1, "nested too deeply"),
        ('{"binList":\n', 2, "the text ends where a value is expected"),
        ("[1\n2]", 2, "',' or ']' is expected"),
        ("{\n\n1: 2}", 3, "a member's name is expected"),
        ('{"a": 1 "b": 2}', 1, "',' or '}' is expected"),
        ('"\\u12g4"', 1, "\\u is not followed by four hexadecimal digits"),
        ('"abc', 1, "a string does not end"),
    ],
)
def test_binary_lists_that_are_no_json(broken: Broken, text: str, line: int, problem: str) -> None:
    copy, said = broken()
    config = copy / CONFIG / "add_custom.json"
    config.write_text(text)
    assert said() == f"561108: EZ1013: AddCustom: {config}: line {line}: {problem} (561108)\n"


def test_packages_that_are_broken(broken: Broken, host_tools: HostTools, tmp_path: Path) -> None:
    copy, said = broken()
    config = copy / CONFIG / "add_custom.json"
    config.write_text('{"binList": []}')
    assert said() == (
        f"561003: EZ1013: AddCustom: the package {copy} has no kernel for x float32, y float32 -> out float32 on"
        " ascend910b; it has none at all. Build the package again with these dtypes (561003)\n"
    )
    config.write_text(json.dumps({"binList": [{"inputs": [], "outputs": []}]}))
    assert said() == (
        f"561108: EZ1013: AddCustom: {config}: an entry of binList has no binInfo.jsonFilePath (561108)\n"
    )
    copy, said = broken()
    description = next(copy.rglob("AddCustom_f32.json"))
    description.unlink()
    assert said() == f"561108: EZ1013: {description}: cannot be read. Install the package again (561108)\n"
    copy, said = broken()
    tiling = next(copy.rglob("libcust_opmaster_rt2.0.so"))
    source = tmp_path / "empty.cpp"
    source.write_text("int nothing;\n")
    tiling.unlink()
    host_tools.compile(tiling, source)
    assert said() == (
        f"561002: EZ1013: AddCustom: {tiling} registers no tiling function for it. Is AICore().SetTiling() missing in"
        " op_host, or was the library built without -DOP_TILING_LIB? (561002)\n"
    )
    copy, said = broken()
    proto = next(copy.rglob("libcust_opsproto_rt2.0.so"))
    proto.write_text("no library")
    assert said().startswith(f"561001: EZ1013: AddCustom: the prototype library of {copy} does not load: {proto}: ")


def test_a_tiling_parse_function_that_fails(aclnn_run: AclnnRun) -> None:
    code = 'print(failure("Registered", int_array(42, 0), Tensor([8], dtype=INT64)))'
    assert aclnn_run(code, TEST_PARSE_FAILS="1").stdout == (
        "561002: EZ9999: Registered: its TilingParse function failed (561002)\n"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("AICPU", "OpDef::AICPU: the simulator runs AI Core operators only"),
        ("HostCPU", "OpDef::HostCPU: the simulator runs AI Core operators only"),
        ("MC2", "OpDef::MC2: the simulator has no communication operators"),
    ],
)
def test_operators_of_other_kinds_are_refused_by_the_compiler(
    host_tools: HostTools, tmp_path: Path, call: str, message: str
) -> None:
    source = tmp_path / "other.cpp"
    source.write_text(
        '#include "register/op_def_registry.h"\nnamespace ops {\nclass Other : public OpDef {\npublic:\n'
        f"    explicit Other(const char* name) : OpDef(name) {{ this->{call}(); }}\n}};\n}}\n"
    )
    command = ["g++", "-std=c++11", "-fsyntax-only", f"-I{host_tools.root / 'include'}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"error: static assertion failed: {message}\n" in done.stderr
