"""``opforge port``: each row of the table finds its use at its line, and leaves alone what is right on the chip."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.port.ascend950 import CHANGES
from opforge.port.findings import findings, findings_in, without_comments

# For each row a file's name, a use that it has to find, and the named part.
USES = [
    ("k.cpp", "#ifdef __DAV_C220_VEC__", "__DAV_C220_VEC__"),
    ("k.h", "#if __CCE_AICORE__ == 220", "__CCE_AICORE__ == 220"),
    ("k.h", "#if defined(__NPU_ARCH__) && __NPU_ARCH__ == 2201", "__NPU_ARCH__ == 2201"),
    ("k.h", "pipe_barrier(PIPE_V);", "pipe_barrier(PIPE_V)"),
    ("k.h", "AscendC::LoadData2DParams params;", "LoadData2DParams"),
    ("k.h", "LoadData3DParamsV2Pro params;", "LoadData3DParamsV2Pro"),
    ("k.h", "AscendC::LoadDataWithTranspose(b2, b1, params);", "LoadDataWithTranspose"),
    ("k.h", "AscendC::MmadWithSparse(c, a, b, params);", "MmadWithSparse"),
    ("k.h", "SetLoadDataBoundary(1024);", "SetLoadDataBoundary"),
    ("k.h", "InitConstValue(a2, {1, 2, 0, 1});", "InitConstValue"),
    ("k.h", "using A = MatmulType<TPosition::GM, CubeFormat::ND, int4b_t>;", "int4b_t"),
    ("k.h", "DataCopy(cGlobal[offset], a1Local, params);", "DataCopy"),
    ("k.h", "GetReduceRepeatMaxMinSpr<half>(value, index);", "GetReduceRepeatMaxMinSpr"),
    ("k.h", "SetSaturationFlag<SaturationMode::FLOAT>(true);", "SetSaturationFlag"),
    ("k.h", "CheckLocalMemoryIA({0, 1, 2});", "CheckLocalMemoryIA"),
    ("k.h", "RpSort16(y, x, 4);", "RpSort16"),
    ("k.h", "VectorPadding(y, x, 0, false, 64);", "VectorPadding"),
    ("k.h", "AscendC::ListTensorDesc list;", "ListTensorDesc"),
    ("k.h", "Rsqrt(y, x, count);", "Rsqrt"),
    ("k.h", "Conv3D<A, B, C> conv;", "Conv3D"),
    ("k.h", "auto context = AscendC::GetHcclContext<0>();", "GetHcclContext"),
    ("op.cpp", "if (soc == SocVersion::ASCEND910_95) {", "ASCEND910_95"),
    ("op.cpp", "if (soc == platform_ascendc::SocVersion::ASCEND910B) {", "SocVersion::ASCEND910B"),
    ("op.cpp", 'this->AICore().AddConfig("ascend910b");', "ascend910b"),
    ("CMakeLists.txt", "target_compile_options(k PRIVATE --npu-arch=dav-2201)", "--npu-arch=dav-2201"),
    ("CMakePresets.json", '"ASCEND_COMPUTE_UNIT": {"type": "STRING", "value": "ascend910b"}', None),
]
RIGHT = """
LoadData2DParamsV2 params;
AscendC::PipeBarrier<PIPE_V>();
using A = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
Cast(y, x.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, count);
DataCopy(zGlobal, zLocal, count);
DataCopy(yGm[offset], xUb1, count);
Fill(zGlobal, count, 0.0f);
Sort32(y, x, index, 2);
sim.Query();
// GetReduceRepeatMaxMinSpr<half>(a, b) and LoadData2DParams
/* SetLoadDataBoundary(4);
   RpSort16(y, x, 4); */
const char* text = "https://"; Add(x, y, z, 4);
"""


@pytest.mark.parametrize(("name", "line", "use"), USES, ids=[f"{each[0]}-{each[2]}" for each in USES])
def test_each_use_is_found_at_its_line(name: str, line: str, use: str | None) -> None:
    (found,) = findings_in(Path(name), f"\n\n{line}\n", "ascend950")
    assert found.line == 3
    assert use is None or found.use == use


def test_each_row_has_a_use() -> None:
    found = {findings_in(Path(name), line, "ascend950")[0].change for name, line, _ in USES}
    assert found == set(CHANGES)


def test_what_is_right_there_is_left_alone() -> None:
    assert findings_in(Path("k.h"), RIGHT, "ascend950") == []


def test_comments_become_blanks_and_literals_stay() -> None:
    assert without_comments('a("//x"); // y\n/* b\n*/c', "k.h") == 'a("//x");     \n    \n  c'
    assert without_comments("set(A b) # --npu-arch=dav-2201", "CMakeLists.txt").rstrip() == "set(A b)"


BOTH = """#if __NPU_ARCH__ == 2201
    LoadData2DParams params;
#elif __NPU_ARCH__ == 3510
    LoadData2DParamsV2 params;
#endif
    SetLoadDataBoundary(0);
"""


def test_code_for_another_chip_is_left_alone_beside_code_for_this_one() -> None:
    assert [(each.line, each.use) for each in findings_in(Path("k.h"), BOTH, "ascend950")] == [
        (6, "SetLoadDataBoundary")
    ]
    alone = findings_in(Path("k.h"), BOTH.replace("3510", "2002"), "ascend950")
    assert {each.line for each in alone} == {1, 2, 6}


def test_folders_that_a_build_wrote_are_not_read(tmp_path: Path) -> None:
    for folder in ("op_kernel", "build/op_kernel"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "k.cpp").write_text("RpSort16(y, x, 4);\n")
    count, found = findings(tmp_path, "ascend950")
    assert (count, [each.file for each in found]) == (1, [tmp_path / "op_kernel" / "k.cpp"])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.cpp"
    file.write_text("int a;\nRpSort16(y, x, 4);\nExp(y, x, 4);\n")
    assert cli.run(["port", "--to", "ascend950", str(file)]) == 1
    assert capsys.readouterr().out.splitlines()[:5] == [
        "breaks: 3510 has no region proposals",
        "  instead: Sort32, MrgSort and Extract",
        "  page: docs/zh/api/SIMD-API/基础API/Memory矢量计算/排序组合（ISASI）/RpSort16.md",  # noqa: RUF001
        f"  {file}:2: RpSort16",
        "check: subnormal numbers count as 0 unless the function's configuration asks for them",
    ]
    assert cli.run(["port", "--to", "ascend950", str(file), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["to"], said["files"], said["breaks"]) == ("ascend950", 1, 1)
    assert [(row["line"], row["use"], row["effect"]) for row in said["findings"]] == [
        (2, "RpSort16", "breaks"),
        (3, "Exp", "check"),
    ]
    file.write_text("Exp(y, x, 4);\n")
    assert cli.run(["port", "--to", "ascend950", str(file)]) == 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--to", "ascend910"), "--to ascend910: no table of changes"),
        (("--to", "ascend95"), "--to ascend95 is not a valid SoC"),
        (("--to", "ascend950", "nowhere"), "nowhere: there is no such file or folder"),
    ],
)
def test_refused(words: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["port", *words]) == 2
    assert what in capsys.readouterr().err
