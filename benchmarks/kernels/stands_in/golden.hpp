// Stands in for the header of that name of CATLASS's examples: the operands come from files, the result goes to one.
#ifndef OPFORGE_BENCHMARKS_GOLDEN_HPP
#define OPFORGE_BENCHMARKS_GOLDEN_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace golden {

// The first vector that is filled gets the bytes of a.bin, the next one those of b.bin.
template <class Element, class Number>
void FillRandomData(std::vector<Element>& data, Number, Number) {
    static int filled = 0;
    std::FILE* file = std::fopen(filled++ == 0 ? "a.bin" : "b.bin", "rb");
    if (file == nullptr || std::fread(data.data(), sizeof(Element), data.size(), file) != data.size()) {
        std::abort();
    }
    std::fclose(file);
}

// The caller of the program knows what is right.
template <class... Operands>
void ComputeMatmul(const Operands&...) {}

template <class Element>
std::vector<uint64_t> CompareData(const std::vector<Element>& result, const std::vector<float>&, uint32_t) {
    std::FILE* file = std::fopen("c.bin", "wb");
    if (file == nullptr || std::fwrite(result.data(), sizeof(Element), result.size(), file) != result.size()) {
        std::abort();
    }
    std::fclose(file);
    return {};
}

}  // namespace golden

#endif
