"""Every kind of signature from op_host to the kernel: lists, values from the host, scalars, and what SoCs differ in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import signature_package
from host_tools import HostTools

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "object"]
SOURCES = signature_package.SOURCES


@pytest.fixture(scope="session", params=[0, pytest.param(1, marks=pytest.mark.slow)], ids=["old_abi", "new_abi"])
def installed(host_tools: HostTools, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return signature_package.build(host_tools, tmp_path_factory.mktemp("signatures"), request.param)


@pytest.fixture
def signatures_run(aclnn_run: AclnnRun, installed: Path) -> AclnnRun:
    def run(code: str, **options: object) -> object:
        package = str(installed)
        options = {"TEST_PACKAGE": package, "ASCEND_CUSTOM_OPP_PATH": package, "TEST_RUNS_NO_KERNEL": "1", **options}
        return aclnn_run(code, **options)

    return run


@pytest.mark.parametrize("name", ["aclnn_add_n.h", "aclnn_shares.h", "aclnn_scale_all.h", "aclnn_depend.h",
                                  "aclnn_attrs.h", "aic-ascend910b-ops-info.ini", "aic-ascend910_93-ops-info.ini",
                                  "op_proto.h", "op_proto.cc", "signature.json"])  # fmt: skip
def test_op_build_writes(name: str, installed: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"signatures/{name}.txt", (installed.parents[2] / "autogen" / name).read_text())


def test_binary_lists_say_what_is_dynamic(installed: Path) -> None:
    lists = installed / "op_impl" / "ai_core" / "tbe" / "kernel" / "config" / "ascend910b"
    entry = json.loads((lists / "add_n.json").read_text())["binList"][1]
    assert [t["dtype"] for t in entry["inputs"][0]] == ["float32"], "a list of one description"
    assert entry["outputs"][0]["dtype"] == "float32"
    assert len(json.loads((lists / "products.json").read_text())["binList"]) == 4
    keys = json.loads((lists / "binary_info_config.json").read_text())["AddN"]["binaryList"]
    assert [entry["simplifiedKey"] for entry in keys] == [
        ["AddN/float16,ND/float16,ND"],
        ["AddN/float32,ND/float32,ND"],
    ]


def test_lists_of_tensors(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        before = live_objects()
        for count in (1, 2, 3, 17, 256):
            for size in (1, 7, 31, 32, 33):
                x = tensor_list(*(Tensor([size], [float(i + k) for k in range(size)]) for i in range(count)))
                y = Tensor([size])
                call("AddN", x, y)
                assert y.values() == [count * (count - 1) / 2 + count * k for k in range(size)], (count, size)
                destroy_list(x), meta.aclDestroyTensor(y.handle)
        assert live_objects() == before
        # The kernel is the one of the list's dtype; strided tensors are copied; nothing is launched for nothing.
        half = [Tensor([2], [0x3C00, 0x4000], dtype=FLOAT16) for _ in range(2)]
        y = Tensor([2], dtype=FLOAT16)
        call("AddN", tensor_list(*half), y)
        assert y.values() == [0x4000, 0x4400]
        strided = Tensor([2, 2], [1.0, 2.0, 3.0, 4.0], strides=[1, 2])
        y = Tensor([2, 2])
        call("AddN", tensor_list(Tensor([2, 2], [10.0] * 4), strided), y)
        assert y.values() == [11.0, 13.0, 12.0, 14.0]
        call("AddN", tensor_list(Tensor([0, 3])), Tensor([0, 3]))
        # A dynamic output, its tensors' shapes inferred one by one.
        for count, rows in ((1, 3), (2, 6), (5, 35)):
            parts = [Tensor([rows // count, 2]) for _ in range(count)]
            call("Shares", Tensor([rows, 2], [float(i) for i in range(2 * rows)]), 2, tensor_list(*parts))
            assert [v for part in parts for v in part.values()] == [float(i) for i in range(2 * rows)]
        """,
        device=True,
    )


def test_lists_in_place_and_scalar_lists(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        none = ctypes.c_void_p()
        x = [Tensor([3], [1.0, 2.0, 3.0]), Tensor([1], [5.0])]
        call("ScaleAll", tensor_list(*x), scalar_list((2.0, DOUBLE), (-1, INT32)), none)
        assert [t.values() for t in x] == [[2.0, 4.0, 6.0], [-5.0]], "scalars of any dtype take that of x"
        call("ScaleAll", tensor_list(*x), scalar_list((0.0, FLOAT), (1.0, FLOAT)), scalar(0.5, DOUBLE))
        assert [t.values() for t in x] == [[1.0, 2.0, 3.0], [-7.5]], "a double without To() is a float for the kernel"
        """,
        device=True,
    )


def test_what_a_launch_of_lists_says(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        none = ctypes.c_void_p()
        x = [Tensor([3], [1.0, 2.0, 3.0]), Tensor([1], [5.0])]
        status, size, executor = prepare("ScaleAll", tensor_list(*x), scalar_list((2.0, FLOAT), (3.0, FLOAT)), none)
        assert (status, size) == (0, 3 * 512), "two scalars, and the list twice: it is in place"
        workspace = memory(bytes(size))
        assert launch("ScaleAll", workspace, size, executor) == 0
        seen = last_launch()
        assert seen["args"] == [workspace + 512, workspace, 0, workspace + 1024, 0, 0]
        assert seen["regions"] == [
            ("x[0]", x[0].address, 12, 1), ("x[1]", x[1].address, 4, 1), ("the list x", workspace + 512, 56, 0),
            ("factors", workspace, 8, 0), ("the list x", workspace + 1024, 56, 0),
        ], seen["regions"]
        words = struct.unpack("7Q", read(workspace + 512, 56))
        one = 1 << 32
        assert words == (40, one | 1, 3, one | 1, 1, x[0].address, x[1].address), words
        """
    )


def test_a_repeatable_executor_takes_new_addresses_for_a_list(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        first, second = Tensor([2], [1.0, 2.0]), Tensor([2], [10.0, 20.0])
        x, y = tensor_list(first, second), Tensor([2])
        status, size, executor = prepare("AddN", x, y)
        assert status == 0 and meta.aclSetAclOpExecutorRepeatable(executor) == 0
        workspace = memory(bytes(size))
        assert launch("AddN", workspace, size, executor) == 0 and y.values() == [11.0, 22.0]
        other = Tensor([2], [100.0, 200.0])
        assert meta.aclSetDynamicInputTensorAddr(executor, 0, 1, x, ctypes.c_void_p(other.address)) == 0
        assert launch("AddN", workspace, size, executor) == 0 and y.values() == [101.0, 202.0]
        address = ctypes.c_void_p(other.address)
        assert meta.aclSetDynamicInputTensorAddr(None, 0, 0, x, address) == 561103
        assert message() == "EZ1001: aclSetDynamicTensorAddr: executor or tensors is a null pointer (561103)"
        assert meta.aclSetDynamicInputTensorAddr(executor, 0, 2, x, address) == 161002
        assert message() == "EZ1001: aclSetDynamicTensorAddr: there is no tensor 2 in a list of 2 (161002)"
        assert meta.aclSetDynamicInputTensorAddr(executor, 1, 0, x, address) == 161002
        assert meta.aclSetDynamicOutputTensorAddr(executor, 0, 1, x, address) == 161002
        assert message() == "EZ1001: AddN: no tensor 0 to set, or the executor is not repeatable (161002)", message()
        meta.aclDestroyAclOpExecutor(executor)
        """,
        device=True,
    )


def test_lists_that_are_refused(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        none = ctypes.c_void_p()
        y = Tensor([2])
        def said(*arguments):
            return failure("AddN", *arguments).split(": EZ1001: AddN: ")
        good = Tensor([2])
        assert said(none, y) == ["161001", "x is a null pointer, but it is required (161001)"]
        assert said(tensor_list(), y) == ["161002", "x is an empty list; it needs at least one element (161002)"]
        assert said(tensor_list(good, None), y) == ["161001", "x[1] is a null pointer (161001)"]
        many = "x is a list of 257; it may have at most 256 elements. Call the op for parts of the list (161002)"
        assert said(tensor_list(*[good] * 257), y) == ["161002", many]
        half = Tensor([2], dtype=FLOAT16)
        share = "x[1] has dtype float16, x[0] has float32; the tensors of a list share one dtype (161002)"
        assert said(tensor_list(good, half), y) == ["161002", share]
        form = "x[1] has format NCHW, x[0] has ND; the tensors of a list share one format (161002)"
        assert said(tensor_list(good, Tensor([2], form=NCHW)), y) == ["161002", form]
        assert said(tensor_list(Tensor([2], dtype=INT8)), y) == [
            "161002", "x has dtype int8; on ascend910b it must be one of float16, float32 (161002)"]
        assert said(tensor_list(good, good), Tensor([3])) == [
            "161002", "out has shape [3]; InferShape gives [2] for x[0] [2], x[1] [2] (161002)"]
        said = failure("Shares", Tensor([6, 2]), 2, tensor_list(Tensor([3, 2]), Tensor([2, 2])))
        shares = "out[1] has shape [2, 2]; InferShape gives [3, 2] for x [6, 2] (161002)"
        assert said == f"161002: EZ1001: Shares: {shares}", said
        x = Tensor([2])
        said = failure("ScaleAll", tensor_list(x), scalar_list(), none)
        assert said == "161002: EZ1001: ScaleAll: factors is an empty list; it needs at least one element (161002)"
        strided = tensor_list(x, Tensor([2], strides=[2]))
        said = failure("ScaleAll", strided, scalar_list((1.0, FLOAT)), none)
        assert said == ("161002: EZ1001: ScaleAll: xRef[1] is a non-contiguous tensor: shape [2], strides [2]. "
                        "Outputs must be contiguous (161002)"), said
        status, size, executor = prepare("AddN", tensor_list(good, Tensor([2], address=0)), y)
        assert launch("AddN", memory(bytes(size)), size, executor) == 161001
        assert message() == "EZ1001: AddN: the address of x[1] is null although it has 2 elements (161001)"
        """
    )


def test_values_from_the_host(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        none = ctypes.c_void_p()
        def seen(op, *arrays):
            y = Tensor([9])
            call(op, Tensor([1]), *arrays, y)
            return y.values()
        assert seen("Depend", int_array(7, 8), float_array(0.5), none) == [2, 1, -1, 7.0, 0.5, -1.0, 7, 0.5, -1]
        assert seen("Depend", int_array(-3), float_array(2.5, 1.0), bool_array(True, False, True)) == [
            1, 2, 3, -3.0, 2.5, 1.0, -3, 2.5, 1]
        # The other form takes tensors, whose values tiling does not see.
        sizes, scales = Tensor([1], [9], dtype=INT64), Tensor([2], [4.5, 0.0])
        assert seen("DependTensor", sizes, scales, none) == [1, 2, -1, -1.0, -1.0, -1.0, 9, 4.5, -1]
        """,
        device=True,
    )


def test_attributes_that_are_lists(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        none = ctypes.c_void_p()
        mode = ctypes.c_char_p(b"four")
        def seen(*attrs):
            y = Tensor([7])
            call("Attrs", Tensor([1]), *attrs, y)
            return y.values()
        assert seen(none, none, none, mode, int_array(1)) == [2, 3, 0, -1.5, 2.0, 0.0, 4.0], "the defaults"
        given = (float_array(1.0, 2.0, 4.0), bool_array(False), int_array(-9, 2), ctypes.c_char_p(b""), int_array())
        assert seen(*given) == [3, 1, 2, 7.0, 0.0, -7.0, 0.0]
        said = failure("Attrs", Tensor([1]), none, none, none, none, int_array(1), Tensor([7]))
        assert said == "161001: EZ1001: Attrs: attribute mode is a null pointer, but it is required (161001)", said
        said = failure("Attrs", Tensor([1]), none, none, none, mode, none, Tensor([7]))
        assert said == "161001: EZ1001: Attrs: attribute ids is a null pointer, but it is required (161001)", said
        """,
        device=True,
    )


def test_products_of_dtypes_and_formats_and_what_socs_differ_in(signatures_run: AclnnRun) -> None:
    signatures_run(
        """
        index = Tensor([1], [2], dtype=INT32)
        for dtype, value in ((FLOAT, 2.5), (INT32, -7)):
            for form in (ND, NCHW):
                x, y = Tensor([4], [0, 0, value, 0], dtype=dtype, form=form), Tensor([1], dtype=dtype)
                call("Products", x, index, y)
                assert y.values() == [value], (dtype, form)
        said = failure("Products", Tensor([4]), index, Tensor([1], dtype=INT32))
        assert said == ("161002: EZ1001: Products: the dtypes x float32, index int32, out int32 do not go together on "
                        "ascend910b; the supported combinations are (float32, int32, float32), "
                        "(float32, int32, float32), (int32, int32, int32), (int32, int32, int32) (161002)"), said
        """,
        device=True,
    )
    signatures_run(
        """
        index = Tensor([1], [2], dtype=INT32)
        said = failure("Products", Tensor([4]), index, Tensor([1]))
        assert said == ("161002: EZ1001: Products: x has dtype float32; on ascend910_93 it must be one of bfloat16 "
                        "(161002)"), said
        """,
        OPFORGE_SOC="Ascend910_9391",
    )
