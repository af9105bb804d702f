"""The command line of bisheng: which of its options mean something here, and which cannot be followed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

_ASC = ".asc"
_DEFAULT = "dav-2201"
# Whose value is the same word's rest or the next word; what the compiler gets; what the linker gets, in its place.
_JOINED = ("-o", "-I", "-D", "-U", "-L", "-l", "-x")
_SEPARATE = ("-include", "-isystem", "-MF", "-MT", "-MQ", "-Xlinker", "-T", "-u")
_COMPILING = ("-I", "-D", "-U", "-include", "-isystem")
_LINKING = ("-L", "-l", "-Xlinker", "-T", "-u")
_SETTINGS = ("-o", "-x", "-MF", "-MT", "-MQ")
_FLAGS = ("-c", "-shared", "--shared", "-lib", "--cce-build-static-lib", "-MD", "-MMD", "-MP")
_INFORMATION = ("--version", "-v", "-dumpversion", "-dumpmachine", "-help", "--help", "-print-search-dirs")
_FOR_LINKER = ("-Wl,", "-rdynamic", "-pie", "-no-pie", "-static")
_NOT_FROM_FILES = "kernels are loaded with the program that holds them, not from files (aclrtBinaryLoad...)"
_REFUSED = {
    "--enable-simt": "SIMT exists on Ascend 950 only, and is not simulated",
    "-dc": "device code of one source cannot call another's here: put what a kernel calls into its source or a header",
    "--aicore-only": _NOT_FROM_FILES,
    "--cce-aicore-only": _NOT_FROM_FILES,
    "--run-mode=cpu": "the simulated device has npu mode only: what the CPU mode finds, it finds there",
    "--run-mode=sim": "the simulated device has npu mode only; OPFORGE_SIM_TRACE writes a time line",
}
# Options of the device compiler that change nothing here.
_NOTHING = (
    "--cce-",
    "--sanitizer",
    "--asc-aicore-lang",
    "--run-mode=npu",
    "--npu-soc",
    "--gcc-toolchain",
    "-mcpu",
    "-fcce",
)


class UsageError(Exception):
    """The command line cannot be followed; the text says why."""


@dataclass(frozen=True)
class Request:
    """What is to be made of what."""

    inputs: tuple[tuple[str, bool], ...]  # files, each with whether it is an .asc source, and the linker's options
    output: str
    compile_only: bool
    shared: bool
    static: bool
    architecture: str
    options: tuple[str, ...]  # for both sides
    host_options: tuple[str, ...]
    auto_sync: tuple[str, ...]
    dependencies: bool
    depfile: str
    deptarget: str
    information: bool  # nothing to compile: what the host's compiler says is the answer


@dataclass
class _Words:
    """What has been read so far."""

    inputs: list[tuple[str, bool]] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    auto_sync: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    architecture: str = _DEFAULT

    def paired(self, name: str, value: str) -> None:
        """An option and its value."""
        if not value:
            raise UsageError(f"{name} needs a value")
        words = (name, value) if name in _SEPARATE else (name + value,)
        if name in _SETTINGS:
            self.settings["-MT" if name == "-MQ" else name] = "" if (name, value) == ("-x", "none") else value
        elif name in _LINKING:
            self.inputs += [(word, False) for word in words]
        else:
            self.options += words

    def single(self, word: str) -> None:
        """A word that stands for itself."""
        if word.startswith("--npu-arch="):
            self.architecture = word.partition("=")[2]
        elif word in _FLAGS or word in _INFORMATION:
            self.flags.add(word)
        elif word.startswith("--cce-auto-sync"):
            self.auto_sync.append(word)
        elif word.startswith(_FOR_LINKER):
            self.inputs.append((word, False))
        elif word.startswith("-"):
            self.options += [] if word.startswith(_NOTHING) else [word]
        else:
            self.file(word)

    def file(self, word: str) -> None:
        """A source, object or library."""
        language = self.settings.get("-x", "")
        if language not in ("", "asc", "c++", "c"):
            raise UsageError(f"-x {language}: only asc, c++ and none")
        self.inputs.append((word, language == "asc" or (language == "" and word.endswith(_ASC))))


def _sections(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words without those between -Xhost-start and -Xhost-end, and those."""
    parts: dict[str, list[str]] = {"-Xaicore": [], "-Xhost": []}
    now = "-Xaicore"
    for word in argv:
        if word in ("-Xaicore-start", "-Xhost-start"):
            now = word.removesuffix("-start")
        elif word in ("-Xaicore-end", "-Xhost-end"):
            now = "-Xaicore"
        else:
            parts[now].append(word)
    return parts["-Xaicore"], parts["-Xhost"]


def _pair(word: str, rest: Iterator[str]) -> tuple[str, str] | None:
    """The option that takes a value, and the value."""
    if word in (*_JOINED, *_SEPARATE):
        return word, next(rest, "")
    joined = word != "-lib" and word.startswith(_JOINED)
    return (word[:2], word[2:]) if joined else None


def read(argv: Sequence[str], architectures: Collection[str]) -> Request:
    """Raises UsageError."""
    words, host = _sections(argv)
    found = _Words()
    rest = iter(words)
    for word in rest:
        if word == "-mllvm":  # its value is an option of the device compiler, too
            next(rest, "")
            continue
        if word in _REFUSED:
            raise UsageError(f"{word}: {_REFUSED[word]}")
        pair = _pair(word, rest)
        if pair is None:
            found.single(word)
        else:
            found.paired(*pair)
    if found.architecture not in architectures:
        known = ", ".join(architectures)
        raise UsageError(f"--npu-arch={found.architecture}: the simulated device has the kernel API of {known}")
    files = [path for path, _ in found.inputs if not path.startswith("-")]
    information = not files and bool(found.flags & set(_INFORMATION))
    if not files and not information:
        raise UsageError("no input files")
    if found.settings.get("-o") and "-c" in found.flags and len(files) > 1:
        raise UsageError("-o with -c and several sources")
    return Request(
        inputs=tuple(found.inputs),
        output=found.settings.get("-o", ""),
        compile_only="-c" in found.flags,
        shared=bool(found.flags & {"-shared", "--shared"}),
        static=bool(found.flags & {"-lib", "--cce-build-static-lib"}),
        architecture=found.architecture,
        options=tuple(found.options),
        host_options=tuple(host),
        auto_sync=tuple(found.auto_sync),
        dependencies=bool(found.flags & {"-MD", "-MMD"}),
        depfile=found.settings.get("-MF", ""),
        deptarget=found.settings.get("-MT", ""),
        information=information,
    )
