// Checks the arguments of operators whose dimensions have names, or that take lists or numbers: ranks, sizes that must
// be equal, shapes that must broadcast. argument_checks.h checks devices and dtypes.
//
// The messages are those of _shapes.py, which guards the CPU implementation and the Meta function.
#ifndef OPFORGE_SHAPE_CHECKS_H
#define OPFORGE_SHAPE_CHECKS_H

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
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

// Symbols and sizes of a shape. A leading "..." stands for any number of dimensions. Named ones, "...gamma", are equal
// in all arguments, but may differ inside a list.
using Dims = std::vector<std::string>;

inline bool is_open(const Dims& dims) { return !dims.empty() && dims[0].compare(0, 3, "...") == 0; }

// How the leading dimensions of several arguments are combined: they broadcast, or they must be equal, because they are
// reduced, or because they are the rows of a matrix product. Its sizes and rows must not exceed the cube's limit.
enum class Leading { kBroadcast, kAlike, kRows };

// An argument for the checks: one tensor, several or none; or a list of numbers, whose length may have a name.
class Operand {
public:
    Operand(const char* name, const at::Tensor& tensor, Dims dims)
        : name_(name), dims_(std::move(dims)), tensors_{&tensor} {}
    Operand(const char* name, const std::optional<at::Tensor>& tensor, Dims dims)
        : name_(name), dims_(std::move(dims)) {
        if (tensor.has_value()) {
            tensors_.push_back(&*tensor);
        }
    }
    Operand(const char* name, const std::vector<at::Tensor>& list, Dims dims)
        : name_(name), dims_(std::move(dims)), is_list_(true), is_required_(true) {
        add(list);
    }
    Operand(const char* name, const std::optional<std::vector<at::Tensor>>& list, Dims dims)
        : name_(name), dims_(std::move(dims)), is_list_(true) {
        if (list.has_value()) {
            add(*list);
        }
    }
    // An argument with neither tensors nor a length.
    explicit Operand(const char* name) : name_(name) {}
    // Numbers. `length` is empty if there are none.
    Operand(const char* name, std::optional<size_t> length, Dims dims)
        : name_(name), dims_(std::move(dims)), length_(length) {}

    const char* name() const { return name_; }
    const Dims& dims() const { return dims_; }
    const std::vector<const at::Tensor*>& tensors() const { return tensors_; }
    bool is_list() const { return is_list_; }
    bool lacks_tensors() const { return is_required_ && tensors_.empty(); }
    std::optional<size_t> length() const { return length_; }

private:
    void add(const std::vector<at::Tensor>& list) {
        for (const at::Tensor& tensor : list) {
            tensors_.push_back(&tensor);
        }
    }

    const char* name_;
    Dims dims_;
    std::vector<const at::Tensor*> tensors_;
    std::optional<size_t> length_;
    bool is_list_ = false;
    bool is_required_ = false;
};

// The length of a list of numbers; empty if the list is missing.
template <typename List>
std::optional<size_t> length(const List& list) {
    return list.size();
}
template <typename List>
std::optional<size_t> length(const std::optional<List>& list) {
    return list.has_value() ? std::optional<size_t>(list->size()) : std::nullopt;
}

// The sizes of the symbols in one call, and its leading dimensions.
class Sizes {
public:
    Sizes(std::vector<int64_t> leading, std::map<std::string, int64_t> symbols,
          std::map<std::string, std::vector<int64_t>> dots)
        : leading_(std::move(leading)), symbols_(std::move(symbols)), dots_(std::move(dots)) {}

    int64_t operator[](const char* symbol) const { return symbols_.at(symbol); }
    const std::vector<int64_t>& leading() const { return leading_; }
    std::vector<int64_t> behind_leading(const std::vector<int64_t>& last) const {
        std::vector<int64_t> shape = leading_;
        shape.insert(shape.end(), last.begin(), last.end());
        return shape;
    }

    // The leading dimensions with extent 1 in a dimension that they have, or without it. A number has none.
    std::vector<int64_t> kept(int64_t dim) const { return reduced(dim, {1}); }
    std::vector<int64_t> dropped(int64_t dim) const { return reduced(dim, {}); }

    std::vector<int64_t> behind(const char* dots, const std::vector<int64_t>& last) const {
        std::vector<int64_t> shape = dots_.at(dots);
        shape.insert(shape.end(), last.begin(), last.end());
        return shape;
    }

private:
    std::vector<int64_t> reduced(int64_t dim, const std::vector<int64_t>& instead) const {
        std::vector<int64_t> shape = leading_;
        if (!shape.empty()) {
            const auto place = shape.begin() + (dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim);
            shape.insert(shape.erase(place), instead.begin(), instead.end());
        }
        return shape;
    }

    std::vector<int64_t> leading_;
    std::map<std::string, int64_t> symbols_;
    std::map<std::string, std::vector<int64_t>> dots_;
};

// Floor division of dimensions, as in Python.
inline int64_t floor_div(int64_t left, int64_t right) {
    TORCH_CHECK_VALUE(right != 0, "a dimension is ", left, " // 0");
    const int64_t quotient = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

// Arithmetic with dimensions that raises instead of wrapping around.
inline int64_t plus(int64_t left, int64_t right) {
    int64_t sum = 0;
    TORCH_CHECK_VALUE(!__builtin_add_overflow(left, right, &sum), "a dimension is ", left, " + ", right);
    return sum;
}
inline int64_t minus(int64_t left, int64_t right) {
    int64_t difference = 0;
    TORCH_CHECK_VALUE(!__builtin_sub_overflow(left, right, &difference), "a dimension is ", left, " - ", right);
    return difference;
}
inline int64_t times(int64_t left, int64_t right) {
    int64_t product = 0;
    TORCH_CHECK_VALUE(!__builtin_mul_overflow(left, right, &product), "a dimension is ", left, " * ", right);
    return product;
}

// The shape of a result, computed from sizes and attributes.
inline void check_made(const char* op, const char* name, const std::vector<int64_t>& shape) {
    const bool right = std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size >= 0; });
    TORCH_CHECK_VALUE(right, op, ": ", name, " would have the shape ", shape_text(shape));
}

// The given operands of one call.
class Operands {
public:
    Operands(const char* op, const std::vector<Operand>& operands) : op_(op) {
        for (size_t place = 0; place < operands.size(); ++place) {
            const Operand& operand = operands[place];
            TORCH_CHECK_VALUE(!operand.lacks_tensors(), op, ": ", operand.name(), " must hold at least one tensor");
            for (size_t i = 0; i < operand.tensors().size(); ++i) {
                const std::string name = operand.name();
                names_.push_back(operand.is_list() ? name + "[" + std::to_string(i) + "]" : name);
                arguments_.push_back({names_.back().c_str(), *operand.tensors()[i]});
                listed_.push_back(operand.is_list());
                dims_.push_back(operand.dims());
                places_.push_back(place);
            }
            if (operand.length().has_value() && operand.dims().size() == 1 && operand.dims()[0] != "...") {
                lengths_.push_back({operand.name(), operand.dims()[0], static_cast<int64_t>(*operand.length())});
            }
        }
    }

    const std::vector<Argument>& arguments() const { return arguments_; }

    // The index of the combination of dtypes. Missing operands are ignored.
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

    // Checks that each symbol has one size, and determines the leading dimensions.
    Sizes sizes(Leading kind) const {
        std::map<std::string, Found> symbols;
        std::optional<size_t> first;  // with leading dimensions
        std::vector<int64_t> leading;
        std::map<std::string, std::vector<int64_t>> dots;
        std::map<std::string, size_t> owners;
        for (size_t i = 0; i < arguments_.size(); ++i) {
            check_rank(i);
            if (is_open(dims_[i]) && dims_[i][0] != "...") {
                if (!listed_[i]) {
                    const size_t owner = owners.emplace(dims_[i][0], i).first->second;
                    const std::vector<int64_t>& known = dots.emplace(dims_[i][0], rows(i).vec()).first->second;
                    TORCH_CHECK_VALUE(rows(i) == known, op_, ": ", dims_[i][0], " is ", shape_text(known), " in ",
                                      described(owner), " and ", shape_text(rows(i)), " in ", described(i));
                }
            } else if (is_open(dims_[i])) {
                leading = first.has_value() ? join_leading(kind, leading, *first, i) : rows(i).vec();
                first = first.value_or(i);
            }
            const at::IntArrayRef shape = arguments_[i].tensor.sizes();
            for (size_t back = 1; back + (is_open(dims_[i]) ? 1 : 0) <= dims_[i].size(); ++back) {
                const Found found{described(i), shape[shape.size() - back], arguments_[i].name};
                check_size(symbols, kind, dims_[i][dims_[i].size() - back], found);
            }
        }
        for (const Length& length : lengths_) {
            const std::string text = std::string(length.name) + " of " + std::to_string(length.count) + " numbers";
            check_size(symbols, kind, length.symbol, {text, length.count, length.name});
        }
        if (kind == Leading::kRows && first.has_value()) {
            const int64_t count = c10::multiply_integers(leading);
            TORCH_CHECK_VALUE(count <= kMaxSize, op_, ": ", described(*first), " has ", count, " rows; at most ",
                              kMaxSize, " are supported");
        }
        std::map<std::string, int64_t> made;
        for (const auto& [symbol, found] : symbols) {
            made[symbol] = found.size;
        }
        return {std::move(leading), std::move(made), std::move(dots)};
    }

    // The outputs' shape, if all inputs broadcast.
    std::vector<int64_t> broadcast() const { return broadcast_shape(op_, arguments_); }

    // Checks that the in-place input `name` has the output's shape.
    void check_written(const char* name, at::IntArrayRef input, at::IntArrayRef output) const {
        TORCH_CHECK_VALUE(input == output, op_, ": ", name, " is written in place: it has shape ", shape_text(input),
                          ", and the result has ", shape_text(output));
    }

private:
    struct Found {
        std::string described;
        int64_t size;
        const char* name;
    };
    struct Length {
        const char* name;
        std::string symbol;
        int64_t count;
    };

    void check_rank(size_t i) const {
        const int64_t rank = arguments_[i].tensor.dim();
        TORCH_CHECK_VALUE(rank <= kMaxRank, op_, ": ", arguments_[i].name, " has ", rank, " dimensions; at most ",
                          kMaxRank, " are supported");
        const bool open = is_open(dims_[i]);
        const auto named = static_cast<int64_t>(dims_[i].size()) - (open ? 1 : 0);
        TORCH_CHECK_VALUE(rank == named || (open && rank > named), op_, ": ", arguments_[i].name, " has ", rank,
                          " dimensions; [", joined(dims_[i]), "] has ", open ? "at least " : "", named);
    }

    at::IntArrayRef rows(size_t i) const {
        return arguments_[i].tensor.sizes().slice(0, arguments_[i].tensor.sizes().size() + 1 - dims_[i].size());
    }

    // Combines the leading dimensions of earlier arguments with those of this one.
    std::vector<int64_t> join_leading(Leading kind, std::vector<int64_t> known, size_t first, size_t i) const {
        const at::IntArrayRef more = rows(i);
        bool fits = kind == Leading::kBroadcast || more == known;
        const std::vector<int64_t> before = known;
        if (kind == Leading::kBroadcast) {
            known.insert(known.begin(), std::max(known.size(), more.size()) - known.size(), 1);
            for (size_t back = 1; back <= more.size(); ++back) {
                int64_t& size = known[known.size() - back];
                const int64_t other = more[more.size() - back];
                fits = fits && (size == other || size == 1 || other == 1);
                size = size == 1 ? other : size;
            }
        }
        TORCH_CHECK_VALUE(fits, op_, ": the leading dimensions of ", described(first), " and ", described(i),
                          kind == Leading::kBroadcast ? " do not broadcast: " : " differ: ", shape_text(before),
                          " and ", shape_text(more));
        return known;
    }

    // Checks that a symbol has the same size everywhere, and that a number is the size.
    void check_size(std::map<std::string, Found>& symbols, Leading kind, const std::string& symbol,
                    const Found& found) const {
        if (std::isdigit(static_cast<unsigned char>(symbol[0])) != 0) {
            TORCH_CHECK_VALUE(std::to_string(found.size) == symbol, op_, ": ", found.described, " has ", found.size,
                              " where the size is ", symbol);
            return;
        }
        const Found& known = symbols.emplace(symbol, found).first->second;
        TORCH_CHECK_VALUE(known.size == found.size, op_, ": ", symbol, " is ", known.size, " in ", known.described,
                          " and ", found.size, " in ", found.described);
        TORCH_CHECK_VALUE(kind == Leading::kBroadcast || found.size <= kMaxSize, op_, ": ", symbol, " is ", found.size,
                          " in ", found.described, "; at most ", kMaxSize, " is supported");
    }

    std::string described(size_t i) const {
        return std::string(arguments_[i].name) + " of shape " + shape_text(arguments_[i].tensor.sizes());
    }

    const char* op_;
    std::vector<Argument> arguments_;
    std::vector<Dims> dims_;
    std::vector<size_t> places_;
    std::vector<bool> listed_;
    std::vector<Length> lengths_;
    std::list<std::string> names_;  // a list, so that addresses stay valid
};

}  // namespace opforge

#endif  // OPFORGE_SHAPE_CHECKS_H
