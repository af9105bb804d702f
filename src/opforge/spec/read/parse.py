"""Reads opforge.yaml into a ``Spec``, or reports all errors of the file at once."""

from __future__ import annotations

from pathlib import Path

from opforge.errors import Location, Problem, ProjectError, SpecError
from opforge.plain_files import read_plain
from opforge.spec.check.assemble import assemble_ops, assemble_project, check_socs
from opforge.spec.check.values import soc_list
from opforge.spec.draft import ProjectDraft
from opforge.spec.model import EDITION, OpSpec, Spec
from opforge.spec.read.document import LONGEST, Mapping, read_document
from opforge.spec.read.editions import read_current
from opforge.spec.read.fields import Fields, mapping_of
from opforge.spec.read.op_fields import read_op
from opforge.spec.read.simulator_block import assemble_simulator, read_simulator

SPEC_FIELDS = ("edition", "project", "ops", "simulator")
REQUIRED_FIELDS = ("edition", "project", "ops")
PROJECT_FIELDS = (
    *("name", "package", "vendor", "version", "soc", "license"),
    *("host_cpp", "allow_multiple_definition", "define", "include", "features"),
)


def load_spec(path: Path) -> Spec:
    """The spec in a file.

    Raises:
        SpecError: the spec has mistakes; every problem with its line.
        ProjectError: the file cannot be read.
    """
    return spec_of(read_spec(path), path)


def read_spec(path: Path) -> bytes:
    """The bytes of a spec. Raises ProjectError for a file that cannot be read or is too long."""
    try:
        size = path.stat().st_size
        if size > 4 * LONGEST:
            what = f"{path} is {size} bytes long; the limit for a spec is {4 * LONGEST}"
            raise ProjectError(what, hint="is it an opforge.yaml?")
        return read_plain(path)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        hint = "`opforge new` writes a project with its spec" if missing else None
        raise ProjectError(f"cannot read the spec {path}: {error.strerror}", hint=hint) from None


def spec_of(data: bytes, path: Path) -> Spec:
    """The spec in the bytes of a file. Raises SpecError, or ProjectError if they are not UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProjectError(f"{path} is not UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None
    return parse_spec(text, path)


def parse_spec(text: str, file: Path | None) -> Spec:
    """The spec in a text; ``file`` is its name in messages.

    Raises:
        SpecError: with every problem of the text, in its order.
    """
    _, tree, problems = read_current(text, file)
    top = mapping_of(tree, "the spec", problems)
    fields = Fields(top, "the spec", SPEC_FIELDS, problems=problems)
    _edition(fields, problems)
    project = assemble_project(_project(fields.mapping("project", required=True), problems), problems)
    ops_tree = fields.mapping("ops", required=True)
    drafts = [read_op(name, body, problems) for name, body in (ops_tree.entries if ops_tree else ())]
    if ops_tree is not None and not ops_tree.entries:
        problems.append(ops_tree.at.problem("the spec has no op", "`opforge new` writes a complete one"))
    simulator = read_simulator(fields.mapping("simulator"), problems)
    before = len(problems)
    ops = assemble_ops(drafts, problems)
    known = ops if len(problems) == before else None
    settings = assemble_simulator(simulator, known, problems)
    if project is not None:
        problems += check_socs(ops, [draft.type for draft in drafts], project.soc)
    if problems or project is None:
        raise SpecError(sorted(problems, key=_place))
    return Spec(project, ops, EDITION, settings)


def parse_ops(text: str, file: Path | None) -> tuple[OpSpec, ...]:
    """The ops of a text that is the value of ``ops:`` in a spec.

    Raises:
        SpecError: with every problem of the text, in its order.
    """
    tree, problems = read_document(text, file)
    top = mapping_of(tree, "the list of ops", problems)
    ops = assemble_ops([read_op(name, body, problems) for name, body in (top.entries if top else ())], problems)
    if problems:
        raise SpecError(sorted(problems, key=_place))
    return ops


def _place(problem: Problem) -> tuple[int, int]:
    where: Location | None = problem.where
    return (where.line, where.column) if where else (0, 0)


def _edition(fields: Fields, problems: list[Problem]) -> None:
    edition = fields.word("edition", required=True)
    if edition is not None and edition.text != str(EDITION):
        later = edition.text.isdecimal() and int(edition.text) > EDITION
        what = (
            f"this opforge does not know edition {edition.text}"
            if later
            else f"`{edition.text}` is not a valid edition"
        )
        hint = "use a newer opforge" if later else f"write `edition: {EDITION}`"
        problems.append(edition.problem(what, hint))


def _project(tree: Mapping | None, problems: list[Problem]) -> ProjectDraft:
    fields = Fields(tree, "project", PROJECT_FIELDS, problems=problems)
    soc = fields.words("soc", soc_list)
    if soc is not None and not soc and tree is not None:
        problems.append(tree.at.problem("the list of SoCs is empty", "for example `soc: [ascend910b]`"))
    return ProjectDraft(
        name=fields.word("name", required=True),
        package=fields.word("package"),
        vendor=fields.word("vendor"),
        version=fields.word("version"),
        soc=soc,
        license=fields.word("license"),
        host_cpp=fields.word("host_cpp"),
        allow_multiple_definition=fields.word("allow_multiple_definition"),
        define=fields.words("define"),
        include=fields.words("include"),
        features=fields.words("features"),
    )
