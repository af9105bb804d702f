"""Compiles the op_host files of a unit and reads the definitions back with op_build, like a build."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

from opforge.adopt.host_headers import HEADER, precompiled
from opforge.build.request import cache_folder
from opforge.build.toolkits import find_toolkit
from opforge.dtypes import DTYPES
from opforge.errors import BuildError
from opforge.frozen import dataclass
from opforge.progress import Progress
from opforge.spec.foreign.infer_shape_calls import Question, Shape, questions
from opforge.spec.foreign.inferred_lists import LISTED, has_lists, lengths, of_instance, split_lists
from opforge.spec.foreign.inferred_lists import instances as of_output
from opforge.spec.foreign.inferred_shapes import Inferred, inferred
from opforge.spec.foreign.read_back import Definition, read_definitions
from opforge.spec.op_sources import FOLDERS
from opforge.toolkit.build_tools import find_compiler
from opforge.toolkit.process import Completed, Runner
from opforge.toolkit.protocol import Toolkit

_SECONDS = 300.0
_SHOWN = 12
_MANY = 3  # files of op_host that are worth compiling the toolkit's headers before them
_ND = 2  # ge::FORMAT_ND
# The options of CANN's CMake functions for op_host; -O0, since only the definitions and InferShape run.
_FLAGS = ("-fPIC", "-O0", "-w", "-D_GLIBCXX_USE_CXX11_ABI=0")


@dataclass(frozen=True)
class HostCompiler:
    """The compiler, and the simulated toolkit with op_build and headers."""

    compiler: Path
    toolkit: Toolkit
    environ: Mapping[str, str]
    runner: Runner
    jobs: int
    include: tuple[Path, ...] = ()  # folders of headers in addition to the toolkit's
    standard: int = 11
    define: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()  # functions that several of the sources define

    @property
    def header_folders(self) -> tuple[Path, ...]:
        """The toolkit's include folders for op_host and op_kernel."""
        include = self.toolkit.root / "include"
        return (include, include / "ascendc")

    def library(self, root: Path, sources: Sequence[Path], work: Path) -> tuple[HostCompiler, Path]:
        """A shared library of op_host files, in ``work``, and this compiler with what they repeat.

        Some repositories link definition and tiling apart, and both include a header that defines functions.

        Raises BuildError with the compiler's first error.
        """
        work.mkdir(parents=True, exist_ok=True)
        objects = [work / f"{place}.o" for place in range(len(sources))]
        failed = Event()
        headers = self._headers() if len(sources) >= _MANY else None

        def compiled(source: Path, target: Path) -> Completed | None:
            if failed.is_set():
                return None
            done = self._compile(root, source, target, headers)
            if not done.ok and headers is not None:  # what it declares itself may differ from the headers
                done = self._compile(root, source, target, None)
            if not done.ok:
                failed.set()
            return done

        with ThreadPoolExecutor(max_workers=max(1, self.jobs)) as pool:
            every = list(pool.map(compiled, sources, objects))
        for source, done in zip(sources, every, strict=True):
            if done is not None and not done.ok:
                raise BuildError(
                    f"{os.path.relpath(source, root)} does not compile",
                    detail=_shortened(done, root),
                    hint=_advice(done),
                )
        library = work / "libop_host.so"
        lib64 = self.toolkit.root / "lib64"
        words: list[str | Path] = [
            self.compiler,
            "-shared",
            "-o",
            library,
            *objects,
            "-L",
            lib64,
            f"-Wl,-rpath,{lib64}",
        ]
        words += ["-lexe_graph", "-lregister", "-ltiling_api"]
        linked = self._run(words, root)
        repeated = tuple(dict.fromkeys(re.findall(r"multiple definition of `(.+?)'", linked.output)))
        if not linked.ok and repeated:
            linked = self._run([*words, "-Wl,--allow-multiple-definition"], root)
        if not linked.ok:
            raise BuildError("op_host does not link", detail=_shortened(linked, root))
        return replace(self, repeated=repeated), library

    def headers(self, library: Path, root: Path, folder: str) -> tuple[str, ...]:
        """The headers that a unit's files include from other folders of the project, by their paths in it."""
        found = set()
        for listed in sorted(library.parent.glob("*.d")):
            words = (
                listed.read_text(encoding="utf-8").partition(":")[2].replace("\\\n", " ").replace("\\ ", "\0").split()
            )
            paths = [os.path.normpath(root / folder / word.replace("\0", " ")) for word in words]
            found |= {os.path.relpath(path, root) for path in paths if path.startswith(f"{root}/")}
        own = tuple(f"{folder}/{part}/" if folder else f"{part}/" for part in FOLDERS)
        return tuple(sorted(name for name in found if not name.startswith(own)))

    def definitions(self, library: Path, root: Path) -> tuple[Definition, ...]:
        """The definitions that op_build reads from a library. Raises BuildError with op_build's errors."""
        out = library.with_name("signature")
        out.mkdir(exist_ok=True)
        done = self._run([self.toolkit.root / "tools" / "opbuild" / "op_build", library, out], root)
        said = [line.removeprefix("op_build: ") for line in done.output.splitlines() if "warning" not in line]
        detail = "\n".join(f"  {line}" for line in said).replace(str(library), "op_host")
        signature = out / "signature.json"
        if done.timed_out or done.code < 0 or (done.ok and not signature.is_file()):
            how = f"was ended by {signal.Signals(-done.code).name}" if done.code < 0 else "ended its process"
            how = f"did not end within {_SECONDS:.0f} s" if done.timed_out else how
            raise BuildError(
                f"the code of op_host {how} before op_build had read the definition",
                detail=detail,
                hint="the constructors of its definitions and of its global variables have run",
            )
        if not done.ok:
            raise BuildError("op_build refuses the definition", detail=detail)
        return read_definitions(signature.read_text(encoding="utf-8"))

    def shapes(self, library: Path, definition: Definition, root: Path) -> Inferred:
        """The shapes of an op's outputs, by the library's InferShape."""
        asked = questions(definition)
        done = self._infer(library, definition, root, [_call(definition, question) for question in asked])
        lines = done.output.splitlines() if done.ok else []
        answers = [_answer(line) for line in lines[: len(asked)]] if len(lines) >= len(asked) else [None] * len(asked)
        if any(line != "none" for line in lines):  # functions are registered separately from the definition
            definition = replace(definition, infers_shape=True)
        singles, lists, unknown = split_lists(definition, asked, answers)
        found = inferred(definition, asked, singles)
        counts, assumed = lengths(definition, lists)
        dims = {**found.dims, **lists, **dict.fromkeys(assumed, ("1",))}
        return replace(found, dims=dims, counts=counts, open={**found.open, **unknown, **assumed})

    def wrong_ranges(self, library: Path, definition: Definition, root: Path) -> tuple[str, ...]:
        """Errors of InferShapeRange for inputs that InferShape accepts; only graph mode would show them."""
        asked = questions(definition)
        calls = [_call(definition, question) for question in asked]
        ranges = self._infer(library, definition, root, calls, "--ranges")
        if not ranges.ok or set(ranges.output.split()) == {"none"}:
            return ()
        shapes = self._infer(library, definition, root, calls)
        function = f"InferShapeRange of {definition.op_type}"
        names = [param.name for param in definition.outputs for _ in range(of_output(param))]
        pairs = zip(asked, shapes.output.splitlines(), ranges.output.splitlines(), strict=False)
        for question, shape_line, line in pairs if shapes.ok else ():
            given, bounds = _answer(shape_line), _answer(line)
            of = f"inputs of {', '.join(str(list(shape)) for shape in question.shapes if shape is not None)}"
            if given is not None and bounds is None:
                return (f"{function} {line} for {of}, where InferShape does not: only graphs call it",)
            for place, shape in enumerate(given or ()):
                least, most = (bounds or ())[2 * place : 2 * place + 2]
                if not _within(shape, least, most):
                    name = names[place] if place < len(names) else f"output {place}"
                    between = f"{list(least)} to {list(most)}"
                    said = f"gives {name} {between} for {of}, and InferShape {list(shape)}: only graphs call it"
                    return (f"{function} {said}",)
        return ()

    def wrong_dtypes(self, library: Path, definition: Definition, root: Path) -> tuple[str, ...]:
        """Cases in which InferDataType and the definition give an output different dtypes."""
        columns = next(iter(definition.socs.values()))
        count = len(definition.inputs)
        shapes = tuple(() if param.scalar else (4,) if param.value_depend else (5, 7) for param in definition.inputs)
        attrs = questions(definition)[0].attrs
        rows = list(zip(*(column.dtypes for column in columns), strict=True))
        calls = [_call(definition, Question(shapes, attrs), place) for place in range(len(rows))]
        done = self._infer(library, definition, root, calls, "--dtypes")
        wrong: dict[str, str] = {}
        owners = [place for place, param in enumerate(definition.outputs) for _ in range(of_output(param))]
        for row, answer in zip(rows, done.output.splitlines() if done.ok else [], strict=False):
            word, *given = answer.split()
            likewise = [other[count:] for other in rows if other[:count] == row[:count]]
            for place, number in zip(owners, given if word == "ok" else [], strict=False):
                made = next((name for name, dtype in DTYPES.items() if dtype.acl == int(number)), None)
                if made is not None and all(other[place] != made for other in likewise):
                    name = definition.outputs[place].name
                    wrong.setdefault(
                        name,
                        f"InferDataType of {definition.op_type} gives {name} {made} for {', '.join(row[:count])}, and "
                        f"the definition has {row[count + place]}: calls follow the definition, graphs InferDataType",
                    )
        return tuple(wrong.values())

    def _command(self) -> list[str | Path]:
        return [self.compiler, f"-std=c++{self.standard}", *_FLAGS, "-isystem", self.toolkit.root / "include"]

    def _headers(self) -> Path | None:
        """The folder of the toolkit's compiled headers."""
        folder = self.toolkit.root / "cache" / "op_host_headers" / f"c++{self.standard}"
        return precompiled(folder, self._command(), self.runner, {**self.environ, "LC_ALL": "C"})

    def _compile(self, root: Path, source: Path, target: Path, headers: Path | None) -> Completed:
        own = [word for folder in self.include for word in ("-I", folder)]
        own += [f"-D{text}" for text in self.define]
        first = () if headers is None else ("-include", headers / HEADER)
        listing = ("-MMD", "-MF", target.with_suffix(".d"))
        return self._run([*self._command(), *first, *own, *listing, "-c", source, "-o", target], root)

    def _infer(
        self, library: Path, definition: Definition, root: Path, calls: Sequence[str], *options: str
    ) -> Completed:
        """Runs op_infer, which answers each call with a line."""
        file = library.with_name(f"{definition.file}.calls")
        file.write_text("".join(f"{call}\n" for call in calls), encoding="utf-8")
        return self._run([self.toolkit.root / "tools" / "opbuild" / "op_infer", library, file, *options], root)

    def _run(self, command: Sequence[str | Path], cwd: Path) -> Completed:
        env = self.toolkit.activation(self.environ)
        return self.runner.run(command, cwd=cwd, env={**env, "LC_ALL": "C"}, timeout=_SECONDS)


def host_compiler(environ: Mapping[str, str], runner: Runner, progress: Progress) -> HostCompiler:
    """The compiler of ``environ``, with the simulated toolkit's op_build, which works on every machine."""
    toolkit = find_toolkit("simulator", environ, cache_folder(environ), runner, progress)
    return HostCompiler(find_compiler(environ), toolkit, environ, runner, os.cpu_count() or 2)


def _shortened(done: Completed, root: Path) -> str:
    """A compiler's errors, with file and line in the project, without notes."""
    lines = done.output.replace(f"{root}/", "").splitlines()
    wrong = [line for line in lines if re.search(r"\b(fatal )?error:|undefined reference|multiple definition", line)]
    wrong = [line for line in wrong if not line.startswith("collect2:")] or lines
    more = [f"... and {len(wrong) - _SHOWN} more errors"] if len(wrong) > _SHOWN else []
    return "\n".join(f"  {line}" for line in [*wrong[:_SHOWN], *more])


def _advice(done: Completed) -> str | None:
    missing = re.search(r"fatal error: ([^:\s]+): No such file", done.output)
    if missing is None:
        return done.advice(None)
    what = f"`{missing[1]}` is neither in the project nor in the toolkit"
    return f"{what}: put it beside the file that includes it, or name its folder with --include DIR"


def _call(definition: Definition, question: Question, column: int = 0) -> str:
    """A line of op_infer's input, in the dtypes of a column of the first SoC."""
    words: list[str] = [definition.op_type, str(len(definition.inputs))]
    columns = next(iter(definition.socs.values()))
    for param, given, shape in zip(definition.inputs, columns, question.shapes, strict=False):
        instances = 0 if shape is None else LISTED if param.kind == "dynamic" else 1
        words.append(str(instances))
        for place in range(instances):
            dims = of_instance(shape or (), place if has_lists(definition) else 0)
            dtype = _readable(given.dtypes) if param.value_depend else given.dtypes[column]
            values = [str(question.values)] * (dims[0] if dims else 0) if param.value_depend else []
            words += [str(DTYPES[dtype].acl), str(_ND), str(len(dims)), *map(str, dims), str(len(values)), *values]
    words.append(str(len(definition.outputs)))
    words += [str(of_output(param)) for param in definition.outputs]
    words.append(str(len(definition.attrs)))
    for attr, value in zip(definition.attrs, question.attrs, strict=True):
        words += _attr_words(attr.type, value)
    return " ".join(words)


def _readable(dtypes: Sequence[str]) -> str:
    """The dtype of values on the host for op_infer: the first that it supports."""
    return next((name for name in dtypes if name in ("int64", "int32", "float32", "bool")), dtypes[0])


def _attr_words(type_: str, value: object) -> list[str]:
    if isinstance(value, tuple):
        kind = {"list_int": "I", "list_float": "F", "list_bool": "B"}[type_]
        return [kind, str(len(value)), *(str(int(item)) if kind != "F" else repr(item) for item in value)]
    if type_ == "str":
        return ["s", str(value).encode().hex() or "-"]
    if type_ == "bool":
        return ["b", str(int(bool(value)))]
    return ["i", str(value)] if type_ == "int" else ["f", repr(value)]


def _within(shape: Shape, least: Shape, most: Shape) -> bool:
    """Whether a shape is in a range; a negative size or rank means unknown."""
    if any(size < -1 for size in (*shape, *least, *most)):
        return True
    if not len(shape) == len(least) == len(most):
        return False
    return all(
        size < 0 or ((low <= size) and (high < 0 or size <= high))
        for size, low, high in zip(shape, least, most, strict=True)
    )


def _answer(line: str) -> tuple[Shape, ...] | None:
    """The shapes in an answer of op_infer; None if InferShape refused."""
    word, *rest = line.split()
    if word != "ok":
        return None
    numbers = list(map(int, rest))
    shapes = []
    while numbers:
        rank = numbers.pop(0)
        shapes.append(tuple(numbers[:rank]))
        del numbers[:rank]
    return tuple(shapes)
