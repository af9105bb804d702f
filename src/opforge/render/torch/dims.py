"""The dimensions of an output as Python or C++ source: arithmetic on the sizes of symbols and on attributes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from opforge.errors import InternalError
from opforge.render.torch.signature import Signature
from opforge.spec.dimensions import DOTS, Apply, Dim, Dots, Size, Symbol, print_dim
from opforge.spec.model import TensorSpec
from opforge.spec.value_dims import DROPPED, KEPT

_ARITHMETIC = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}"}
_PYTHON = _ARITHMETIC | {
    "floordiv": "{} // {}",
    "min": "torch.sym_min({}, {})",
    "max": "torch.sym_max({}, {})",
}
_CPP = _ARITHMETIC | {
    "floordiv": "opforge::floor_div({}, {})",
    "min": "std::min<int64_t>({}, {})",
    "max": "std::max<int64_t>({}, {})",
}


# The methods of Sizes that give the leading dimensions after a reduction over one of them.
_REDUCED: Mapping[Dim, str] = {KEPT: "kept", DROPPED: "dropped"}

# Arithmetic that raises if the result does not fit int64.
_CHECKED = _CPP | {"add": "opforge::plus({}, {})", "sub": "opforge::minus({}, {})", "mul": "opforge::times({}, {})"}


def computed_dims(signature: Signature, dims: Sequence[Dim]) -> bool:
    """Whether a size comes from arithmetic or an attribute and may therefore be negative."""
    return any(isinstance(dim, Apply) or (isinstance(dim, Symbol) and dim.name in signature.attrs) for dim in dims)


def python_shape(signature: Signature, dims: Sequence[Dim], sizes: str) -> str:
    """The shape as a Python tuple; ``sizes`` is the name of the ``_shapes.Sizes``."""
    if dims and dims[0] in _REDUCED:
        return f"{sizes}.{_REDUCED[dims[0]]}({signature.axis})"
    items = [_text(dim, signature, _PYTHON, _looked_up(sizes)) for dim in dims if not isinstance(dim, Dots)]
    if len(items) < len(dims):
        dots = f"{sizes}.leading" if dims[0] == DOTS else f'{sizes}.dots["{print_dim(dims[0])}"]'
        return f"(*{dots}, {', '.join(items)})" if items else dots
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def cpp_shape(signature: Signature, dims: Sequence[Dim], sizes: str) -> str:
    """The shape as an argument of Tensor::new_empty; ``sizes`` is the name of the ``opforge::Sizes``."""
    if dims and dims[0] in _REDUCED:
        return f"{sizes}.{_REDUCED[dims[0]]}({signature.axis})"
    items = [_text(dim, signature, _CHECKED, _looked_up(sizes)) for dim in dims if not isinstance(dim, Dots)]
    if len(items) < len(dims) and dims[0] != DOTS:
        return f'{sizes}.behind("{print_dim(dims[0])}", {{{", ".join(items)}}})'
    if DOTS in dims:
        return f"{sizes}.behind_leading({{{', '.join(items)}}})" if items else f"{sizes}.leading()"
    return f"{{{', '.join(items)}}}"


def shown_shape(signature: Signature, tensor: TensorSpec) -> str:
    """A tensor's shape for people: ``[..., H]``, or ``[...] without dimension dim``."""
    if tensor.dimensions == (KEPT,):
        return f"[...] with extent 1 in dimension {signature.axis}"
    if tensor.dimensions == (DROPPED,):
        return f"[...] without dimension {signature.axis}"
    return f"[{', '.join(tensor.dims)}]"


def python_dim(signature: Signature, dim: Dim, symbol: Callable[[str], str]) -> str:
    """One dimension; ``symbol`` returns the source of a symbol's size."""
    return _text(dim, signature, _PYTHON, symbol)


def cpp_dim(signature: Signature, dim: Dim, symbol: Callable[[str], str], floor_div: str) -> str:
    """One dimension; ``symbol`` returns the source of a symbol's size, ``floor_div`` names a function."""
    return _text(dim, signature, _CPP | {"floordiv": f"{floor_div}({{}}, {{}})"}, symbol)


def _looked_up(sizes: str) -> Callable[[str], str]:
    return lambda name: f"{sizes}[{json.dumps(name)}]"


def _text(dim: Dim, signature: Signature, forms: Mapping[str, str], symbol: Callable[[str], str]) -> str:
    return _bound(dim, signature, forms, symbol)[0]


def _bound(dim: Dim, signature: Signature, forms: Mapping[str, str], symbol: Callable[[str], str]) -> tuple[str, int]:
    """The text, and how tightly it binds: 1 for a sum, 2 for a product, 3 if it never needs brackets."""
    match dim:
        case Size(value):
            return str(value), 3
        case Symbol(name) if name in signature.attrs:
            return name, 3
        case Symbol(name):
            return symbol(name), 3
        case Apply(op, operands):
            form = forms[op]
            strength = 3 if form.endswith(")") else 1 if op in ("add", "sub") else 2
            texts = []
            for place, operand in enumerate(operands):
                text, binding = _bound(operand, signature, forms, symbol)
                loose = strength < 3 and binding < strength + place  # the right operand must bind tighter
                texts.append(f"({text})" if loose else text)
            return form.format(*texts), strength
        case Dots():
            raise InternalError("`...` inside of arithmetic")
