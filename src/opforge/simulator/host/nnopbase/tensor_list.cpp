#include "tensor_list.h"

namespace nnopbase {

namespace {

constexpr uint64_t kWord = sizeof(uint64_t);

uint64_t DescribedBytes(const Argument& argument) {
    uint64_t words = 1;
    for (const TensorArgument& tensor : argument.tensors) {
        words += 1 + tensor.dims.size();
    }
    return words * kWord;
}

}  // namespace

uint64_t TensorListBytes(const Argument& argument) {
    return DescribedBytes(argument) + argument.tensors.size() * kWord;
}

std::vector<uint64_t> TensorListWords(const Argument& argument, const std::vector<uint64_t>& addresses) {
    std::vector<uint64_t> words = {DescribedBytes(argument)};
    for (const TensorArgument& tensor : argument.tensors) {
        words.push_back((uint64_t{1} << 32) | tensor.dims.size());
        words.insert(words.end(), tensor.dims.begin(), tensor.dims.end());
    }
    words.insert(words.end(), addresses.begin(), addresses.end());
    return words;
}

}  // namespace nnopbase
