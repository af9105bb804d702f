"""The checks of a machine, on machines made of a few files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opforge.explain.libraries import library_package
from opforge.explain.local_checks import own_look, run_check
from opforge.explain.machine import Machine


def machine(top: Path, **environ: str) -> Machine:
    return Machine({"PATH": "/usr/bin:/bin", **environ}, top)


def file(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_variables(tmp_path: Path) -> None:
    at = machine(tmp_path, ONE="/gone:/usr", HCCL_B="2", HCCL_A="1")
    assert run_check(at, ("variable", "ONE", "TWO")) == ["ONE=/gone:/usr; /gone does not exist", "TWO is not set"]
    assert run_check(at, ("variables", "HCCL_")) == ["HCCL_A=1, HCCL_B=2"]
    assert run_check(at, ("variables", "ATB_")) == ["no variable begins with ATB_"]


def test_a_file(tmp_path: Path) -> None:
    file(tmp_path / "etc/config.ini").chmod(0o640)
    (said,) = run_check(machine(tmp_path), ("file", "/etc/config.ini"))
    assert said.startswith(f"{tmp_path}/etc/config.ini belongs to ")
    assert said.endswith(", mode 640; this user may read and write it")
    assert run_check(machine(tmp_path), ("file", "/gone")) == [f"{tmp_path}/gone: No such file or directory"]


def test_a_library_that_is_not_on_the_path(tmp_path: Path) -> None:
    place = file(tmp_path / "usr/local/Ascend/driver/lib64/driver/libascend_hal.so")
    said = run_check(machine(tmp_path), ("library", "libascend_hal.so"))
    assert said[0] == "libascend_hal.so is not in LD_LIBRARY_PATH or a folder of the system"
    assert said[1] == f"but it is in {place.parent}"
    assert said[2].startswith("it belongs to the NPU driver: export LD_LIBRARY_PATH=")


def test_a_library_that_needs_another(tmp_path: Path) -> None:
    library = file(tmp_path / "lib/libatb.so")
    ldd = file(tmp_path / "bin/ldd", "#!/bin/sh\necho 'libmki.so => not found'\necho 'libm.so.6 => /lib/libm.so.6'\n")
    ldd.chmod(0o755)
    at = machine(tmp_path, LD_LIBRARY_PATH=str(library.parent), PATH=f"{ldd.parent}:/usr/bin:/bin")
    assert run_check(at, ("library", "libatb.so")) == [
        f"the loader finds {library}",
        "it needs libmki.so, which the loader does not find",
    ]


def test_packages_of_libraries() -> None:
    names = {"libhccl.so": "the CANN toolkit", "libatb.so": "NNAL (ATB)", "libtorch_npu.so": "torch_npu"}
    names |= {"libtorch_cpu.so": "torch", "libgfortran-b6d57c85.so.5": "libgfortran"}
    found = {name: library_package(name) for name in names}
    assert {name: package and package.package for name, package in found.items()} == names
    assert library_package("libnothing.so") is None


def test_devices(tmp_path: Path) -> None:
    at = machine(tmp_path)
    assert run_check(at, ("devices",))[0] == "this machine or container has no /dev/davinci*: it has no NPU"
    for name in ("davinci0", "davinci1", "davinci_manager", "devmm_svm"):
        file(tmp_path / "dev" / name)
    assert run_check(machine(tmp_path, ASCEND_RT_VISIBLE_DEVICES="4"), ("devices",)) == [
        "2 NPUs: davinci0, davinci1",
        "/dev/hisi_hdc is missing: give it to the container",
        "ASCEND_RT_VISIBLE_DEVICES=4",
    ]


def test_the_driver(tmp_path: Path) -> None:
    (said,) = run_check(machine(tmp_path), ("driver",))
    assert said.endswith("driver/version.info does not exist: there is no NPU driver here")
    file(tmp_path / "usr/local/Ascend/driver/version.info", "package=driver\nVersion=25.2.0\n")
    assert run_check(machine(tmp_path), ("driver",)) == ["driver 25.2.0"]


def test_toolkits(tmp_path: Path) -> None:
    assert run_check(machine(tmp_path), ("toolkits",))[0].startswith("no CANN toolkit was found")
    root = tmp_path / "usr/local/Ascend/ascend-toolkit/8.5.0"
    file(root / "tools/opbuild/op_build")
    file(root / "version.cfg", "version=8.5.0")
    (root.parent / "latest").symlink_to("8.5.0")
    home = tmp_path / "usr/local/Ascend"
    assert run_check(machine(tmp_path), ("toolkits",)) == [f"CANN 8.5.0 at {root} (it is in {home})"]
    named = machine(tmp_path, ASCEND_HOME_PATH=str(root.parent / "latest"))
    assert run_check(named, ("toolkits",)) == [f"CANN 8.5.0 at {root} (ASCEND_HOME_PATH names it)"]


def test_vendors_and_their_functions(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "op_impl/ai_core/tbe/kernel/ascend910b").mkdir(parents=True)
    file(one / "op_api/lib/libcust_opapi.so").write_bytes(b"\x7fELF\0aclnnFooBar\0aclnnFoo\0")
    file(two / "op_api/lib/libcust_opapi.so").write_bytes(b"\x7fELF\0aclnnFooBar\0")
    at = machine(tmp_path, ASCEND_CUSTOM_OPP_PATH=f"{one}:{two}:/gone")
    assert run_check(at, ("vendors",)) == [
        f"{one} has kernels for ascend910b",
        f"{two} has no kernels",
        "/gone does not exist",
    ]
    assert run_check(at, ("symbol", "aclnnFoo")) == [
        f"{one}/op_api/lib/libcust_opapi.so has aclnnFoo",
        f"{two}/op_api/lib/libcust_opapi.so does not have aclnnFoo",
    ]
    assert run_check(machine(tmp_path), ("symbol", "aclnnFoo")) == [
        "no operator package with op_api/lib/libcust_opapi.so is on the search path",
        "ASCEND_CUSTOM_OPP_PATH is not set",
    ]


def test_programs(tmp_path: Path) -> None:
    program = file(tmp_path / "bin/g++", "#!/bin/sh\necho g++ 12.2.0\n")
    program.chmod(0o755)
    at = machine(tmp_path, PATH=str(program.parent))
    assert run_check(at, ("version", "g++")) == [f"{program}: g++ 12.2.0"]
    assert run_check(at, ("version", "cmake")) == ["cmake is not on PATH"]
    assert run_check(at, ("program", "/usr/local/bin/npu-smi")) == ["/usr/local/bin/npu-smi is not on PATH"]


def test_python_modules(tmp_path: Path) -> None:
    packages = tmp_path / "env/lib/python3.11/site-packages"
    for folder in ("torch", "google/protobuf", "torch-2.9.0+cpu.dist-info"):
        (packages / folder).mkdir(parents=True)
    file(packages / "decorator.py")
    at = machine(tmp_path, VIRTUAL_ENV=str(tmp_path / "env"))
    assert run_check(at, ("modules", "torch", "torch_npu")) == ["torch 2.9.0+cpu", "not installed: torch_npu"]
    assert run_check(at, ("modules", "decorator", "google.protobuf")) == ["all of them are installed"]


def test_library_path(tmp_path: Path) -> None:
    stubs = tmp_path / "cann/devlib"
    said = run_check(machine(tmp_path, LD_LIBRARY_PATH=f"{stubs}:/usr/lib"), ("library_path",))
    assert said[0] == f"LD_LIBRARY_PATH has folders of stubs: {stubs}"


def test_memory_and_disk(tmp_path: Path) -> None:
    file(tmp_path / "proc/meminfo", "MemTotal:  8000000 kB\nMemAvailable:  2000000 kB\n")
    (said,) = run_check(machine(tmp_path), ("memory",))
    assert said == f"2.0 of 8.2 GB of memory are available; {os.cpu_count()} cores"
    assert run_check(machine(Path("/")), ("disk",))[0].startswith(".: ")


def test_a_check_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "glob", refuse)
    (said,) = run_check(machine(tmp_path), ("devices",))
    assert said.startswith("this could not be checked: ")


def test_by_hand() -> None:
    assert own_look(("variable", "ASCEND_OPP_PATH")) == "echo $ASCEND_OPP_PATH"
    assert own_look(("memory",)) == "free -h; nproc"
