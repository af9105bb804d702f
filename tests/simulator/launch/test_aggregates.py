"""Classes that are aggregates in C++17 only: what g++ makes of the text that is written for C++20."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[3] / "src/opforge/simulator/tools"
sys.path[:0] = [str(TOOLS / "bisheng"), str(TOOLS / "asc_opc")]

from aggregates import as_aggregates  # noqa: E402

pytestmark = pytest.mark.compiler

PROGRAM = """#include <cstdint>
template <class T>
class Kernel {
    friend struct Wait;
    struct Wait {
        using Owner = Kernel<T>;
# 7 "other.h"
        inline __attribute__((always_inline))
        Wait() = default;
        int operator()() const { return owner->one + index; }
        Owner* owner{nullptr};
        int index;
    };
    int one = 40;
    Wait wait;
public:
    int all() { wait = {this, 2}; return wait(); }
};
struct Plain {
private:
    constexpr Plain() noexcept = default;
public:
    int a{1};
};
int main() { return Kernel<float>().all() == 42 && Plain{3}.a == 3 ? 0 : 1; }
"""
NO_AGGREGATES = """
struct Several { Several() = default; Several(int one) : a(one) {} int a; };
struct Explicit { explicit Explicit() = default; int a; };
struct Outside { Outside(); int a; };
Outside::Outside() = default;
struct Copied { Copied() = default; Copied(const Copied&) = default; int a; };
"""


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_a_class_with_a_defaulted_constructor_stays_an_aggregate(tmp_path: Path, standard: str) -> None:
    source, built = tmp_path / "text.cpp", tmp_path / "built"
    command = ["g++", f"-std={standard}", str(source), "-o", str(built)]
    source.write_text(PROGRAM, encoding="utf-8")
    plain = subprocess.run(command, capture_output=True, check=False)
    assert (plain.returncode == 0) == (standard == "c++17")
    text = as_aggregates(PROGRAM)
    source.write_text(text, encoding="utf-8")
    subprocess.run(command, check=True)
    subprocess.run([str(built)], check=True)
    assert text.count("\n") == PROGRAM.count("\n")
    assert '\n# 7 "other.h"\n' in text


def test_what_is_no_aggregate_in_either_keeps_its_constructors() -> None:
    assert as_aggregates(NO_AGGREGATES) == NO_AGGREGATES
