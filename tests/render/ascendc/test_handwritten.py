"""Ops whose kernels are written by hand: op_host of every kind of argument, run; and the skeleton of the kernel."""

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from generated_ops import ROOT, ascendc_files, harness, make_platform, program_of

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.fileset import File
from opforge.kinds import kernel_of
from opforge.naming import snake
from opforge.render.ascendc.trials import symbol_cases
from opforge.soc import SOCS
from opforge.spec.combinations import combinations
from opforge.spec.model import SHAPE_BY_KERNEL, AttrSpec, OpSpec, Override, TensorSpec

FLOATS = ("float16", "float32")
EVERY_KIND = OpSpec(
    "EveryKind",
    (
        TensorSpec("x", FLOATS, ("...", "H")),
        TensorSpec("bias", FLOATS, ("H",), optional=True),
        TensorSpec("tables", FLOATS, ("...", "H"), dynamic=True),
        TensorSpec("axes", ("int64",), ("N",), value_depend="required"),
        TensorSpec("scale", ("float32",), (), scalar=True),
    ),
    (
        AttrSpec("count", "int"),
        AttrSpec("alpha", "float", 1.5),
        AttrSpec("keep", "bool", True),
        AttrSpec("mode", "str", "sum"),
        AttrSpec("sizes", "list_int", (1, 2)),
        AttrSpec("parts", "list_float", ()),
        AttrSpec("flags", "list_bool", (True, False)),
    ),
    (
        TensorSpec("y", FLOATS, ("...", "2 * (H - 1) + count"), opdef=(("InitValue", "0"),)),
        TensorSpec("halves", ("int32",), ("H // 2", "max(N, 3)")),
        TensorSpec("moved", FLOATS, ("...", "H"), inplace="x"),
    ),
)
# The output's dtype follows from both inputs': a row that no input alone tells.
BY_ROW = OpSpec(
    "ByRow",
    (TensorSpec("x", ("float16", "float16", "int8")), TensorSpec("y", ("float16", "float32", "float32"))),
    (),
    (TensorSpec("z", ("float16", "float32", "float16")),),
)
PER_SOC = OpSpec(
    "PerSoc",
    (TensorSpec("x", ("float32", "int8")),),
    (),
    (TensorSpec("y", ("float32", "int8")),),
    overrides=(Override("ascend910_93", (TensorSpec("x", ("float16",)), TensorSpec("y", ("bool",)))),),
)
OPS = (EVERY_KIND, BY_ROW, PER_SOC)
ONLY_A_LIST = OpSpec("OnlyList", (TensorSpec("xs", FLOATS, dynamic=True),), (), (TensorSpec("y", FLOATS),))


# By the default no shape can be computed: calls always pass another value.
BY_HEADS = OpSpec(
    "ByHeads",
    (TensorSpec("x", FLOATS, ("N", "W")),),
    (AttrSpec("heads", "int", 0),),
    (TensorSpec("y", FLOATS, ("N", "W // heads")),),
)


def files_of(op: OpSpec) -> Mapping[str, File]:
    """The op's files and the shared ones, by path."""
    return {str(file.path): file for file in ascendc_files(program_of([op]))}


class Refused(Exception):  # noqa: N818  (what an op says, not what went wrong here)
    """A function of op_host returned GRAPH_FAILED."""


Shape = Sequence[int]


class HostCode:
    """The op_host functions of one op: a call is begun, filled and then tiled or inferred."""

    def __init__(self, library: ctypes.CDLL, op: OpSpec) -> None:
        self.library, self.op = library, op

    def call(
        self,
        inputs: Sequence[Sequence[Shape]],
        outputs: Sequence[Shape],
        dtypes: Sequence[str],
        attrs: Sequence[object] = (),
        values: Mapping[int, bytes] | None = None,
    ) -> None:
        """``inputs`` has the shapes of each input's tensors, ``dtypes`` those of all arguments."""
        self.library.begin(self.op.type.encode())
        groups = [*((True, shapes) for shapes in inputs), *((False, [shape]) for shape in outputs)]
        for place, (is_input, shapes) in enumerate(groups):
            self.library.add_argument(is_input)
            for shape in shapes:
                value = (values or {}).get(place)
                dims = (ctypes.c_int64 * len(shape))(*shape)
                self.library.add_tensor(
                    is_input, DTYPES[dtypes[place]].acl, len(shape), dims, value, ctypes.c_size_t(len(value or b""))
                )
        for attr, given in zip(self.op.attrs, attrs, strict=True):
            self._add(attr, given)

    def _add(self, attr: AttrSpec, given: object) -> None:
        if isinstance(given, tuple):
            kinds = {"list_int": ctypes.c_int64, "list_float": ctypes.c_float, "list_bool": ctypes.c_bool}
            array = (kinds[attr.type] * len(given))(*given)
            name = {"list_int": "add_ints", "list_float": "add_floats", "list_bool": "add_bools"}[attr.type]
            getattr(self.library, name)(array, ctypes.c_size_t(len(given)))
        elif isinstance(given, str):
            self.library.add_text(given.encode())
        elif attr.type == "float":
            self.library.add_float(ctypes.c_float(float(str(given))))
        elif attr.type == "bool":
            self.library.add_bool(bool(given))
        else:
            self.library.add_int(ctypes.c_int64(int(str(given))))

    def tiling(self) -> tuple[bytes, int, bool]:
        """The tiling data, the blocks, and whether outputs are initialised."""
        data, size = (ctypes.c_uint8 * 4096)(), ctypes.c_uint64(4096)
        blocks, atomic = ctypes.c_uint32(), ctypes.c_bool()
        status = self.library.run_tiling(
            b"Ascend910B1", data, ctypes.byref(size), ctypes.byref(blocks), ctypes.byref(atomic)
        )
        if status != 0:
            raise Refused
        return bytes(data[: size.value]), blocks.value, atomic.value

    def shapes(self) -> list[list[int]]:
        count = len(self.op.outputs)
        ranks, dims = (ctypes.c_int32 * count)(), (ctypes.c_int64 * (8 * count))()
        if self.library.run_infer_shape(ranks, dims) != 0:
            raise Refused
        return [list(dims[8 * i : 8 * i + ranks[i]]) for i in range(count)]

    def dtypes(self) -> list[int]:
        found = (ctypes.c_int32 * len(self.op.outputs))()
        if self.library.run_infer_type(found) != 0:
            raise Refused
        return list(found)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("handwritten")
    for op in OPS:
        for path, file in files_of(op).items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_text(file.text, encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def library(folder: Path, toolkit_root: Path) -> ctypes.CDLL:
    """The op_host sources as CANN's build compiles them (C++11, old ABI), and the driver."""
    strict = ["-Wall", "-Wextra", "-Werror", "-fPIC", "-O0", "-fvisibility=hidden", f"-I{toolkit_root / 'include'}"]
    objects = []
    for op in OPS:
        objects.append(folder / f"{snake(op.type)}.o")
        source = folder / "op_host" / f"{snake(op.type)}.cpp"
        flags = ["-std=c++11", "-D_GLIBCXX_USE_CXX11_ABI=0", "-DOP_TILING_LIB", "-DOP_PROTO_LIB"]
        subprocess.run(["g++", *strict, *flags, "-c", source, "-o", objects[-1]], check=True)
    libraries = make_platform(folder / "chips", toolkit_root)
    driver = Path(__file__).with_name("signature_driver.cpp")
    subprocess.run(
        ["g++", *strict, "-std=c++17", "-shared", f"-I{ROOT / 'src/opforge/simulator/host'}", driver, *objects,
         "-o", folder / "libhost.so", *libraries],
        check=True,
    )  # fmt: skip
    return ctypes.CDLL(str(folder / "libhost.so"))


DTYPES_OF_ALL = ("float32", "float32", "float32", "int64", "float32", "float32", "int32", "float32")
ATTRS = (5, 2.5, False, "mean", (7, -1), (0.5,), ())


def every_kind(
    library: ctypes.CDLL,
    *,
    x: Shape = (2, 3, 9),
    bias: Sequence[Shape] = (),
    tables: Sequence[Shape] = ((9,), (3, 9)),
    axes: bytes | None = struct.pack("<4q", 3, 1, -1, 0),
    count: int = 5,
    outputs: Sequence[Shape] | None = None,
    dtypes: Sequence[str] = DTYPES_OF_ALL,
) -> HostCode:
    code = HostCode(library, EVERY_KIND)
    given = outputs or [(*x[:-1], 2 * (x[-1] - 1) + count), (x[-1] // 2, 4), x]
    values = {} if axes is None else {3: axes}
    code.call([[x], bias, tables, [(4,)], [()]], given, dtypes, (count, *ATTRS[1:]), values)
    return code


@pytest.mark.compiler
def test_tiling_carries_what_the_kernel_wants(library: ctypes.CDLL) -> None:
    data, blocks, initialised = every_kind(library).tiling()
    total, tables, has_bias, count, alpha, keep, per_block, tile = struct.unpack_from("<qIIqfIqI", data)
    assert (total, tables, has_bias, count, alpha, keep) == (2 * 3 * 21, 2, 0, 5, 2.5, 0)
    assert (blocks, per_block % 128, tile % 256, tile > 0) == (1, 0, 0, True)
    assert initialised
    data, blocks, _ = every_kind(library, x=(7001, 9), bias=[(9,)], tables=[(9,)]).tiling()
    total, tables, has_bias, _, _, _, per_block, _ = struct.unpack_from("<qIIqfIqI", data)
    assert (total, tables, has_bias) == (7001 * 21, 1, 1)
    assert (blocks - 1) * per_block < total <= blocks * per_block


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("x", "tables", "inferred"),
    [
        ((2, 3, 9), [(9,), (3, 9)], [[2, 3, 21], [4, 4], [2, 3, 9]]),
        ((9,), [(5, 1, 9), (4, 9)], [[5, 4, 21], [4, 4], [5, 4, 9]]),
        ((1,), [(1,)], [[5], [0, 4], [1]]),
        ((-1, 9), [(9,)], [[-1, 21], [4, 4], [-1, 9]]),
        ((-1, 9), [(7, 9)], [[7, 21], [4, 4], [7, 9]]),
        ((3, -1), [(-1,)], [[3, -1], [-1, 4], [3, -1]]),
        ((3, -1), [(9,)], [[3, 21], [4, 4], [3, 9]]),
        ((-2,), [(9,)], [[-2], [4, 4], [-2]]),
        ((0, 9), [(9,)], [[0, 21], [4, 4], [0, 9]]),
    ],
)
def test_inferred_shapes(library: ctypes.CDLL, x: Shape, tables: list[Shape], inferred: list[list[int]]) -> None:
    assert every_kind(library, x=x, tables=tables, outputs=[(), (), ()]).shapes() == inferred


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"tables": []}, "input 2 is missing"),
        ({"bias": [(8,)]}, "H of bias is 8, but x has 9"),
        ({"tables": [(9,), (4, 9)]}, "the leading dimensions of tables are [4], which do not broadcast with [2, 3]"),
        ({"count": -40}, "the dimension 2 * (H - 1) + count would be -24"),
        ({"axes": None}, "the host does not know the values of axes"),
        ({"dtypes": ("float16", *DTYPES_OF_ALL[1:])}, "this combination of types has no kernel"),
        ({"outputs": [(2, 3, 20), (4, 4), (2, 3, 9)]}, "output 0 must have the shape [2, 3, 21] that its inputs give"),
    ],
)
def test_tiling_refusals(
    library: ctypes.CDLL, capfd: pytest.CaptureFixture[str], changed: dict[str, object], said: str
) -> None:
    with pytest.raises(Refused):
        every_kind(library, **changed).tiling()  # type: ignore[arg-type]
    assert capfd.readouterr().err == f"[ERROR] EveryKind: {said}\n"


@pytest.mark.compiler
def test_a_type_may_follow_from_all_inputs(library: ctypes.CDLL, capfd: pytest.CaptureFixture[str]) -> None:
    code = HostCode(library, BY_ROW)
    rows = (("float16", "float16", "float16"), ("float16", "float32", "float32"), ("int8", "float32", "float16"))
    for x, y, z in rows:
        code.call([[(3,)], [(3,)]], [(3,)], (x, y, "int64"))
        assert code.dtypes() == [DTYPES[z].acl]
        code.call([[(3,)], [(3,)]], [(3,)], (x, y, z))
        assert code.tiling()[1] == 1
    code.call([[(3,)], [(3,)]], [(3,)], ("int8", "float16", "int8"))
    with pytest.raises(Refused):
        code.dtypes()
    assert capfd.readouterr().err == "[ERROR] ByRow: this combination of input types has no kernel\n"


@pytest.mark.compiler
def test_types_that_an_input_or_nothing_tells(library: ctypes.CDLL) -> None:
    assert every_kind(library).dtypes() == [DTYPES[name].acl for name in ("float32", "int32", "float32")]


@pytest.mark.compiler
def test_op_build_reads_the_definitions_back(folder: Path, toolkit_root: Path, tmp_path: Path) -> None:
    """op_build's header and lists are what ``build.signature_check`` compares with the spec, and say the same."""
    from opforge.build.signature_check import check_generated

    library = tmp_path / "libascend_all_ops.so"
    flags = ["-std=c++11", "-D_GLIBCXX_USE_CXX11_ABI=0", "-fPIC", "-shared", f"-I{toolkit_root / 'include'}"]
    libraries = [f"-L{toolkit_root / 'lib64'}", "-lexe_graph", "-lregister", "-ltiling_api"]
    sources = [folder / "op_host" / f"{snake(op.type)}.cpp" for op in OPS]
    subprocess.run(["g++", *flags, *sources, "-o", library, *libraries], check=True)
    found = {"LD_LIBRARY_PATH": str(toolkit_root / "lib64")}
    subprocess.run([toolkit_root / "tools/opbuild/op_build", library, tmp_path], check=True, env=found)
    check_generated(tmp_path, ["ascend910b", "ascend910_93"], OPS)
    header = " ".join((tmp_path / "aclnn_every_kind.h").read_text(encoding="utf-8").split())
    assert (
        "aclnnEveryKindGetWorkspaceSize( aclTensor *xRef, const aclTensor *biasOptional, const aclTensorList *tables, "
        "const aclIntArray *axes, const aclScalar *scale, int64_t count, double alpha, bool keep, char *modeOptional, "
        "const aclIntArray *sizesOptional, const aclFloatArray *partsOptional, const aclBoolArray *flagsOptional, "
        "const aclTensor *yOut, const aclTensor *halvesOut, uint64_t *workspaceSize, aclOpExecutor **executor);"
    ) in header
    dtypes = {soc: (tmp_path / f"aic-{soc}-ops-info.ini").read_text("utf-8") for soc in ("ascend910b", "ascend910_93")}
    section = "[PerSoc]\ninput0.name=x\ninput0.dtype="
    assert f"{section}float,int8\n" in dtypes["ascend910b"].replace("float32", "float")
    assert f"{section}float16\n" in dtypes["ascend910_93"]


@pytest.mark.parametrize(
    "path",
    ["op_host/every_kind.cpp", "op_host/every_kind_call.h", "op_host/every_kind_host_tiling.h",
     "op_kernel/every_kind.cpp", "op_kernel/every_kind_args.h", "op_kernel/every_kind_bindings.h",
     "op_kernel/every_kind_kernel.h", "op_kernel/every_kind_tiling.h", "aclnn/call_every_kind.cpp",
     "aclnn/opforge/golden_every_kind.h"],
)  # fmt: skip
def test_golden(path: str, golden) -> None:
    golden(f"{path}.txt", files_of(EVERY_KIND)[path].text)


def test_clang_format_changes_nothing(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("clang-format")
    for op in OPS:
        for path, file in files_of(op).items():
            if path.endswith((".cpp", ".h")):
                done = subprocess.run(
                    [program, f"--style=file:{ROOT / '.clang-format'}", f"--assume-filename={tmp_path / 'a.h'}"],
                    input=file.text, capture_output=True, text=True, check=True,
                )  # fmt: skip
                assert done.stdout == file.text, path


def test_a_kernel_written_by_hand_says_so_until_it_is() -> None:
    assert "// KERNEL BODY NOT WRITTEN YET\n" in files_of(EVERY_KIND)["op_kernel/every_kind_kernel.h"].text


@pytest.mark.compiler
@pytest.mark.parametrize("op", [EVERY_KIND, ONLY_A_LIST], ids=lambda op: op.type)
def test_a_skeleton_compiles_without_a_warning(op: OpSpec, toolkit_root: Path, tmp_path: Path) -> None:
    for path, file in files_of(op).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(file.text, encoding="utf-8")
    names = [tensor.name for tensor in op.inputs], [f"{t.inplace}_ref" if t.inplace else t.name for t in op.outputs]
    row = combinations(op)[0]
    inputs = dict(zip(names[0], row, strict=False))
    outputs = dict(zip(names[1], row[len(inputs) :], strict=True))
    harness.compile_kernel(
        toolkit_root, tmp_path / "op_kernel" / f"{snake(op.type)}.cpp", snake(op.type), inputs, outputs,
        tmp_path / "compiled", options=["-Wall", "-Wextra", "-Werror"],
    )  # fmt: skip


def test_a_kernel_that_says_a_shape_is_called_with_the_place_for_it() -> None:
    shaped = TensorSpec("y", FLOATS, ("N",), opdef=((SHAPE_BY_KERNEL, ""),))
    files = files_of(OpSpec("Kept", (TensorSpec("x", FLOATS, ("N",)),), (), (shaped,)))
    assert "        shapeOutAddress = shapeOut;\n" in files["op_kernel/kept_bindings.h"].text
    entry = files["op_kernel/kept.cpp"].text
    assert "kept(GM_ADDR x, GM_ADDR y, GM_ADDR shapeOut, GM_ADDR workspace, GM_ADDR tiling)" in " ".join(entry.split())


def test_what_no_kernel_can_be_written_for_is_refused() -> None:
    socs = (SOCS["ascend910b"],)
    with pytest.raises(PlanError, match="NoOutput has no outputs"):
        _ = kernel_of(OpSpec("NoOutput", (TensorSpec("x", FLOATS),), (), ()), socs, None).plan
    quantised = TensorSpec("x", ("qint8",))
    with pytest.raises(PlanError, match="ascend910b supports none of the dtype combinations of Quantised"):
        _ = kernel_of(OpSpec("Quantised", (quantised,), (), (TensorSpec("y", ("qint8",)),)), socs, None).plan


def test_sources_of_the_author_are_not_rendered_over() -> None:
    own = OpSpec("Own", (TensorSpec("x", FLOATS),), (), (TensorSpec("y", FLOATS),), sources=("op_host/mine.cpp",))
    assert [path for path in files_of(own) if path.startswith(("op_host/own", "op_kernel/"))] == []


def test_a_default_that_no_shape_allows_leaves_its_trials_out() -> None:
    assert symbol_cases(BY_HEADS, own_shapes=True) == []
    assert len(files_of(BY_HEADS)) == len(files_of(BY_ROW))
