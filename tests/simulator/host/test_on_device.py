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
    )
