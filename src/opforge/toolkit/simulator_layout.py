"""Writes the simulated toolkit's files that are not compiled: SoC files, set_env.sh, version.cfg, empty folders."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from opforge.soc import SOCS, Soc, SocVersion

CANN_VERSION = "8.5.0"  # the simulator has this version's interfaces; libascendcl reports the same

_SOURCES = "sources="

# Bytes of HBM and of L2, for chips whose public file states them. Other chips report 0.
_GIB, _MIB = 1 << 30, 1 << 20
_FAR_MEMORIES = {
    "Ascend910B1": (64 * _GIB, 192 * _MIB),
    "Ascend910B3": (64 * _GIB, 192 * _MIB),
    "Ascend910B4": (32 * _GIB, 96 * _MIB),
    "Ascend910_9391": (64 * _GIB, 192 * _MIB),
    "Ascend310P3": (24_000_000_000, 16 * _MIB),
}
# By architecture: the kinds of cores, and the memories that only separate cube cores have.
_CORE_TYPES = {2201: "CubeCore,VectorCore", 3510: "CubeCore,VectorCore", 2002: "AICore,VectorCore"}
_FIXPIPE_MEMORIES = {2201: ("fb0_size=2048", "bt_size=1024"), 3510: ("fb0_size=4096", "bt_size=4096")}

_SET_ENV = """\
# Activates the simulated Ascend toolkit in this shell:  . set_env.sh   (sh, bash, zsh; set before Python starts)
if [ -n "${{BASH_SOURCE:-}}" ]; then
    _opforge_root=$(cd "$(dirname "$BASH_SOURCE")" && pwd)
elif [ -n "${{ZSH_VERSION:-}}" ]; then
    _opforge_root=$(eval 'cd "$(dirname "${{(%):-%x}}")" && pwd')
else
    _opforge_root={root}  # a plain sh cannot tell which file it reads
fi
export ASCEND_HOME_PATH="$_opforge_root"
export ASCEND_TOOLKIT_HOME="$_opforge_root"
export ASCEND_OPP_PATH="$_opforge_root/opp"
case ":${{PATH:-}}:" in
    *":$_opforge_root/bin:"*) ;;
    *) export PATH="$_opforge_root/bin${{PATH:+:$PATH}}" ;;
esac
case ":${{LD_LIBRARY_PATH:-}}:" in
    *":$_opforge_root/lib64:"*) ;;
    *) export LD_LIBRARY_PATH="$_opforge_root/lib64${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}" ;;
esac
case ":${{CMAKE_PREFIX_PATH:-}}:" in
    *":$_opforge_root/lib64/cmake:"*) ;;
    *) export CMAKE_PREFIX_PATH="$_opforge_root/lib64/cmake${{CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}}" ;;
esac
# Operators run in the caller's thread, so that an error is raised where it happens.
export TASK_QUEUE_ENABLE="${{TASK_QUEUE_ENABLE:-0}}"
unset _opforge_root
"""


def write_layout(root: Path, final_root: Path, sources: str) -> None:
    """Writes the files into ``root``, a toolkit of ``sources`` (a SimulatorKey's) to be moved to ``final_root``.

    Replaces those of a prebuilt toolkit: its ``set_env.sh`` names another final root.
    """
    configs = root / "data" / "platform_config"
    configs.mkdir(parents=True, exist_ok=True)
    for soc in SOCS.values():
        for version in soc.versions:
            (configs / f"{version.name}.ini").write_text(platform_config(soc, version), encoding="utf-8")
    # torch_npu requires runtime/ and compiler/ in the toolkit's home, and an existing OPP path.
    for folder in ("runtime", "compiler", "opp/vendors"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "set_env.sh").write_text(set_env(final_root), encoding="utf-8")
    (root / "version.cfg").write_text(
        f"# a simulated toolkit made by opforge; kernels run on this machine's CPU\n"
        f"toolkit_running_version=[{CANN_VERSION}:{CANN_VERSION}]\nversion={CANN_VERSION}\nsimulated=1\n"
        f"{_SOURCES}{sources[:12]}\n",
        encoding="utf-8",
    )


def read_sources(root: Path) -> str:
    """The key of the sources of the toolkit at ``root``. Libraries built with one toolkit may crash with another."""
    lines = (root / "version.cfg").read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix(_SOURCES) for line in lines if line.startswith(_SOURCES)), "")


def platform_config(soc: Soc, version: SocVersion) -> str:
    """A chip's file, with the sections and keys of CANN's ``platform_config/<SoC>.ini`` and our ``[Simulator]``."""
    cores = [f"core_type_list={kinds}" for arch, kinds in _CORE_TYPES.items() if arch == soc.npu_arch]
    far = [f"memory_size={hbm}\nl2_size={l2}" for name, (hbm, l2) in _FAR_MEMORIES.items() if name == version.name]
    beside_l0 = _FIXPIPE_MEMORIES.get(soc.npu_arch, ())
    return f"""\
[version]
SoC_version={version.name}
Short_SoC_version=Ascend{soc.name.removeprefix("ascend").upper()}
NpuArch={soc.npu_arch}

[SoCInfo]
ai_core_cnt={version.cube_cores}
cube_core_cnt={version.cube_cores}
vector_core_cnt={version.vector_cores}{_lines(far + cores)}

[AICoreSpec]
ub_size={soc.ub}
l1_size={soc.l1}
l0_a_size={soc.l0a}
l0_b_size={soc.l0b}
l0_c_size={soc.l0c}{_lines(beside_l0)}

[Simulator]
queue_buffers={soc.queue_buffers}
"""


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"\n{row}" for row in rows)


def set_env(root: Path) -> str:
    """The activation script of a toolkit at ``root``."""
    return _SET_ENV.format(root=shlex.quote(str(root)))
