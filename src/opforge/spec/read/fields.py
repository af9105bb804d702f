"""Reads the fields of a mapping: checks their kinds, and reports unknown keys with a suggestion."""

from __future__ import annotations

from collections.abc import Callable

from opforge.errors import Problem
from opforge.spec.read.document import Mapping, Scalar, Sequence, Tree
from opforge.spec.source import Token, closest

HANDWRITTEN = "handwritten"  # in place of dimensions


class Fields:
    """The fields of ``owner`` ("op `Add`"). Unknown keys are reported at once, missing ones when they are read.

    A field whose key is misspelled is reported and read, so that a mistake has one message.

    Args:
        tree: the mapping, or None if it is missing and that was reported.
        owner: its name in messages.
        known: the keys it may have.
        problems: the list that mistakes are added to.
        at: the place of problems about missing keys; by default the mapping's own.
    """

    def __init__(
        self,
        tree: Mapping | None,
        owner: str,
        known: tuple[str, ...],
        *,
        problems: list[Problem],
        at: Token | None = None,
    ) -> None:
        self._tree = tree
        self._owner = owner
        self._problems = problems
        self._at = at or (tree.at if tree else None)
        self._misspelled: dict[str, Tree] = {}
        for key, value in tree.entries if tree else ():
            if key.text not in known:
                meant = closest(key.text, known)
                if meant is not None:
                    self._misspelled[meant] = value
                hint = f"did you mean `{meant}`?" if meant else f"valid fields: {', '.join(known)}"
                problems.append(key.problem(f"{owner} has no field `{key.text}`", hint))

    def tree(self, key: str, *, required: bool = False) -> Tree | None:
        """The value of a field, of any kind."""
        found = (self._tree.get(key) or self._misspelled.get(key)) if self._tree else None
        reported = self._tree is None or key in self._misspelled
        if found is None and required and not reported and self._at is not None:
            self._problems.append(self._at.problem(f"{self._owner} has no `{key}`", f"`{key}` must be given"))
        if isinstance(found, Scalar) and found.empty:
            self._problems.append(self._key(key).problem(f"`{key}` is empty", "give it a value, or remove the key"))
            return None
        return found

    def misspelled(self, key: str) -> bool:
        """Whether a misspelling of this key was reported."""
        return key in self._misspelled

    def scalar(self, key: str, *, required: bool = False) -> Scalar | None:
        """A field that is a single value."""
        found = self.tree(key, required=required)
        if found is None or isinstance(found, Scalar):
            return found
        kind = "a list" if isinstance(found, Sequence) else "a mapping"
        self._problems.append(found.at.problem(f"`{key}` must be a single value, not {kind}", "write one value"))
        return None

    def word(self, key: str, *, required: bool = False) -> Token | None:
        """A field that is one word."""
        found = self.scalar(key, required=required)
        return found.at if found is not None else None

    def words(self, key: str, as_list: Callable[[str], str] | None = None) -> tuple[Token, ...] | None:
        """A field that is a list of words. A single word is refused; ``as_list`` turns it into a hint."""
        found = self.tree(key)
        return None if found is None else words_of(found, key, self._problems, as_list)

    def mapping(self, key: str, *, required: bool = False) -> Mapping | None:
        """A field that is a mapping."""
        found = self.tree(key, required=required)
        if found is None or isinstance(found, Mapping):
            return found
        self._problems.append(found.at.problem(f"`{key}` must be a mapping", "write one `name: ...` per line below it"))
        return None

    def _key(self, key: str) -> Token:
        entries = self._tree.entries if self._tree else ()
        return next(token for token, value in entries if token.text == key or value is self._misspelled.get(key))


def shape_of(tree: Tree | None, problems: list[Problem]) -> tuple[tuple[Token, ...] | None, Token | None]:
    """A shape as a list of words, or the word ``handwritten`` in its place."""
    if isinstance(tree, Scalar) and tree.text == HANDWRITTEN:
        return None, tree.at
    return (None if tree is None else words_of(tree, "shape", problems)), None


def mapping_of(tree: Tree, what: str, problems: list[Problem]) -> Mapping | None:
    """The tree as a mapping; otherwise None, after a report."""
    if isinstance(tree, Mapping):
        return tree
    problems.append(tree.at.problem(f"{what} must be a mapping", "write fields: `name: value`"))
    return None


def scalar_of(tree: Tree, what: str, problems: list[Problem]) -> Token | None:
    """The tree as one word, which may be empty; otherwise None, after a report."""
    if isinstance(tree, Scalar):
        return tree.at
    kind = "a list" if isinstance(tree, Sequence) else "a mapping"
    problems.append(tree.at.problem(f"{what} must be a single value, not {kind}", "write one word, or text in quotes"))
    return None


def words_of(
    tree: Tree, key: str, problems: list[Problem], as_list: Callable[[str], str] | None = None
) -> tuple[Token, ...] | None:
    """The tree as a list of words; otherwise None, after a report. ``as_list`` turns a single word into a hint."""
    if isinstance(tree, Scalar):
        hint = as_list(tree.text) if as_list else f"write `{key}: [{tree.text}]`"
        problems.append(tree.at.problem(f"`{key}` must be a list", hint))
        return None
    if isinstance(tree, Mapping):
        problems.append(tree.at.problem(f"`{key}` must be a list", f"for example `{key}: [...]`"))
        return None
    words = []
    for item in tree.items:
        if isinstance(item, Scalar) and not item.empty:
            words.append(item.at)
        else:
            problems.append(item.at.problem(f"`{key}` must be a list of words", f"for example `{key}: [one, two]`"))
    return tuple(words)
