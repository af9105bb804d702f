"""Creates the CMake skeleton around op_host and op_kernel: by msOpGen if it accepts the op, else from our own files."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.build.customize import OPBUILD, copy_customize
from opforge.build.request import BuildRequest
from opforge.errors import BuildError
from opforge.program import Program
from opforge.soc import SOCS
from opforge.spec.model import OpSpec, ProjectSpec, TensorSpec
from opforge.toolkit.protocol import CUSTOMIZE, Toolkit

_OWN_FORM = Path(__file__).parents[1] / "simulator" / "tools" / "msopgen" / "template"
CMAKE_FILES = ("CMakeLists.txt", "op_host/CMakeLists.txt", "op_kernel/CMakeLists.txt")
JOBS = "OPFORGE_JOBS"  # the CMake variable that limits parallel compilers
_TYPES = {"float32": "float", "bfloat16": "bf16"}  # msOpGen's spellings that differ from the spec's


def make_skeleton(request: BuildRequest, program: Program, toolkit: Toolkit, target: Path) -> str:
    """Fills ``target`` with CMake files and nothing else. Returns where they come from, for the log.

    msOpGen writes into a separate folder, and the CMake files are copied from there, so that its stubs of op_host and
    op_kernel never mix with the user's sources. ``target`` is replaced by one rename.
    """
    scratch = target.with_name(f".{target.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        origin = _made(request, program, toolkit, scratch)
        op_host = scratch / "project" / "op_host" / "CMakeLists.txt"
        op_host.write_text(with_options(op_host.read_text(encoding="utf-8"), program.spec.project), encoding="utf-8")
        _limit_jobs(op_host)
        for kept in scratch.glob("project/op_*/*"):
            if kept.name != "CMakeLists.txt":
                kept.unlink()
        shutil.rmtree(target, ignore_errors=True)
        (scratch / "project").rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return origin


def _made(request: BuildRequest, program: Program, toolkit: Toolkit, scratch: Path) -> str:
    if toolkit.generation == CUSTOMIZE and toolkit.customize is not None:
        copy_customize(toolkit.customize, scratch / "project")
        return f"the project template of {toolkit.root}"
    origin = _from_msopgen(request, program, toolkit, scratch)
    if origin is None:
        origin = "opforge's own form"
        for name, text in own_cmake_files().items():
            _put(scratch / "project" / name, text)
    return origin


def own_cmake_files() -> dict[str, str]:
    """The CMake files that call find_package(ASC), as msOpGen writes them, by name."""
    return {name: (_OWN_FORM / name).read_text(encoding="utf-8").replace("$$", "$") for name in CMAKE_FILES}


def with_options(text: str, project: ProjectSpec) -> str:
    """The CMake file of op_host with C++ standard, definitions and linker option.

    CANN's functions set their standard in intf_pub, and accept options for op_build. ``opbuild`` of CANN 8.x has no
    options; it puts its sources into the compiler's command, behind its own options.
    """
    link = ["-Wl,--allow-multiple-definition"] if project.allow_multiple_definition else []
    standard = [] if project.host_cpp == 11 else [f"-std=c++{project.host_cpp}"]
    options = [*standard, *(f"[[-D{text}]]" for text in project.define)]
    if not (options or link):
        return text
    if "npu_op_code_gen(" not in text and not OPBUILD.search(text):
        what, field = ("repeated definitions", "allow_multiple_definition") if link else ("definitions", "define")
        what, field = (f"C++{project.host_cpp}", "host_cpp") if standard else (what, field)
        raise BuildError(
            f"the toolkit's CMake files do not support {what} for op_host, which opforge.yaml asks for",
            hint=f"remove `{field}`, and write op_host {'as C++11' if standard else 'without them'}",
        )
    for kind, listed in (("link", link), ("compile", options)):
        if listed:
            words = " ".join(listed)
            text = text.replace("npu_op_code_gen(", f"npu_op_code_gen(\n  {kind.upper()}_OPTIONS {words}", 1)
            text = OPBUILD.sub(rf"\g<0> {words}", text, count=1)
            text = f"target_{kind}_options(intf_pub INTERFACE {words})\n{text}"
    return text


def _limit_jobs(path: Path) -> None:
    """Limits the compilers of op_host for op_build to the requested number; CANN's functions use two per core.

    The keyword comes first, because versions of CANN that do not know it ignore it there.
    """
    text = path.read_text(encoding="utf-8")
    text = text.replace("npu_op_code_gen(", f"npu_op_code_gen(\n  JOBS ${{{JOBS}}}", 1)
    path.write_text(text, encoding="utf-8")


def interface_sha256(project: ProjectSpec, ops: Sequence[OpSpec]) -> str:
    """Hex digest of everything that determines the skeleton and the package's layout: signatures, vendor and SoCs.

    ``ops`` are all ops with a kernel, because a changed expression may change the arguments of its ``<Op>Grad``.
    """
    of_host = [project.include, project.host_cpp, project.allow_multiple_definition, project.define]
    interface = [project.vendor, project.soc, *of_host, [prototype(op) for op in ops]]
    return hashlib.sha256(json.dumps(interface).encode()).hexdigest()


def prototype(op: OpSpec) -> Mapping[str, object]:
    """The op in the form of msOpGen's JSON."""

    def tensors(group: str) -> list[Mapping[str, object]]:
        chosen = op.inputs if group == "input" else op.outputs
        return [
            {
                "name": tensor.name,
                "param_type": _param_type(tensor),
                "format": ["ND"] * len(tensor.dtypes),
                "type": [_TYPES.get(dtype, dtype) for dtype in tensor.dtypes],
            }
            for tensor in chosen
        ]

    attrs = [
        {
            "name": attr.name,
            "type": "string" if attr.type == "str" else attr.type,
            "param_type": "required" if attr.required else "optional",
            **({} if attr.required else {"default_value": attr.default}),
        }
        for attr in op.attrs
    ]
    return {
        "op": op.type,
        "language": "cpp",
        "input_desc": tensors("input"),
        "output_desc": tensors("output"),
        "attr": attrs,
    }


def _param_type(tensor: TensorSpec) -> str:
    if tensor.dynamic and not tensor.scalar:
        return "dynamic"
    return "optional" if tensor.optional else "required"


def _from_msopgen(request: BuildRequest, program: Program, toolkit: Toolkit, scratch: Path) -> str | None:
    """Runs msOpGen on the first op. The CMake files are the same for any number of ops."""
    if not toolkit.msopgen:
        return None
    description = scratch / "op.json"
    description.write_text(json.dumps([prototype(program.spec.ops[0])]), encoding="utf-8")
    units = ",".join(f"ai_core-{SOCS[name].default_version.name}" for name in program.spec.project.soc)
    command = (sys.executable, *toolkit.msopgen) if toolkit.simulated else toolkit.msopgen
    done = request.runner.run(
        [*command, "gen", "-i", description, "-f", "pytorch", "-c", units, "-lan", "cpp", "-out", scratch / "project"],
        cwd=scratch,
        env=toolkit.activation(request.environ),
        log=request.log("skeleton"),
        timeout=120,
    )
    if done.ok and all((scratch / "project" / name).is_file() for name in CMAKE_FILES):
        return f"msOpGen of {toolkit.root}"
    if toolkit.simulated and not program.kernels[0].authored:  # a prototype may not be able to describe an authored op
        done.require("msOpGen refused the op", BuildError)
    if done.code == -signal.SIGTERM:  # stopped because another step failed
        raise KeyboardInterrupt
    request.progress.note(
        f"msOpGen did not take {program.spec.ops[0].type} (status {done.code}); opforge's own CMake files are used"
    )
    shutil.rmtree(scratch / "project", ignore_errors=True)
    return None


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
