"""The one table of SoCs: names, core counts, memories, and what each lacks.

Numbers: CANN's public ``platform_config/<SoC>.ini`` as listed for 8.1.RC1; ``__NPU_ARCH__`` from the Ascend C
documentation. The first entry of ``versions`` is the one binaries are compiled for, as CANN's own build does.
"""

from __future__ import annotations

from opforge.frozen import dataclass


@dataclass(frozen=True)
class SocVersion:
    """One chip: the name npu-smi and aclrtGetSocName give, and its cores."""

    name: str
    cube_cores: int
    vector_cores: int


@dataclass(frozen=True)
class Soc:
    """One compute unit (the name AddConfig takes). Memory sizes are bytes per core."""

    name: str
    npu_arch: int
    versions: tuple[SocVersion, ...]
    ub: int
    l1: int
    l0a: int
    l0b: int
    l0c: int
    queue_buffers: int  # most buffers per TPosition over all queues
    dtypes: tuple[str, ...]  # what its cores can move and an operator may have there
    lacks: str | None = None  # why generated kernels are refused here, or None

    @property
    def default_version(self) -> SocVersion:
        """The chip that stands for the compute unit in builds and in the simulator."""
        return self.versions[0]


def _v(names: str, cube: int, vector: int) -> tuple[SocVersion, ...]:
    return tuple(SocVersion(name, cube, vector) for name in names.split())


# Sources: the dtype tables of the documentation's DataCopyPad page by product, and what the public operator definitions
# of CANN's repositories declare for each; bfloat16 came with the A2, the 8 and 4 bit floats with the 950.
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
_FIRST_DTYPES = ("float16", "float32", "float64", *_INTEGERS)
_A2_DTYPES = (*_FIRST_DTYPES, "bfloat16", "int4", "uint1", "complex32", "complex64")
_SMALL_FLOATS = ("float8_e5m2", "float8_e4m3fn", "float8_e8m0", "hifloat8", "float4_e2m1", "float4_e1m2")
_950_DTYPES = (*_A2_DTYPES, *_SMALL_FLOATS)
_K = 1024

SOCS: dict[str, Soc] = {
    s.name: s
    for s in (
        Soc(
            "ascend910b",
            2201,
            _v("Ascend910B1 Ascend910B2 Ascend910B2C", 24, 48) + _v("Ascend910B3 Ascend910B4 Ascend910B4-1", 20, 40),
            192 * _K,
            512 * _K,
            64 * _K,
            64 * _K,
            128 * _K,
            8,
            _A2_DTYPES,
        ),
        Soc(
            "ascend910_93",
            2201,
            _v("Ascend910_9391 Ascend910_9392 Ascend910_9381 Ascend910_9382", 24, 48)
            + _v("Ascend910_9372 Ascend910_9362", 20, 40),
            192 * _K,
            512 * _K,
            64 * _K,
            64 * _K,
            128 * _K,
            8,
            _A2_DTYPES,
        ),
        Soc(
            "ascend310p",
            2002,
            _v("Ascend310P3 Ascend310P1 Ascend310P5 Ascend310P7", 8, 7),
            256 * _K,
            1024 * _K,
            64 * _K,
            64 * _K,
            256 * _K,
            4,
            _FIRST_DTYPES,
        ),
        Soc(
            "ascend310b",
            3002,
            _v("Ascend310B1 Ascend310B2 Ascend310B3 Ascend310B4", 1, 1),
            248 * _K,
            1024 * _K,
            64 * _K,
            64 * _K,
            128 * _K,
            8,
            _FIRST_DTYPES,
            lacks="its coupled core and memory rules are not in the simulator yet",
        ),
        Soc(
            "ascend910",
            1001,
            _v("Ascend910A Ascend910ProA Ascend910PremiumA", 32, 32),
            256 * _K,
            1024 * _K,
            64 * _K,
            64 * _K,
            256 * _K,
            4,
            _FIRST_DTYPES,
            lacks="it has no DataCopyPad and no bfloat16, and its coupled core is not in the simulator yet",
        ),
        Soc(
            "ascend950",
            3510,
            _v("Ascend950PR_9599 Ascend950PR_9589", 32, 64),
            248 * _K,
            512 * _K,
            64 * _K,
            64 * _K,
            256 * _K,
            8,
            _950_DTYPES,
        ),
    )
}

# The chip that libascendcl simulates where $OPFORGE_SOC names none.
SIMULATED_BY_DEFAULT = SOCS["ascend910b"].default_version.name

# What a project is built for that names no SoC: those with the A2's vector API.
DEFAULT = ("ascend910b", "ascend910_93")

SUPPORTED = tuple(s.name for s in SOCS.values() if s.lacks is None)


def soc_of_version(version: str) -> Soc | None:
    """The compute unit of a chip name such as ``Ascend910B3``, or None."""
    return next((s for s in SOCS.values() for v in s.versions if v.name.lower() == version.lower()), None)


def version_named(name: str) -> SocVersion | None:
    """The chip with a name such as ``Ascend910B3``, or None."""
    versions = (version for soc in SOCS.values() for version in soc.versions)
    return next((version for version in versions if version.name.lower() == name.lower()), None)
