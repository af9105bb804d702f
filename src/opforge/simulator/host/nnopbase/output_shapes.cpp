#include "output_shapes.h"

#include <algorithm>
#include <sstream>

#include "messages.h"
#include "meta.h"
#include "sim_launch.h"

namespace nnopbase {

namespace {

// No size is as large.
constexpr uint64_t kUnwritten = ~0ULL;
// The rank's bit 31 says that the dimensions are 64 bits wide; aclnn reads them so in any case.
constexpr uint64_t kWide = 1ULL << 31;
constexpr uint64_t kMostDims = kShapeWords - 1;

uint64_t* ShapesOf(const aclOpExecutor& executor, void* workspace) {
    return static_cast<uint64_t*>(sim_host_view(static_cast<unsigned char*>(workspace) + executor.shapesPlace));
}

// The shape in an output's nine words, or what is wrong with it.
std::string TakeShape(const uint64_t* words, uint64_t room, std::vector<int64_t>* dims) {
    if (words[0] == kUnwritten) {
        return "the kernel has not written its shape";
    }
    const uint64_t rank = words[0] & ~kWide;
    if (rank > kMostDims) {
        std::ostringstream number;
        number << std::hex << words[0];
        return "the kernel writes 0x" + number.str() + " for its rank, which is 0 to 8, with or without bit 31";
    }
    uint64_t elements = 1;
    for (uint64_t i = 0; i < rank; ++i) {
        const uint64_t dim = words[1 + i];
        if (dim == kUnwritten) {
            return "the kernel says that it has " + std::to_string(rank) + " dimensions and has not written number " +
                   std::to_string(i);
        }
        dims->push_back(static_cast<int64_t>(dim));
        // More than any memory has stays more.
        const bool huge = dim != 0 && elements > (1ULL << 62) / dim;
        elements = huge ? 1ULL << 62 : elements * dim;
    }
    if (elements > room) {
        return "the kernel says shape " + ShapeText(*dims) + ", and the tensor that was given has room for " +
               std::to_string(room) + " elements";
    }
    return "";
}

}  // namespace

void ClearShapes(const aclOpExecutor& executor, void* workspace) {
    if (executor.shapes > 0) {
        std::fill_n(ShapesOf(executor, workspace), executor.shapes * kShapeWords, kUnwritten);
    }
}

aclnnStatus TakeShapes(const aclOpExecutor& executor, void* workspace) {
    const uint64_t* words = executor.shapes > 0 ? ShapesOf(executor, workspace) : nullptr;
    for (const Argument& output : executor.arguments.outputs) {
        if (output.shaped == nullptr) {
            continue;
        }
        std::vector<int64_t> dims;
        const std::string wrong = TakeShape(words, output.tensors.front().elements, &dims);
        if (!wrong.empty()) {
            return Fail(ACLNN_ERR_PARAM_INVALID, "EZ9999",
                        std::string(executor.op->op_type) + ": " + output.param->argument + ": " + wrong +
                            ". Behind the outputs a kernel has the address of 9 uint64 for each output with "
                            "OutputShapeDependOnCompute: its rank, then its dimensions");
        }
        output.shaped->view = dims;
        output.shaped->storage = dims;
        output.shaped->strides.assign(dims.size(), 1);
        for (size_t i = dims.size(); i > 1; --i) {
            output.shaped->strides[i - 2] = output.shaped->strides[i - 1] * dims[i - 1];
        }
        words += kShapeWords;
    }
    return OK;
}

}  // namespace nnopbase
