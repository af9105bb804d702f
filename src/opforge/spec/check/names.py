"""Checks the names in a spec, and explains why a name cannot be used.

Sources: the C++17 and Python keyword lists; aclnn's own parameter names (``out``, ``executor``, ``workspaceSize``);
CANN's rule that an op type is UpperCamel and that a vendor is ``[a-z0-9_]`` (CANN operator development guide).
"""

from __future__ import annotations

import keyword
import re
import sys
import unicodedata
from collections.abc import Iterable

from opforge.errors import Problem
from opforge.naming import lower_camel, snake
from opforge.spec.source import Token

LONGEST = 64  # CANN cuts file names made of op type and vendor at 256 characters


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CPP_KEYWORDS = _words(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
    const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
    or_eq private protected public register reinterpret_cast return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq"""
)
_PYTHON_KEYWORDS = frozenset(keyword.kwlist)
# Words that generated code, aclnn or Ascend C use for themselves.
_TAKEN = {
    word: why
    for why, words in {
        "aclnn uses it for one of its own parameters": "out executor workspace workspace_size stream",
        "the kernel uses it for the tiling data": "tiling tiling_data",
        "it is a C++ name": "half bfloat16_t float16_t size_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t "
        "uint64_t main",
        "it is a macro of C": "linux unix stdin stdout stderr errno",
        "generated code uses it for a module or namespace": "torch math at c10 std ge acl aclnn gert ops "
        "opforge elementwise tile_io",
        "generated code uses it for itself": "self cls ctx",
    }.items()
    for word in words.split()
}
_TAKEN_BY_ACLNN = dict.fromkeys(("workspaceSize", "GM_ADDR"), "aclnn or the kernel uses it for itself")
# Functions that C's own headers declare with C linkage: a kernel function of that name would not compile.
_C_FUNCTIONS = _words(
    """abort abs acos asin atan atan2 atof atoi calloc cbrt ceil clock copysign cos cosh div erf erfc exit exp exp2
    expm1 fabs fdim floor fma fmax fmin fmod free frexp gamma getenv hypot ilogb index j0 j1 jn labs ldexp ldiv
    lgamma log log10 log1p log2 logb malloc memcmp memcpy memset modf nan nearbyint nextafter perror pow printf puts
    qsort raise rand read realloc remainder remove rename rint round scalbn signal sin sinh sqrt srand strcmp strlen
    system tan tanh tgamma time trunc write y0 y1 yn"""
)
# Namespaces at file level in CANN's own headers (lib/matmul_intf.h, tiling/tiling_api.h).
_NAMESPACES_OF_CANN = _words("matmul matmul_tiling optiling")
# Namespaces of the headers in op_kernel/opforge, which kernels include.
_NAMESPACES_OF_KERNELS = _words(
    """bias_rows inner_split integer_math matmul_split product_parts row_math rows tile_matmul vector_math whole_blocks
    whole_products"""
)
_PACKAGES = _words(
    """acl click copier cmake jinja2 ninja numpy opforge pip pkg_resources pytest rich setuptools tbe te torch
    torch_npu torchair torchvision triton wheel yaml"""
)
_FOLDERS = frozenset(
    ("aclnn", "benchmarks", "build", "csrc", "dist", "op_host", "op_kernel", "python", "src", "test", "tests")
)
_NAMESPACES = frozenset(("aten", "c10", "at", "npu", "prim", "prims", "quantized", "torch", "torch_npu"))

# Names that an op's generated class uses, and names that are defined next to its module in Python.
_OP_TYPES = {
    **dict.fromkeys(("InferShape", "InferDataType", "OpDef", "OpAICoreConfig"), "op_host uses the name"),
    **dict.fromkeys(("FallbackWarning", "Sequence", "Tensor"), "the Python package uses the name"),
}
_PACKAGE_FUNCTIONS = dict.fromkeys(
    ("fuse", "register_sglang", "register_vllm"), "the Python package has a function of that name"
)

_MIXED = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_UPPER_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")
_PROJECT = r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"
_VERSION = r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){0,4}((a|b|rc)[0-9]+)?(\.post[0-9]+)?(\.dev[0-9]+)?"
_LICENSE = r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*"


def check_op_type(name: Token, *, by_hand: bool = False) -> list[Problem]:
    """Check that an op type is UpperCamel, and that its name and its kernel function's are free in C++ and Python.

    A handwritten op may name its kernel like a function of C, as CANN's own do: the device compiler has no C library.
    """
    text = name.text
    if not _UPPER_CAMEL.fullmatch(text):
        meant = _to_upper_camel(text)
        hint = "expected a capital, then letters and digits, such as `VectorAdd`"
        return [name.problem(f"`{text}` is not a valid op type", f"did you mean `{meant}`? {hint}" if meant else hint)]
    function = snake(text)
    if len(text) > LONGEST:
        return [_too_long(name, "an op type")]
    if text in _OP_TYPES:
        return [name.problem(f"an op type cannot be called `{text}`: {_OP_TYPES[text]}", "use another name")]
    if function in _C_FUNCTIONS and not by_hand:
        what = f"the kernel function of op type `{text}` would be `{function}`, which is a function of the C library"
        return [name.problem(what, f"use another name, such as `Vector{text}`")]
    whose = "CANN's" if function in _NAMESPACES_OF_CANN else "generated"
    if function in _NAMESPACES_OF_CANN or (function in _NAMESPACES_OF_KERNELS and not by_hand):
        what = f"the kernel function of op type `{text}` would be `{function}`, which is a namespace of {whose} headers"
        return [name.problem(what, f"use another name, such as `Plain{text}`")]
    why = _keyword(function) or _TAKEN.get(function) or _PACKAGE_FUNCTIONS.get(function)
    if why:
        what = f"the function of op type `{text}` would be `{function}`: {why}"
        return [name.problem(what, f"use another name, such as `Vector{text}`")]
    return []


def check_variable(name: Token, kind: str, *, by_hand: bool = False) -> list[Problem]:
    """Check that a tensor or attribute name is snake_case and free in C++, Python, aclnn and generated code.

    In a handwritten op it may have capitals, since CANN's own definitions have such names (``weightScale``).
    """
    text = name.text
    if not text:
        return [name.problem(f"an {kind} has no name", "use `x`, `weight` or the name in the formula")]
    if not (_MIXED if by_hand else _SNAKE).fullmatch(text):
        meant = _to_snake(text)
        hint = "expected snake_case: lower-case letters and digits, words joined by single underscores"
        if by_hand:
            hint = "expected a letter, then letters and digits, words joined by single underscores"
        return [
            name.problem(f"`{text}` is not a valid {kind} name", f"did you mean `{meant}`? {hint}" if meant else hint)
        ]
    if len(text) > LONGEST:
        return [_too_long(name, f"an {kind}")]
    why = _keyword(text) or _TAKEN.get(text) or _TAKEN_BY_ACLNN.get(text)
    if by_hand and (text == "self" or (text == "out" and kind == "output")):
        why = None  # common in CANN's and torch's own definitions
    return [name.problem(f"an {kind} cannot be called `{text}`: {why}", "use another name")] if why else []


def check_distinct(names: Iterable[Token], op_function: str | None) -> list[Problem]:
    """Check that tensors and attributes have distinct names, also in aclnn's spelling.

    ``op_function`` is the name of the op's function in generated code; None if generated code does not call it.
    """
    problems: list[Problem] = []
    exact: dict[str, Token] = {}
    camel: dict[str, Token] = {}
    for name in names:
        spelled = lower_camel(name.text)
        if name.text in exact:
            problems.append(
                name.problem(f"`{name.text}` is used twice", "inputs, attrs and outputs share one set of names")
            )
        elif spelled in camel:
            other = camel[spelled].text
            what = f"aclnn spells both `{name.text}` and `{other}` as `{spelled}`"
            problems.append(name.problem(what, "rename one of them"))
        elif name.text == op_function:
            what = f"`{name.text}` is also the name of the op's function"
            problems.append(name.problem(what, "rename it"))
        exact.setdefault(name.text, name)
        camel.setdefault(spelled, name)
    return problems


def check_written_names(names: Iterable[Token], written: Iterable[str]) -> list[Problem]:
    """Check that ``<input>Ref`` in aclnn and ``<input>_ref`` in the kernel, names of written inputs, are free.

    ``names`` are those of inputs, attributes, and outputs with memory of their own.
    """
    taken = {lower_camel(f"{name}_ref"): name for name in written}
    problems = []
    for name in names:
        target = taken.get(lower_camel(name.text))
        if target is not None:
            what = f"`{name.text}` is also CANN's name for `{target}`, to which the op writes"
            problems.append(name.problem(what, "rename it"))
    return problems


def check_backward_names(inputs: Iterable[Token], outputs: Iterable[Token], *, by_hand: bool) -> list[Problem]:
    """Check that the backward's ``grad_<output>`` and ``grad_<input>`` differ from the op's names.

    The backward of a handwritten op has no ``grad_<input>``.
    """
    forward = {name.text: name for name in inputs}
    problems = []
    for made in (*outputs, *(() if by_hand else forward.values())):
        clash = forward.get(f"grad_{made.text}")
        if clash is not None:
            what = f"`{clash.text}` is also the backward's name for the gradient of `{made.text}`"
            problems.append(clash.problem(what, "rename it, or turn the backward off with `backward: false`"))
    return problems


def check_op_types_distinct(names: Iterable[Token]) -> list[Problem]:
    """Check that ops have distinct file names, also on a file system that ignores case."""
    problems: list[Problem] = []
    files: dict[str, Token] = {}
    for name in names:
        stem = snake(name.text)
        if stem in files:
            other = files[stem].text
            problems.append(
                name.problem(f"`{name.text}` and `{other}` would both be `{stem}.cpp`", "rename one of them")
            )
        files.setdefault(stem, name)
    return problems


def check_package(name: Token) -> list[Problem]:
    """Check that a Python package name shadows no module and is valid as a namespace of TORCH_LIBRARY."""
    text = name.text
    if not _SNAKE.fullmatch(text):
        meant = _to_snake(text)
        hint = "expected snake_case, such as `vector_add`"
        return [
            name.problem(f"`{text}` is not a valid package name", f"did you mean `{meant}`? {hint}" if meant else hint)
        ]
    why = _keyword(text)
    if text in sys.stdlib_module_names:
        why = "it is a module of Python's standard library"
    elif text in _PACKAGES:
        why = "an installed distribution is imported by that name"
    elif text in _NAMESPACES:
        why = "torch.ops uses that namespace for itself"
    elif text in _FOLDERS:
        why = "a project has a folder of that name"
    elif len(text) > LONGEST:
        return [_too_long(name, "a package")]
    return [name.problem(f"a package cannot be called `{text}`: {why}", "use another name")] if why else []


def check_vendor(name: Token) -> list[Problem]:
    """Check a vendor name: lower-case letters, digits and underscores, as CANN requires."""
    if re.fullmatch(r"[a-z][a-z0-9_]*", name.text) and len(name.text) <= LONGEST:
        return []
    hint = f"expected a letter, then lower-case letters, digits and underscores, at most {LONGEST} characters"
    return [name.problem(f"`{name.text}` is not a valid vendor name", hint)]


def check_project(name: Token) -> list[Problem]:
    """Check the distribution's name by Python's packaging rule."""
    if re.fullmatch(_PROJECT, name.text) and len(name.text) <= LONGEST:
        return []
    hint = "expected letters and digits, with `.`, `_`, `-` between them"
    return [name.problem(f"`{name.text}` is not a valid project name", hint)]


def check_version(version: Token) -> list[Problem]:
    """Check a release number by Python's packaging rule, without the local part, which the build adds."""
    if re.fullmatch(_VERSION, version.text):
        return []
    hint = "expected a version such as `0.1.0` or `1.0rc1`; the build adds the part after `+`"
    return [version.problem(f"`{version.text}` is not a valid version", hint)]


def check_license(license_: Token) -> list[Problem]:
    """Check an SPDX expression, which op sources have in their first line."""
    if re.fullmatch(_LICENSE, license_.text):
        return []
    return [
        license_.problem(
            f"`{license_.text}` is not a valid SPDX license expression",
            "for example `Apache-2.0` or `MIT OR BSD-3-Clause`",
        )
    ]


def _keyword(text: str) -> str | None:
    cpp, python = text in _CPP_KEYWORDS, text in _PYTHON_KEYWORDS
    if cpp or python:
        return f"it is a keyword of {'C++ and Python' if cpp and python else 'C++' if cpp else 'Python'}"
    return None


def _too_long(name: Token, kind: str) -> Problem:
    return name.problem(
        f"{kind} is limited to {LONGEST} characters; this one has {len(name.text)}", "use a shorter name"
    )


def _to_snake(text: str) -> str | None:
    meant = re.sub(r"_+", "_", snake(re.sub(r"[^A-Za-z0-9]+", "_", text))).strip("_")
    return meant if _SNAKE.fullmatch(meant) and not _keyword(meant) else None


def _to_upper_camel(text: str) -> str | None:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))  # Foo of Föö
    if not plain.isascii():
        return None
    meant = "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", plain))
    return meant if _UPPER_CAMEL.fullmatch(meant) and meant != text else None
