"""Reads single values of a spec: dtypes, formats, SoCs, dimensions, truth values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from opforge.dtypes import ALIASES, DTYPES
from opforge.errors import Problem
from opforge.soc import SOCS, SUPPORTED, soc_of_version
from opforge.spec.dimensions import ACCEPTED, Apply, Dim, DimError, Dots, Size, parse_dim
from opforge.spec.source import Token, closest

# Tensor formats without FORMAT_, from CANN's graph/types.h, except those that no argument can have.
FORMATS = (
    "ND",
    "NCHW",
    "NHWC",
    "NCDHW",
    "NDHWC",
    "NCL",
    "NC",
    "NC1HWC0",
    "NDC1HWC0",
    "FRACTAL_NZ",
    "FRACTAL_NZ_C0_2",
    "FRACTAL_NZ_C0_4",
    "FRACTAL_NZ_C0_8",
    "FRACTAL_NZ_C0_16",
    "FRACTAL_NZ_C0_32",
    "FRACTAL_Z",
    "FRACTAL_Z_3D",
    "FRACTAL_Z_3D_TRANSPOSE",
    "FRACTAL_Z_C04",
    "FRACTAL_Z_G",
    "FRACTAL_Z_WINO",
    "FRACTAL_ZZ",
    "FRACTAL_ZN_LSTM",
    "FRACTAL_ZN_RNN",
    "ND_RNN_BIAS",
    "HWCN",
    "DHWCN",
    "DHWNC",
    "CHWN",
    "CN",
    "C1HWC0",
    "C1HWNC0",
    "C1HWNCoC0",
    "NC1HWC0_C04",
    "NC1C0HWPAD",
    "NHWC1C0",
    "NC1KHKWHWC0",
)
_SOME = "float32, float16, bfloat16, int32, bool"
_SERIES = {
    "a2": "ascend910b",
    "a3": "ascend910_93",
    "910b": "ascend910b",
    "910_93": "ascend910_93",
    "310p": "ascend310p",
    "950": "ascend950",
}
_MOST_DIMS = 8  # the limit for tensors in aclnn and torch_npu
_SYMBOL = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def read_truth(word: Token | None, problems: list[Problem], *, default: bool = False) -> bool:
    """The truth value, or the default for an empty word; reports other words and returns the default."""
    if word is None:
        return default
    if word.text not in ("true", "false"):
        problems.append(word.problem(f"`{word.text}` is not a valid truth value", "write `true` or `false`"))
        return default
    return word.text == "true"


def read_dtype(word: Token, problems: list[Problem]) -> str | None:
    """A dtype, by opforge's name for it."""
    if word.text in DTYPES:
        return word.text
    lowered = word.text.lower().removeprefix("torch.")
    by_ge = next((d.name for d in DTYPES.values() if lowered in (d.ge.lower(), d.ge.lower().removeprefix("dt_"))), None)
    meant = (lowered if lowered in DTYPES else None) or by_ge or ALIASES.get(lowered) or closest(lowered, list(DTYPES))
    hint = f"did you mean `{meant}`?" if meant else f"for example {_SOME}; others: {_others()}"
    problems.append(word.problem(f"`{word.text}` is not a valid dtype", hint))
    return None


def _others() -> str:
    return ", ".join(name for name in DTYPES if name not in _SOME.split(", "))


def read_format(word: Token, problems: list[Problem]) -> str | None:
    """A format, without ``FORMAT_``."""
    if word.text in FORMATS:
        return word.text
    bare = word.text.upper().removeprefix("ACL_").removeprefix("FORMAT_")
    meant = bare if bare in FORMATS else {"NZ": "FRACTAL_NZ"}.get(bare) or closest(bare, FORMATS)
    hint = f"did you mean `{meant}`?" if meant else "for example ND, NCHW, NHWC, NCDHW or FRACTAL_NZ"
    problems.append(word.problem(f"`{word.text}` is not a valid format", hint))
    return None


def read_socs(words: Sequence[Token], problems: list[Problem]) -> tuple[str, ...]:
    """Compute units that opforge generates kernels for, in order; reports duplicates."""
    socs: list[str] = []
    for word in words:
        soc = read_soc(word, problems)
        if soc is not None and soc in socs:
            problems.append(word.problem(f"`{soc}` is given twice", "remove one of them"))
        elif soc is not None:
            socs.append(soc)
    return tuple(socs)


def soc_list(text: str) -> str:
    """The hint for a ``soc`` that is not a list: the list that was probably meant."""
    words = [word for word in re.split(r"[\s,]+", text) if word]
    meant = [word if word in SUPPORTED else _similar_soc(word) for word in words]
    known = [soc for soc in meant if soc in SUPPORTED]
    if len(known) == len(words):
        return f"write `soc: [{', '.join(known)}]`"
    return f"for example `soc: [{SUPPORTED[0]}]`; supported: {', '.join(SUPPORTED)}"


def _similar_soc(word: str) -> str | None:
    chip = soc_of_version(word)
    return chip.name if chip else _SERIES.get(word.lower()) or closest(word, list(SOCS))


def read_soc(word: Token, problems: list[Problem], *, any_known: bool = False) -> str | None:
    """A compute unit that opforge generates kernels for; with ``any_known``, any compute unit."""
    soc = SOCS.get(word.text)
    supported = ", ".join(SUPPORTED)
    if soc is not None:
        if soc.lacks is None or any_known:
            return soc.name
        problems.append(word.problem(f"`{soc.name}` is not supported yet: {soc.lacks}", f"supported: {supported}"))
        return None
    chip = soc_of_version(word.text)
    if chip is not None:
        hint = f"did you mean `{chip.name}`? `{word.text}` is a chip; a spec names the compute unit"
    else:
        meant = _similar_soc(word.text)
        hint = f"did you mean `{meant}`?" if meant else f"supported: {supported}"
    problems.append(word.problem(f"`{word.text}` is not a valid SoC", hint))
    return None


def is_symbol(text: str) -> bool:
    """Whether the text can name a dimension."""
    return _SYMBOL.fullmatch(text) is not None


def read_dims(dims: Sequence[Token], problems: list[Problem], *, output: bool) -> tuple[Dim, ...] | None:
    """The dimensions of a tensor, or None if one is wrong; only outputs may use arithmetic."""
    before = len(problems)
    if len(dims) > _MOST_DIMS + 1:
        what = f"a tensor is limited to {_MOST_DIMS} dimensions; this one has {len(dims)}"
        problems.append(dims[_MOST_DIMS].problem(what, "this is the limit of aclnn and torch_npu"))
        return None
    read = [_read_dim(word, problems, first=place == 0, output=output) for place, word in enumerate(dims)]
    return tuple(dim for dim in read if dim is not None) if len(problems) == before else None


def _read_dim(word: Token, problems: list[Problem], *, first: bool, output: bool) -> Dim | None:
    try:
        dim = parse_dim(word.text)
    except DimError as error:
        start, length = (error.start, error.length) if word.length is None else (0, None)
        problems.append(word.problem(error.what, error.hint, start=start, length=length))
        return None
    if isinstance(dim, Dots) and not first:
        problems.append(word.problem("`...` must come first, and only once", "it means the leading dimensions"))
    elif isinstance(dim, Apply) and not output:
        what = f"`{word.text}` is arithmetic: only outputs can have it"
        problems.append(word.problem(what, f"give the dimension its own symbol; {ACCEPTED}"))
    elif isinstance(dim, Size) and dim.value == 0 and not output:  # an output may be left empty, `shape: [0]`
        hint = "callers may pass empty tensors; a spec does not list them"
        problems.append(word.problem("a dimension of an input must be at least 1", hint))
    else:
        return dim
    return None
