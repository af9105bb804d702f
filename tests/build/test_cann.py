"""The path of real CANN: another kind of toolkit, the same steps. The toolkit is the stand-in without its mark."""

import zipfile
from pathlib import Path

import pytest
from fake_toolkit import make_fake_toolkit
from workshop import Workshop

from opforge.build.pipeline import build
from opforge.build.vendor_tree import content_hash
from opforge.errors import BuildError

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def cann(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_fake_toolkit(tmp_path_factory.mktemp("cann") / "latest")
    (root / "version.cfg").write_text("Version=9.0.0\n")
    return root


def test_build_for_cann(project: Path, workshop: Workshop, cann: Path) -> None:
    request = workshop.request(project, environ=workshop.with_cann(cann))
    built = build(request)
    assert f"note toolkit: cann 9.0.0 (ASCEND_HOME_PATH is the CANN toolkit {cann})" in request.progress.lines
    assert built.wheel.name.startswith("tiny_op-0.1.0-py3-none-linux_")
    with zipfile.ZipFile(built.wheel) as wheel:
        assert b'"toolkit": "cann"' in wheel.read("tiny_op/_build.json")


def test_failing_compiler_never_packs_old_binaries(project: Path, workshop: Workshop, cann: Path) -> None:
    """CANN's functions test only that the file is there: every build for CANN starts from an empty folder."""
    environ = workshop.with_cann(cann)
    build(workshop.request(project, environ=environ))
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("BROKEN\n")
    with pytest.raises(BuildError):
        build(workshop.request(project, environ=environ))
    assert list((project / "build" / "cann").rglob("TinyCopy_*.o")) == []


def test_msopgen_that_refuses_is_replaced_by_our_form(project: Path, workshop: Workshop, cann: Path) -> None:
    program = cann / "bin" / "msopgen"
    text = program.read_text()
    program.write_text("#!/bin/sh\necho 'unknown op'\nexit 17\n")
    try:
        request = workshop.request(project, environ=workshop.with_cann(cann))
        assert build(request).run_package.is_file()
        note = "note msOpGen did not take TinyCopy (status 17); opforge's own CMake files are used"
        assert note in request.progress.lines
    finally:
        program.write_text(text)


def test_tree_without_a_note_gets_one(project: Path, workshop: Workshop, cann: Path) -> None:
    """CANN's packaging writes no opforge.json; then opforge does, with the hash both kinds share."""
    packer = cann / "tools" / "package" / "pack_run.py"
    text = packer.read_text()
    packer.write_text(text.replace('put_json(tree / "opforge.json"', "(lambda *_: None)(tree"))
    try:
        build(workshop.request(project, environ=workshop.with_cann(cann)))
    finally:
        packer.write_text(text)
    tree = project / "build" / "vendor" / "vendors" / "tiny"
    assert content_hash(tree) in (tree / "opforge.json").read_text()


def test_recorded_toolkit_builds_without_an_activated_one(project: Path, workshop: Workshop, cann: Path) -> None:
    (project / ".opforge").mkdir(exist_ok=True)
    (project / ".opforge" / "toolkit").write_text(f"{cann}\n")
    request = workshop.request(project)
    assert build(request).run_package.is_file()
    reason = f"{project}/.opforge/toolkit says {cann}"
    assert f"note toolkit: cann 9.0.0 ({reason})" in request.progress.lines
