// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Symbolic shapes. Equal symbols stand for equal extents, "..." stands for any number of leading dimensions, and a
// named "...gamma" stands for the same dimensions everywhere. C++11.
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include "host_tiling.h"

namespace symbols {

using host_tiling::Dims;

// The pattern of a tensor's shape: {"x", {"...", "H"}}. Digits stand for that size.
struct Pattern {
    const char* tensor;
    std::vector<std::string> dims;
};

inline bool HasLeading(const Pattern& pattern) { return !pattern.dims.empty() && pattern.dims[0] == "..."; }

inline bool HasNamedLeading(const Pattern& pattern) {
    return !pattern.dims.empty() && !HasLeading(pattern) && pattern.dims[0].compare(0, 3, "...") == 0;
}

inline std::string PatternText(const Pattern& pattern) {
    std::string text = "[";
    for (const std::string& dim : pattern.dims) {
        text += (text.size() == 1 ? "" : ", ") + dim;
    }
    return text + "]";
}

// A size in shape arithmetic. Results of unknown sizes are unknown. Division rounds down.
struct Size {
    bool known;
    int64_t value;

    Size(int64_t number) : known(number != host_tiling::kUnknownDim), value(number) {}
    Size(bool isKnown, int64_t number) : known(isKnown), value(number) {}
};

// The result of a division by zero, which is never a valid size.
constexpr int64_t kNoSize = std::numeric_limits<int64_t>::min();

inline Size operator+(const Size& a, const Size& b) { return Size(a.known && b.known, a.value + b.value); }

inline Size operator-(const Size& a, const Size& b) { return Size(a.known && b.known, a.value - b.value); }

inline Size operator*(const Size& a, const Size& b) { return Size(a.known && b.known, a.value * b.value); }

inline Size FloorDiv(const Size& a, const Size& b) {
    if (b.value == 0) {
        return Size(b.known, kNoSize);
    }
    const int64_t quotient = a.value / b.value;
    const bool below = a.value % b.value != 0 && (a.value < 0) != (b.value < 0);
    return Size(a.known && b.known, below ? quotient - 1 : quotient);
}

inline Size Min(const Size& a, const Size& b) { return Size(a.known && b.known, std::min(a.value, b.value)); }

inline Size Max(const Size& a, const Size& b) { return Size(a.known && b.known, std::max(a.value, b.value)); }

// How the dimensions of "..." are combined: they are equal, or they broadcast as in NumPy.
enum class Leading { kEqual, kBroadcast };

// The values of the symbols, as far as the bound shapes determine them. An unknown extent leaves its symbol open.
class Shapes {
public:
    explicit Shapes(Leading rule = Leading::kEqual) : rule_(rule) {}

    // Binds a tensor's shape. After a shape that does not match its pattern or earlier shapes, no more are bound.
    void Bind(const Pattern& pattern, const Dims& shape) {
        if (unfit_.empty() && !host_tiling::HasUnknownRank(shape)) {
            unfit_ = BindKnown(pattern, shape);
        } else if (rule_ == Leading::kBroadcast && HasLeading(pattern)) {
            leadingUnknown_ = true;
        }
    }

    // Adds a computed dimension of results; `name` is its text in their patterns.
    void Define(const char* name, const Size& size) {
        if (size.known && size.value < 0 && unfit_.empty()) {
            unfit_ = size.value == kNoSize
                         ? host_tiling::Reason("the dimension %s divides by zero", name)
                         : host_tiling::Reason("the dimension %s would be %lld", name, host_tiling::Number(size.value));
        }
        extents_[name] = Bound{size.known ? size.value : host_tiling::kUnknownDim, "the results"};
    }

    // The reason why the shapes do not match; empty if they do.
    const std::string& Unfit() const { return unfit_; }

    // The shape of a pattern; extents and the rank may be unknown.
    Dims Of(const Pattern& pattern) const {
        if (HasLeading(pattern) && (leadingOwner_ == nullptr || leadingUnknown_)) {
            return {host_tiling::kUnknownRank};
        }
        if (HasNamedLeading(pattern) && named_.count(pattern.dims[0]) == 0) {
            return {host_tiling::kUnknownRank};
        }
        Dims shape;
        for (const std::string& dim : pattern.dims) {
            if (dim == "...") {
                shape.insert(shape.end(), leading_.begin(), leading_.end());
            } else if (dim.compare(0, 3, "...") == 0) {
                const Dims& named = named_.at(dim).first;
                shape.insert(shape.end(), named.begin(), named.end());
            } else {
                shape.push_back(Extent(dim));
            }
        }
        return shape;
    }

    // The extent of a symbol; for "..." the product of all leading dimensions.
    int64_t Extent(const std::string& symbol) const {
        if (symbol == "...") {
            return host_tiling::ElementsOf(leading_);
        }
        if (IsNumber(symbol)) {
            return std::stoll(symbol);
        }
        const auto found = extents_.find(symbol);
        return found == extents_.end() ? host_tiling::kUnknownDim : found->second.extent;
    }

private:
    // An extent, and the tensor that it comes from.
    struct Bound {
        int64_t extent;
        const char* tensor;
    };

    // An expression that begins with a digit is treated as a name.
    static bool IsNumber(const std::string& symbol) {
        return symbol.find_first_not_of("0123456789") == std::string::npos;
    }

    std::string BindKnown(const Pattern& pattern, const Dims& shape) {
        const bool open = HasLeading(pattern) || HasNamedLeading(pattern);
        const size_t first = open ? 1 : 0;  // number of pattern dimensions before the fixed ones
        const size_t last = pattern.dims.size() - first;
        if (shape.size() < last || (first == 0 && shape.size() != last)) {
            return host_tiling::Reason("%s is %s, but must be %s", pattern.tensor,
                                       host_tiling::ShapeText(shape).c_str(), PatternText(pattern).c_str());
        }
        const size_t leading = shape.size() - last;
        const Dims rows(shape.begin(), shape.begin() + leading);
        std::string unfit = HasNamedLeading(pattern) ? BindNamed(pattern, rows) : "";
        if (HasLeading(pattern)) {
            unfit = BindLeading(pattern, rows);
        }
        for (size_t i = 0; unfit.empty() && i < last; i++) {
            unfit = BindExtent(pattern, pattern.dims[first + i], shape[leading + i]);
        }
        return unfit;
    }

    std::string BindExtent(const Pattern& pattern, const std::string& symbol, int64_t extent) {
        if (extent == host_tiling::kUnknownDim) {
            return "";
        }
        if (IsNumber(symbol)) {
            return Extent(symbol) == extent
                       ? ""
                       : host_tiling::Reason("%s has %lld where %s must have %s", pattern.tensor,
                                             host_tiling::Number(extent), PatternText(pattern).c_str(), symbol.c_str());
        }
        const Bound& bound = extents_.insert({symbol, Bound{extent, pattern.tensor}}).first->second;
        if (bound.extent == extent) {
            return "";
        }
        return host_tiling::Reason("%s of %s is %lld, but %s has %lld", symbol.c_str(), pattern.tensor,
                                   host_tiling::Number(extent), bound.tensor, host_tiling::Number(bound.extent));
    }

    std::string BindNamed(const Pattern& pattern, const Dims& leading) {
        std::pair<Dims, const char*>& known = named_.insert({pattern.dims[0], {leading, pattern.tensor}}).first->second;
        bool fits = leading.size() == known.first.size();
        for (size_t i = 0; fits && i < leading.size(); i++) {
            int64_t& mine = known.first[i];
            fits = mine == leading[i] || mine == host_tiling::kUnknownDim || leading[i] == host_tiling::kUnknownDim;
            mine = mine == host_tiling::kUnknownDim ? leading[i] : mine;
        }
        return fits ? ""
                    : host_tiling::Reason("%s of %s is %s, but %s has %s", pattern.dims[0].c_str(), pattern.tensor,
                                          host_tiling::ShapeText(leading).c_str(), known.second,
                                          host_tiling::ShapeText(known.first).c_str());
    }

    std::string BindLeading(const Pattern& pattern, const Dims& leading) {
        if (leadingOwner_ == nullptr) {
            leadingOwner_ = pattern.tensor;
            leading_ = leading;
            return "";
        }
        if (rule_ == Leading::kBroadcast) {
            const Dims before = leading_;
            if (host_tiling::BroadcastWith(leading, &leading_)) {
                return "";
            }
            return host_tiling::Reason("the leading dimensions of %s are %s, which do not broadcast with %s",
                                       pattern.tensor, host_tiling::ShapeText(leading).c_str(),
                                       host_tiling::ShapeText(before).c_str());
        }
        bool fits = leading.size() == leading_.size();
        for (size_t i = 0; fits && i < leading.size(); i++) {
            const bool known = leading[i] != host_tiling::kUnknownDim && leading_[i] != host_tiling::kUnknownDim;
            fits = !known || leading[i] == leading_[i];
            leading_[i] = leading_[i] == host_tiling::kUnknownDim ? leading[i] : leading_[i];
        }
        return fits ? ""
                    : host_tiling::Reason("the leading dimensions of %s are %s, but %s has %s", pattern.tensor,
                                          host_tiling::ShapeText(leading).c_str(), leadingOwner_,
                                          host_tiling::ShapeText(leading_).c_str());
    }

    Leading rule_;
    std::map<std::string, Bound> extents_;
    std::map<std::string, std::pair<Dims, const char*>> named_;
    Dims leading_;
    const char* leadingOwner_ = nullptr;
    bool leadingUnknown_ = false;  // the rank of at least one tensor is unknown
    std::string unfit_;
};

}  // namespace symbols

#endif  // SYMBOLS_H
