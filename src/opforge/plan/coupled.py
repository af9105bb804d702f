"""What AI Cores that are cube and vector core in one keep an op from: the Atlas inference products (ascend310p).

Sources, pages of the Ascend C documentation by product: "Cast", whose table has a row for each pair of data types;
"ShiftRight".
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
# Which stored dtypes it casts to float32, and which from it; bytes go by way of half.
_TO_FLOAT = ("float16", "float32", "int8", "uint8", "bool", "int32")
_FROM_FLOAT = ("float16", "float32", "int8", "uint8", "bool")
# Instructions, and functions of vector_math.h, that take one it lacks.
_LACKING = {
    "Cast": "casts between float32 and int32",
    "Power": "ShiftRight and casts between float32 and int32, which pow needs",
}


def coupled(socs: Iterable[Soc]) -> tuple[Soc, ...]:
    """Those whose kernels are for such cores: their sources have a second way to copy what fills no whole blocks."""
    return tuple(soc for soc in socs if soc.npu_arch == COUPLED_ARCH)


def check_vector(plan: Plan, socs: Iterable[Soc], rows: dict[str, tuple[Row, ...]]) -> None:
    """Raises PlanError for an instruction, or a dtype of a tensor, that there is no instruction for.

    ``rows`` are the combinations of dtypes of each SoC, by its name, for all arguments of the plan.
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
