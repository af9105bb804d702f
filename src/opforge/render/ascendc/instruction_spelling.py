"""Spells the instructions of a plan in Ascend C: one call each.

Slots: ``d`` target, ``a`` and ``b`` sources, ``s`` scalar or third source, ``m`` mode, ``w`` work buffers, ``k`` the
blocks of coefficients, ``n`` and ``c`` the element counts, ``o`` the operator of row_math, ``t`` a type argument. Each
instruction is documented in SIMD-API, Memory vector computing, on the page of the same name (``Cast`` is under type
conversion, ``CompareScalar`` under ``Compares``).
``vector_math``, ``integer_math`` and ``row_math`` are part of the project.
"""

from __future__ import annotations

import json
import math
import struct

from opforge.dtypes import DTYPES
from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.plan.coefficient_blocks import filling
from opforge.plan.steps import AXPY, POLYNOMIAL, SUM_ROWS
from opforge.plan.stored_results import SHORTER
from opforge.plan.vector_model import Instruction, ScalarOperand
from opforge.render.ascendc.cpp_names import local_of, type_name

_TENSOR_TENSOR = "AscendC::{name}({d}, {a}, {b}, {n})"
_TENSOR_SCALAR = "AscendC::{name}({d}, {a}, {s}, {n})"
_TENSOR = "AscendC::{name}({d}, {a}, {n})"

CALLS: dict[str, str] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Min", "Max"), _TENSOR_TENSOR),
    **dict.fromkeys(("Adds", "Muls", "Mins", "Maxs", "LeakyRelu"), _TENSOR_SCALAR),
    AXPY: "AscendC::Axpy({d}, {b}, {s}, {n})",  # a and d are one tile
    **dict.fromkeys(("Abs", "Exp", "Ln", "Sqrt", "Relu"), _TENSOR),
    **dict.fromkeys(
        ("Tanh", "Erf", "Log1p", "Log1pUpTo1", "Expm1UpTo0"),
        "vector_math::{name}{t}({d}, {a}, {w}, {k}, {n}, {c})",
    ),
    **dict.fromkeys(("Expm1", "Log2"), "vector_math::{name}{t}({d}, {a}, {w}, {n}, {c})"),
    POLYNOMIAL: "vector_math::Polynomial<vector_math::k{m}>({d}, {a}, {k}, {n})",
    "Gelu": "vector_math::Gelu{t}({d}, {a}, {w}, {k}, {n})",
    **dict.fromkeys(("Sin", "Cos"), "vector_math::{name}({d}, {a}, {w}, {k}, {n})"),
    "Exp2": "vector_math::Exp2({d}, {a}, {w}, {n})",
    "Power": "vector_math::Power({d}, {a}, {b}, {w}, {n}, {c})",
    "Fmod": "vector_math::Fmod({d}, {a}, {b}, {w}, {n}, {c})",
    "Duplicate": "AscendC::Duplicate({d}, {s}, {n})",
    "Cast": "AscendC::Cast({d}, {a}, AscendC::RoundMode::{m}, {n})",
    "Compare": "AscendC::Compare({d}, {a}, {b}, AscendC::CMPMODE::{m}, {c})",
    "CompareScalar": "AscendC::CompareScalar({d}, {a}, {s}, AscendC::CMPMODE::{m}, {c})",
    "Select": "AscendC::Select({d}, {a}, {b}, {s}, AscendC::SELMODE::{m}, {n})",
    "Wrap": "integer_math::Wrap{t}({d}, {a}, {n})",
    "CompareIntegers": "integer_math::CompareIntegers<AscendC::CMPMODE::{m}>({d}, {a}, {b}, {w}, {n}, {c})",
    **dict.fromkeys(
        ("FloorDivideIntegers", "RemainderIntegers", "FmodIntegers"), "integer_math::{name}({d}, {a}, {b}, {w}, {n})"
    ),
    **dict.fromkeys(("AndIntegers", "OrIntegers"), "integer_math::{name}({d}, {a}, {b}, {n})"),
    "XorIntegers": "integer_math::XorIntegers({d}, {a}, {b}, {w}, {n})",
    "NotIntegers": "integer_math::NotIntegers({d}, {a}, {n})",
    "ShiftLeftIntegers": "integer_math::ShiftLeftIntegers({d}, {a}, {s}, {n})",
    "ShiftRight": "AscendC::ShiftRight({d}, {a}, {s}, {n})",
    "SelectIntegers": "integer_math::SelectIntegers({d}, {a}, {b}, {s}, {n})",
}
# Instructions on rows, of row_math.h: reductions, and tiles beside values of rows.
_OPERATORS = {"Sum": "Add", "Product": "Product", "Largest": "Max", "Least": "Min"}
_REDUCE = "row_math::Reduce<row_math::{o}>({d}, {a}, rowBlocks, tile)"
_REDUCE_COLUMNS = "row_math::ReduceColumns<row_math::{o}>({d}, {a}, {w}, tile)"
_ADD_PART = "row_math::AddPart<row_math::{o}>({d}, {a}, rowBlocks, tile, first)"
_ADD_ROWS = "row_math::AddRows<row_math::{o}>({d}, {a}, {w}, rowBlocks, tile, first)"
_ADD_COLUMNS = "row_math::AddColumns<row_math::{o}>({d}, {a}, {w}, tile, first)"
_WITH_ROWS = "row_math::WithRows<row_math::{name}>({d}, {a}, {b}, rowBlocks, tile)"
_ROWS_FIRST = "row_math::WithRows<row_math::{name}, true>({d}, {b}, {a}, rowBlocks, tile)"
_SPREAD = "row_math::Spread({d}, {a}, rowBlocks, tile)"
_WITH_COLUMNS = "row_math::WithColumns<row_math::{name}>({d}, {a}, {b}, tile)"
_COLUMNS_FIRST = "row_math::WithColumns<row_math::{name}, true>({d}, {b}, {a}, tile)"
_REPEAT = "row_math::RepeatRow({d}, {a}, tile)"
_ARANGE = "AscendC::Adds({d}, elementNumbers, static_cast<float>(origin.column), {n})"
_ARANGE_DOWN = "AscendC::Adds({d}, elementNumbers, static_cast<float>(origin.row), {n})"
# The functions of vector_math.h.
FUNCTIONS = tuple(name for name, text in CALLS.items() if text.startswith("vector_math::"))
# The functions of integer_math.h.
INTEGER_FUNCTIONS = tuple(name for name, text in CALLS.items() if text.startswith("integer_math::"))


@dataclass(frozen=True)
class Call:
    """A function call."""

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


def _float32_literal(value: float) -> str:
    """A float in a kernel. Not every compiler of kernels has the macro INFINITY without a header."""
    return float_literal(value) if math.isfinite(value) else f"{'-' if value < 0 else ''}__builtin_inff()"


def int_literal(value: int) -> str:
    """A 64-bit integer literal. The minimum has no literal, because C++ reads the digits before the sign."""
    return "(-9223372036854775807 - 1)" if value == -(2**63) else f"{value}"


def _int32_literal(value: float) -> str:
    """A 32-bit integer literal. The minimum has no literal, because C++ reads 2147483648 as a long."""
    return int_literal(int(value)) if value > -(2**31) else "static_cast<int32_t>(-2147483648)"


def string_literal(text: str) -> str:
    """A C++ string literal. C++ accepts JSON's escapes; other characters are written as UTF-8."""
    return json.dumps(text, ensure_ascii=False)


def scalar(operand: ScalarOperand, tiling: str = "tiling->") -> str:
    """The spelling of a scalar operand in a kernel: a literal or a member of the tiling data."""
    if operand.value is not None:
        return _float32_literal(operand.value) if operand.dtype == "float32" else _int32_literal(operand.value)
    return f"{'-' if operand.negated else ''}{tiling}{operand.name}"


def _form(instruction: Instruction, *, across: bool) -> str:
    """The call of an instruction, with slots."""
    if instruction.name == "Arange":
        return _ARANGE_DOWN if across else _ARANGE
    if instruction.name == SUM_ROWS:
        return f"AddToSum({instruction.target.number}, {{a}}, tile, origin)"
    if instruction.name in _OPERATORS:
        return _REDUCE_COLUMNS if across else _REDUCE
    rows = [source.of_rows for source in instruction.sources]
    columns = [source.kind == "column" for source in instruction.sources]
    if instruction.target.kind == "column":
        return CALLS[instruction.name]
    if any(columns):
        return _REPEAT if instruction.name == "Repeat" else _COLUMNS_FIRST if columns[0] else _WITH_COLUMNS
    if instruction.target.of_rows or not any(rows):
        return CALLS[instruction.name]
    if instruction.name == "Spread":
        return _REPEAT if across else _SPREAD
    if across:
        return _COLUMNS_FIRST if rows[0] else _WITH_COLUMNS
    return _ROWS_FIRST if rows[0] else _WITH_ROWS


def part_call(instruction: Instruction, total: str, *, across: bool, last: bool) -> Call:
    """The call that adds a part of a row to a reduction. ``last``: a row is the last dimension alone."""
    return _called(_ADD_COLUMNS if across else _ADD_PART if last else _ADD_ROWS, instruction, total)


def finish_call(instruction: Instruction, total: str, *counts: str) -> Call:
    """The call that finishes the reduction of a row in parts. ``counts``: further arguments of row_math::Finish."""
    arguments = (local_of(instruction.target), total, *counts)
    return Call(f"row_math::Finish<row_math::{_OPERATORS[instruction.name]}>", arguments)


def combine_call(instruction: Instruction, slot: int, number: int) -> Call:
    """The call that combines a reduction of all parts of rows, as total ``number``, from ``slot`` of the workspace."""
    return Call(f"Combine<row_math::{_OPERATORS[instruction.name]}>", (f"{slot}", f"{number}", "group"))


def empty_call(instruction: Instruction, total: str, size: str) -> Call:
    """The call that makes the total of no parts, of ``size`` elements."""
    return Call(f"row_math::NoParts<row_math::{_OPERATORS[instruction.name]}>", (total, size))


def total_call(instruction: Instruction, total: str) -> Call:
    """The call that copies the reductions of columns in parts."""
    return Call("AscendC::Muls", (local_of(instruction.target), total, "1.0f", "rowCount"))


def call(instruction: Instruction, *, across: bool = False) -> Call:
    """The function and the arguments of one instruction. ``across``: values of rows lie along the columns of a tile."""
    return _called(_form(instruction, across=across), instruction, local_of(instruction.target))


def fill_call(instruction: Instruction) -> Call:
    """The call that fills the blocks of the numbers that an instruction's polynomials add."""
    filled = filling(instruction.name, instruction.mode)
    if filled is None:
        raise InternalError(f"{instruction} has no blocks of coefficients")
    fill, _ = filled
    return Call(f"vector_math::{fill}{_type_argument(instruction)}", (_blocks(instruction),))


def _blocks(instruction: Instruction) -> str:
    return f"Coefficients({instruction.block})"


def _type_argument(instruction: Instruction) -> str:
    """``<TypeY>``: the type to which Wrap narrows, ``int8`` or ``x.dtype``, or that of the output that is stored."""
    if instruction.mode is None or instruction.name not in ("Wrap", *SHORTER):
        return ""
    tensor, _, like = instruction.mode.partition(".")
    return f"<{type_name(tensor) if like or instruction.name in SHORTER else DTYPES[tensor].kernel}>"


def _called(form: str, instruction: Instruction, target: str) -> Call:
    sources = [local_of(p) for p in instruction.sources]
    third = sources[2] if len(sources) > 2 else ""
    text = form.format(
        name=instruction.name,
        d=target,
        a=sources[0] if sources else "",
        b=sources[1] if len(sources) > 1 else "",
        s=scalar(instruction.scalar) if instruction.scalar else third,
        m=instruction.mode or "",
        t=_type_argument(instruction),
        w=", ".join(local_of(p) for p in instruction.work),
        k=_blocks(instruction),
        n="rowCount" if instruction.target.of_rows else "elementCount",
        c="rowCompareCount" if instruction.target.of_rows else "compareCount",
        o=_OPERATORS.get(instruction.name, ""),
    )
    function, _, arguments = text.removesuffix(")").partition("(")
    return Call(function, tuple(arguments.split(", ")))
