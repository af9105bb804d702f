"""Which functions of the kernel API a compiled kernel holds, for which data types: read from its debug information.

The compiler writes the name of each instance of a template there, inlined or not, as `Mmad<float, half, half>`. So what
a test has run is known from the kernels that it launched, and nobody has to say it.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from api_rows import ApiFunction

SPELLED = {
    "signed char": "int8_t",
    "unsigned char": "uint8_t",
    "short": "int16_t",
    "short int": "int16_t",
    "short unsigned int": "uint16_t",
    "int": "int32_t",
    "unsigned int": "uint32_t",
    "long": "int64_t",
    "long int": "int64_t",
    "long unsigned int": "uint64_t",
    "AscendC::int4b_t": "int4b_t",
}

Instance = tuple[str, frozenset[str]]


def sections(elf: bytes) -> dict[str, bytes]:
    """By name, of a 64-bit little-endian object."""
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<3H", elf, 58)
    headers = [struct.unpack_from("<2I4Q", elf, table + i * size) for i in range(count)]
    start = headers[names][4]
    return {
        elf[start + name : elf.index(b"\0", start + name)].decode(): elf[offset : offset + length]
        for name, _, _, _, offset, length in headers
    }


@functools.cache
def instances_in(path: Path) -> frozenset[Instance]:
    """Function names without their namespaces, with the types among their template arguments.

    The linker keeps `Relu<half>` as the end of `LeakyRelu<half>`: a name is one where .debug_info points to its start.
    """
    parts = sections(path.read_bytes())
    strings, info = parts[".debug_str"], parts[".debug_info"]
    numbers = [np.frombuffer(info[shift : shift + (len(info) - shift) // 4 * 4], "<u4") for shift in range(4)]
    pointed = set(np.unique(np.concatenate(numbers)).tolist())
    found = set()
    for match in re.finditer(rb"(\w+)<([^\0]*)>(?=\0)", strings):
        types = frozenset(SPELLED.get(word, word) for word in re.split(r"[,<>] ?", match[2].decode()))
        found.update((match[1][i:].decode(), types) for i in range(len(match[1])) if match.start() + i in pointed)
    return frozenset(found)


def not_run(row: ApiFunction, dtypes: Iterable[str], ran: Iterable[Instance]) -> list[str]:
    """Those of the row's data types for which no launched kernel holds an instance of its function.

    A type that all of them have in common, as int8_t in `int8_t<-half` and `int8_t<-float`, need not be an argument.
    """
    name = row.name.rpartition("::")[2]
    seen = [types for instance, types in ran if instance == name]
    asked = {dtype: set(dtype.split("<-")) for dtype in dtypes}
    common = set.intersection(*asked.values()) if asked else set()
    return [dtype for dtype, types in asked.items() if not any(types - common <= each for each in seen)]
