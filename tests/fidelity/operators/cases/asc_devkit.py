"""How operators of asc-devkit's examples are called."""

import torch
from entries import Operator

_FOLDER = "examples/01_simd_cpp_api/02_features/99_acl_based/00_acl_compilation"
# The kernels' tiles have a fixed length: 8 blocks with 8 tiles of 128 twice, with 16 of 64 twice, or with 6 of 8 once.
_ADDED = ((8, 2048),)


def _two(t, *size):
    return {"x": t.x(*size), "y": t.y(*size)}


def _one(t, *size):
    return {"x": t.x(*size)}


def _sink(t, *size):
    return {"x": t.x(*size), "y": t.y(size[0] * size[1]).tolist()}  # the host may read y


def _added(x, y):
    return x + y


OPERATORS: dict[str, Operator] = {
    f"{_FOLDER}/custom_op#AddCustom": Operator(_two, _added, _ADDED),
    f"{_FOLDER}/custom_op#AddCustomTemplate": Operator(_two, _added, _ADDED),
    f"{_FOLDER}/custom_op#AddCustomTilingSink": Operator(
        _sink, lambda x, y: x + torch.tensor(y).view(x.shape), ((8, 48),)
    ),
    f"{_FOLDER}/custom_op#LeakyReluCustom": Operator(_one, lambda x: x.clamp(min=0), _ADDED),
    f"{_FOLDER}/parallel_ops_package/leaky_relu_custom": Operator(_one, lambda x: x.clamp(min=0), _ADDED),
}
