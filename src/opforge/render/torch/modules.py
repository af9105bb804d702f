"""The operators of a project as torch.nn.Module: constructors, initial values, forward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.render.layout import COLUMNS, python_call
from opforge.render.torch.docstrings import attr_entry, module_docstring
from opforge.render.torch.parameters import is_module, parameters, symbols
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names

# What a size is called in constructors; any other symbol is called by its own name.
SIZES: Mapping[str, str] = {"H": "hidden", "I": "intermediate"}

# What torch.nn.Module has itself, and the methods of generated modules: attributes of these names get an underscore.
# Source: dir(torch.nn.Module()), which a test reads.
_MODULE_NAMES = """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches
    eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict
    modules mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook
    register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook
    register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    reset_parameters set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
    zero_grad
"""
TAKEN = frozenset(_MODULE_NAMES.split())


@dataclass(frozen=True)
class ModuleForm:
    """One class of _modules.py. What is empty is left out; lists of lines are indented by the form."""

    name: str
    docstring: str
    annotations: tuple[str, ...]
    init: str
    init_lines: tuple[str, ...]
    reset_lines: tuple[str, ...]
    forward: str
    call: str
    shown: str


@dataclass(frozen=True)
class ModulesForm:
    """Context of ``code/torch/python/_modules.py``. ``functions`` imports the functions that the modules call."""

    package: str
    math: bool
    sequences: bool
    standard: bool
    functions: str
    modules: tuple[ModuleForm, ...]


def modules_context(package: str, signatures: Sequence[Signature]) -> ModulesForm | None:
    """The context for the ops that make sense as modules; None where none does."""
    chosen = [signature for signature in signatures if is_module(signature)]
    if not chosen:
        return None
    given = {name for signature in chosen for name in signature.inputs}
    functions = Names((*given, "self", "torch", "math")).new(package)
    modules = tuple(_Module(s, functions).form() for s in chosen)
    texts = [text for module in modules for text in (module.init, module.forward, *module.reset_lines)]
    math, sequences = any("math." in text for text in texts), any("Sequence[" in text for text in texts)
    imported = f"import {package}" if functions == package else f"import {package} as {functions}"
    return ModulesForm(package, math, sequences, math or sequences, imported, modules)


def module_names(signatures: Sequence[Signature]) -> tuple[str, ...]:
    """The classes that modules_context gives."""
    return tuple(signature.op.type for signature in signatures if is_module(signature))


def size_names(signature: Signature) -> Mapping[str, str]:
    """What the constructor calls the sizes of the parameters' dimensions, by symbol."""
    return _Module(signature, signature.package).sizes


def constructor_names(signature: Signature) -> tuple[str, ...]:
    """What must be given to make the module."""
    module = _Module(signature, signature.package)
    attrs = (module.given[attr.name] for attr in signature.op.attrs if attr.name not in signature.defaults)
    return (*module.sizes.values(), *attrs)


class _Module:
    """Writes one module. Sizes, attributes and parameters are attributes of it, by names that meet nothing."""

    def __init__(self, signature: Signature, functions: str) -> None:
        self.signature = signature
        self.functions = functions
        self.held = parameters(signature)
        local = Names(("self", "torch", "math", "bound"))
        kept = Names(TAKEN)
        names = (*(parameter.tensor.name for parameter in self.held), *signature.attrs)
        self.kept = {name: kept.new(name) for name in names}
        self.given = {name: local.new(name) for name in (*signature.inputs, *signature.attrs)}
        self.device, self.dtype = (local.new(name) for name in ("device", "dtype"))
        self.sizes: dict[str, str] = {}
        for symbol in symbols(signature, self.held):
            name = SIZES.get(symbol, snake(symbol))
            while name in self.given.values() or name in self.kept.values() or name in TAKEN:
                name += "_"
            self.sizes[symbol] = local.new(kept.new(name))

    def form(self) -> ModuleForm:
        """All of it."""
        signature, stored = self.signature, {parameter.tensor.name for parameter in self.held}
        arguments = [tensor for tensor in signature.op.inputs if tensor.name not in stored]
        annotated = dict(zip((*signature.inputs, *signature.attrs), signature.parameters, strict=True))
        forward, defaulted = [], True
        for tensor in reversed(arguments):
            defaulted = defaulted and tensor.optional
            typed = self._typed(tensor.name, annotated[tensor.name])
            forward.append(f"{typed} = None" if defaulted else typed)
        values = [f"self.{self.kept[n]}" if n in self.kept else self.given[n] for n in self._names]
        shown = [f"{name}={{self.{name}}}" for name in self.sizes.values()]
        shown += [f"{name}={{self.{self.kept[name]}!r}}" for name in signature.attrs]
        shown += [f"{self.given[n]}={{self.{self.kept[n]} is not None}}" for n in self._switches]
        init = self._constructor(annotated)
        return ModuleForm(
            name=signature.op.type,
            docstring=module_docstring(signature, arguments, self._entries(), self._attributes()),
            annotations=tuple(f"{self.kept[name]}: torch.nn.Parameter | None" for name in self._switches),
            init=python_call("def __init__(", ["self", *init], ") -> None:", 4) if init else "",
            init_lines=self._init_lines(),
            reset_lines=self._reset_lines(),
            forward=python_call("def forward(", ["self", *reversed(forward)], f") -> {signature.returns}:", 4),
            call=python_call(f"return {self.functions}.{signature.function}(", values, ")", 8),
            shown=_joined(shown),
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.signature.inputs, *self.signature.attrs)

    @property
    def _switches(self) -> tuple[str, ...]:
        """The parameters that a module may be made without."""
        return tuple(parameter.tensor.name for parameter in self.held if parameter.tensor.optional)

    def _typed(self, name: str, annotated: str) -> str:
        """The parameter of a function, under its name here and without a default."""
        return f"{self.given[name]}{annotated[len(name) :].partition(' = ')[0]}"

    def _constructor(self, annotated: Mapping[str, str]) -> list[str]:
        """The parameters of __init__: sizes, attributes, and by keyword what is seldom given."""
        made = [f"{name}: int" for name in self.sizes.values()]
        for attr in self.signature.op.attrs:
            default = annotated[attr.name].partition(" = ")[2]
            typed = self._typed(attr.name, annotated[attr.name])
            made.append(f"{typed} = {default}" if default else typed)
        if self.held:
            made += ["*", *(f"{self.given[name]}: bool = True" for name in self._switches)]
            made += [f"{self.device}: torch.device | str | None = None", f"{self.dtype}: torch.dtype | None = None"]
        return made

    def _entries(self) -> list[str]:
        """What the class's docstring says of the constructor's parameters."""
        entries = [f"{name}: size of {symbol}." for symbol, name in self.sizes.items()]
        entries += [attr_entry(attr, self.signature) for attr in self.signature.op.attrs]
        entries += [f"{self.given[name]}: whether it has the parameter {self.kept[name]}." for name in self._switches]
        if self.held:
            dtypes = ", ".join(dict.fromkeys(self.held[0].tensor.dtypes))
            entries.append(f"{self.device}: where the parameters are.")
            entries.append(f"{self.dtype}: of the parameters, torch's default where it is not given: {dtypes}.")
        return entries

    def _init_lines(self) -> tuple[str, ...]:
        lines = [f"self.{name} = {name}" for name in self.sizes.values()]
        for attr in self.signature.op.attrs:
            value = f"tuple({self.given[attr.name]})" if attr.type.startswith("list_") else self.given[attr.name]
            lines.append(f"self.{self.kept[attr.name]} = {value}")
        made = f"device={self.device}, dtype={self.dtype}"
        for parameter in self.held:
            name, dims = parameter.tensor.name, parameter.tensor.dims
            shape = f"({', '.join(self.sizes.get(dim, dim) for dim in dims)}{',' if len(dims) == 1 else ''})"
            value = f"torch.nn.Parameter(torch.empty({shape}, {made}))"
            if parameter.tensor.optional:
                items = [f'"{self.kept[name]}"', f"{value} if {self.given[name]} else None"]
                lines.append(python_call("self.register_parameter(", items, ")", 8))
            else:
                lines.append(python_call(f"self.{self.kept[name]} = torch.nn.Parameter(", [value[19:-1]], ")", 8))
        return (*lines, "self.reset_parameters()") if self.held else tuple(lines)

    def _reset_lines(self) -> tuple[str, ...]:
        lines: list[str] = []
        bound = ""
        for parameter in sorted(self.held, key=lambda each: each.start != "uniform"):
            target = f"self.{self.kept[parameter.tensor.name]}"
            filled = f"torch.nn.init.{parameter.start}_({target})"
            if parameter.start == "uniform":
                size = f"self.{self.sizes[parameter.fan]}" if parameter.fan in self.sizes else parameter.fan
                wanted = f"bound = 1 / math.sqrt(max({size}, 1))"
                lines += [wanted] if wanted != bound else []
                bound = wanted
                filled = f"torch.nn.init.uniform_({target}, -bound, bound)"
            lines.append(f"if {target} is not None:\n            {filled}" if parameter.tensor.optional else filled)
        return tuple(lines)

    def _attributes(self) -> list[str]:
        """What the class's docstring says of its parameters."""
        entries = []
        for parameter in self.held:
            what = f"shape [{', '.join(parameter.tensor.dims)}]"
            start = f"uniform up to 1 / sqrt({parameter.fan})" if parameter.start == "uniform" else parameter.start
            none = ", or None" if parameter.tensor.optional else ""
            entries.append(f"{self.kept[parameter.tensor.name]}: {what}, {start} at first{none}.")
        return entries


def _joined(shown: Sequence[str]) -> str:
    """A return of one text, or of pieces on lines of their own."""
    if not shown:
        return ""
    flat = f'return f"{", ".join(shown)}"'
    if len(flat) + 8 <= COLUMNS:
        return flat
    pieces = [f'f"{item}{", " if place < len(shown) - 1 else ""}"' for place, item in enumerate(shown)]
    margin = "\n            "
    return f"return ({margin}{margin.join(pieces)}\n        )"
