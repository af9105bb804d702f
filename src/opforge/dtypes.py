"""The one table of element types: how each layer spells them.

Source of the ge/acl numbers: the public headers ``graph/types.h`` and ``acl/acl_base.h`` of CANN 8.1 and later.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """One element type. ``name`` is the spelling of opforge.yaml; ``size`` is in bytes."""

    name: str
    size: int
    ge: str  # enumerator of ge::DataType, without the namespace
    acl: int  # value of aclDataType
    kernel: str  # type in Ascend C
    torch: str  # attribute of the torch module
    floating: bool


DTYPES: dict[str, DType] = {
    d.name: d
    for d in (
        DType("float32", 4, "DT_FLOAT", 0, "float", "float32", True),
        DType("float16", 2, "DT_FLOAT16", 1, "half", "float16", True),
        DType("bfloat16", 2, "DT_BF16", 27, "bfloat16_t", "bfloat16", True),
        DType("int8", 1, "DT_INT8", 2, "int8_t", "int8", False),
        DType("int16", 2, "DT_INT16", 6, "int16_t", "int16", False),
        DType("int32", 4, "DT_INT32", 3, "int32_t", "int32", False),
        DType("int64", 8, "DT_INT64", 9, "int64_t", "int64", False),
        DType("uint8", 1, "DT_UINT8", 4, "uint8_t", "uint8", False),
        DType("bool", 1, "DT_BOOL", 12, "bool", "bool", False),
    )
}

# Dtypes that expressions compute on today; the others stand in the table and are refused by name.
COMPUTE_DTYPES = ("float16", "bfloat16", "float32")

# Spellings people type, and what they mean; used for suggestions only.
ALIASES = {
    "float": "float32",
    "fp32": "float32",
    "half": "float16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "double": "float64",
}
