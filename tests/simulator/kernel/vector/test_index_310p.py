"""What inference products have beside or instead of Atlas A2's: Scatter, and sorts of region proposals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import Array, LaunchError
from index_probes import FLOATS, IndexProbes, compile_index_probes, descending, mask_fixed, scores, some
from probes import NUMPY

pytestmark = pytest.mark.compiler

SCATTERED = ("uint16_t", "half", "uint32_t", "float")


def scatter(t: str) -> str:
    return f"Scatter(z.template Get<{t}>(), x.template Get<{t}>(), y.template Get<uint32_t>(), p[0], p[1]);"


def concat(t: str) -> str:
    return (
        f"ProposalConcat(z.template Get<{t}>(), x.template Get<{t}>(), p[0], p[1]);"
        f" auto back = work.template Get<{t}>(); ProposalExtract(back, z.template Get<{t}>(), p[0], p[1]);"
        " tell(0, back.GetValue(3) == x.template Get<" + t + ">().GetValue(3));"
    )


def rp_sort(t: str) -> str:
    return f"RpSort16(z.template Get<{t}>(), x.template Get<{t}>(), p[0]);"


def merge4(t: str) -> str:
    return (
        f"auto lists = x.template Get<{t}>(); uint16_t n[4] = {{uint16_t(p[0]), uint16_t(p[1]), uint16_t(p[2]),"
        f" uint16_t(p[3])}}; MrgSortSrcList<{t}> list(lists, lists[p[0] * 8], lists[(p[0] + p[1]) * 8],"
        " lists[(p[0] + p[1] + p[2]) * 8]);"
        f"MrgSort4(z.template Get<{t}>(), list, MrgSort4Info(n, false, 15, 1));"
    )


def whole_sort(t: str) -> str:
    """Concat, Sort and Extract in groups of 16."""
    size = np.dtype(NUMPY[t]).itemsize
    return (
        f"auto tmp = work.template Get<{t}>(); LocalTensor<{t}> concat; auto sorted = tmp[p[1]];"
        "auto room = tmp[2 * p[1]];"
        f"Duplicate(tmp, ({t})0, p[1]); Concat(concat, x.template Get<{t}>(), tmp, p[0]);"
        f"Sort<{t}, true>(sorted, concat, y.template Get<uint32_t>(), room, p[0]);"
        f"Extract(z.template Get<{t}>(), z.template Get<uint32_t>()[{size} * 16 * p[0] / 4], sorted, p[0]);"
    )


CALLS = (
    *(scatter(t) for t in SCATTERED),
    *(form(t) for form in (concat, rp_sort, merge4, whole_sort) for t in FLOATS),
    mask_fixed("float"),
)


@pytest.fixture(scope="module")
def probes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> IndexProbes:
    return compile_index_probes(root, CALLS, tmp_path_factory.mktemp("index_310p"), "Ascend310P3", "ascend310p")


@pytest.mark.parametrize("t", SCATTERED)
def test_scatter(probes: IndexProbes, t: str) -> None:
    size = np.dtype(NUMPY[t]).itemsize
    for count in (0, 1, 7, 63, 64, 129, 320):
        index = np.random.default_rng(count).permutation(320)[: max(count, 1)]
        offsets = np.zeros(320, np.uint32)
        offsets[: len(index)] = index * size
        x, z = some(t, 320), some(t, 336, 5)
        got, _ = probes(scatter(t), x, offsets, z, 2 * size, count)
        want = z.copy()
        want[index[:count] + 2] = x[:count]
        assert got.tobytes() == want.tobytes(), count


def test_what_scatter_refuses(probes: IndexProbes) -> None:
    x = some("float", 64)
    with pytest.raises(LaunchError, match=r"Scatter: offsets 0 and 1 are both 0") as refused:
        probes(scatter("float"), x, np.zeros(64, np.uint32), x, 0, 2)
    assert "no two offsets are the same [基础API/Memory矢量计算/离散与聚合/Scatter(ISASI)]" in refused.value.report


def proposals(values: Array, label: Array) -> Array:
    records = np.arange(8 * len(values)).astype(values.dtype).reshape(-1, 8)
    records[:, 4] = values
    records[:, 5] = label
    return records


@pytest.mark.parametrize("t", FLOATS)
def test_proposals(probes: IndexProbes, t: str) -> None:
    for times, field in ((1, 0), (2, 4), (3, 5)):
        x = some(t, 16 * times)
        z = some(t, 128 * times, 3)
        got, told = probes(concat(t), x, x, z, times, field)
        want = z.copy().reshape(-1, 8)
        want[:, field] = x
        assert got.tobytes() == want.tobytes()
        assert told[0] == 1
    x = some(t, 16)
    with pytest.raises(LaunchError, match=r"ProposalConcat: modeNumber is 6\n  rule: modeNumber is 0 to 5 "):
        probes(concat(t), x, x, some(t, 128), 1, 6)


@pytest.mark.parametrize("t", FLOATS)
def test_sort_proposals(probes: IndexProbes, t: str) -> None:
    for times in (1, 3):
        records = proposals(scores(t, 16 * times, times), np.arange(16 * times))
        got, _ = probes(rp_sort(t), records.ravel(), records.ravel(), np.zeros(128 * times, NUMPY[t]), times)
        groups = records.reshape(times, 16, 8)
        want = np.stack([group[descending(group[:, 4])] for group in groups])
        assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("t", FLOATS)
def test_merge_of_proposals(probes: IndexProbes, t: str) -> None:
    lengths = (16, 32, 4, 20)
    parts = [proposals(scores(t, n, n), np.arange(n)) for n in lengths]
    lists = np.concatenate([part[descending(part[:, 4])] for part in parts])
    got, _ = probes(merge4(t), lists.ravel(), lists.ravel(), np.zeros(lists.size, NUMPY[t]), *lengths)
    assert got.tobytes() == lists[descending(lists[:, 4])].tobytes()


@pytest.mark.parametrize("t", FLOATS)
def test_sort(probes: IndexProbes, t: str) -> None:
    for times in (4, 8):
        n = 16 * times
        x = scores(t, n, times)
        index = (np.arange(n) * 70001).astype(np.uint32)  # half: its two halves travel apart
        size = np.dtype(NUMPY[t]).itemsize
        z = np.zeros(n * (size + 4), np.uint8)
        got, _ = probes(whole_sort(t), x, index, z, times, 8 * n)
        order = descending(x)
        assert got[: n * size].tobytes() == x[order].tobytes()
        assert got[n * size :].tobytes() == index[order].tobytes()


def test_mask_counts_all_elements(probes: IndexProbes) -> None:
    """In counter mode mask is the number of all elements; repeatTimes says nothing."""
    x = some("float", 256)
    z = some("float", 256, 4)
    got, told = probes(mask_fixed("float"), x, x, z, 1, 200, 1, 1, 8, 0, 2)
    assert told[0] == 100
    assert got[:100].tobytes() == x[1:200:2].tobytes()
