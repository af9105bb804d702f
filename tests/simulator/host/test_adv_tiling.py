"""The tiling functions of the high-level kernel API keep what their pages say of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

Ask = Callable[..., dict[str, list[str]]]
SHAPES = [(1,), (33,), (1024,), (7, 48), (8, 128), (2, 3, 64)]
# Their nodes say something else than their sizes, in CANN's library too.
OTHER_NODES = {"Axpy", "Clamp", "Lgamma", "Log2"}
NO_ROOM = {"Log", "Log10", "Silu", "Swish"}
# Rooms that are none for some shapes or types, and whose most is below their least for some, in CANN's library too.
SOMETIMES = {"Round", "SwiGLU", "UnPad", "Broadcast", "AntiQuant", "CumSum", "ReduceSum", "Select", "WelfordFinalize"}
SOMETIMES |= {"LayerNorm", "LayerNormGrad", "LayerNormGradBeta", "GroupNorm"}  # of fewer dims than they take
LESS = {"Broadcast", "AntiQuant", "FlashV2"}


@pytest.fixture(scope="module", params=[0, 1], ids=["old-strings", "new-strings"])
def ask(request: pytest.FixtureRequest, host_tools: HostTools, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """The lines of adv_tiling.cpp, built as op_host sources are, by their first words."""
    program = tmp_path_factory.mktemp("adv_tiling") / "adv_tiling"
    command = ["g++", "-std=c++11", "-O0", "-Wall", "-Wextra", "-Werror", f"-D_GLIBCXX_USE_CXX11_ABI={request.param}"]
    command += [f"-I{host_tools.root / 'include'}", str(Path(__file__).parent / "sources" / "adv_tiling.cpp")]
    command += ["-o", str(program), f"-L{host_tools.root / 'lib64'}", "-lregister", "-ltiling_api"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)

    def run(size: int, room: int, dims: tuple[int, ...]) -> dict[str, list[str]]:
        words = [str(program), *map(str, (size, room, *dims))]
        env = {**os.environ, **host_tools.preload}
        out = subprocess.run(words, capture_output=True, text=True, check=True, env=env).stdout
        lines = [line.split() for line in out.splitlines()]
        return {" ".join(w[:2]) if w[0] in {"both", "sizes"} else w[0]: w for w in lines}

    return run


@pytest.mark.parametrize("size", [2, 4])
def test_rooms_are_in_order_and_follow_from_the_factor(ask: Ask, size: int) -> None:
    for dims in SHAPES:
        elements = 1
        for dim in dims:
            elements *= dim
        answers = ask(size, 4096, dims)
        both = {words[1]: [int(w) for w in words[2:]] for key, words in answers.items() if key.startswith("both")}
        assert len(both) == 29
        for name, (most, least, nodes, extra) in both.items():
            assert most >= least, name
            if name in OTHER_NODES:
                continue
            assert least == 256 * nodes + extra, name  # the least step of the page's own formula is 256 bytes
            assert nodes == 0 or (most - extra) // nodes // size >= elements, name
            assert (nodes == 0) == (most == 0), name
        sizes = {words[1]: [int(w) for w in words[2:]] for key, words in answers.items() if key.startswith("sizes")}
        assert len(sizes) == 34
        for name, (most, least) in sizes.items():
            assert most >= least or name in LESS, name
            assert (least > 0) == (name not in NO_ROOM) or name in SOMETIMES, name
        assert sizes["Gelu"] == sizes["Gelu2"]
        assert sizes["DropOut"] == sizes["DropOut2"]


@pytest.mark.parametrize("size", [2, 4])
def test_softmax_is_cut_into_rows(ask: Ask, size: int) -> None:
    for dims in SHAPES:
        for room in (256, 4096, 100000):
            answers = ask(size, room, dims)
            names = "srcM srcK srcSize outMaxM outMaxK outMaxSize splitM splitK splitSize reduceM reduceK reduceSize"
            names += " rangeM tailM tailSplitSize tailReduceSize"
            t = dict(zip(names.split(), map(int, answers["fields"][1:]), strict=True))
            rows = 1
            for dim in dims[:-1]:
                rows *= dim
            assert (t["srcM"], t["srcK"], t["srcSize"]) == (rows, dims[-1], rows * dims[-1])
            assert t["outMaxK"] == 32 // size
            assert t["splitM"] == 0 or t["rangeM"] * t["splitM"] + t["tailM"] == rows
            assert t["splitSize"] * 4 <= room
            assert t["splitM"] > 0 or dims[-1] * 4 + 128 // size + 256 > room
            assert (t["splitSize"], t["tailSplitSize"]) == (t["splitM"] * dims[-1], t["tailM"] * dims[-1])
            basic = (
                t["splitM"] > 0 and t["splitM"] % 8 == 0 and t["splitK"] % 64 == 0 and 256 // size <= t["splitK"] < 2048
            )
            assert answers["basic"][1:] == [str(int(basic))] * 2
            assert answers["means"][1] == "0"
            assert answers["bytes"][1] == "0"  # a class of tiling data lies as the plain struct
            assert answers["text"][1:] == ["of", "the", "toolkit"]


def tiling(words: list[str]) -> dict[str, float]:
    return dict(zip(words[5::2], map(float, words[6::2]), strict=True))


@pytest.mark.parametrize("size", [2, 4])
def test_rms_norm_is_cut_into_rows(ask: Ask, size: int) -> None:
    for dims, rooms in {
        (2, 3, 64): (256, 100000), (1, 8, 128): (4096, 255), (1, 1, 33): (256,), (2, 4, 2048): (4096,),
        (7, 48): (4096,),
    }.items():  # fmt: skip
        for room in rooms:
            words = ask(size, room, dims)
            rows, stride = dims[0] * dims[1], -(-dims[-1] * size // 32) * 32 // size
            enough = room >= stride * (8 if size == 2 else 4) + 32
            ok = len(dims) == 3 and enough
            basic = len(dims) == 3 and dims[0] * dims[1] % 8 == 0 and dims[2] % 64 == 0 and dims[2] < 2048
            assert words["rooms"][1:] == [str(int(value)) for value in (len(dims) == 3, basic, basic and enough)]
            assert words["RmsNormTiling"][2:5:2] == [str(int(ok)), "1"]
            if not ok:
                continue
            t = tiling(words["RmsNormTiling"])
            assert (t["bLength"], t["sLength"], t["hLength"], t["originalHLength"]) == (*dims[:2], stride, dims[2])
            assert t["reciprocalOfHLength"] == pytest.approx(1 / dims[2], rel=1e-5)
            assert t["loopRound"] * t["mainBsLength"] + t["tailBsLength"] == rows
            assert t["mainBsLength"] == 1 or t["mainBsLength"] * stride * 4 <= room
            assert t["inputTailPos"] + t["tailBshLength"] == rows * stride
            assert t["mainBshLength"] == t["mainBsLength"] * stride


@pytest.mark.parametrize("size", [2, 4])
def test_layer_norm_is_cut_into_rows(ask: Ask, size: int) -> None:
    for dims, rooms in {
        (2, 3, 64, 64): (256, 1000, 100000), (1, 1, 16, 16): (256,), (5, 33): (512, 4096), (8, 128): (256,),
        (2, 3, 4): (256,),
    }.items():  # fmt: skip
        for room in rooms:
            words = ask(size, room, dims)
            layer, separate = tiling(words["LayerNormTiling"]), tiling(words["LayerNormSeparateTiling"])
            assert words["LayerNormTiling"][2:5:2] == words["LayerNormSeparateTiling"][2:5:2] == ["1", "1"]
            assert float(words["before"][1]) == layer["inputXSize"]
            known = {4: layer, 2: separate}.get(len(dims))
            for other in (layer, separate):  # of other shapes nothing: the kernel refuses it
                assert other is known or not any(other.values())
            if known is None:
                continue
            rows = dims[0] * dims[1] if known is layer else dims[0]
            length = dims[2] if known is layer else -(-dims[1] * size // 32) * 32 // size
            moments = -(-rows // 8) * 8
            held = moments if known is separate else 2 * moments if size == 2 else 0
            if (room // 4 - held) // (3 if known is layer else 2) < length:  # no row fits
                assert not any(known.values())
                continue
            names = ("bLength", "sLength", "hLength", "originalHLength") if known is layer else ("aLength", "rLength")
            assert tuple(known[name] for name in names) == dims
            assert (known["inputXSize"], known["meanVarSize"]) == (rows * length, rows)
            assert known["loopRound"] * known["meanVarRoundSize"] + known["meanVarTailSize"] == rows
            assert known["inputTailPos"] + known["inputTailSize"] == rows * length
            assert known["meanVarRoundSize"] == 1 or known["inputRoundSize"] * 4 <= room
            mean = known["lastDimValueBack"] if known is layer else known["rValueBack"]
            assert mean == pytest.approx(1 / dims[2 if known is layer else 1], rel=1e-5)


@pytest.mark.parametrize("size", [2, 4])
def test_gradients_are_cut_into_rows(ask: Ask, size: int) -> None:
    for dims, rooms in {(2, 3, 64, 64): (256, 100000), (1, 7, 16, 16): (512,), (5, 33): (512,)}.items():
        for room in rooms:
            words = ask(size, room, dims)
            grad, beta = tiling(words["LayerNormGradTiling"]), tiling(words["LayerNormGradBetaTiling"])
            assert words["LayerNormGradTiling"][4] == words["LayerNormGradBetaTiling"][4] == "1"
            if len(dims) != 4:  # no shape, which the kernel refuses
                assert not any(grad.values())
                assert not any(beta.values())
                continue
            rows, length, given = dims[0] * dims[1], dims[2], room // size
            for t, least, stack in ((grad, 36 if size == 2 else 24, given), (beta, 16 if size == 2 else 8, given // 4)):
                if given < least * length:  # no row fits
                    assert not any(t.values())
                    continue
                assert tuple(t[name] for name in ("bLength", "sLength", "hLength", "originalHLength")) == dims
                assert t["stackBufferSize"] == stack
            if not any(grad.values()) or not any(beta.values()):
                continue
            assert grad["loopNum"] * grad["nohCalSize"] + grad["nohTailSize"] == rows
            assert grad["loopNum"] * grad["oneCalSize"] + grad["tailSize"] == rows * length
            assert (beta["bsLength"], beta["bshLength"]) == (rows, rows * length)
            assert beta["inputTailPos"] + beta["inputTailSize"] == rows * length


@pytest.mark.parametrize("size", [2, 4])
def test_normalisations_of_three_and_four_dims(ask: Ask, size: int) -> None:
    for dims, room in {
        (2, 3, 33): 256, (4, 2, 64): 4096, (8, 4, 16): 100000, (16, 8, 8): 255, (1, 1, 2048): 256, (2, 6, 4, 8): 512,
        (3, 5, 4, 4): 512, (7, 48): 512,
    }.items():  # fmt: skip
        words = ask(size, room, dims)
        for name in ("DeepNorm", "GroupNorm", "BatchNorm"):
            assert words[f"{name}Tiling"][4] == "1"
        three = len(dims) == 3
        width = -(-dims[2] * size // 32) * 32 // size if three else 0
        columns, moments = dims[1] * width, -(-dims[0] * dims[1] // 8) * 64
        deep_basic = three and dims[0] * dims[1] % 8 == 0 and dims[2] % 64 == 0
        batch_basic = three and dims[0] % 8 == 0 and columns % 64 == 0 and width < 2048
        deep = three and dims[2] <= 2040 and room >= 12 * width + moments
        batch, batch_blocks = (three and room >= 8 * columns + 12 * dims[0] * block for block in (32 // size, 64))
        wanted = [three, deep_basic, deep_basic and deep, three, batch_basic, batch_basic and batch_blocks]
        assert words["norms"][1:] == [str(int(value)) for value in wanted], dims
        assert words["DeepNormTiling"][2] == str(int(deep))
        assert words["BatchNormTiling"][2] == str(int(batch))
        if deep:
            t = tiling(words["DeepNormTiling"])
            assert (t["bLength"], t["sLength"], t["originalHLength"]) == dims
            assert t["hLength"] * size % 32 == 0
            assert t["hLength"] - dims[2] < 32 // size
            assert t["loopRound"] * t["meanVarRoundSize"] + t["meanVarTailSize"] == dims[0] * dims[1]
        if batch:
            t = tiling(words["BatchNormTiling"])
            assert (t["originalBLength"], t["meanVarSize"]) == (dims[0], columns)
            assert t["loopRound"] * t["shCurLength"] + t["meanVarTailSize"] == columns
        t = tiling(words["GroupNormTiling"])
        if len(dims) == 4 and dims[1] % 2 == 0 and any(t.values()):
            assert (t["n"], t["c"], t["g"], t["d"], t["hw"]) == (dims[0], dims[1], 2, dims[1] // 2, dims[2] * dims[3])
            assert t["dhwAlignSize"] == t["d"] * t["hwAlignSize"]
            assert t["loopRound"] * t["meanVarRoundSize"] + t["meanVarTailSize"] == dims[0] * 2
        elif len(dims) == 4 and dims[1] % 2 == 0:  # no row fits
            assert room < 12 * dims[1] // 2 * -(-dims[2] * dims[3] * size // 32) * 32 // size + 64
        else:
            assert not any(t.values())


@pytest.mark.parametrize("size", [2, 4])
def test_pads_know_their_matrix(ask: Ask, size: int) -> None:
    for dims in ((16, 15), (7, 48), (2, 3, 4)):
        words = ask(size, 4096, dims)
        pad, un_pad = tiling(words["PadTiling"]), tiling(words["UnPadTiling"])
        assert words["PadTiling"][4] == words["UnPadTiling"][4] == "1"
        if len(dims) == 2:
            assert (pad["srcHeight"], pad["srcWidth"], pad["srcOriWidth"]) == (*dims, dims[1] - 1)
            assert pad["blocksPerRow"] == dims[1] * size // 32
            assert (un_pad["srcHeight"], un_pad["srcWidth"]) == dims
        else:  # no shape, which the kernel refuses
            assert not any(pad.values())
            assert not any(un_pad.values())


def test_formats_need_a_step(ask: Ask) -> None:
    """The page: maxValue is minValue. Not for int32, and not for layouts the other way round."""
    assert ask(2, 4096, (16, 16))["formats"][1:] == ["1", "1", "0", "0", "1536", "1536"]


@pytest.mark.parametrize("size", [2, 4])
def test_transpose(ask: Ask, size: int) -> None:
    """Of {2, 3, 17, 5}, and {32, 48} for scene 7: what test_adv_transpose.py gives the kernel."""
    answers = ask(size, 4096, (1024,))
    block, stack = 32 // size, 1024 // size // 256 * 256
    swapped = [2, 3, 16, 32, stack, stack // 16]
    fields = {1: swapped, 2: swapped, 3: [2, 3, 5, 16 // block, 1, 2], 7: [32, 48, 2, 32, 0, 0]}
    rooms = {1: [512 * size, 256 * size], 2: [512 * size, 256 * size], 7: [0, 0]}
    for scene in range(9):
        words = answers[f"scene{scene}"]
        known = 1 <= scene <= 7
        assert words[2:7] == ["1", "1", str(int(scene == 7 or not known)), "1", "1"], scene
        assert [int(w) for w in words[8:10]] == (rooms.get(scene, [512 * size] * 2) if known else [0, 0]), scene
        want = [block, *fields.get(scene, [2, 3, 5, 15, 2, 1])] if known else [0] * 7
        assert [int(w) for w in words[11:]] == want, scene
