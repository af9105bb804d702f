"""Checks the calls below ``opdef:``: the OpDef methods that a spec may name, and the object each belongs to.

Source: the documentation's pages of OpDef, OpParamDef, OpAICoreDef, OpAICoreConfig and OpMC2Def.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from opforge.errors import Problem
from opforge.spec.draft import OpDefCallDraft
from opforge.spec.model import VERSION, OpDefCalls
from opforge.spec.source import Token, closest

Owner = Literal["input", "output", "attribute", "op"]
Object = Literal["param", "attr", "op", "mc2", "aicore", "config"]

# Method -> the object that has it: this->Input() or this->Output(), this->Attr(), this, this->MC2(), this->AICore(), a
# config.
METHODS: dict[Owner, dict[str, Object]] = {
    "input": dict.fromkeys(("Comment", "DataTypeForBinQuery", "Follow", "FormatForBinQuery", "To", "Version"), "param"),
    "output": dict.fromkeys(
        (
            "Comment",
            "DataTypeForBinQuery",
            "Follow",
            "FormatForBinQuery",
            "InitValue",
            "OutputShapeDependOnCompute",
        ),
        "param",
    ),
    "attribute": dict.fromkeys(("Comment", "Version"), "attr"),
    "op": {
        **dict.fromkeys(("Comment", "EnableFallBack", "FormatMatchMode"), "op"),
        **dict.fromkeys(("HcclGroup", "HcclServerType"), "mc2"),
        "LaunchWithZeroEleOutputTensors": "aicore",
        **dict.fromkeys(
            (
                "DynamicCompileStaticFlag",
                "DynamicFormatFlag",
                "DynamicRankSupportFlag",
                "DynamicShapeSupportFlag",
                "ExtendCfgInfo",
                "NeedCheckSupportFlag",
                "PrecisionReduceFlag",
            ),
            "config",
        ),
    },
}
# Methods without an argument; the others have one or two.
BARE = frozenset(("EnableFallBack", "OutputShapeDependOnCompute"))
# Methods that a spec expresses by a field of its own, with that field.
_OWN_FIELD = {
    "AddConfig": "`soc` of the project",
    "Attr": "`attrs`",
    "AutoContiguous": "`contiguous` (the default; `contiguous: ignore` turns it off)",
    "DataType": "`dtype`",
    "DataTypeList": "`dtype` with `dtype_product: true` on the op",
    "Format": "`format`",
    "FormatList": "`format`",
    "IgnoreContiguous": "`contiguous: ignore`",
    "Input": "`inputs`",
    "MC2": "`HcclGroup` here",
    "Output": "`outputs`",
    "ParamType": "`optional` or `dynamic`",
    "Scalar": "`scalar: true`",
    "ScalarList": "`scalar: true` with `dynamic: true`",
    "SetInferDataType": "op_host's own code",
    "SetInferShape": "op_host's own code",
    "SetTiling": "op_host's own code",
    "ValueDepend": "`value_depend`",
}
_LONGEST = 400
_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_ENDS = re.compile(r"""["';#\\`@$]|//|/\*""")
_PAIRS = {")": "(", "]": "[", "}": "{"}


def read_opdef_calls(drafts: Sequence[OpDefCallDraft], owner: Owner, problems: list[Problem]) -> OpDefCalls:
    """The checked calls: known methods, with arguments that are valid text between parentheses in C++."""
    calls = []
    for draft in drafts:
        before = len(problems)
        _check_name(draft.method, owner, problems)
        if len(problems) == before:
            for argument in draft.arguments:
                _check_argument(draft.method.text, argument, problems)
        calls += [(draft.method.text, argument.text) for argument in draft.arguments]
    return tuple(calls)


def refuse_version(name: Token, drafts: Sequence[OpDefCallDraft], problems: list[Problem]) -> None:
    """Refuses ``Version`` of a required argument: only callers of later versions could give it."""
    for draft in drafts:
        if draft.method.text == VERSION:
            what = f"`{name.text}` is required, so every version of the aclnn function takes it"
            problems.append(draft.method.problem(what, "only optional inputs, and attributes with a default, have one"))


def _check_name(method: Token, owner: Owner, problems: list[Problem]) -> None:
    known = METHODS[owner]
    name = method.text
    if name in known:
        return
    what = f"`{name}` is not a valid OpDef method for an {owner}"
    elsewhere = next((other for other, names in METHODS.items() if name in names), None)
    spelled = _OWN_FIELD.get(_camel(name))
    if spelled is not None:
        hint = f"use {spelled}"
    elif elsewhere is not None:
        hint = f"it belongs to {'the' if elsewhere == 'op' else 'an'} {elsewhere}"
    else:
        meant = closest(_camel(name), tuple(known))
        hint = f"did you mean `{meant}`?" if meant else f"valid methods: {', '.join(known)}"
    problems.append(method.problem(what, hint))


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _check_argument(method: str, argument: Token, problems: list[Problem]) -> None:
    text = argument.text
    if method in BARE:
        if text:
            problems.append(argument.problem(f"`{method}` takes no argument", f'write `{method}: ""`'))
    elif not text:
        problems.append(argument.problem(f"`{method}` needs an argument", "write it as C++ text, such as `Version: 1`"))
    elif len(text) > _LONGEST:
        problems.append(
            argument.problem(f"the argument of `{method}` is {len(text)} characters long", "the limit is 400")
        )
    elif not _balanced(text):
        what = f"`{text}` is not a valid argument of `{method}`"
        problems.append(argument.problem(what, "expected one line of C++, as between the parentheses of the call"))
    elif method == VERSION and not (text.isascii() and text.isdigit() and int(text)):
        what = f"`{text}` is not a valid version"
        problems.append(argument.problem(what, "expected a number from 1, such as `Version: 2`"))


def _balanced(text: str) -> bool:
    """Whether parentheses, brackets, braces and quotes close, and nothing ends the call early."""
    if not text.isprintable():
        return False
    bare = _STRING.sub("", text)  # the text outside quotes
    if _ENDS.search(bare):
        return False
    open_: list[str] = []
    for c in bare:
        if c in "([{":
            open_.append(c)
        elif c in ")]}" and (not open_ or open_.pop() != _PAIRS[c]):
            return False
    return not open_
