"""The features of a project: parts that are generated beside the operators.

A spec without ``features`` has all of them, like every project made before features existed. ``opforge new`` writes
``DEFAULT``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.errors import Problem
from opforge.spec.source import Token, closest

FEATURES: Mapping[str, str] = {
    "modules": "the operators as torch.nn.Module",
    "fuse": "fuse(model), which replaces expressions in a model by the operators",
    "converter": "torchair's converters, for GE graphs",
    "serving": "register_vllm and register_sglang, for layers of vLLM and sglang",
    "agents": "AGENTS.md, notes for coding assistants",
    "aclnn": "C++ programs that call the operators without PyTorch",
}
DEFAULT = ("modules", "aclnn")


def read_features(words: Sequence[Token] | None, problems: list[Problem]) -> tuple[str, ...] | None:
    """The named features; reports duplicates. None if the spec has no ``features``."""
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
