"""Shapes of outputs found by asking: what each InferShape, here a Python function, comes to in a spec."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from opforge.spec.foreign.infer_shape_calls import questions
from opforge.spec.foreign.inferred_lists import LISTED, lengths, of_instance, split_lists
from opforge.spec.foreign.inferred_shapes import inferred
from opforge.spec.foreign.read_back import (
    Attr,
    Columns,
    Definition,
    Param,
    values_of_texts,
    without_strange_dtypes,
)

Shapes = Any


def param(name: str, kind: str = "required", value_depend: str | None = None) -> Param:
    return Param(name, kind, scalar=False, scalar_list=False, value_depend=value_depend, strided=False)


def definition(inputs: str, outputs: str, attrs: tuple[Attr, ...] = ()) -> Definition:
    kinds = {"?": "optional", "*": "dynamic"}
    ins = tuple(param(n.rstrip("?#*"), kinds.get(n[-1], "required"), "required" if "#" in n else None)
                for n in inputs.split())  # fmt: skip
    outs = tuple(map(param, outputs.split()))
    columns = (Columns(("float32",), ("ND",)),) * (len(ins) + len(outs))
    return Definition("Some", "some", ins, attrs, outs, {"ascend910b": columns}, infers_shape=True, tiles=True)


def found(what: Definition, infer: Callable[..., Any]) -> Any:
    """``infer`` takes the shapes and the attributes; None, and an error, refuse."""
    asked = questions(what)
    answers = []
    for question in asked:
        try:
            answers.append(infer(*question.shapes, *question.attrs))
        except (IndexError, TypeError, ValueError):
            answers.append(None)
    return inferred(what, asked, answers)


def broadcast(x: Shapes, y: Shapes) -> Shapes:
    rank = max(len(x), len(y))
    pairs = zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y, strict=True)
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        raise ValueError("no broadcast")
    return (tuple(map(max, (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y)),)


def matrix_product(x: Shapes, w: Shapes) -> Shapes:
    return ((x[0], w[1]),) if len(x) == len(w) == 2 and x[1] == w[0] else None


def some_ranks(x: Shapes, w: Shapes) -> Shapes:
    return ((x[0], w[-1]),) if len(x) in (2, 3) else None


def halves_alone(x: Shapes) -> Shapes:
    return ((*x[:-1], x[-1] // 2),) if x[-1] % 2 == 0 else None


def refused(*_: Shapes) -> Shapes:
    return None


AXIS = (Attr("axis", "int", -1),)
KEEP = (Attr("keep", "bool", False),)
SIZE = (Attr("size", "int", None),)


@pytest.mark.parametrize(
    ("what", "infer", "dims"),
    [
        (definition("x", "y"), lambda x: (x,), {"y": ("...",)}),
        (definition("x gamma", "y"), lambda *x: (x[0],), {"gamma": ("...gamma",), "y": ("...",)}),
        (definition("x y", "z"), broadcast, {"z": ("...",)}),
        (definition("x y?", "z"), lambda *x: (x[0],), {"y": ("...y",), "z": ("...",)}),
        (definition("a b", "y z"), lambda *x: (x[1], x[0]), {"b": ("...b",), "y": ("...b",), "z": ("...",)}),
        (
            definition("a* b", "y"),
            lambda *x: ((*x[1][:-1], 3),),
            {"a": ("...a",), "b": ("...", "N"), "y": ("...", "3")},
        ),
        (definition("x", "y count"), lambda x: (x, (1,)), {"y": ("...",), "count": ("1",)}),
        (definition("x", "y"), lambda _: ((),), {"y": ()}),
        (
            definition("x gamma", "y rstd"),
            lambda *x: (x[0], (*x[0][:-1], 1)),
            {"x": ("...", "N"), "gamma": ("...gamma",), "y": ("...", "N"), "rstd": ("...", "1")},
        ),
        (definition("x", "y"), lambda x: (x[:-1],), {"x": ("...", "N"), "y": ("...",)}),
        (definition("x", "y"), lambda x: ((*x[:-1], x[-1] // 2),), {"x": ("...", "N"), "y": ("...", "N // 2")}),
        (definition("x", "y"), halves_alone, {"x": ("...", "N"), "y": ("...", "N // 2")}),
        (
            definition("x", "y"),
            lambda x: ((*x[:-1], (x[-1] + 7) // 8),),
            {"x": ("...", "N"), "y": ("...", "(N + 7) // 8")},
        ),
        (definition("x", "y"), lambda x: ((*x[:-2], x[-1], x[-2]),), {"x": ("...", "M", "N"), "y": ("...", "N", "M")}),
        (
            definition("x", "y dgamma"),
            lambda x: (x, (x[-1],)),
            {"x": ("...", "N"), "y": ("...", "N"), "dgamma": ("N",)},
        ),
        (definition("x", "y", SIZE), lambda x, size: ((*x, size),), {"y": ("...", "size")}),
        (definition("x", "y", SIZE), lambda x, size: ((*x[:-1], size),), {"x": ("...", "N"), "y": ("...", "size")}),
        (
            definition("x", "y", SIZE),
            lambda x, size: ((*x[:-1], x[-1] * size),),
            {"x": ("...", "N"), "y": ("...", "N * size")},
        ),
        (definition("x sizes#", "y"), lambda *_: ((5,),), {"y": ("5",)}),
        (definition("x", "y"), refused, {"y": None}),
        (definition("x w", "y"), matrix_product, {"x": ("M", "N"), "w": ("N", "K"), "y": ("M", "K")}),
        (
            definition("x index", "y"),
            lambda x, index: ((index[0], x[1]),) if (len(x), len(index)) == (2, 1) else None,
            {"x": ("M", "N"), "index": ("K",), "y": ("K", "N")},
        ),
        (
            definition("x", "y", SIZE),
            lambda x, size: ((size, x[0] + 1, 5),) if len(x) == 2 else None,
            {"x": ("M", "N"), "y": ("size", "M + 1", "5")},
        ),
        (definition("x w", "y"), some_ranks, {"w": ("...w",), "y": None}),
        (definition("x", "y", SIZE), lambda _, size: ((size, 7),), {"y": ("size", "7")}),
        (
            definition("x*", "y", SIZE),
            lambda x, size: ((size,),) if len(x) == 2 else None,
            {"x": ("...x",), "y": ("size",)},
        ),
    ],
)
def test_formulas(what: Definition, infer: Callable[..., Any], dims: dict[str, Any]) -> None:
    result = found(what, infer)
    assert dict(result.dims) == {name: ("...",) if shape is None else shape for name, shape in dims.items()}
    assert set(result.open) == {name for name, shape in dims.items() if shape is None}


def test_shapes_that_depend_on_an_attribute_are_those_of_its_usual_value() -> None:
    made = found(definition("x", "y", AXIS), lambda x, axis: ((*x[:axis], 1, *x[axis:][1:]),))
    assert made.dims == {"x": ("...", "N"), "y": ("...", "1")}
    assert made.open["y"].startswith("it is right for axis = -1; axis = 1 gives [101, 1")
    made = found(definition("x", "y", KEEP), lambda x, keep: ((*x[:-1], 1) if keep else x[:-1],))
    assert made.dims == {"x": ("...", "N"), "y": ("...",)}
    assert made.open["y"] == "it is right for keep = False; keep = True gives [1] for x [101]"


def with_lists(infer: Callable[..., Any]) -> Any:
    """What comes of an op with two lists and a list as its output; ``infer`` gets and gives lists of shapes."""
    what = definition("x* y* scale", "z")
    what = replace(what, outputs=(param("z", "dynamic"),))
    asked = questions(what)
    answers = []
    for question in asked:
        lists = [[of_instance(shape, i) for i in range(LISTED)] for shape in question.shapes[:2]]
        answers.append(tuple(infer(*lists)))
    return split_lists(what, asked, answers)


def test_lists_are_followed_tensor_by_tensor() -> None:
    assert with_lists(lambda x, _: x)[1:] == ({"z": ("...x",)}, {})
    assert with_lists(lambda _, y: y)[1:] == ({"z": ("...y",)}, {})
    _, dims, unknown = with_lists(lambda x, _: [x[0], x[0]])
    assert dims == {"z": ("...x",)}
    assert unknown == {"z": "opforge assumes a tensor for each of x, of its shape, as InferShape gives others"}


def test_lists_without_infer_shape_follow_the_first() -> None:
    what = replace(definition("x*", "z"), outputs=(param("z", "dynamic"),))
    asked = questions(what)
    _, dims, unknown = split_lists(what, asked, [None] * len(asked))
    assert dims == {"z": ("...x",)}
    assert unknown == {"z": "opforge assumes a tensor for each of x, of its shape, as there is no InferShape"}
    assert inferred(what, asked, [None] * len(asked)).dims == {"x": ("...x",)}


def test_values_of_strings_are_tried() -> None:
    reduction = (Attr("reduction", "str", "mean"),)
    what = replace(definition("x", "loss", reduction), texts=("none", "mean", "sum"))
    made = found(what, lambda x, how: (x if how == "none" else (1,),))
    assert made.dims["loss"] == ("1",)
    assert made.open["loss"].startswith(
        "it is right for reduction = 'mean'; reduction = 'none' gives [101] for x [101]"
    )


def test_words_of_op_host_are_values_of_strings() -> None:
    what = definition("x", "y", (Attr("mode", "str", "a"),))
    source = '#include "x.h"\nif (mode == "linear" || mode == "cubic") log("not so good"); Input("x"); Attr("mode")'
    assert values_of_texts(what, [source]) == ("linear", "cubic")
    assert values_of_texts(definition("x", "y"), [source]) == ()


def test_combinations_with_dtypes_that_torch_lacks_are_left_out() -> None:
    what = definition("x", "y")
    both = {"ascend910b": (Columns(("float16", "float16"), ("ND", "ND")), Columns(("int8", "int4"), ("ND", "ND")))}
    kept, note = without_strange_dtypes(replace(what, socs=both))
    assert [column.dtypes for column in kept.socs["ascend910b"]] == [("float16",), ("int8",)]
    assert note == "Some is adopted without its combinations with int4, which torch does not have"
    only = {"ascend910b": (Columns(("float16",), ("ND",)), Columns(("int4",), ("ND",)))}
    assert without_strange_dtypes(replace(what, socs=only)) == (replace(what, socs=only), None)


def test_what_was_not_found_is_said_with_an_example() -> None:
    result = found(definition("x w", "y"), some_ranks)
    assert result.open == {"y": "opforge found no formula; InferShape gives [101, 103] for x [101, 103], w [101, 103]"}
    assert found(definition("x", "y"), refused).open == {"y": "InferShape refused every shape that opforge tried"}


def test_an_output_that_is_always_empty_is_open() -> None:
    made = found(definition("x", "y extra"), lambda x: (x, (0,)))
    assert made.dims == {"y": ("...",), "extra": ("0",)}
    assert made.open == {"extra": "it is [0] for all that opforge tried"}
    given = (Attr("give", "bool", False),)
    chosen = found(definition("x", "y", given), lambda x, give: (x if give else (0,),))
    assert chosen.dims["y"] == ("0",)
    assert chosen.open["y"].startswith("it is right for give = False; give = True gives [101] for x [101]")


def test_lists_of_tensors_that_all_have_one_shape() -> None:
    _, dims, unknown = with_lists(lambda x, _: [(1,) for _ in x])
    assert (dims, unknown) == ({"z": ("1",)}, {})
    what = replace(definition("x* y*", "z"), outputs=(param("z", "dynamic"),))
    assert lengths(what, dims) == ({"z": "x"}, {})
    assert lengths(what, {"z": ("...x",)}) == ({}, {})


def test_lists_without_a_list_among_the_inputs() -> None:
    what = replace(
        definition("x", "z", (Attr("axis", "float", None), Attr("parts", "int", None))),
        outputs=(param("z", "dynamic"),),
    )
    assumed = "opforge assumes that parts is the number of tensors, and one element in each"
    assert lengths(what, {}) == ({"z": "parts"}, {"z": assumed})
    assert lengths(replace(what, attrs=()), {}) == ({}, {})
