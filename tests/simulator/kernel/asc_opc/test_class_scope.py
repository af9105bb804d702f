"""Templates that are specialised in their class: what g++ makes of the text that is written instead."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[4] / "src/opforge/simulator/tools/asc_opc"
sys.path.insert(0, str(TOOLS))

from class_scope import with_conditions  # noqa: E402

pytestmark = pytest.mark.compiler

PROGRAM = """#include <cstdint>
#include <cstdio>
#include <type_traits>
namespace outside {
enum class Kind { a, b };
template <class T> struct Pair { T first; };
template <> struct Pair<int> { int other; };
template <typename T> int free(T) { return 1; }
template <> int free<int>(int) { return 2; }
}
constexpr int chosen = 1;
template <class Part>
class Kernel {
public:
    struct Params { int x; Params() : x{1} {} };
    template <int32_t core = chosen>
    int operator()(Params const& params);
    template <>
    inline __attribute__((always_inline)) int operator()<0>(Params const& params)
    { return params.x > 5 ? 9 : 10; }
    template <>
    int operator()<1>(Params const& params) { if (params.x) { return 11; } return 12; }
    template <class T> struct Help { using type = T; enum { n = 1 }; };
    template <>
    struct Help<void> { using type = int; enum { n = 2 }; };
private:
    template <typename T, bool flag = false>
    int of(T value, int more = 0) { return more + 1; }
    template <>
    int of<float, true>(float value, int more) { return 2; }
    template <>
    int of<
        int>(int value, int more) { return 3; }
    template <typename T> int other(T) { return 5; }
public:
    int all() {
        const char* text = "template <> { } ;";
        return (text[0] == 't') * of(1.0) + 10 * of<float, true>(1.0f, 0) + 100 * of(1, 0) + 1000 * outside::free(1)
            + 10000 * other(1) + 100000 * Help<void>::n + 1000000 * Help<char>::n;
    }
};
int main() {
    Kernel<int> kernel;
    Kernel<int>::Params params;
    std::printf("%d %d %d %d", kernel(params), kernel.operator()<0>(params), kernel.all(), __LINE__);
}
"""
# g++ says which of them it does not take; the rest stays as it is.
LEFT = [
    "template <class T> struct A { T t; }; template <> struct A<int> {};",
    "template <typename T> int f(T t); template <> int f<int>(int t) { return 1; }",
    'const char* text = "struct A { template <> void f<int>() {} };";',
    "struct A { template <> void alone<int>() {} };",
    "struct A { template <typename... T> void f(T... t); template <> void f<int>(int t) {} };",
]


def test_a_program(tmp_path: Path) -> None:
    written = with_conditions(PROGRAM)
    assert written.count("\n") == PROGRAM.count("\n")
    source, built = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(written)
    compiler = shutil.which("g++") or "g++"
    subprocess.run([compiler, "-std=c++17", "-Werror", source, "-o", built], check=True)
    line = 1 + PROGRAM.splitlines().index(next(row for row in PROGRAM.splitlines() if "__LINE__" in row))
    assert subprocess.run([built], capture_output=True, text=True, check=True).stdout == f"11 10 1252321 {line}"


@pytest.mark.parametrize("text", LEFT)
def test_other_text_stays(text: str) -> None:
    assert with_conditions(text) == text


def test_two_templates_of_one_name() -> None:
    """Each specialisation belongs to the one with as many parameters."""
    text = (
        "struct A { template <int n> void f(int a); template <int m> void f(int a, int b) { }"
        " template <> void f<1>(int a, int b) { } template <> void f<2>(int a) { } };"
    )
    assert " ".join(with_conditions(text).split()) == (
        "struct A { ; template <int m, std::enable_if_t<!((m == (1))), int> = 0> void f(int a, int b) { }"
        " template <int m, std::enable_if_t<(m == (1)), int> = 0> void f(int a, int b) { }"
        " template <int n, std::enable_if_t<(n == (2)), int> = 0> void f(int a) { } };"
    )
