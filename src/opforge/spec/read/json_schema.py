"""Makes the JSON schema of opforge.yaml, for editors, from the reader's tables of keys, kinds of values and words.

A schema does not check combinations of fields, so the reader refuses more. The field, never YAML, decides the type of a
scalar: a number or truth value is accepted where the field holds text (``version: 1.0``).
"""

from __future__ import annotations

from typing import TypeAlias

from opforge.dtypes import DTYPES
from opforge.soc import SOCS, SUPPORTED
from opforge.spec.check.attributes import ATTR_TYPES
from opforge.spec.check.opdef import METHODS, Owner
from opforge.spec.check.values import FORMATS
from opforge.spec.device_rules import OPEN_RULES
from opforge.spec.features import FEATURES
from opforge.spec.model import EDITION
from opforge.spec.read.fields import HANDWRITTEN
from opforge.spec.read.op_fields import (
    ATTR_FIELDS,
    OP_FIELDS,
    OVERRIDE_FIELDS,
    SIZE_FIELDS,
    TENSOR_FIELDS,
    VALUES_FIELDS,
)
from opforge.spec.read.parse import PROJECT_FIELDS, REQUIRED_FIELDS, SPEC_FIELDS
from opforge.spec.read.simulator_block import ALLOW_FIELDS, LEVELS, MODES, SIMULATOR_FIELDS

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Object: TypeAlias = dict[str, Json]

_WORD: Object = {"type": ["string", "number", "boolean", "null"]}  # a scalar of any YAML type
_TEXT: Object = {"type": "string"}
_TRUTH: Object = {"type": "boolean"}
_WHOLE: Object = {"type": "integer", "minimum": 0}

_DESCRIBED = {
    "edition": "the edition of this file format",
    "project": "settings that all ops of the project share",
    "ops": "the operators, by op type",
    "name": "the distribution's name",
    "package": "the Python package; default: the name",
    "vendor": "the operator package's vendor; default: the package",
    "version": "a release number such as 0.1.0",
    "soc": "compute units to build for",
    "host_cpp": "the C++ standard of op_host; default: 11",
    "allow_multiple_definition": "whether several files of op_host may define a function; the linker takes the first",
    "define": "NAME or NAME=value, which the compilers of op_host define",
    "include": "folders of headers for op_host and op_kernel, relative to the project",
    "features": "what is generated beside the operators; default: everything",
    "license": "an SPDX expression for the first line of op sources",
    "doc": "what the op does",
    "inputs": "tensors, in the order of the OpDef, the kernel and the aclnn call",
    "attrs": "attributes in order; those with a default are optional",
    "outputs": "tensors; default: the names of the last line of compute",
    "compute": "one assignment per line; without it, the kernel is handwritten",
    "reference": "module:function, a torch function in a module of the project's package",
    "backward": "false turns the derived backward off; an op type names the op that computes the gradients",
    "dtype_product": "combine every dtype of each list with every other, instead of columns",
    "batch_invariant": "false lets cores share the sums of a product, whose order then depends on its shape",
    "overrides": "the columns of one SoC, instead of the common ones",
    "sources": "files below op_host and op_kernel, if they are not the default ones",
    "opdef": "other OpDef methods, with their arguments as C++ text",
    "shape": "sizes, symbols, `...` in first place; of an output also + - * // min max, or `handwritten` instead",
    "dtype": "a column: entry i of all lists is one combination",
    "format": "a column of formats; default: ND",
    "optional": "callers may leave it out",
    "dynamic": "a list of tensors; of an output, also the input's list or the int attribute that gives its length",
    "contiguous": "the kernel accepts strided memory",
    "value_depend": "the host code reads the values",
    "values": "what the input holds in tests, bench and verify",
    "below": "values are below this number or named dimension",
    "unique": "no two elements are equal",
    "sorted": "elements ascend along the last dimension",
    "sizes": "the sizes of named dimensions that the op supports, for tests, bench and verify",
    "min": "the least value, or the least size",
    "max": "the largest size",
    "multiple_of": "sizes are multiples of this number",
    "scalar": "a number on the host",
    "inplace": "the input whose memory the output is written to",
    "type": "the attribute's type",
    "default": "the value if a caller gives none",
    "simulator": "how the simulated device judges kernels",
    "rules": "for rules that devices do not enforce: device warns, documented refuses; default: depends on the op",
    "allow": "breaches that the simulated device allows",
    "rule": "the id of a rule in docs/rules.md; default: any",
    "op": "an op of the project; default: any",
    "in": "a source of the kernel, or the end of its path; default: any",
    "level": "warning: allow with a warning, instead of silently",
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
                "edition": _one_of([each for edition in range(1, EDITION + 1) for each in (edition, str(edition))]),
                "project": _project(),
                "ops": _ops(),
                "simulator": _simulator(),
            },
        ),
        "required": list(REQUIRED_FIELDS),
    }


def _object(known: tuple[str, ...], fields: Object) -> Object:
    """A mapping with exactly these fields; fields without an entry are single words."""
    properties: Object = {}
    for key in known:
        value = fields.get(key, _WORD)
        properties[key] = {"description": _DESCRIBED[key], **value} if isinstance(value, dict) else value
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _project() -> Object:
    fields: Object = {"soc": _list(_one_of(list(SUPPORTED)), least=1), "include": _list(_TEXT)}
    fields["define"] = _list(_TEXT)
    fields["features"] = _list(_one_of(list(FEATURES)))
    fields["allow_multiple_definition"] = _TRUTH
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
        "backward": {"type": ["boolean", "string"]},
        "dtype_product": _TRUTH,
        "batch_invariant": _TRUTH,
        "overrides": {
            "type": "object",
            "properties": dict.fromkeys(SOCS, columns),
            "additionalProperties": False,
        },
        "sources": _list(_TEXT),
        "sizes": _named(_object(SIZE_FIELDS, dict.fromkeys(SIZE_FIELDS, _WHOLE))),
        "opdef": _opdef_calls("op"),
    }
    return {**_object(OP_FIELDS, fields), "required": ["inputs"]}


def _named(entry: Object, *, least: int = 0) -> Object:
    return {"type": "object", "additionalProperties": entry, "minProperties": least}


def _shape(side: Owner) -> Object:
    dims = _list({"type": ["string", "integer", "boolean", "null"]})
    return dims if side == "input" else {"oneOf": [dims, {"const": HANDWRITTEN}]}


def _tensor(side: Owner) -> Object:
    fields: Object = {
        "shape": _shape(side),
        "dtype": _list(_one_of(list(DTYPES)), least=1),
        "format": _list(_one_of(list(FORMATS)), least=1),
        "optional": _TRUTH,
        "dynamic": _TRUTH if side == "input" else {"type": ["boolean", "string"]},
        "scalar": _TRUTH,
        "contiguous": _one_of(["ignore"]),
        "value_depend": _one_of(["required", "optional"]),
        "values": _object(VALUES_FIELDS, {"min": _WORD, "below": _WORD, "unique": _TRUTH, "sorted": _TRUTH}),
        "opdef": _opdef_calls(side),
    }
    tensor = _object(TENSOR_FIELDS[side], fields)
    return {**tensor, "type": ["object", "null"]}  # a name alone, without properties


def _attr() -> Object:
    values: Object = {"anyOf": [_WORD, _list(_WORD)]}
    fields: Object = {
        "type": _one_of(list(ATTR_TYPES)),
        "default": values,
        "opdef": _opdef_calls("attribute"),
    }
    return {**_object(ATTR_FIELDS, fields), "required": ["type"]}


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
