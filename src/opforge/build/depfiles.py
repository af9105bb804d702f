"""Finds the inputs of a build outside the project, from the dependency files of compilers.

Such headers are included by an absolute path, through CPATH and similar variables, or by an option in CXXFLAGS. The
headers of the compiler, the toolkit and PyTorch are not listed, because keys contain their versions.
"""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from opforge.build.key_parts import INCLUDE_FOLDERS

_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/libexec/")
# Folders with headers below the prefix of a compiler installed by the user.
_COMPILERS = ("include/c++", "lib/gcc", "lib64/gcc", "lib/clang", "lib64/clang", "libexec/gcc")


def prerequisites(rule: str) -> list[str]:
    """The prerequisites of a make rule."""
    _, _, files = rule.replace("\\\n", " ").partition(": ")
    words = files.replace("\\ ", "\0").replace("$$", "$").replace("\\#", "#").split()
    return [word.replace("\0", " ") for word in words if not word.endswith(":")]


def read_rules(paths: Iterable[Path]) -> list[str]:
    """Every file in these dependency files, without duplicates; a missing dependency file is empty."""
    found: dict[str, None] = {}
    for path in paths:
        try:
            rule = os.fsdecode(path.read_bytes())
        except OSError:
            continue
        found.update(dict.fromkeys(prerequisites(rule)))
    return list(found)


def outside(files: Iterable[str], cwd: Path, compiler: Path, known: Sequence[Path]) -> list[str]:
    """The files outside ``known`` folders and the compiler's own headers, as sorted absolute paths."""
    prefix = compiler.resolve().parents[1]
    own = [*_SYSTEM, *(f"{prefix}/{folder}/" for folder in _COMPILERS)]
    for folder in known:
        own += [f"{os.path.normpath(folder)}/", f"{os.path.realpath(folder)}/"]
    starts = tuple(own)
    paths = {os.path.normpath(os.path.join(cwd, name)) for name in files}  # noqa: PTH118  (plain strings: thousands)
    return sorted(path for path in paths if not path.startswith(starts))


def searched_folders(environ: Mapping[str, str]) -> list[str]:
    """The include folders of CXXFLAGS and of the compilers' variables, in search order."""
    words = [*_words(environ.get("CXXFLAGS", "")), ""]
    named = [word[2:] or after for word, after in itertools.pairwise(words) if word.startswith("-I")]
    named += [after for word, after in itertools.pairwise(words) if word in ("-isystem", "-iquote")]
    named += [part for name in INCLUDE_FOLDERS for part in environ.get(name, "").split(":")]
    return list(dict.fromkeys(os.path.normpath(folder) for folder in named if folder))


def hiding_places(files: Iterable[str], folders: Sequence[str]) -> list[str]:
    """Paths at which a new header would replace one of ``files``, because their folders are searched earlier."""
    found: dict[str, None] = {}
    for path in files:
        for place, folder in enumerate(folders):
            if path.startswith(f"{folder}/"):
                found.update((f"{earlier}{path[len(folder) :]}", None) for earlier in folders[:place])
                break
    return [path for path in found if not os.path.exists(path)]  # noqa: PTH110  (plain strings)


def _words(flags: str) -> list[str]:
    try:
        return shlex.split(flags)
    except ValueError:
        return flags.split()
