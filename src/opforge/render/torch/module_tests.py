"""The tests of the modules: how each is made of the values that its function is given."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, python_call
from opforge.render.torch.modules import size_names
from opforge.render.torch.parameters import is_module, parameters
from opforge.render.torch.shared_tests import SharedParts
from opforge.render.torch.signature import Signature
from opforge.spec.arguments import input_kind

_TEST = "test_module.py"


@dataclass(frozen=True)
class ModuleChecksForm:
    """Context of ``code/torch/tests/module_checks.py``; ``modules`` are entries of a dict."""

    package: str
    modules: tuple[str, ...]


@dataclass(frozen=True)
class ModuleTestForm:
    """Context of ``code/torch/tests/test_module.py``; ``imports`` and ``cases`` are Python source."""

    imports: tuple[str, ...]
    cases: tuple[str, ...]
    optional: bool


def module_checks(package: str, signatures: Sequence[Signature]) -> ModuleChecksForm | None:
    """The context for all ops that make sense as modules; None where none does."""
    entries = [_entry(signature) for signature in signatures if is_module(signature)]
    return ModuleChecksForm(package, tuple(entries)) if entries else None


def module_test(shared: SharedParts, signatures: Sequence[Signature]) -> ModuleTestForm | None:
    """The context for the ops of kinds that take part; None where none of them is a module."""
    if not shared.has(_TEST):
        return None
    checks = ("MODULES", "Named", "check_initial_values", "check_module", "check_tracing")
    return ModuleTestForm(
        imports=shared.imports(_TEST, {"module_checks": checks, "operators": ("Operator", "identify")}),
        cases=shared.texts(_TEST, "cases"),
        optional=any(s.optional for s in signatures if s.kernel.expressed and is_module(s)),
    )


def _entry(signature: Signature) -> str:
    """``"swiglu": Made(swiglu.SwiGLU, {"hidden": ("x", -1)}, ("w_gate", "w_up"), ())``."""
    sizes = [f'"{name}": {_place(signature, symbol)}' for symbol, name in size_names(signature).items()]
    held = dims_literal([parameter.tensor.name for parameter in parameters(signature)])
    items = [f"{signature.package}.{signature.op.type}", f"{{{', '.join(sizes)}}}", held, dims_literal(signature.attrs)]
    return python_call(f'"{signature.function}": Made(', items, ")", 4)


def _place(signature: Signature, symbol: str) -> str:
    """Where a size is found: a tensor, if possible one that is always given, and a dimension of it."""
    having = [t for t in signature.op.inputs if input_kind(t) == "tensor" and symbol in t.dims]
    tensor = min(having, key=lambda each: each.optional)
    return f'("{tensor.name}", {tensor.dims.index(symbol) - len(tensor.dims)})'
