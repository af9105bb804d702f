"""Mistakes that the declarations of CANN's headers refuse are refused here too, and what is right passes.

Each stands for a class of mistakes; tests/fidelity/declarations compares all declarations.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiler

BEFORE = """\
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
constexpr SinConfig kSin = {SinAlgo::RADIAN_REDUCTION};
void Kernel(TPipe& pipe, GM_ADDR x, const GM_ADDR from) {
    LocalTensor<float> f; LocalTensor<half> h; LocalTensor<uint8_t> u; GlobalTensor<float> g;
    const GlobalTensor<float>& fixed = g; const LocalTensor<float>& held = f;
    TQue<TPosition::VECIN, 1> queue; BinaryRepeatParams binary; UnaryRepeatParams unary;
    uint64_t bits[2] = {1, 0}; const uint64_t fixedBits[2] = {1, 0};
    (void)x; (void)from; (void)fixed; (void)held; (void)fixedBits; (void)bits; (void)u; (void)h;
"""

# name of the class, what is refused, what is right
MISTAKES = [
    ("a method that is not const", "fixed.SetValue(0, 1.0f);", "g.SetValue(0, 1.0f); fixed(0) = 1.0f;"),
    ("an array that is not const", "Add(f, f, f, fixedBits, 1, binary);", "Add(f, f, f, bits, 1, binary);"),
    ("an array that is not const, Duplicate", "Duplicate(f, 1.0f, fixedBits, 1, 1, 8);",
     "Duplicate(f, 1.0f, bits, 1, 1, 8); Cast(f, h, RoundMode::CAST_NONE, fixedBits, 1, unary);"),
    ("a template parameter of other products", "Sin<float, false, kSin>(f, f, 64);", "Sin<float, false>(f, f, 64);"),
    ("a template parameter that is not there", "WelfordFinalizePara p; WelfordFinalize<false, true>(f, f, f, f, p);",
     "WelfordFinalizePara p; WelfordFinalize<false>(f, f, f, f, p);"),
    ("an enumerator of other products", "(void)RoundMode::CAST_HYBRID;", "(void)RoundMode::CAST_ODD;"),
    ("an enumerator of other products, Transpose", "(void)TransposeType::TRANSPOSE_ND2ND_021;",
     "(void)TransposeType::TRANSPOSE_ND2ND_ONLY;"),
    ("the value of an enumerator", "static_assert(DEQF16 == 3);", "static_assert(DEQF16 == 11 && F322BF16 == 16);"),
    ("the value of an enumerator, turned round", "static_assert(static_cast<int>(HF32Mode::ENABLE) == 1);",
     "static_assert(static_cast<int>(HF32Mode::ENABLE) == 0);"),
    ("a temporary as a reference", "queue.FreeTensor(queue.DeQue<float>());",
     "auto t = queue.DeQue<float>(); queue.FreeTensor(t);"),
    ("a constant as a reference", "queue.FreeTensor(held);", "queue.FreeTensor(f);"),
    ("a constant destination", "SwiGLU(held, f, f, 1.0f, 64);", "SwiGLU(f, held, held, 1.0f, 64);"),
    ("a constructor that is not there", "SoftMaxParams p(1, 2, 3, 4, 5, 6, 0.5f);",
     "SoftMaxParams p{1, 2, 3, 4, 5, 6, 0.5f}; static_assert(SoftMaxParams{}.splitMeanCnt == 8);"),
    ("a default constructor that is not there", "SoftmaxConfig c; (void)c;", "SoftmaxConfig c(true); (void)c;"),
    ("a field that is not there", "WelfordFinalizePara p{1, 2, 3, 4, 5, 6, 0.5f, 0.5f, 0.5f};",
     "WelfordFinalizePara p{1, 2, 3, 4, 5, 6, 0.5f, 0.5f};"),
    ("an overload that is not there", "ReGlu(f, f, f);", "ReGlu(f, f, f, 64);"),
    ("an argument that is not there",
     "ReduceDataBlock<ReduceType::SUM>(f, f, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
     "ReduceDataBlock<ReduceType::SUM>(f, f, 64, 1, 1, 1, 8);"),
    ("a default argument", "static_assert(CopyRepeatParams{}.dstStride == 1);",
     "static_assert(CopyRepeatParams{}.dstStride == 0);"),
    ("a default template argument", "DataCacheCleanAndInvalid<float>(g);",
     "DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(g);"),
    ("a function that is not constexpr", "constexpr int32_t n = CeilDivision(5, 2); (void)n;",
     "const int32_t n = CeilDivision(5, 2); (void)n;"),
    ("a name in another namespace", "AscendC::GetTPipePtr();", "::GetTPipePtr();"),
    ("a type in another namespace", "AscendC::pad_t p = PAD_NONE; (void)p;", "pad_t p = PAD_MODE1; (void)p;"),
    ("a macro that is a value", "int a[AscendC::K_MAX_SHAPE_DIM]; (void)a;", "int a[K_MAX_SHAPE_DIM]; (void)a;"),
    ("a macro that stands behind if alone", "bool v = ASCEND_IS_AIV; (void)v;", "if ASCEND_IS_AIV { (void)f; }"),
    ("a macro that stands behind if alone, in brackets", "if (ASCEND_IS_AIC) { (void)f; }",
     "if ASCEND_IS_AIC { (void)f; } else if ASCEND_IS_AIV { (void)g; }"),
    ("a name that another header has", "ListTensorDesc list; (void)list;", "(void)f;"),
    ("a pointer that is not const", "copy_gm_to_ubuf((void*)0, (const void*)from, 0, 1, 1, 0, 0);",
     "copy_gm_to_ubuf((void*)0, (void*)from, 0, 1, 1, 0, 0);"),
]  # fmt: skip


def errors(root: Path, statements: list[str]) -> dict[int, str]:
    """The compiler's errors in one function of all statements, by the number of the statement."""
    text = BEFORE + "".join(f"    {{ {statement} }}\n" for statement in statements) + "}\n"
    include = root / "include"
    command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-D__NPU_ARCH__=2201", f"-I{include / 'ascendc'}"]
    command += [f"-I{include}", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    first = BEFORE.count("\n") + 1
    here = r"^<stdin>:(\d+):\d+:(?:   required from here| note: in expansion of macro .*| error: (.*))$"
    found = re.findall(here, done.stderr, re.MULTILINE)
    return {int(line) - first: said for line, said in found}


def test_each_mistake_is_refused(root: Path) -> None:
    found = errors(root, [wrong for _, wrong, _ in MISTAKES])
    assert [name for i, (name, *_) in enumerate(MISTAKES) if i not in found] == []


def test_what_is_right_passes(root: Path) -> None:
    assert errors(root, [right for *_, right in MISTAKES]) == {}
