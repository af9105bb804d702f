"""The probes' kernels once more for ascend310p, where test_twins_310p.py asks for them; what it lacks is left out.

A probe that has a twin runs it on the same data and demands the same bytes, so that a test's comparison with NumPy
holds for both. Copies of such a core are of whole blocks: its arrays are filled up to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import Array, CompileError, Kernel, compile_kernel, run

WANTED = os.environ.get("OPFORGE_KERNEL_TWINS") == "ascend310p"

# What a probe's source copies with, over bytes; `Loaded` of a length of 0 copies nothing.
COPIES = """
__aicore__ inline void Loaded(const LocalTensor<uint8_t>& to, const GlobalTensor<uint8_t>& from, uint32_t bytes) {
#if __NPU_ARCH__ == 2002
    DataCopy(to, from, (bytes + 31) / 32 * 32);
#else
    DataCopyPad(to, from, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<uint8_t>{});
#endif
}

__aicore__ inline void Stored(const GlobalTensor<uint8_t>& to, const LocalTensor<uint8_t>& from, uint32_t bytes) {
#if __NPU_ARCH__ == 2002
    DataCopy(to, from, (bytes + 31) / 32 * 32);
#else
    DataCopyPad(to, from, DataCopyExtParams{1, bytes, 0, 0, 0});
#endif
}
"""


@dataclass(frozen=True)
class Twin:
    """A kernel for ascend310p, and the numbers of the cases that it has."""

    kernel: Kernel
    cases: frozenset[int]

    def agrees(
        self,
        case: int,
        arrays: tuple[Sequence[Array], Sequence[Array], Sequence[Array]],
        *,
        tiling: bytes,
        checks: bool,
    ) -> None:
        """`arrays`: the inputs, the outputs before, and the outputs after the call, which are compared byte by byte."""
        inputs, before, after = arrays
        if case not in self.cases:
            return
        results = [whole_blocks(each) for each in before]
        filled = [whole_blocks(each) for each in inputs]
        # what fills up the last block of a result may be undefined, and is stored with it
        checks = checks and all(each.nbytes % 32 == 0 for each in before if each.nbytes > 1)
        run(self.kernel, filled, results, tiling=tiling, checks=checks, short_name="ascend310p")
        for got, want in zip(results, after, strict=True):
            assert got.tobytes()[: want.nbytes] == want.tobytes(), f"ascend310p: {got} is not {want}"


def whole_blocks(array: Array) -> Array:
    block = 32 // array.itemsize
    return np.concatenate([array.ravel(), np.zeros(-array.size % block, array.dtype)])


def cases_in(source: str, errors: str) -> set[int]:
    """The cases that the compiler speaks of: the last `case N:` at or above a line that it names."""
    lines = source.splitlines()
    found = set()
    for number in {int(each) for each in re.findall(r"probe\.cpp:(\d+)", errors)}:
        above = [re.match(r"\s*case (\d+):", line) for line in lines[:number]]
        numbers = [int(match[1]) for match in above if match]
        if numbers:
            found.add(numbers[-1])
    return found


def compile_twin(
    root: Path,
    form: str,
    cases: Sequence[str],
    workdir: Path,
    *,
    tensors: tuple[dict[str, str], dict[str, str]],
    options: Sequence[str] = (),
) -> Twin | None:
    """`form` with its `{cases}`, each a text that begins with `case N:`."""
    if not WANTED:
        return None
    kept = dict(enumerate(cases))
    while kept:
        source = form.replace("{cases}", "\n".join(kept.values()))
        try:
            kernel = compile_kernel(
                root, source, "probe", *tensors, workdir, options=options, soc_version="Ascend310P3"
            )
        except CompileError as refused:
            lacking = cases_in(source, str(refused))
            if not lacking:
                raise
            kept = {number: case for number, case in kept.items() if number not in lacking}
        else:
            return Twin(kernel, frozenset(kept))
    return None
