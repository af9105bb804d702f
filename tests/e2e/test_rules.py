"""One kernel that does what devices let pass: refused, warned of and allowed, through everything that starts it."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from tests.e2e.conftest import Environment, make_environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

READ = "        AscendC::DataCopyPad(stored, gm[place.offset], copy, AscendC::DataCopyPadExtParams<Stored>());\n"
# A tail is read up to the end of its last block, which nobody uses.
WHOLE = "        AscendC::DataCopy(stored, gm[place.offset], rowBlocks * kBlockBytes / sizeof(Stored));  // whole\n"
CALL = "import torch, torch_npu, plus; print(plus.plus(torch.ones(5, device='npu')).cpu().tolist())"
DONE = "[3.0, 3.0, 3.0, 3.0, 3.0]\n"
NO_PLUGINS = "-p no:cacheprovider"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_environment(tmp_path_factory.mktemp("rules") / "env")


@pytest.fixture(scope="module")
def plus(environment: Environment) -> Path:
    """A project whose kernel was broken after it had been made, built and installed as devices judge."""
    folder = environment.prefix.parent
    words = "opforge new Plus --inputs x --compute 'y = x + 2' --dtype float32 --soc ascend910b"
    environment.sh(words, folder)
    project = folder / "plus"
    spec = project / "opforge.yaml"
    spec.write_text(spec.read_text(encoding="utf-8") + "    backward: false\n", encoding="utf-8")
    header = project / "op_kernel" / "opforge" / "tile_io.h"
    text = header.read_text(encoding="utf-8")
    assert text.count(READ) == 1
    header.write_text(text.replace(READ, WHOLE), encoding="utf-8")
    (project / "tests" / "test_five.py").write_text(
        "import torch, torch_npu, plus\n\n"
        "def test_five():\n    x = torch.ones(5, device='npu')\n    assert plus.plus(x).cpu().tolist() == [3.0] * 5\n"
    )
    return project


@pytest.fixture(scope="module")
def place(plus: Path) -> str:
    lines = (plus / "op_kernel" / "opforge" / "tile_io.h").read_text(encoding="utf-8").splitlines()
    return f"op_kernel/opforge/tile_io.h:{next(i for i, line in enumerate(lines, 1) if line.endswith('// whole'))}"


def each_command_obeys(environment: Environment, plus: Path) -> None:
    """opforge.yaml says device: each command does without an option, and refuses with the other one."""
    cases = plus / "benchmarks" / "cases.py"  # what is measured first has a tail too
    sizes = cases.read_text(encoding="utf-8")
    assert sizes.count('"small": ((1, 4096),') == 1
    cases.write_text(sizes.replace('"small": ((1, 4096),', '"small": ((1, 4093),'), encoding="utf-8")
    environment.sh("opforge build && opforge install", plus)
    for command, shows in {
        f"opforge test tests/test_five.py {NO_PLUGINS}": "1 failed",
        f'opforge run -- python -c "{CALL}"': "RuntimeError",
        "opforge verify --quick": "gm-tail",
        "opforge bench --quick": "gm-tail",
        "opforge trace": "gm-tail",
    }.items():
        words, dashes, program = command.partition(" -- ")
        did = environment.sh(command, plus)
        assert "\n  gm-tail  op_kernel/opforge/tile_io.h:" in did.stderr, command
        refused = environment.sh(f"{words} --rules=documented{dashes}{program}", plus, check=False)
        assert refused.returncode != 0, command
        assert "\n  gm-tail  " not in refused.stderr, command
        assert shows in refused.stdout + refused.stderr, command


def kernels(project: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in (project / "build" / "cann").rglob("*.o")}


def test_refused_warned_of_and_allowed(plus: Path, place: str, environment: Environment) -> None:
    sh = environment.sh
    refused = sh("opforge build && opforge install", plus, check=False)
    assert refused.returncode == 9
    whole = f"{place}: DataCopy: reads 64 bytes at offset 0 of x, which has 60 bytes (4 too many)"
    assert whole in refused.stderr
    assert "  OPFORGE_SIM_RULES=device (or --rules=device) does as devices do, with a warning\n" in refused.stderr

    installed = sh("opforge install --rules=device", plus)
    summed = f"  gm-tail  {place} (Plus)\n"
    assert f"warning: Plus: block 0 of 1: {whole}" in installed.stderr
    assert installed.stderr.endswith(summed)

    test = f"opforge test tests/test_five.py {NO_PLUGINS}"
    assert sh(test, plus, check=False).returncode == 1
    passed = sh(f"{test} --rules=device", plus)
    assert passed.stderr.count("warning: Plus: block 0 of 1:") == 1
    assert passed.stderr.endswith(summed)
    told = json.loads(sh(f"{test} --rules=device --json", plus).stdout)
    (warning,) = told["warnings"]
    assert (warning["id"], warning["op"], warning["times"], told["refused"]) == ("gm-tail", "Plus", 1, [])
    (refusal,) = json.loads(sh(f"{test} --json", plus, check=False).stdout)["refused"][:1]
    assert (refusal["id"], refusal["level"]) == ("gm-tail", "error")

    with pytest.raises(AssertionError):  # which tests of generated projects rely on
        environment.passes_as_on_devices(plus, f"tests/test_five.py {NO_PLUGINS}")

    ran = sh(f'opforge run --rules=device -- python -c "{CALL}"', plus)
    assert ran.stdout == DONE
    assert ran.stderr.endswith(summed)
    verified = json.loads(sh("opforge verify --quick --rules=device --json", plus).stdout)
    assert verified["passed"]
    assert {warning["id"] for warning in verified["warnings"]} == {"gm-tail"}

    # what the message says is pasted
    before, spec = kernels(plus), plus / "opforge.yaml"
    pasted = re.search(r"^simulator:\n(  .*\n)+", refused.stderr, re.MULTILINE)
    assert pasted is not None
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text + pasted[0], encoding="utf-8")
    assert "warning" not in sh(test, plus).stderr
    plain = textwrap.dedent(f"""
        eval "$(opforge run --json | python -c 'import json, shlex, sys
        for name, value in json.load(sys.stdin)["variables"].items():
            print("export", f"{{name}}={{shlex.quote(value)}}")')"
        python -c "{CALL}"
    """)
    done = sh(plain, plus)
    assert done.stdout == DONE
    assert "warning:" not in done.stderr

    # and another mode, by a build and an installation
    spec.write_text(text + "simulator: {rules: device}\n", encoding="utf-8")
    each_command_obeys(environment, plus)
    built = sh("opforge build && opforge install", plus)
    assert "operators" not in built.stderr
    assert built.stderr.endswith(summed)
    assert kernels(plus) == before != {}
    assert f"warning: Plus: block 0 of 1: {place}: DataCopy: reads 32 bytes" in sh(plain, plus).stderr
    assert sh(plain, plus, check=False, OPFORGE_SIM_RULES="documented").returncode == 1
    listed = sh("python -m zipfile -l dist/*.whl", plus).stdout
    assert "plus/opp/vendors/plus/simulator.json" in listed
    spec.write_text(text, encoding="utf-8")
    assert sh(test, plus, check=False).returncode == 1, "nothing is allowed any more"
