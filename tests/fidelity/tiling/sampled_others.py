"""The requests of measured_others.jsonl: every tiling function beside Matmul's, with shapes and types picked by a seed.

A request is one line of name=value, as others_probe.cpp reads it; a flag has no value that counts. Lengths are 1,
primes, multiples of 16, 32 and 64 and their neighbours, and large ones; a tiling is asked for with rooms from a few
kilobytes to nearly all of the unified buffer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

SEED = 13
SOC = "Ascend910B1"
LENGTHS = (1, 7, 16, 31, 32, 33, 63, 64, 65, 127, 128, 256, 500, 1000, 1023, 1024, 2048, 4099, 8192, 16384, 20000)
WIDTHS = (16, 32, 48, 64, 128, 192, 256, 320, 512, 768, 1024, 2048)
ROWS = (1, 2, 5, 7, 8, 16, 17, 31, 32, 64, 100)
ROOMS = (2048, 8192, 16384, 30000, 65536, 131072)
ELEMENTWISE = (
    *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Axpy", "Ceil", "Clamp", "Cos", "Cosh", "Digamma", "Erf"),
    *("Erfc", "Exp", "Floor", "Fmod", "Frac", "GeGLU", "Lgamma", "Log", "Log10", "Log2", "Sign", "Sin", "Sinh", "Tan"),
    *("Tanh", "Trunc", "Xor", "ReGlu", "Sigmoid", "DropOut", "Gelu", "SwiGLU", "Silu", "Swish", "Round"),
)
WITHOUT_NODES = {"ReGlu", "Sigmoid", "DropOut", "Gelu", "Silu", "Swish"}
NORMS_OF_ROWS = ["LayerNormRstd", "WelfordUpdate", "WelfordFinalize", "Normalize"]
Words = dict[str, object]


def line(words: Words) -> str:
    """A request as the probe reads it; what is False is left out."""

    def text(value: object) -> str:
        return ",".join(map(str, value)) if isinstance(value, tuple) else "1" if value is True else str(value)

    return " ".join(f"{name}={text(value)}" for name, value in words.items() if value is not False)


class Sampler:
    """One function's arguments, of a seed of its own: a new function leaves the others' rows alone."""

    def __init__(self, function: str) -> None:
        self.random = random.Random(f"{SEED} {function}")
        self.function = function

    def flag(self) -> bool:
        return self.random.random() < 0.5

    def size(self) -> int:
        return self.random.choice((2, 4))

    def matrix(self) -> tuple[int, int]:
        return self.random.choice(ROWS), self.random.choice(WIDTHS)

    def odd_matrix(self) -> tuple[int, int]:
        return self.random.choice(ROWS), self.random.choice(LENGTHS)

    def cube(self) -> tuple[int, int, int]:
        return self.random.choice((1, 2, 3, 4)), self.random.choice((1, 4, 7, 8, 16, 32)), self.random.choice(WIDTHS)

    def of(self, **words: object) -> Words:
        return {"fn": self.function, "soc": SOC, **words}


def elementwise(s: Sampler, count: int) -> Iterator[Words]:
    lengths = s.random.sample(LENGTHS, count // 2)
    for size in (2, 4):
        for length in lengths:
            yield s.of(shape=(length,), size=size, reuse=s.flag())


def nodes(s: Sampler, _: int) -> Iterator[Words]:
    for size in (2, 4):
        yield s.of(size=size)


def power(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        length = s.random.choice(LENGTHS)
        first, second = s.random.choice((((length,), (length,)), ((length,), (1,)), ((1,), (length,))))
        integers = s.flag()
        yield s.of(shape=first, shape2=second, int=integers, size=4 if integers else s.size(), reuse=s.flag())


def power_nodes(s: Sampler, _: int) -> Iterator[Words]:
    for base, exponent in ((True, True), (True, False), (False, True)):
        for integers, size in ((False, 2), (False, 4), (True, 4)):
            yield s.of(base=base, exp=exponent, int=integers, size=size)


def reduce(s: Sampler, count: int) -> Iterator[Words]:
    dtypes = {"ReduceAll": ("u8",), "ReduceAny": ("u8",)}.get(s.function, ("f32",))
    for _ in range(count):
        yield s.of(shape=s.odd_matrix(), type=s.random.choice(dtypes), ra=s.flag(), pad=s.flag(), reuse=s.flag())


def row(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        size = s.size()
        yield s.of(n=s.random.choice(LENGTHS), size=size, size2=s.random.choice((size, 4)), reuse=s.flag())


def xor_sum(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        yield s.of(shape=(s.random.choice(LENGTHS),), size=2, reuse=s.flag())


def cumulative(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        yield s.of(shape=s.matrix(), size=s.size(), last=s.flag(), reuse=s.flag())


def broadcast(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        rows, width = s.matrix()
        source = s.random.choice(((rows, 1), (1, width)))
        yield s.of(shape=source, shape2=(rows, width), size=s.random.choice((1, 2, 4)), reuse=s.flag())


def select(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        rows, width = s.matrix()
        first, second = s.random.choice((((rows, width), (1,)), ((1,), (rows, width))))
        mask = (rows, (width + 31) // 32 * 32)
        yield s.of(shape=first, shape2=second, size=s.size(), mask=mask, reuse=s.flag())


def quantised(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        size = 4 if s.function == "AscendDequant" else s.size()
        yield s.of(shape=s.matrix(), size=size)


def dequantised(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        rows, width = s.matrix()
        transposed = s.flag()
        scale = s.random.choice(((1, width), (1,))) if not transposed else (rows, 1)
        yield s.of(
            shape=(rows, width), shape2=scale, trans=transposed, type="i8", type2=s.random.choice(("f16", "bf16"))
        )


def softmax(s: Sampler, count: int) -> Iterator[Words]:
    tiling = s.function.endswith("Tiling")
    for _ in range(count):
        size = s.size()
        of_call: Words = {"size2": s.random.choice((size, 4))} if "V2" in s.function else {}
        if "V3" in s.function:
            size, of_call = 2, {"size2": 4}
        flags = {name: s.flag() for name in ("update", "front", "basic")}
        room: Words = {"room": s.random.choice(ROOMS)} if tiling else {"reuse": s.flag()}
        yield s.of(shape=s.matrix(), size=size, **of_call, **flags, **room)


def padded(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        size = s.size()
        rows, width = s.matrix()
        source = (rows, s.random.choice((width, width - 1, width - 3)))
        if s.function.startswith("UnPad"):
            source = (rows, width)
        yield s.of(shape=source, shape2=source, size=size, room=s.random.choice(ROOMS))


def transposed(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        scene = 7 if s.function.startswith("Matrix") else s.random.choice((1, 2, 3, 4, 5, 6, 7))
        four = (s.random.choice((1, 2, 3)), s.random.choice((1, 2, 4)), s.random.choice((16, 32, 48, 64)), 0)
        shape = (
            s.random.choice(((16, 16), (32, 48), (64, 128)))
            if scene == 7
            else (*four[:3], s.random.choice((16, 32, 64)))
        )
        yield s.of(shape=shape, size=s.size(), scene=scene, room=s.random.choice(ROOMS))


def records(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        soc = s.random.choice((SOC, "Ascend310P3"))
        yield s.of(soc=soc, n=s.random.choice((16, 32, 64, 128, 256, 1024, 4096)), size=s.size())


def top_k(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        small = s.flag()
        inner = 32 if small else s.random.choice((32, 64, 96, 128, 512, 1024, 4096))
        flags = {name: s.flag() for name in ("index", "largest", "reuse")}
        k = s.random.randint(1, inner)
        rows = s.random.choice((1, 2, 3, 8, 17))
        yield s.of(
            soc=s.random.choice((SOC, SOC, "Ascend310P3")), n=inner, rows=rows, k=k, small=small, size=s.size(), **flags
        )


def norm_of_rows(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        size = s.size()
        inplace = s.function == "WelfordUpdate" and s.flag()
        size2 = 4 if size == 4 or s.function == "WelfordUpdate" else s.random.choice((2, 4))
        yield s.of(shape=s.matrix(), size=size, size2=size2, reuse=s.flag(), inplace=inplace)


def norm_of_rows_tiling(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        yield s.of(shape=s.matrix(), size=s.size(), reuse=s.flag(), room=s.random.choice(ROOMS))


def norm_of_cubes(s: Sampler, count: int) -> Iterator[Words]:
    """Shapes [B, S, H] with the original one beside them; LayerNorm's end with the original H."""
    ending = s.function.startswith("LayerNorm")
    for _ in range(count):
        size = s.size()
        b, sequence, h = s.cube()
        original = s.random.choice((h, h, h - 1, h - 5))
        shape = (b, sequence, h, original) if ending else (b, sequence, h)
        yield s.of(
            shape=shape,
            shape2=(b, sequence, original),
            size=size,
            reuse=s.flag(),
            basic=s.random.random() < 0.25,
            room=s.random.choice(ROOMS),
        )


def batch_norm(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        b, sequence, h = s.cube()
        b *= 4
        original = (s.random.choice((b, b - 1)), sequence, h)
        yield s.of(
            shape=(b, sequence, h),
            shape2=original,
            size=s.size(),
            reuse=s.flag(),
            basic=s.random.random() < 0.25,
            room=s.random.choice(ROOMS),
        )


def group_norm(s: Sampler, count: int) -> Iterator[Words]:
    for _ in range(count):
        groups = s.random.choice((1, 2, 4))
        channels = groups * s.random.choice((1, 2, 4, 8))
        shape = (s.random.choice((1, 2, 3)), channels, s.random.choice((1, 4, 7, 8)), s.random.choice((8, 16, 17, 32)))
        yield s.of(shape=shape, size=s.size(), groups=groups, reuse=s.flag(), room=s.random.choice(ROOMS))


def trans_data(s: Sampler, count: int) -> Iterator[Words]:
    plain, block, fractal = 5, 6, 7  # NCDHW, NDC1HWC0, FRACTAL_Z_3D
    for _ in range(count):
        n, c, d, h, w = (s.random.choice((1, 2, 3)), s.random.choice((8, 16, 33)), 2, s.random.choice((3, 4)), 16)
        blocks = (c + 15) // 16
        other, shape = s.random.choice(((block, (n, d, blocks, h, w, 16)), (fractal, (d, blocks, h, w, 1, 16, 16))))
        there: Words = {"from": plain, "to": other, "shape": (n, c, d, h, w), "shape2": shape}
        back: Words = {"from": other, "to": plain, "shape": shape, "shape2": (n, c, d, h, w)}
        yield s.of(**s.random.choice((there, back)), type=s.random.choice(("f16", "bf16")))


CUBES = ("RmsNorm", "LayerNorm", "LayerNormGrad", "LayerNormGradBeta", "DeepNorm")
TRANSPOSES = ("Transpose", "ConfusionTranspose", "TransposeTiling", "ConfusionTransposeTiling")
PLAN = [
    *((name, elementwise, 6) for name in ELEMENTWISE),
    *((f"{name}Nodes", nodes, 2) for name in ELEMENTWISE if name not in WITHOUT_NODES),
    ("Power", power, 12),
    ("PowerNodes", power_nodes, 9),
    *((f"Reduce{name}", reduce, 8) for name in ("Sum", "Mean", "Prod", "Max", "Min", "All", "Any")),
    ("ReduceXorSum", xor_sum, 4),
    ("Sum", row, 6),
    ("Mean", row, 8),
    ("CumSum", cumulative, 10),
    ("BroadCast", broadcast, 12),
    *((name, select, 8) for name in ("Select", "SelectWithBytesMask")),
    *((name, quantised, 8) for name in ("AscendQuant", "AscendDequant")),
    ("AscendAntiQuant", dequantised, 12),
    *((f"SoftMax{name}", softmax, 10) for name in ("", "Flash", "FlashV2", "FlashV3", "Grad")),
    ("LogSoftMax", softmax, 10),
    *((f"SoftMax{name}Tiling", softmax, 14) for name in ("", "Flash", "FlashV2", "FlashV3", "Grad")),
    ("LogSoftMaxTiling", softmax, 14),
    *((name, padded, 8) for name in ("Pad", "UnPad", "PadTiling", "UnPadTiling")),
    *((name, transposed, 14) for name in TRANSPOSES),
    ("MatrixTransposeTiling", transposed, 6),
    ("TransData", trans_data, 10),
    *((name, records, 8) for name in ("Sort", "Concat")),
    *((name, top_k, 20) for name in ("TopK", "TopKTiling")),
    *((name, norm_of_rows, 8) for name in NORMS_OF_ROWS),
    ("LayerNormRstdTiling", norm_of_rows_tiling, 14),
    *((name, norm_of_cubes, 8) for name in CUBES),
    *((f"{name}Tiling", norm_of_cubes, 14) for name in CUBES),
    ("BatchNorm", batch_norm, 8),
    ("BatchNormTiling", batch_norm, 14),
    ("GroupNorm", group_norm, 10),
    ("GroupNormTiling", group_norm, 14),
]  # fmt: skip


# What these answer depends on the SoC: on Ascend310P they are asked the same.
BY_SOC = {"Power", "PowerNodes", "Round", "RoundNodes", "BroadCast", "TransData"}


def requests() -> Iterator[str]:
    """Every request, once."""
    seen: set[str] = set()
    for soc in (SOC, "Ascend310P3"):
        for name, sample, count in PLAN:
            for words in sample(Sampler(name), count) if soc == SOC or name in BY_SOC else ():
                text = line(words if soc == SOC else {**words, "soc": soc})
                if text not in seen:
                    seen.add(text)
                    yield text
