// A blocked matrix product. B is widened into panels as wide as the registers of one row of sums, A into rows (or
// columns) as it lies; the innermost block keeps its sums in registers. This file is compiled with fused multiply-adds:
// the cube unit does not round between the two either.
#include "gemm.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "vector/half_lanes.h"
#include "rounding.h"

namespace sim {
namespace {

constexpr int64_t kDepth = 256;    // of one pass over K: a panel of B stays in the first-level cache
constexpr int64_t kRowsOfA = 192;  // of one block of A: with kColsOfB in the second-level cache
constexpr int64_t kColsOfB = 512;
constexpr int64_t kMostLanes = 16;  // floats of the widest register

// sums[i, j] for a block of rows and two registers of columns. a[i * aRow + k * aStep], panel[k * 2 * kLanes + j].
struct Tile {
    const float* a;
    int64_t aRow;
    int64_t aStep;
    const float* panel;
    int64_t depth;
    float* c;
    int64_t cRow;
    int64_t columns;  // of the panel's, those that count
    bool add;
};

template <int kLanes, int kRows>
inline __attribute__((always_inline)) void Multiply(const Tile& tile) {
    typedef float Lanes __attribute__((vector_size(sizeof(float) * kLanes)));
    typedef float Unaligned __attribute__((vector_size(sizeof(float) * kLanes), aligned(4), may_alias));
    Lanes sums[kRows][2] = {};
    const float* a = tile.a;
    const float* b = tile.panel;
    for (int64_t k = 0; k < tile.depth; ++k) {
        const Lanes b0 = *reinterpret_cast<const Unaligned*>(b);
        const Lanes b1 = *reinterpret_cast<const Unaligned*>(b + kLanes);
#pragma GCC unroll 16
        for (int i = 0; i < kRows; ++i) {
            const float value = a[i * tile.aRow];
            sums[i][0] += b0 * value;
            sums[i][1] += b1 * value;
        }
        a += tile.aStep;
        b += 2 * kLanes;
    }
    if (tile.columns == 2 * kLanes) {
#pragma GCC unroll 16
        for (int i = 0; i < kRows; ++i) {
            for (int half = 0; half < 2; ++half) {
                Unaligned* c = reinterpret_cast<Unaligned*>(tile.c + i * tile.cRow + half * kLanes);
                *c = tile.add ? *c + sums[i][half] : sums[i][half];
            }
        }
        return;
    }
    float row[2 * kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
        std::memcpy(row, sums[i], sizeof(row));
        float* c = tile.c + i * tile.cRow;
        for (int64_t j = 0; j < tile.columns; ++j) {
            c[j] = tile.add ? c[j] + row[j] : row[j];
        }
    }
}

template <int kLanes, int kMost>
inline __attribute__((always_inline)) void MultiplyRows(const Tile& tile, int64_t rows) {
    static_assert(kMost <= 8, "a case per number of rows");
    switch (rows) {
        case 1:
            return Multiply<kLanes, 1>(tile);
        case 2:
            return Multiply<kLanes, 2>(tile);
        case 3:
            return Multiply<kLanes, 3>(tile);
        case 4:
            return Multiply<kLanes, 4>(tile);
        case 5:
            return Multiply<kLanes, 5>(tile);
        case 6:
            return Multiply<kLanes, 6>(tile);
        case 7:
            return Multiply<kLanes, std::min(kMost, 7)>(tile);
        default:
            return Multiply<kLanes, kMost>(tile);
    }
}

// One machine's innermost block: how wide it is, how many rows it takes at once.
struct MicroKernel {
    int lanes;
    int rows;
    void (*run)(const Tile&, int64_t rows);
};

// Sixteen registers of eight floats: twelve sums, two of B, one of A. Other machines get what their compiler makes of
// it.
void RunEight(const Tile& tile, int64_t rows) { MultiplyRows<8, 6>(tile, rows); }

// OPFORGE_GEMM_NARROW is for tests of the other block on machines that have this one.
#if defined(__x86_64__) && !defined(OPFORGE_GEMM_NARROW)
__attribute__((target("avx512f,fma"))) void RunSixteen(const Tile& tile, int64_t rows) {
    MultiplyRows<16, 8>(tile, rows);
}
#endif

const MicroKernel& Best() {
    static const MicroKernel best = [] {
#if defined(__x86_64__) && !defined(OPFORGE_GEMM_NARROW)
        if (__builtin_cpu_supports("avx512f") != 0) {
            return MicroKernel{16, 8, RunSixteen};
        }
#endif
        return MicroKernel{8, 6, RunEight};
    }();
    return best;
}

uint32_t BytesPerElement(Dtype type) { return type == Dtype::kFloat ? 4 : type == Dtype::kInt8 ? 1 : 2; }

const void* At(const GemmOperand& operand, int64_t row, int64_t column) {
    return static_cast<const uint8_t*>(operand.data) +
           (row * operand.stride + column) * static_cast<int64_t>(BytesPerElement(operand.type));
}

// `count` values of a row from (row, column), as the cube unit multiplies them.
void WidenOperand(const GemmOperand& operand, int64_t row, int64_t column, int64_t count, float* to) {
    WidenRow(At(operand, row, column), operand.type, count, to);
    if (operand.hf32 != Hf32::kOff && operand.type == Dtype::kFloat) {
        RoundToHf32(to, count, operand.hf32);
    }
}

// rows x columns of the matrix as it lies, from (row, column), widened to `to` with `pitch` floats a row.
void Widen(const GemmOperand& operand, int64_t row, int64_t column, int64_t rows, int64_t columns, float* to,
           int64_t pitch) {
    for (int64_t i = 0; i < rows; ++i) {
        WidenOperand(operand, row + i, column, columns, to + i * pitch);
    }
}

// depth x width of op(B) from (k, column) as one panel of `lanes` columns, the missing ones 0.
void PackPanel(const GemmOperand& b, int64_t k, int64_t column, int64_t depth, int64_t width, int64_t lanes,
               float* panel) {
    if (!b.transposed) {
        Widen(b, k, column, depth, width, panel, lanes);
        for (int64_t i = 0; width < lanes && i < depth; ++i) {
            std::fill(panel + i * lanes + width, panel + (i + 1) * lanes, 0.0f);
        }
        return;
    }
    // columns of B lie as rows: eight at a time, so that what is written together lies together
    constexpr int64_t kTogether = 8;
    float rows[kTogether][kDepth];
    for (int64_t first = 0; first < lanes; first += kTogether) {
        for (int64_t j = 0; j < kTogether; ++j) {
            if (first + j < width) {
                WidenOperand(b, column + first + j, k, depth, rows[j]);
            } else {
                std::fill(rows[j], rows[j] + depth, 0.0f);
            }
        }
        for (int64_t i = 0; i < depth; ++i) {
            float* to = panel + i * lanes + first;
            for (int64_t j = 0; j < kTogether; ++j) {
                to[j] = rows[j][i];
            }
        }
    }
}

// Memory of this thread, 64-byte aligned.
class Scratch {
public:
    float* Take(int64_t floats) {
        if (floats > floats_) {
            memory_.reset(
                static_cast<float*>(std::aligned_alloc(64, (static_cast<size_t>(floats) * 4 + 63) / 64 * 64)));
            floats_ = floats;
        }
        return memory_.get();
    }

private:
    struct Release {
        void operator()(float* memory) const { std::free(memory); }
    };
    std::unique_ptr<float[], Release> memory_;
    int64_t floats_ = 0;
};

thread_local Scratch scratchA, scratchB;

}  // namespace

void RoundToHf32(float* values, int64_t count, Hf32 ties) {
    constexpr uint32_t kDropped = 0xFFF;  // 12 of 23 bits
    constexpr uint32_t kHalf = 0x800;
    for (int64_t i = 0; i < count; ++i) {
        uint32_t bits;
        std::memcpy(&bits, values + i, sizeof(bits));
        if ((bits & 0x7F800000) == 0x7F800000) {
            continue;
        }
        const uint32_t rest = bits & kDropped;
        const bool odd = (bits & (kDropped + 1)) != 0;
        const bool up =
            rest > kHalf || (rest == kHalf && (ties == Hf32::kAwayFromZero || (ties == Hf32::kEven && odd)));
        bits = (bits & ~kDropped) + (up ? kDropped + 1 : 0);
        std::memcpy(values + i, &bits, sizeof(bits));
    }
}

void WidenRow(const void* from, Dtype type, int64_t count, float* to) {
    if (type == Dtype::kFloat) {
        std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
    } else if (type == Dtype::kHalf) {
        HalfToFloat(static_cast<const uint16_t*>(from), to, static_cast<size_t>(count));
    } else {
        const uint16_t* bits = static_cast<const uint16_t*>(from);
        for (int64_t i = 0; i < count; ++i) {
            to[i] = BfloatValue(bits[i]);
        }
    }
}

void Gemm(int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b, bool accumulate, float* c,
          int64_t stride) {
    if (m <= 0 || n <= 0) {
        return;
    }
    if (k <= 0) {
        for (int64_t i = 0; !accumulate && i < m; ++i) {
            std::fill(c + i * stride, c + i * stride + n, 0.0f);
        }
        return;
    }
    const MicroKernel& kernel = Best();
    const int64_t wide = 2 * kernel.lanes;
    static_assert(kColsOfB % (2 * kMostLanes) == 0, "whole panels");
    float* packedB = scratchB.Take(kDepth * std::min(kColsOfB, RoundUp(n, wide)));
    float* packedA = scratchA.Take(kDepth * std::min(kRowsOfA, m));
    for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
        const int64_t depth = std::min(kDepth, k - k0);
        for (int64_t n0 = 0; n0 < n; n0 += kColsOfB) {
            const int64_t columns = std::min(kColsOfB, n - n0);
            for (int64_t j = 0; j < columns; j += wide) {
                PackPanel(b, k0, n0 + j, depth, std::min(wide, columns - j), wide, packedB + j * depth);
            }
            for (int64_t m0 = 0; m0 < m; m0 += kRowsOfA) {
                const int64_t rows = std::min(kRowsOfA, m - m0);
                if (a.transposed) {
                    Widen(a, k0, m0, depth, rows, packedA, rows);
                } else {
                    Widen(a, m0, k0, rows, depth, packedA, depth);
                }
                const int64_t aRow = a.transposed ? 1 : depth;
                const int64_t aStep = a.transposed ? rows : 1;
                for (int64_t j = 0; j < columns; j += wide) {
                    for (int64_t i = 0; i < rows; i += kernel.rows) {
                        const Tile tile{packedA + i * aRow,
                                        aRow,
                                        aStep,
                                        packedB + j * depth,
                                        depth,
                                        c + (m0 + i) * stride + n0 + j,
                                        stride,
                                        std::min(wide, columns - j),
                                        accumulate || k0 > 0};
                        kernel.run(tile, std::min<int64_t>(kernel.rows, rows - i));
                    }
                }
            }
        }
    }
}

void GemmIntegers(int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b, bool accumulate,
                  int32_t* c, int64_t stride) {
    const int8_t* left = static_cast<const int8_t*>(a.data);
    const int8_t* right = static_cast<const int8_t*>(b.data);
    // both by rows along k
    const auto rows = [k](const int8_t* from, int64_t count, int64_t step, bool across) {
        std::vector<int8_t> packed(static_cast<size_t>(count * k));
        for (int64_t i = 0; i < count; ++i) {
            for (int64_t x = 0; x < k; ++x) {
                packed[static_cast<size_t>(i * k + x)] = across ? from[x * step + i] : from[i * step + x];
            }
        }
        return packed;
    };
    const std::vector<int8_t> byRow = rows(left, m, a.stride, a.transposed);
    const std::vector<int8_t> byColumn = rows(right, n, b.stride, !b.transposed);
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            int64_t sum = accumulate ? c[i * stride + j] : 0;
            const int8_t* x = byRow.data() + i * k;
            const int8_t* y = byColumn.data() + j * k;
            for (int64_t done = 0; done < k; done += kDepth) {
                int32_t part = 0;
                for (int64_t t = done; t < std::min(k, done + kDepth); ++t) {
                    part += int32_t{x[t]} * int32_t{y[t]};
                }
                sum += part;
            }
            c[i * stride + j] = static_cast<int32_t>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
        }
    }
}

namespace {

float Combined(Combine combine, float old, float value) {
    switch (combine) {
        case Combine::kAdd:
            return old + value;
        case Combine::kMax:
            return std::max(old, value);
        case Combine::kMin:
            return std::min(old, value);
        case Combine::kReplace:
            break;
    }
    return value;
}

void Narrow(const float* from, int64_t count, Dtype type, void* to) {
    if (type == Dtype::kFloat) {
        std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
    } else if (type == Dtype::kHalf) {
        FloatToHalf(from, static_cast<uint16_t*>(to), static_cast<size_t>(count));
    } else {
        uint16_t* bits = static_cast<uint16_t*>(to);
        for (int64_t i = 0; i < count; ++i) {
            bits[i] = BfloatBits(from[i]);
        }
    }
}

}  // namespace

void StoreSums(const float* from, int64_t count, Dtype type, Combine combine, void* to) {
    if (combine == Combine::kReplace) {
        return Narrow(from, count, type, to);
    }
    // an atomic write rounds the sum to the output's type first, and the result of the operation again
    constexpr int64_t kChunk = 64;
    uint32_t rounded[kChunk];
    float value[kChunk], old[kChunk];
    for (int64_t done = 0; done < count; done += kChunk) {
        const int64_t now = std::min(kChunk, count - done);
        uint8_t* place = static_cast<uint8_t*>(to) + done * static_cast<int64_t>(BytesPerElement(type));
        Narrow(from + done, now, type, rounded);
        WidenRow(rounded, type, now, value);
        WidenRow(place, type, now, old);
        for (int64_t i = 0; i < now; ++i) {
            value[i] = Combined(combine, old[i], value[i]);
        }
        Narrow(value, now, type, place);
    }
}

}  // namespace sim
