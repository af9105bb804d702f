// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Types for tiling, shared by op_host and programs that launch a kernel directly: plain numbers and texts. C++11.
#ifndef HOST_TILING_H
#define HOST_TILING_H

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace host_tiling {

// A shape, outermost dimension first. In shape inference, extents and the rank may be unknown.
using Dims = std::vector<int64_t>;

constexpr int64_t kUnknownDim = -1;
constexpr int64_t kUnknownRank = -2;

// The launch parameters of a kernel, in addition to its tiling data.
struct Launch {
    uint64_t tilingKey;
    uint32_t blockDim;
    size_t workspaceBytes;
};

// How to split an op's work over cores and tiles. The tiling chooses what is 0.
struct Plan {
    int64_t cores;
    int64_t tileElements, tileRows, tileColumns;
    // Of products: parts of K that cores share, blocks of K of a load, rows of tiles that are taken column by column.
    int64_t innerParts, loadBlocks, tileGroup;
};

inline int64_t Limited(int64_t value, int64_t limit) { return limit > 0 ? std::min(value, limit) : value; }

// The reason why an op cannot run, formatted as by printf. Functions that may refuse an op return the reason, or an
// empty string.
__attribute__((format(printf, 1, 2))) inline std::string Reason(const char* format, ...) {
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    return reason;
}

// For printf's %lld.
inline long long Number(int64_t value) { return static_cast<long long>(value); }

inline int64_t CeilDiv(int64_t value, int64_t step) { return (value + step - 1) / step; }

inline int64_t RoundUp(int64_t value, int64_t step) { return CeilDiv(value, step) * step; }

inline bool HasUnknownRank(const Dims& dims) { return dims.size() == 1 && dims[0] == kUnknownRank; }

inline int64_t ElementsOf(const Dims& dims) {
    int64_t elements = 1;
    for (int64_t extent : dims) {
        elements *= extent;
    }
    return elements;
}

// The extent of dimension `fromEnd`, counted from the innermost; 1 if the shape has fewer dimensions.
inline int64_t Extent(const Dims& shape, size_t fromEnd) {
    return fromEnd < shape.size() ? shape[shape.size() - 1 - fromEnd] : 1;
}

// Broadcasts `shape` with `other`; false if they do not match. Dimensions and ranks may be unknown. An unknown extent
// combined with a known one other than 1 must be that extent or 1.
inline bool BroadcastWith(const Dims& other, Dims* shape) {
    if (HasUnknownRank(*shape)) {
        return true;
    }
    if (HasUnknownRank(other)) {
        *shape = other;
        return true;
    }
    Dims result(std::max(shape->size(), other.size()));
    for (size_t fromEnd = 0; fromEnd < result.size(); fromEnd++) {
        const int64_t a = Extent(*shape, fromEnd);
        const int64_t b = Extent(other, fromEnd);
        if (a != b && a != 1 && b != 1 && a != kUnknownDim && b != kUnknownDim) {
            return false;
        }
        const bool takeA = b == 1 || (b == kUnknownDim && a != 1);
        result[result.size() - 1 - fromEnd] = takeA ? a : b;
    }
    *shape = result;
    return true;
}

// A shape for messages: [2, 3].
inline std::string ShapeText(const Dims& dims) {
    std::string text = "[";
    for (size_t i = 0; i < dims.size(); i++) {
        text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
    }
    return text + "]";
}

}  // namespace host_tiling

#endif  // HOST_TILING_H
