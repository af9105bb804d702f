"""Functions of an op that files outside of its folder register."""

from __future__ import annotations

from pathlib import Path

from opforge.adopt.registrations import depended, registered_elsewhere


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_files_that_register_what_is_missing(tmp_path: Path) -> None:
    own = write(tmp_path / "tan" / "op_host" / "tan_def.cpp", "OP_ADD(Tan);\n")
    shapes = write(
        tmp_path / "utils" / "op_host" / "shapes.cpp", "IMPL_OP_INFERSHAPE(Sin).X();\nIMPL_OP_INFERSHAPE(Tan)\n"
    )
    tiling = write(tmp_path / "utils" / "op_host" / "arch22" / "tiling.cpp", "IMPL_OP_OPTILING(Tan).Tiling(f);\n")
    write(tmp_path / "utils" / "op_host" / "arch35" / "other.cpp", "IMPL_OP_OPTILING(Tan).Tiling(f);\n")
    write(tmp_path / "utils" / "op_host" / "more.cpp", "IMPL_OP_OPTILING(Tang).Tiling(f);\n// IMPL_OP_OPTILING(Tan)\n")
    write(tmp_path / "deeper" / "utils" / "op_host" / "far.cpp", "IMPL_OP_OPTILING(Tan)\n")
    assert registered_elsewhere(tmp_path / "tan", [own], tmp_path) == (shapes, tiling)


def test_the_tiling_of_another_op_is_all_of_its_files(tmp_path: Path) -> None:
    own = write(tmp_path / "tan_v2" / "op_host" / "tan_v2_def.cpp", "OP_ADD(TanV2);\n")
    write(tmp_path / "tan" / "op_host" / "tan_def.cpp", "OP_ADD(Tan);\n")
    tiling = write(tmp_path / "tan" / "op_host" / "tan_tiling.cpp", "IMPL_OP_OPTILING(TanV2).Tiling(f);\n")
    more = write(tmp_path / "tan" / "op_host" / "tan_tiling_more.cpp", "int f();\n")
    assert registered_elsewhere(tmp_path / "tan_v2", [own], tmp_path) == (tiling, more)


def test_what_an_op_registers_itself_is_not_searched_for(tmp_path: Path) -> None:
    write(tmp_path / "utils" / "op_host" / "all.cpp", "IMPL_OP_INFERSHAPE(Tan)\nIMPL_OP_OPTILING(Tan)\n")
    tiled = write(tmp_path / "tan" / "op_host" / "tan.cpp", "OP_ADD(Tan);\nIMPL_OP_OPTILING(Tan)\n")
    assert registered_elsewhere(tmp_path / "tan", [tiled], tmp_path) == (tmp_path / "utils" / "op_host" / "all.cpp",)
    whole = write(tmp_path / "tan" / "op_host" / "tan.cpp", "OP_ADD(Tan);\nthis->SetInferShape(f).SetTiling(g);\n")
    assert registered_elsewhere(tmp_path / "tan", [whole], tmp_path) == ()
    none = write(tmp_path / "tan" / "op_host" / "tan.cpp", "int unrelated;\n")
    assert registered_elsewhere(tmp_path / "tan", [none], tmp_path) == ()


def test_files_that_the_cmake_file_of_an_op_names(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    here = repository / "src" / "foreach" / "tan"
    own = write(here / "op_host" / "tan.cpp", "OP_ADD(Tan);\n")
    cmake = "target_sources(optiling PRIVATE\n  ${COMMON_DIR}/src/tiling/all.cpp\n  # ${COMMON_DIR}/src/old.cpp\n)\n"
    write(
        here / "CMakeLists.txt", cmake + "target_sources(aclnn PRIVATE ${COMMON_DIR}/src/aclnn.cpp ${OUT}/../far.cpp)"
    )
    tiling = write(repository / "src" / "common" / "src" / "tiling" / "all.cpp", "IMPL_OP_OPTILING(Tan).Tiling(f);\n")
    write(repository / "src" / "common" / "src" / "old.cpp", "IMPL_OP_INFERSHAPE(Tan)\n")
    write(repository / "src" / "common" / "src" / "aclnn.cpp", "int unrelated;\n")
    write(repository / "src" / "tests" / "src" / "tiling" / "all.cpp", "IMPL_OP_OPTILING(Tan)\n")
    write(tmp_path / "far.cpp", "IMPL_OP_INFERSHAPE(Tan)\n")
    assert registered_elsewhere(here, [own], repository) == (tiling,)
    beside = write(here.parent / "utils" / "op_host" / "tiling.cpp", "IMPL_OP_OPTILING(Tan)\n")
    assert registered_elsewhere(here, [own], repository) == (beside,)


def test_tiling_in_a_folder_of_another_architecture(tmp_path: Path) -> None:
    here = tmp_path / "tan"
    definition = 'OP_ADD(Tan);\nthis->AICore().AddConfig("ascend910b");\n'
    own = write(here / "op_host" / "tan_def.cpp", definition)
    tiling = write(here / "op_host" / "arch35" / "tan_tiling.cpp", "IMPL_OP_OPTILING(Tan).Tiling(f);\n")
    write(here / "op_host" / "arch35" / "tan_shape.cpp", "IMPL_OP_INFERSHAPE(Tan)\n")
    assert registered_elsewhere(here, [own], tmp_path) == (tiling,)
    own = write(here / "op_host" / "tan_def.cpp", definition.replace("ascend910b", "ascend950"))
    assert registered_elsewhere(here, [own], tmp_path) == ()
    own = write(here / "op_host" / "tan_def.cpp", definition + "IMPL_OP_OPTILING(Tan)\n")
    assert registered_elsewhere(here, [own], tmp_path) == ()


def test_files_of_the_ops_on_which_a_cmake_file_depends(tmp_path: Path) -> None:
    here = tmp_path / "attention" / "tan_v2"
    write(
        here / "op_host" / "CMakeLists.txt",
        'set(tan_v2_depends attention/tan math/none CACHE INTERNAL "of tan")\n# set(tan_v2_depends math/old)\n',
    )
    write(tmp_path / "attention" / "tan" / "op_host" / "tan_def.cpp", "OP_ADD(Tan);\n")
    tiling = write(tmp_path / "attention" / "tan" / "op_host" / "tan_tiling.cpp", "int f() { return 1; }\n")
    write(tmp_path / "math" / "old" / "op_host" / "old.cpp", "int g();\n")
    assert depended(here, tmp_path) == (tiling,)
    assert depended(tmp_path / "attention" / "tan", tmp_path) == ()
