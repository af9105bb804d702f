"""The normal form of types and values: two spellings that no caller can tell apart become one text.

A parameter `const X &` and a parameter `X` take the same arguments, so both are `X`. Template parameters go by position
(`$0-1` is the second one of the outermost template). `sim::Site` parameters, which note where a call stands, and
constraints that only rule calls out are left out; `sim::RepeatTime` is the unsigned char whose cut-off bits it refuses,
`sim::MaskOf` the two overloads that a mask has. `PrimT<T>` is T: tensors with a TensorTrait are not simulated.
"""

from __future__ import annotations

import re

_POSITION = re.compile(r"type-parameter-(\d+-\d+)")
_OPERANDS = {"SrcAT": "$0-0::T", "SrcBT": "$0-1::T", "DstT": "$0-2::T", "BiasT": "$0-3::T"}
_RENAMED = (
    (re.compile(r"\bsim::RepeatTime\b"), "unsigned char"),
    (re.compile(r"\b_Float16\b"), "half"),
    (re.compile(r"\b(?:AscendC::)?PrimT<([$\w-]+)>"), r"\1"),
    (re.compile(r"\bdecltype\((?:AscendC::)?IsLite<\w+>\(0\)\)"), "$0-0"),
    (re.compile(r"\bMatmulTypes<[^<>]*>::(SrcAT|SrcBT|DstT|BiasT)\b"), lambda of: _OPERANDS[of[1]]),
    (re.compile(r"\*__restrict\b"), "*"),
    (re.compile(r"\b(?:class|struct|enum|typename) "), ""),
    (re.compile(r"\bAscendC::"), ""),
    (re.compile(r"\bstd::(?:__cxx11::)?"), "std::"),
    (re.compile(r"\s*([*&<>,()\[\]])\s*"), r"\1"),
    (re.compile(r",(?=\S)"), ", "),
    (re.compile(r"\b(?:size_t|uint64_t)\b"), "unsigned long"),
    (re.compile(r"\buint32_t\b"), "unsigned int"),
    (re.compile(r"\buint16_t\b"), "unsigned short"),
    (re.compile(r"\buint8_t\b"), "unsigned char"),
    (re.compile(r"\bint64_t\b"), "long"),
    (re.compile(r"\bint32_t\b"), "int"),
    (re.compile(r"\bint16_t\b"), "short"),
    (re.compile(r"\bint8_t\b"), "signed char"),
)


def type_text(spelling: str) -> str:
    """A canonical type as libclang spells it, without what callers cannot tell."""
    text = _POSITION.sub(r"$\1", spelling)
    for pattern, replacement in _RENAMED:
        text = pattern.sub(replacement, text)
    return text.strip()


_MASK = re.compile(r"sim::MaskOf<((?:const )?unsigned long), ([\w ]+)>")


def both_forms(form: str) -> tuple[str, ...]:
    """A function that takes a mask of either kind is two functions."""
    if not (mask := _MASK.search(form)):
        return (form,)
    return (_MASK.sub(mask[2], form), _MASK.sub(f"{mask[1]}*", form))


def parameter(spelling: str) -> str:
    text = re.sub(r"(?<!\))\[[^\]]*\]$", "*", type_text(spelling))
    by_value = re.fullmatch(r"const (.*[^&*])&", text) or re.fullmatch(r"const ([^&*]*)", text)
    if by_value and not by_value[1].endswith(")"):
        return by_value[1]
    return re.sub(r"(\*)const$", r"\1", text)


_SUFFIXED = re.compile(r"(?<![\w.-])(0[xX][0-9a-fA-F]+|0|[1-9]\d*)[uUlL]*\b(?![.\w])")
_REAL = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE]-?\d+)?|\d+[eE]-?\d+)[fF]?")
_WRAPPED = re.compile(r"^(?:\w+|\([\w ]+\))?[({](-?[\d.e-]+)[)}]$|^\([\w ]+\)(-?[\d.e-]+)$")
_WORDS = {"true": "1", "false": "0", "nullptr": "0", "NULL": "0"}


def value(text: str) -> str:
    """A default argument or an initial value: without namespaces, suffixes and spaces that change nothing."""
    text = re.sub(r"\b(?:\w+::)+(?=\w)", "", text.strip())
    text = re.sub(r"\bPrimT<(\w+)>", r"\1", text)
    text = _REAL.sub(lambda number: f"{float(number[1]):g}", text)
    text = _SUFFIXED.sub(lambda number: str(int(number[1], 0)), text)
    text = re.sub(r"\b(?:true|false|nullptr|NULL)\b", lambda word: _WORDS[word[0]], text)
    text = _WRAPPED.sub(lambda number: number[1] or number[2], text)
    if difference := re.fullmatch(r"(\d+) ?- ?(\d+)", text):
        text = str(int(difference[1]) - int(difference[2]))
    text = re.sub(r"\s+", " ", text)
    return re.sub(r"\s*([-+*/&<>,(){}\[\]=|])\s*", r"\1", text)
