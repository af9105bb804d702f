"""The pairs of matrix products. The public kernels are in programs that launch them, not in operators.

CATLASS's examples move their operands and multiply by the functions of the cube unit. asc-devkit's example uses the
Matmul object, as generated kernels do; what is constant in it is changed in a copy.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from pairs import PAIRS, Pair
from programs import Program

# M, K and N: a layer's, square ones, few columns of a long K, a few rows, and sizes that fill no block.
SIZES = (
    (512, 1024, 1376),
    (1024, 1024, 1024),
    (256, 2048, 512),
    (16, 4096, 1024),
    (2048, 2048, 2048),
    (1000, 777, 333),
)
# Few tiles and a long K, of which cores take parts, and one size for which each tile has a core.
LONG_SIZES = (
    (16, 16384, 64),
    (128, 30720, 64),
    (64, 4096, 1024),
    (256, 4096, 256),
    (16, 2048, 2048),
    (2048, 2048, 2048),
)


def _catlass(example: str) -> Program:
    return Program(
        source=f"{example.partition('_')[2]}.cpp",
        include=("include", "examples/common"),
        options=("-DCATLASS_ARCH=2201", "-ltiling_api", "-lnnopbase", "-lplatform"),
        operands=("a.bin", "b.bin"),
        result="c.bin",
        arguments=("{m}", "{n}", "{k}"),
        own_loads=True,
    )


_API = "examples/01_simd_cpp_api/04_advanced_api/00_matmul/matmul"
_MATMUL_BIAS = Program(
    source="matmul.asc",
    include=(_API,),
    options=("-ltiling_api", "-lregister", "-lplatform"),
    operands=("input/x1_gm.bin", "input/x2_gm.bin", "input/bias_gm.bin"),
    result="output/output.bin",
    edits=(
        ("M = 128;", "M = {m};"),
        ("N = 2048;", "N = {n};"),
        ("K = 1024;", "K = {k};"),
        ("<half, half, float, float>", "<half, half, half, half>"),
        ("SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT)",
         "SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16)"),
        ("(M * N) * sizeof(float)", "(M * N) * sizeof(uint16_t)"),
        ("matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);\n\n",
         "matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);\n\n"),
        ("static_cast<size_t>(N) * sizeof(float)", "static_cast<size_t>(N) * sizeof(uint16_t)"),
    ),
)  # fmt: skip
_MATMUL_API = replace(
    _MATMUL_BIAS, operands=_MATMUL_BIAS.operands[:2], edits=(*_MATMUL_BIAS.edits, ("IS_BIAS = true", "IS_BIAS = false"))
)


def _pair(op: str, folder: str, right: str, program: Program, sizes: tuple[tuple[int, ...], ...] = SIZES) -> Pair:
    return Pair(
        op, folder, ("float16",), f"left {right}", lambda v: [*v.values()],
        lambda v: {"y": torch.matmul(v["left"], v["right"] if "right" in v else v["columns"].T) + v.get("bias", 0)},
        "y", "y", {},
        sizes, program,
    )  # fmt: skip


PRODUCTS = (
    _pair("product_basic", "catlass/examples/00_basic_matmul", "right", _catlass("00_basic_matmul")),
    _pair("product_columns", "catlass/examples/06_optimized_matmul", "columns", _catlass("06_optimized_matmul")),
    _pair("product_api", f"asc-devkit/{_API}", "right", _MATMUL_API),
    _pair("product_bias", f"asc-devkit/{_API}", "right bias", _MATMUL_BIAS),
    _pair("product_split", "catlass/examples/09_splitk_matmul", "columns", _catlass("09_splitk_matmul"), LONG_SIZES),
)
EVERY = (*PAIRS, *PRODUCTS)
