"""A toolkit root whose op_build and asc_opc are a few lines each: for the tests of what goes around them.

The CMake functions, msOpGen and the run package are the real ones of the simulated toolkit.
"""

import shutil
import subprocess
import textwrap
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "src" / "opforge" / "simulator" / "tools"

OP_BUILD = r'''#!/usr/bin/env python3
"""Writes what op_build would for the ops named in the library's strings: OP:<type>:<file>:<dtype>,<dtype>"""
import os, re, sys
from pathlib import Path
library, out = Path(sys.argv[1]), Path(sys.argv[2])
units = sys.argv[3].partition("=")[2].split(";")
ops = [m.decode().split(":") for m in re.findall(rb"OP:(\w+:\w+:[\w,]+)", library.read_bytes())]
if not ops:
    sys.exit("op_build: no op in the library")
(out / "op_proto.h").write_text("// proto\n")
(out / "op_proto.cc").write_text('#include "op_proto.h"\n')
ini = ""
for op_type, op_file, dtypes in ops:
    (out / f"aclnn_{op_file}.h").write_text(f"int aclnn{op_type}();\n")
    (out / f"aclnn_{op_file}.cpp").write_text(
        f'#include "aclnn_{op_file}.h"\n'
        'extern "C" int stand_in();\n'
        f'__attribute__((visibility("default"))) int aclnn{op_type}() {{ return stand_in(); }}\n')
    n = dtypes.count(",") + 1
    ini += f"[{op_type}]\n"
    for key, name in (("input0", "x"), ("output0", "z")):
        ini += f"{key}.name={name}\n{key}.dtype={dtypes}\n{key}.format={','.join(['ND'] * n)}\n"
        ini += f"{key}.paramType=required\n"
    ini += f"opFile.value={op_file}\nopInterface.value={op_file}\n"
for unit in units:
    (out / f"aic-{unit}-ops-info.ini").write_text(ini)
'''

ASC_OPC = r'''#!/usr/bin/env python3
"""Copies the kernel source as the binary; a source with the word BROKEN does not compile."""
import ast, json, os, sys, time
from pathlib import Path
impl, options = Path(sys.argv[1]), dict(a.lstrip("-").split("=", 1) for a in sys.argv[2:])
kernel = ast.literal_eval(impl.read_text().partition("KERNEL = ")[2])
param = json.loads(Path(options["input_param"]).read_text())
out, name = Path(options["output"]), param["bin_filename"]
for suffix in (".o", ".json"):
    (out / (name + suffix)).unlink(missing_ok=True)
source = Path(kernel["source"])
header = source.with_name(kernel["op_file"] + "_kernel.h")
text = source.read_text() + (header.read_text() if header.is_file() else "")
with open(impl.parent / "asc_opc.calls", "a") as log:
    log.write(name + "\n")
if os.environ.get("STAND_IN_LOG"):
    with open(os.environ["STAND_IN_LOG"], "a") as log:
        log.write(name + "\n")
time.sleep(float(os.environ.get("STAND_IN_SECONDS", 0)))
if "BROKEN" in text:
    sys.exit(f"{source}:1:1: error: BROKEN")
(out / (name + ".o")).write_text(text + repr(kernel["options"]) + param["inputs"][0]["dtype"])
(out / (name + ".json")).write_text(json.dumps({"binFileName": name, "binFileSuffix": ".o"}))
read = [str(p).replace(" ", "\\ ") for p in (out / (name + ".o"), source, header) if p.is_file()]
Path(options["depfile"]).write_text(f"{read[0]}: {' '.join(read[1:])}\n")
'''


def make_fake_toolkit(root: Path) -> Path:
    """Installs the real tools and the stand-ins below ``root``."""
    (root / "bin").mkdir(parents=True)
    (root / "lib64").mkdir()
    (root / "include").mkdir()
    (root / "opp" / "vendors").mkdir(parents=True)
    (root / "tools" / "opbuild").mkdir(parents=True)
    (root / "version.cfg").write_text("version=0.0.fake\nsimulated=1\n")
    (root / "toolkit.json").write_text('{"sources": "of the stand-in", "machine": "any", "march": ""}')
    (root / "tools" / "opbuild" / "op_build").write_text(OP_BUILD)
    (root / "bin" / "asc_opc").write_text(ASC_OPC)
    shutil.copy(TOOLS / "msopgen" / "msopgen", root / "bin" / "msopgen")
    shutil.copytree(TOOLS / "msopgen" / "template", root / "tools" / "msopgen" / "template")
    shutil.copytree(TOOLS / "cmake", root / "lib64" / "cmake" / "ASC")
    shutil.copytree(TOOLS / "package", root / "tools" / "package")
    for program in ("bin/msopgen", "bin/asc_opc", "tools/opbuild/op_build"):
        (root / program).chmod(0o755)
    empty = root / "empty.cpp"
    empty.write_text('extern "C" int stand_in() { return 0; }\n')
    subprocess.run(["g++", "-shared", "-fPIC", "-o", root / "lib64" / "libregister.so", empty], check=True)
    empty.unlink()
    for name in ("exe_graph", "tiling_api", "nnopbase", "ascendcl"):
        shutil.copy(root / "lib64" / "libregister.so", root / "lib64" / f"lib{name}.so")
    return root


def op_host(op_type: str, op_file: str, dtypes: str) -> str:
    """An op_host source that the stand-in op_build understands."""
    return textwrap.dedent(f"""\
        extern "C" const char op_{op_file}[];
        const char op_{op_file}[] = "OP:{op_type}:{op_file}:{dtypes}";
        """)
