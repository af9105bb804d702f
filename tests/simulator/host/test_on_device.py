"""The same calls on the simulated device: its memory, its worker process, the kernel engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.compiler

AclnnRun = Callable[..., "object"]


def test_calls_on_the_simulated_device(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        for count in (0, 1, 33, 1009, 100003):
            x, y = [float(i % 97) for i in range(count)], [0.5 * (i % 31) for i in range(count)]
            z = Tensor([count], [0.0] * count)
            call("AddCustom", Tensor([count], x), Tensor([count], y), 2.0, z)
            assert z.values() == [a + 2.0 * b for a, b in zip(x, y)], count
        x = Tensor([3, 2], [float(i) for i in range(8)], strides=[1, 3], offset=2)
        z = Tensor([3, 2], [0.0] * 6)
        call("AddCustom", x, Tensor([3, 2], [5.0], strides=[0, 0]), 1.0, z)
        assert z.values() == [7.0, 10.0, 8.0, 11.0, 9.0, 12.0]
        x = Tensor([3], [1.0, 2.0, 3.0])
        call("ScaleInPlace", x, scalar(1.5))
        assert x.values() == [1.5, 3.0, 4.5]
        said = failure("AddCustom", x, x, 1.0, Tensor([4]))
        assert said == "161002: EZ1001: AddCustom: out has shape [4]; InferShape gives [3] for x [3], y [3] (161002)"
        """,
        device=True,
        OPFORGE_SIM_CHECKS="fast",  # the engine does not see what these kernels write
    )


def test_a_result_that_the_engine_has_not_seen_is_named(aclnn_run: AclnnRun) -> None:
    aclnn_run(
        """
        try:
            call("AddCustom", Tensor([33]), Tensor([33]), 1.0, Tensor([33]))
            raise AssertionError("nothing was refused")
        except RuntimeError as error:
            unwritten = "output z: bytes 0 to 131 (elements 0 to 32) have not been written by any core"
            assert str(error).startswith(f"507035: AddCustom: {unwritten}\\n"), error
        """,
        device=True,
    )
