"""opforge.yaml to a ``Spec``: strict, and with all of a file's errors at once."""

from __future__ import annotations

from pathlib import Path

from opforge.errors import Location, Problem, ProjectError, SpecError
from opforge.spec.assemble import assemble_ops, assemble_project
from opforge.spec.document import Mapping, Scalar, Tree, quoted, read_document
from opforge.spec.draft import AttrDraft, OpDraft, ProjectDraft, TensorDraft
from opforge.spec.fields import Fields, mapping_of
from opforge.spec.model import OpSpec, Spec
from opforge.spec.source import Passage, Token

EDITION = 1

_TENSOR_LATER = {
    "format": "formats other than ND",
    "dynamic": "lists of tensors",
    "value_depend": "inputs whose values InferShape reads",
    "scalar": "scalar inputs",
    "contiguous": "non-contiguous kernels",
    "inplace": "in-place outputs",
    "opdef": "further OpDef facts",
}
_OP_LATER = {
    "overrides": "dtypes of a single SoC",
    "reference": "references in place of compute",
    "sources": "sources of your own layout",
    "dtype_product": "free combinations of dtypes",
    "opdef": "further OpDef facts",
}


def load_spec(path: Path) -> Spec:
    """The spec in a file.

    Raises:
        SpecError: the file says something wrong; every problem with its line.
        ProjectError: the file cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProjectError(f"{path} is not UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None
    except OSError as error:
        hint = "`opforge new` writes a project with its spec"
        raise ProjectError(f"cannot read the spec {path}: {error.strerror}", hint=hint) from None
    return parse_spec(text, path)


def parse_spec(text: str, file: Path | None) -> Spec:
    """The spec in a text; ``file`` is what messages name.

    Raises:
        SpecError: with every problem of the text, in its order.
    """
    tree, problems = read_document(text, file)
    top = mapping_of(tree, "the spec", problems)
    fields = Fields(top, "the spec", ("edition", "project", "ops"), problems=problems)
    _edition(fields, problems)
    project = assemble_project(_project(fields.mapping("project", required=True), problems), problems)
    ops_tree = fields.mapping("ops", required=True)
    drafts = [_op(name, body, problems) for name, body in (ops_tree.entries if ops_tree else ())]
    if ops_tree is not None and not ops_tree.entries:
        problems.append(ops_tree.at.problem("the spec has no op", "`opforge new` writes a complete one"))
    ops = assemble_ops(drafts, problems)
    if problems or project is None:
        raise SpecError(sorted(problems, key=_place))
    return Spec(project, ops, EDITION)


def parse_ops(text: str, file: Path | None) -> tuple[OpSpec, ...]:
    """The ops of a text that holds what stands below ``ops:`` in a spec.

    Raises:
        SpecError: with every problem of the text, in its order.
    """
    tree, problems = read_document(text, file)
    top = mapping_of(tree, "the list of ops", problems)
    ops = assemble_ops([_op(name, body, problems) for name, body in (top.entries if top else ())], problems)
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
        what = f"edition {edition.text} is not known to this opforge" if later else f"`{edition.text}` is no edition"
        hint = "a newer opforge reads it" if later else f"write `edition: {EDITION}`"
        problems.append(edition.problem(what, hint))


def _project(tree: Mapping | None, problems: list[Problem]) -> ProjectDraft:
    known = ("name", "package", "vendor", "version", "soc", "license")
    fields = Fields(tree, "project", known, problems=problems)
    soc = fields.words("soc")
    if soc is not None and not soc and tree is not None:
        problems.append(tree.at.problem("the list of SoCs is empty", "as `soc: [ascend910b]`"))
    return ProjectDraft(
        name=fields.word("name", required=True),
        package=fields.word("package"),
        vendor=fields.word("vendor"),
        version=fields.word("version"),
        soc=soc,
        license=fields.word("license"),
    )


def _op(name: Token, tree: Tree, problems: list[Problem]) -> OpDraft:
    what = f"op `{name.text}`"
    known = ("doc", "inputs", "attrs", "outputs", "compute", "backward")
    fields = Fields(mapping_of(tree, what, problems), what, known, problems=problems, later=_OP_LATER, at=name)
    inputs = fields.mapping("inputs", required=True)
    attrs = fields.mapping("attrs")
    outputs = fields.mapping("outputs")
    doc = fields.scalar("doc")
    return OpDraft(
        type=name,
        inputs=None if inputs is None else tuple(_tensor(n, t, problems, "input") for n, t in inputs.entries),
        attrs=tuple(_attr(n, t, problems) for n, t in (attrs.entries if attrs else ())),
        outputs=None if outputs is None else tuple(_tensor(n, t, problems, "output") for n, t in outputs.entries),
        compute=_compute(fields, problems),
        doc=_tidy_doc(doc.text) if doc is not None else None,
        backward=fields.word("backward"),
    )


def _tidy_doc(text: str) -> str | None:
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) or None


def _tensor(name: Token, tree: Tree, problems: list[Problem], kind: str) -> TensorDraft:
    if isinstance(tree, Scalar) and tree.empty:
        return TensorDraft(name)
    what, before = f"{kind} `{name.text}`", len(problems)
    known = ("shape", "dtype", "optional") if kind == "input" else ("shape", "dtype")
    fields = Fields(mapping_of(tree, what, problems), what, known, problems=problems, later=_TENSOR_LATER, at=name)
    dtypes, dims = fields.words("dtype"), fields.words("shape")
    optional = fields.word("optional") if kind == "input" else None
    return TensorDraft(name, dtypes, dims, optional, wrong=len(problems) > before)


def _attr(name: Token, tree: Tree, problems: list[Problem]) -> AttrDraft:
    what = f"attribute `{name.text}`"
    fields = Fields(mapping_of(tree, what, problems), what, ("type", "default"), problems=problems, at=name)
    type_ = fields.word("type", required=True)
    default = fields.tree("default")
    if default is None:
        return AttrDraft(name, type_)
    if not isinstance(default, Scalar):
        if type_ is None or not type_.text.startswith("list"):  # of a list, the type is what is wrong
            problems.append(default.at.problem("a default is a single value"))
        return AttrDraft(name, type_)
    return AttrDraft(name, type_, default.at, quoted=default.style is not None)


def _compute(fields: Fields, problems: list[Problem]) -> Passage | None:
    scalar = fields.scalar("compute", required=True)
    if scalar is None:
        return None
    if scalar.style == ">":
        problems.append(scalar.at.problem("`>` joins the lines of compute", "write `|`: one assignment a line"))
        return None
    if scalar.style is None:
        if scalar.comment.startswith("#"):
            whole = f"{scalar.text} {scalar.comment}"
            hint = f"quote it: compute: {quoted(whole)}, or give the comment a line of its own"
            problems.append(scalar.at.problem("YAML ends an unquoted compute at ` #`", hint))
            return None
        if scalar.at.length is not None:
            problems.append(scalar.at.problem("YAML joins the lines of an unquoted compute", "write `compute: |`"))
            return None
        if scalar.in_flow:
            hint = "quote it, or give compute a line of its own"
            problems.append(scalar.at.problem("inside braces YAML ends an unquoted compute at a comma", hint))
            return None
    return scalar.passage.tidied()
