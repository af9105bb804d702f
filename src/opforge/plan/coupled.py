"""Checks ops against the limits of AI Cores that combine a cube and a vector core: ascend310p.

Sources: the Ascend C documentation's pages "Cast", whose table has a row for each pair of data types, and "ShiftRight",
for the Atlas inference products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opforge.plan.vector_model import Plan
    from opforge.soc import Soc
    from opforge.spec.combinations import Row

# __NPU_ARCH__ of the Atlas inference products.
COUPLED_ARCH = 2002
# Storage dtypes that it casts to float32, and from float32; one-byte types are cast through half.
_TO_FLOAT = ("float16", "float32", "int8", "uint8", "bool", "int32")
_FROM_FLOAT = ("float16", "float32", "int8", "uint8", "bool")
# Instructions, and functions of vector_math.h, that need an instruction that it lacks.
_LACKING = {
    "Cast": "casts that round float32 to integers, and casts between float32 and int32",
    "Wrap": "ShiftRight, which integers of one or two bytes need",
    "CompareIntegers": "comparisons of int32",
    **dict.fromkeys(
        ("FloorDivideIntegers", "RemainderIntegers", "FmodIntegers"),
        "casts between float32 and int32, which //, % and fmod of integers need",
    ),
    **dict.fromkeys(("ShiftLeftIntegers", "ShiftRight"), "ShiftLeft and ShiftRight, which << and >> need"),
    "Power": "ShiftRight and casts between float32 and int32, which pow needs",
    "Fmod": "ShiftRight and casts that round float32 to integers, which fmod, % and // need",
}


def coupled(socs: Iterable[Soc]) -> tuple[Soc, ...]:
    """The SoCs with such cores. Sources for them have a second way to copy partial blocks."""
    return tuple(soc for soc in socs if soc.npu_arch == COUPLED_ARCH)


def check_vector(plan: Plan, socs: Iterable[Soc], rows: dict[str, tuple[Row, ...]]) -> None:
    """Raises PlanError for an instruction that the cores lack, or a tensor's dtype that they cannot cast.

    ``rows`` are the dtype combinations by SoC name, over all arguments of the plan.
    """
    for soc in coupled(socs):
        for instruction in plan.instructions:
            if instruction.name in _LACKING:
                raise PlanError(
                    f"{plan.op_type} cannot be generated for {soc.name}: it lacks {_LACKING[instruction.name]}",
                    hint=f"remove {soc.name} from soc, or write the kernel by hand (an op without compute)",
                )
        for row in rows[soc.name]:
            for argument, dtype in zip(plan.arguments, row, strict=True):
                if argument.moved and not _castable(argument.compute, dtype, stored=argument.output):
                    way = f"{argument.compute} to {dtype}" if argument.output else f"{dtype} to {argument.compute}"
                    raise PlanError(
                        f"{plan.op_type} cannot be generated for {soc.name}: {argument.name} is {dtype}, "
                        f"but its Cast does not support {way}",
                        hint=f"give {soc.name} its own dtypes: overrides: {{{soc.name}: {{{argument.name}: ...}}}}",
                    )


def _castable(compute: str, dtype: str, *, stored: bool) -> bool:
    return dtype == compute or (compute == "float32" and dtype in (_FROM_FLOAT if stored else _TO_FLOAT))
