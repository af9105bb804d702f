"""Operators compiled as CANN's build compiles them, installed as a package, and children that call them."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # host_tools is imported by name

from host_tools import HostTools  # noqa: E402

from tests.simulator.sanitized import HOST, put_sanitized  # noqa: E402

SOURCES = HERE / "sources"
SIMULATOR = HERE.parents[2] / "src" / "opforge" / "simulator"
INTERFACES = SIMULATOR / "interfaces"

AclnnRun = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", params=["plain", pytest.param("sanitized", marks=pytest.mark.slow)])
def host_tools(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HostTools:
    """The toolkit whose host side is tested: the one everybody uses, or one with ASan and UBSan."""
    plain: Path = request.getfixturevalue("toolkit_root")
    if request.param == "plain":
        return HostTools(plain, {})
    root = tmp_path_factory.mktemp("sanitized") / "root"
    shutil.copytree(plain, root, symlinks=True)
    put_sanitized(HOST, root)
    preload = []
    for name in ("libasan.so", "libubsan.so"):
        found = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        preload.append(found.stdout.strip())
    # Leaks of Python are not ours; our own objects are counted.
    options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"}
    return HostTools(root, {"LD_PRELOAD": " ".join(preload), **options})


@pytest.fixture(scope="session")
def all_ops(host_tools: HostTools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """libascend_all_ops.so, built as CANN's configure step builds it: C++11 and the old string ABI."""
    library = tmp_path_factory.mktemp("all_ops") / "libascend_all_ops.so"
    return host_tools.compile(library, SOURCES / "op_host.cpp", flags=["-D_GLIBCXX_USE_CXX11_ABI=0"])


@pytest.fixture(scope="session")
def autogen(host_tools: HostTools, all_ops: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder op_build wrote."""
    folder = tmp_path_factory.mktemp("autogen")
    done = host_tools.op_build(all_ops, folder)
    assert done.returncode == 0, done.stderr
    return folder


def install_kernels(package: Path, soc: str, op: str, op_file: str, kernels: dict[str, tuple[str, list[str]]]) -> None:
    """Writes a binary list and kernel descriptions; kernels: name -> (object made from sources, dtypes in and out)."""
    tbe = package / "op_impl" / "ai_core" / "tbe" / "kernel"
    folder = tbe / soc / op_file
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for name, (source, dtypes) in kernels.items():
        binary = f"{op}_{name}"
        shutil.copy2(source, folder / f"{binary}.o")
        (folder / f"{binary}.json").write_text(
            json.dumps({"binFileName": binary, "binFileSuffix": ".o", "kernelName": binary})
        )
        tensors = [{"name": f"t{i}", "index": i, "dtype": dtype, "format": "ND"} for i, dtype in enumerate(dtypes[:-1])]
        entries.append(
            {
                "inputs": tensors,
                "outputs": [{"name": "z", "index": 0, "dtype": dtypes[-1], "format": "ND"}],
                "binInfo": {"jsonFilePath": f"{soc}/{op_file}/{binary}.json"},
            }
        )
    config = tbe / "config" / soc / f"{op_file}.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"binList": entries}, indent=1))


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("kernels")
    objects = []
    for number in range(9):
        output = folder / f"kernel_{number}.o"
        command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", f"-DKERNEL={number}"]
        subprocess.run([*command, str(SOURCES / "kernel.cpp"), "-o", str(output)], check=True)
        objects.append(str(output))
    return objects


@pytest.fixture(scope="session")
def package(
    host_tools: HostTools, autogen: Path, kernel_objects: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An installed vendor directory with all operators of sources/op_host.cpp."""
    root = tmp_path_factory.mktemp("opp with a space") / "vendors" / "test_vendor"
    arch = platform.machine()
    tiling = root / "op_impl" / "ai_core" / "tbe" / "op_tiling"
    proto = root / "op_proto" / "lib" / "linux" / arch
    library = tiling / "lib" / "linux" / arch / "libcust_opmaster_rt2.0.so"
    for folder in (library.parent, proto, root / "op_api" / "lib"):
        folder.mkdir(parents=True)
    abi = ["-D_GLIBCXX_USE_CXX11_ABI=0"]
    generated = [f"-I{autogen}", *abi]
    host_tools.compile(library, SOURCES / "op_host.cpp", flags=["-DOP_TILING_LIB", "-g1", *abi])
    (tiling / "liboptiling.so").symlink_to(f"lib/linux/{arch}/{library.name}")
    host_tools.compile(
        proto / "libcust_opsproto_rt2.0.so", SOURCES / "op_host.cpp", autogen / "op_proto.cc",
        flags=["-DOP_PROTO_LIB", *generated],
    )  # fmt: skip
    host_tools.compile(
        root / "op_api" / "lib" / "libcust_opapi.so",
        *sorted(autogen.glob("aclnn_*.cpp")),
        flags=[*generated, "-lnnopbase"],
    )
    add = {
        "f32": (kernel_objects[0], ["float32", "float32", "float32"]),
        "f16": (kernel_objects[1], ["float16", "float16", "float16"]),
    }
    install_kernels(root, "ascend910b", "AddCustom", "add_custom", add)
    probe = {"all": (kernel_objects[2], ["float32", "", "int32", "float32"])}
    install_kernels(root, "ascend910b", "LayerNormX", "layer_norm_x", probe)
    scale = {"f32": (kernel_objects[3], ["float32", "float32", "float32"])}
    install_kernels(root, "ascend910b", "ScaleInPlace", "scale_in_place", scale)
    install_kernels(
        root, "ascend910b", "MacroTiling", "macro_tiling", {"f32": (kernel_objects[4], ["float32", "float32"])}
    )
    both = {"all": (kernel_objects[5], ["", "", "int32", ""])}
    install_kernels(root, "ascend910b", "Accumulate", "accumulate", both)
    fused = {
        "f32": (kernel_objects[6], ["float32"] * 4),
        "f16": (kernel_objects[7], ["float16"] * 4),
    }
    install_kernels(root, "ascend910b", "FusedLinear", "fused_linear", fused)
    install_kernels(root, "ascend910b", "Registered", "registered", {"i64": (kernel_objects[4], ["int64", "int64"])})
    says = {"all": (kernel_objects[8], ["int64", "float32"])}
    install_kernels(root, "ascend910b", "SaysShapes", "says_shapes", says)
    install_kernels(root, "ascend910b", "NotBuilt", "not_built", {"f32": (kernel_objects[4], ["float32", "float32"])})
    return root


@pytest.fixture(scope="session")
def ascendcl_double(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stand-in for libascendcl."""
    folder = tmp_path_factory.mktemp("double")
    command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", f"-I{INTERFACES}", "-Wl,-soname,libascendcl.so"]
    source = SOURCES / "ascendcl_double.cpp"
    subprocess.run([*command, str(source), "-o", str(folder / "libascendcl.so")], check=True)
    return folder


@pytest.fixture(scope="session")
def aclnn_run(host_tools: HostTools, package: Path, ascendcl_double: Path) -> AclnnRun:
    """Runs code in a child after ``from aclnn_client import *``; ``device=True``: on the simulated device."""

    def run(code: str, *, device: bool = False, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        lib64 = host_tools.root / "lib64"
        hidden = ("ASCEND_OPP_PATH", "OPFORGE_SOC", "OPFORGE_SIM_CHECKS", "LD_LIBRARY_PATH")
        environ = {key: value for key, value in os.environ.items() if key not in hidden}
        environ |= {
            **host_tools.preload,
            "LD_LIBRARY_PATH": f"{lib64}" if device else f"{ascendcl_double}:{lib64}",
            "ASCEND_HOME_PATH": str(host_tools.root),
            "ASCEND_CUSTOM_OPP_PATH": str(package),
            "TEST_PACKAGE": str(package),
            "TEST_DEVICE": "1" if device else "0",
            "PYTHONPATH": str(HERE),
        }
        done = subprocess.run(
            [sys.executable, "-c", "from aclnn_client import *\n" + textwrap.dedent(code)],
            env={**environ, **env},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run
