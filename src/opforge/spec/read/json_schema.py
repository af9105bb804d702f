"""The JSON schema of opforge.yaml, for editors: keys, kinds of values and words, made from the reader's own tables.

A schema says what a file is built of, not what goes together: the reader refuses more. Scalars are typed by their field
and never by YAML, so that a number or truth value may stand where the field holds text (``version: 1.0``).
"""

from __future__ import annotations

from typing import TypeAlias

from opforge.dtypes import DTYPES
from opforge.soc import SOCS, SUPPORTED
from opforge.spec.check.attributes import ATTR_TYPES
from opforge.spec.check.opdef import METHODS, Owner
from opforge.spec.check.values import FORMATS
from opforge.spec.device_rules import OPEN_RULES
from opforge.spec.read.op_fields import ATTR_FIELDS, OP_FIELDS, OVERRIDE_FIELDS, TENSOR_FIELDS
from opforge.spec.read.parse import EDITION, PROJECT_FIELDS, REQUIRED_FIELDS, SPEC_FIELDS
from opforge.spec.read.simulator_block import ALLOW_FIELDS, LEVELS, MODES, SIMULATOR_FIELDS

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Object: TypeAlias = dict[str, Json]

_WORD: Object = {"type": ["string", "number", "boolean", "null"]}  # a YAML scalar, which its field reads
_TEXT: Object = {"type": "string"}
_TRUTH: Object = {"type": "boolean"}

_DESCRIBED = {
    "edition": "the edition of this grammar",
    "project": "what all ops of the project share",
    "ops": "the operators, by their op types",
    "name": "the distribution's name",
    "package": "the Python package; the name unless given",
    "vendor": "the operator package's vendor; the package unless given",
    "version": "a release number, as 0.1.0",
    "soc": "compute units to build for",
    "host_cpp": "the C++ standard of op_host; 11 unless given",
    "include": "folders of headers for op_host and op_kernel, by their paths from the project",
    "license": "an SPDX expression for the first line of op sources",
    "doc": "what the op does",
    "inputs": "tensors in the order of the OpDef, of the kernel and of the aclnn call",
    "attrs": "attributes in order; with a default they are optional",
    "outputs": "tensors; left out, they are the names of the last line of compute",
    "compute": "one assignment a line; left out, the kernel is written by hand",
    "reference": "module:function in torch, of a module of the project's own package",
    "backward": "false switches the derived backward off",
    "dtype_product": "every dtype of each list with every other, instead of columns",
    "overrides": "the columns that one SoC has instead",
    "sources": "files below op_host and op_kernel, where they are not the usual ones",
    "opdef": "further facts by OpDef's own names, with their arguments as C++ text",
    "shape": "sizes, symbols, `...` first; in outputs + - * // min max too",
    "dtype": "a column: entry i of all lists is one combination",
    "format": "a column of formats; ND unless given",
    "optional": "a caller may leave it out",
    "dynamic": "a list of tensors",
    "contiguous": "the kernel takes strided memory",
    "value_depend": "the host code reads the values",
    "scalar": "a number on the host",
    "inplace": "the input whose memory the output is written to",
    "type": "the attribute's type",
    "default": "the value where a caller gives none",
    "simulator": "how the simulated device judges kernels",
    "rules": "rules that devices do not enforce: device, warnings; documented, errors; by the op unless given",
    "allow": "breaches that the simulated device lets pass",
    "rule": "a rule of docs/rules.md by its id; any unless given",
    "op": "an op of the project; any unless given",
    "in": "a source of the kernel, or the end of its path; any unless given",
    "level": "warning: with a warning, instead of without a word",
    "why": "why the kernel may break the rule",
}


def json_schema() -> Object:
    """The schema, as JSON Schema 2020-12."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "opforge.yaml",
        **_object(
            SPEC_FIELDS,
            {
                "edition": _one_of([EDITION, str(EDITION)]),
                "project": _project(),
                "ops": _ops(),
                "simulator": _simulator(),
            },
        ),
        "required": list(REQUIRED_FIELDS),
    }


def _object(known: tuple[str, ...], fields: Object) -> Object:
    """A mapping with these fields and no other; fields without an entry are single words."""
    properties: Object = {}
    for key in known:
        value = fields.get(key, _WORD)
        properties[key] = {"description": _DESCRIBED[key], **value} if isinstance(value, dict) else value
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _project() -> Object:
    fields: Object = {"soc": _list(_one_of(list(SUPPORTED)), least=1), "include": _list(_TEXT)}
    fields["host_cpp"] = _one_of([11, 14, 17, "11", "14", "17"])
    return {**_object(PROJECT_FIELDS, fields), "required": ["name"]}


def _simulator() -> Object:
    words: Object = {"rule": _one_of(list(OPEN_RULES)), "level": _one_of(list(LEVELS))}
    entry: Object = {**_object(ALLOW_FIELDS, words), "required": ["why"]}
    return _object(SIMULATOR_FIELDS, {"rules": _one_of(list(MODES)), "allow": _list(entry)})


def _ops() -> Object:
    return {"type": "object", "additionalProperties": _op(), "minProperties": 1}


def _op() -> Object:
    columns = _named(_override(), least=1)
    fields: Object = {
        "doc": _WORD,
        "inputs": _named(_tensor("input"), least=1),
        "attrs": _named(_attr()),
        "outputs": _named(_tensor("output"), least=1),
        "compute": _TEXT,
        "reference": _TEXT,
        "backward": _TRUTH,
        "dtype_product": _TRUTH,
        "overrides": {
            "type": "object",
            "properties": dict.fromkeys(SOCS, columns),
            "additionalProperties": False,
        },
        "sources": _list(_TEXT),
        "opdef": _opdef_calls("op"),
    }
    return {**_object(OP_FIELDS, fields), "required": ["inputs"]}


def _named(entry: Object, *, least: int = 0) -> Object:
    return {"type": "object", "additionalProperties": entry, "minProperties": least}


def _tensor(side: Owner) -> Object:
    fields: Object = {
        "shape": _list({"type": ["string", "integer", "boolean", "null"]}),
        "dtype": _list(_one_of(list(DTYPES)), least=1),
        "format": _list(_one_of(list(FORMATS)), least=1),
        "optional": _TRUTH,
        "dynamic": _TRUTH,
        "scalar": _TRUTH,
        "contiguous": _one_of(["ignore"]),
        "value_depend": _one_of(["required", "optional"]),
        "opdef": _opdef_calls(side),
    }
    tensor = _object(TENSOR_FIELDS[side], fields)
    return {**tensor, "type": ["object", "null"]}  # a name alone: nothing is said of it


def _attr() -> Object:
    values: Object = {"anyOf": [_WORD, _list(_WORD)]}
    return {**_object(ATTR_FIELDS, {"type": _one_of(list(ATTR_TYPES)), "default": values}), "required": ["type"]}


def _override() -> Object:
    fields: Object = {"dtype": _list(_one_of(list(DTYPES)), least=1), "format": _list(_one_of(list(FORMATS)), least=1)}
    return {**_object(OVERRIDE_FIELDS, fields), "minProperties": 1}


def _opdef_calls(owner: Owner) -> Object:
    argument: Object = {"anyOf": [_WORD, _list(_WORD, least=1)]}
    return {"type": "object", "properties": dict.fromkeys(METHODS[owner], argument), "additionalProperties": False}


def _list(of: Object, *, least: int = 0) -> Object:
    return {"type": "array", "items": of, "minItems": least}


def _one_of(words: list[Json]) -> Object:
    return {"enum": words}
