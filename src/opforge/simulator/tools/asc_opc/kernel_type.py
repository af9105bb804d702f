"""Of which cores a block of a kernel is made: what its source says, and what the architectures of the AI Core have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from device_code import own_lines
from template_arguments import Combination


class OpcError(Exception):
    """The kernel cannot be compiled; the text says where and why."""


@dataclass(frozen=True)
class KernelType:
    """Of which cores a block is made: SIM_KERNEL_* of sim_launch.h, and what the description of a kernel says of it.

    Documentation: SIMD-API/基础API/Kernel-Tiling/设置Kernel类型.
    """

    name: str
    value: int
    core_type: str
    magic: str
    ratio: str  # AIC:AIV
    synchronises: bool  # has the hardware's flags between cores
    macros: tuple[str, ...]  # what the device compiler defines for the cores of the block


@dataclass(frozen=True)
class Target:
    """An architecture of the AI Core."""

    products: str
    socs: re.Pattern[str]
    macros: tuple[str, ...]
    types: tuple[KernelType, ...]  # the first is that of a kernel which names none and whose code tells nothing
    split: bool  # cube and vector cores are separate

    def type(self, name: str, place: str) -> KernelType:
        """Raises OpcError for a name that is no type of the products."""
        for type_ in self.types:
            if type_.name == name:
                return type_
        known = ", ".join(type_.name for type_ in self.types)
        raise OpcError(f"{place}: error: {name} is not a kernel type of {self.products}; those are {known}")


_VECTOR, _CUBE, MIX_MAGIC = "RT_DEV_BINARY_MAGIC_ELF_AIVEC", "RT_DEV_BINARY_MAGIC_ELF_AICUBE", "RT_DEV_BINARY_MAGIC_ELF"


def _split_types(cube: str, vector: str) -> tuple[KernelType, ...]:
    """The types of a product with separate cores, of which the device compiler tells with these macros."""
    return (
        KernelType("KERNEL_TYPE_AIV_ONLY", 0, "VectorCore", _VECTOR, "0:1", False, (vector,)),
        KernelType("KERNEL_TYPE_AIC_ONLY", 1, "AiCore", _CUBE, "1:0", False, (cube,)),
        KernelType("KERNEL_TYPE_MIX_AIC_1_1", 2, "MIX", MIX_MAGIC, "1:1", True, (cube, vector)),
        KernelType("KERNEL_TYPE_MIX_AIC_1_2", 3, "MIX", MIX_MAGIC, "1:2", True, (cube, vector)),
        KernelType("KERNEL_TYPE_MIX_AIV_1_0", 4, "MIX", MIX_MAGIC, "0:1", True, (vector,)),
        KernelType("KERNEL_TYPE_MIX_AIC_1_0", 5, "MIX", MIX_MAGIC, "1:0", True, (cube,)),
    )


TARGETS = (
    Target(
        "Atlas A2 and A3",
        re.compile(r"Ascend910B\d|Ascend910B4-1|Ascend910_93\d\d"),
        ("__NPU_ARCH__=2201", "__CCE_AICORE__=220"),
        _split_types("__DAV_C220_CUBE__", "__DAV_C220_VEC__"),
        split=True,
    ),
    Target(
        "Atlas inference products (310P)",
        re.compile(r"Ascend310P\d(?:[A-Z]\w*)?"),
        ("__NPU_ARCH__=2002", "__CCE_AICORE__=200"),
        (
            KernelType("KERNEL_TYPE_AICORE", 6, "AiCore", "RT_DEV_BINARY_MAGIC_ELF", "1:0", False, ("__DAV_M200__",)),
            KernelType("KERNEL_TYPE_MIX_VECTOR_CORE", 8, "MIX", MIX_MAGIC, "1:0", False, ("__DAV_M200__",)),
        ),
        split=False,
    ),
    Target(
        "Ascend950PR and Ascend950DT",
        re.compile(r"Ascend950(?:PR|DT)_\w+"),
        ("__NPU_ARCH__=3510", "__CCE_AICORE__=310", "__DAV_C310__"),
        _split_types("__DAV_CUBE__", "__DAV_VEC__"),
        split=True,
    ),
)
NO_TYPE = 0xFFFFFFFF  # sim_kernel_type's answer for a tiling key of which the kernel says nothing
NOT_SELECTED = 0xFFFFFFFE  # and for one that the kernel's template has not

# Operators of CANN for several architectures say it without asking which one it is: on split cores it says nothing,
# though the page lists it for 310P alone.
_OF_310P = "KERNEL_TYPE_MIX_VECTOR_CORE"

# Functions that wait for other cores through global memory, which vector kernels of every type may use.
WAITS = re.compile(r"\b(SyncAll|IBSet|IBWait|WaitPreBlock)\s*[<(]")
# What tells the cores of a kernel that names no type: CANN's compiler looks for cube code and for the hardware's flags.
MATMUL = re.compile(r"\bsim::MatmulRegisterOrServe\b")  # what REGIST_MATMUL_OBJ becomes
MATMUL_ON_CUBE = re.compile(r"\bkMatmulCubeOnly = true")  # what ASCENDC_CUBE_ONLY does
_CUBE_CODE = re.compile(r"\b((Mmad|LoadData|Fixpipe)\s*[<(]|MatmulImpl\s*<)")  # MatmulImpl is the object on a cube core
_BOTH_SIDES = re.compile(r"\bsim::On(Cube|Vector)Core\b|\bg_coreType(Cube|Vector)?\b")  # ASCEND_IS_AIC and the like
# SyncAll without workspaces is that of the hardware; with them, as IBSet, it is a matter of global memory alone
# (pages SyncAll, IBSet and CrossCoreSetFlag of 核间同步). The last two are what those functions become.
HARDWARE_FLAGS = re.compile(
    r"\bSyncAll\s*(<[^<>();]*>)?\s*\(\s*\)|\bCrossCore(Set|Wait)Flag\b|\bffts_cross_core_sync\b|\bwait_flag_dev\b"
)
# Cores that wait for each other by the hardware's flags are of a type that has them.
WITH_FLAGS = {"KERNEL_TYPE_AIV_ONLY": "KERNEL_TYPE_MIX_AIV_1_0", "KERNEL_TYPE_AIC_ONLY": "KERNEL_TYPE_MIX_AIC_1_0"}


@dataclass(frozen=True)
class Types:
    """What KERNEL_TASK_TYPE_DEFAULT and KERNEL_TASK_TYPE say, or ASCENDC_TPL_KERNEL_TYPE_SEL."""

    default: KernelType | None  # None: only some tiling keys have a type
    by_key: tuple[tuple[str, KernelType], ...]  # the key is a C++ expression
    waits: bool  # a function of WAITS is called
    selected: tuple[Combination, ...] = ()  # of a template

    @property
    def all(self) -> tuple[KernelType, ...]:
        """The default one first."""
        default = () if self.default is None else (self.default,)
        return (*default, *(one for _, one in self.by_key))

    @property
    def macros(self) -> list[str]:
        """Macros that tell the kernel's source for which cores it is compiled: once for all of them."""
        return sorted({macro for one in self.all for macro in one.macros})

    @property
    def synchronises(self) -> bool:
        """Whether cores can wait for each other."""
        return self.waits or any(one.synchronises for one in self.all)

    def exports(self) -> str:
        """C++ that goes behind the kernel: what the engine asks the object."""
        export = 'extern "C" __attribute__((visibility("default")))'
        cases = "".join(
            f"    if (key == static_cast<uint64_t>({key})) return {one.value}u;\n" for key, one in self.by_key
        )
        default = NO_TYPE if self.default is None else self.default.value
        if self.selected:
            plain = (one.key for one in self.selected if not one.kernel_type)
            cases += "".join(f"    if (key == {key}ull) return {default}u;\n" for key in plain)
            default = NOT_SELECTED
        return (
            f"{export} uint32_t sim_kernel_type([[maybe_unused]] uint64_t key) {{\n{cases}    return {default}u;\n}}\n"
            f"{export} uint32_t sim_kernel_synchronises(uint64_t) {{ return {int(self.synchronises)}; }}\n"
        )


def matmul_type(text: str) -> str:
    """The name of the type of a kernel with a Matmul object, from the whole preprocessed text."""
    return "KERNEL_TYPE_AIC_ONLY" if MATMUL_ON_CUBE.search(text) else "KERNEL_TYPE_MIX_AIC_1_2"


def inferred(text: str, target: Target) -> KernelType:
    """Of which cores a kernel is that names no type."""
    if not target.split:
        return target.types[0]
    own = "\n".join(row for _, row in own_lines(text))
    if MATMUL.search(own):
        name = matmul_type(text)
    elif _CUBE_CODE.search(own):
        name = "KERNEL_TYPE_MIX_AIC_1_2" if _BOTH_SIDES.search(own) else "KERNEL_TYPE_AIC_ONLY"
    else:
        name = "KERNEL_TYPE_AIV_ONLY"
    return target.type(WITH_FLAGS.get(name, name) if HARDWARE_FLAGS.search(own) else name, "")


def kernel_types(text: str, target: Target, selected: tuple[Combination, ...]) -> Types:
    """Reads the preprocessed text. Raises OpcError for types that contradict each other."""
    defaults: dict[str, str] = {}
    by_key: dict[str, KernelType] = {}
    waits = False
    for place, row in own_lines(text):
        waits = waits or WAITS.search(row) is not None
        for name in re.findall(r"sim::KernelTaskTypeDefault\(\s*(.+?)\s*\)", row):
            if not target.split or name != _OF_310P:
                defaults.setdefault(target.type(name, place).name, place)
        for key, name in re.findall(r"sim::KernelTaskType\(\s*(.+?)\s*,\s*(\w+)\s*\)", row):
            type_ = target.type(name, place)
            if by_key.setdefault(key, type_) is not type_:
                said = f"tiling key {key} has a type already, {by_key[key].name}"
                raise OpcError(f"{place}: error: KERNEL_TASK_TYPE: {said}")
    if len(defaults) > 1:
        (first, _), (second, place) = list(defaults.items())[:2]
        raise OpcError(f"{place}: error: KERNEL_TASK_TYPE_DEFAULT: {second}, but the default is {first} already")
    # A type that the template selects counts before the others.
    typed = (one for one in selected if one.kernel_type)
    by_key = {f"{one.key}ull": target.type(one.kernel_type, "ASCENDC_TPL_KERNEL_TYPE_SEL") for one in typed} or by_key
    default = target.type(next(iter(defaults)), "") if defaults else None if by_key else inferred(text, target)
    return Types(default, tuple(by_key.items()), waits, selected)
