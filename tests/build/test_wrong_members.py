"""A member that a struct does not have: which one was meant."""

from pathlib import Path

import pytest

from opforge.build.wrong_members import meant_member

HEADERS = {
    "call.h": "struct Call {\n    std::vector<float> weightsAttr;\n    int64_t rows() const { return 1; }\n};\n",
    "args.h": """\
struct AddArgs;

// A plain struct.
struct AddArgs {
    // Elements of the first output.
    int64_t totalElements;

    float epsAttr;
    bool maskGiven = false;
    int64_t shape[8];
};

struct Other {
    float epsilon;
};
""",
    "bindings.h": "class AddBindings : public Base {\nprotected:\n    AscendC::GlobalTensor<TypeX> xGm;\n};\n",
}


@pytest.fixture
def headers(tmp_path: Path) -> list[Path]:
    for name, text in HEADERS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return sorted(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("struct", "wrong", "meant"),
    [
        ("const struct AddArgs", "eps", "epsAttr"),
        ("struct AddArgs", "EPS", "epsAttr"),
        ("AddArgs", "mask", "maskGiven"),
        ("AddArgs", "totalElement", "totalElements"),
        ("AddArgs", "shapes", "shape"),
        ("class AddBindings", "xGM", "xGm"),
        ("const Call", "weights", "weightsAttr"),
        ("AddArgs", "beta", None),
        ("Elsewhere", "eps", None),
    ],
)
def test_the_member_that_was_meant(struct: str, wrong: str, meant: str | None, headers: list[Path]) -> None:
    said = f"op_kernel/add.h:3:9: error: '{struct}' has no member named '{wrong}'\n    3 |  tiling->args.{wrong};\n"
    found = meant_member(said, headers)
    assert found == (f"did you mean `{meant}`? {struct.rsplit(maxsplit=1)[-1]} has no `{wrong}`" if meant else None)


def test_what_the_compiler_suggests_is_enough(headers: list[Path]) -> None:
    said = "a.h:3:9: error: 'struct AddArgs' has no member named 'epsAtr'; did you mean 'epsAttr'?"
    assert meant_member(said, headers) is None
    assert meant_member("a.h:3:9: error: expected ';'", headers) is None
