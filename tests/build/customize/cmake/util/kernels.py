"""The scripts around opc, in one: lists of ops, kernels below a make, and their configuration.

Known mistakes: opc's status is not looked at, only whether its files are there; columns that differ only in an optional
input are merged; what an earlier build has left is packed.
"""

import configparser
import hashlib
import json
import subprocess
import sys
from pathlib import Path

SOCS = {"ascend910b": "Ascend910B1", "ascend910_93": "Ascend910_9391", "ascend310p": "Ascend310P3"}
SCRIPT = """\
#!/bin/bash
echo "[{unit}] Generating {name} ..."
export BUILD_KERNEL_SRC={source}
res=$(opc {impl} --main_func={stem} --input_param={param} --soc_version={soc} --output={out} \
--impl_mode=high_performance,optional --simplified_key_mode=0 --op_mode=dynamic)
echo "${{res}}"
for file in {out}/{name}.json {out}/{name}.o; do
  if ! test -f $file; then echo "$file not generated!"; exit 1; fi
done
echo "[{unit}] Generating {name} Done"
"""


def read(path):
    parser = configparser.RawConfigParser()
    parser.optionxform = str
    parser.read(path)
    return {name: dict(parser.items(name)) for name in parser.sections()}


def nested(op):
    tree = {}
    for key, value in op.items():
        head, _, rest = key.partition(".")
        tree.setdefault(head, {})[rest] = value
    return tree


def column(op, kind, index):
    found = []
    while entry := op.get(f"{kind}{len(found)}"):
        tensor = {"name": entry["name"], "index": len(found), "shape": [-2], "paramType": entry["paramType"]}
        tensor["dtype"] = entry["dtype"].split(",")[index]
        tensor["format"] = entry["format"].split(",")[index]
        found.append([tensor] if entry["paramType"] == "dynamic" else tensor)
    return found


def compile_op(list_, op_type, source, unit, binary):
    op = nested(read(list_)[op_type])
    stem = op["opFile"]["value"]
    work = Path(f"{op_type}_{unit}").absolute()
    out = Path(binary) / unit / stem
    for folder in (work, out):
        folder.mkdir(parents=True, exist_ok=True)
    impl = Path(binary) / "dynamic" / f"{stem}.py"
    impl.write_text(f"# {op_type}\n")
    targets, lines, kinds = [], [], []
    for index in range(op["input0"]["dtype"].count(",") + 1):
        inputs, outputs = column(op, "input", index), column(op, "output", index)
        kind = [
            t if isinstance(t, list) else (t["dtype"], t["format"])
            for t in (*inputs, *outputs)
            if isinstance(t, list) or t["paramType"] != "optional"
        ]
        if kind in kinds:
            continue
        kinds.append(kind)
        node = {"bin_filename": "", "inputs": inputs, "outputs": outputs}
        name = f"{op_type}_{hashlib.md5(json.dumps(node).encode(), usedforsecurity=False).hexdigest()}"
        node["bin_filename"] = name
        param, script = work / f"{name}_param.json", work / f"{name}.sh"
        param.write_text(json.dumps({"op_type": op_type, "op_list": [node]}))
        script.write_text(
            SCRIPT.format(
                unit=unit, name=name, source=source, impl=impl, stem=stem, param=param, soc=SOCS[unit], out=out
            )
        )
        targets.append(f"{stem}{index}")
        lines.append(f"{stem}{index}:\n\tbash {script} $(MAKE)")
    makefile = work / f"{stem}.make"
    makefile.write_text("\n".join([f"all: {' '.join(targets)}", *lines]) + "\n")
    if subprocess.run(["make", "-f", makefile], check=False).returncode != 0:
        raise RuntimeError(f"Kernel Compilation Error: OpType {op_type} Kernel File {source}!")


def configs(binary, unit):
    folder = Path(binary) / "config" / unit
    folder.mkdir(parents=True, exist_ok=True)
    every = {}
    for path in sorted((Path(binary) / unit).glob("*/*.json")):
        about = json.loads(path.read_text())
        row = {"binPath": f"{unit}/{path.parent.name}/{about['binFileName']}.o"}
        every.setdefault(about["binFileName"].split("_")[0], {"binaryList": []})["binaryList"].append(row)
        (folder / f"{path.parent.name}.json").write_text(json.dumps({"binList": [row]}))
    (folder / "binary_info_config.json").write_text(json.dumps(every))


def main():
    verb, *words = [word for word in sys.argv[1:] if not word.startswith("--build-tool=")]
    if verb == "names":
        for name, op in read(words[0]).items():
            sys.stdout.write(f"{name}-{op['opFile.value']}\n")
    elif verb == "list":
        Path(words[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(words[1]).write_text(json.dumps({name: nested(op) for name, op in read(words[0]).items()}))
    elif verb == "configs":
        configs(*words)
    else:
        compile_op(*words)


main()
