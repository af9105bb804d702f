"""What is generated beside the operators themselves, and what of it a project has.

A spec that does not name features has all of them: so had every project before there was a choice. ``opforge new``
names ``DEFAULT``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.errors import Problem
from opforge.spec.source import Token, closest

FEATURES: Mapping[str, str] = {
    "modules": "the operators as torch.nn.Module",
    "fuse": "fuse(model), which replaces what the operators compute in a model",
    "converter": "torchair's converters, for GE graphs",
    "aclnn": "C++ programs that call the operators without PyTorch",
}
DEFAULT = ("modules", "aclnn")


def read_features(words: Sequence[Token] | None, problems: list[Problem]) -> tuple[str, ...] | None:
    """The features that were named, none twice; None where none were asked about."""
    if words is None:
        return None
    chosen: list[str] = []
    for word in words:
        if word.text not in FEATURES:
            meant = closest(word.text, list(FEATURES))
            hint = f"did you mean `{meant}`?" if meant else f"the features are {', '.join(FEATURES)}"
            problems.append(word.problem(f"`{word.text}` is not a valid feature", hint))
        elif word.text in chosen:
            problems.append(word.problem(f"`{word.text}` is given twice", "remove one of them"))
        else:
            chosen.append(word.text)
    return tuple(chosen)
