"""Run in the environment a project was installed into: imports it and calls each op once, on the device and on the CPU.

A program of its own, given to that environment's interpreter as text: opforge itself need not be there. Its argument is
JSON: ``{"package", "ops": [{"function", "inputs": [{"shape", "dtype"} or null], "attrs": [...]}]}``.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from typing import Any


def main(argument: str) -> str | None:
    """What is wrong, or None."""
    import torch  # noqa: PLC0415
    import torch_npu  # noqa: F401, PLC0415

    request = json.loads(argument)
    importlib.import_module(request["package"])
    namespace = getattr(torch.ops, request["package"])
    for op in request["ops"]:
        function = getattr(namespace, op["function"])
        inputs = [_tensor(spec, index) for index, spec in enumerate(op["inputs"])]
        expected = _as_tuple(function(*inputs, *op["attrs"]))
        try:
            found = function(*[None if tensor is None else tensor.to("npu") for tensor in inputs], *op["attrs"])
            results = [tensor.cpu() for tensor in _as_tuple(found)]
        except RuntimeError as e:  # without the way through PyTorch: the message says where in the kernel
            return str(e)
        for number, (device, golden) in enumerate(zip(results, expected, strict=True)):
            try:
                torch.testing.assert_close(device, golden, rtol=1e-2, atol=1e-2)
            except AssertionError as e:
                return f"output {number} of {op['function']} on the device is not the golden's:\n{e}"
    return None


def _tensor(spec: Any, index: int) -> Any:
    """Positive numbers, other ones for each input; None for an optional input that is left out."""
    import torch  # noqa: PLC0415

    if spec is None:
        return None
    count = math.prod(spec["shape"])
    values = torch.arange(count, dtype=torch.float32) / count + 0.5 + index
    return values.reshape(spec["shape"]).to(getattr(torch, spec["dtype"]))


def _as_tuple(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
