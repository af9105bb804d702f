// What is wrong with the arguments of an operator with matrix products: ranks, sizes that must be equal, sizes beyond
// int32. Devices and dtypes are argument_checks.h's.
//
// The messages are those of _checks.py, which guards the CPU implementation and the Meta function.
#ifndef OPFORGE_PRODUCT_CHECKS_H
#define OPFORGE_PRODUCT_CHECKS_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <c10/util/accumulate.h>

#include "argument_checks.h"

namespace opforge {

constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();  // the cube counts in int32

// Symbols of a shape. "..." stands first, for any number of leading dimensions: the rows of a product.
using Dims = std::vector<std::string>;

// An argument that may not be given, and its shape.
struct Operand {
    Operand(const char* name, const at::Tensor& tensor, Dims dims)
        : name(name), tensor(&tensor), dims(std::move(dims)) {}
    Operand(const char* name, const std::optional<at::Tensor>& tensor, Dims dims)
        : name(name), tensor(tensor.has_value() ? &*tensor : nullptr), dims(std::move(dims)) {}

    const char* name;
    const at::Tensor* tensor;  // null: not given
    Dims dims;
};

// The operands of one call that are given.
class Operands {
public:
    Operands(const char* op, const std::vector<Operand>& operands) : op_(op) {
        for (size_t i = 0; i < operands.size(); ++i) {
            if (operands[i].tensor != nullptr) {
                arguments_.push_back({operands[i].name, *operands[i].tensor});
                dims_.push_back(operands[i].dims);
                places_.push_back(i);
            }
        }
    }

    const std::vector<Argument>& arguments() const { return arguments_; }

    // The number of the combination of dtypes; those of operands that are not given do not count.
    template <typename Columns>
    size_t dtype_column(const Columns& columns) const {
        std::vector<std::vector<at::ScalarType>> given;
        for (const auto& column : columns) {
            given.emplace_back();
            for (size_t place : places_) {
                given.back().push_back(column[place]);
            }
        }
        return check_dtypes(op_, arguments_, given);
    }

    // The outputs' shape: one size for each symbol, none beyond int32.
    std::vector<int64_t> shape(const Dims& output) const {
        std::map<std::string, Found> sizes;
        std::optional<size_t> first;  // with leading dimensions
        for (size_t i = 0; i < arguments_.size(); ++i) {
            check_rank(i);
            if (dims_[i][0] == "...") {
                first = first.value_or(i);
                check_rows(*first, i);
            }
            for (size_t back = 1; back <= dims_[i].size() && dims_[i][dims_[i].size() - back] != "..."; ++back) {
                check_size(sizes, dims_[i][dims_[i].size() - back], i, static_cast<int64_t>(back));
            }
        }
        std::vector<int64_t> made;
        for (const std::string& symbol : output) {
            if (symbol == "...") {
                made = rows(*first).vec();
            } else {
                made.push_back(sizes.at(symbol).size);
            }
        }
        return made;
    }

private:
    struct Found {
        size_t argument;
        int64_t size;
    };

    void check_rank(size_t i) const {
        const int64_t rank = arguments_[i].tensor.dim();
        TORCH_CHECK_VALUE(rank <= kMaxRank, op_, ": ", arguments_[i].name, " has ", rank, " dimensions; at most ",
                          kMaxRank, " are supported");
        const bool open = dims_[i][0] == "...";
        const auto named = static_cast<int64_t>(dims_[i].size()) - (open ? 1 : 0);
        TORCH_CHECK_VALUE(rank == named || (open && rank > named), op_, ": ", arguments_[i].name, " has ", rank,
                          " dimensions; [", joined(dims_[i]), "] has ", open ? "at least " : "", named);
    }

    at::IntArrayRef rows(size_t i) const {
        return arguments_[i].tensor.sizes().slice(0, arguments_[i].tensor.sizes().size() + 1 - dims_[i].size());
    }

    void check_rows(size_t first, size_t i) const {
        TORCH_CHECK_VALUE(rows(first) == rows(i), op_, ": the leading dimensions of ", described(first), " and ",
                          described(i), " differ: ", shape_text(rows(first)), " and ", shape_text(rows(i)));
        const int64_t count = c10::multiply_integers(rows(i));
        TORCH_CHECK_VALUE(count <= kMaxSize, op_, ": ", described(first), " has ", count, " rows; at most ", kMaxSize,
                          " are supported");
    }

    void check_size(std::map<std::string, Found>& sizes, const std::string& symbol, size_t i, int64_t back) const {
        const int64_t size = arguments_[i].tensor.size(-back);
        const Found known = sizes.emplace(symbol, Found{i, size}).first->second;
        TORCH_CHECK_VALUE(known.size == size, op_, ": ", symbol, " is ", known.size, " in ", described(known.argument),
                          " and ", size, " in ", described(i));
        TORCH_CHECK_VALUE(size <= kMaxSize, op_, ": ", symbol, " is ", size, " in ", described(i), "; at most ",
                          kMaxSize, " is supported");
    }

    std::string described(size_t i) const {
        return std::string(arguments_[i].name) + " of shape " + shape_text(arguments_[i].tensor.sizes());
    }

    const char* op_;
    std::vector<Argument> arguments_;
    std::vector<Dims> dims_;
    std::vector<size_t> places_;
};

}  // namespace opforge

#endif  // OPFORGE_PRODUCT_CHECKS_H
