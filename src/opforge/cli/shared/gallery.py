"""Makes a project of an example, for ``opforge new --example``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from opforge.errors import UsageError

if TYPE_CHECKING:
    from opforge.fileset import FileSet
    from opforge.spec.model import Spec
    from opforge.spec.read.command_line import OpOptions


def alone(options: OpOptions, others: Mapping[str, object]) -> None:
    """Raise UsageError for options that an example decides itself."""
    given = {
        "--inputs": options.inputs,
        "--outputs": options.outputs,
        "--compute": options.compute,
        "--attr": options.attrs,
        "--shape": options.shapes,
        "--dtype": options.dtypes,
        "--values": options.values,
        "--pattern": options.pattern,
        "--like": options.like,
        **others,
    }
    wrong = [option for option, value in given.items() if value]
    if wrong:
        raise UsageError(
            f"{wrong[0]} does not go with --example: an example has its own op and settings",
            hint="create the project, then change its opforge.yaml",
        )


def chosen_example(name: str) -> tuple[Spec, FileSet]:
    """The spec of an example, and its files. Raises UsageError for an unknown name."""
    from opforge.build.examples import example  # noqa: PLC0415

    found = example(name)
    return found.spec, found.files()
