"""A hypothesis strategy for the texts of right specs of every kind of signature."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SYMBOLS = ("H", "M", "rows", "no", "K2")
DTYPES = ("float16", "float32", "bfloat16", "int32", "bool", "int8", "uint64", "complex64", "int4", "float64")
FORMATS = ("ND", "NCHW", "NHWC", "FRACTAL_NZ")
VALUES: dict[str, st.SearchStrategy[str]] = {
    "int": st.integers(-(2**63), 2**63 - 1).map(str),
    "float": st.floats(-1e38, 1e38, allow_nan=False).map(repr),
    "bool": st.sampled_from(("true", "false")),
    "str": st.sampled_from(("no", "1.0", "mean", '""', "'a: b # c'", '"\\u2028\\x07"', "null")),
}
DIM_OPERATORS = ("{} + {}", "{} * {}", "{} // {}", "({} - {})", '"max({}, {})"', '"min({}, {})"')
Draw = Any


def flow(fields: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in fields.items()) + "}"


def listed(words: list[str]) -> str:
    return f"[{', '.join(words)}]"


def draw_column(draw: Draw, count: int, words: tuple[str, ...]) -> list[str]:
    if draw(st.booleans()):
        return [draw(st.sampled_from(words))]
    return [draw(st.sampled_from(words)) for _ in range(count)]


def draw_input(draw: Draw, count: int, *, first: bool, product: bool, known: set[str]) -> dict[str, str]:
    kind = "plain" if first else draw(st.sampled_from(("plain", "plain", "optional", "dynamic", "scalar", "host")))
    fields: dict[str, str] = {}
    if first or draw(st.booleans()):
        fields["dtype"] = listed(draw_dtypes(draw, count, first=first, product=product))
    if kind == "host":
        fields["dtype"] = draw(st.sampled_from(("[int64]", "[float32]", "[bool]")))
        return fields | {"value_depend": draw(st.sampled_from(("required", "optional")))}
    if kind == "scalar":
        return fields | {"scalar": "true"} | ({"dynamic": "true"} if draw(st.booleans()) else {})
    if draw(st.booleans()):
        dims = draw(st.lists(st.sampled_from((*SYMBOLS, "1", "16")), max_size=3))
        fields["shape"] = listed((["..."] if draw(st.booleans()) else []) + dims)
        known.update(dim for dim in dims if kind == "plain" and not dim.isdigit())
    if not product and draw(st.integers(0, 3)) == 0:
        fields["format"] = listed(draw_column(draw, count, FORMATS))
    rare = {"contiguous": "ignore", "opdef": "{Version: 1}", "values": "{unique: true, sorted: true}"}
    fields |= {key: value for key, value in rare.items() if draw(st.integers(0, 5)) == 0}
    return fields if kind == "plain" else fields | {kind: "true"}


def draw_dtypes(draw: Draw, count: int, *, first: bool, product: bool) -> list[str]:
    if first:
        return list(draw(st.lists(st.sampled_from(DTYPES), min_size=count, max_size=count, unique=True)))
    if product:
        return list(draw(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3, unique=True)))
    return draw_column(draw, count, DTYPES)


def draw_dim(draw: Draw, names: list[str]) -> str:
    atom = st.sampled_from((*names, "1", "7"))
    if draw(st.booleans()):
        return str(draw(atom))
    return str(draw(st.sampled_from(DIM_OPERATORS))).format(draw(atom), draw(atom))


def draw_attrs(draw: Draw) -> dict[str, str]:
    attrs = {}
    for number in range(draw(st.integers(0, 3))):
        type_ = draw(st.sampled_from(("int", "float", "bool", "str", "list_int", "list_float", "list_bool")))
        fields = {"type": type_}
        if draw(st.booleans()):
            if type_.startswith("list_"):
                items = draw(st.lists(VALUES[type_.removeprefix("list_")], max_size=3))
                fields["default"] = listed(items)
            else:
                fields["default"] = draw(VALUES[type_])
        attrs[f"attr_{number}" if draw(st.booleans()) else f"attrOf{number}"] = flow(fields)
    return attrs


@st.composite
def ops_by_hand(draw: Draw) -> str:
    """What stands below the name of an op without compute."""
    product = draw(st.integers(0, 4)) == 0
    count = draw(st.integers(1, 3))
    known: set[str] = set()
    names = [f"x{number}" if draw(st.booleans()) else f"inX{number}" for number in range(draw(st.integers(1, 4)))]
    inputs = {
        name: draw_input(draw, count, first=place == 0, product=product, known=known)
        for place, name in enumerate(names)
    }
    attrs = draw_attrs(draw)
    of_ints = [name for name, fields in attrs.items() if "type: int" in fields.split(",")[0]]
    outputs = draw_outputs(draw, count, names[0], [*sorted(known), *of_ints], product=product)
    lines = ["inputs:", *(f"  {name}: {flow(fields)}" for name, fields in inputs.items())]
    if attrs:
        lines += ["attrs:", *(f"  {name}: {value}" for name, value in attrs.items())]
    lines += ["outputs:", *(f"  {name}: {value}" for name, value in outputs.items())]
    if not product and count == 1 and draw(st.booleans()):
        own = draw(st.lists(st.sampled_from(("float16", "float32", "int8")), min_size=1, max_size=3, unique=True))
        stated = {name: flow({"dtype": listed(own if name == names[0] else own[:1])}) for name in names}
        lines.append(f"overrides: {{ascend310p: {flow(stated)}}}")
    return "\n".join([*lines, *(["dtype_product: true"] if product else []), *draw_rest(draw)])


def draw_outputs(draw: Draw, count: int, first: str, names: list[str], *, product: bool) -> dict[str, str]:
    outputs: dict[str, str] = {}
    for number in range(draw(st.integers(1, 3))):
        if number == 0 and draw(st.integers(0, 2)) == 0:
            outputs["y0"] = flow({"inplace": first})
            continue
        fields = {"shape": listed([draw_dim(draw, names) for _ in range(draw(st.integers(0, 3)))])}
        if draw(st.booleans()) and not product:
            fields["dtype"] = listed(draw_column(draw, count, DTYPES))
        if draw(st.integers(0, 4)) == 0:
            fields["opdef"] = "{InitValue: 0}"
        outputs[f"y{number}"] = flow(fields)
    return outputs


def draw_rest(draw: Draw) -> list[str]:
    lines = []
    if draw(st.booleans()):
        lines += ["reference: golden:foo", *(["backward: false"] if draw(st.booleans()) else [])]
    if draw(st.integers(0, 3)) == 0:
        lines.append("sources: [op_host/foo.cpp, op_kernel/foo.cpp]")
    if draw(st.integers(0, 3)) == 0:
        lines.append("""opdef: {EnableFallBack: "", ExtendCfgInfo: ['"a", "b"', '"c", "d"']}""")
    return lines


@st.composite
def legal_texts(draw: Draw) -> str:
    """A whole opforge.yaml of one or two ops written by hand."""
    text = "edition: 1\nproject: {name: gates, soc: [ascend910b]}\nops:\n"
    for number in range(draw(st.integers(1, 2))):
        body = draw(ops_by_hand())
        text += f"  Foo{number}:\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    return text
