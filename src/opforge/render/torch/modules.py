"""The operators of a project as torch.nn.Module: constructors, initial values, forward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.render.layout import COLUMNS, python_tuple
from opforge.render.torch.docstrings import attr_entry, module_docstring
from opforge.render.torch.parameters import Parameter, is_module, parameters, symbols
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.model import AttrSpec

# Names of sizes in constructors. Other symbols keep their own name.
SIZES: Mapping[str, str] = {"H": "hidden", "I": "intermediate"}

# Members of torch.nn.Module, and methods of generated modules. Attributes with these names get an underscore. Source:
# dir(torch.nn.Module()), which a test reads.
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
# Columns for a line of extra_repr: a string after `return`, indented by two levels.
_SHOWN_COLUMNS = COLUMNS - 18


@dataclass(frozen=True)
class KeptAttr:
    """An attribute of the op as an attribute of the module: its name and its value."""

    name: str
    value: str


@dataclass(frozen=True)
class KeptParameter:
    """A parameter and the arguments that create it. Optional parameters are registered by name."""

    name: str
    optional: bool
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class InitialValue:
    """The torch.nn.init function that fills a parameter. ``fan`` computes the bound; empty to keep the last one."""

    name: str
    optional: bool
    fan: str
    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class ModuleForm:
    """One class of _modules.py. Empty fields are left out. ``shown`` is the text of its repr, or the pieces of it."""

    name: str
    docstring: str
    switches: tuple[str, ...]
    init: tuple[str, ...]
    sizes: tuple[str, ...]
    attrs: tuple[KeptAttr, ...]
    parameters: tuple[KeptParameter, ...]
    initial: tuple[InitialValue, ...]
    forward: tuple[str, ...]
    returns: str
    function: str
    arguments: tuple[str, ...]
    shown: tuple[str, ...]
    pieces: bool


@dataclass(frozen=True)
class ModulesForm:
    """Context of ``code/torch/python/_modules.py``. It imports the package as ``functions``."""

    package: str
    math: bool
    sequences: bool
    standard: bool
    renamed: bool
    functions: str
    modules: tuple[ModuleForm, ...]


def modules_context(package: str, signatures: Sequence[Signature]) -> ModulesForm | None:
    """The context for the ops that make sense as modules; None if there are none."""
    chosen = [signature for signature in signatures if is_module(signature)]
    if not chosen:
        return None
    given = {name for signature in chosen for name in signature.inputs}
    functions = Names((*given, "self", "torch", "math")).new(package)
    modules = tuple(_Module(s, functions).form() for s in chosen)
    texts = [text for module in modules for text in (*module.init, *module.forward)]
    math = any("math." in text for text in texts) or any(value.fan for module in modules for value in module.initial)
    sequences = any("Sequence[" in text for text in texts)
    return ModulesForm(package, math, sequences, math or sequences, functions != package, functions, modules)


def module_names(signatures: Sequence[Signature]) -> tuple[str, ...]:
    """The names of the classes in modules_context."""
    return tuple(signature.op.type for signature in signatures if is_module(signature))


def size_names(signature: Signature) -> Mapping[str, str]:
    """The constructor's name for each symbol in the parameters' dimensions."""
    return _Module(signature, signature.package).sizes


def constructor_names(signature: Signature) -> tuple[str, ...]:
    """The required arguments of the module's constructor."""
    module = _Module(signature, signature.package)
    attrs = (module.given[attr.name] for attr in signature.op.attrs if attr.name not in signature.defaults)
    return (*module.sizes.values(), *attrs)


class _Module:
    """Writes one module. The names of its sizes, attributes and parameters do not collide."""

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
        """The whole class."""
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
        whole = ", ".join(shown)
        long = len(whole) > _SHOWN_COLUMNS
        return ModuleForm(
            name=signature.op.type,
            docstring=module_docstring(signature, arguments, self._entries(), self._attributes()),
            switches=tuple(self.kept[name] for name in self._switches),
            init=("self", *init) if init else (),
            sizes=tuple(self.sizes.values()),
            attrs=tuple(self._attr(attr) for attr in signature.op.attrs),
            parameters=tuple(self._parameter(parameter) for parameter in self.held),
            initial=self._initial(),
            forward=("self", *reversed(forward)),
            returns=signature.returns,
            function=signature.function,
            arguments=tuple(values),
            shown=(*(f"{item}, " for item in shown[:-1]), shown[-1]) if long else (whole,) if shown else (),
            pieces=long,
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.signature.inputs, *self.signature.attrs)

    @property
    def _switches(self) -> tuple[str, ...]:
        """The optional parameters of the module."""
        return tuple(parameter.tensor.name for parameter in self.held if parameter.tensor.optional)

    def _typed(self, name: str, annotated: str) -> str:
        """A parameter of a function, with its name in the module and without a default."""
        return f"{self.given[name]}{annotated[len(name) :].partition(' = ')[0]}"

    def _constructor(self, annotated: Mapping[str, str]) -> list[str]:
        """The parameters of __init__: sizes, attributes, then keyword-only options."""
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
        """The class docstring's entries for the constructor's parameters."""
        entries = [f"{name}: size of {symbol}." for symbol, name in self.sizes.items()]
        entries += [attr_entry(attr, self.signature) for attr in self.signature.op.attrs]
        entries += [f"{self.given[name]}: whether it has the parameter {self.kept[name]}." for name in self._switches]
        if self.held:
            dtypes = ", ".join(dict.fromkeys(self.held[0].tensor.dtypes))
            entries.append(f"{self.device}: the parameters' device.")
            entries.append(f"{self.dtype}: the parameters' dtype, by default torch's default dtype: {dtypes}.")
        return entries

    def _attr(self, attr: AttrSpec) -> KeptAttr:
        given = self.given[attr.name]
        return KeptAttr(self.kept[attr.name], f"tuple({given})" if attr.type.startswith("list_") else given)

    def _parameter(self, parameter: Parameter) -> KeptParameter:
        name, dims = parameter.tensor.name, parameter.tensor.dims
        shape = python_tuple([self.sizes.get(dim, dim) for dim in dims])
        value = f"torch.empty({shape}, device={self.device}, dtype={self.dtype})"
        if not parameter.tensor.optional:
            return KeptParameter(self.kept[name], optional=False, arguments=(value,))
        made = f"torch.nn.Parameter({value}) if {self.given[name]} else None"
        return KeptParameter(self.kept[name], optional=True, arguments=(f'"{self.kept[name]}"', made))

    def _initial(self) -> tuple[InitialValue, ...]:
        """The initial values. Those with a bound come first, so that equal bounds follow each other."""
        values: list[InitialValue] = []
        known = ""
        for parameter in sorted(self.held, key=lambda each: each.start != "uniform"):
            name, fan = self.kept[parameter.tensor.name], ""
            arguments: tuple[str, ...] = (f"self.{name}",)
            if parameter.start == "uniform":
                size = f"self.{self.sizes[parameter.fan]}" if parameter.fan in self.sizes else parameter.fan
                fan, known = (size if size != known else ""), size
                arguments = (*arguments, "-bound", "bound")
            values.append(InitialValue(name, parameter.tensor.optional, fan, f"{parameter.start}_", arguments))
        return tuple(values)

    def _attributes(self) -> list[str]:
        """The class docstring's entries for the module's parameters."""
        entries = []
        for parameter in self.held:
            what = f"shape [{', '.join(parameter.tensor.dims)}]"
            start = f"uniform up to 1 / sqrt({parameter.fan})" if parameter.start == "uniform" else parameter.start
            none = ", or None" if parameter.tensor.optional else ""
            entries.append(f"{self.kept[parameter.tensor.name]}: {what}, {start} at first{none}.")
        return entries
