"""Names that are also those of CANN's own operators."""

from __future__ import annotations

import pytest

from opforge.spec.check.built_in import _names, describe, namesakes


@pytest.mark.parametrize(
    ("op_type", "built_in", "header"),
    [
        ("SwiGLU", "SwiGlu", "aclnn_swi_glu.h"),
        ("SwiGLUGrad", "SwiGluGrad", "aclnn_swi_glu_grad.h"),
        ("SwiGlu", "SwiGlu", "aclnn_swi_glu.h"),
        ("Swiglu", "SwiGlu", None),  # aclnn_swiglu.h is another file
        ("Matmul", "Matmul", "aclnn_matmul.h"),
    ],
)
def test_the_built_in_op_and_the_header_that_both_have(op_type: str, built_in: str, header: str | None) -> None:
    (found,) = namesakes([op_type])
    assert (found.built_in, found.header) == (built_in, header)


def test_other_names_are_nobody_s() -> None:
    assert namesakes(["VectorAdd", "Axpy", "GeGLU", "ReGLU", "SiluMul", "Linear", "SwiGLU2"]) == ()


def test_the_whole_text() -> None:
    assert describe(namesakes(["SwiGLU", "SwiGLUGrad"])) == (
        "CANN has ops with nearly the same names: SwiGLU (built in: SwiGlu), SwiGLUGrad (built in: SwiGluGrad)\n"
        "  CANN and this project both have aclnn_swi_glu.h, aclnn_swi_glu_grad.h, with the same include guard: "
        "C++ files can include only one of the two; generated code includes this project's"
    )
    assert describe(namesakes(["Matmul"])).endswith(
        "\n  both export aclnnMatmul: link only one of the libraries; generated code opens this project's by its path"
    )


def test_every_name_is_an_op_type_and_stands_once() -> None:
    names = [name for alike in _names().values() for name in alike]
    assert len(names) == len(set(names)) > 1000
    assert all(name.isalnum() and name[0].isupper() for name in names)
