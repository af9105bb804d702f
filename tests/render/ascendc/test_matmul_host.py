"""Generated op_host of ops with products: shapes by symbols, the split over the cores, and refusals with numbers."""

from __future__ import annotations

import ctypes
import itertools
import random
import shutil
import subprocess

import pytest
from generated_ops import ALL, Chip, GeneratedOps, TilingRefusedError, ascendc_files, catalog_op, program_of

from opforge.dtypes import DTYPES
from opforge.kinds.products.plan import SLOTS
from opforge.soc import SocVersion

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
CHIPS = (WHOLE, Chip(40), Chip(2, 12 * 1024))
LIBRARY = 16 * 1024 * 1024
CUBE = (
    "usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 stepM stepN isBias "
    "transLength iterateOrder shareMode shareL1Size shareL0CSize shareUbSize batchM batchN singleBatchM singleBatchN "
    "stepKa stepKb depthAL1CacheUB depthBL1CacheUB dbL0A dbL0B dbL0C ALayoutInfoB ALayoutInfoS ALayoutInfoN "
    "ALayoutInfoG ALayoutInfoD BLayoutInfoB BLayoutInfoS BLayoutInfoN BLayoutInfoG BLayoutInfoD CLayoutInfoB "
    "CLayoutInfoS1 CLayoutInfoN CLayoutInfoG CLayoutInfoS2 BatchNum mxTypePara"
)


class Cube(ctypes.Structure):
    """AscendC::tiling::TCubeTiling."""

    _fields_ = tuple((name, ctypes.c_int32) for name in CUBE.split())


class SwiGLUTilingData(ctypes.Structure):
    """The generated struct, as a C compiler lays it out."""

    _fields_ = (
        ("cube", Cube),
        ("rowCount", ctypes.c_int64),
        ("innerCount", ctypes.c_int64),
        ("columnCount", ctypes.c_int64),
        ("tileCount", ctypes.c_int64),
        ("columnTiles", ctypes.c_int64),
        ("tileRows", ctypes.c_uint32),
        ("tileColumns", ctypes.c_uint32),
        ("tileGroup", ctypes.c_uint32),
        ("blockCount", ctypes.c_uint32),
        ("workerCount", ctypes.c_uint32),
        ("epilogueElements", ctypes.c_uint32),
        ("epilogueRows", ctypes.c_uint32),
    )


class LinearTilingData(ctypes.Structure):
    """Without an epilogue, with a bias that may be widened and may be left out."""

    _fields_ = (*SwiGLUTilingData._fields_[:9], ("biasPitch", ctypes.c_int64), ("biasGiven", ctypes.c_uint32))


def swiglu(ops: GeneratedOps, sizes: tuple[int, int, int], chip: Chip = WHOLE, dtype: str = "float16"):
    """SwiGLU's tiling for x [m, k] and weights [k, n]: the struct, and the tiling itself."""
    m, k, n = sizes
    tiling = ops.tiling("SwiGLU", [[m, k], [k, n], [k, n], [m, n]], [dtype] * 4, chip, {})
    assert len(tiling.data) == ctypes.sizeof(SwiGLUTilingData)
    return SwiGLUTilingData.from_buffer_copy(tiling.data), tiling


def shares(data: SwiGLUTilingData) -> list[range]:
    """Tiles of each worker, as tile_matmul.h deals them."""
    each, longer = divmod(data.tileCount, data.workerCount)
    begins = [w * each + min(w, longer) for w in range(data.workerCount)]
    return [range(b, b + each + (w < longer)) for w, b in enumerate(begins)]


@pytest.mark.parametrize(
    ("shapes", "inferred"),
    [
        (([4, 8], [8, 3], [8, 3]), [4, 3]),
        (([8], [8, 3], [8, 3]), [3]),
        (([2, 3, 4, 8], [8, 5], [8, 5]), [2, 3, 4, 5]),
        (([4, 0], [0, 3], [0, 3]), [4, 3]),
        (([-1, 8], [8, 3], [8, 3]), [-1, 3]),
        (([4, -1], [8, -1], [-1, 3]), [4, 3]),
        (([4, -1], [-1, -1], [-1, -1]), [4, -1]),
        (([-2], [8, 3], [8, 3]), [-2]),
        (([4, 8], [-2], [8, 3]), [4, 3]),
        (([4, 8], [-2], [-2]), [4, -1]),
        (([1 << 40, 8], [8, 3], [8, 3]), [1 << 40, 3]),
    ],
)
def test_inferred_shape(matmul_ops, shapes, inferred):
    assert matmul_ops.infer_shape("SwiGLU", shapes) == [inferred]


def test_inferred_shape_with_transposes_and_optional_inputs(matmul_ops):
    assert matmul_ops.infer_shape("Linear", ([2, 3, 8], [5, 8], None)) == [[2, 3, 5]]
    assert matmul_ops.infer_shape("Linear", ([2, -1], [-1, 8], [5])) == [[2, 5]]
    assert matmul_ops.infer_shape("Everything", ([8, 4], [8, 5], [8, 4], [4, 5], None)) == [[4, 5]] * 2
    assert matmul_ops.infer_shape("Everything", ([8, -1], [8, -1], [8, 4], [-1, 5], None)) == [[4, 5]] * 2
    for dtype in ALL:
        assert matmul_ops.infer_dtype("Linear", [dtype] * 3) == [DTYPES[dtype].acl]


@pytest.mark.parametrize(
    ("name", "shapes", "message"),
    [
        ("SwiGLU", ([4, 7], [8, 3], [8, 3]), "H of w_gate is 8, but x has 7"),
        ("SwiGLU", ([4, 8], [8, 3], [8, 5]), "I of w_up is 5, but w_gate has 3"),
        ("SwiGLU", ([], [8, 3], [8, 3]), "x is [], but must be [..., H]"),
        ("SwiGLU", ([4, 8], [8, 3, 1], [8, 3]), "w_gate is [8, 3, 1], but must be [H, I]"),
        ("Linear", ([4, 8], [5, 7], None), "K of weight is 7, but x has 8"),
        ("Linear", ([4, 8], [5, 8], [4]), "N of bias is 4, but weight has 5"),
        ("Everything", ([8, 4], [8, 5], [8, 4], [3, 5], None), "M of residual is 3, but a has 4"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(matmul_ops, capfd, name, shapes, message):
    with pytest.raises(TilingRefusedError):
        matmul_ops.infer_shape(name, shapes)
    assert capfd.readouterr().err == f"[ERROR] {name}: {message}\n"
    outputs = [[4, 3]] * len(matmul_ops.ops[name].outputs)
    with pytest.raises(TilingRefusedError):
        matmul_ops.tiling(name, [*shapes, *outputs], ["float16"] * (len(shapes) + len(outputs)), WHOLE, {})
    assert capfd.readouterr().err == f"[ERROR] {name}: {message}\n"


HALVES = ("float16",) * 4
REFUSED = (
    ((1 << 31, 8, 16), HALVES, WHOLE, "a product of [2147483648, 8] with [8, 16] has a dimension beyond 2147483647"),
    ((8, 16, 1 << 31), HALVES, WHOLE, "a product of [8, 16] with [16, 2147483648] has a dimension beyond 2147483647"),
    (
        (8, 8, 8),
        HALVES,
        Chip(2, 2048),
        "the epilogue of a row of 256 elements at 24 bytes does not fit: 1792 bytes of UB",
    ),
    ((8, 8, 8), HALVES, Chip(3), "the kernel wants two vector cores for each cube core, not 3 for 1"),
    ((8, 8, 8), ("float16", "float32") * 2, WHOLE, "this combination of types has no kernel"),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[-1][:20])
def test_tiling_refusals(matmul_ops, capfd, case):
    (m, k, n), dtypes, chip, message = case
    with pytest.raises(TilingRefusedError):
        matmul_ops.tiling("SwiGLU", [[m, k], [k, n], [k, n], [m, n]], dtypes, chip, {})
    assert capfd.readouterr().err == f"[ERROR] SwiGLU: {message}\n"


def test_an_output_of_another_shape_is_refused(matmul_ops, capfd):
    with pytest.raises(TilingRefusedError):
        matmul_ops.tiling("SwiGLU", [[4, 8], [8, 3], [8, 3], [4, 8]], ["float16"] * 4, WHOLE, {})
    assert capfd.readouterr().err == "[ERROR] SwiGLU: output 0 must have the shape [4, 3] that its inputs give\n"


EXTENTS = (1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 1000, 4096, 65537)


def test_tiles_cover_the_output_once(matmul_ops):
    """Every element in one tile, every tile with one worker, no core without work while another has two tiles."""
    chance = random.Random(5)
    sizes = [(m, chance.choice(EXTENTS), n) for m, n in itertools.product(EXTENTS, EXTENTS)]
    sizes += [(1 << 20, 5, 7), (7, 5, 1 << 20), (2147483647, 1, 1), (1, 1, 2147483647), (1, 2147483647, 1)]
    for (m, k, n), chip, dtype in zip(sizes, itertools.cycle(CHIPS), itertools.cycle(ALL)):
        data, tiling = swiglu(matmul_ops, (m, k, n), chip, dtype)
        said = f"{m} x {k} x {n} {dtype} on {chip}: {data.tileRows} x {data.tileColumns}, {data.tileCount} tiles"
        assert (tiling.key, data.rowCount, data.innerCount, data.columnCount) == (0, m, k, n), said
        assert data.tileRows in range(16, 129, 16), said
        assert data.tileColumns in range(16, 257, 16), said
        assert data.columnTiles == -(-n // data.tileColumns), said
        assert data.tileCount == data.columnTiles * -(-m // data.tileRows), said
        taken = shares(data)
        assert [r.start for r in taken[1:]] == [r.stop for r in taken[:-1]], said
        assert (taken[0].start, taken[-1].stop) == (0, data.tileCount), said
        assert {len(r) for r in taken} <= {data.tileCount // data.workerCount, -(-data.tileCount // data.workerCount)}
        assert data.workerCount == min(data.tileCount, chip.cores), said
        assert tiling.blocks == data.blockCount == min(data.tileCount, chip.cubes), said
        assert 0 < data.epilogueRows * data.tileColumns <= data.epilogueElements or data.epilogueRows == 1, said


def test_tiles_are_tall_where_the_right_operand_lies_along_k(matmul_ops):
    """More rows than 128, and fewer columns; for a weight [K, N] its rows would be read in short pieces."""
    tall = 0
    for m, n in itertools.product(EXTENTS, EXTENTS):
        tiling = matmul_ops.tiling("Linear", [[m, 64], [n, 64], [n], [m, n]], ["float16"] * 4, WHOLE, {})
        data = LinearTilingData.from_buffer_copy(tiling.data)
        assert data.tileRows in range(16, 257, 16), (m, n)
        assert data.tileColumns in range(16, 257, 16), (m, n)
        assert data.tileRows * data.tileColumns <= 128 * 256, (m, n)
        assert data.tileCount == -(-m // data.tileRows) * -(-n // data.tileColumns), (m, n)
        assert (data.cube.baseM, data.cube.baseN) == (data.tileRows, data.tileColumns), (m, n)
        tall += data.tileRows > 128
    assert tall > 10
    wide = matmul_ops.tiling("Linear", [[3072, 64], [256, 64], [256], [3072, 256]], ["float16"] * 4, WHOLE, {})
    assert LinearTilingData.from_buffer_copy(wide.data).tileRows == 128  # as good, with longer rows of results


def test_what_the_cube_is_told(matmul_ops):
    """One tile of the whole product; its bounds in L0 are the tiling API's business, its tile is ours."""
    for dtype, (m, k, n) in itertools.product(ALL, ((1000, 4096, 4096), (5, 3, 20), (64, 65537, 300))):
        data = swiglu(matmul_ops, (m, k, n), WHOLE, dtype)[0]
        cube = data.cube
        assert (cube.M, cube.N, cube.Ka, cube.Kb) == (m, n, k, k)
        assert (cube.baseM, cube.baseN) == (data.tileRows, data.tileColumns)
        assert cube.singleCoreK == k
        assert cube.isBias == 0
        assert cube.baseM * cube.baseN * 4 * cube.dbL0C <= 128 * 1024


def test_the_ranking_of_plans_agrees_with_the_tiling(matmul_ops):
    """`opforge tune` ranks as CostOf does: of all plans for all cores, the tiling's own tile is first or as good."""
    kernel = next(k for k in program_of([catalog_op("SwiGLU")]).kernels if k.op.type == "SwiGLU")
    chance = random.Random(5)
    for dtype in ALL:
        for _ in range(12):
            m, k, n = (chance.choice((1, 16, 100, 512, 1000, 1376, 4096)) for _ in range(3))
            data = swiglu(matmul_ops, (m, k, n), WHOLE, dtype)[0]
            shapes = {"x": (m, k), "w_gate": (k, n), "w_up": (k, n)}
            ranked = kernel.split_plans(shapes, (dtype,) * 4, SocVersion("Ascend910B1", 24, 48))
            whole = [each for each in ranked if each.plan.cores == WHOLE.cubes]
            work = {(each.plan.tile_rows, each.plan.tile_columns): each.work for each in whole}
            assert work[data.tileRows, data.tileColumns] == min(work.values()), (m, k, n, dtype)


def test_l1_is_filled_with_even_loads_of_both_operands(matmul_ops):
    """A and B in steps of the same K; one load arrives while the other is multiplied, unless one load has all of K."""
    for dtype, m, k, n in itertools.product(ALL, (16, 512), (16, 200, 1024, 4096, 65537), (300, 1376)):
        cube = swiglu(matmul_ops, (m, k, n), WHOLE, dtype)[0].cube
        element = 4 if dtype == "float32" else 2
        blocks = -(-k // cube.baseK)
        step, depth = cube.stepKa, cube.depthA1
        assert (cube.stepKb, cube.depthB1) == (step, depth)
        used = depth * (cube.baseM + cube.baseN) * cube.baseK * element
        assert used == cube.shareL1Size <= 512 * 1024
        if step == blocks:
            assert depth == blocks
        else:
            assert depth == 2 * step
            assert used + 2 * (cube.baseM + cube.baseN) * cube.baseK * element >= 512 * 1024  # no larger step fits


@pytest.mark.parametrize(
    ("sizes", "busy"),
    [
        ((4096, 64, 64), 24),  # tall
        ((64, 64, 4096), 24),  # wide
        ((128, 1024, 384), 24),  # small: 1.5 tiles of 128 x 256
        ((16, 4096, 11008), 24),  # one row of tiles
        ((2048, 1024, 4096), 24),
        ((16, 64, 16), 1),
        ((1, 64, 100), 7),
    ],
)
def test_every_cube_core_has_work_where_there_is_some(matmul_ops, sizes, busy):
    data, tiling = swiglu(matmul_ops, sizes)
    assert tiling.blocks == busy
    # The busiest core has at most a quarter more of the output than an even split would give, or one smallest tile.
    most = -(-data.tileCount // tiling.blocks) * data.tileRows * data.tileColumns
    assert most <= max(1.25 * sizes[0] * sizes[2] / tiling.blocks, 16 * 256)


def test_workspace_is_sized_by_tile_and_cores_whatever_m_and_i_are(matmul_ops):
    """Two slots of (gate, up) float32 tiles for each vector core that works."""
    for m, i in itertools.product((1, 100, 4096, 1 << 20), (1, 300, 4096, 1 << 20)):
        data, tiling = swiglu(matmul_ops, (m, 64, i))
        tile = data.tileRows * data.tileColumns * 4
        assert tiling.workspace == LIBRARY + data.workerCount * SLOTS * 2 * tile
        assert tiling.workspace <= LIBRARY + 48 * SLOTS * matmul_ops.plans["SwiGLU"].slot_bytes
    large = {swiglu(matmul_ops, (m, 64, i))[1].workspace for m in (1 << 14, 1 << 20) for i in (1 << 14, 1 << 20)}
    assert len(large) == 1


def test_nothing_to_multiply(matmul_ops):
    """No rows, no columns or no inner dimension: no products, no user workspace, and at least one block."""
    for sizes in ((0, 8, 8), (8, 0, 8), (8, 8, 0), (0, 0, 0), (300, 0, 5000)):
        data, tiling = swiglu(matmul_ops, sizes)
        assert (tiling.key, tiling.workspace) == (1, LIBRARY)
        assert tiling.blocks >= 1
        m, _, n = sizes
        assert (data.tileCount > 0) == (m * n > 0)
        assert data.workerCount == min(data.tileCount, 48)


def test_an_optional_input_reaches_the_tiling_data(matmul_ops):
    for bias, given in (([5], 1), (None, 0)):
        tiling = matmul_ops.tiling("Linear", [[4, 8], [5, 8], bias, [4, 5]], ["float16"] * 4, WHOLE, {})
        assert LinearTilingData.from_buffer_copy(tiling.data).biasGiven == given


def test_attributes_reach_the_tiling_data(matmul_ops):
    shapes = [[4, 8], [8, 5], [5], [4, 5]]
    tiling = matmul_ops.tiling("MatmulLeakyRelu", shapes, ["float32"] * 4, WHOLE, {"negative_slope": 0.25})
    last = SwiGLUTilingData.epilogueRows
    found = ctypes.c_float.from_buffer_copy(tiling.data, last.offset + last.size).value
    assert found == 0.25


STANDALONE = """\
#include <cstdio>
#include "op_host/scaled_add_host_tiling.h"
#include "op_host/swi_glu_host_tiling.h"

int main() {
    const auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance("Test48x196608");
    host_tiling::Launch launch;

    swi_glu_host_tiling::Call gated = swi_glu_host_tiling::Call();
    gated.inputs[0] = {4, 512, 1024};
    gated.inputs[1] = {1024, 4096};
    gated.inputs[2] = {1024, 4096};
    SwiGLUTilingData gatedData;
    std::string why = swi_glu_host_tiling::Compute(*platform, gated, &gatedData, &launch);
    std::printf("[%s] %lld x %lld x %lld, %u blocks\\n", why.c_str(), host_tiling::Number(gatedData.rowCount),
                host_tiling::Number(gatedData.innerCount), host_tiling::Number(gatedData.columnCount), launch.blockDim);
    gated.inputs[2] = {1024, 4095};
    std::printf("[%s]\\n", swi_glu_host_tiling::Compute(*platform, gated, &gatedData, &launch).c_str());

    scaled_add_host_tiling::Call added = scaled_add_host_tiling::Call();
    added.inputs[0] = added.inputs[1] = {1000};
    added.alphaAttr = 0.5f;
    ScaledAddTilingData addedData;
    why = scaled_add_host_tiling::Compute(*platform, added, &addedData, &launch);
    std::printf("[%s] %lld elements, alpha %g\\n", why.c_str(), host_tiling::Number(addedData.totalElements),
                static_cast<double>(addedData.alpha));
}
"""


def test_a_program_without_contexts_computes_the_same(matmul_ops, toolkit_root, tmp_path):
    """Both kinds of ops are tiled by headers that need the tiling API and the platform alone."""
    for file in ascendc_files(program_of([catalog_op("ScaledAdd")], ["ascend910b"])):
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    for folder in ("op_host", "op_kernel"):
        shutil.copytree(matmul_ops.folder / folder, tmp_path / folder, dirs_exist_ok=True)
    source, program = tmp_path / "main.cpp", tmp_path / "main"
    source.write_text(STANDALONE, encoding="utf-8")
    libraries = matmul_ops.folder / "chips" / "lib64"
    subprocess.run(
        [
            "g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", f"-I{toolkit_root / 'include'}",
            source, "-o", program, f"-L{libraries}", f"-L{toolkit_root / 'lib64'}", "-ltiling_api", "-lregister",
        ],
        check=True,
    )  # fmt: skip
    found = {"LD_LIBRARY_PATH": f"{libraries}:{toolkit_root / 'lib64'}"}
    done = subprocess.run([program], capture_output=True, text=True, check=True, env=found)
    tiling = swiglu(matmul_ops, (2048, 1024, 4096))[1]
    assert done.stdout.splitlines() == [
        f"[] 2048 x 1024 x 4096, {tiling.blocks} blocks",
        "[I of w_up is 4095, but w_gate has 4096]",
        "[] 1000 elements, alpha 0.5",
    ]
