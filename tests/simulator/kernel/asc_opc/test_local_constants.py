"""Constants of functions that are template arguments: g++ 12 takes the text that is written instead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[4] / "src/opforge/simulator/tools/asc_opc"
sys.path.insert(0, str(TOOLS))

from local_constants import at_namespace_scope  # noqa: E402

pytestmark = pytest.mark.compiler

PROGRAM = """#include <cstdio>
namespace api {
struct LoadConfig { bool a = true; int b = 7; };
constexpr LoadConfig DEFAULT{};
template <class T> struct Tensor { T value; };
template <typename T, const LoadConfig& config = DEFAULT, typename U = T>
int Load(const Tensor<T>&, const Tensor<U>&) { return config.a ? config.b : -config.b; }
}
using namespace api;
static constexpr LoadConfig outer{true, 1};
struct Plain {
    static constexpr LoadConfig member{true, 2};
    int Run() { Tensor<float> t{}; return Load<float, member>(t, t); }
};
template <class T>
class Kernel {
public:
    int Run(bool other)
    {
        if (other) {
            static constexpr LoadConfig config =
                {false, 3};
            Tensor<T> t{};
            return Load<T, config>(t, t) * 1000 + __LINE__;
        }
        static constexpr LoadConfig config{true, 4};
        Tensor<T> t{};
        return Load<T, config>(t, t) * 1000 + __LINE__;
    }
    int Outside();
    struct Inner { int config; } inner{5};
};
template <class T>
int Kernel<T>::Outside() {
    static constexpr LoadConfig config = {true, 6}; static constexpr LoadConfig kept = {true, 9};
    Tensor<T> t{};
    return Load<float, config>(t, t) * 100 + inner.config * 10 + (kept.b == 9 && config.b == 6);
}
int main() {
    Kernel<float> kernel;
    Tensor<float> t{};
    std::printf("%d %d %d ", kernel.Run(true), kernel.Run(false), kernel.Outside());
    std::printf("%d %d\\n", Load<float, outer>(t, t), Plain().Run());
}
"""


def test_they_move_in_front_of_the_function(tmp_path: Path) -> None:
    text = at_namespace_scope(PROGRAM)
    assert text.count("\n") == PROGRAM.count("\n")
    assert "static constexpr LoadConfig kept" in text
    assert "static constexpr LoadConfig member" in text
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(text, encoding="utf-8")
    subprocess.run(["g++", "-std=c++17", "-Wall", "-Werror", source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    lines = {number: text for number, text in enumerate(PROGRAM.splitlines(), 1) if "__LINE__" in text}
    first, second = lines
    assert done.stdout.split() == [str(-3000 + first), str(4000 + second), "651", "1", "2"]


def test_other_text_stays() -> None:
    unused = PROGRAM.replace("Load<T, config>", "Load<T>").replace("Load<float, config>", "Load<float>")
    for text in ("int main() {}\n", "static constexpr LoadConfig outer{true, 1};\n", unused):
        assert at_namespace_scope(text) == text
