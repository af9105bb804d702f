"""Ops of functions that have cases of their own.

Remainders, exact for every quotient; norms, whose gradient at zero is not that of a root; tests of masks, whose results
are masks and counts.
"""

from __future__ import annotations

from generated_ops import ALL
from generated_ops import op as elementwise
from row_ops import X, op

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed


def result(name: str, dtype: str, *dims: str) -> TensorSpec:
    return TensorSpec(name, (dtype,) * 3, dims)


# Elementwise, beside numbers and tensors.
REMAINDERS = (
    elementwise("Remainders", "z = fmod(x, y)\nw = x % y\nv = x // y", ["x", "y"]),
    elementwise("OfNumbers", "z = fmod(x, 3)\nw = x % -0.75\nv = 7 // x", ["x"]),
)
# Numbers that the host reads from lists.
LISTED = (
    elementwise(
        "Listed",
        "z = (x * w[0] + w[2] ** n[1] if n[0] > 1 else x - n[1] / w[1]) * w0",
        ["x"],
        [AttrSpec("w", "list_float", (1.5, 2.0, 3.0)), AttrSpec("n", "list_int", (3, 2)), AttrSpec("w0", "float", 0.5)],
    ),
    elementwise(
        "ListedIntegers",
        "z = x * n[1] + (n[0] if n[1] > 2 else 7)",
        ["x"],
        [AttrSpec("n", "list_int", (3, 2))],
        ["int32"],
    ),
)
# Chosen on the host by a text.
TEXTS = (
    elementwise(
        "Modes",
        'z = x * 2 if mode == "mean" else exp(x)\nw = where(x > 0 and mode != "sum", x, 3 if mode == "none" else -x)',
        ["x"],
        [AttrSpec("mode", "str", "mean")],
    ),
)
LANGUAGE = (
    op(
        "Norms",
        (X,),
        'n, a, m = norm(x, dim=-1), x.norm(1, -1), torch.linalg.vector_norm(x, float("inf"), dim=-1)',
        rows=["n", "a", "m"],
    ),
    op("Normalize", (X,), "y = normalize(x, dim=-1)"),
    # Infinite numbers: rows that are masked in part, and as a whole.
    parsed(
        OpSpec(
            "MaskedSoftmax",
            (X, TensorSpec("m", ("bool",) * 3, ("...", "H"))),
            (),
            (TensorSpec("y", ALL, ("...", "H")), result("c", "float32", "...", "H")),
            'y, c = softmax(masked_fill(x, m, float("-inf")), -1), cast(where(m, torch.inf, -1 / math.inf), float32)',
        )
    ),
    # Masks of tiles and of rows, of a comparison and of floats; a mask of rows beside a tile.
    parsed(
        OpSpec(
            "Tests",
            (X, TensorSpec("m", ("bool",) * 3, ("...", "H"))),
            (),
            (
                result("a", "bool", "..."),
                result("b", "bool", "...", "1"),
                result("c", "int64", "..."),
                result("d", "int32", "..."),
                result("y", "bool", "...", "H"),
            ),
            "a, b = any(x > 1.5, -1), all(x, -1, keepdim=True)\n"
            "c, d, y = count_nonzero(x, -1), cast(count_nonzero(m and x > 0, -1), int32), b and m",
        )
    ),
    parsed(
        OpSpec(
            "TestsOfAll",
            (TensorSpec("x", ALL, ("...",)),),
            (),
            (result("a", "bool"), result("b", "bool"), result("c", "int64")),
            "a, b, c = any(x > 1.5), all(x), count_nonzero(x)",
        )
    ),
    parsed(
        OpSpec(
            "TestsAcross",
            (TensorSpec("x", ALL, ("...", "N", "H")),),
            (),
            (result("a", "bool", "...", "H"), result("c", "int64", "...", "H")),
            "a, c = any(x > 1.5, -2), count_nonzero(x, -2)",
        )
    ),
)
