"""Reads msOpGen's JSON prototypes into specs of handwritten ops, and names the fields that msOpGen misreads.

Sources: msOpGen's public source and the user guide's page on the prototype's fields. msOpGen drops, overwrites or
miswrites some fields that it cannot use, and still succeeds. Here this is an error if the signature would differ from
the text, and a warning if it would not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping as Table
from collections.abc import Sequence as Listed
from pathlib import Path

from opforge.dtypes import DTYPES
from opforge.errors import Location, Problem, SpecError
from opforge.frozen import dataclass
from opforge.spec.check.assemble import assemble_ops
from opforge.spec.draft import AttrDraft, ItemDraft, OpDraft, TensorDraft
from opforge.spec.model import OpSpec
from opforge.spec.read.document import Mapping, Scalar, Sequence, Tree, read_document
from opforge.spec.source import Passage, Token, closest

_OP_KEYS = ("op", "input_desc", "output_desc", "attr", "language")
_TENSOR_KEYS = ("name", "param_type", "format", "type")
_ATTR_KEYS = ("name", "param_type", "type", "default_value")
_ROLES = ("required", "optional", "dynamic")
# msOpGen's names of dtypes that differ from opforge's.
_DTYPES = {
    "float": "float32",
    "fp32": "float32",
    "half": "float16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "double": "float64",
}
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
# Its names for groups of dtypes, if operators support all dtypes of the group.
_COLLECTIONS = {
    "realnumbertype": ("float16", "float32", "float64", *_INTEGERS),
    "quantizedtype": ("qint8", "quint8", "qint16", "quint16", "qint32"),
    "IndexNumberType": ("int32", "int64"),
}
_MIXED = ("numbertype", "BasicType", "all")
_NEVER_DTYPES = ("string", "resource", "int2")
_SAME = ("int", "float", "bool", "list_int", "list_float", "list_bool")
_ATTR_TYPES = {"string": "str", **{name: name for name in _SAME}}
_NEVER_ATTRS = {
    "tensor": "msOpGen writes `.Tensor()`, which OpAttrDef does not have",
    "list_tensor": "msOpGen writes `.ListTensor()`, which OpAttrDef does not have",
    "type": "msOpGen writes `.Type()`, which OpAttrDef does not have",
    "list_type": "msOpGen writes `.ListType()`, which OpAttrDef does not have",
    "list_string": "op_build does not support lists of strings",
    "list_list_int": "op_build does not support lists of lists",
}
_BRACES = re.compile(r"\{(.*)\}|\[(.*)\]", re.DOTALL)
_ITEM = re.compile(r"[^,]+")


@dataclass(frozen=True)
class Prototypes:
    """The ops of a file, and warnings about it."""

    ops: tuple[OpSpec, ...]
    warnings: tuple[Problem, ...]


def read_prototypes(text: str, file: Path, compute: Table[str, Passage] | None = None) -> Prototypes:
    """The ops of msOpGen's JSON; ``compute`` has expressions by op type, or under ``""`` for the only op.

    Raises:
        SpecError: the text is not JSON or has mistakes; every problem with its place.
    """
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.splitlines() or [""]
        line = lines[min(error.lineno, len(lines)) - 1]
        where = Location(file, error.lineno, error.colno)
        raise SpecError(
            [Problem(f"this is not valid JSON: {error.msg}", where, line, "msOpGen ends with status 109")]
        ) from None
    except RecursionError:
        raise SpecError(
            [Problem("this is not a valid prototype: its lists are nested too deeply", Location(file, 1, 1))]
        ) from None
    # JSON is YAML except for tabs between words; spaces in their place keep every column.
    tree, problems = read_document(re.sub(r"^[ \t]+", lambda m: " " * len(m[0]), text, flags=re.MULTILINE), file)
    reader = _Reader(problems)
    drafts = reader.drafts(tree)
    wanted = compute or {}
    drafts = [_with_compute(draft, wanted, only=len(drafts) == 1) for draft in drafts]
    ops = assemble_ops(drafts, problems)
    if problems:
        raise SpecError(sorted(problems, key=lambda p: (p.where.line, p.where.column) if p.where else (0, 0)))
    return Prototypes(ops, tuple(reader.warnings))


def _with_compute(draft: OpDraft, compute: Table[str, Passage], *, only: bool) -> OpDraft:
    expression = compute.get(draft.type.text, compute.get("") if only else None)
    if expression is None:
        return draft
    outputs = tuple(TensorDraft(t.name, t.dtypes, None, t.optional, t.wrong) for t in draft.outputs or ())
    return OpDraft(draft.type, draft.inputs, draft.attrs, outputs, expression)


class _Reader:
    """Reads the tree of a file; collects problems and warnings."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.warnings: list[Problem] = []

    def drafts(self, tree: Tree) -> list[OpDraft]:
        found = tree.items if isinstance(tree, Sequence) else (tree,)
        if not found:
            self.problems.append(tree.at.problem("the list has no operator", "msOpGen ends with status 112"))
        drafts = [self.op(entry) for entry in found]
        return [draft for draft in drafts if draft is not None]

    def op(self, tree: Tree) -> OpDraft | None:
        if not isinstance(tree, Mapping):
            self.problems.append(
                tree.at.problem("an operator must be an object", 'for example `{"op": "AddCustom", ...}`')
            )
            return None
        self.keys(tree, _OP_KEYS, "an operator")
        name = self.word(tree, "op")
        if name is None:
            self.problems.append(tree.at.problem("the operator has no `op`", 'add its name: `"op": "AddCustom"`'))
            return None
        inputs = self.listed(tree, "input_desc")
        outputs = self.listed(tree, "output_desc")
        ins = self.tensors(inputs, "input", frozenset())
        return OpDraft(
            type=name,
            inputs=tuple(ins),
            attrs=tuple(self.attrs(self.listed(tree, "attr"))),
            outputs=tuple(self.tensors(outputs, "output", frozenset(t.name.text for t in ins))),
            compute=None,
        )

    def keys(self, tree: Mapping, known: Listed[str], what: str) -> None:
        for key, _ in tree.entries:
            if key.text not in known:
                meant = closest(key.text, list(known))
                hint = f"did you mean `{meant}`?" if meant else f"valid fields of {what}: {', '.join(known)}"
                self.warnings.append(key.problem(f"msOpGen ignores `{key.text}`", hint))

    def word(self, tree: Mapping, key: str) -> Token | None:
        found = tree.get(key)
        return found.at if isinstance(found, Scalar) and not _null(found) else None

    def listed(self, tree: Mapping, key: str) -> tuple[Tree, ...]:
        found = tree.get(key)
        if found is None or (isinstance(found, Scalar) and _null(found)):
            return ()
        if not isinstance(found, Sequence):
            self.problems.append(found.at.problem(f"`{key}` must be a list", "msOpGen ignores other values"))
            return ()
        return found.items

    def tensors(self, trees: Listed[Tree], side: str, inputs: frozenset[str]) -> list[TensorDraft]:
        made: dict[str, TensorDraft] = {}
        for tree in trees:
            draft = self.tensor(tree, side, inputs)
            if draft is None:
                continue
            if draft.name.text in made:
                what = f"the {side} `{draft.name.text}` is given twice"
                self.problems.append(draft.name.problem(what, "msOpGen keeps only the last one: use different names"))
            made[draft.name.text] = draft
        return list(made.values())

    def tensor(self, tree: Tree, side: str, inputs: frozenset[str]) -> TensorDraft | None:
        if not isinstance(tree, Mapping):
            self.problems.append(tree.at.problem(f"an {side} must be an object", 'for example `{"name": "x", ...}`'))
            return None
        self.keys(tree, _TENSOR_KEYS, f"an {side}")
        name = self.word(tree, "name")
        if name is None:
            self.problems.append(tree.at.problem(f"the {side} has no name", f"msOpGen drops the {side}"))
            return None
        types, formats = tree.get("type"), tree.get("format")
        for key, found in (("type", types), ("format", formats)):
            if found is None or (isinstance(found, Scalar) and _null(found)):
                what = f"the {side} `{name.text}` has no `{key}`"
                self.problems.append(name.problem(what, f"msOpGen drops the whole {side}: add its `{key}`"))
        if types is None or formats is None:
            return TensorDraft(name, wrong=True)
        columns = self.columns(name, types, formats)
        if columns is None:
            return TensorDraft(name, wrong=True)
        if name.text in inputs and side == "output":
            written = Token(f"{name.text}_out", name.file, name.line, name.column, name.line_text, name.length)
            return TensorDraft(written, inplace=name)
        role = self.role(tree, _ROLES, f"{side} `{name.text}`")
        true = Token("true", name.file, name.line, name.column, name.line_text, name.length)
        dtypes, layouts = columns
        return TensorDraft(
            name,
            dtypes=dtypes,
            dims=(Token("...", name.file, name.line, name.column, name.line_text),) if side == "output" else None,
            optional=true if role == "optional" else None,
            formats=None if all(word.text == "ND" for word in layouts) else layouts,
            dynamic=true if role == "dynamic" else None,
        )

    def role(self, tree: Mapping, known: Listed[str], what: str) -> str:
        word = self.word(tree, "param_type")
        if word is None or word.text in known:
            return word.text if word is not None else "required"
        hint = f"expected one of {', '.join(known)}"
        self.warnings.append(
            word.problem(f"`{word.text}` is not a valid param_type: the {what} counts as required", hint)
        )
        return "required"

    def columns(self, name: Token, types: Tree, formats: Tree) -> tuple[tuple[Token, ...], tuple[Token, ...]] | None:
        """The dtypes and formats: lists of equal length, or None after an error."""
        written = [item.at for item in _items(types)]
        layouts = [item.at for item in _items(formats)]
        if not written or not layouts:
            self.problems.append(name.problem(f"`{name.text}` has an empty list", "each entry is one combination"))
            return None
        count = max(len(written), len(layouts))
        written = written * count if len(written) == 1 else written
        layouts = layouts * count if len(layouts) == 1 else layouts
        if len(written) != len(layouts):
            what = f"`{name.text}` has {len(written)} types and {len(layouts)} formats"
            self.problems.append(name.problem(what, "expected one format per type, or one format for all"))
            return None
        dtypes: list[Token] = []
        spread: list[Token] = []
        before = len(self.problems)
        for word, layout in zip(written, layouts, strict=True):
            every = self.dtypes(word)
            dtypes += every
            spread += [layout] * len(every)
        return (tuple(dtypes), tuple(spread)) if len(self.problems) == before else None

    def dtypes(self, word: Token) -> list[Token]:
        text = word.text.strip()
        if text in _COLLECTIONS:
            return [_renamed(word, name) for name in _COLLECTIONS[text]]
        if text in _MIXED or text in _NEVER_DTYPES:
            what = (
                f"`{text}` includes dtypes that tensors of an op cannot have"
                if text in _MIXED
                else f"kernels do not support `{text}`"
            )
            self.problems.append(word.problem(what, "list the dtypes that the kernel supports"))
            return []
        known = _DTYPES.get(text, text if text in DTYPES else None)
        if known is None:
            meant = closest(text, [*DTYPES, *_DTYPES])
            hint = f"did you mean `{meant}`?" if meant else f"for example {', '.join(list(DTYPES)[:6])}"
            self.problems.append(word.problem(f"`{text}` is not a valid type in msOpGen", hint))
            return []
        return [_renamed(word, known)]

    def attrs(self, trees: Listed[Tree]) -> list[AttrDraft]:
        drafts = [self.attr(tree) for tree in trees]
        return [draft for draft in drafts if draft is not None]

    def attr(self, tree: Tree) -> AttrDraft | None:
        if not isinstance(tree, Mapping):
            self.problems.append(
                tree.at.problem("an attribute must be an object", 'for example `{"name": "alpha", ...}`')
            )
            return None
        self.keys(tree, _ATTR_KEYS, "an attribute")
        name, type_ = self.word(tree, "name"), self.word(tree, "type")
        if name is None or type_ is None:
            missing = "name" if name is None else "type"
            at = name or tree.at
            self.problems.append(at.problem(f"the attribute has no `{missing}`", "msOpGen drops the attribute"))
            return None
        known = _ATTR_TYPES.get(type_.text.strip())
        if known is None:
            why = _NEVER_ATTRS.get(type_.text)
            hint = why or f"msOpGen drops the attribute; valid types: {', '.join(_ATTR_TYPES)}"
            self.problems.append(type_.problem(f"`{name.text}` cannot be of type `{type_.text}`", hint))
            return None
        default = tree.get("default_value")
        given = default is not None and not (isinstance(default, Scalar) and _null(default))
        if self.role(tree, _ROLES[:2], f"attribute `{name.text}`") == "required":
            if given and default is not None:
                what = f"`{name.text}` is required, so its default_value is not used"
                self.warnings.append(default.at.problem(what, "make it optional, or remove default_value"))
            return AttrDraft(name, _renamed(type_, known))
        if not given or default is None:
            what = f"the optional attribute `{name.text}` has no default_value"
            self.problems.append(name.problem(what, "msOpGen writes `None` into C++, which does not compile"))
            return None
        return self.default(name, _renamed(type_, known), default)

    def default(self, name: Token, type_: Token, default: Tree) -> AttrDraft:
        listed = type_.text.startswith("list_")
        if isinstance(default, Scalar) and not listed:
            word, quoted = default.at, default.style is not None
            if type_.text == "bool" and word.text in ("0", "1"):
                word = _renamed(word, "true" if word.text == "1" else "false")
            return AttrDraft(name, type_, word, quoted=quoted and type_.text == "str")
        if isinstance(default, Sequence) and listed:
            items = tuple(ItemDraft(item.at, quoted=False) for item in default.items)
            self.warnings.append(_miswritten(default.at, name))
            return AttrDraft(name, type_, default.at, items=items)
        matched = _BRACES.fullmatch(default.at.text.strip()) if isinstance(default, Scalar) else None
        if matched is not None:
            word = default.at
            if matched[2] is not None:
                self.warnings.append(_miswritten(word, name))
            parts = [part[0].strip() for part in _ITEM.finditer(matched[1] or matched[2] or "")]
            items = tuple(ItemDraft(_renamed(word, part), quoted=False) for part in parts)
            return AttrDraft(name, type_, word, items=items)
        kind = "a list" if listed else "a single value"
        self.problems.append(
            default.at.problem(f"the default of `{name.text}` must be {kind}", "it must match the type")
        )
        return AttrDraft(name, None)


def _miswritten(at: Token, name: Token) -> Problem:
    what = f"msOpGen writes the default of `{name.text}` as Python text, which does not compile"
    return at.problem(what, 'opforge reads it as intended; for msOpGen write `"{1, 2}"`')


def _items(tree: Tree) -> tuple[Tree, ...]:
    return tree.items if isinstance(tree, Sequence) else (tree,)


def _null(scalar: Scalar) -> bool:
    return scalar.empty or (scalar.style is None and scalar.text == "null")


def _renamed(word: Token, text: str) -> Token:
    """The word with another text, at the same place."""
    reach = word.length if word.length is not None else len(word.text)
    return Token(text, word.file, word.line, word.column, word.line_text, reach)
