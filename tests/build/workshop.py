"""A project, a toolkit and a Python environment small enough to build in a second; real but for the compilers."""

import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from fake_toolkit import make_fake_toolkit, op_host

from opforge.build.request import BuildRequest
from opforge.toolkit.process import Runner

SPEC = """\
edition: 1
project: {name: tiny, package: tiny_op, vendor: tiny, version: 0.1.0, soc: [ascend910b, ascend910_93]}
ops:
  TinyCopy:
    inputs:
      x: {dtype: [float16, float32]}
    compute: z = abs(x)
    backward: false
"""

KERNEL = """\
#include "tiny_copy_kernel.h"
// entry
"""

ADAPTER = """\
#include "opforge/npu_glue.h"
extern "C" __attribute__((visibility("default"))) int tiny_adapter() { return TINY; }
"""


@dataclass
class Recorder:
    """A Progress that remembers."""

    lines: list[str] = field(default_factory=list)

    def start(self, step: str, why: str = "") -> None:
        self.lines.append(f"start {step}: {why}")

    def finish(self, step: str, outcome: str) -> None:  # noqa: ARG002
        self.lines.append(f"finish {step}")

    def skip(self, step: str, why: str) -> None:
        self.lines.append(f"skip {step}: {why}")

    def note(self, text: str) -> None:
        self.lines.append(f"note {text}")

    def reasons(self) -> dict[str, str]:
        return dict(line[6:].split(": ", 1) for line in self.lines if line.startswith("start "))


@dataclass(frozen=True)
class Workshop:
    """What the projects of a test session share."""

    cache: Path
    toolkit: Path
    python: Path
    environ: dict[str, str]

    def with_cann(self, root: Path) -> dict[str, str]:
        """The environment after CANN's set_env.sh."""
        path = f"{root}/bin:{self.environ['PATH']}"
        return {**self.environ, "ASCEND_HOME_PATH": str(root), "PATH": path}

    def request(self, project: Path, **changes: object) -> BuildRequest:
        base = BuildRequest(
            root=project,
            environ=self.environ,
            cache=self.cache,
            python=self.python,
            progress=Recorder(),
            runner=Runner(),
        )
        return replace(base, **changes)


def make_workshop(folder: Path, environ: dict[str, str]) -> Workshop:
    """A stand-in for the simulated toolkit in a cache, and an environment with a stand-in for torch."""
    environ = {k: v for k, v in environ.items() if not k.startswith(("ASCEND", "OPFORGE", "VIRTUAL_ENV", "PYTHON"))}
    cache = folder / "cache"
    toolkit = make_fake_toolkit(cache / "toolkit" / "stand-in")
    return Workshop(cache, toolkit, make_env(folder / "env", toolkit), environ)


def make_env(env: Path, toolkit: Path, torch: str = "2.13.0") -> Path:
    """The interpreter of an environment with a stand-in for this version of torch, and for its torch_npu."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", env], check=True)
    site = next(env.glob("lib/python3.*/site-packages"))
    for name in ("torch", "torch_npu"):
        (site / name / "lib").mkdir(parents=True)
        (site / name / "include").mkdir()
        (site / name / "__init__.py").write_text("")
        (site / name / "version.py").write_text(f"__version__ = '{torch}'\n")
    (site / "torch" / "include" / "ATen").mkdir()
    for package, library in (("torch", "torch"), ("torch", "torch_cpu"), ("torch", "c10"), ("torch_npu", "torch_npu")):
        (site / package / "lib" / f"lib{library}.so").write_bytes((toolkit / "lib64" / "libregister.so").read_bytes())
    return env / "bin" / "python"


def make_project(root: Path) -> Path:
    """A project of one op for the stand-in compilers."""
    files = {
        "opforge.yaml": SPEC,
        "op_host/tiny_copy.cpp": op_host("TinyCopy", "tiny_copy", "float16,float"),
        "op_kernel/tiny_copy.cpp": KERNEL,
        "op_kernel/tiny_copy_kernel.h": "// body\n",
        "csrc/adapter.cpp": ADAPTER,
        "csrc/opforge/npu_glue.cpp": '#include "npu_glue.h"\nextern "C" int tiny_glue() { return TINY; }\n',
        "csrc/opforge/npu_glue.h": "#define TINY 7\n",
        "python/tiny_op/__init__.py": '"""Tiny."""\n',
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def snapshot(root: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder with its inode and modification time."""
    return {str(p.relative_to(root)): (p.lstat().st_ino, p.lstat().st_mtime_ns) for p in sorted(root.rglob("*"))}
