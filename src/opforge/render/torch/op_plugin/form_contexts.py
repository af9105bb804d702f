"""The contexts of the forms below ``code/op_plugin/``."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.program import GivenGrad, KernelCall, Variable
from opforge.render.torch.op_plugin.tests import FakeTest


@dataclass(frozen=True)
class Pair:
    """A new parameter: its name and its value."""

    name: str
    value: str


@dataclass(frozen=True)
class StructuredOutput:
    """An output that torchnpugen's code creates; ``behind`` has the dimensions that follow the leading ones."""

    name: str
    size: str
    behind: tuple[str, ...]
    dtype: str


@dataclass(frozen=True)
class YamlOp:
    """One function of op_plugin_functions.yaml. A function that is not ``structured`` has a C++ file."""

    func: str
    structured: bool
    outputs: tuple[StructuredOutput, ...] = ()
    parameters: tuple[Pair, ...] = ()
    call: str = ""


@dataclass(frozen=True)
class FunctionsYaml:
    """Context of ``code/op_plugin/op_plugin_functions.yaml``."""

    versions: str
    ops: tuple[YamlOp, ...]


@dataclass(frozen=True)
class Formula:
    """One function of derivatives.yaml."""

    func: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class DerivativesYaml:
    """Context of ``code/op_plugin/derivatives.yaml``."""

    versions: str
    formulas: tuple[Formula, ...]


@dataclass(frozen=True)
class MadeOutput:
    """An output tensor that the function creates: its size and its options."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class CppFile:
    """Context of ``code/op_plugin/KernelNpuOpApi.cpp``: an op that runs a ``command``, or a derivative."""

    what: str
    returns: str
    name: str
    parameters: tuple[str, ...]
    grads: tuple[GivenGrad, ...]
    variables: tuple[Variable, ...]
    outputs: tuple[MadeOutput, ...]
    command: tuple[str, ...]
    kernel: KernelCall | None
    results: tuple[Variable, ...]
    written: tuple[str, ...]
    several: bool
    returned: tuple[str, ...]


@dataclass(frozen=True)
class MetaOp:
    """One Meta function."""

    name: str
    parameters: tuple[str, ...]
    outputs: tuple[MadeOutput, ...]
    returned: tuple[str, ...]


@dataclass(frozen=True)
class MetaForm:
    """Context of ``code/op_plugin/_meta_registrations.py``."""

    ops: tuple[MetaOp, ...]


@dataclass(frozen=True)
class FakeTests:
    """Context of ``code/op_plugin/test_fake_tensor.py``."""

    ops: tuple[FakeTest, ...]


@dataclass(frozen=True)
class SchemaRow:
    """One function of torch_npu_OpApi_schema_all.json. ``comma`` is empty for the last one."""

    func: str
    comma: str


@dataclass(frozen=True)
class SchemaForm:
    """Context of ``code/op_plugin/torch_npu_OpApi_schema_all.json``."""

    ops: tuple[SchemaRow, ...]


@dataclass(frozen=True)
class ReadmeRow:
    """One function in the table of README.md."""

    name: str
    op: str
    how: str


@dataclass(frozen=True)
class ReadmeForm:
    """Context of ``code/op_plugin/README.md``."""

    project: str
    vendor: str
    rows: tuple[ReadmeRow, ...]
    not_differentiable: str
    unsaved: str  # of these, those whose derivative would read a list of float
    files: bool
