"""The context of a project's README: a table for each op, a runnable call, and a sentence on the gradient."""

from __future__ import annotations

from collections.abc import Iterator

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.program import Kernel, Program
from opforge.render.torch.dims import shown_shape
from opforge.render.torch.fusion import fusible
from opforge.render.torch.modules import constructor_names
from opforge.render.torch.parameters import is_module, parameters
from opforge.render.torch.signature import Signature, python_literal, signature_of
from opforge.spec.arguments import input_kind
from opforge.spec.dimensions import is_dots
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.samples import ATTR_SAMPLES, input_symbols, sample_attr, sample_number

_SIZES = (256, 512, 128, 64)  # sizes of the symbols in the example
_PLAIN_SIZE = "1000"


@dataclass(frozen=True)
class TensorRow:
    """One line of an op's table."""

    role: str
    name: str
    dtype: str
    shape: str


@dataclass(frozen=True)
class OpSection:
    """The README's section on one op."""

    type: str
    doc: str
    compute: str
    skeleton: str
    rows: tuple[TensorRow, ...]
    function: str
    call_setup: str
    call: str
    module: str
    found: bool
    on_cpu: str
    gradient: str


@dataclass(frozen=True)
class Readme:
    """Context of ``project/README.md``."""

    name: str
    package: str
    ops_sentence: str
    modules: bool
    converter: bool
    aclnn: bool
    ops: tuple[OpSection, ...]


def readme_of(program: Program) -> Readme:
    """The context of the README. Team templates may use it as well."""
    spec = program.spec
    names = [f"`{op.type}`" for op in spec.ops]
    sentence = f"The custom operator {names[0]}" if len(names) == 1 else f"The custom operators {', '.join(names)}"
    return Readme(
        name=spec.project.name,
        package=spec.project.package,
        ops_sentence=sentence,
        modules=spec.project.has("modules"),
        converter=spec.project.has("converter"),
        aclnn=spec.project.has("aclnn"),
        ops=tuple(_section(program, kernel) for kernel in program.public),
    )


def _section(program: Program, kernel: Kernel) -> OpSection:
    spec, op = program.spec, kernel.op
    signature = signature_of(program, kernel)
    rows = [_tensor_row("input", tensor, signature) for tensor in op.inputs]
    for attr in op.attrs:
        default = list(attr.default) if isinstance(attr.default, tuple) else attr.default
        rows.append(TensorRow("attribute", attr.name, attr.type, "required" if attr.required else f"default {default}"))
    rows += [_tensor_row("output", tensor, signature) for tensor in op.outputs]
    values = [_sample_input(tensor) for tensor in op.inputs]
    values += [python_literal(attr.type, sample_attr(attr)) for attr in op.attrs if attr.required]
    return OpSection(
        type=op.type,
        doc=" ".join(text for text in (op.doc or kernel.torch.summary, kernel.torch.promise) if text),
        compute=op.compute.rstrip(),
        skeleton=kernel.skeleton,
        rows=tuple(rows),
        function=signature.function,
        call_setup="\n".join(_sample_tensors(op)),
        call=f"{', '.join(signature.outputs)} = {signature.package}.{signature.function}({', '.join(values)})",
        module=_module(signature),
        found=bool(fusible((signature,))),
        on_cpu=_on_cpu(kernel, spec.project.package),
        gradient=_gradient(kernel),
    )


def _sample_tensors(op: OpSpec) -> Iterator[str]:
    """Python lines that create the tensors of a call."""
    symbols = input_symbols(op)
    sizes = {symbol: str(_SIZES[place % len(_SIZES)]) for place, symbol in enumerate(symbols)}
    sizes["..."] = "4, 100" if symbols else _PLAIN_SIZE
    for tensor in op.inputs:
        kind = input_kind(tensor)
        dims = ("..." if is_dots(dim) else dim for dim in tensor.dims)
        made = _random(tensor.dtypes[0], ", ".join(sizes.get(dim, dim) for dim in dims))
        if kind == "tensor":
            yield f"{tensor.name} = {made}"
        elif kind == "tensors":
            yield f"{tensor.name} = [{made} for _ in range(2)]"


def _sample_input(tensor: TensorSpec) -> str:
    """An input in a call: the name of a tensor, or a value for any other input."""
    match input_kind(tensor):
        case "tensor" | "tensors":
            return tensor.name
        case "number":
            return repr(sample_number(tensor))
        case "numbers":
            return f"[{sample_number(tensor)}]"
        case type_:
            return python_literal(type_, ATTR_SAMPLES[type_])


def _random(dtype: str, shape: str) -> str:
    if DTYPES[dtype].floating:
        return f'torch.rand({shape}, dtype=torch.{dtype}, device="npu")'
    highest = 2 if dtype == "bool" else 100
    return f'torch.randint({highest}, ({shape},), dtype=torch.{dtype}, device="npu")'


def _module(signature: Signature) -> str:
    """A sentence on the op's torch.nn.Module, or on why there is none; empty for a project without modules."""
    if not signature.modules:
        return ""
    if signature.written:
        return f"It has no `torch.nn.Module`, because it writes to `{signature.written[0]}`."
    if not is_module(signature):
        return "It has no `torch.nn.Module`: without leading dimensions `...`, opforge cannot tell weights from data."
    held = [f"`{parameter.tensor.name}`" for parameter in parameters(signature)]
    made = f"{signature.package}.{signature.op.type}({', '.join(constructor_names(signature))})"
    listed = f"{', '.join(held[:-1])} and {held[-1]}" if len(held) > 1 else "".join(held)
    ends = f"whose {'parameters are' if len(held) > 1 else 'parameter is'} {listed}" if held else "without parameters"
    return f"As a `torch.nn.Module` it is `{made}`, {ends}."


def _on_cpu(kernel: Kernel, package: str) -> str:
    op = kernel.op
    if kernel.expressed:
        compared = f" The tests compare it, and the kernel, with `{op.reference}`, too." if op.reference else ""
        return f"On CPU tensors the golden reference runs.{compared}"
    if op.reference is not None:
        return f"On CPU tensors its reference runs, `{op.reference}`."
    function = snake(op.type)
    return (
        "It runs only on the NPU, and its tests do not compare values. Add a reference for that: a torch function\n"
        f"`{function}` in `python/{package}/golden.py`, and `reference: golden:{function}` in opforge.yaml. The\n"
        "reference then computes CPU tensors, PyTorch differentiates it, and the tests compare the kernel with it."
    )


def _gradient(kernel: Kernel) -> str:
    """A sentence on the gradient; empty if the op has none."""
    if not kernel.op.backward:
        return ""
    inner = None if kernel.backward is None else kernel.backward.kernel
    if kernel.expressed and inner is None:
        return "Its gradient is derived from the expression; PyTorch's own operators compute it, without a kernel."
    return kernel.torch.gradient("" if inner is None else inner.type)


def _tensor_row(role: str, tensor: TensorSpec, signature: Signature) -> TensorRow:
    words = ["optional"] if tensor.optional else []
    words.append(f"list of {role}s" if tensor.dynamic else role)
    if tensor.inplace is not None:
        words.append(f"in place of `{tensor.inplace}`")
    dtypes = ", ".join(dict.fromkeys(tensor.dtypes))
    return TensorRow(" ".join(words), tensor.name, dtypes, shown_shape(signature, tensor))
