"""Tables miss no member, and facts that stand in two places agree."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house_rules.repository import PACKAGE, ROOT, show, text_of


def operator_tables() -> dict[str, set[str]]:
    """Every table with a row for each operator of the IR."""
    from opforge.ir.builder import FOLDS
    from opforge.ir.derivative_rules import DERIVATIVE
    from opforge.ir.evaluate import MEANING
    from opforge.render.ascendc.scalars import SPELLINGS
    from opforge.render.torch.spelling import SCALAR, TENSOR

    return {
        "meaning in torch": set(MEANING),
        "derivative": set(DERIVATIVE),
        "meaning of constants": set(FOLDS),
        "spelling in Python": set(TENSOR),
        "spelling in Python, numbers": set(SCALAR),
        "spelling in op_host": set(SPELLINGS) - {"cast"},
    }


@pytest.mark.torch
def test_every_operator_is_in_every_table() -> None:
    from opforge.ir.graph import OPERATORS
    from opforge.spec.language import REDUCTIONS, TOTALS

    for table, members in operator_tables().items():
        reduced = {*REDUCTIONS, *TOTALS} if table == "derivative" else set()
        assert members == {*OPERATORS, *reduced}, table


@pytest.mark.torch
def test_every_operator_of_integers_alone_is_in_every_table() -> None:
    """And that of floats which has another meaning for integers."""
    from opforge.ir.evaluate import MEANING_OF_INTEGERS
    from opforge.plan.whole_numbers import WHOLE_OPERATORS
    from opforge.render.ascendc.cpp_golden import OF_INTEGERS as IN_DOUBLES
    from opforge.render.torch.integer_spelling import OF_INTEGERS
    from opforge.spec.language import INTEGER_ONLY

    for table in (MEANING_OF_INTEGERS, WHOLE_OPERATORS.keys() - {"abs", "sign", "relu"}, IN_DOUBLES, OF_INTEGERS):
        assert set(table) == {*INTEGER_ONLY, "fmod"}


def test_every_instruction_of_a_plan_is_a_function_of_the_simulator() -> None:
    """Or of the headers that projects bring along."""
    from opforge.render.ascendc.instruction_spelling import CALLS, FUNCTIONS, INTEGER_FUNCTIONS

    headers = "".join(text_of(path) for path in (PACKAGE / "simulator/kernel/include").rglob("*.h"))
    owned = {"vector_math.h": FUNCTIONS, "integer_math.h": INTEGER_FUNCTIONS}
    theirs = CALLS.keys() - {name for names in owned.values() for name in names}
    missing = {name for name in theirs if not re.search(rf"\b{name}[(,]", headers)}
    for header, names in owned.items():
        own = text_of(ROOT / "templates/code/ascendc/op_kernel" / header)
        missing |= {name for name in names if f" void {name}(" not in own}
    assert not missing


def test_every_operator_has_a_test() -> None:
    """By name, in the tests of what gives it its meaning."""
    from opforge.ir.graph import OPERATORS

    tests = "".join(text_of(path) for path in (ROOT / "tests" / "ir").rglob("*.py"))
    missing = {name for name in OPERATORS if not re.search(rf"\b{name}\b", tests)}
    assert not missing


def test_the_toolkits_own_list_of_socs_is_the_table() -> None:
    """The programs of the toolkit run without opforge, and so carry what they need of the table."""
    from opforge.soc import SOCS

    script = ast.parse(text_of(PACKAGE / "simulator/tools/cmake/scripts/kernel_columns.py"))
    assigned = [node for node in script.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SOCS"]
    assert len(assigned) == 1
    listed = ast.literal_eval(assigned[0].value)
    assert listed == {soc.name: (soc.default_version.name, soc.npu_arch) for soc in SOCS.values()}


def test_the_device_simulates_the_chip_that_install_takes_for_the_default() -> None:
    from opforge.soc import SIMULATED_BY_DEFAULT

    settings = text_of(PACKAGE / "simulator/device/runtime/settings.cpp")
    assert f'soc == nullptr ? "{SIMULATED_BY_DEFAULT}" : soc' in settings


def test_goldens_have_a_test() -> None:
    """A golden file whose name no test beside it knows is a leftover."""
    orphans = []
    for folder in (ROOT / "tests").rglob("golden"):
        sources = "".join(text_of(path) for path in folder.parent.glob("*.py"))
        for path in folder.rglob("*"):
            words = {*path.relative_to(folder).parts, path.stem}
            if path.is_file() and not any(word in sources for word in words):
                orphans.append(str(path.relative_to(ROOT)))
    assert not orphans, show(orphans)
