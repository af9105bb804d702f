"""Ops of every storage type, and of every kind of signature that a generated kernel has."""

from __future__ import annotations

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec

FLOATS = ("float16", "bfloat16", "float32")
INTEGERS = ("int8", "uint8", "int16", "int64")
_STORED = {**{f"as_{dtype}": dtype for dtype in (*INTEGERS, "int32")}, "again": "int8"}
# Ops, here and in conftest, whose gradients' kernels are run.
SMOOTH = ("Logarithms", "Exponentials", "Smooth", "Units", "Hard", "Waves")
GRADIENTS = (
    *("Chosen", "Clamped", "Powers", "PowerOf", "GeluErf", "Gelu", "Curves", "Masked", "Optional", "Mixed"),
    *SMOOTH,
)


def tensor(name: str, *dtypes: str, dims: tuple[str, ...] = ("...",), optional: bool = False) -> TensorSpec:
    """An input or output."""
    return TensorSpec(name, dtypes, dims, optional=optional)


TYPED = (
    # float16 with float32 gives float32; float32 with bfloat16 gives bfloat16.
    OpSpec(
        "Mixed",
        (tensor("x", "float16", "float32"), tensor("y", "float32", "bfloat16")),
        (),
        (tensor("z", "float32", "bfloat16"),),
        "z = x * y + x",
    ),
    # Truth values in and out, beside numbers.
    OpSpec(
        "Masked",
        (tensor("m", "bool", "bool"), tensor("x", "float16", "float32"), tensor("y", "float16", "float32")),
        (AttrSpec("alpha", "float", 1.5),),
        (tensor("z", "float16", "float32"), tensor("above", "bool", "bool"), tensor("other", "bool", "bool")),
        "z = where(m, x, alpha) + where(x > y, 1.0, y) * cast(m, float32)\nabove = x > y\nother = y != alpha",
    ),
    OpSpec(
        "Whole",
        (tensor("a", "int32"), tensor("b", "int32")),
        (AttrSpec("count", "int", 3),),
        (tensor("z", "int32"), tensor("w", "int32"), tensor("half", "float32"), tensor("wide", "int64")),
        "z = (a - b) * a + minimum(a, 5) - maximum(-b, count * 2 - 1)\n"
        "w = 7 - a\n"
        "half = cast(a, float32) * 0.5 + count\n"
        "wide = cast(a * b, int64)",
    ),
    OpSpec("Levels", (tensor("x", "float32"),), (), (tensor("y", "int16"),), "y = cast(tanh(x) * 100.0, int16)"),
    OpSpec(
        "FromBool",
        (tensor("x", "bool"), tensor("y", "float32")),
        (),
        (tensor("z", "float32"),),
        "z = cast(x, float32) * y",
    ),
    OpSpec(
        "FromInteger",
        (tensor("x", *INTEGERS), tensor("y", *["float32"] * len(INTEGERS))),
        (),
        (tensor("z", *["float32"] * len(INTEGERS)),),
        "z = cast(x, float32) * y",
    ),
    # Of int8 two results of one value, so that one is a copy of the other.
    OpSpec(
        "ToInteger",
        (tensor("x", "float16"), tensor("y", "float32")),
        (),
        tuple(tensor(name, dtype) for name, dtype in _STORED.items()),
        "\n".join(
            f"{name} = cast({'abs(x * y)' if dtype == 'uint8' else 'x * y'}, {dtype})"
            for name, dtype in _STORED.items()
        ),
    ),
    OpSpec(
        "InPlace",
        (tensor("x", "float16", "float32"), tensor("w", "float16", "float32")),
        (AttrSpec("alpha", "float", 1.5),),
        (TensorSpec("y", ("float16", "float32"), inplace="x"), tensor("step", "float16", "float32")),
        "y = x + w * alpha\nstep = w * alpha",
    ),
    OpSpec(
        "Optional",
        (
            tensor("x", "float16", "float32"),
            tensor("bias", "float16", "float32", optional=True),
            tensor("m", "bool", "bool"),
        ),
        (),
        (tensor("z", "float16", "float32"),),
        "z = where(m, x + where(present(bias), bias, 0.5), 0.0)",
    ),
    OpSpec(
        "Symbols",
        (tensor("x", "float32", dims=("...", "H")), tensor("w", "float32", dims=("H",)), tensor("s", "float32")),
        (),
        (tensor("z", "float32", dims=("...", "H")),),
        "z = x * w + s",
    ),
    # Tensors called like constants, members and temporaries of the kernel.
    OpSpec(
        "Names",
        (
            tensor("halves", "bool"),
            tensor("tiles", "float16"),
            tensor("grid", "float16"),
            tensor("int_local0", "int32"),
            tensor("row_step", "float32", optional=True),
        ),
        (),
        (tensor("tile_buffers", "float16"), tensor("via_half", "int32")),
        "tile_buffers = where(halves, tanh(tiles) * grid, where(present(row_step), row_step, 1.0))\n"
        "via_half = (int_local0 + 1) * (int_local0 - 1) * (int_local0 + 2)",
    ),
    # Nothing but two casts, on the way in and on the way out.
    OpSpec(
        "Recast",
        (tensor("m", "bool"),),
        (),
        (tensor("z", "int8"), tensor("w", "float16")),
        "z = cast(m, int8)\nw = cast(m, float16)",
    ),
    OpSpec(
        "Number",
        (tensor("x", "float32"), TensorSpec("gain", ("float32",), (), scalar=True)),
        (),
        (tensor("z", "float32"),),
        "z = x * gain",
    ),
)

# All of it in one op, to be looked at.
KINDS = OpSpec(
    "Kinds",
    (
        tensor("m", "bool", "bool"),
        tensor("x", "float16", "float32", dims=("...", "H")),
        tensor("bias", "float16", "float32", dims=("H",), optional=True),
        tensor("a", "int32", "int32"),
    ),
    (AttrSpec("count", "int", 3),),
    (TensorSpec("y", ("float16", "float32"), inplace="x"), tensor("k", "int32", "int32")),
    "y = where(m, gelu(x), where(present(bias), bias, 0.5)) + cast(a, float32)\nk = a * (count + 1) - maximum(a, 1)",
)
