// What tiling works with, for op_host and for programs that launch a kernel themselves: plain numbers and texts. C++11.
#ifndef HOST_TILING_H
#define HOST_TILING_H

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace host_tiling {

// A shape, outermost dimension first. In shape inference an extent, or the whole rank, may be unknown.
using Dims = std::vector<int64_t>;

constexpr int64_t kUnknownDim = -1;
constexpr int64_t kUnknownRank = -2;

// How a kernel is launched, beside its tiling data.
struct Launch {
    uint64_t tilingKey;
    uint32_t blockDim;
    size_t workspaceBytes;
};

// Why an op cannot be run, as printf writes it. Functions that may refuse return this, or an empty text.
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
