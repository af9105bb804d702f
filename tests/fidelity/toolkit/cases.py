"""The cases: each builds, breaks or installs a project of ours with the toolkit, and says what must come of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import Bench, binaries, check_package, copied, edit, expect, lines_with, packed, packed_ops

TESTS = Path(__file__).resolve().parents[2]
# Paths that people have: each has a character that some shell, make, CMake or installer takes for its own.
ODD = (
    "a b",
    "it's",
    'say "x"',
    "x$HOME",
    "a&b",
    "(a)",
    "a#b",
    "a%b",
    "a:b",
    "[a]",
    "ümläut 中文",
    "a*b",
    "$(x)",
    "a|b",
    "~a",
)
_KERNEL_DELAY = 0.05  # file systems with coarse times

Case = Callable[[Bench], str]


def vector_add(bench: Bench) -> str:
    """Elementwise, three dtypes, two SoCs."""
    bench.opforge("new", "VectorAdd", "--inputs", "x,y", cwd=bench.work)
    return _built(bench, bench.work / "vector_add")


def swiglu(bench: Bench) -> str:
    """Two products and their gradient."""
    bench.opforge("new", "SwiGLU", "--inputs", "x,w_gate,w_up", cwd=bench.work)
    return _built(bench, bench.work / "swiglu")


def by_hand(bench: Bench) -> str:
    """An op without an expression: the skeleton that its author begins with."""
    words = "new GatherRows --inputs table,keys --outputs rows --attr axis:int=0"
    bench.opforge(*words.split(), cwd=bench.work)
    return _built(bench, bench.work / "gather_rows")


def every_kind(bench: Bench) -> str:
    """tests/e2e/kinds: an op for each kind of signature, with the kernels written by hand."""
    words = ["new", "MixedScale", "--inputs", "x,scale", "--package", "kinds", "--compute", "y = x * scale"]
    bench.opforge(*words, cwd=bench.work)
    project = bench.work / "kinds"
    kinds = TESTS / "e2e" / "kinds"
    shutil.copy(kinds / "opforge.yaml", project)
    shutil.copy(kinds / "golden.py", project / "python" / "kinds")
    bench.opforge("update", cwd=project)
    for kernel in (kinds / "op_kernel").iterdir():
        shutil.copy(kernel, project / "op_kernel")
    return _built(bench, project)


def adopted(bench: Bench) -> str:
    """tests/e2e/layouts: an operator of CANN's repositories, adopted as it is."""
    project = bench.work / "adopted"
    layouts = TESTS / "e2e" / "layouts"
    for folder in ("op_host", "op_kernel"):
        shutil.copytree(layouts / folder, project / folder)
    shutil.copy(layouts / "golden.py", project / "reference.py")
    bench.opforge("adopt", ".", "--package", "adopted_op", cwd=project)
    return _built(bench, project)


def ascend310p(bench: Bench) -> str:
    """An op for the SoC whose cores are both."""
    words = "new VectorMul --inputs x,y --soc ascend310p --package mul310p"
    bench.opforge(*words.split(), cwd=bench.work)
    return _built(bench, bench.work / "mul310p")


def own_cmake_files(bench: Bench) -> str:
    """Without msOpGen on PATH: opforge's own CMake files."""
    project = copied(bench.work / "vector_add", bench.work / "no_msopgen")
    shutil.rmtree(project / "build" / "cann")
    path = ":".join(p for p in bench.environ["PATH"].split(":") if not (Path(p) / "msopgen").exists())
    began = time.time()
    (project / "build" / "state.json").unlink()
    said = bench.opforge("build", "-j2", cwd=project, PATH=path)
    expect("msOpGen did not take" not in said, said)
    return f"{check_package(project, began)} kernels"


def nothing_to_do(bench: Bench) -> str:
    """Twice in a row."""
    said = bench.opforge("build", cwd=bench.work / "vector_add")
    expect("nothing to do" in said, said)
    return "nothing to do"


def kernel_edited(bench: Bench) -> str:
    """Every kernel is compiled again, and the packed source is the new one."""
    project = copied(bench.work / "vector_add", bench.work / "edited_kernel")
    bench.opforge("build", "-j1", cwd=project)
    header = project / "op_kernel" / "vector_add_kernel.h"
    time.sleep(_KERNEL_DELAY)
    began = time.time()
    header.write_text(header.read_text() + "// edited\n")
    bench.opforge("build", "-j2", cwd=project)
    return f"{check_package(project, began)} kernels"


def op_host_edited(bench: Bench) -> str:
    """op_build reads the definition again."""
    project = copied(bench.work / "vector_add", bench.work / "edited_host")
    bench.opforge("build", cwd=project)
    source = project / "op_host" / "vector_add.cpp"
    edit(source, "OP_ADD(VectorAdd);", "OP_ADD(VectorAdd);\n// edited")
    began = time.time()
    bench.opforge("build", cwd=project)
    check_package(project, began)
    other = re.sub(r"DT_FLOAT\b", "DT_INT32", source.read_text())
    source.write_text(other)
    said = bench.opforge("build", cwd=project, ok=False)
    expect("op_host and opforge.yaml disagree on the signature" in said, said)
    expect(not list((project / "dist").glob("*.run")), "a package of the older definition lies in dist/")
    return "compiled again; another dtype is told before kernels are compiled"


def spec_edited(bench: Bench) -> str:
    """Fewer dtypes and an attribute: columns, header and list of ops follow."""
    project = copied(bench.work / "vector_add", bench.work / "edited_spec")
    before = len(binaries(project)["ascend910b/vector_add"])
    spec = project / "opforge.yaml"
    text = re.sub(r"dtype: \[[^]]*\]", "dtype: [float32]", spec.read_text(), count=1)
    spec.write_text(
        text.replace(
            "    compute: z = x + y",
            "    attrs:\n      alpha: {type: float, default: 1.0}\n    compute: z = x + alpha * y",
        )
    )
    began = time.time()
    bench.opforge("build", cwd=project)
    check_package(project, began)
    after = len(binaries(project)["ascend910b/vector_add"])
    expect((before, after) == (3, 1), f"{before} kernels before and {after} after")
    (header,) = packed(project).glob("op_api/include/aclnn_vector_add.h")
    expect("double alpha" in header.read_text(), "the header has no alpha")
    dtypes = packed_ops(project)["VectorAdd"]["input0"]["dtype"]
    expect(dtypes == "float32", f"op_build read {dtypes}")
    return f"{before} kernels of a SoC before, {after} after; {len(packed_ops(project))} ops"


def kernel_fails(bench: Bench) -> str:
    """A kernel with an error: named by the user's file and line, once, with one job and with two; then right again."""
    project = copied(bench.work / "vector_add", bench.work / "failing")
    bench.opforge("build", cwd=project)
    header = project / "op_kernel" / "vector_add_kernel.h"
    right = header.read_text()
    header.write_text(f"{right}#error planted\n")
    line = right.count("\n") + 1
    for jobs in ("-j1", "-j2"):
        said = bench.opforge("build", jobs, cwd=project, ok=False)
        found = lines_with(said, rf"^op_kernel/vector_add_kernel\.h:{line}:.*error:")
        expect(len(found) == 1, f"{len(found)} lines name the place:\n{said}")
        expect(not list((project / "dist").glob("*")), "something of an older build lies in dist/")
    header.write_text(right)
    began = time.time()
    bench.opforge("build", cwd=project)
    return f"told once with each; then {check_package(project, began)} kernels"


def two_kernels_fail(bench: Bench) -> str:
    """Errors of several ops in one go, whichever order they come in."""
    project = copied(bench.work / "swiglu", bench.work / "failing_twice")
    for name in ("swi_glu_kernel.h", "swi_glu_grad_kernel.h"):
        path = project / "op_kernel" / name
        path.write_text(f"{path.read_text()}#error planted in {name}\n")
    said = bench.opforge("build", "-j2", cwd=project, ok=False)
    expect("did not compile:" in said, said)
    for name in ("swi_glu_kernel.h", "swi_glu_grad_kernel.h"):
        expect(len(lines_with(said, rf"^op_kernel/{name}:\d+:.*error:")) == 1, f"{name} is not told once:\n{said}")
    return "both are told"


def op_host_fails(bench: Bench) -> str:
    """An error in op_host: CANN's functions have the compiler speak inside of a CMake error."""
    project = copied(bench.work / "vector_add", bench.work / "failing_host")
    source = project / "op_host" / "vector_add.cpp"
    edit(source, "OP_ADD(VectorAdd);", "OP_ADD(VectorAdd);\nint planted = nowhere;")
    said = bench.opforge("build", cwd=project, ok=False)
    expect(lines_with(said, r"^op_host/vector_add\.cpp:\d+:\d+: error: .*nowhere"), said)
    expect("Traceback" not in said and "ascendc_all_ops.make" not in said, said)
    return "told by file and line"


def definition_fails(bench: Bench) -> str:
    """A definition that op_build refuses."""
    project = copied(bench.work / "vector_add", bench.work / "failing_definition")
    edit(project / "op_host" / "vector_add.cpp", "formats(3, ge::FORMAT_ND)", "formats(2, ge::FORMAT_ND)")
    said = bench.opforge("build", cwd=project, ok=False)
    expect(re.search("not aligned|Element num", said), said)
    return "told in op_build's words"


def _compiler(bench: Bench, folder: Path, script: str) -> dict[str, str]:
    """An environment with another asc_opc first on PATH; ``$real`` in the script is the toolkit's."""
    real = shutil.which("asc_opc", path=bench.environ["PATH"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "asc_opc").write_text(f"#!/bin/bash\nreal={real}\n{script}\n")
    (folder / "asc_opc").chmod(0o755)
    return {"PATH": f"{folder}:{bench.environ['PATH']}"}


def compiler_missing(bench: Bench) -> str:
    """No asc_opc on PATH: said once, before anything is compiled, also where an older build is there."""
    project = copied(bench.work / "vector_add", bench.work / "no_compiler")
    path = ":".join(p for p in bench.environ["PATH"].split(":") if not (Path(p) / "asc_opc").exists())
    said = bench.opforge("build", cwd=project, ok=False, PATH=path)
    expect("asc_opc, which compiles kernels, is not on PATH" in said and "set_env.sh" in said, said)
    return "told with what to source"


def compiler_fails(bench: Bench) -> str:
    """asc_opc that fails: without files, with files it leaves, and one that says that all is well and makes none."""
    project = copied(bench.work / "vector_add", bench.work / "bad_compiler")
    bench.opforge("build", cwd=project)
    header = project / "op_kernel" / "vector_add_kernel.h"
    scripts = {
        "fails": "echo it fails >&2; exit 7",
        "fails and leaves files": '"$real" "$@"; echo it fails >&2; exit 7',
        "makes nothing": "exit 0",
    }
    for name, script in scripts.items():
        header.write_text(f"{header.read_text()}// {name}\n")
        environ = _compiler(bench, bench.work / "other_opc", script)
        said = bench.opforge("build", "-j2", cwd=project, ok=False, **environ)
        expect("it fails" in said or "not generated" in said, f"{name}:\n{said}")
        expect(not list((project / "dist").glob("*")), f"{name}: something of an older build lies in dist/")
    began = time.time()
    bench.opforge("build", cwd=project)
    return f"each is told; then {check_package(project, began)} kernels"


def odd_folders(bench: Bench) -> str:
    """Projects and environments in folders with characters that CANN's scripts do not quote."""
    done = []
    for name in ODD:
        project = copied(bench.work / "vector_add", bench.work / "odd" / name / "vector_add")
        began = time.time()
        bench.opforge("build", "-j2", cwd=project)
        check_package(project, began)
        # Python refuses an environment whose path has a colon.
        _install(bench, project, bench.work / "odd" / name / ("env" if ":" not in name else "../env"))
        left = {path.name for path in (bench.work / "odd").iterdir()} - {*ODD, "env"}
        expect(not left, f"beside {name} there is now {left}")
        shutil.rmtree(bench.work / "odd" / name)
        done.append(name)
    return f"{len(done)} folders"


def other_variables(bench: Bench) -> str:
    """What an outer make, and shells of other work, leave in the environment."""
    project = copied(bench.work / "vector_add", bench.work / "variables")
    rows: dict[str, dict[str, str]] = {
        "make -n": {"MAKEFLAGS": "n", "MAKELEVEL": "1"},
        "make -i": {"MAKEFLAGS": "ki", "MFLAGS": "-ki"},
        "a job server": {"MAKEFLAGS": " -j8 --jobserver-auth=23,24", "MAKELEVEL": "2"},
        "makefiles": {"MAKEFILES": "/nowhere/at/all.mk", "GNUMAKEFLAGS": "-n"},
        "verbose": {"VERBOSE": "1", "CLICOLOR_FORCE": "1"},
        "orders of CANN's own build": {
            "BUILD_BUILTIN_OPP": "1", "OPS_PROJECT_NAME": "other", "OPS_ACLNN_GEN": "0",
            "OPS_PRODUCT_NAME": "ascend950", "ENABLE_SOURCE_PACKAGE": "False", "ASCEND_VENDOR_NAME": "other",
            "OPS_PROTO_SEPARATE": "1",
        },
        "locale": {"LC_ALL": "zh_CN.UTF-8", "LANGUAGE": "zh_CN:de"},
        "another package": {"ASCEND_CUSTOM_OPP_PATH": "/a/vendors/one:/b/vendors/two"},
    }  # fmt: skip
    counts = set()
    for name, variables in rows.items():
        header = project / "op_kernel" / "vector_add_kernel.h"
        header.write_text(f"{header.read_text()}// {name}\n")
        began = time.time()
        bench.opforge("build", "-j2", cwd=project, **variables)
        counts.add(check_package(project, began))
    expect(len(counts) == 1, f"other numbers of kernels: {counts}")
    broken = project / "op_kernel" / "vector_add_kernel.h"
    broken.write_text(f"{broken.read_text()}#error planted\n")
    said = bench.opforge("build", cwd=project, ok=False, MAKEFLAGS="ki", LC_ALL="de_DE.UTF-8", VERBOSE="1")
    expect(len(lines_with(said, r"^op_kernel/vector_add_kernel\.h:\d+:.*error:")) == 1, said)
    return f"{len(rows)} environments"


def inside_a_makefile(bench: Bench) -> str:
    """opforge as a line of somebody's Makefile, built with jobs."""
    project = copied(bench.work / "vector_add", bench.work / "from_make")
    python = bench.environ.get("BENCH_PYTHON", sys.executable)
    (project / "Makefile").write_text(f"all: one two\none:\n\t+{python} -m opforge build -j2\ntwo:\n\ttrue\n")
    began = time.time()
    done = bench.sh("make", "-j4", cwd=project)
    expect(done.returncode == 0, done.stdout + done.stderr)
    expect("jobserver" not in done.stderr, done.stderr)
    return f"{check_package(project, began)} kernels"


def narrow_umask(bench: Bench) -> str:
    """Files that only their owner may read."""
    project = copied(bench.work / "vector_add", bench.work / "umask")
    began = time.time()
    python = bench.environ.get("BENCH_PYTHON", sys.executable)
    done = bench.sh("bash", "-c", f"umask 077; {python} -m opforge build", cwd=project)
    expect(done.returncode == 0, done.stdout + done.stderr)
    return f"{check_package(project, began)} kernels"


def installed(bench: Bench) -> str:
    """Installed, again after an edit, and taken away; nothing of the older one stays, and nothing at all in the end."""
    project = copied(bench.work / "vector_add", bench.work / "installing")
    bench.opforge("build", cwd=project)
    return _install(bench, project, bench.work / "environment", again=True)


def _install(bench: Bench, project: Path, prefix: Path, *, again: bool = False) -> str:
    shutil.rmtree(prefix, ignore_errors=True)
    python = bench.environ.get("BENCH_PYTHON", sys.executable)
    subprocess.run([*bench.as_user, python, "-m", "venv", "--without-pip", str(prefix)], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(prefix), "platbase": str(prefix)}))
    (site / "overlay.pth").write_text(sysconfig.get_path("purelib") + "\n")
    before = _files(prefix)
    environ = {"VIRTUAL_ENV": str(prefix)}
    runs = _install_once(bench, project, environ)
    place = prefix / "opp" / "vendors" / packed(project).name
    _same(project, place)
    sourced = bench.sh(
        "bash", "-c", '. "$0" && printenv ASCEND_CUSTOM_OPP_PATH', place / "bin" / "set_env.bash", cwd=project
    )
    expect(
        sourced.stdout.split(":")[0].strip() == str(place.resolve()),
        f"set_env.bash says {sourced.stdout!r}\n{sourced.stderr}",
    )
    if again:
        (place / "op_api" / "include" / "left_over.h").write_text("")
        header = project / "op_kernel" / "vector_add_kernel.h"
        header.write_text(f"{header.read_text()}// installed again\n")
        bench.opforge("build", cwd=project)
        _install_once(bench, project, environ)
        _same(project, place)
    bench.opforge("uninstall", cwd=project, **environ)
    expect(_files(prefix) == before, f"left behind: {sorted(_files(prefix) - before)[:5]}")
    return "called" if runs else "installed; the toolkit has no device to call the op on"


def _install_once(bench: Bench, project: Path, environ: dict[str, str]) -> bool:
    """Whether the op could be called: stand-ins for CANN's runtime cannot."""
    python = bench.environ.get("BENCH_PYTHON", sys.executable)
    done = bench.sh(python, "-m", "opforge", "install", cwd=project, **environ)
    said = done.stdout + done.stderr
    expect(done.returncode == 0 or "is installed, but does not run" in said, said)
    return done.returncode == 0


def _same(project: Path, place: Path) -> None:
    mine = {
        path.relative_to(packed(project)): path.read_bytes() for path in packed(project).rglob("*") if path.is_file()
    }
    there = {path.relative_to(place): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    there.pop(Path("bin/set_env.bash"), None)
    expect(mine.keys() == there.keys(), f"files differ: {sorted(map(str, mine.keys() ^ there.keys()))[:5]}")
    expect(mine == there, "contents differ")


def _files(prefix: Path) -> set[str]:
    found: Iterator[Path] = prefix.rglob("*")
    return {str(path.relative_to(prefix)) for path in found if "__pycache__" not in path.parts}


def _built(bench: Bench, project: Path) -> str:
    began = time.time()
    bench.opforge("build", f"-j{os.cpu_count() or 2}", cwd=project)
    kernels = check_package(project, began)
    return f"{len(packed_ops(project))} ops, {kernels} kernels"


# In this order: later ones take copies of what the first have built.
CASES: tuple[Case, ...] = (
    vector_add, nothing_to_do, kernel_edited, op_host_edited, spec_edited, kernel_fails, op_host_fails,
    definition_fails, compiler_missing, compiler_fails, own_cmake_files, other_variables, inside_a_makefile,
    narrow_umask, installed, odd_folders, swiglu, two_kernels_fail, by_hand, adopted, ascend310p, every_kind,
)  # fmt: skip
