// Reductions, broadcasts and running sums of matrices. Pages: SIMD-API/高阶API/归约操作, 张量变换/Broadcast,
// 数学计算/CumSum接口
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>

#include "adv_call.h"
#include "sim_adv_row_rooms.h"

namespace sim {
namespace {

// Neighbours are added two by two, and their sums again, as the page of Sum has it; each sum is rounded to float.
double PairedSum(std::vector<double>& values) {
    for (size_t n = values.size(); n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; i < n / 2; ++i) {
            values[i] = static_cast<double>(static_cast<float>(values[2 * i] + values[2 * i + 1]));
        }
        if (n % 2 != 0) {
            values[n / 2] = values[n - 1];
        }
    }
    return values.empty() ? 0.0 : values[0];
}

double Reduced(AdvReduceOp op, std::vector<double>& values) {
    switch (op) {
        case AdvReduceOp::kSum:
            return PairedSum(values);
        case AdvReduceOp::kMean: {
            const double count = static_cast<double>(values.size());
            return PairedSum(values) / count;
        }
        case AdvReduceOp::kMax:
            return *std::max_element(values.begin(), values.end());
        case AdvReduceOp::kMin:
            return *std::min_element(values.begin(), values.end());
        case AdvReduceOp::kProd: {
            float product = 1.0f;
            for (const double value : values) {
                product *= static_cast<float>(value);
            }
            return static_cast<double>(product);
        }
        case AdvReduceOp::kAll:
            return std::all_of(values.begin(), values.end(), [](double value) { return value != 0.0; }) ? 1.0 : 0.0;
        default:
            return std::any_of(values.begin(), values.end(), [](double value) { return value != 0.0; }) ? 1.0 : 0.0;
    }
}

uint64_t RoomOf(const char* function, const ReduceOperands& x) {
    typedef sim_adv_reduce_kind Kind;
    const uint32_t element = BytesOf(x.type);
    if (std::strcmp(function, "Sum") == 0) {
        return sim_adv_sum(x.used, element);
    }
    if (std::strcmp(function, "Mean") == 0) {
        return sim_adv_mean(x.used, element, element);
    }
    if (x.columns) {
        return sim_adv_reduce_columns(x.rows, x.used, element, x.reuse).least;
    }
    const Kind kind = x.op == AdvReduceOp::kSum || x.op == AdvReduceOp::kMean  ? Kind::sum
                      : x.op == AdvReduceOp::kProd                             ? Kind::product
                      : x.op == AdvReduceOp::kMax || x.op == AdvReduceOp::kMin ? Kind::extreme
                                                                               : Kind::truth;
    return sim_adv_reduce_rows(kind, x.rows, x.used, x.reuse).least;
}

}  // namespace

void ReduceMatrix(const VectorCall& call, const ReduceOperands& x) {
    const uint32_t element = BytesOf(x.type);
    AdvCall adv(call);
    if (x.rows == 0 || x.used == 0 || x.used > x.stride || x.stride * element % 32 != 0) {
        adv.Refuse("there is a row and a column, and the rows are multiples of 32 bytes apart",
                   "%" PRIu64 " rows of %" PRIu64 " elements, %" PRIu64 " apart", x.rows, x.used, x.stride);
    }
    const uint64_t results = x.columns ? x.used : x.rows;
    uint8_t* dst = adv.Writes("dst", x.dst, results * element);
    const uint8_t* src = adv.Reads("src", x.src, ((x.rows - 1) * x.stride + x.used) * element);
    adv.KeepApart(false);
    const uint64_t room = RoomOf(call.api, x);
    adv.Uses(x.room, room, room);
    Instruction& in = adv.Begin(x.rows * x.used);
    adv.Require("src", x.src, x.rows, x.stride, x.used, x.type);
    std::vector<double> values;
    for (uint64_t i = 0; i < results; ++i) {
        values.resize(x.columns ? x.rows : x.used);
        if (x.columns) {
            for (uint64_t row = 0; row < x.rows; ++row) {
                LoadValues(x.type, src + (row * x.stride + i) * element, 1, &values[row]);
            }
        } else {
            LoadValues(x.type, src + i * x.stride * element, x.used, values.data());
        }
        const double result = Reduced(x.op, values);
        StoreValues(x.type, &result, 1, dst + i * element);
    }
    in.Define(x.dst, results * element);
}

void ReduceXor(const VectorCall& call, const Ub& dst, const Ub& src0, const Ub& src1, const Ub* room, uint64_t count) {
    const uint64_t bytes = count * sizeof(int16_t);
    AdvCall adv(call);
    uint8_t* z = adv.Writes("dst", dst, sizeof(int16_t));
    const uint8_t* a = adv.Reads("src0", src0, bytes);
    const uint8_t* b = adv.Reads("src1", src1, bytes);
    adv.KeepApart(false);
    // A smaller count than the host's shape may have needs less.
    const sim_adv_sizes sizes = sim_adv_xor_sum(count, true);
    adv.Uses(room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(count);
    adv.Require("src0", src0, 1, count, count, Dtype::kInt16);
    adv.Require("src1", src1, 1, count, count, Dtype::kInt16);
    int64_t sum = 0;
    for (uint64_t i = 0; i < count; ++i) {
        int16_t x = 0;
        int16_t y = 0;
        std::memcpy(&x, a + i * 2, 2);
        std::memcpy(&y, b + i * 2, 2);
        sum += static_cast<int16_t>(x ^ y);
    }
    const int16_t result = static_cast<int16_t>(std::clamp<int64_t>(sum, INT16_MIN, INT16_MAX));
    std::memcpy(z, &result, 2);
    in.Define(dst, sizeof(result));
}

constexpr DeviceRule kRowInPlace = {
    {"broadcast-in-place", "the function's source and destination do not overlap", "通用说明和约束, 通用地址重叠约束"},
    "a row that is repeated from where it stands is written over by itself",
    "asc-devkit 82b89a1, impl/adv_api/detail/pad/broadcast/broadcast_common_utils.h:136; ops-nn e5c3fa93, "
    "norm/rms_norm/op_kernel/rms_norm_merge_n.h:158"};

void BroadcastMatrix(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, const uint32_t* to,
                     const uint32_t* from, uint32_t rank, uint32_t axis, const Ub* room) {
    const uint32_t element = BytesOf(type);
    const uint64_t m = rank == 1 ? 1 : to[0];
    const uint64_t k = to[rank - 1];
    const uint64_t fromM = rank == 1 ? 1 : from[0];
    const uint64_t fromK = from[rank - 1];
    AdvCall adv(call);
    const bool copied = fromM == m && fromK == k;
    const bool fits = rank == 1 || axis == 1 ? fromM == m && fromK == 1 : fromM == 1 && fromK == k;
    if (!fits && !copied) {
        adv.Refuse("srcShape is dstShape but for 1 on the axis",
                   "[%" PRIu64 ", %" PRIu64 "] to [%" PRIu64 ", %" PRIu64 "] on axis %u", fromM, fromK, m, k, axis);
    }
    if (rank == 2 && axis == 0 && fromK * element % 32 != 0) {
        adv.Refuse("of two dimensions the second of srcShape is a multiple of 32 bytes on axis 0",
                   "%" PRIu64 " elements of %u bytes", fromK, element);
    }
    uint8_t* z = adv.Writes("dst", dst, m * k * element);
    const uint8_t* x = adv.Reads("src", src, fromM * fromK * element);
    if (rank == 2 && axis == 0) {
        adv.KeepApart(kRowInPlace);
    } else {
        adv.KeepApart(false);
    }
    const sim_adv_sizes sizes = sim_adv_broadcast(fromM * fromK, m, k, rank == 1 || axis == 1, element, adv.OnM200());
    adv.Uses(room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(m * k);
    for (uint64_t row = 0; row < m; ++row) {
        for (uint64_t column = 0; column < k; ++column) {
            const uint64_t place = (fromM == 1 ? 0 : row) * fromK + (fromK == 1 ? 0 : column);
            const uint64_t result = row * k + column;
            std::memcpy(z + result * element, x + place * element, element);
            in.DefineAs(dst, element, result * element, in.OriginOf(src, place * element, element));
        }
    }
}

void SelectByBytes(const VectorCall& call, const BytesMask& x) {
    const uint32_t element = BytesOf(x.type);
    const uint32_t maskElement = BytesOf(x.mask);
    AdvCall adv(call);
    if (x.columns > x.maskColumns || x.columns * element % 32 != 0 || x.maskColumns * maskElement % 32 != 0 ||
        x.maskColumns % 16 != 0) {
        adv.Refuse("rows of source and mask are multiples of 32 bytes, the mask's of 16 elements and not the shorter",
                   "srcLastAxis is %u and maskLastAxis %u", x.columns, x.maskColumns);
    }
    uint8_t* dst = adv.Writes("dst", x.dst, uint64_t{x.rows} * x.columns * element);
    const uint8_t* src = adv.Reads("src", x.src, uint64_t{x.rows} * x.columns * element);
    const uint8_t* masks = adv.Reads("mask", x.masks, uint64_t{x.rows} * x.maskColumns * maskElement);
    adv.KeepApart(true);
    const sim_adv_sizes sizes = sim_adv_select(x.rows, x.columns, x.maskColumns, x.reuse);
    adv.Uses(&x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(uint64_t{x.rows} * x.columns);
    adv.Require("mask", x.masks, x.rows, x.maskColumns, x.columns, x.mask);
    for (uint32_t row = 0; row < x.rows; ++row) {
        for (uint32_t column = 0; column < x.columns; ++column) {
            double mask = 0.0;
            LoadValues(x.mask, masks + (uint64_t{row} * x.maskColumns + column) * maskElement, 1, &mask);
            const uint64_t place = (uint64_t{row} * x.columns + column) * element;
            const bool tensor = (mask == 0.0) == x.tensorFirst;
            if (tensor) {
                std::memmove(dst + place, src + place, element);
            } else {
                std::memcpy(dst + place, &x.scalar, element);
            }
            in.Define(x.dst, element, place, !tensor || in.Known(x.src, place, element));
        }
    }
}

void CumulativeSum(const VectorCall& call, Dtype type, bool lastAxis, const Ub& dst, const Ub* lastRow, const Ub& src,
                   const Ub* room, uint32_t rows, uint32_t columns) {
    const uint32_t element = BytesOf(type);
    AdvCall adv(call);
    if (rows == 0 || columns == 0 || columns * element % 32 != 0) {
        adv.Refuse("outter and inner are not 0, and inner elements are a multiple of 32 bytes",
                   "outter is %u and inner %u", rows, columns);
    }
    const uint64_t bytes = uint64_t{rows} * columns * element;
    uint8_t* z = adv.Writes("dst", dst, bytes);
    uint8_t* last = lastRow == nullptr ? nullptr : adv.Writes("lastRow", *lastRow, uint64_t{columns} * element);
    const uint8_t* x = adv.Reads("src", src, bytes);
    adv.KeepApart(false);
    const sim_adv_sizes sizes = sim_adv_cumulative(rows, columns, element, lastAxis);
    adv.Uses(room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(uint64_t{rows} * columns);
    adv.Require("src", src, rows, columns, columns, type);
    std::vector<double> sums(std::max(rows, columns));
    std::vector<double> line(columns);
    for (uint32_t row = 0; row < rows; ++row) {
        LoadValues(type, x + uint64_t{row} * columns * element, columns, line.data());
        for (uint32_t column = 0; column < columns; ++column) {
            double& sum = sums[lastAxis ? row : column];
            sum = static_cast<double>(static_cast<float>(sum + line[column]));
            line[column] = sum;
        }
        StoreValues(type, line.data(), columns, z + uint64_t{row} * columns * element);
    }
    in.Define(dst, bytes);
    if (last != nullptr) {
        StoreValues(type, line.data(), columns, last);
        in.Define(*lastRow, uint64_t{columns} * element);
    }
}

}  // namespace sim
