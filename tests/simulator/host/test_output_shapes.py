"""Outputs whose shape is known when the kernel has run: what it writes becomes the shape of the aclTensor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "object"]

# The kernel of SaysShapes writes these eighteen words, but those that are -2.
WORDS = """
WIDE = 1 << 31

def run(y_words, z_words, y=(3, 5), z=(7,)):
    words = [*y_words, *[-2] * (9 - len(y_words)), *z_words, *[-2] * (9 - len(z_words))]
    outputs = Tensor(list(y)), Tensor([1], [-1], dtype=INT64), Tensor(list(z))
    call("SaysShapes", Tensor([18], words, dtype=INT64), *outputs)
    assert outputs[1].values() == [0], "the address of the shapes is aligned"
    return view_of(outputs[0]), view_of(outputs[1]), view_of(outputs[2])

def refused(*words, **shapes):
    try:
        run(*words, **shapes)
    except RuntimeError as error:
        return str(error)
    raise AssertionError("nothing was refused")
"""


@pytest.mark.parametrize("device", [False, True])
def test_the_shapes_are_those_that_the_kernel_writes(aclnn_run: AclnnRun, device: bool) -> None:
    aclnn_run(
        WORDS
        + """
assert run([2, 3, 5], [1, 7]) == (([3, 5], [5, 1]), ([1], [1]), ([7], [1]))
assert run([WIDE | 1, 11], [WIDE | 3, 1, 2, 3]) == (([11], [1]), ([1], [1]), ([1, 2, 3], [6, 3, 1]))
assert run([1, 0], [0]) == (([0], [1]), ([1], [1]), ([], []))
assert run([8, 1, 1, 1, 1, 1, 1, 3, 5], [2, 0, 1 << 40]) == (
    ([1, 1, 1, 1, 1, 1, 3, 5], [15, 15, 15, 15, 15, 15, 5, 1]), ([1], [1]), ([0, 1 << 40], [1 << 40, 1])
)
""",
        device=device,
        OPFORGE_SIM_CHECKS="fast",  # the engine does not see what these kernels write
    )


def test_shapes_that_cannot_be_are_refused(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        WORDS
        + """
RULE = (
    ". Behind the outputs a kernel has the address of 9 uint64 for each output with OutputShapeDependOnCompute: "
    "its rank, then its dimensions (161002)"
)
assert refused([], [1, 7]) == "161002: EZ9999: SaysShapes: yOut: the kernel has not written its shape" + RULE
assert refused([1, 4], []) == "161002: EZ9999: SaysShapes: zOut: the kernel has not written its shape" + RULE
assert refused([WIDE | 9], [1, 7]) == (
    "161002: EZ9999: SaysShapes: yOut: the kernel writes 0x80000009 for its rank, which is 0 to 8, with or without "
    "bit 31" + RULE
)
assert refused([2, 3], [1, 7]) == (
    "161002: EZ9999: SaysShapes: yOut: the kernel says that it has 2 dimensions and has not written number 1" + RULE
)
assert refused([2, 4, 4], [1, 7]) == (
    "161002: EZ9999: SaysShapes: yOut: the kernel says shape [4, 4], and the tensor that was given has room for 15 "
    "elements" + RULE
)
assert "zOut: the kernel says shape [4294967296, 4294967296], and" in refused([1, 1], [2, 1 << 32, 1 << 32])
""",
    )


def test_a_graph_captures_no_call_that_waits_for_its_shapes(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        WORDS
        + """
words = Tensor([18], [1, 3, *[-2] * 7, 1, 7, *[-2] * 7], dtype=INT64)
arguments = words, Tensor([15]), Tensor([1], [-1], dtype=INT64), Tensor([7])
stream, graph = ctypes.c_void_p(), ctypes.c_void_p()
assert acl.aclrtCreateStream(ctypes.byref(stream)) == 0
status, size, executor = prepare("SaysShapes", *arguments)
workspace = memory(bytes(size))
assert status == 0 == acl.aclmdlRICaptureBegin(stream, 0)
assert api.aclnnSaysShapes(ctypes.c_void_p(workspace), ctypes.c_uint64(size), executor, stream) == 107027
assert message() == (
    "SaysShapes: stream is captured. The kernel says the shapes of its outputs (OutputShapeDependOnCompute), so the "
    "call waits for the stream, which a capture does not allow"
), message()
assert acl.aclmdlRICaptureEnd(stream, ctypes.byref(graph)) == 507903
call("SaysShapes", *arguments)
assert view_of(arguments[1]) == ([3], [1])
""",
        device=True,
        OPFORGE_SIM_CHECKS="fast",  # the engine does not see what these kernels write
    )


def test_every_tensor_of_such_an_op_may_be_written(autogen: Path) -> None:
    header = (autogen / "aclnn_says_shapes.h").read_text()
    assert "    aclTensor *words,\n    aclTensor *yOut,\n    aclTensor *countOut,\n    aclTensor *zOut,\n" in header


def test_the_kernel_gets_nine_words_for_each_such_output(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        WORDS
        + """
run([1, 3], [1, 7])
seen = last_launch()
assert len(seen["args"]) == 7, "words, y, count, z, the shapes, workspace, tiling"
assert ("the shapes of outputs", seen["args"][4], 2 * 9 * 8, 1) in seen["regions"]
roles = {name: role for name, (role, *_) in seen["roles"].items()}
assert roles == {"words": 1, "y": 3, "count": 2, "z": 3, "the shapes of outputs": 0}, roles
"""
    )
