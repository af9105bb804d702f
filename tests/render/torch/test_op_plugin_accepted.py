"""What `opforge export op-plugin` writes goes through torchnpugen, of torch_npu's wheel, and a C++ compiler.

All projects at once, as op-plugin has all ops in one file; each has a prefix of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_op_plugin import PROJECTS, entries, export, text_of
from torch_projects import SITE_PACKAGES

from opforge.fileset import FileSet

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.slow]

PYTORCH = "2.13.0"
EMPTY = {"official": None, "autograd": None, "symint": None, "quant": None}
# What torchnpugen is called with for the operators of an extension (op-plugin, examples/cpp_extension_structured).
STEPS = (
    ("gen_op_plugin_functions", "--version={torch}", "--output_dir={config}/", "--source_yaml={root}/functions.yaml"),
    ("gen_derivatives", "--version={torch}", "--output_dir={config}/", "--source_yaml={root}/derivatives.yaml"),
    (
        "gen_op_backend",
        "--version={torch}",
        "--output_dir={root}/op_plugin/",
        "--source_yaml={config}/op_plugin_functions.yaml",
        "--deprecate_yaml={root}/deprecated.yaml",
    ),
    (
        "struct.gen_struct_opapi",
        "--output_dir={root}/op_plugin/ops/opapi/",
        "--native_yaml={config}/op_plugin_functions.yaml",
        "--struct_yaml={root}/functions.yaml",
    ),
    (
        "gen_backend_stubs",
        "--output_dir={aten}",
        "--source_yaml={root}/native.yaml",
        "--impl_path={aten}",
        "--op_plugin_impl_path={root}/op_plugin/ops",
        "--op_plugin_yaml_path={config}/op_plugin_functions.yaml",
    ),
    (
        "autograd.gen_autograd",
        "--out_dir={root}/autograd",
        "--autograd_dir={root}/autograd",
        "--npu_native_function_dir={root}/native.yaml",
    ),
)


@pytest.fixture(scope="module")
def exports() -> dict[str, FileSet]:
    return {name: export(text, f"npu_{name.replace(' ', '_')}_") for name, text in PROJECTS.items()}


@pytest.fixture(scope="module")
def generated(exports: dict[str, FileSet], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an extension in which all generators have run, with the C++ of the exports in its place."""
    root = tmp_path_factory.mktemp("extension")
    functions: dict[str, Any] = {"all_version": [], "official": None, "custom": []} | EMPTY
    derivatives: dict[str, Any] = {"all_version": [], "backward": []}
    for files in exports.values():
        for file in files:
            if file.path.suffix in (".cpp", ".h"):
                path = root / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.text, encoding="utf-8")
        text = text_of(files, "op_plugin/config/op_plugin_functions.yaml")
        functions["all_version"] = yaml.safe_load(text)["all_version"]
        functions["custom"] += yaml.safe_load(text)["custom"]
        derivatives["backward"] += yaml.safe_load(text_of(files, "op_plugin/config/derivatives.yaml"))["backward"]
    derivatives["all_version"] = functions["all_version"]
    written = {
        "functions.yaml": functions,
        "derivatives.yaml": derivatives,
        "deprecated.yaml": {"deprecated": None},
        "native.yaml": {"backend": "NPU", "cpp_namespace": "at_npu::native"},
    }
    for name, content in written.items():
        (root / name).write_text(yaml.safe_dump(content, sort_keys=False, width=10_000), encoding="utf-8")
    config, aten = root / "op_plugin" / "config" / "v2r13", root / "torch_npu" / "csrc" / "aten"
    for folder in (config, aten, root / "torch_npu" / "utils", root / "autograd"):
        folder.mkdir(parents=True)
    env = {
        **os.environ,
        "PYTORCH_VERSION": PYTORCH,
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "PYTORCH_CUSTOM_DERIVATIVES_PATH": str(config / "derivatives.yaml"),
        "ACLNN_EXTENSION_PATH": str(root),
        "ACLNN_EXTENSION_SWITCH": "TRUE",
    }
    for module, *options in STEPS:
        words = [option.format(torch=PYTORCH, root=root, config=config, aten=aten) for option in options]
        command = [sys.executable, "-m", f"torchnpugen.{module}", *words]
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"torchnpugen.{module}\n{done.stdout}\n{done.stderr[-3000:]}"
    return root


def test_every_function_is_registered(exports: dict[str, FileSet], generated: Path) -> None:
    registered = (generated / "torch_npu" / "csrc" / "aten" / "CustomRegisterSchema.cpp").read_text(encoding="utf-8")
    for files in exports.values():
        for entry in entries(files).values():
            func = entry["func"].replace('"', '\\"')
            assert func in registered, func


def test_every_derivative_becomes_autograd(exports: dict[str, FileSet], generated: Path) -> None:
    made = "".join(path.read_text(encoding="utf-8") for path in (generated / "autograd").glob("*.cpp"))
    rows = [
        yaml.safe_load(text_of(files, "op_plugin/config/derivatives.yaml"))["backward"] for files in exports.values()
    ]
    names = [row["name"].partition("(")[0] for backward in rows for row in backward]
    assert len(names) > 15
    assert [name for name in names if f'm.impl("{name}"' not in made] == []


def test_functions_in_cpp_are_those_that_are_declared(exports: dict[str, FileSet], generated: Path) -> None:
    """Another parameter type would be another function, and the declared one would be missing when it is linked."""
    header = _plain((generated / "op_plugin" / "OpApiInterface.h").read_text(encoding="utf-8"))
    header = re.sub(r"=(\{[^}]*\}|[^,)]+)", "", header)
    found = 0
    for files in exports.values():
        for file in files:
            if file.path.suffix == ".cpp":
                (definition,) = re.findall(
                    r"^((?:at::Tensor|::std::tuple<|void).*?\)) \{", file.text, re.DOTALL | re.MULTILINE
                )
                assert f"{_plain(definition)};" in header
                found += 1
    assert found > 30


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_the_cpp_compiles(generated: Path) -> None:
    compiler = shutil.which("g++")
    assert compiler is not None
    folder = generated / "op_plugin" / "ops" / "opapi"
    sources = [*sorted(folder.glob("*KernelNpuOpApi.cpp")), folder / "StructKernelNpuOpApiEverything.cpp"]
    whole = generated / "whole.cpp"
    whole.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    wheel, torch = SITE_PACKAGES / "torch_npu" / "include", SITE_PACKAGES / "torch" / "include"
    parties = [wheel / "third_party" / name for name in ("acl/inc", "hccl/inc", "op-plugin")]
    folders = [generated, wheel, *parties, torch, torch / "torch" / "csrc" / "api" / "include"]
    folders.append(Path(sysconfig.get_path("include")))
    command = [
        compiler,
        "-std=c++20",
        "-fsyntax-only",
        "-w",
        "-DCURRENT_VERSION=V2R13",
        *(f"-I{f}" for f in folders),
        whole,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:6000]
