"""One source of ascendc_library: which kernel it defines, its object, and the function that launches it.

``name SOURCE`` prints the kernel's name; ``build SOURCE ...`` compiles it with asc_opc and writes ``<kernel>_stub.cpp``
and ``aclrtlaunch_<kernel>.h``. Exits 1 with the reason on stderr.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# A kernel function as the documentation writes it: extern "C" __global__ __aicore__ void name(parameters).
KERNEL = re.compile(r"__global__\s+__aicore__\s+void\s+(\w+)\s*\(([^()]*)\)")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# What may be passed by value: it must fit one argument of a launch.
SCALARS = ("bool", "float", "int", "char", *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)))


@dataclass(frozen=True)
class Parameter:
    """A parameter of the kernel; ``type`` is what the host passes."""

    name: str
    type: str

    @property
    def pointer(self) -> bool:
        """Whether it is an address in global memory."""
        return self.type == "void*"


@dataclass(frozen=True)
class Kernel:
    """What a source defines."""

    name: str
    parameters: tuple[Parameter, ...]


def fail(source: Path, reason: str) -> None:
    """Ends the program."""
    sys.exit(f"{source}: {reason}")


def parameter(source: Path, kernel: str, text: str) -> Parameter:
    """``GM_ADDR x`` or ``uint32_t n``."""
    words = [word for word in text.replace("*", " * ").split() if word not in ("const", "__gm__", "__restrict__")]
    name, type_ = words[-1], " ".join(words[:-1])
    if type_ == "GM_ADDR" or type_.endswith("*"):
        return Parameter(name, "void*")
    if type_ not in SCALARS:
        fail(
            source,
            f"parameter {text.strip()} of {kernel}: the simulated toolkit passes addresses (GM_ADDR, __gm__ T*) and "
            f"numbers ({', '.join(SCALARS)}); pass a struct by its address in global memory",
        )
    return Parameter(name, type_)


def read(source: Path) -> Kernel:
    """The one kernel of a source."""
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        sys.exit(f"{source}: {error.strerror}")
    found = KERNEL.findall(COMMENT.sub(" ", text))
    if len(found) != 1:
        names = ", ".join(name for name, _ in found) or "none"
        fail(source, f'a source defines one kernel, extern "C" __global__ __aicore__ void <name>(...); found: {names}')
    name, parameters = found[0]
    known = tuple(parameter(source, name, part) for part in parameters.split(",") if part.strip())
    if not known:
        fail(source, f"{name} has no parameters: nothing could come out of it")
    return Kernel(name, known)


def workspace_of(kernel: Kernel, definitions: list[str], source: Path) -> int | None:
    """Which parameter is the workspace: the last, or the one before HAVE_TILING's."""
    names = {definition.split("=")[0].removeprefix("-D") for definition in definitions}
    if "HAVE_WORKSPACE" not in names:
        return None
    index = len(kernel.parameters) - (2 if "HAVE_TILING" in names else 1)
    if index < 0 or not kernel.parameters[index].pointer:
        fail(source, f"HAVE_WORKSPACE: {kernel.name} has no workspace parameter where it must be")
    return index


def in_launch_order(kernel: Kernel, workspace: int | None) -> list[Parameter]:
    """The arguments of a launch: the engine wants the workspace last, and behind it tiling data, which there is not."""
    last = [known for index, known in enumerate(kernel.parameters) if index == workspace]
    return [known for index, known in enumerate(kernel.parameters) if index != workspace] + last


def entry(kernel: Kernel, source: Path, workspace: int | None) -> str:
    """The unit that asc_opc compiles: the source, and an entry whose arguments are all as wide as an address.

    Where the kernel has a workspace, it gets the user's part, as from CANN's own wrapper. The last argument of a launch
    is the engine's.
    """
    wide = [f"GM_ADDR {known.name}_" for known in in_launch_order(kernel, workspace)]
    passed, lines = [], []
    for index, known in enumerate(kernel.parameters):
        if index == workspace:
            passed.append(f"{known.name}_ == nullptr ? nullptr : AscendC::GetUserWorkspace({known.name}_)")
        elif known.pointer:
            passed.append(f"reinterpret_cast<decltype(ParameterOf{index}({kernel.name}))>({known.name}_)")
        else:
            lines.append(f"    {known.type} {known.name}Value;")
            lines.append(f"    __builtin_memcpy(&{known.name}Value, &{known.name}_, sizeof({known.name}Value));")
            passed.append(f"{known.name}Value")
    types = ", ".join(f"T{i}" for i in range(len(kernel.parameters)))
    heads = ", ".join(f"typename T{i}" for i in range(len(kernel.parameters)))
    finders = [f"template <{heads}>\nT{i} ParameterOf{i}(void (*)({types}));" for i in range(len(kernel.parameters))]
    return "\n".join(
        [
            f'#include "{source}"',
            *finders,
            f'extern "C" __global__ __aicore__ void {kernel.name}_entry({", ".join(wide)}, GM_ADDR) {{',
            *lines,
            f"    {kernel.name}({', '.join(passed)});",
            "}",
            "",
        ]
    )


def header(kernel: Kernel) -> str:
    """aclrtlaunch_<kernel>.h."""
    return f"""#ifndef HEADER_ACLRTLAUNCH_{kernel.name.upper()}_H
#define HEADER_ACLRTLAUNCH_{kernel.name.upper()}_H
#include "acl/acl_base.h"

#ifndef ACLRT_LAUNCH_KERNEL
#define ACLRT_LAUNCH_KERNEL(kernel_func) aclrtlaunch_##kernel_func
#endif

extern "C" {signature(kernel)};
#endif
"""


def signature(kernel: Kernel) -> str:
    """The launching function. Its parameters end with an underscore, unlike the names of the stub."""
    parameters = "".join(f", {known.type} {known.name}_" for known in kernel.parameters)
    return f"uint32_t aclrtlaunch_{kernel.name}(uint32_t numBlocks, aclrtStream stream{parameters})"


def stub(kernel: Kernel, binary: Path, workspace: int | None) -> str:
    """The launching function's definition: hands the arguments to the runtime, which knows the allocations."""
    ordered = in_launch_order(kernel, workspace)
    rows = [f'        {{"{known.name}", {int(known.pointer)}, 0}},' for known in ordered]
    if workspace is not None:
        rows[-1] = '        {"workspace", 1, 0},'
    copies = [
        f"    __builtin_memcpy(&arguments[{index}].value, &{known.name}_, sizeof({known.name}_));"
        for index, known in enumerate(ordered)
    ]
    return "\n".join(
        [
            "#include <cstdint>",
            f'#include "aclrtlaunch_{kernel.name}.h"',
            "",
            "struct sim_kernel_argument {",
            "    const char* name;",
            "    uint32_t is_address;",
            "    uint64_t value;",
            "};",
            'extern "C" int sim_kernel_launch(const char* kernel, const char* object_path, uint32_t blocks,',
            "    aclrtStream stream, const sim_kernel_argument* arguments, uint32_t count);",
            "",
            f'extern "C" {signature(kernel)} {{',
            "    sim_kernel_argument arguments[] = {",
            *rows,
            "    };",
            *copies,
            f"    const char* object = {json.dumps(str(binary))};",
            f"    const uint32_t count = {len(kernel.parameters)};",
            f'    const int status = sim_kernel_launch("{kernel.name}", object, numBlocks, stream, arguments, count);',
            "    return static_cast<uint32_t>(status);",
            "}",
            "",
        ]
    )


def build(args: argparse.Namespace) -> None:
    """Compiles the kernel, then writes its stub and header."""
    source: Path = args.source
    kernel = read(source)
    definitions, options, includes = (
        [word for word in text.split(";") if word] for text in (args.definitions, args.options, args.includes)
    )
    workspace = workspace_of(kernel, definitions, source)
    folder: Path = args.folder
    folder.mkdir(parents=True, exist_ok=True)
    args.headers.mkdir(parents=True, exist_ok=True)
    unit = folder / f"{kernel.name}_entry.cpp"
    unit.write_text(entry(kernel, source, workspace), encoding="utf-8")
    described = {
        "op_type": kernel.name,
        "op_file": kernel.name,
        "source": str(unit),
        "include_dirs": [str(source.parent), *includes],
        "options": [f"-D{word.removeprefix('-D')}" for word in definitions] + options,
        "inputs": [known.name for known in kernel.parameters[:-1]],  # two arguments follow: the last, and the engine's
        "outputs": [],
        "attrs": [],
    }
    implementation = folder / f"{kernel.name}_impl.py"
    implementation.write_text(f"KERNEL = {described!r}\n", encoding="utf-8")
    parameters = folder / f"{kernel.name}_param.json"
    parameters.write_text(
        json.dumps({"bin_filename": kernel.name, "inputs": [], "outputs": [], "attrs": []}) + "\n", encoding="utf-8"
    )
    command = [
        sys.executable,
        str(args.root / "bin" / "asc_opc"),
        str(implementation),
        f"--main_func={kernel.name}_entry",
        f"--input_param={parameters}",
        f"--soc_version={args.soc[:1].upper()}{args.soc[1:]}",
        f"--output={folder}",
        f"--depfile={args.depfile}",
    ]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(1)
    binary = folder / f"{kernel.name}.o"
    rule = args.depfile.read_text(encoding="utf-8").replace(str(unit), "")
    stub_path = folder / f"{kernel.name}_stub.cpp"
    args.depfile.write_text(rule.replace(f"{binary}:", f"{stub_path}:", 1), encoding="utf-8")
    (args.headers / f"aclrtlaunch_{kernel.name}.h").write_text(header(kernel), encoding="utf-8")
    stub_path.write_text(stub(kernel, binary, workspace), encoding="utf-8")


def main() -> None:
    """One of the two commands."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("name").add_argument("source", type=Path)
    building = commands.add_parser("build")
    building.add_argument("source", type=Path)
    for option in ("--root", "--folder", "--headers", "--depfile"):
        building.add_argument(option, type=Path, required=True)
    for option in ("--soc", "--definitions", "--options", "--includes"):
        building.add_argument(option, required=True)
    args = parser.parse_args()
    if args.command == "name":
        print(read(args.source).name)
    else:
        build(args)


main()
