"""The compilation of one kernel as a value: the kernel compiler's arguments and every file of the project it may read.

A job is made from a command line of asc_opc in a build folder. Paths below that folder and below the toolkit are
replaced by words, so that a job can run in any folder of any machine with the same toolkit, and so that its key does
not depend on the folder. The job runs in a folder that has only its own files: its result cannot depend on others.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from opforge.build.key_parts import COMPILERS_READ
from opforge.frozen import dataclass
from opforge.release import __version__
from opforge.toolkit.protocol import Toolkit

PLACE, ROOT = "@OPFORGE-PLACE@", "@OPFORGE-TOOLKIT@"
_INCLUDE = re.compile(rb'#[ \t]*(?:include|include_next|import)[ \t]*[<"]([^">\n]+)[">]')
_UNKNOWN = re.compile(rb"#[ \t]*(?:include|include_next|import|embed)\b|__has_include|__has_embed|\.incbin")
_MADE = (".o", ".d", ".run")
_WORDED = (".py", ".json", ".ini", ".sh")  # texts of CANN's work folder that name others
# Variables of make, of shells, and of version managers whose script is the first python3 on PATH.
_OF_STARTERS = re.compile(
    r"MAKE|MFLAGS|PATH$|PWD$|OLDPWD$|SHLVL$|_$|CXX$|OPFORGE_SIM_ASC_OPC$|PYTHON|_?PYENV_|ASDF_|_*MISE_"
)


@dataclass(frozen=True)
class Job:
    """A compilation. ``files`` and ``arguments`` name folders by ``PLACE`` and ``ROOT``; ``output`` is in PLACE."""

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    output: str
    simulated: bool
    toolkit: str  # identity of the toolkit, equal on all machines that have it
    compiler: str  # what the C++ compiler says about its version
    variables: Mapping[str, str]  # that compilers read
    opforge: str = __version__

    @property
    def key(self) -> str:
        """SHA-256 over everything that the result depends on."""
        files = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(self.files.items())}
        parts = [self.arguments, files, self.output, self.toolkit, self.compiler, sorted(self.variables.items())]
        return hashlib.sha256(json.dumps([*parts, self.opforge]).encode()).hexdigest()


@dataclass(frozen=True)
class Result:
    """The end of a job: the compiler's status and messages, and its output files, with words instead of paths."""

    code: int
    output: str
    files: Mapping[str, bytes]
    where: str = ""  # the machine

    @property
    def complete(self) -> bool:
        """Whether the compiler succeeded and left a binary and its description."""
        return self.code == 0 and {Path(name).suffix for name in self.files} >= {".o", ".json"}


def toolkit_identity(toolkit: Toolkit) -> str:
    """A text that is equal for equal toolkits on different machines, where paths and times differ."""
    if not toolkit.simulated:
        programs = ("tools/opbuild/op_build", "bin/asc_opc", "bin/opc", "bin/bisheng")
        sizes = [(name, (toolkit.root / name).stat().st_size) for name in programs if (toolkit.root / name).is_file()]
        return json.dumps(["cann", toolkit.version, sizes])
    stamp = json.loads((toolkit.root / "toolkit.json").read_text(encoding="utf-8"))
    return json.dumps(["simulator", stamp["sources"], stamp["machine"], stamp["march"]])


@dataclass(frozen=True)
class Maker:
    """Makes the jobs of one build. ``place`` is the folder with src/ and out/."""

    place: Path
    toolkit: Toolkit
    identity: str
    compiler: str
    environ: Mapping[str, str]

    def job(self, command: Sequence[str], environ: Mapping[str, str] | None = None) -> Job | None:
        """The job of asc_opc's arguments; None if it may read files elsewhere: then only this machine can run it.

        ``environ`` is asc_opc's environment, in which CANN's scripts have set variables.
        """
        variables = {name: self.worded(value) for name, value in self._variables(environ or {}).items()}
        options = dict(word[2:].split("=", 1) for word in command if word.startswith("--") and "=" in word)
        output, parameters = options.get("output"), options.get("input_param")
        if output is None or parameters is None:
            return None
        texts = [Path(command[0]), Path(parameters)]
        try:
            named = [self.worded(path.read_text(encoding="utf-8")) for path in texts]
            files = self._sources(texts[0], _paths("\n".join(named)))
            files |= {self.inside(path): text.encode() for path, text in zip(texts, named, strict=True)}
            name, folder = Path(parameters).name.removesuffix("_param.json"), self.inside(Path(output))
        except (OSError, ValueError):
            return None
        words = tuple(self.worded(word) for word in command)
        if any(_elsewhere(text) for text in (*words, *variables.values(), *named)):
            return None
        return Job(name, words, files, folder, self.toolkit.simulated, self.identity, self.compiler, variables)

    def _variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that compilers read, and those that were set below make."""
        known = {name: self.environ[name] for name in COMPILERS_READ if self.environ.get(name)}
        known |= {name: value for name, value in self.environ.items() if name.startswith("OPFORGE_SIM_AWKWARD")}
        below = {name: value for name, value in environ.items() if self.environ.get(name) != value}
        return known | {name: value for name, value in below.items() if not _OF_STARTERS.match(name)}

    def worded(self, text: str) -> str:
        """``text`` with words for the folders of this build."""
        return text.replace(f"{self.place}/", f"{PLACE}/").replace(f"{self.toolkit.root}/", f"{ROOT}/")

    def inside(self, path: Path) -> str:
        """A path relative to the build folder. Raises ValueError for one elsewhere."""
        return path.relative_to(self.place).as_posix()

    def _sources(self, script: Path, named: Iterable[str]) -> dict[str, bytes]:
        """The files that ``named`` ones may include. With CANN all sources and its work folder of the op.

        CANN's scripts choose among the sources, and asc_opc loads the tiling library from the work folder.
        """
        every = self._below(self.place / "src") | self._below(self.place / "out" / "autogen")
        if self.toolkit.simulated:
            return included([name for name in named if name in every], every)
        work = script.parent.parent if script.parent.name == "dynamic" else None
        if work is not None:  # kernel_<n>: outputs
            every |= {name: path for name, path in self._below(work).items() if "/kernel_" not in name}
        return {
            name: self.worded(data.decode()).encode() if path.suffix in _WORDED else data
            for name, path in every.items()
            for data in (path.read_bytes(),)
        }

    def _below(self, folder: Path) -> dict[str, Path]:
        return {
            self.inside(path): path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix not in _MADE
        }


def included(named: Sequence[str], every: Mapping[str, Path]) -> dict[str, bytes]:
    """The named files and those that they may include, by the end of the path, whatever the conditions are.

    All files, if a file includes by a macro or asks whether another exists.
    """
    found: dict[str, bytes] = {}
    waiting = list(named)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        text = found[name] = every[name].read_bytes()
        names = _INCLUDE.findall(text)
        if len(names) < len(_UNKNOWN.findall(text)):
            return {each: path.read_bytes() for each, path in every.items()}
        ends = [_plain(word.decode(errors="surrogateescape")) for word in names]
        waiting += [each for each in every if any(each == end or each.endswith(f"/{end}") for end in ends)]
    return found


def _plain(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("..", ".", ""))


def _paths(text: str) -> list[str]:
    """The paths below PLACE that a text names, relative to it."""
    return re.findall(re.escape(PLACE) + r"/([^\s'\",;:=]+)", text)


def _elsewhere(text: str) -> bool:
    """Whether a text has an option or a list with an absolute path."""
    return re.search(r"(?:^|[\s'\":=,]|-[IL]|-isystem|-include)/(?!/)[\w.]", text) is not None


def unworded(data: bytes, place: Path, root: Path) -> bytes:
    """``data`` with this machine's folders in place of the words."""
    return data.replace(PLACE.encode(), os.fsencode(place)).replace(ROOT.encode(), os.fsencode(root))


def worded_output(data: bytes, place: Path, root: Path) -> bytes:
    """The other way round, for the outputs of a job."""
    return data.replace(os.fsencode(place), PLACE.encode()).replace(os.fsencode(root), ROOT.encode())
