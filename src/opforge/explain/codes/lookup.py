"""Finds error codes by number or name, recognises them in texts, and names the family of unknown ones."""

from __future__ import annotations

import re
from difflib import get_close_matches

from opforge.explain.codes.acl_codes import ACL_CODES
from opforge.explain.codes.aclnn_codes import ACLNN_CODES
from opforge.explain.codes.code import Code
from opforge.explain.codes.families import family_of
from opforge.explain.codes.letter_codes import LETTER_CODES
from opforge.explain.codes.runtime_codes import RUNTIME_CODES

CODES = {code.number: code for code in (*ACLNN_CODES, *ACL_CODES, *RUNTIME_CODES, *LETTER_CODES)}
_BY_NAME = {code.name: code for code in CODES.values()}

_NUMBER = re.compile(r"\b(?:10[07]|14[58]|16[19]|20[07]|300|361|50[07]|561)\d{3}\b")
_LETTERS = re.compile(r"\bERR0\d{4}\b|\b(?:E[A-FH-LNOZ]\d{4}|E[1-9]\d{4}|W[F14]\d{4})\b(?=[:\[)])")
# The words behind which a number counts as an error code.
_SAID = re.compile(
    r"(?:error ?code|errno|err ?code|retcode|aclnnstatus|runtime result|failed|\bret)(?: is| with|[:=, \[(])*$",
    re.IGNORECASE,
)
_REACH = 40  # characters before a number that may have those words
_LIKE_A_CODE = re.compile(r"\d{5,7}|ERR\d{5}|[EW][A-Z0-9]\d{4}|ACLNN_\w+|ACL_ERROR_\w+", re.IGNORECASE)


def is_code(word: str) -> bool:
    """Whether a word looks like an error code."""
    return _LIKE_A_CODE.fullmatch(word) is not None


def find_code(word: str) -> Code | None:
    """The code with a number or name; for an unknown number of a known family, a code that names the family."""
    word = word.upper()
    return CODES.get(word) or _BY_NAME.get(word) or family_of(word)


def codes_in(text: str) -> list[tuple[int, str]]:
    """The error codes in a text, with their places: numbers behind words such as ``error code is``, and letters."""
    found = [(match.start(), match[0]) for match in _LETTERS.finditer(text)]
    for match in _NUMBER.finditer(text):
        start = match.start()
        if _SAID.search(text[max(0, start - _REACH) : start]):
            found.append((start, match[0]))
    return sorted(found)


def nearest_codes(word: str) -> list[Code]:
    """At most three known codes that are spelled like the word."""
    names = get_close_matches(word.upper(), [*CODES, *_BY_NAME], n=3, cutoff=0.6)
    return [CODES.get(name) or _BY_NAME[name] for name in names]
