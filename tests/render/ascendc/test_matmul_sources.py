"""The generated text of ops with products: goldens, its layout, and the files of a project with both kinds of ops."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from generated_ops import PRODUCTS, ROOT, ascendc_files, catalog_op, program_of
from shared_sum_ops import SHARED_SUMS

from opforge.spec.model import OpSpec

pytestmark = pytest.mark.torch

SWIGLU = catalog_op("SwiGLU")
EVERYTHING = next(each for each in PRODUCTS if each.type == "Everything")
TWO_PRODUCTS = next(each for each in PRODUCTS if each.type == "TwoProducts")


def rendered(*ops: OpSpec, socs: tuple[str, ...] = ("ascend910b",)) -> dict[str, str]:
    """The files of a project of these ops, by path."""
    return {str(f.path): f.text for f in ascendc_files(program_of(ops, socs))}


@pytest.mark.parametrize(
    "path",
    [
        "op_host/swi_glu.cpp",
        "op_host/swi_glu_host_tiling.h",
        "op_kernel/swi_glu.cpp",
        "op_kernel/swi_glu_kernel.h",
        "op_kernel/swi_glu_tiling.h",
    ],
)
def test_golden(path: str, golden) -> None:
    golden(f"{path}.txt", rendered(SWIGLU)[path])


@pytest.mark.parametrize(
    "path",
    [
        "op_host/matmul_rms_norm_host_tiling.h",
        "op_kernel/matmul_rms_norm.cpp",
        "op_kernel/matmul_rms_norm_tiling.h",
        "op_kernel/opforge/whole_products.h",
    ],
)
def test_golden_of_rows(path: str, golden) -> None:
    golden(f"{path}.txt", rendered(catalog_op("MatmulRMSNorm"))[path])


@pytest.mark.parametrize("path", ["op_kernel/two_products.cpp", "op_kernel/two_products_kernel.h"])
def test_golden_of_cubes_alone(path: str, golden) -> None:
    golden(f"{path}.txt", rendered(TWO_PRODUCTS)[path])


@pytest.mark.parametrize(
    "path",
    [
        "op_host/opforge/inner_split.h",
        "op_host/shared_two_products_host_tiling.h",
        "op_kernel/opforge/product_parts.h",
        "op_kernel/shared_two_products.cpp",
        "op_kernel/shared_two_products_tiling.h",
    ],
)
def test_golden_of_shared_sums(path: str, golden) -> None:
    golden(f"{path}.txt", rendered(SHARED_SUMS[1])[path])


@pytest.mark.parametrize(
    "path",
    ["op_host/everything.cpp", "op_host/everything_host_tiling.h", "op_kernel/everything_kernel.h"],
)
def test_golden_of_all_kinds_of_operands(path: str, golden) -> None:
    golden(f"{path}.txt", rendered(EVERYTHING)[path])


@pytest.mark.parametrize(
    "path", ["op_host/opforge/matmul_split.h", "op_kernel/linear_kernel.h", "op_kernel/opforge/tile_matmul.h"]
)
def test_golden_for_cores_that_are_cube_and_vector_core(path: str, golden) -> None:
    golden(f"coupled/{path}.txt", rendered(LINEAR, socs=BOTH)[path])


def halves(each: OpSpec) -> OpSpec:
    return replace(each, inputs=tuple(replace(t, dtypes=("float16",)) for t in each.inputs),
                   outputs=tuple(replace(t, dtypes=("float16",)) for t in each.outputs))  # fmt: skip


BOTH = ("ascend910b", "ascend310p")
LINEAR = halves(catalog_op("Linear"))


def test_clang_format_changes_nothing(tmp_path: Path) -> None:
    program = shutil.which("clang-format") or Path(sys.executable).with_name("clang-format")
    coupled = [halves(each) for each in PRODUCTS if each.type in {"SwiGLU", "Linear", "MatmulGelu"}]
    assert coupled
    for path, text in [*rendered(*PRODUCTS, *SHARED_SUMS).items(), *rendered(*coupled, LINEAR, socs=BOTH).items()]:
        if path.endswith((".cpp", ".h")):
            done = subprocess.run(
                [program, f"--style=file:{ROOT / '.clang-format'}", f"--assume-filename={tmp_path / Path(path).name}"],
                input=text, capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert done.stdout == text, path


def test_headers_go_with_the_kinds_of_ops() -> None:
    elementwise = {"op_host/opforge/elementwise.h"}
    products = {"op_host/opforge/matmul_split.h", "op_kernel/opforge/tile_matmul.h"}
    add = catalog_op("VectorAdd")
    either = elementwise | products
    assert either & set(rendered(add)) == elementwise
    assert either & set(rendered(SWIGLU)) == products
    assert either <= set(rendered(SWIGLU, add))


def test_the_left_matrix_is_set_once_for_all_products() -> None:
    """One Matmul object; B goes from gate to up while A stays."""
    text = rendered(SWIGLU)["op_kernel/swi_glu_kernel.h"]
    assert text.count("matmul::Matmul<") == 1
    assert text.count("SetTensorA(") == 1
    assert text.count("SetTensorB(") == 2
    assert "SetWorkspace" not in text
    assert rendered(EVERYTHING)["op_kernel/everything_kernel.h"].count("SetTensorA(") == 2
