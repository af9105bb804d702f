"""Columns of images, constants, DataCopy out of L0C, results that stay in L1, and flags between Mmad and Fixpipe."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pytest
from fixpipe_values import factor
from harness import SOURCES, Array, Kernel, aligned, compile_kernel, run
from hf32_values import hf32_values, to_hf32
from matmul_kernels import Float64, value

IMAGE, FILLED, COPIES_OUT, UNIT_FLAGS, IN_HF32, FEW_ROWS = range(6)
SIGNED = 1 << 46


@dataclass(frozen=True)
class Image:
    """A half image of channels in blocks of 16."""

    channels: int
    height: int
    width: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)  # left, right, top, bottom
    form: int = 0
    filters: int = 16
    padding: float = 0.0

    def out(self) -> tuple[int, int]:
        left, right, top, bottom = self.pad
        sizes = (self.height + top + bottom, self.width + left + right)
        spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        tall, wide = ((size - span) // s + 1 for size, span, s in zip(sizes, spans, self.stride, strict=True))
        return tall, wide

    def packed(self) -> bytes:
        places = self.out()[0] * self.out()[1]
        fields = (self.channels, self.height, self.width, *self.kernel, *self.stride, *self.dilation, *self.pad)
        return struct.pack("<16If", *fields, self.form, places, self.filters, self.padding)


IMAGES = [
    Image(16, 5, 7),
    Image(32, 6, 5, kernel=(3, 3), pad=(1, 1, 1, 1)),
    Image(32, 9, 8, kernel=(3, 2), stride=(2, 3), dilation=(2, 1), pad=(1, 0, 2, 3), padding=1.5),
    Image(16, 1, 31, kernel=(1, 4), stride=(1, 2), pad=(3, 3, 0, 0), form=1, filters=17, padding=-2.0),
    Image(48, 4, 4, kernel=(2, 2), pad=(0, 1, 0, 1), form=2, filters=5, padding=0.25),
]


@pytest.fixture(scope="session")
def more(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    source = SOURCES / "cube_more.cpp"
    folder = tmp_path_factory.mktemp("cube_more")
    return compile_kernel(root, source, "cube_more", {"a": "uint8", "b": "uint8"}, {"z": "uint8"}, folder)


def convolved(image: Image, pixels: Float64, filters: Float64) -> Float64:
    """[places, filters] of an image [channels, height, width] and filters [n, channels / 16, kernel, 16]."""
    left, right, top, bottom = image.pad
    padded = np.pad(pixels, ((0, 0), (top, bottom), (left, right)), constant_values=image.padding)
    tall, wide = image.out()
    sums = np.zeros((tall, wide, image.filters))
    blocks = filters.reshape(image.filters, image.channels // 16, *image.kernel, 16)
    for y in range(image.kernel[0]):
        for x in range(image.kernel[1]):
            rows = slice(y * image.dilation[0], None, image.stride[0])
            columns = slice(x * image.dilation[1], None, image.stride[1])
            window = padded[:, rows, columns][:, :tall, :wide]
            weight = blocks[:, :, y, x].reshape(image.filters, image.channels)
            sums += np.einsum("chw,nc->hwn", window, weight)
    return sums.reshape(-1, image.filters)


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: "x".join(map(str, astuple(image)[:3])))
def test_images(more: Kernel, image: Image) -> None:
    random = np.random.default_rng(image.width)
    pixels = random.uniform(-1, 1, (image.channels, image.height, image.width)).astype(np.float16)
    length = image.channels * image.kernel[0] * image.kernel[1]
    filters = random.uniform(-1, 1, (image.filters, length)).astype(np.float16)
    blocks = pixels.reshape(-1, 16, image.height, image.width).transpose(0, 2, 3, 1)
    expected = convolved(image, pixels.astype(np.float64), filters.astype(np.float64))
    z = aligned(expected.size, np.float32)
    run(more, [np.ascontiguousarray(blocks), filters], [z], tiling=image.packed(), tiling_key=IMAGE)
    np.testing.assert_allclose(z.reshape(expected.shape), expected, rtol=1e-5, atol=1e-4)


def test_filled(more: Kernel) -> None:
    z = aligned(512, np.float32)
    run(more, [z.copy(), z.copy()], [z], tiling=IMAGES[0].packed(), tiling_key=FILLED)
    np.testing.assert_array_equal(z, np.repeat([96.0, 160.0], 256))


def operands() -> tuple[Array, Array, Float64]:
    """a [16, 32] as fractals, the later half of k first; b [32, 16] as fractals; and the product."""
    random = np.random.default_rng(7)
    a = random.uniform(-1, 1, (16, 32)).astype(np.float16)
    b = random.uniform(-1, 1, (32, 16)).astype(np.float16)
    swapped = np.concatenate([a[:, 16:].ravel(), a[:, :16].ravel()])
    return swapped, b.ravel(), a.astype(np.float64) @ b.astype(np.float64)


def test_copies_out(more: Kernel) -> None:
    a, b, product = operands()
    words = np.array([factor(1.0 + i) | SIGNED for i in range(16)], np.uint64)
    z = aligned(8192, np.uint8)
    run(
        more,
        [a, np.concatenate([b.view(np.uint8), words.view(np.uint8)])],
        [z],
        tiling=IMAGES[0].packed(),
        tiling_key=COPIES_OUT,
    )
    np.testing.assert_allclose(z[:1024].view(np.float32).reshape(16, 16), product, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(z[1024:1536].view(np.float16).reshape(16, 16), product, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(z[2048:2304].view(np.int8).reshape(16, 16), np.rint(product * 4), atol=1)
    scaled = np.clip(np.rint(np.maximum(product, 0) * np.arange(1, 17)), -128, 127)
    np.testing.assert_allclose(z[3072:3328].view(np.int8).reshape(16, 16), scaled, atol=1)
    np.testing.assert_allclose(z[4096:4608].view(np.float16).reshape(16, 16), product, rtol=1e-3, atol=1e-3)
    kept = value(z[5120:5632].view(np.uint16)).reshape(16, 16)
    np.testing.assert_allclose(kept, np.maximum(product, 0), rtol=8e-3, atol=1e-3)
    rows = value(z[6144:6656].view(np.uint16)).reshape(16, 16)
    np.testing.assert_allclose(rows, product, rtol=8e-3, atol=1e-3)
    naturals = np.clip(np.rint(product * 4), 0, 255)
    np.testing.assert_allclose(z[6656:6912].reshape(16, 16), naturals, atol=1)
    assert (z[7168:8192].view(np.int32) == 64).all()


def test_unit_flags(more: Kernel) -> None:
    a, b, product = operands()
    z = aligned(512, np.float32)
    run(more, [a, b], [z], tiling=IMAGES[0].packed(), tiling_key=UNIT_FLAGS)
    np.testing.assert_allclose(z.reshape(2, 16, 16), np.stack([product, product]), rtol=1e-5, atol=1e-5)


def test_unit_flags_of_few_rows(more: Kernel) -> None:
    random = np.random.default_rng(3)
    a, b = (random.integers(-9, 9, (16, 8)).astype(np.float32) for _ in "ab")
    z = aligned(192, np.float32)
    run(more, [a, b], [z], tiling=IMAGES[0].packed(), tiling_key=FEW_ROWS)
    np.testing.assert_array_equal(z.reshape(2, 3, 32), np.tile(a[:3] @ b.T, (2, 1, 2)))


def test_hf32_has_eleven_bits_of_mantissa(more: Kernel) -> None:
    """One number in each row of A, so that the product is exact."""
    values = hf32_values(18)[2:]
    a = np.zeros((16, 8), np.float32)
    a[np.arange(16), np.arange(16) % 8] = values
    b = np.ones((16, 8), np.float32)
    b[3] = values[3]
    z = aligned(768, np.float32)
    run(more, [a, b], [z], tiling=IMAGES[0].packed(), tiling_key=IN_HF32)
    for products, ties in zip(z.reshape(3, 16, 16), ("", "even", "zero"), strict=True):
        left, right = (values, values[3]) if not ties else (to_hf32(values, ties), to_hf32(values[3:4], ties)[0])
        np.testing.assert_array_equal(products[:, 4], left)
        np.testing.assert_array_equal(products[:, 3], left * right)
    assert not (z[:256] == z[256:512]).all()
    assert not (z[256:512] == z[512:]).all()
