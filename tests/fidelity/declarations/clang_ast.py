"""What libclang knows of a declaration and its Python binding does not wrap: printing, evaluation, presumed text."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path

from clang import cindex
from clang.cindex import Config, Cursor, TranslationUnit

_TERSE_OUTPUT = 20  # CXPrintingPolicy_TerseOutput
_LIBRARY = cindex.conf.lib

for _name, _arguments, _result in (
    ("clang_getCursorPrintingPolicy", [Cursor], ctypes.c_void_p),
    ("clang_PrintingPolicy_setProperty", [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint], None),
    ("clang_getCursorPrettyPrinted", [Cursor, ctypes.c_void_p], cindex._CXString),
    ("clang_PrintingPolicy_dispose", [ctypes.c_void_p], None),
    ("clang_Cursor_Evaluate", [Cursor], ctypes.c_void_p),
    ("clang_EvalResult_getKind", [ctypes.c_void_p], ctypes.c_int),
    ("clang_EvalResult_getAsLongLong", [ctypes.c_void_p], ctypes.c_longlong),
    ("clang_EvalResult_getAsUnsigned", [ctypes.c_void_p], ctypes.c_ulonglong),
    ("clang_EvalResult_isUnsignedInt", [ctypes.c_void_p], ctypes.c_uint),
    ("clang_EvalResult_dispose", [ctypes.c_void_p], None),
    ("clang_Cursor_isMacroFunctionLike", [Cursor], ctypes.c_uint),
    ("clang_Cursor_isFunctionInlined", [Cursor], ctypes.c_uint),
):
    _function = getattr(_LIBRARY, _name)
    _function.argtypes, _function.restype = _arguments, _result
_LIBRARY.clang_getCursorPrettyPrinted.errcheck = cindex._CXString.from_result

_EVALUATED_INTEGER = 1


def printed(cursor: Cursor) -> str:
    """The declaration as the compiler writes it: macros are expanded, bodies left out."""
    policy = _LIBRARY.clang_getCursorPrintingPolicy(cursor)
    _LIBRARY.clang_PrintingPolicy_setProperty(policy, _TERSE_OUTPUT, 1)
    text = _LIBRARY.clang_getCursorPrettyPrinted(cursor, policy)
    _LIBRARY.clang_PrintingPolicy_dispose(policy)
    return str(text)


def evaluated(cursor: Cursor) -> int | None:
    """The value of a constant of an integral type, if the compiler can tell it."""
    result = _LIBRARY.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    value = None
    if _LIBRARY.clang_EvalResult_getKind(result) == _EVALUATED_INTEGER:
        unsigned = _LIBRARY.clang_EvalResult_isUnsignedInt(result)
        read = _LIBRARY.clang_EvalResult_getAsUnsigned if unsigned else _LIBRARY.clang_EvalResult_getAsLongLong
        value = int(read(result))
    _LIBRARY.clang_EvalResult_dispose(result)
    return value


def is_function_like(macro: Cursor) -> bool:
    return bool(_LIBRARY.clang_Cursor_isMacroFunctionLike(macro))


@cache
def compiler_headers() -> str:
    """The folder with stddef.h and its like: libclang's package has none of its own."""
    command = ["g++", "-print-file-name=include"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def parse(source: str, arguments: list[str]) -> TranslationUnit:
    """Parses a unit of its own text. Function bodies are skipped: a declaration ends before them."""
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
    arguments = ["-x", "c++", "-isystem", compiler_headers(), "-ferror-limit=0", *arguments]
    return cindex.Index.create().parse("unit.cpp", arguments, [("unit.cpp", source)], options)


__all__ = ["Config", "Path", "compiler_headers", "evaluated", "is_function_like", "parse", "printed"]
