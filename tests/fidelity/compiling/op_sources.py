"""What a kernel is compiled with, read from the text of its op_host: data types by combination, tiling structs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

TYPES = {
    "DT_FLOAT": "float", "DT_FLOAT16": "half", "DT_BF16": "bfloat16_t", "DT_INT8": "int8_t", "DT_UINT8": "uint8_t",
    "DT_INT16": "int16_t", "DT_UINT16": "uint16_t", "DT_INT32": "int32_t", "DT_UINT32": "uint32_t",
    "DT_INT64": "int64_t", "DT_UINT64": "uint64_t", "DT_BOOL": "bool", "DT_DOUBLE": "double",
    "DT_COMPLEX64": "uint64_t",
}  # fmt: skip
VALUES = {
    "DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT8": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 6, "DT_UINT16": 7,
    "DT_UINT32": 8, "DT_INT64": 9, "DT_UINT64": 10, "DT_DOUBLE": 11, "DT_BOOL": 12, "DT_COMPLEX64": 16, "DT_BF16": 27,
}  # fmt: skip

_CLASS = re.compile(r"class (\w+) : public (?:ops::)?OpDef \{(.*?)^\};", re.DOTALL | re.MULTILINE)
_TENSOR = re.compile(r'(?:this->|config\w*\.|\b)(Input|Output)\("(\w+)"\)(.*?);', re.DOTALL)
_DTYPES = re.compile(r"\.DataType(?:List)?\((\{.*?\}|\w+)\)", re.DOTALL)
_NAMED = re.compile(r"std::vector<(?:ge::)?DataType> (\w+) ?(?:= ?)?([({].*?[)}]);", re.DOTALL)
_FIELD = re.compile(r"TILING_DATA_FIELD_DEF(_ARR|_STRUCT)?\(([^;]*)\);")


@dataclass(frozen=True)
class Op:
    """An operator: its kernel's source, the macros of each combination of data types, its tiling structs as text."""

    name: str
    source: Path
    socs: frozenset[str]
    macros: tuple[tuple[str, ...], ...]
    structs: str
    tiling: str  # the struct that op_host has registered for the op, or ""


def snake(name: str) -> str:
    """The kernel's file, by CANN's rule."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", name).lower()


def struct_texts(text: str) -> str:
    """The structs of BEGIN_TILING_DATA_DEF as a kernel sees them."""
    found = []
    for name, body in re.findall(r"BEGIN_TILING_DATA_DEF\((\w+)\)(.*?)END_TILING_DATA_DEF", text, re.DOTALL):
        fields = []
        for kind, arguments in _FIELD.findall(body):
            parts = [each.strip() for each in arguments.split(",")]
            fields.append(f"{parts[0]} {parts[2]}[{parts[1]}];" if kind == "_ARR" else f"{parts[0]} {parts[1]};")
        found.append(f"struct {name} {{ {' '.join(fields)} }};")
    return "\n".join(found)


def combinations(body: str, named: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The macros of each column of data types, ``named`` lists among them; a list of one stands for all columns."""
    tensors: dict[str, list[str]] = {}
    for _, name, rest in _TENSOR.findall(body):
        listed = _DTYPES.search(rest)
        if listed and name not in tensors:
            tensors[name] = re.findall(r"DT_\w+", named.get(listed[1], listed[1]))
    for column in range(max(map(len, tensors.values()), default=0)):
        macros = []
        for name, dtypes in tensors.items():
            dtype = dtypes[min(column, len(dtypes) - 1)]
            upper = name.upper()
            macros += [f"DTYPE_{upper}={TYPES[dtype]}", f"ORIG_DTYPE_{upper}={dtype}", f"FORMAT_{upper}=FORMAT_ND"]
        yield tuple(macros)


def ops_of(folder: Path) -> Iterator[Op]:
    """The operators of a project, or of a folder with op_host/ and op_kernel/."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((folder / "op_host").rglob("*.[ch]*")))
    named = dict(_NAMED.findall(text))
    registered = dict(re.findall(r"REGISTER_TILING_DATA_CLASS\((\w+), (\w+)\)", text))
    for name, body in _CLASS.findall(text):
        source = folder / "op_kernel" / f"{snake(name)}.cpp"
        if source.is_file():
            socs = frozenset(re.findall(r'AddConfig\("(\w+)"', body))
            yield Op(name, source, socs, tuple(combinations(body, named)), struct_texts(text), registered.get(name, ""))
