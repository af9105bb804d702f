"""The tests of a project's handwritten ops: one file each, for its author to extend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.handwritten.op_tests import by_hand_test
from opforge.render.forms import form_names
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.program import Kernel, Program


def test_files(program: Program, kernels: Sequence[Kernel]) -> tuple[File, ...]:
    """The test of each op. Its file name differs from the names of tests that every project may have."""
    project = program.spec.project
    signatures = [signature_of(program, kernel) for kernel in kernels]
    files = []
    taken = form_names("code/torch/tests")
    for signature in signatures:
        name = f"test_{signature.function}.py"
        name = f"test_{signature.function}_kernel.py" if name in taken else name
        files.append(form_of_tests("test_by_hand.py", by_hand_test(signature, project.soc[0]), name))
    return tuple(files)
