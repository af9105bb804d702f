"""Compiles our operators against the public headers: ``compile_sources.py CHECKOUTS [PROJECT ...] [--catalog]``.

CHECKOUTS is a folder with checkouts named asc-devkit, asc-tools, metadef, opbase, runtime and CANN-8.1.RC1 (its text
files), and ``generated/kernel_tiling/kernel_tiling.h`` of asc-devkit's build. Each PROJECT has op_host/ and op_kernel/.
Every kernel is checked for each combination of its data types and each SoC, in CPU mode and no further than the syntax
(``g++ -fsyntax-only``), and every source of op_host and of aclnn/ (with the headers aclnn_*.h and aclrtlaunch_*.h that
a build has left in build/). The stubs of the device's intrinsics for ascend950 are not public, and its headers alone do
not compile: errors in our sources and failed static assertions count there. ``--catalog`` adds a project of each op of
the catalog. Prints what was refused and one line of JSON; ``--result`` keeps them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from kept_results import keep_result
from op_sources import VALUES, Op, ops_of

ARCHITECTURES = {"ascend910b": "2201", "ascend310p": "2002", "ascend950": "3510"}
_DEFINES = re.compile(r"^(?:template|class|struct|namespace|constexpr|static|inline|using)\b", re.MULTILINE)

WITHOUT_STUBS = {"3510"}
UNIT = {"2201": "220", "2002": "200", "3510": "310"}
PRODUCT = {"2201": "C220", "2002": "M200", "3510": "C310"}

CANN = "CANN-8.1.RC1/Ascend/ascend-toolkit/8.1.RC1"
KERNEL = (
    *(f"asc-devkit{each}" for each in ("", "/include", "/include/basic_api", "/include/adv_api", "/impl",
                                       "/impl/basic_api", "/include/utils")),
    "generated", "asc-tools/cpudebug/include", f"{CANN}/tools/tikicpulib/lib/include", "runtime/include/external",
)  # fmt: skip
KERNEL_81 = (
    *(f"{CANN}/aarch64-linux/ascendc/include/{each}" for each in ("basic_api", "basic_api/interface", "basic_api/impl",
                                                                 "highlevel_api", "highlevel_api/lib",
                                                                 "highlevel_api/lib/matmul", "")),
    f"{CANN}/tools/tikicpulib/lib/include",
)  # fmt: skip
HOST = (
    "metadef/inc/external", "metadef/inc/external/asc", "metadef/inc", "metadef/pkg_inc", "opbase/include",
    "opbase/include/op_common", "opbase/include/nnopbase", "runtime/include", "runtime/include/external",
    "runtime/pkg_inc", "runtime/pkg_inc/base", "asc-devkit/include/utils", "asc-devkit/include",
    "asc-devkit/include/adv_api", "generated", f"{CANN}/aarch64-linux/include",
)  # fmt: skip

# Written around a kernel's source by CANN's compiler; only the types matter here.
AROUND = """
#undef REGISTER_TILING_DEFAULT
#define REGISTER_TILING_DEFAULT(...) using FidelityTiling = __VA_ARGS__
#undef REGISTER_TILING_FOR_TILINGKEY
#define REGISTER_TILING_FOR_TILINGKEY(expression, ...) static_assert(sizeof(__VA_ARGS__) != 0, expression)
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, tiling) Struct name = *reinterpret_cast<const Struct*>(tiling)
#define GET_TILING_DATA(name, tiling) GET_TILING_DATA_WITH_STRUCT(FidelityTiling, name, tiling)
#define GET_TILING_DATA_MEMBER(Struct, member, name, tiling) \\
    decltype(Struct::member) name = reinterpret_cast<const Struct*>(tiling)->member
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, tiling) const Struct* name = (const Struct*)(tiling)
#define COPY_TILING_WITH_STRUCT(Struct, source, name) const Struct* name = source
#define COPY_TILING_WITH_ARRAY(type, count, source, name) const type(*name)[count] = source
#define __tiling_data_ptr__ const
#define FORMAT_ND 2
"""


@dataclass(frozen=True)
class Unit:
    """One compilation: the kernels or the source that it is for, the text, the options."""

    what: tuple[str, ...]
    kind: str
    text: str
    options: tuple[str, ...]


def searched(root: Path, folders: tuple[str, ...]) -> list[str]:
    return [f"-I{root / each}" for each in folders]


def forwarded(folder: Path, matmul: str) -> Path:
    """The places that an installed toolkit gives to headers of the repository."""
    targets = {
        "lib/matmul_intf.h": matmul,
        "tiling/tiling_api.h": "adv_api/tiling_api.h",
        "ascendc/host_api/tiling/template_argument.h": "utils/tiling/template_argument.h",
    }
    for name, target in targets.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f'#include "{target}"\n', encoding="utf-8")
    return folder


def precompiled(work: Path, arch: str, search: list[str]) -> list[str]:
    """The options of every kernel; the public headers are read once for them all."""
    options = ["-std=c++17", "-w", "-DASCENDC_CPU_DEBUG=1", f"-D__NPU_ARCH__={arch}", f"-D__CCE_AICORE__={UNIT[arch]}"]
    options += [f"-D__DAV_{PRODUCT[arch]}__"]
    header = work / arch / "public.h"
    header.parent.mkdir()
    header.write_text('#include "kernel_operator.h"\n#include "lib/matmul_intf.h"\n', encoding="utf-8")
    if arch in WITHOUT_STUBS:
        return [*options, *search, "-fmax-errors=0", "-include", str(header)]
    subprocess.run(["g++", *options, *search, "-x", "c++-header", str(header)], check=True)
    return [*options, *search, "-include", str(header)]


def lines(op: Op, macros: tuple[str, ...], entry: str) -> str:
    """A kernel's source with the macros of one combination; ``entry`` is the kernel function's name in this unit."""
    said = [*macros, f"{op.source.stem}={entry}"]
    before = "".join(f"#define {each.replace('=', ' ', 1)}\n" for each in said)
    after = "".join(f"#undef {each.partition('=')[0]}\n" for each in said)
    return f'{before}#include "{op.source}"\n{after}'


def kernels(ops: list[Op], options: dict[str, list[str]]) -> Iterator[Unit]:
    """A unit for each SoC and combination; sources with a function alone, as the generated ones, share one."""
    numbers = "".join(f"#define {name} {value}\n" for name, value in VALUES.items())
    for soc, arch in ARCHITECTURES.items():
        shared: list[tuple[str, str]] = []
        for op in ops:
            default = f"using FidelityTiling = {op.tiling};\n" if op.tiling else ""
            alone = bool(op.structs) or _DEFINES.search(op.source.read_text(encoding="utf-8")) is not None
            for i, macros in enumerate(op.macros if soc in op.socs else ()):
                if arch == "2002" and any("bfloat16_t" in each for each in macros):
                    continue
                dtypes = ",".join(each.partition("=")[2] for each in macros if each.startswith("DTYPE"))
                what, text = f"{op.name}({dtypes})", lines(op, macros, f"{op.source.stem}_{i}")
                if alone:
                    text = f"{AROUND}{numbers}{op.structs}\n{default}{text}"
                    yield Unit((f"{soc} {what}",), "kernel", text, (*options[arch], f"-I{op.source.parent}"))
                else:
                    shared.append((what, text))
        if shared:
            folders = dict.fromkeys(f"-I{op.source.parent}" for op in ops)
            text = AROUND + numbers + "".join(text for _, text in shared)
            yield Unit(tuple(f"{soc} {what}" for what, _ in shared), "kernel", text, (*options[arch], *folders))


def hosts(folder: Path, options: list[str]) -> Iterator[Unit]:
    for source in sorted((folder / "op_host").rglob("*.cpp")):
        search = (f"-I{source.parent}", f"-I{folder / 'op_host'}", f"-I{folder}")
        yield Unit((str(source),), "op_host", f'#include "{source}"\n', (*options, *search))
    for source in sorted((folder / "aclnn").rglob("*.cpp")):
        if source.stem.endswith("_direct"):
            continue
        generated = sorted((folder / "build").rglob("acl*.h"))
        search = (f"-I{source.parent}", *dict.fromkeys(f"-I{each.parent}" for each in generated))
        yield Unit((str(source),), "aclnn", f'#include "{source}"\n', (*options, *search))


def directs(folder: Path, options: dict[str, list[str]]) -> Iterator[Unit]:
    """The kernels of direct launches."""
    for source in sorted((folder / "aclnn").glob("*_direct.cpp")):
        for soc, arch in ARCHITECTURES.items():
            text = f'{AROUND}#include "{source}"\n'
            yield Unit((f"{soc} {source}",), "direct", text, (*options[arch], f"-I{source.parent}"))


def catalog_projects(folder: Path) -> list[Path]:
    """A generated project of each op of the catalog, for ascend310p as well where its plan allows it."""
    from opforge.errors import PlanError
    from opforge.kinds import derive
    from opforge.render.project import render_project
    from opforge.scaffold.new_project import write_project
    from opforge.spec import catalog
    from opforge.spec.model import ProjectSpec, Spec

    folder.mkdir()
    made = []
    for op in filter(None, map(catalog.entry, catalog.names())):
        name = op.type.lower()
        for socs in (tuple(ARCHITECTURES), ("ascend910b", "ascend950")):
            spec = Spec(ProjectSpec(name, name, name, "0.1.0", socs), (replace(op, source=None),))
            try:
                write_project(render_project(derive(spec)), spec, folder / op.type)
            except PlanError:
                continue
            made.append(folder / op.type)
            break
    return made


def refused(unit: Unit) -> str:
    """What the compiler says, or nothing."""
    command = ["g++", "-fsyntax-only", *unit.options, "-x", "c++", "-"]
    done = subprocess.run(command, input=unit.text, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    errors = re.findall(r"^(.*error: .*)$", done.stderr, re.MULTILINE)
    if any(f"-D__NPU_ARCH__={arch}" in unit.options for arch in WITHOUT_STUBS):
        ours = [each for each in errors if "/asc-devkit/" not in each and "/asc-tools/" not in each]
        failed = [each for each in errors if "static assertion failed" in each and each not in ours]
        return "\n    ".join([*ours, *failed][:6])
    return "\n    ".join(errors[:6]) or done.stderr[-600:]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("projects", type=Path, nargs="*")
    parser.add_argument("--catalog", action="store_true", help="the generated projects of the catalog as well")
    parser.add_argument("--result", metavar="NAME", help="keep results/NAME.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kind", choices=("kernel", "direct", "op_host", "aclnn"), action="append")
    parser.add_argument("--cann81", action="store_true", help="kernels against the headers of CANN 8.1.RC1")
    asked = parser.parse_args()
    root = asked.checkouts.absolute()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        matmul = "lib/matmul/matmul_intf.h" if asked.cann81 else "adv_api/matmul/matmul_intf.h"
        folders = KERNEL_81 if asked.cann81 else KERNEL
        search = [f"-I{forwarded(work / 'installed', matmul)}", *searched(root, folders)]
        options = {arch: precompiled(work, arch, search) for arch in ARCHITECTURES.values()}
        host = [
            "-std=c++17",
            "-w",
            "-include",
            "graph/ge_error_codes.h",
            f"-I{work / 'installed'}",
            *searched(root, HOST),
        ]
        projects = [each.absolute() for each in asked.projects]
        projects += catalog_projects(work / "catalog") if asked.catalog else []
        units = [unit for each in projects for unit in kernels(list(ops_of(each)), options)]
        units += [unit for each in projects for unit in directs(each, options)]
        units += [unit for each in projects for unit in hosts(each, host)]
        units = [unit for unit in units if asked.kind is None or unit.kind in asked.kind]
        with ThreadPoolExecutor(asked.jobs) as pool:
            said = list(zip(units, pool.map(refused, units), strict=True))
    wrong = [(unit, text) for unit, text in said if text]
    for unit, text in wrong:
        print(f"{unit.kind}: {', '.join(unit.what)}\n    {text}")
    counts = Counter(unit.kind for unit, _ in said for _ in unit.what)
    failed = Counter(unit.kind for unit, _ in wrong for _ in unit.what)
    by_kind = {kind: {"compiled": n - failed[kind], "refused": failed[kind]} for kind, n in sorted(counts.items())}
    print(json.dumps(by_kind))
    if asked.result:
        names = [each.name for each in asked.projects] + (["every op of the catalog"] if asked.catalog else [])
        refusals = {", ".join(unit.what): text.splitlines()[0].rpartition("error: ")[2] for unit, text in wrong}
        keep_result(asked.result, {"projects": names, "sources": by_kind, "refusals": refusals})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
