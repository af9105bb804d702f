"""A kernel function's name is free in the headers that kernels include."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opforge.naming import upper_camel
from opforge.spec.check.names import check_op_type
from opforge.spec.source import Token

FORMS = Path(__file__).parents[2] / "templates" / "code" / "ascendc"
HEADERS = [*(FORMS / "op_kernel").glob("*.h"), *(FORMS / "kinds").rglob("*.h")]
NAMESPACES = {
    found
    for header in HEADERS
    for found in re.findall(r"^namespace (\w+) \{", header.read_text(encoding="utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("namespace", sorted(NAMESPACES))
def test_a_namespace_of_kernels_names_no_op(namespace: str) -> None:
    name = upper_camel(namespace)
    assert check_op_type(Token(name, None, 1, 1, name))
