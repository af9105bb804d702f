"""Calls as fused matrix products make them: an optional input, cube cores as blocks, a workspace of any size."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "object"]

BEGIN = """
none = ctypes.c_void_p()
LIBRARY_WORKSPACE = 16 * 1024 * 1024

def matrices(m, n, k, dtype=FLOAT):
    return Tensor([m, k], dtype=dtype), Tensor([k, n], dtype=dtype), Tensor([m, n], dtype=dtype)
"""


@pytest.fixture
def fused_run(aclnn_run: AclnnRun) -> AclnnRun:
    def run(code: str, **options: object) -> object:
        return aclnn_run(BEGIN + textwrap.dedent(code), **options)

    return run


def test_the_interface_takes_an_optional_tensor(autogen: Path) -> None:
    header = (autogen / "aclnn_fused_linear.h").read_text()
    assert "const aclTensor *biasOptional," in header
    assert " * biasOptional : optional" in header
    info = (autogen / "aic-ascend910b-ops-info.ini").read_text().split("[FusedLinear]")[1].split("[")[0]
    assert "input2.name=bias\n" in info
    assert "input2.paramType=optional\n" in info


def test_an_optional_input_is_given_or_left_out(fused_run: AclnnRun) -> None:
    fused_run(
        """
        before = live_objects()
        tensors = [*matrices(7, 13, 5), Tensor([13], [2.5] * 13)]
        x, weight, y, bias = tensors
        for given, key, first in ((bias, 1, 2.5), (none, 0, -1.0), (bias, 1, 2.5)):
            call("FusedLinear", x, weight, given, y)
            assert y.values()[:2] == [6.0, first], y.values()[:2]
            seen = last_launch()
            assert seen["tiling_key"] == key, "GetOptionalInputDesc, -Shape and -Tensor agree"
            names = [name for name, *_ in seen["regions"]]
            assert names == ["x", "weight", *(["bias"] if key else []), "y", "workspace"], names
            assert len(seen["args"]) == 6
            assert seen["args"][2] == (bias.address if key else 0), "an absent input has the address 0"
        # The kernel is chosen by the dtypes of what is there, and dtypes are checked all the same.
        half = matrices(7, 13, 5, FLOAT16)
        call("FusedLinear", half[0], half[1], none, half[2])
        assert half[2].values()[:2] == [7, 0xFFFF]
        said = failure("FusedLinear", half[0], half[1], bias, half[2])
        assert said.startswith("161002: EZ1001: FusedLinear: the dtypes x float16, weight float16, biasOptional "
                               "float32, out float16 do not go together on ascend910b; "), said
        said = failure("FusedLinear", x, none, bias, y)
        assert said == "161001: EZ1001: FusedLinear: weight is a null pointer, but it is required (161001)", said
        # InferShape sees it too.
        said = failure("FusedLinear", x, weight, Tensor([12]), y)
        assert said.endswith("FusedLinear: bias has 12 elements for N 13 (561001)"), said
        # A strided one is copied into the workspace, behind the kernel's.
        strided = Tensor([13], [float(i) for i in range(26)], strides=[2], offset=1)
        call("FusedLinear", x, weight, strided, y)
        assert y.values()[1] == 1.0
        name, address, size, writable = last_launch()["regions"][2]
        workspace = last_launch()["regions"][4]
        assert (name, size, writable) == ("bias", 52, 0) and address >= workspace[1] + workspace[2]
        """
    )


def test_blocks_are_cube_cores_and_the_workspace_is_what_tiling_asked(fused_run: AclnnRun) -> None:
    code = """
        for (m, n, k), vector_cores in (((7, 13, 5), 1), ((512, 512, 64), 32), ((16, 64, 64), 4)):
            x, weight, y = matrices(m, n, k)
            status, size, executor = prepare("FusedLinear", x, weight, none, y)
            assert (status, size) == (0, LIBRARY_WORKSPACE + 4096 * vector_cores), (m, size)
            workspace = memory(bytes(size))
            assert launch("FusedLinear", workspace, size, executor) == 0
            seen = last_launch()
            assert seen["block_dim"] == (vector_cores + 1) // 2, seen["block_dim"]
            assert seen["tiling_bytes"] == 216
            assert seen["regions"][-1] == ("workspace", workspace, size, 1)
            assert seen["args"][4] == workspace
            assert read(workspace + size - 1, 1) == b"\\x77"
            assert y.values()[2:4] == [vector_cores, n]
    """
    fused_run(code)  # CANN's library takes 32 cores of 48 as well as of 40
    fused_run(code, OPFORGE_SOC="Ascend910B4")


def test_a_workspace_of_hundreds_of_megabytes(fused_run: AclnnRun) -> None:
    fused_run(
        """
        import mmap
        x, weight, y = matrices(1001, 13, 5)
        for given in (none, Tensor([13], [2.0] * 26, strides=[2])):
            status, size, executor = prepare("FusedLinear", x, weight, given, y)
            kernel = LIBRARY_WORKSPACE + 300 * 1024 * 1024
            assert (status, size) == (0, kernel + (0 if given is none else 512))
            pages = mmap.mmap(-1, size)
            workspace = ctypes.addressof(ctypes.c_char.from_buffer(pages))
            assert launch("FusedLinear", workspace, size, executor) == 0
            assert last_launch()["regions"][-1] == ("workspace", workspace, kernel, 1)
            assert pages[kernel - 1] == 0x77
        """
    )


def test_wrong_workspaces_are_refused(fused_run: AclnnRun) -> None:
    fused_run(
        """
        before = live_objects()
        tensors = matrices(7, 13, 5)
        x, weight, y = tensors
        asked = f"the first phase asked for {LIBRARY_WORKSPACE + 4096} bytes"

        def said(workspace, size):
            executor = prepare("FusedLinear", x, weight, none, y)[2]
            return launch("FusedLinear", workspace, size, executor), message()

        enough = memory(bytes(LIBRARY_WORKSPACE + 4096))
        assert said(enough, 1000) == (
            161002, f"EZ1001: FusedLinear: workspaceSize is 1000, but {asked} (161002)")
        assert said(0, LIBRARY_WORKSPACE + 4096) == (
            161001, f"EZ1001: FusedLinear: workspace is a null pointer, but {asked} (161001)")
        assert said(64, LIBRARY_WORKSPACE + 4096) == (
            161002, "EZ1001: FusedLinear: the address of workspace is not device memory (161002)")
        for tensor in tensors:
            meta.aclDestroyTensor(tensor.handle)
        assert live_objects() == before, "a refused launch keeps nothing"
        """
    )


def test_a_product_without_a_tiling_says_why(fused_run: AclnnRun) -> None:
    fused_run(
        """
        said = failure("FusedLinear", Tensor([7, 0]), Tensor([0, 13]), none, Tensor([7, 13]))
        where = "561002: EZ9999: FusedLinear: tiling failed for x [7, 0], weight [0, 13] on Ascend910B1: "
        why = "the product has M 7, N 13, K 0 (SetShape, SetOrgShape); each must be at least 1 (561002)"
        assert said == where + "MatmulApi Tiling: " + why, said
        """
    )


def test_a_workspace_that_ends_too_early_is_refused_on_the_device(fused_run: AclnnRun) -> None:
    fused_run(
        """
        x, weight, y = matrices(7, 13, 5)
        status, size, executor = prepare("FusedLinear", x, weight, none, y)
        assert launch("FusedLinear", memory(bytes(4096)), size, executor) == 161002
        assert message() == ("EZ1001: FusedLinear: the memory at workspace ends before the bytes that workspaceSize "
                             f"promises: the first phase asked for {size} bytes (161002)"), message()
        """,
        device=True,
    )
