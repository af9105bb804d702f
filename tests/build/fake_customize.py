"""A toolkit of CANN 8.x: its project template, and an op_build and an opc of a few lines each.

``make_customize`` takes any template. That of the tests lies in ``customize/``: the interface and the known mistakes of
the public one, in our own words. tests/fidelity runs builds with the public one.
"""

import shutil
import subprocess
from pathlib import Path

from fake_toolkit import OP_BUILD

TEMPLATE = Path(__file__).parent / "customize"
CUSTOMIZE = "tools/op_project_templates/ascendc/customize"

# op_build of 8.x takes no --compute_unit: it writes a list for each SoC of AddConfig. It may fail after it has written.
OP_BUILD_8 = (
    OP_BUILD.replace('units = sys.argv[3].partition("=")[2].split(";")', 'units = ["ascend910b", "ascend910_93"]')
    + 'if b"REFUSED" in library.read_bytes():\n    sys.exit("op_build: refused")\n'
)

OPC = r'''#!/usr/bin/env python3
"""Copies the kernel source as the binary; a source with the word BROKEN does not compile, and opc says so alone."""
import json, os, sys
from pathlib import Path
options = dict(a.lstrip("-").split("=", 1) for a in sys.argv[2:])
node = json.loads(Path(options["input_param"]).read_text())["op_list"][0]
source = Path(os.environ["BUILD_KERNEL_SRC"])
header = source.with_name(source.stem + "_kernel.h")
text = source.read_text() + (header.read_text() if header.is_file() else "")
if "BROKEN" in text:
    print(f"{source}:1:1: error: BROKEN")
    sys.exit(1)
out, name = Path(options["output"]), node["bin_filename"]
(out / f"{name}.o").write_text(text + node["inputs"][0]["dtype"])
support = {"simplifiedKeyMode": 0, "staticKey": "0", "inputs": node["inputs"], "outputs": node["outputs"]}
about = {"binFileName": name, "binFileSuffix": ".o", "coreType": "AiCore", "supportInfo": support}
(out / f"{name}.json").write_text(json.dumps(about, indent=4))
'''


def make_customize(root: Path, template: Path = TEMPLATE) -> Path:
    """Lays out the toolkit below ``root``."""
    for folder in ("bin", "lib64", "include", "opp/vendors", "tools/opbuild", "toolkit/tools", "compiler"):
        (root / folder).mkdir(parents=True)
    shutil.copytree(template, root / CUSTOMIZE)
    (root / "version.cfg").write_text("# version: 1.0\ntoolkit_running_version=[7.7.0.1.238:8.1.RC1]\n")
    (root / "compiler" / "version.info").write_text("Version=7.7.0.1.238\n")
    (root / "toolkit" / "tools" / "opbuild").symlink_to(root / "tools" / "opbuild")
    for name, text in (("tools/opbuild/op_build", OP_BUILD_8), ("bin/opc", OPC)):
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    empty = root / "empty.cpp"
    empty.write_text('extern "C" int stand_in() { return 0; }\n')
    first = root / "lib64" / "libregister.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-o", first, empty], check=True)
    for name in ("exe_graph", "tiling_api", "nnopbase", "ascendcl"):
        shutil.copy(first, root / "lib64" / f"lib{name}.so")
    subprocess.run(["ar", "rc", root / "lib64" / "librt2_registry.a"], check=True)
    empty.unlink()
    return root
