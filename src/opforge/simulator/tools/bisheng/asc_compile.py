"""One .asc source: the shared object of its kernels, and the host's object with that one inside.

The source is preprocessed once for both (once more for each kind of core where it asks for them). The kernels are
compiled as asc_opc compiles an operator's; host code in their object is dropped by the linker.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import asc_source
import casts
import core_sides
import host_library
import precompiled
from aggregates import as_aggregates
from asc_source import ENTRY, MODULE, STRUCT, Kernel, SourceError, Text
from class_scope import with_conditions
from compile_options import KEPT_DIVISIONS, auto_sync_export, code_generation, dialect, is_preprocessing
from device_code import LIBM_NAMES, calls_of, doubles, lint, own_files, own_lines, recursions
from kernel_type import HARDWARE_FLAGS, MATMUL, TARGETS, WAITS, WITH_FLAGS, KernelType, OpcError, Target, matmul_type
from local_constants import at_namespace_scope

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURES = {"dav-2201": TARGETS[0], "dav-2002": TARGETS[1], "dav-3510": TARGETS[2]}
_KERNEL_TYPES = {
    "vector": "KERNEL_TYPE_AIV_ONLY",
    "cube": "KERNEL_TYPE_AIC_ONLY",
    "mix 0 1": "KERNEL_TYPE_MIX_AIV_1_0",
    "mix 1 0": "KERNEL_TYPE_MIX_AIC_1_0",
    "mix 1 1": "KERNEL_TYPE_MIX_AIC_1_1",
    "mix 1 2": "KERNEL_TYPE_MIX_AIC_1_2",
}
_NOT_INITIALISED = re.compile("must be initialized by mem-initializer in .constexpr. constructor")
_EXPORT = 'extern "C" __attribute__((visibility("default")))'


class CompileError(Exception):
    """What is to be printed."""


@dataclass(frozen=True)
class Instance:
    """A kernel as it can be launched: a template has one for each list of arguments."""

    symbol: str  # of its entry
    key: str  # how the host knows it
    kernel: int

    @staticmethod
    def of(symbol: str) -> Instance | None:
        """The instance whose entry the symbol is."""
        found = re.fullmatch(rf"_Z(Z.*)EN(\d+{STRUCT}(\d+)_)\d+{ENTRY}\w+EPKm", symbol)
        return Instance(symbol, f"{found[1]}E{found[2]}", int(found[3])) if found else None


def kernel_type(kernel: Kernel, text: Text, target: Target) -> KernelType | None:
    """What its qualifiers say, KERNEL_TASK_TYPE_DEFAULT in its body, or a Matmul object; else None. Raises OpcError."""
    if not target.split:
        return target.types[0]  # coupled cores: the qualifiers mean nothing
    place = text.place(kernel.body[0])
    cores = kernel.cores
    if cores:
        if cores not in _KERNEL_TYPES:
            ratios = "(1, 0), (0, 1), (1, 1) and (1, 2)"
            raise OpcError(f"{place}: error: __{cores.replace(' ', '__(', 1).replace(' ', ', ')}): there are {ratios}")
        return target.type(_KERNEL_TYPES[cores], place)
    body = text.text[slice(*kernel.body)]
    said = re.search(r"sim::KernelTaskTypeDefault\(\s*(\w+)\s*\)", body)
    if said is None and MATMUL.search(asc_source.device_only(text)):  # CANN's compiler looks for cube code
        return target.type(matmul_type(text.text), place)
    return target.type(said[1], place) if said else None


@dataclass(frozen=True)
class Source:
    """A source on its way through the compiler, inside the folder ``work``."""

    path: Path
    target: Target
    options: tuple[str, ...]  # the user's, for both sides
    host_options: tuple[str, ...]
    auto_sync: tuple[str, ...]  # --cce-auto-sync...
    compiler: tuple[str, ...]
    work: Path
    newer: bool = False  # C++17 that is compiled as C++20

    def run(self, *arguments: str) -> str:
        """Runs the compiler and returns what it said. Raises CompileError."""
        command = [*self.compiler, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        except OSError as error:
            raise CompileError(f"{command[0]}: cannot be started: {error}") from error
        if done.returncode != 0:
            raise CompileError(self.shown(done.stderr) or f"{command[0]} exited with status {done.returncode}")
        return self.shown(done.stderr)

    def shown(self, text: str) -> str:
        """Without the lines that speak of our own files, and with kernels by their own names."""
        text = "".join(row for row in text.splitlines(keepends=True) if str(self.work) not in row)
        return re.sub(
            rf"static member function (\W)static (.*)::{STRUCT}\d+_::{ENTRY}\w+\(.*?\)", r"function \1\2", text
        )

    def _words(self, preprocessing: bool) -> list[str]:
        options = zip(("", *self.options), self.options, strict=False)
        return [word for before, word in options if is_preprocessing(word, before) == preprocessing]

    @property
    def code_options(self) -> list[str]:
        """What the kernels' code is made with: how much it is optimised is not the user's to say."""
        kept = [word for word in self._words(preprocessing=False) if re.match(r"-std=|-W(?!error)", word)]
        return code_generation([word for word in kept if not word.startswith("-Wl,")])

    @property
    def host_code_options(self) -> list[str]:
        """What the host's code is made with."""
        return [*dialect(self.options), *self._words(preprocessing=False), *self.host_options, "-fPIC", KEPT_DIVISIONS]

    def preprocess(self, name: str, code: Sequence[str], macros: Sequence[str], without: str = "") -> Text:
        """The text that a side is made of with the options ``code``; the rule of its sources goes to <name>.d."""
        unit, text = self.work / f"{name}.cpp", self.work / f"{name}.ii"
        kept = (*asc_source.QUALIFIERS, *asc_source.WITH_ARGUMENTS, *asc_source.ELSEWHERE)
        lines = [
            f'#include "{precompiled.HEADER}"',
            '#include "sim/kernel_call.h"',
            f"namespace {{ extern const sim_kernel_module {MODULE}; }}",
            *(f"#undef {word}\n#define {word} {word}" for word in kept),
            *([f"#undef {without}", core_sides.constant(macros, without)] if without else []),
            f'#include "{self.path}"',
        ]
        unit.write_text("\n".join([*lines, ""]), encoding="utf-8")
        api = [f"-I{ROOT}/include/ascendc", f"-I{ROOT}/include"]
        fixed = [f"-D{macro}" for macro in (*self.target.macros, *macros)]
        headers = precompiled.folder(ROOT, self.compiler, (*code, *fixed, *api))
        said = self.run(
            *("-E", "-fpch-preprocess", *code),
            *(() if headers is None else (f"-I{headers}",)),
            *(f"-I{self.path.parent}", *self._words(preprocessing=True), *api, *fixed),
            *("-MD", "-MF", str(self.work / f"{name}.d"), "-MT", "target"),
            *(str(unit), "-o", str(text)),
        )
        sys.stderr.write(said)
        whole = text.read_text(encoding="utf-8", errors="surrogateescape")
        return Text(at_namespace_scope(with_conditions(as_aggregates(whole) if self.newer else whole)))

    def sources(self, name: str) -> list[Path]:
        """What was read."""
        rule = (self.work / f"{name}.d").read_text(encoding="utf-8")
        read = core_sides.sources_of(rule)
        cache = ROOT / "cache"
        return [path for path in read if not path.is_relative_to(self.work) and not path.is_relative_to(cache)]

    def compiled(self, name: str, text: str, options: Sequence[str], shown: bool) -> Path:
        """The object of preprocessed text."""
        unit, built = self.work / f"{name}.ii", self.work / f"{name}.o"
        unit.write_text(text, encoding="utf-8", errors="surrogateescape")
        said = self.run(
            *("-x", "c++-cpp-output", "-fpch-preprocess", *options, "-c", str(unit), "-o", str(built)),
            f"-fdebug-prefix-map={self.work}=.",
        )
        if shown:
            sys.stderr.write(said)
        return built


def instances(built: Path) -> list[Instance]:
    """The entries that an object defines."""
    done = subprocess.run(
        ["nm", "--defined-only", "-P", str(built)], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode != 0:
        raise CompileError(done.stderr)
    found = (Instance.of(row.split()[0]) for row in done.stdout.splitlines() if row)
    return sorted((one for one in found if one is not None), key=lambda one: one.key)


def device_side(source: Source, name: str, text: Text, kernels: list[Kernel]) -> tuple[Path, list[Instance]]:
    """The object of the kernels, and their entries in it: the symbols with ".<name>" behind them."""
    refused = lint(asc_source.stripped(asc_source.device_only(text)))
    if refused:
        raise CompileError("\n".join(refused))
    options = [*source.code_options, "-Werror=return-type", "-ffunction-sections", "-fdata-sections", "-w"]
    dump, made = source.work / f"{name}_device.ssa", asc_source.device(text, kernels)
    options.append(f"-fdump-tree-ssa-lineno={dump}")
    built = source.compiled(f"{name}_device", made, options, shown=False)
    found = casts.casts(dump, made, ROOT) + host_library.uses(dump, own_files(made))
    device = {place for place, row in own_lines(asc_source.device_only(text)) if row.strip()}
    refused = [error for error in found if error.partition(": error: ")[0] in device]
    if refused:
        raise CompileError("\n".join(refused))
    entries = instances(built)
    renamed = [f"--redefine-sym={one.symbol}={one.symbol}.{name}" for one in entries]
    # Constructors of the host's variables must not run in the device's process.
    dropped = [f"--remove-section={section}" for section in (".init_array*", ".ctors*", ".fini_array*")]
    global_ = [f"--globalize-symbol={one.symbol}" for one in entries]
    whole = source.work / f"{name}_kernels.o"
    # Each step by itself: the names that objcopy looks for are those of its input.
    for arguments in ([*dropped, *global_], renamed):
        done = subprocess.run(
            ["objcopy", *arguments, str(built), str(whole)],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            raise CompileError(done.stderr)
        built = whole
    return whole, entries


def idle(source: Source, built: Path, symbol: str) -> bool:
    """Whether an entry reaches nothing of the kernel API in its side's object."""
    script, alone = source.work / "reached.map", source.work / "reached.so"
    script.write_text("{ local: *; };\n", encoding="utf-8")
    options = ("-Wl,--gc-sections", f"-Wl,--entry={symbol}", f"-Wl,--version-script={script}")
    source.run("-shared", "-nostdlib", *options, str(built), "-o", str(alone))
    command = ["nm", "-D", "--undefined-only", str(alone)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr)
    return not re.search(r"\b_ZNK?(3sim|7AscendC)", done.stdout)


def type_by_code(source: Source, objects: Sequence[Path], one: Instance) -> str:
    """Of which cores a kernel is that names no type: of those for which it has code, as CANN's compiler has it."""
    cube, vector = (
        not idle(source, built, f"{one.symbol}.{name}") for built, name in zip(objects, core_sides.NAMES, strict=True)
    )
    both = "KERNEL_TYPE_MIX_AIC_1_2" if vector else "KERNEL_TYPE_AIC_ONLY"
    return both if cube else "KERNEL_TYPE_AIV_ONLY"


def private_side(source: Source, name: str, built: Path, entries: list[Instance]) -> Path:
    """The object of one kind of core in which all but the entries is its own.

    Both sides have functions of the same names, which are not the same; and both have the host's, such as main.
    """
    whole = source.work / f"{name}_private.o"
    source.run("-r", "-nostdlib", "-Wl,--force-group-allocation", str(built), "-o", str(whole))
    said = core_sides.private(whole, [f"{one.symbol}.{name}" for one in entries])
    if said:
        raise CompileError(said)
    return whole


def calling(pattern: re.Pattern[str], text: Text, kernels: list[Kernel]) -> list[bool]:
    """Which kernels call a function of the pattern, as far as their text tells: any may call what stands outside."""
    rest, at = [], 0
    for kernel in kernels:
        rest.append(text.text[at : kernel.body[0]])
        at = kernel.body[1]
    outside = asc_source.device_only(Text("".join([*rest, text.text[at:]])))
    everywhere = any(pattern.search(row) for _, row in own_lines(outside))
    return [everywhere or pattern.search(text.text[slice(*one.body)]) is not None for one in kernels]


def dispatcher(
    source: Source, sides: Sequence[str], entries: list[Instance], types: list[KernelType], waits: list[bool]
) -> str:
    """C++ that chooses a kernel by its index, and says of which cores each is: ``types`` and ``waits`` by the index."""
    names = [[f"{side}_{index}" for index in range(len(entries))] for side in sides]
    declared = "".join(
        f'extern "C" void {side}_{index}(const uint64_t*) __asm__("{one.symbol}.{side}");\n'
        for side in sides
        for index, one in enumerate(entries)
    )
    calls = []
    for index in range(len(entries)):
        call = f"{names[0][index]}(args)"
        if len(sides) > 1:
            call = f"sim::OnCubeCore() ? {names[0][index]}(args) : {names[1][index]}(args)"
        calls.append(f"    case {index}: {call}; break;\n")
    kinds = "".join(f"    case {index}: return {each.value}u;\n" for index, each in enumerate(types))
    synchronising = "".join(
        f"    case {index}: return {int(waiting or each.synchronises)}u;\n"
        for index, (each, waiting) in enumerate(zip(types, waits, strict=True))
    )
    return (
        "#include <stdint.h>\nnamespace sim { bool OnCubeCore(); uint64_t TilingKey(); }\n"
        f"{declared}{_EXPORT} void sim_kernel_entry(const uint64_t* args) {{\n    switch (sim::TilingKey()) {{\n"
        f"{''.join(calls)}    }}\n}}\n"
        f"{_EXPORT} uint32_t sim_kernel_type(uint64_t key) {{\n    switch (key) {{\n{kinds}    }}\n"
        f"    return ~0u;\n}}\n"
        f"{_EXPORT} uint32_t sim_kernel_synchronises(uint64_t key) {{\n    switch (key) {{\n{synchronising}    }}\n"
        f"    return 0;\n}}\n{auto_sync_export(source.auto_sync)}"
    )


def link(source: Source, text: Text, objects: Sequence[Path], code: str) -> Path:
    """The shared object that the device's process loads."""
    unit, script, built = source.work / "entry.cpp", source.work / "exports.map", source.work / "kernels.so"
    unit.write_text(code, encoding="utf-8")
    script.write_text("{ global: sim_kernel_*; local: *; };\n", encoding="utf-8")
    try:
        source.run(
            *("-shared", *source.code_options, str(unit), *map(str, objects), "-o", str(built), "-Wl,--gc-sections"),
            *(f"-Wl,--version-script={script}", "-Wl,--no-undefined", "-nodefaultlibs", f"-L{ROOT}/lib64"),
            *("-lascendc_sim", "-lstdc++", "-lgcc_s", "-lgcc", "-lc", f"-fdebug-prefix-map={source.work}=."),
        )
    except CompileError as error:
        said = str(error)
        missing = set(re.findall(r"undefined reference to \W*(\w+)", said))
        calls = calls_of(asc_source.device_only(text), missing & LIBM_NAMES)
        raise CompileError("\n".join(calls) if calls else said) from error
    refused = [*doubles(built), *recursions(built)]
    if refused:
        raise CompileError("\n".join(refused))
    return built


def host_side(text: Text, kernels: list[Kernel], entries: list[Instance], binary: Path) -> str:
    """The host's C++, with the kernels' object and its names behind it."""
    names = "".join(f"{json.dumps(one.key)}, " for one in entries)
    quoted = json.dumps(json.dumps(str(binary), ensure_ascii=False), ensure_ascii=False)
    embedded = rf'".pushsection .rodata.simKernels,\"a\"\n.balign 64\nsimKernelsBegin:\n.incbin " {quoted}'
    behind = (
        f'\n# 1 "kernels"\n'
        rf'asm({embedded} "\nsimKernelsEnd:\n.popsection");'
        "\n"
        'extern "C" __attribute__((visibility("hidden"))) const unsigned char simKernelsBegin[], simKernelsEnd[];\n'
        'extern "C" void sim_watch_divisions();\n'
        "namespace { const bool simWatching = (sim_watch_divisions(), true); }\n"
        f"namespace {{ const char* const simKernelNames[] = {{{names}nullptr}};\n"
        f"const sim_kernel_module {MODULE} = {{simKernelsBegin, simKernelsEnd, simKernelNames, {len(entries)}}}; }}\n"
    )
    return asc_source.host(text, kernels) + (behind if kernels else "")


def compile_source(source: Source, output: Path, rule: tuple[Path, str] | None) -> None:
    """Writes the host's object, and a make rule into ``rule``'s file for its target. Raises CompileError."""
    try:
        try:
            _compile(source, output, rule)
        except CompileError as error:
            if _NOT_INITIALISED.search(str(error)) is None:
                raise
            # A constexpr constructor that sets its members in its body: the device's compiler takes it in C++17, too.
            _compile(replace(source, options=(*source.options, "-std=c++20"), newer=True), output, rule)
    except (SourceError, OpcError) as error:
        raise CompileError(str(error)) from error


def _compile(source: Source, output: Path, rule: tuple[Path, str] | None) -> None:
    macros = sorted({macro for one in source.target.types for macro in one.macros})
    host = source.preprocess("host", source.host_code_options, macros)
    read = source.sources("host")
    text = source.preprocess("kernel", source.code_options, macros)
    kernels = asc_source.kernels(text)
    stated = [kernel_type(one, text, source.target) for one in kernels]
    binary, entries = source.work / "kernels.so", []
    differ = bool(kernels) and core_sides.differ(read, macros, ROOT)
    if differ:  # device functions are compiled with the host's, too, where nothing calls them: as those of a cube core
        host = source.preprocess("host", source.host_code_options, macros, core_sides.sides(macros)[0].without)
    if kernels:
        if differ:
            objects, sides = [], list(core_sides.NAMES)
            for side in core_sides.sides(macros):
                own = source.preprocess(side.name, source.code_options, macros, side.without)
                built, entries = device_side(source, side.name, own, asc_source.kernels(own))
                objects.append(private_side(source, side.name, built, entries))
        else:
            sides = ["kernel"]
            built, entries = device_side(source, "kernel", text, kernels)
            objects = [built]
        flagged, waits = (calling(pattern, text, kernels) for pattern in (HARDWARE_FLAGS, WAITS))
        types = []
        for one in entries:
            said = stated[one.kernel]
            if said is None:
                said = source.target.type(type_by_code(source, objects, one), "") if differ else source.target.types[0]
            if flagged[one.kernel]:
                said = source.target.type(WITH_FLAGS.get(said.name, said.name), "")
            types.append(said)
        code = dispatcher(source, sides, entries, types, [waits[one.kernel] for one in entries])
        binary = link(source, text, objects, code)
    written = host_side(host, asc_source.kernels(host), entries, binary)
    built = source.compiled("host", written, source.host_code_options, shown=True)
    # Device functions that are no kernels are compiled here too and never called: what they call may be missing.
    weakened = (f"--weaken-symbol={symbols}*" for symbols in ("_ZN3sim", "_ZN8AscendC"))
    weak = ["objcopy", "--wildcard", *weakened, str(built), str(output)]
    done = subprocess.run(weak, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr)
    if rule is not None:
        escaped = " ".join(str(path).replace(" ", "\\ ") for path in dict.fromkeys(read))
        rule[0].write_text(f"{rule[1]}: {escaped}\n", encoding="utf-8")
