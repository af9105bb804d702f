"""The one table of element types: how each layer spells them.

Sources: the public headers ``graph/types.h`` and ``acl/acl_base.h`` of CANN 8.1 and later for the ge and acl numbers;
the documentation's page on basic data types for the types in Ascend C.
"""

from __future__ import annotations

from opforge.frozen import dataclass


@dataclass(frozen=True)
class DType:
    """One element type. ``name`` is the spelling in opforge.yaml: torch's name if torch has the type."""

    name: str
    bits: int
    ge: str  # enumerator of ge::DataType, without the namespace
    acl: int  # value of aclDataType
    kernel: str  # type in Ascend C; empty if Ascend C lacks it
    torch: str  # attribute of the torch module; empty if torch lacks it
    floating: bool  # as in torch: complex numbers are not floating

    @property
    def size(self) -> int:
        """Bytes of one element; 1 for dtypes that pack several elements into a byte."""
        return (self.bits + 7) // 8


def _same(name: str, bits: int, ge: str, acl: int, kernel: str, *, floating: bool) -> DType:
    """A dtype whose name is torch's."""
    return DType(name, bits, ge, acl, kernel, name, floating)


DTYPES: dict[str, DType] = {
    d.name: d
    for d in (
        _same("float32", 32, "DT_FLOAT", 0, "float", floating=True),
        _same("float16", 16, "DT_FLOAT16", 1, "half", floating=True),
        _same("bfloat16", 16, "DT_BF16", 27, "bfloat16_t", floating=True),
        _same("int8", 8, "DT_INT8", 2, "int8_t", floating=False),
        _same("int16", 16, "DT_INT16", 6, "int16_t", floating=False),
        _same("int32", 32, "DT_INT32", 3, "int32_t", floating=False),
        _same("int64", 64, "DT_INT64", 9, "int64_t", floating=False),
        _same("uint8", 8, "DT_UINT8", 4, "uint8_t", floating=False),
        _same("bool", 8, "DT_BOOL", 12, "bool", floating=False),
        _same("uint16", 16, "DT_UINT16", 7, "uint16_t", floating=False),
        _same("uint32", 32, "DT_UINT32", 8, "uint32_t", floating=False),
        _same("uint64", 64, "DT_UINT64", 10, "uint64_t", floating=False),
        _same("float64", 64, "DT_DOUBLE", 11, "double", floating=True),
        _same("complex32", 32, "DT_COMPLEX32", 33, "complex32", floating=False),
        _same("complex64", 64, "DT_COMPLEX64", 16, "complex64", floating=False),
        _same("complex128", 128, "DT_COMPLEX128", 17, "", floating=False),
        _same("float8_e5m2", 8, "DT_FLOAT8_E5M2", 35, "fp8_e5m2_t", floating=True),
        _same("float8_e4m3fn", 8, "DT_FLOAT8_E4M3FN", 36, "fp8_e4m3fn_t", floating=True),
        DType("float8_e8m0", 8, "DT_FLOAT8_E8M0", 37, "fp8_e8m0_t", "float8_e8m0fnu", floating=True),
        DType("hifloat8", 8, "DT_HIFLOAT8", 34, "hifloat8_t", "", floating=True),
        DType("float4_e2m1", 4, "DT_FLOAT4_E2M1", 40, "fp4x2_e2m1_t", "", floating=True),
        DType("float4_e1m2", 4, "DT_FLOAT4_E1M2", 41, "fp4x2_e1m2_t", "", floating=True),
        DType("int4", 4, "DT_INT4", 29, "int4b_t", "", floating=False),
        DType("uint1", 1, "DT_UINT1", 30, "uint1b_t", "", floating=False),
        DType("qint8", 8, "DT_QINT8", 18, "", "", floating=False),
        DType("qint16", 16, "DT_QINT16", 19, "", "", floating=False),
        DType("qint32", 32, "DT_QINT32", 20, "", "", floating=False),
        DType("quint8", 8, "DT_QUINT8", 21, "", "", floating=False),
        DType("quint16", 16, "DT_QUINT16", 22, "", "", floating=False),
    )
}

# The dtypes that expressions compute in; an op that states no dtypes has all of them.
COMPUTE_DTYPES = ("float16", "bfloat16", "float32")
# The dtypes that tensors of generated kernels may have; the others need handwritten kernels.
KERNEL_DTYPES = (*COMPUTE_DTYPES, "int32", "bool", "int8", "uint8", "int16", "int64")

# Other spellings that people type, for suggestions only.
ALIASES = {
    "float": "float32",
    "fp32": "float32",
    "half": "float16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "double": "float64",
    "fp64": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "boolean": "bool",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e5m2": "float8_e5m2",
    "hif8": "hifloat8",
}
