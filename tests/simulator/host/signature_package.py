"""The ops of sources/signatures as an installed package, made by the programs that a build starts."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from host_tools import HostTools

SOURCES = Path(__file__).parent / "sources" / "signatures"


def run(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(tools: HostTools, work: Path, abi: int) -> Path:
    """The vendor directory; op_host is built with the given string ABI of libstdc++."""
    autogen, kernels = work / "autogen", work / "kernels"
    autogen.mkdir(parents=True)
    flags = [f"-D_GLIBCXX_USE_CXX11_ABI={abi}", f"-I{SOURCES}", f"-I{autogen}"]
    op_host = SOURCES / "op_host.cpp"
    done = tools.op_build(tools.compile(work / "all_ops.so", op_host, flags=flags), autogen)
    assert done.returncode == 0, done.stderr
    tiling = tools.compile(work / "tiling.so", op_host, flags=["-DOP_TILING_LIB", *flags])
    proto = tools.compile(work / "proto.so", op_host, autogen / "op_proto.cc", flags=["-DOP_PROTO_LIB", *flags])
    callers = sorted(autogen.glob("aclnn_*.cpp"))
    aclnn = tools.compile(work / "opapi.so", *callers, flags=[*flags, "-lnnopbase"])
    compile_kernels(tools.root, autogen, kernels)
    arch = platform.machine()
    packed = work / "packing_list.txt"
    packed.write_text(
        f"vendor|signatures\nautogen|{autogen}\nkernels|{kernels}\nsource_package|ON\nbinary_package|ON\n"
        f"file|op_api/lib/libcust_opapi.so|{aclnn}\n"
        f"file|op_impl/ai_core/tbe/op_tiling/lib/linux/{arch}/libcust_opmaster_rt2.0.so|{tiling}\n"
        f"file|op_proto/lib/linux/{arch}/libcust_opsproto_rt2.0.so|{proto}\n"
    )
    tree = work / "package"
    pack = [tools.root / "tools" / "package" / "pack_run.py", "--root", tools.root, "--list", packed]
    run(sys.executable, *pack, "--units=ascend910b", "--tree", tree, "--run", work / "package.run")
    return tree / "vendors" / "signatures"


def compile_kernels(root: Path, autogen: Path, work: Path) -> None:
    """Every column that the operator information lists, as the build's custom commands compile it."""
    columns = root / "lib64" / "cmake" / "ASC" / "scripts" / "kernel_columns.py"
    places = ["--autogen", autogen, "--base", SOURCES, "--work", work, "--units=ascend910b"]
    listed = run(sys.executable, columns, *places)
    for line in listed.splitlines():
        _, implementation, params, soc, _, folder, function = line.split("|")
        options = [f"--main_func={function}", f"--input_param={params}", f"--soc_version={soc}", f"--output={folder}"]
        run(sys.executable, root / "bin" / "asc_opc", implementation, *options)
