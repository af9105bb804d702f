"""The requests that the tiling libraries are compared by: sampled with a fixed seed, kind by kind, and chosen ones.

A request is a line of settings, ``name=value`` with commas between the words or numbers of a value; matmul_probe.cpp
says what each name sets. Sizes are drawn small, odd, of whole blocks and large alike; KINDS says how many of which.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Request = dict[str, object]

SEED = 13
TYPES = ("f16", "bf16", "f32", "i8")
SUMS = {"f16": "f32", "bf16": "f32", "f32": "f32", "i8": "i32", "i4": "i32"}
BIAS = {"f16": "f32", "bf16": "f32", "f32": "f32", "i8": "i32", "i4": "i32"}
CORES = {"Ascend910B1": 48, "Ascend910B4": 40, "Ascend910_9391": 48, "Ascend310P3": 8}
# M, N, K of products of published networks
KNOWN = [
    *[
        (4096, 4096, 4096),
        (1, 4096, 4096),
        (32, 11008, 4096),
        (512, 4096, 11008),
        (2048, 12288, 4096),
        (1, 32000, 4096),
    ],
    *[(1024, 640, 256), (128, 768, 768), (128, 3072, 768), (384, 1024, 1024), (197, 768, 3072), (50, 512, 2048)],
    *[(12544, 64, 147), (3136, 64, 576), (196, 256, 2304), (49, 2048, 512), (1, 1000, 2048), (16, 50257, 768)],
    *[(77, 768, 768), (4096, 320, 320), (1024, 1280, 5120), (8192, 8192, 8192), (7, 13, 5), (1, 1, 1)],
]


def line(request: Request) -> str:
    """The request as the probe reads it."""
    return " ".join(
        f"{name}={','.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in request.items()
    )


class Sampler:
    """Draws requests."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def size(self) -> int:
        """A length: small, middling, large, of whole fractals or of whole base blocks."""
        draw = self.random.randint
        return (lambda: draw(1, 64), lambda: draw(1, 600), lambda: draw(1, 5000), lambda: 16 * draw(1, 256),
                lambda: 128 * draw(1, 40))[draw(0, 4)]()  # fmt: skip

    def sizes(self) -> tuple[int, int, int]:
        """M, N and K."""
        return self.size(), self.size(), self.size()

    def chance(self, share: float) -> bool:
        """True in so many cases."""
        return self.random.random() < share

    def of(self, kind: str, sizes: tuple[int, int, int], soc: str = "Ascend910B1", dtype: str = "") -> Request:
        """A product in global memory, of any type, transposed or not, with or without bias."""
        dtype = dtype or self.random.choice(TYPES)
        request: Request = {"kind": kind, "soc": soc}
        for name in "ab":
            request[name] = ["gm", "nd", dtype] + (["t"] if self.chance(0.4) else [])
        request["c"] = ["gm", "nd", SUMS[dtype]]
        if self.chance(0.3):
            request.update(bias=["gm", "nd", BIAS[dtype]], has_bias=1)
        request.update(shape=sizes, org=sizes, space=(-1, -1, -1, -1))
        if kind == "many":
            any_number = self.random.randint(1, CORES[soc])
            request["dim"] = self.random.choice([1, 2, 4, 8, CORES[soc] // 2, CORES[soc], any_number])
        return request


def one_core(s: Sampler) -> Request:
    return s.of("one", s.sizes())


def many_cores(s: Sampler) -> Request:
    return s.of("many", s.sizes())


def other_socs(s: Sampler) -> Request:
    return s.of(s.random.choice(["one", "many"]), s.sizes(), s.random.choice(["Ascend910B4", "Ascend910_9391"]))


def a_tile(s: Sampler) -> Request:
    """The tile of a core and the base block are the caller's, as op_hosts with tiles of their own have it."""
    m, n, k = s.sizes()
    request = s.of("many", (m, n, k))
    other = (16 * s.random.randint(1, 8), 16 * s.random.randint(1, 16))
    rows, columns = s.random.choice([(128, 256), (256, 128), (128, 128), other])
    request.update(single=(rows, columns, k), fix=(rows, columns, -1))
    return request


def fixed_base(s: Sampler) -> Request:
    """SetFixSplit, each combination of -1 and values."""
    request = s.of(s.random.choice(["one", "many"]), s.sizes())
    bases = (*(s.random.choice([16, 32, 64, 128, 256]) for _ in "mn"), s.random.choice([16, 32, 64, 128]))
    request["fix"] = [base if s.chance(0.6) else -1 for base in bases]
    return request


def whole_and_part(s: Sampler) -> Request:
    """SetShape beside another SetOrgShape: less, more, or -1."""
    m, n, k = s.sizes()
    request = s.of(s.random.choice(["one", "many"]), (m, n, k))
    request["shape"] = [s.random.choice([length, -1, max(1, length // 2), length + s.size()]) for length in (m, n, k)]
    if s.chance(0.3):
        del request["org"]
        request["org_ab"] = (m, n, k, k + s.random.randint(0, 64))
    if s.chance(0.5):
        request["whole_first"] = 1
    return request


def without_types(s: Sampler) -> Request:
    """Settings that are left out: no SetBiasType, no EnableBias, no SetOrgShape, no SetShape."""
    request = s.of(s.random.choice(["one", "many"]), s.sizes())
    request.pop("bias", None)
    request["has_bias"] = s.random.randint(0, 1)
    if s.chance(0.5):
        request["fix"] = (128, 128, -1)
    if s.chance(0.4):
        del request[s.random.choice(["org", "shape", "space"])]
    return request


def limits(s: Sampler) -> Request:
    """SetSplitRange, SetSingleRange, SetAlignSplit, SetBufferSpace, SetTraverse, SetDoubleBuffer."""
    request = s.of("many", s.sizes())
    draw = s.random
    choices: list[Request] = [
        {"range": (draw.choice([-1, 64, 128]), draw.choice([-1, 64, 256]), draw.choice([-1, 32, 128]), -1, -1, -1)},
        {"range": (-1, -1, -1, draw.choice([16, 32]), draw.choice([16, 64]), 16)},
        {"single_range": (draw.choice([-1, 256, 1024]), draw.choice([-1, 256, 1024]), -1, -1, -1, -1)},
        {"align": (draw.choice([-1, 16, 64]), draw.choice([-1, 16, 128]), -1)},
        {"space": (draw.choice([-1, 262144, 131072]), draw.choice([-1, 65536]), draw.choice([-1, 65536]), -1)},
        {"traverse": draw.choice([0, 1, 2])},
        {"double": [draw.randint(0, 1) for _ in range(6)]},
        {"single": [draw.choice([-1, 64, 200, 512]), draw.choice([-1, 64, 200, 512]), -1]},
    ]
    request.update(draw.choice(choices))
    return request


def templates(s: Sampler) -> Request:
    """SetMatmulConfigParams: Norm and MDL."""
    request = s.of(s.random.choice(["one", "many"]), s.sizes())
    request["config"] = (s.random.choice([0, 1]), 0, 0, s.random.choice([0, 0, 1, 2]), 0)
    return request


def places(s: Sampler) -> Request:
    """Formats and positions beside ND in global memory."""
    m, n, k = s.sizes()
    request = s.of(s.random.choice(["one", "many"]), (m // 16 * 16 + 16, n // 16 * 16 + 16, k // 32 * 32 + 32))
    for name, positions, formats in (("a", "gm tscm vecout", "nd nz"), ("b", "gm tscm vecout", "nd nz"),
                                     ("c", "gm veccalc vecin", "nd nz nd_align")):  # fmt: skip
        if s.chance(0.6):
            words = list(request[name])  # type: ignore[call-overload]
            words[:2] = [s.random.choice(positions.split()), s.random.choice(formats.split())]
            request[name] = words
    return request


def results(s: Sampler) -> Request:
    """Other types of C and bias, and scaled products of bytes."""
    dtype = s.random.choice(TYPES)
    request = s.of(s.random.choice(["one", "many"]), s.sizes(), dtype=dtype)
    request["c"] = ["gm", "nd", s.random.choice(["f16", "i8"] if dtype == "i8" else ["f16", "bf16", "f32"])]
    if dtype == "i8":
        request["dequant"] = s.random.randint(0, 1)
    elif "bias" in request:
        request["bias"] = ["gm", "nd", s.random.choice(["f16", "f32"])]
    return request


def split_k(s: Sampler) -> Request:
    request = s.of("many", (s.random.randint(1, 512), s.random.randint(1, 512), 16 * s.random.randint(1, 1024)))
    request["split_k"] = 1
    return request


def batches(s: Sampler) -> Request:
    m, n, k = (s.random.randint(1, 300) for _ in range(3))
    request = s.of("batch", (m, n, k))
    count = s.random.randint(1, 16)
    if s.chance(0.5):
        request["normal"] = (count, count, m, n, k)
    else:
        request.update(axes_a=(count, m, 1, 1, k), axes_b=(count, n, 1, 1, k), axes_c=(count, m, 1, 1, n))
    request["batch"] = count
    return request


def coupled(s: Sampler) -> Request:
    """Ascend 310P."""
    request = s.of(s.random.choice(["one", "many"]), s.sizes(), "Ascend310P3", s.random.choice(["f16", "i8"]))
    if s.chance(0.3):
        request["c"] = [s.random.choice(["gm", "veccalc"]), s.random.choice(["nz", "nd_align"]), "f16"]
    if s.chance(0.3):
        request["space"] = (-1, -1, 131072, -1)
    return request


def refused(s: Sampler) -> Request:
    """What a library may refuse."""
    request = s.of(s.random.choice(["one", "many"]), s.sizes())
    request.update(
        s.random.choice(
            [
                {"shape": (0, 16, 16), "org": (0, 16, 16)},
                {"shape": (-5, 16, 16)},
                {"org": (16, -16, 16)},
                {"fix": (s.random.choice([8, 33, 512]), s.random.choice([16, 512]), -1)},
                {"fix": (256, 256, -1)},
                {"space": (1024, -1, -1, -1)},
                {"space": (600000, -1, -1, -1)},
                {"space": (-1, 512, -1, -1)},
                {"dim": s.random.choice([0, -1, 49])},
                {"b": ["gm", "nd", "f64"]},
                {"config": (7, 0, 0, 0, 0)},
            ]
        )
    )
    return request


def four_bits(s: Sampler) -> Request:
    """Products of int4: rows of whole bytes, B also in blocks, as quantised experts have it."""
    m, n, k = (2 * length for length in s.sizes())
    if s.chance(0.4):
        n, k = 64 * (n // 64 + 1), 64 * (k // 64 + 1)
    request = s.of(s.random.choice(["one", "many"]), (m, n, k), dtype="i4")
    if n % 64 == 0 and k % 64 == 0 and s.chance(0.7):
        request["b"] = ["gm", "nz", "i4"]
    if s.chance(0.3):
        request["fix"] = (16 * s.random.randint(1, 8), 64 * s.random.randint(1, 4), 64 * s.random.randint(1, 4))
    return request


KINDS: list[tuple[Callable[[Sampler], Request], int]] = [
    (one_core, 130),
    (many_cores, 130),
    (other_socs, 30),
    (a_tile, 50),
    (fixed_base, 50),
    (whole_and_part, 30),
    (without_types, 20),
    (limits, 50),
    (templates, 20),
    (places, 30),
    (results, 20),
    (split_k, 20),
    (batches, 20),
    (coupled, 40),
    (refused, 30),
    (four_bits, 40),
]


def requests() -> list[tuple[str, Request]]:
    """Every request with the name of its kind."""
    sampler = Sampler(SEED)
    classes = (("one", "f16"), ("many", "bf16"))
    asked = [("known", sampler.of(kind, sizes, dtype=dtype)) for sizes in KNOWN for kind, dtype in classes]
    return asked + [(kind.__name__, kind(sampler)) for kind, count in KINDS for _ in range(count)]
