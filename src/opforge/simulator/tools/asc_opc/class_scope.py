"""Member templates that are specialised inside of their class, written as g++ takes them.

The device's compiler takes ``template <> void operator()<AscendC::AIC>(...)`` in a class, as C++ has it since CWG 727.
g++ 12 refuses it (its bug 85282). Here each function becomes an overload with a condition on the parameters of the
template that it belongs to, and each class a partial specialisation with one parameter more. Lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SPECIALISED = re.compile(r"\btemplate\s*<\s*>")
TOKEN = re.compile(
    r'^\# \d+ .*$|R"([^()\\\s]*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[{};]', re.MULTILINE
)
_MARKER = re.compile(r"^# \d+ .*$", re.MULTILINE)
_BEFORE = re.compile(r"(?:\s|^# \d+ .*$|\b(?:public|private|protected)\s*:(?!:))*", re.MULTILINE)
_TEMPLATE = re.compile(r"template\s*(?=<)")
_NAME = re.compile(r"\boperator\s*\(\s*\)|\b[A-Za-z_]\w*")
_NO_NAMES = frozenset({"__attribute__", "alignas", "decltype", "noexcept", "explicit", "requires"})
_CLASS = re.compile(r"(?<!enum )\b(?:class|struct|union)\b")
_OPEN, _CLOSE = "([{<", ")]}>"
_ONE_MORE = "simSpecialised"  # the parameter that makes a class's specialisation a partial one


@dataclass(frozen=True)
class _Member:
    """A member template, by places in the text."""

    name: str
    is_class: bool
    begin: int
    head: tuple[int, int]  # <...> behind `template`
    arguments: tuple[int, int] | None  # <...> behind its name
    parameters: tuple[int, int]  # inside of the parentheses of a function
    end: int  # at its body, or at the semicolon
    declared: bool  # without a body


@dataclass
class _Scope:
    """What a brace opened, and the templates in it."""

    is_class: bool
    members: list[_Member] = field(default_factory=list)


def with_conditions(text: str) -> str:
    """Preprocessed text in which each such specialisation is an overload with a condition."""
    if not _SPECIALISED.search(text):
        return text
    changes: list[tuple[int, int, str]] = []
    for scope in _classes(text):
        changes += _changes(text, scope.members)
    for begin, end, instead in sorted(changes, reverse=True):
        text = text[:begin] + instead + text[end:]
    return text


def _classes(text: str) -> Iterator[_Scope]:
    """The classes that specialise a member."""
    scopes = [_Scope(is_class=False)]
    begin = 0
    for token in TOKEN.finditer(text):
        letter, at = token[0], token.start()
        if letter not in ("{", "}", ";"):
            continue
        if letter != "}":
            heads, rest = _heads(text, begin, at)
            if scopes[-1].is_class and heads:
                member = _member(text, heads, rest, at, declared=letter == ";")
                if member is not None:
                    scopes[-1].members.append(member)
        if letter == "{":
            scopes.append(_Scope(opens_class(text[rest:at])))
        elif letter == "}" and len(scopes) > 1:
            closed = scopes.pop()
            if closed.is_class and any(member.arguments for member in closed.members):
                yield closed
        begin = token.end()


def opens_class(declaration: str) -> bool:
    """Whether a brace behind this declaration, of which the template's head is gone, opens a class."""
    plain = _MARKER.sub(" ", declaration).rstrip()
    function = (
        re.search(r"\)[\s\w&]*$", plain) is not None and re.search(r"\balignas\s*\([^()]*\)\s*\w+$", plain) is None
    )
    return _CLASS.search(plain) is not None and not function and "=" not in plain.partition(":")[0]


def rest_of(text: str, begin: int, end: int) -> int:
    """Where a declaration begins behind the heads of its templates."""
    return _heads(text, begin, end)[1]


def _closed(text: str, at: int, end: int) -> int:
    """Past the bracket that closes the one at ``at``; -1 if it is not closed before ``end``."""
    depth = 0
    for place in range(at, end):
        letter = text[place]
        if letter == ">" and text[place - 1] == "-":
            continue
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if depth == 0:
            return place + 1
    return -1


def _heads(text: str, begin: int, end: int) -> tuple[list[tuple[int, int]], int]:
    """The ``<...>`` of the templates that a declaration begins with, and where the rest of it begins."""
    heads: list[tuple[int, int]] = []
    at = _BEFORE.match(text, begin, end).end()  # type: ignore[union-attr]
    while (word := _TEMPLATE.match(text, at, end)) is not None:
        closed = _closed(text, word.end(), end)
        if closed < 0:
            break
        heads.append((word.end(), closed))
        at = _BEFORE.match(text, closed, end).end()  # type: ignore[union-attr]
    return heads, at


def _member(text: str, heads: list[tuple[int, int]], rest: int, end: int, *, declared: bool) -> _Member | None:
    """The template of a declaration; None for other declarations."""
    begin = text.rfind("template", 0, heads[0][0])
    keyword = re.compile(r"(class|struct|union|using|friend)\b\s*(\w*)\s*").match(text, rest, end)
    if keyword is not None:
        if keyword[1] in ("using", "friend") or not keyword[2]:
            return None
        at = keyword.end()
        arguments = (at, _closed(text, at, end)) if at < end and text[at] == "<" else None
        return _Member(keyword[2], True, begin, heads[-1], arguments, (end, end), end, declared)
    for name in _NAME.finditer(text, rest, end):
        at = re.compile(r"\s*").match(text, name.end(), end).end()  # type: ignore[union-attr]
        arguments = None
        if at < end and text[at] == "<":
            closed = _closed(text, at, end)
            if closed < 0:
                continue
            arguments = (at, closed)
            at = re.compile(r"\s*").match(text, closed, end).end()  # type: ignore[union-attr]
        if at < end and text[at] == "(" and name[0] not in _NO_NAMES:
            closed = _closed(text, at, end)
            if closed < 0:
                return None
            plain = re.sub(r"\s", "", name[0])
            return _Member(plain, False, begin, heads[-1], arguments, (at + 1, closed - 1), end, declared)
    return None


def split(text: str) -> Iterator[str]:
    """The parts between commas outside of brackets."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        if letter == ">" and text[at - 1] == "-":
            continue
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:]


def _parts(text: str, place: tuple[int, int]) -> list[str]:
    """What stands between the commas of a list at this place, each on one line."""
    return [" ".join(part.split()) for part in split(_MARKER.sub(" ", text[slice(*place)]))]


def _inside(brackets: tuple[int, int]) -> tuple[int, int]:
    return brackets[0] + 1, brackets[1] - 1


def _changes(text: str, members: list[_Member]) -> Iterator[tuple[int, int, str]]:
    """What to write instead, by place, for the specialisations of one class and for what they specialise."""
    conditions: dict[_Member, list[str]] = {}
    widened: set[_Member] = set()
    for member in members:
        primary = _primary(text, members, member)
        if primary is None or member.arguments is None:
            continue
        if member.is_class:
            widened.add(primary)
            yield (*_inside(member.head), f"bool {_ONE_MORE}")
            yield (member.arguments[1] - 1, member.arguments[1] - 1, f", {_ONE_MORE}")
            continue
        parameters = _parts(text, _inside(primary.head))
        names = [re.search(r"(\w+)$", parameter.partition("=")[0].strip()) for parameter in parameters]
        arguments = _parts(text, _inside(member.arguments))
        if None in names or len(arguments) > len(names) or any(re.search(r"\.\.\.|^template\b", p) for p in parameters):
            continue
        known = [name[1] for name in names if name is not None]
        condition = " && ".join(
            f"std::is_same<{name}, {argument}>::value"
            if re.match(r"typename\b|class\b", parameter)
            else f"({name} == ({argument}))"
            for parameter, name, argument in zip(parameters, known, arguments, strict=False)
        )
        conditions.setdefault(primary, []).append(condition)
        head = f"<{', '.join(parameters)}, std::enable_if_t<{condition}, int> = 0>"
        taken = ", ".join(_deduced(text, primary, member, known))
        for place, instead in ((member.head, head), (member.arguments, ""), (member.parameters, taken)):
            yield (*place, instead + "\n" * text.count("\n", *place))
    for primary in widened:
        yield (primary.head[1] - 1, primary.head[1] - 1, f", bool {_ONE_MORE} = true")
    for primary, held in conditions.items():
        if primary.declared:
            yield (primary.begin, primary.end, "\n" * text.count("\n", primary.begin, primary.end))
        else:
            other = " && ".join(f"!({condition})" for condition in held)
            yield (primary.head[1] - 1, primary.head[1], f", std::enable_if_t<{other}, int> = 0>")


def _primary(text: str, members: list[_Member], member: _Member) -> _Member | None:
    """The template that a member specialises."""
    if member.arguments is None or _parts(text, _inside(member.head)):
        return None
    count = len(_parts(text, member.parameters))
    for other in members:
        named = (other.name, other.is_class, other.arguments) == (member.name, member.is_class, None)
        if (
            named
            and other.begin < member.begin
            and _parts(text, _inside(other.head))
            and len(_parts(text, other.parameters)) == count
        ):
            return other
    return None


def _deduced(text: str, primary: _Member, member: _Member, names: list[str]) -> Iterator[str]:
    """A specialisation's parameters, with the types of the template's where these name one of ``names``."""
    for general, own in zip(_parts(text, primary.parameters), _parts(text, member.parameters), strict=True):
        called = [re.search(r"(\w+)\s*$", each.partition("=")[0]) for each in (general, own)]
        if called[0] is None or called[1] is None or not {*names} & {*re.findall(r"\w+", general)}:
            yield own
        else:
            yield general[: called[0].start()] + called[1][1]
