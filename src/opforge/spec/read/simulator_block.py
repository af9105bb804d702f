"""Reads and checks the ``simulator`` block: the rules of the simulated device and the breaches that it allows.

simulator:
  rules: device
  allow:
    - {rule: gm-tail, op: Add, in: op_kernel/add.h, why: its tensors have room behind them}
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from opforge.errors import Problem
from opforge.spec.device_rules import OPEN_RULES
from opforge.spec.draft import AllowDraft, SimulatorDraft
from opforge.spec.model import Allowed, OpSpec, SimulatorSpec
from opforge.spec.read.document import Mapping, Tree
from opforge.spec.read.document import Sequence as List
from opforge.spec.read.fields import Fields
from opforge.spec.source import Token, closest

SIMULATOR_FIELDS = ("rules", "allow")
ALLOW_FIELDS = ("rule", "op", "in", "level", "why")
MODES = ("device", "documented")
LEVELS = ("silent", "warning")
_LONGEST = 200
_FILE = re.compile(r"(?!/)(?!.*(^|/)\.\.?(/|$))[^\x00-\x1f\x7f]+")
_EXAMPLE = "for example `- {rule: gm-tail, op: Add, in: op_kernel/add.h, why: its tensors have room behind them}`"


def read_simulator(tree: Mapping | None, problems: list[Problem]) -> SimulatorDraft:
    """The value of ``simulator``."""
    if tree is None:
        return SimulatorDraft()
    fields = Fields(tree, "simulator", SIMULATOR_FIELDS, problems=problems)
    rules, allow = fields.word("rules"), fields.tree("allow")
    if allow is None:
        return SimulatorDraft(rules)
    if not isinstance(allow, List):
        problems.append(allow.at.problem("`allow` must be a list", _EXAMPLE))
        return SimulatorDraft(rules)
    return SimulatorDraft(rules, tuple(_read_entry(item, problems) for item in allow.items))


def _read_entry(tree: Tree, problems: list[Problem]) -> AllowDraft:
    if not isinstance(tree, Mapping):
        problems.append(tree.at.problem("an entry of `allow` must be a mapping", _EXAMPLE))
        return AllowDraft(tree.at, wrong=True)
    fields = Fields(tree, "an entry of `allow`", ALLOW_FIELDS, problems=problems)
    before = len(problems)
    words = {key: fields.word(key) for key in ALLOW_FIELDS if key != "why"}
    wrong = len(problems) > before or any(fields.misspelled(key) for key in words)
    words["why"] = fields.word("why", required=True)
    return AllowDraft(tree.at, words["rule"], words["op"], words["in"], words["level"], words["why"], wrong=wrong)


def assemble_simulator(draft: SimulatorDraft, ops: Sequence[OpSpec] | None, problems: list[Problem]) -> SimulatorSpec:
    """The checked block. ``ops`` None: some ops could not be read, so any name of an op is accepted."""
    types = None
    if ops is not None:
        types = [name for op in ops for name in (op.type, *((f"{op.type}Grad",) if op.backward else ()))]
    rules = _one_of(draft.rules, MODES, "a mode of the simulator", problems)
    allowed = [_allowed(entry, types, problems) for entry in draft.allow]
    return SimulatorSpec(rules, tuple(entry for entry in allowed if entry is not None))


def _allowed(draft: AllowDraft, types: Sequence[str] | None, problems: list[Problem]) -> Allowed | None:
    if draft.wrong:
        return None
    if draft.rule is None and draft.op is None and draft.file is None:
        what = "an entry of `allow` needs `rule`, `op` or `in`"
        problems.append(draft.at.problem(what, "to allow everything that devices allow, write `rules: device`"))
    rule = _one_of(draft.rule, OPEN_RULES, "a rule that can be allowed", problems)
    op = _one_of(
        draft.op, types if types is not None else [draft.op.text] if draft.op else [], "an op of this project", problems
    )
    if draft.file is not None and (not _FILE.fullmatch(draft.file.text) or len(draft.file.text) > _LONGEST):
        hint = "expected the path of a kernel source, or its end, such as `op_kernel/add.h`"
        problems.append(draft.file.problem(f"`{draft.file.text}` is not a valid source path", hint))
    if draft.why is not None and not draft.why.text.strip():
        problems.append(draft.why.problem("`why` is empty", "say why the kernel may break the rule"))
    level = _one_of(draft.level, LEVELS, "a level", problems)
    file = draft.file.text if draft.file is not None else None
    why = draft.why.text.strip() if draft.why is not None else ""
    return Allowed(why, rule, op, file, warn=level == "warning")


def _one_of(word: Token | None, known: Collection[str], what: str, problems: list[Problem]) -> str | None:
    if word is None or word.text in known:
        return word.text if word is not None else None
    meant = closest(word.text, list(known))
    hint = f"did you mean `{meant}`?" if meant else f"expected one of {', '.join(sorted(known))}"
    problems.append(word.problem(f"`{word.text}` is not {what}", hint))
    return None
