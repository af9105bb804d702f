"""Imports an installed package and calls each op once, on the device and on the CPU.

A program of its own: the environment's interpreter gets it as text, so opforge need not be installed there. Its
argument is JSON:
``{"package", "ops": [{"function", "inputs": [{"shape", "dtype"} or {"number"} or null], "attrs", "written"}]}``;
``written`` are the indices of inputs that results are written to.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
import warnings
from typing import Any


def main(argument: str) -> str | None:
    """The first error, or None."""
    import torch  # noqa: PLC0415
    import torch_npu  # noqa: F401, PLC0415

    request = json.loads(argument)
    importlib.import_module(request["package"])
    fallback = rf"{request['package']}\.\w+ is computed by PyTorch's own operators"
    warnings.filterwarnings("ignore", fallback)  # intended on the CPU
    namespace = getattr(torch.ops, request["package"])
    for op in request["ops"]:
        function = getattr(namespace, op["function"])
        on_cpu = [_value(spec, index) for index, spec in enumerate(op["inputs"])]
        on_npu = [value.to("npu") if isinstance(value, torch.Tensor) else value for value in on_cpu]
        expected = _results(function(*on_cpu, *op["attrs"]), on_cpu, op["written"])
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("error", fallback)  # the check must run the kernel
                found = _results(function(*on_npu, *op["attrs"]), on_npu, op["written"])
            results = [tensor.cpu() for tensor in found]
        except (
            RuntimeError,
            UserWarning,
        ) as e:  # the message without PyTorch's traceback: it names the place in the kernel
            return str(e)
        for number, (device, golden) in enumerate(zip(results, expected, strict=True)):
            try:
                torch.testing.assert_close(device, golden, rtol=1e-2, atol=1e-2, equal_nan=True)
            except AssertionError as e:
                return f"output {number} of {op['function']} on the device is not the golden's:\n{e}"
    return None


def _value(spec: Any, index: int) -> Any:
    """A number; a tensor of positive numbers that differ between inputs; None for an input that is left out."""
    import torch  # noqa: PLC0415

    if spec is None or "number" in spec:
        return spec and spec["number"]
    count = math.prod(spec["shape"])
    values = torch.arange(count, dtype=torch.float32) / count + 0.5 + index
    return values.reshape(spec["shape"]).to(getattr(torch, spec["dtype"]))


def _results(returned: Any, inputs: list[Any], written: list[int]) -> list[Any]:
    """The results of a call: written inputs, then returned values."""
    returned = () if returned is None else returned if isinstance(returned, tuple) else (returned,)
    return [*(inputs[place] for place in written), *returned]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
