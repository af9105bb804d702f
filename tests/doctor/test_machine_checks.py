"""``opforge doctor`` on machines where one thing after the other is wrong."""

from __future__ import annotations

import errno
import json
import os
import platform
import subprocess
import sys
from collections import namedtuple
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.doctor import machine_checks, resource_checks, sandbox_check
from opforge.doctor import place as place_module
from opforge.doctor.machine_checks import can_build, diagnose
from opforge.doctor.place import Finding, Place
from opforge.doctor.variable_checks import Clash, check_locale, check_variables
from opforge.toolkit import prebuilt
from opforge.toolkit.simulator_key import simulator_key


def program(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A machine where a build can work; its programs answer and do nothing more."""
    folder = tmp_path / "bin"
    program(folder, "g++", 'case "$1" in --version) echo "g++ (Here) 12.2.0";; esac')
    prefix = tmp_path / "env"
    packages = prefix / "lib" / "python3.11" / "site-packages"
    for name in ("torch", "torch_npu", "pip", "pytest"):
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").write_text("")
    (packages / "torch/version.py").write_text("__version__ = '2.13.0+cpu'\n")
    (packages / "torch_npu/version.py").write_text("__version__ = '2.13.0'\n")
    layout: dict[str, object] = {"executable": str(prefix / "bin/python"), "prefix": str(prefix), "version": "3.11"}
    layout |= {"purelib": str(packages), "path": [str(packages)]}
    program(prefix / "bin", "python", f"echo '{json.dumps(layout)}'")
    monkeypatch.setattr(sandbox_check, "_error_of_no_filter", lambda: errno.EFAULT)
    environ = {"PATH": f"{folder}:/usr/bin:/bin", "VIRTUAL_ENV": str(prefix), "LANG": "C.UTF-8"}
    (tmp_path / "cache").mkdir()
    return Place(environ, tmp_path / "cache", top=tmp_path)


def found(place: Place, topic: str) -> list[Finding]:
    return [finding for finding in diagnose(place) if finding.topic == topic]


def with_variables(place: Place, **variables: str) -> Place:
    return replace(place, environ={**place.environ, **variables})


def test_where_nothing_is_wrong_all_is_ok(place: Place) -> None:
    findings = diagnose(place)
    assert {finding.level for finding in findings} == {"ok"}
    topics = ["opforge", "compiler", "cmake", "make", "ninja", "python", "torch", "toolkit", "versions", "sandbox"]
    topics += ["cache", "disk", "disk", "environment"]
    assert [finding.topic for finding in findings] == topics
    assert can_build(findings)
    assert findings[1].text.endswith("/bin/g++: g++ (Here) 12.2.0, C++17")
    assert findings[6].text == "torch 2.13.0+cpu and torch_npu 2.13.0 match"
    assert findings[7].text == "simulated; the next build makes it, in about a minute (ASCEND_HOME_PATH is not set)"


def test_it_says_whether_the_toolkit_was_prebuilt(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    key = simulator_key(place.environ)
    root = place.cache / "toolkit" / key.digest
    root.mkdir(parents=True)
    (root / "version.cfg").write_text("version=8.5.0\n")
    for stamp, how in ((asdict(key), "compiled"), ({"prebuilt": True}, "prebuilt")):
        (root / "toolkit.json").write_text(json.dumps(stamp))
        (finding,) = found(place, "toolkit")
        assert finding.text == f"simulated, CANN 8.5.0, {how}, at {root} (ASCEND_HOME_PATH is not set)"
    there = root.rename(root.with_name("prebuilt"))
    monkeypatch.setattr(prebuilt, "PREBUILT", there)
    (there / "toolkit.json").write_text(json.dumps(asdict(key)))
    (finding,) = found(place, "toolkit")
    assert finding.text == "simulated; the next build takes the prebuilt one (ASCEND_HOME_PATH is not set)"


def test_an_op_of_two_packages(place: Place, tmp_path: Path) -> None:
    """The first of the look-up runs; an op for another SoC, and lists that are damaged, are no matter."""
    folders = {}
    for vendor, soc, ops in (
        ("one", "ascend910b", '{"Add": {}, "Mul": {}}'),
        ("two", "ascend910b", '{"Sub": {}, "Add": {}}'),
        ("three", "ascend310p", '{"Add": {}}'),
        ("four", "ascend910b", "[broken"),
    ):
        folders[vendor] = tmp_path / "opp" / "vendors" / vendor
        config = folders[vendor] / "op_impl" / "ai_core" / "tbe" / "config" / soc
        config.mkdir(parents=True)
        (config / f"aic-{soc}-ops-info.json").write_text(ops)
    (tmp_path / "opp" / "vendors" / "config.ini").write_text("load_priority=four,three,one\n")
    paths = {"ASCEND_OPP_PATH": str(tmp_path / "opp"), "ASCEND_CUSTOM_OPP_PATH": str(folders["two"])}
    *_, hidden = found(with_variables(place, **paths), "python")
    assert hidden == Finding(
        "python",
        "warning",
        f"two installed packages have Add: {folders['two']} comes first and runs; {folders['one']} is ignored",
        "give the op another type in one of the projects, or take one away: opforge uninstall <package>",
    )
    assert all(
        one.level == "ok" for one in found(with_variables(place, ASCEND_OPP_PATH=paths["ASCEND_OPP_PATH"]), "python")
    )


def test_a_worker_without_a_sandbox(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    off = with_variables(place, OPFORGE_SIM_SANDBOX="off")
    text = "the worker runs kernels without a sandbox: OPFORGE_SIM_SANDBOX=off"
    assert found(off, "sandbox") == [Finding("sandbox", "warning", text, "unset OPFORGE_SIM_SANDBOX")]
    monkeypatch.setattr(sandbox_check, "_error_of_no_filter", lambda: errno.EINVAL)
    (finding,) = found(place, "sandbox")
    assert finding.level == "warning"
    reason = "this kernel or container takes no seccomp filters: Invalid argument"
    assert finding.text == f"the worker runs kernels without a sandbox: {reason}"
    monkeypatch.setattr(sandbox_check.platform, "machine", lambda: "riscv64")
    assert "there is none for Linux riscv64" in found(place, "sandbox")[0].text


def test_it_starts_and_builds_nothing_that_stays(place: Place) -> None:
    diagnose(place)
    assert list(place.cache.iterdir()) == []


def test_no_compiler(place: Place, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    findings = diagnose(with_variables(place, PATH=str(tools)))
    missing = {finding.topic: finding for finding in findings if finding.level == "missing"}
    assert missing["compiler"] == Finding(
        "compiler",
        "missing",
        "there is no C++ compiler",
        "install g++ (Debian, Ubuntu: apt install g++), or set CXX",
    )
    assert missing["toolkit"].text == "not checked: see compiler"
    assert not can_build(findings)


@pytest.mark.parametrize(
    ("script", "text", "mend"),
    [
        ('echo "g++ (Old) 9.4.0"', "g++ (Old) 9.4.0; 11 or later is needed", "apt install g++-12, and CXX=g++-12"),
        ('echo "clang version 11.0.1-2"', "clang version 11.0.1-2; 14 or later is needed", "apt install clang-16"),
        ("exit 1", "does not run: g++ exited with status 1", None),
        (
            'case "$1" in --version) echo "g++ 12.1.0";; *) echo "cxx17.cpp:1: error: no <optional>"; exit 1;; esac',
            "g++ 12.1.0 does not compile C++17: cxx17.cpp:1: error: no <optional>",
            "apt install g++-12",
        ),
    ],
)
def test_a_compiler_that_will_not_do(script: str, text: str, mend: str | None, place: Place, tmp_path: Path) -> None:
    program(tmp_path / "bin", "g++", script)
    (finding,) = found(place, "compiler")
    assert finding.level == "missing"
    assert finding.text.endswith(text)
    assert (finding.mend or "").startswith(mend or "")


def test_a_compiler_that_hangs_is_ended(place: Place, tmp_path: Path, monkeypatch) -> None:
    program(tmp_path / "bin", "g++", "sleep 60")
    monkeypatch.setattr(place_module, "SECONDS", 0.2)
    (finding,) = found(place, "compiler")
    assert finding.level == "missing"
    assert "did not end within 0 s" in finding.text


def test_an_old_cmake(place: Place, tmp_path: Path, monkeypatch) -> None:
    old = program(tmp_path / "old", "cmake", "echo cmake version 3.18.4")
    monkeypatch.setattr(machine_checks, "find_cmake", lambda _: old)
    (finding,) = found(place, "cmake")
    assert (finding.level, finding.text) == ("missing", f"{old}: cmake version 3.18.4; 3.25 or later is needed")
    assert finding.mend == f"{sys.executable} -m pip install 'cmake>=3.25'"


_MEND = "put GNU make on PATH (Debian, Ubuntu: apt install make)"


@pytest.mark.parametrize(
    ("said", "level", "text"),
    [
        ("GNU Make 4.3", "ok", "GNU Make 4.3"),
        ("GNU Make 3.82", "warning", "GNU Make 3.82; before 4.0 the errors of several kernels are mixed"),
        ("GNU Make 3.80", "missing", "is not GNU make 3.81 or later"),
        ("bmake 20220604", "missing", "is not GNU make 3.81 or later"),
    ],
)
def test_make(said: str, level: str, text: str, place: Place, tmp_path: Path) -> None:
    program(tmp_path / "bin", "make", f"echo '{said}'")
    (finding,) = found(place, "make")
    assert (finding.level, finding.mend) == (level, None if level == "ok" else _MEND)
    assert finding.text.endswith(text)


def test_no_make(place: Place, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (finding,) = found(with_variables(place, PATH=str(tmp_path / "empty")), "make")
    assert finding == Finding(
        "make", "missing", "there is no make", "install GNU make (Debian, Ubuntu: apt install make)"
    )


def test_an_environment_that_does_not_exist(place: Place) -> None:
    broken = with_variables(place, VIRTUAL_ENV="/nowhere")
    (python,), (torch,) = found(broken, "python"), found(broken, "torch")
    assert python.level == torch.level == "missing"
    assert python.text == "VIRTUAL_ENV is /nowhere, but /nowhere/bin/python does not exist"
    assert torch.text == "not checked: see python"


@pytest.mark.parametrize("name", ["torch", "torch_npu"])
def test_no_torch(name: str, place: Place, tmp_path: Path) -> None:
    (tmp_path / "env/lib/python3.11/site-packages" / name / "__init__.py").unlink()
    (finding,) = found(place, "torch")
    assert finding.level == "missing"
    assert finding.text.startswith(f"{name} is not installed in {tmp_path}/env")
    assert finding.mend == f"{tmp_path}/env/bin/python -m pip install torch==2.13.0 torch-npu==2.13.0"


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("2.12.0", "torch 2.12.0 and torch_npu 2.13.0 in {} do not match"),
        (
            "2.13.0+cu128",
            "torch 2.13.0+cu128 in {} is a CUDA build, and importing torch_npu 2.13.0 beside one ends Python",
        ),
    ],
)
def test_a_torch_that_does_not_match(version: str, text: str, place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "env/lib/python3.11/site-packages/torch"
    (folder / "version.py").write_text(f"__version__ = '{version}'\n")
    (finding,) = found(place, "torch")
    assert (finding.level, finding.text) == ("missing", text.format(tmp_path / "env"))


def test_without_pytest_a_build_works(place: Place, tmp_path: Path) -> None:
    (tmp_path / "env/lib/python3.11/site-packages/pytest/__init__.py").unlink()
    findings = diagnose(place)
    warning = next(finding for finding in findings if finding.level == "warning")
    assert (warning.topic, warning.mend) == ("python", f"{tmp_path}/env/bin/python -m pip install pytest")
    assert can_build(findings)


def test_a_cache_that_is_read_only_serves_what_is_there(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    place.cache.mkdir(exist_ok=True)
    monkeypatch.setattr("opforge.doctor.machine_checks.tempfile.TemporaryFile", refuse)
    assert [finding.level for finding in found(place, "cache")] == ["missing"]
    made = place.cache / "toolkit" / "0123" / "toolkit.json"
    made.parent.mkdir(parents=True)
    made.write_text("{}")
    (finding,) = found(place, "cache")
    assert (finding.level, "no other can be built" in finding.text) == ("warning", True)


def test_a_cache_that_cannot_be_used(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (finding,) = found(replace(place, cache=tmp_path / "file" / "cache"), "cache")
    assert finding.level == "missing"
    assert finding.text.startswith(f"{tmp_path}/file/cache cannot be used: {tmp_path}/file: ")
    assert (finding.mend or "").startswith("export OPFORGE_CACHE=")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_without_permission(place: Place) -> None:
    place.cache.chmod(0o500)
    try:
        (finding,) = found(place, "cache")
    finally:
        place.cache.chmod(0o700)
    assert (finding.level, finding.text.endswith("Permission denied")) == ("missing", True)


@pytest.mark.parametrize(("free", "level"), [(100_000_000, "missing"), (500_000_000, "warning"), (2 * 10**9, "ok")])
def test_a_disk_with_little_space(free: int, level: str, place: Place, monkeypatch) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024  (as shutil has it)
    monkeypatch.setattr(machine_checks.shutil, "disk_usage", lambda _: usage(10**12, 10**12 - free, free))
    (finding,) = found(place, "cache")
    assert finding.level == level
    assert f"{free / 1e9:.1f} GB free" in finding.text


def cann(root: Path, *, bisheng: bool = True) -> Path:
    (root / "tools/opbuild").mkdir(parents=True)
    (root / "tools/opbuild/op_build").write_text("")
    (root / "lib64/cmake").mkdir(parents=True)
    (root / "lib64/cmake/ASCConfig.cmake").write_text("")
    (root / "version.cfg").write_text("version=8.5.0\n")
    (root / "bin").mkdir()
    (root / "bin/msopgen").write_text("")
    if bisheng:
        (root / "bin/bisheng").write_text("")
    return root


def sourced(place: Place, root: Path, **variables: str) -> Place:
    """The environment as its set_env.sh leaves it: asc_opc is on PATH."""
    program(root / "bin", "asc_opc", "exit 1")
    path = f"{root / 'bin'}:{place.environ['PATH']}"
    return with_variables(place, ASCEND_HOME_PATH=str(root), PATH=path, **variables)


def test_cann_is_found_and_named(place: Place, tmp_path: Path) -> None:
    root = cann(tmp_path / "cann")
    (finding,) = found(sourced(place, root), "toolkit")
    assert finding.level == "ok"
    assert finding.text == f"CANN 8.5.0 at {root} (ASCEND_HOME_PATH is the CANN toolkit {root})"


def test_cann_without_its_compiler_is_not_enough(place: Place, tmp_path: Path) -> None:
    root = cann(tmp_path / "cann", bisheng=False)
    findings = found(sourced(place, root), "toolkit")
    assert [finding.level for finding in findings] == ["ok", "missing"]


def test_cann_that_was_not_sourced(place: Place, tmp_path: Path) -> None:
    root = cann(tmp_path / "cann")
    *_, finding = found(with_variables(place, ASCEND_HOME_PATH=str(root)), "toolkit")
    text = "asc_opc, which compiles kernels, is not on PATH"
    assert finding == Finding("toolkit", "missing", text, f"source {root}/set_env.sh")


def test_a_toolkit_that_is_gone_is_told(place: Place) -> None:
    findings = found(with_variables(place, ASCEND_HOME_PATH="/gone"), "toolkit")
    assert [finding.level for finding in findings] == ["warning", "ok"]
    assert findings[0].text == "ASCEND_HOME_PATH is /gone, which does not exist: the simulator is used instead"
    (asked,) = found(replace(with_variables(place, ASCEND_HOME_PATH="/gone"), toolchain="cann"), "toolkit")
    assert (asked.level, asked.text) == ("missing", "--toolchain cann: ASCEND_HOME_PATH is /gone, which does not exist")


def test_another_system_builds_nothing(place: Place, monkeypatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    (finding,) = found(place, "opforge")
    assert finding.level == "missing"
    assert "elsewhere new, add and inspect work" in (finding.mend or "")


def clashes(**environ: str) -> list[Clash]:
    return [*check_variables(environ), *check_locale(environ)]


def test_variables_that_do_not_fight(tmp_path: Path) -> None:
    root = cann(tmp_path / "cann")
    (root / "opp").mkdir()
    vendor = tmp_path / "opp/vendors/acme"
    (vendor / "op_api/lib").mkdir(parents=True)
    (vendor / "op_api/lib/libcust_opapi.so").write_text("")
    assert clashes() == []
    assert (
        clashes(
            ASCEND_HOME_PATH=str(root),
            ASCEND_TOOLKIT_HOME=str(root),
            ASCEND_OPP_PATH=f"{root}/opp",
            ASCEND_CUSTOM_OPP_PATH=str(vendor),
            LD_LIBRARY_PATH=f"{root}/lib64",
            TORCH_DEVICE_BACKEND_AUTOLOAD="1",
            OPFORGE_SOC="Ascend910B1",
            LC_ALL="de_DE.utf8@euro",
        )
        == []
    )


@pytest.mark.parametrize(
    ("environ", "text", "mend"),
    [
        ({"ASCEND_OPP_PATH": "/gone"}, "ASCEND_OPP_PATH=/gone, which does not exist", "unset ASCEND_OPP_PATH"),
        (
            {"ASCEND_OPP_PATH": "/usr"},
            "ASCEND_OPP_PATH is set and ASCEND_HOME_PATH is not: left over from another shell",
            "unset ASCEND_OPP_PATH",
        ),
        (
            {"ASCEND_CUSTOM_OPP_PATH": "/gone:/usr"},
            "ASCEND_CUSTOM_OPP_PATH names /gone, which does not exist",
            "export ASCEND_CUSTOM_OPP_PATH=/usr",
        ),
        (
            {"LD_LIBRARY_PATH": "/usr/lib:/gone"},
            "LD_LIBRARY_PATH names /gone, which does not exist",
            "export LD_LIBRARY_PATH=/usr/lib",
        ),
        (
            {"LD_LIBRARY_PATH": "/usr/lib:"},
            "LD_LIBRARY_PATH has an empty entry: libraries in the working directory are loaded first",
            "export LD_LIBRARY_PATH=/usr/lib",
        ),
        ({"LD_LIBRARY_PATH": "/gone"}, "LD_LIBRARY_PATH names /gone, which does not exist", "unset LD_LIBRARY_PATH"),
        (
            {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0: `import torch` does not load torch_npu, and there is no device npu",
            "unset TORCH_DEVICE_BACKEND_AUTOLOAD, or import torch_npu in your programs",
        ),
        (
            {"PYTHONHOME": "/usr"},
            "PYTHONHOME=/usr: every Python looks for its library there",
            "unset PYTHONHOME",
        ),
        (
            {"OPFORGE_SOC": "Ascend1"},
            "OPFORGE_SOC=Ascend1 is not a chip that opforge can simulate",
            "unset OPFORGE_SOC, or see opforge run --help",
        ),
        (
            {"LC_ALL": "de_DE.ISO-8859-1", "LANG": "C.UTF-8"},
            "LC_ALL=de_DE.ISO-8859-1: file names and compilers' messages are not UTF-8",
            "export LC_ALL=C.UTF-8",
        ),
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else "",
)
def test_variables_that_fight(environ: dict[str, str], text: str, mend: str) -> None:
    assert Clash(text, mend) in clashes(**environ)


def test_two_runtimes_on_the_library_path(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "libascendcl.so").write_text("")
    (tmp_path / "same").symlink_to(tmp_path / "a")
    assert clashes(LD_LIBRARY_PATH=f"{tmp_path}/a:{tmp_path}/same") == []
    (clash,) = clashes(LD_LIBRARY_PATH=f"{tmp_path}/a:{tmp_path}/b")
    assert clash.text.startswith("LD_LIBRARY_PATH leads to several libascendcl.so, and the first wins: ")


def test_parts_of_two_toolkits(tmp_path: Path) -> None:
    one, other = cann(tmp_path / "one/cann"), tmp_path / "other/opp"
    other.mkdir(parents=True)
    (clash,) = clashes(ASCEND_HOME_PATH=str(one), ASCEND_OPP_PATH=str(other))
    assert clash.text == f"ASCEND_OPP_PATH={other} is not of the toolkit in ASCEND_HOME_PATH ({one})"


# The command


@pytest.fixture
def machine(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in list(os.environ):
        if name.startswith(("ASCEND", "OPFORGE", "LD_LIBRARY", "TORCH_DEVICE", "PYTHONHOME", "LC_", "CXX")):
            monkeypatch.delenv(name)
    for name, value in {**place.environ, "OPFORGE_CACHE": str(place.cache)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(resource_checks, "memory_fields", lambda _: {})
    return place


@pytest.mark.usefixtures("machine")
def test_the_command_prints_a_line_for_each_and_says_that_it_works(capsys) -> None:
    assert cli.run(["doctor"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert len(lines) == 14
    assert all(line.startswith("ok       ") for line in lines)
    assert captured.err == "a build can work here\n"
    assert cli.run(["doctor", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("machine")
def test_the_command_says_what_is_missing_and_exits_with_one(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CXX", "g++-99")
    assert cli.run(["doctor", "--quiet"]) == 1
    assert capsys.readouterr().out == (
        "missing  compiler     the C++ compiler g++-99 (from CXX) does not exist\n"
        "                      help: correct or unset CXX\n"
        "missing  toolkit      not checked: see compiler\n"
    )
    assert cli.run(["doctor", "--json"]) == 1
    out = json.loads(capsys.readouterr().out)
    assert (out["schema"], out["can_build"]) == (1, False)
    assert {"topic": "toolkit", "level": "missing", "text": "not checked: see compiler", "mend": None} in out[
        "findings"
    ]


def test_it_imports_no_torch_and_nothing_heavy(machine: Place) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "opforge", "doctor"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **machine.environ, "OPFORGE_CACHE": str(machine.cache)},
    )
    modules = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "click" in modules
    assert modules.isdisjoint({"torch", "torch_npu", "copier", "rich", "numpy", "jinja2", "yaml"})
