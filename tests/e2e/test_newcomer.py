"""From one command to a call on device='npu', as somebody does it who has Python and a compiler and nothing else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

ONES = (
    "import torch, torch_npu, vector_add; a=torch.ones(1000003, device='npu'); print(vector_add.vector_add(a, a).sum())"
)


def stats(root: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.stat().st_size, path.stat().st_ino)
        for path in root.rglob("*")
    }


def test_a_build_leaves_the_run_package_and_the_wheel(built: Path) -> None:
    names = sorted(path.name for path in (built / "dist").iterdir())
    assert len(names) == 2
    assert re.fullmatch(r"custom_opp_\w+_\w+\.run", names[0])
    assert re.fullmatch(r"vector_add-0\.1\.0\+sim-py3-none-linux_\w+\.whl", names[1])


@pytest.mark.slow
def test_the_lines_of_the_readme(built: Path, environment: Environment) -> None:
    before = environment.files()
    environment.sh("opforge install", built)
    ran = environment.sh(f'opforge run -- python -c "{ONES}"', built)
    assert "2000006." in ran.stdout
    tested = environment.sh("opforge test -x", built)
    assert re.search(r"\d+ passed", tested.stdout)
    environment.sh("opforge uninstall", built)
    assert environment.files() == before


@pytest.mark.slow
def test_folders_may_have_spaces_and_other_letters(
    environment: Environment, toolkit_root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mein; Ordner für NPU"
    folder.mkdir()
    cache = tmp_path / "über all"
    shutil.copytree(toolkit_root, cache / "toolkit" / toolkit_root.name)
    place = {"OPFORGE_CACHE": str(cache), "LC_ALL": "C"}
    environment.sh("opforge new VectorAdd --inputs x,y --dtype float16 --soc ascend910_93", folder, **place)
    installed = environment.sh("opforge build && opforge install", folder / "vector_add", **place)
    assert "\n  export OPFORGE_SOC=Ascend910_9391\n" in installed.stderr
    code = "import torch, torch_npu, vector_add as v; x = torch.ones(7).half().npu(); print(v.vector_add(x, x).sum())"
    ran = environment.sh(f'opforge run -- python -c "{code}"', folder / "vector_add", **place)
    assert "tensor(14., device='npu:0', dtype=torch.float16)" in ran.stdout

    shutil.rmtree(environment.prefix / "opp/vendors/vector_add/op_impl/ai_core/tbe/kernel")
    refused = environment.sh(f'opforge run -- python -c "{code}"', folder / "vector_add", check=False, **place)
    assert re.search(
        r"RuntimeError: vector_add\.vector_add: .* \(the installed operator package has no kernel for these dtypes on "
        r"this chip; type `opforge build && opforge install` in the project\) on Ascend910_9391 for float16\[7\], ",
        refused.stderr,
    ), refused.stderr


def test_a_second_build_touches_nothing(built: Path, environment: Environment) -> None:
    environment.sh("opforge build", built)
    before = stats(built)
    again = environment.sh("opforge build", built)
    assert again.stderr == "nothing to do: dist/ is up to date\n"
    keys = environment.sh("opforge inspect key operators", built)
    assert keys.stderr == "operators: up to date\n"
    assert '"fact": "op_kernel/vector_add_kernel.h"' in keys.stdout
    assert stats(built) == before


@pytest.mark.slow
def test_the_wheel_alone_works_after_sourcing_two_files(
    built: Path, environment: Environment, toolkit_root: Path, tmp_path: Path
) -> None:
    """In an environment that has torch and torch_npu; neither the project, nor the run package is used.

    opforge only prepares the simulated toolkit for the environment's PyTorch.
    """
    environment.sh("opforge run -- true", tmp_path)
    wheel = next((built / "dist").glob("*.whl"))
    environment.sh(f"python -m pip install --quiet --no-deps --no-index --ignore-installed '{wheel}'", tmp_path)
    folder = environment.sh(
        "python -c 'import importlib.util as u; print(u.find_spec(\"vector_add\").submodule_search_locations[0])'",
        tmp_path,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    ).stdout.strip()
    ran = environment.sh(
        f"source '{toolkit_root}/set_env.sh' && source '{folder}/set_env.sh' && python -c \"{ONES}\"", tmp_path
    )
    assert "2000006." in ran.stdout


@pytest.mark.slow
def test_a_broken_kernel_is_a_python_exception_that_says_where(
    built: Path, environment: Environment, tmp_path: Path
) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    text = kernel.read_text()
    line = text[: text.index("AscendC::Add(")].count("\n") + 1
    kernel.write_text(
        text.replace("Add(zLocal, xLocal, yLocal, elementCount)", "Add(zLocal, xLocal, yLocal, elementCount + 16384)")
    )
    failed = environment.sh("opforge install", project, check=False)
    assert failed.returncode == 9
    # Calls that the task queue runs in another thread are told by the next one: an operator of torch_npu, or a copy.
    script = (
        "import torch, torch_npu, vector_add; a = torch.ones(100, device='npu'); "
        "b = vector_add.vector_add(a, a); (a * 2 + b).cpu(); torch.npu.synchronize()"
    )
    for queue in ("0", "1", "2"):
        ran = environment.sh(f'opforge run -- python -c "{script}"', project, check=False, TASK_QUEUE_ENABLE=queue)
        assert ran.returncode == 1
        error = ran.stderr[ran.stderr.index("\nRuntimeError: ") :]
        assert "aclnnVectorAdd" in error
        assert re.search(
            rf"VectorAdd: block 0 of 1: op_kernel/vector_add_kernel\.h:{line}: "
            r"Add: dst needs 65936 bytes from UB address \d+, but its tensor ends at \d+ \(\d+ too many\)",
            error,
        ), ran.stderr


def test_deleted_files_of_opforge_come_back_with_a_build(built: Path, environment: Environment, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    names = ["op_host/opforge/host_tiling.h", "python/vector_add/_opforge/_checks.py"]
    before = [(project / name).read_bytes() for name in names]
    for name in names:
        (project / name).unlink()
    again = environment.sh("opforge build", project)
    assert f"restored: {', '.join(names)}\n" in again.stderr
    assert [(project / name).read_bytes() for name in names] == before
    assert environment.sh("opforge build", project).stderr == "nothing to do: dist/ is up to date\n"

    (project / ".opforge" / "lock.json").unlink()
    lost = f"there is no .opforge/lock.json in {project}, so opforge does not know what it wrote"
    refused = environment.sh("opforge status", project, check=False)
    assert (refused.returncode, refused.stderr.splitlines()[0]) == (5, f"error: {lost}")
    goes_on = environment.sh("opforge build", project).stderr
    assert f"warning: {lost}; sources stay as they are, even if opforge.yaml changed\n" in goes_on
    assert refused.stderr.splitlines()[1] in goes_on.splitlines()


def test_an_edited_file_stops_a_changed_spec(built: Path, environment: Environment, tmp_path: Path) -> None:
    project = tmp_path / "vector_add"
    shutil.copytree(built, project)
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    kernel.write_text(kernel.read_text() + "// mine\n")
    spec = project / "opforge.yaml"
    spec.write_text(spec.read_text().replace("z = x + y", "z = x - y"))
    stopped = environment.sh("opforge build", project, check=False)
    assert stopped.returncode == 5
    assert "error: opforge.yaml changed, and edited files depend on it\n" in stopped.stderr
    assert "\n  op_kernel/vector_add_kernel.h\n" in stopped.stderr
    assert kernel.read_text().endswith("// mine\n")
