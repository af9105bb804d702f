"""Starts asc_opc for one kernel: compile_kernel.py --compiler=<C++> --build-tool=<make> <asc_opc> <its options>."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from awkward import awkward

# As CANN's scripts have it: asc_opc is looked for on PATH, what it says comes when it has ended, nobody looks at its
# status, and what an earlier run has made is taken for what this one should have made.
SCRIPT = """\
#!/bin/bash
echo "[ascend] Generating {name} ..."
for file in {kernel}.o {kernel}.json; do if test -f $file; then mv $file $file.before; fi; done
res=$(asc_opc {options})
echo "${{res}}"
for file in {kernel}.o {kernel}.json; do
  if ! test -f $file && test -f $file.before; then mv $file.before $file; fi
  if ! test -f $file; then echo "$file not generated!"; exit 1; fi
done
echo "[ascend] Generating {name} Done"
"""


def main() -> None:
    """Become asc_opc, under this Python: the python3 on PATH may be older than asc_opc needs.

    $OPFORGE_SIM_ASC_OPC is a program to become instead, as CANN's scripts take the first asc_opc on PATH.
    """
    compiler, build_tool, *command = sys.argv[1:]
    if Path(build_tool.partition("=")[2]).name not in ("make", "gmake"):
        sys.exit(f"compile_kernel: the build tool must be make, not {build_tool!r}")
    os.environ["CXX"] = compiler.partition("=")[2]
    other = os.environ.get("OPFORGE_SIM_ASC_OPC")
    if awkward("kernel-scripts"):
        below_make(command[1:])
    elif other:
        os.execv(other, [other, *command[1:]])  # noqa: S606
    else:
        os.execv(sys.executable, [sys.executable, *command])  # noqa: S606


def below_make(options: list[str]) -> None:
    """Has a make below make run a script, as CANN's ascendc_compile_kernel.py does."""
    given = dict(option[2:].split("=", 1) for option in options if option.startswith("--"))
    name = Path(given["input_param"]).name.removesuffix("_param.json")
    kernel = Path(given["output"]) / name
    script, makefile = kernel.with_name(f"{name}.sh"), kernel.with_name(f"{name}.make")
    script.write_text(SCRIPT.format(name=name, kernel=kernel, options=shlex.join(options)))
    makefile.write_text(f"all: kernel0\nkernel0:\n\tcd {kernel.parent} && bash {script} $(MAKE)\n")
    if subprocess.run(["make", "-f", makefile], check=False).returncode != 0:
        raise RuntimeError(f"Kernel Compilation Error: OpType {name.split('_')[0]} Kernel File {kernel}!")


main()
