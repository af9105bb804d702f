"""Folders that a build reads hold files: links that lead out of the project, FIFOs, devices and sockets are refused."""

import os
import socket
from pathlib import Path

import pytest
from workshop import SPEC, Workshop

from opforge.build.pipeline import build
from opforge.errors import OpforgeError

pytestmark = pytest.mark.compiler
FOLDERS = ("op_kernel", "op_host", "csrc", "python/tiny_op")


def refusal(workshop: Workshop, project: Path) -> str:
    with pytest.raises(OpforgeError) as caught:
        build(workshop.request(project))
    return caught.value.render()


@pytest.mark.parametrize("folder", FOLDERS)
def test_links_that_lead_out(workshop: Workshop, project: Path, folder: str) -> None:
    link = project / folder / "passwd.h"
    link.symlink_to("/etc/passwd")
    assert refusal(workshop, project) == (
        f"error: {link} is a link that leads out of {project}, to /etc/passwd\n"
        "  help: replace it by a copy: files outside are not packed"
    )


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("kind", ["FIFO", "device", "socket"])
def test_what_is_no_file(workshop: Workshop, project: Path, folder: str, kind: str) -> None:
    path = project / folder / "odd.h"
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket is short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
        os.chdir(here)
    assert f"{path} is a" in refusal(workshop, project)


@pytest.mark.parametrize(
    "name", ["opforge.yaml", "op_kernel/tiny_copy.cpp", "op_host/tiny_copy.cpp", "csrc/adapter.cpp"]
)
def test_a_fifo_in_the_place_of_a_source(workshop: Workshop, project: Path, name: str) -> None:
    (project / name).unlink()
    os.mkfifo(project / name)
    assert f"{project / name} is a FIFO, not a file" in refusal(workshop, project)


@pytest.mark.parametrize("folder", ["../../etc", "../include"])
def test_folders_to_include_from_lie_in_the_repository(workshop: Workshop, project: Path, folder: str) -> None:
    (project.parent / "include").mkdir(exist_ok=True)
    sources = "    sources: [op_host/tiny_copy.cpp, op_kernel/tiny_copy.cpp]\n"
    text = SPEC.replace("    compute: z = abs(x)\n", "    outputs:\n      z: {}\n" + sources)
    (project / "LICENSE").touch()
    (project / "opforge.yaml").write_text(text.replace("vendor: tiny,", f"vendor: tiny, include: [{folder}],"))
    assert refusal(workshop, project).startswith(
        f"error: opforge.yaml includes from {folder}, which lies outside of the repository {project}\n"
    )
