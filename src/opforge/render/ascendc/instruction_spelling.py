"""The table of a plan's instructions in Ascend C: one call each.

Slots: ``d`` target, ``a`` and ``b`` sources, ``s`` scalar or third source, ``m`` mode, ``w`` work places, ``n`` and
``c`` the element counts. Documentation of each: SIMD-API, Memory vector computing, page of the same name (``Cast`` in
type conversion, ``CompareScalar`` with ``Compares``); those of ``vector_math`` are this project's own.
"""

from __future__ import annotations

import json
import math
import struct

from opforge.frozen import dataclass
from opforge.plan.vector_model import Instruction, ScalarOperand
from opforge.render.ascendc.cpp_names import local_of

_TENSOR_TENSOR = "AscendC::{name}({d}, {a}, {b}, {n})"
_TENSOR_SCALAR = "AscendC::{name}({d}, {a}, {s}, {n})"
_TENSOR = "AscendC::{name}({d}, {a}, {n})"

CALLS: dict[str, str] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Min", "Max"), _TENSOR_TENSOR),
    **dict.fromkeys(("Adds", "Muls", "Mins", "Maxs", "LeakyRelu"), _TENSOR_SCALAR),
    **dict.fromkeys(("Abs", "Exp", "Ln", "Sqrt", "Relu"), _TENSOR),
    **dict.fromkeys(("Tanh", "Erf"), "vector_math::{name}({d}, {a}, {w}, {n}, {c})"),
    "Gelu": "vector_math::Gelu({d}, {a}, {w}, {n})",
    "Power": "vector_math::Power({d}, {a}, {b}, {w}, {n}, {c})",
    "Duplicate": "AscendC::Duplicate({d}, {s}, {n})",
    "Cast": "AscendC::Cast({d}, {a}, AscendC::RoundMode::{m}, {n})",
    "Compare": "AscendC::Compare({d}, {a}, {b}, AscendC::CMPMODE::{m}, {c})",
    "CompareScalar": "AscendC::CompareScalar({d}, {a}, {s}, AscendC::CMPMODE::{m}, {c})",
    "Select": "AscendC::Select({d}, {a}, {b}, {s}, AscendC::SELMODE::{m}, {n})",
}
# Those of vector_math.h.
FUNCTIONS = tuple(name for name, text in CALLS.items() if text.startswith("vector_math::"))


@dataclass(frozen=True)
class Call:
    """A call of a function."""

    function: str
    arguments: tuple[str, ...]


def float_literal(value: float) -> str:
    """The shortest decimal that is this value as a C++ float: ``0.1f``, ``-2.0f``, ``1e-05f``. It must be finite."""
    single: float = struct.unpack("f", struct.pack("f", value))[0]
    if not math.isfinite(single):
        raise ValueError(value)
    text = next(
        t
        for digits in range(1, 10)
        if struct.unpack("f", struct.pack("f", float(t := f"{single:.{digits}g}")))[0] == single
    )
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def int_literal(value: int) -> str:
    """A 64-bit integer. The smallest one has no literal: C++ reads the digits without the sign first."""
    return "(-9223372036854775807 - 1)" if value == -(2**63) else f"{value}"


def _int32_literal(value: float) -> str:
    """The least of all has no literal of its own: 2147483648 is a long."""
    return int_literal(int(value)) if value > -(2**31) else "static_cast<int32_t>(-2147483648)"


def string_literal(text: str) -> str:
    """A C++ string literal: JSON's escapes are C++'s, and other characters stand as UTF-8."""
    return json.dumps(text, ensure_ascii=False)


def scalar(operand: ScalarOperand, tiling: str = "tiling->") -> str:
    """A scalar operand as the kernel reads it: a literal, or a member of the tiling data."""
    if operand.value is not None:
        return float_literal(operand.value) if operand.dtype == "float32" else _int32_literal(operand.value)
    return f"{'-' if operand.negated else ''}{tiling}{operand.name}"


def call(instruction: Instruction) -> Call:
    """One instruction: the function and its arguments."""
    sources = [local_of(p) for p in instruction.sources]
    third = sources[2] if len(sources) > 2 else ""
    text = CALLS[instruction.name].format(
        name=instruction.name,
        d=local_of(instruction.target),
        a=sources[0] if sources else "",
        b=sources[1] if len(sources) > 1 else "",
        s=scalar(instruction.scalar) if instruction.scalar else third,
        m=instruction.mode or "",
        w=", ".join(local_of(p) for p in instruction.work),
        n="elementCount",
        c="compareCount",
    )
    function, _, arguments = text.removesuffix(")").partition("(")
    return Call(function, tuple(arguments.split(", ")))
