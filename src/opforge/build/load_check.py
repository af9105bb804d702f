"""Run in the environment a project was installed into: imports it and calls each op once, on the device and on the CPU.

A program of its own, given to that environment's interpreter as text: opforge itself need not be there. Its argument is
JSON: ``{"package", "ops": [{"function", "inputs": [{"shape", "dtype"} or null], "attrs": [...]}]}``.
"""

from __future__ import annotations

import importlib
import json
import sys


def main(argument: str) -> str | None:
    """What is wrong, or None."""
    import torch  # noqa: PLC0415
    import torch_npu  # noqa: F401, PLC0415

    request = json.loads(argument)
    importlib.import_module(request["package"])
    namespace = getattr(torch.ops, request["package"])
    for op in request["ops"]:
        inputs: list[torch.Tensor | None] = []
        for index, spec in enumerate(op["inputs"]):
            if spec is None:  # an optional input that is left out
                inputs.append(None)
                continue
            count = 1
            for size in spec["shape"]:
                count *= size
            values = torch.arange(count, dtype=torch.float32) / count + 0.5 + index
            inputs.append(values.reshape(spec["shape"]).to(getattr(torch, spec["dtype"])))
        function = getattr(namespace, op["function"])
        expected = function(*inputs, *op["attrs"])
        found = function(*[None if tensor is None else tensor.to("npu") for tensor in inputs], *op["attrs"])
        pairs = zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, expected)), strict=True)
        for number, (device, golden) in enumerate(pairs):
            try:
                torch.testing.assert_close(device.cpu(), golden, rtol=1e-2, atol=1e-2)
            except AssertionError as e:
                return f"output {number} of {op['function']} on the device is not the golden's:\n{e}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
