"""The kernels with Matmul objects, their tiling and their operands."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from api_rows import KERNEL_API
from cube_tiling import CubeTiling
from harness import SOURCES, Array, CoreCounts, Kernel, compile_kernel, run
from numpy.typing import NDArray

HOST_HEADERS = KERNEL_API.parent / "host" / "include"
SYSTEM_WORKSPACE = 16 << 20

# tiling keys of sources/matmul_mix.cpp
GATED, LEAKY, LEAKY_WHOLE, PLAIN, PLAIN_WHOLE, PLAIN_ADD, LONG_AXES, CACHED, PARTIAL = 1, 4, 5, 7, 8, 9, 10, 11, 12
NEVER_WAITED, NEVER_TOLD, LEAKY_APART = 2, 3, 6
AFTER_BUFFERS, FIVE_OBJECTS, UNREGISTERED, UNTILED, WRONG = 20, 21, 22, 23, 24

Float64 = NDArray[np.float64]


def compiled_mix(root: Path, folder: Path) -> dict[str, Kernel]:
    """sources/matmul_mix.cpp by the C++ name of its data type, and two more of its ways."""
    macros = {
        "half": ("float16", ""),
        "bfloat16_t": ("bfloat16", "-DPRODUCT_TYPE=bfloat16_t"),
        "float": ("float32", "-DPRODUCT_TYPE=float -DTRANSPOSABLE=false"),
        "float transposed": ("float32", "-DPRODUCT_TYPE=float"),
        "half 1:1": ("float16", "-DBLOCK_TYPE=KERNEL_TYPE_MIX_AIC_1_1"),
    }
    return {
        name: compile_kernel(
            root,
            SOURCES / "matmul_mix.cpp",
            "matmul_mix",
            {"a": dtype, "b": dtype, "c": dtype, "bias": "float32"},
            {"z": "float32"},
            folder / name.replace(" ", "_").replace(":", "_"),
            options=options.split(),
            include_dirs=[HOST_HEADERS],
        )
        for name, (dtype, options) in macros.items()
    }


def compiled_cube(root: Path, folder: Path) -> Kernel:
    return compile_kernel(
        root,
        SOURCES / "matmul_cube.cpp",
        "matmul_cube",
        {"a": "bfloat16", "b": "bfloat16", "bias": "float16"},
        {"z": "float16"},
        folder / "cube",
        include_dirs=[HOST_HEADERS],
    )


def stored(values: Float64, cpp: str) -> Array:
    """What is in memory for a C++ type; bfloat16 as its bits, cut off."""
    if cpp == "bfloat16_t":
        return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(values, {"half": np.float16, "float": np.float32}[cpp])


def value(memory: Array) -> Float64:
    """The numbers that stored() has kept."""
    if memory.dtype == np.uint16:
        return (memory.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return memory.astype(np.float64)


def whole_tiles(m: int, n: int, k: int, cores: int, base: tuple[int, int, int] = (16, 16, 16)) -> CubeTiling:
    """A base block is what is asked for at once."""
    return CubeTiling(cores, m, n, k, k, base[0], base[1], k, *base)


def parts(m: int, n: int, k: int, single: tuple[int, int]) -> CubeTiling:
    """Each core computes a part of the whole matrices."""
    cores = -(-m // single[0]) * -(-n // single[1])
    return CubeTiling(cores, m, n, k, k, *single, k)


def random(*shape: int, seed: int = 0) -> Float64:
    return np.random.default_rng([seed, *shape]).uniform(-1, 1, shape)


def launch(  # noqa: PLR0917 - the kernel's operands
    kernel: Kernel,
    key: int,
    tiling: CubeTiling,
    a: Array,
    b: Array,
    c: Array,
    bias: Array,
    z: Array,
    *,
    transposed: int = 0,
    workspace: int = 0,
    vectors: int = 2,
    checks: bool = True,
    rules: str = "documented",
) -> tuple[CoreCounts, ...]:
    return run(
        kernel,
        [a, b, c, bias],
        [z],
        tiling=tiling.packed() + struct.pack("<5i", tiling.M, tiling.N, tiling.Ka, tiling.Ka, transposed),
        block_dim=min(24, -(-tiling.usedCoreNum // vectors)),
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE + workspace,
        checks=checks,
        rules=rules,
    )
