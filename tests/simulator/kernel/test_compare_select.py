"""Compare, Compares and Select, and that bits of undefined elements do not spoil their neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import LaunchError
from probes import NUMPY, Choice, Probes, compile_probes

pytestmark = pytest.mark.compiler

OPERATORS = {
    "LT": np.less, "GT": np.greater, "EQ": np.equal, "LE": np.less_equal, "GE": np.greater_equal, "NE": np.not_equal
}  # fmt: skip
TYPES = ["half", "float", "int32_t"]


def compare(name: str, src: str) -> Choice:
    other = "y" if name == "Compare" else f"Scalar<{src}>(data.scalar)"
    return Choice("uint8_t", src, f"{name}(z, x, {other}, static_cast<CMPMODE>(data.mode), data.count);")


def select(src: str, mode: str) -> Choice:
    """Chooses by x > y: a mask of whole repeats, although only data.count elements are defined."""
    other = f"static_cast<{src}>(-1.5f)" if "SCALAR" in mode else "y"
    per = 256 // np.dtype(NUMPY[src]).itemsize
    return Choice(
        src,
        src,
        "LocalTensor<uint8_t> m = work.template Get<uint8_t>();"
        f" Compare(m, x, y, CMPMODE::GT, (data.count + {per - 1}) / {per} * {per});"
        f" Select(z, m, x, {other}, SELMODE::{mode}, data.count);",
    )


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Probes:
    choices = [compare(name, src) for name in ("Compare", "Compares", "CompareScalar") for src in TYPES]
    choices += [
        select(src, f"VSEL_{mode}") for src in TYPES[:2] for mode in ("TENSOR_SCALAR_MODE", "TENSOR_TENSOR_MODE")
    ]
    choices += [select(src, "VSEL_CMPMASK_SPR") for src in TYPES[:2]]
    return compile_probes(root, choices, tmp_path_factory.mktemp("compare"))


@pytest.mark.parametrize("src", TYPES)
@pytest.mark.parametrize("name", ["Compare", "Compares", "CompareScalar"])
def test_compare(probes: Probes, name: str, src: str) -> None:
    rng = np.random.default_rng(3)
    for repeats in (1, 2, 5):
        size = repeats * 256 // np.dtype(NUMPY[src]).itemsize
        x, y = (rng.integers(-2, 3, size).astype(NUMPY[src]) for _ in range(2))
        if src != "int32_t":
            x[:3] = [np.nan, np.inf, -0.0]
            y[:3] = [np.nan, np.inf, 0.0]
        scalar = NUMPY[src](1)
        for number, (mode, operator) in enumerate(OPERATORS.items()):
            z = np.zeros(size // 8, np.uint8)
            if src == "int32_t" and mode != "EQ":
                with pytest.raises(LaunchError, match="this CMPMODE is not supported for int32_t"):
                    probes(compare(name, src), x, y, z, mode=number, scalar=scalar)
                continue
            got = probes(compare(name, src), x, y, z, mode=number, scalar=scalar)
            want = np.packbits(operator(x, y if name == "Compare" else scalar), bitorder="little")
            assert (got == want).all(), (mode, size)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 997])
@pytest.mark.parametrize("mode", ["VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE"])
@pytest.mark.parametrize("src", TYPES[:2])
def test_select(probes: Probes, src: str, mode: str, size: int) -> None:
    rng = np.random.default_rng(size)
    x, y = (rng.standard_normal(size).astype(NUMPY[src]) for _ in range(2))
    got = probes(select(src, mode), x, y, np.zeros(size, NUMPY[src]))
    want = np.where(x > y, x, NUMPY[src](-1.5) if "SCALAR" in mode else y)
    assert (got == want).all()


@pytest.mark.parametrize("src", TYPES[:2])
def test_the_mask_register_mode_uses_the_first_repeat_of_the_mask_again(probes: Probes, src: str) -> None:
    per = 256 // np.dtype(NUMPY[src]).itemsize
    x, y = (np.random.default_rng(s).standard_normal(3 * per + 5).astype(NUMPY[src]) for s in (1, 2))
    got = probes(select(src, "VSEL_CMPMASK_SPR"), x, y, np.zeros_like(x))
    mask = np.resize((x > y)[:per], x.shape)
    assert (got == np.where(mask, x, y)).all()
