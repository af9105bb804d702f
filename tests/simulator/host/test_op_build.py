"""op_build: what it writes from compiled op_host sources, and how it fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize(
    "name",
    [
        "aclnn_add_custom.cpp",
        "aclnn_layer_norm_x.h",
        "aclnn_layer_norm_x.cpp",
        "aclnn_scale_in_place.h",
        "aclnn_accumulate.cpp",
        "aic-ascend910b-ops-info.ini",
        "aic-ascend910_93-ops-info.ini",
        "macro_tiling_tiling_struct.h",
        "fused_linear_tiling_struct.h",
        "aclnn_fused_linear.h",
        "op_proto.h",
        "op_proto.cc",
        "signature.json",
    ],
)
def test_files_are_as_agreed(name: str, autogen: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.txt", (autogen / name).read_text())  # .txt: no formatter touches it


def test_all_files_and_no_others(autogen: Path) -> None:
    ops = (
        "add_custom",
        "layer_norm_x",
        "scale_in_place",
        "macro_tiling",
        "not_built",
        "registered",
        "says_shapes",
        "accumulate",
        "fused_linear",
    )
    aclnn = {f"aclnn_{op}.{ending}" for op in ops for ending in ("h", "cpp")}
    infos = {f"aic-{soc}-ops-info.ini" for soc in ("ascend910b", "ascend910_93", "ascend310p")}
    structs = {f"{op}_tiling_struct.h" for op in ("macro_tiling", "fused_linear")}
    others = {"op_proto.h", "op_proto.cc", "signature.json"} | structs
    assert {path.name for path in autogen.iterdir()} == aclnn | infos | others


def test_signature_is_json(autogen: Path) -> None:
    signature = json.loads((autogen / "signature.json").read_text())
    op = signature["ops"][1]
    assert op["op_type"] == "LayerNormX"
    assert [attr["default"] for attr in op["attrs"]] == [1e-05, None, [3, -4], 'a"b', True]
    # x is a free list of two, everything else has one entry, y follows x.
    columns = op["socs"]["ascend910b"]
    assert columns["inputs"][0]["dtype"] == ["float16", "float32"]
    assert columns["outputs"][0]["dtype"] == ["float16", "float32"]
    assert columns["outputs"][1]["dtype"] == ["float32", "float32"]


def test_compute_units_are_chosen(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    done = host_tools.op_build(all_ops, tmp_path, "--compute_unit=ascend910_93;ascend999")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.glob("*.ini")] == ["aic-ascend910_93-ops-info.ini"]
    assert done.stderr == 'op_build: warning: no operator has AddConfig("ascend999")\n'


def test_old_outputs_go_away(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    (tmp_path / "aclnn_gone.cpp").write_text("of an operator that is no longer there")
    (tmp_path / "mine.txt").write_text("not op_build's")
    assert host_tools.op_build(all_ops, tmp_path).returncode == 0
    assert not (tmp_path / "aclnn_gone.cpp").exists()
    assert (tmp_path / "mine.txt").exists()


def test_source_package_flag(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    assert host_tools.op_build(all_ops, tmp_path, ENABLE_SOURCE_PACKAGE="False").returncode == 0
    assert "jitCompile.flag=static_false,dynamic_false\n" in (tmp_path / "aic-ascend910b-ops-info.ini").read_text()


OP_HOST = """
#include "register/op_def_registry.h"
namespace ops {{
class {op} : public OpDef {{
public:
    explicit {op}(const char* name) : OpDef(name) {{
        {body}
        this->AICore().AddConfig("ascend910b");
    }}
}};
OP_ADD({op});
}}
"""

BROKEN = {
    "Lengths": (
        'Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}); this->Output("z").DataType({ge::DT_FLOAT});',
        [
            " for ascend910b: Element num of DataType and Format is not aligned. x.DataType has 2 entries, z.DataType "
            "has 1. Give every tensor as many, or use DataTypeList and FormatList."
        ],
    ),
    "NoType": (
        'Input("x"); this->Output("z").DataType({ge::DT_FLOAT});',
        [" for ascend910b: x has no DataType"],
    ),
    "AttrType": (
        'Input("x").DataType({ge::DT_FLOAT}); this->Attr("k").AttrType(OPTIONAL);',
        [": attribute k has no type: call Int(), Float(), Bool(), ..."],
    ),
    "ValueDepends": (
        'Input("x").DataType({ge::DT_FLOAT16}).ValueDepend(REQUIRED);',
        [": ValueDepend input x has dtype float16; its dtypes must be all float32, all bool, or integers"],
    ),
    "Contiguous": (
        'Input("x").DataType({ge::DT_FLOAT}).AutoContiguous().IgnoreContiguous();',
        [" for ascend910b: x has both AutoContiguous and IgnoreContiguous"],
    ),
    "Lists": (
        'Input("x").DataType({ge::DT_FLOAT}); this->Attr("k").AttrType(OPTIONAL).ListListInt({{1}});',
        [": Data type of attr k is not support: an aclnn interface has no list of lists"],
    ),
    "Unsupported": (
        'Input("x").DataType({ge::DT_FLOAT}).Version(1); this->Output("y").DataType({ge::DT_FLOAT}).InitValue(1); '
        'this->Output("z").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).OutputShapeDependOnCompute();',
        [
            ": x.Version(): only optional inputs and optional attributes can have it",
            ": y.InitValue(): the plain form takes 0 only; give a ScalarVar",
            ": z.OutputShapeDependOnCompute(): only a required output can have it",
        ],
    ),
    "ShapeOfInput": (
        'Input("u").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).OutputShapeDependOnCompute(); '
        'this->Output("u").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).OutputShapeDependOnCompute();',
        [
            ": Input u does not support OutputShapeDependOnCompute.",
            ": u.OutputShapeDependOnCompute(): it is also an input, whose shape stays as it is",
        ],
    ),
    "FirstOfList": (
        'Input("x").DataType({ge::DT_FLOAT}); '
        'this->Output("y").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).InitValue(0);',
        [": y.InitValue(): the outputs of a list have no first value"],
    ),
    "Follows": (
        'Input("x").DataType({ge::DT_FLOAT}); this->Output("z").Follow("w");',
        [" for ascend910b: z follows w, which the op does not have"],
    ),
    "Chained": (
        'Input("x").DataType({ge::DT_FLOAT}); this->Output("z").Follow("y"); this->Output("y").Follow("x");',
        [" for ascend910b: z follows y, which itself follows another tensor"],
    ),
}


def test_all_that_is_wrong_is_said_and_nothing_left(host_tools: HostTools, tmp_path: Path) -> None:
    source = tmp_path / "broken.cpp"
    source.write_text("".join(OP_HOST.format(op=op, body="this->" + body) for op, (body, _) in BROKEN.items()))
    library = host_tools.compile(tmp_path / "broken.so", source)
    out = tmp_path / "out"
    out.mkdir()
    (out / "aclnn_lengths.h").write_text("from an earlier run")
    done = host_tools.op_build(library, out)
    expected = sorted(f"op_build: {op}{message}" for op, (_, messages) in BROKEN.items() for message in messages)
    assert (done.returncode, done.stderr.splitlines()) == (1, expected)
    assert list(out.iterdir()) == []


def test_bad_requests(host_tools: HostTools, all_ops: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.cpp"
    empty.write_text("int nothing;\n")
    no_ops = host_tools.compile(tmp_path / "empty.so", empty)
    usage = "usage: op_build <op shared library> <output directory> [--compute_unit=a;b]\n"
    cases: list[tuple[list[object], str]] = [
        ([], usage),
        ([all_ops], usage),
        ([no_ops, tmp_path], f"op_build: {no_ops} registers no operator: is OP_ADD missing?\n"),
        ([all_ops, tmp_path / "no folder"], f"op_build: cannot write to {tmp_path / 'no folder'}\n"),
        ([all_ops, tmp_path, "--aicpu"], "op_build: --aicpu: the simulator builds AI Core operators only\n"),
        ([all_ops, tmp_path, "--compute_unit"], "op_build: --compute_unit: expected --key=value\n"),
    ]
    for arguments, expected in cases:
        done = host_tools.op_build(*arguments)
        assert (done.returncode, done.stderr) == (1, expected)
    done = host_tools.op_build(tmp_path / "none.so", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("op_build: cannot load the op library: ")


def test_two_ops_of_one_file_name_and_odd_names(host_tools: HostTools, tmp_path: Path) -> None:
    body = 'this->Input("x").DataType({ge::DT_FLOAT});'
    source = tmp_path / "same.cpp"
    source.write_text(OP_HOST.format(op="AbC", body=body) + OP_HOST.format(op="ab_C", body=body))
    library = host_tools.compile(tmp_path / "same.so", source)
    done = host_tools.op_build(library, tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "op_build: warning: op type ab_C is not in PascalCase (letters and digits, the first a capital)\n"
        "op_build: ab_C and AbC both become aclnn_ab_c.h\n"
    )


def test_versions_have_functions_of_their_own(host_tools: HostTools, tmp_path: Path) -> None:
    body = (
        'this->Input("x").DataType({ge::DT_FLOAT}); '
        'this->Input("bias").ParamType(OPTIONAL).Version(1).DataType({ge::DT_FLOAT}); '
        'this->Output("y").DataType({ge::DT_FLOAT}); '
        'this->Attr("k").AttrType(OPTIONAL).Int(7); '
        'this->Attr("round_mode").AttrType(OPTIONAL).Version(3).String("rint"); '
        'this->Attr("limit").AttrType(OPTIONAL).Version(3).Float(0.5);'
    )
    source = tmp_path / "versions.cpp"
    source.write_text(OP_HOST.format(op="AddMany", body=body))
    out = tmp_path / "out"
    out.mkdir()
    done = host_tools.op_build(host_tools.compile(tmp_path / "versions.so", source), out)
    assert done.returncode == 0, done.stderr
    taken = {}
    for header in sorted(out.glob("aclnn_add_many*.h")):
        found = re.search(r"aclnnStatus (\w+)GetWorkspaceSize\(([^)]*)\)", header.read_text())
        assert found is not None
        taken[header.name] = (found[1], [words.split()[-1].lstrip("*") for words in found[2].split(",")[:-2]])
    assert taken == {
        "aclnn_add_many.h": ("aclnnAddMany", ["x", "k", "out"]),
        "aclnn_add_many_v1.h": ("aclnnAddManyV1", ["x", "biasOptional", "k", "out"]),
        "aclnn_add_many_v3.h": ("aclnnAddManyV3", ["x", "biasOptional", "k", "roundModeOptional", "limit", "out"]),
    }
    source = (out / "aclnn_add_many.cpp").read_text()
    assert "    const aclTensor *const biasOptional = nullptr;\n" in source
    assert "    double const limit = 0.5f;\n" in source
    newest = json.loads((out / "signature.json").read_text())["ops"][0]
    assert len(newest["aclnn"]) == 6
    assert [attr["version"] for attr in newest["attrs"]] == [0, 3, 3]
