// TopK: the k largest or smallest of each row.
// Documentation: 高阶API/排序操作/TopK
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "vector/half_lanes.h"
#include "vector/instruction.h"
#include "rounding.h"
#include "sim/index.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

#define TOPK_PAGE "高阶API/排序操作/TopK"

constexpr Rule kInner = {"topk-inner", "inner is a multiple of 32: at most 4096, 32 with TOPK_NSMALL", TOPK_PAGE};
constexpr Rule kLength = {"topk-length", "1 <= k <= n <= inner", TOPK_PAGE};
constexpr Rule kTiling = {"topk-tiling", "the tiling is that of TopKTilingFunc for the same inner and outter",
                          TOPK_PAGE "-Tiling"};
constexpr Rule kRoom = {"topk-room",
                        "tmpLocal, or what TPipe has not given out, has at least the bytes of GetTopKMaxMinTmpSize",
                        TOPK_PAGE "-Tiling"};
constexpr Rule kValues = {"topk-undefined", "values decide the order, padding too: each has been written", TOPK_PAGE};
constexpr Rule kFinish = {"topk-finish", "finishLocal decides what is written: each of its values has been written",
                          TOPK_PAGE};
constexpr Rule kApart = {"topk-apart", "source and destination do not share memory", TOPK_PAGE};

}  // namespace

void TopK(const VectorCall& call, Dtype type, const TopKArgs& args) {
    Instruction in(call);
    Core& core = in.On();
    const uint64_t bytes = type == Dtype::kHalf ? 2 : 4;
    if (args.inner < 32 || args.inner % 32 != 0 || args.inner > (args.small ? 32 : 4096) || args.outer < 1) {
        Fail(in.Where(), kInner, "inner is %d, outter %d", args.inner, args.outer);
    }
    if (args.k < 1 || args.k > args.n || args.n > args.inner) {
        Fail(in.Where(), kLength, "k is %d, n %d, inner %d", args.k, args.n, args.inner);
    }
    if (args.tiled != args.inner * args.outer) {
        Fail(in.Where(), kTiling, "the tiling is for %d elements, the call has %d", args.tiled,
             args.inner * args.outer);
    }
    const uint64_t rows = static_cast<uint64_t>(args.outer);
    const uint64_t inner = static_cast<uint64_t>(args.inner);
    const uint64_t k = static_cast<uint64_t>(args.k);
    const uint64_t valueStep = args.small ? k : RoundUp(k, 32 / bytes);
    const uint64_t indexStep = args.small ? k : RoundUp(k, 8);
    const Ub room = args.tmp != nullptr ? *args.tmp : core.memory.buffers.Left(AscendC::TPosition::VECCALC);
    const uint64_t need = static_cast<uint64_t>(args.tiledRoom) * bytes;
    if (room.addr + need > room.end) {
        Fail(in.Where(), kRoom, "%" PRIu64 " bytes are needed, %u are there", need, BytesLeft(room));
    }
    in.Reads("srcLocal", args.src, rows * inner * bytes);
    if (args.srcIndex != nullptr) {
        in.Reads("srcIndexLocal", *args.srcIndex, (args.small ? rows : 1) * inner * 4);
    }
    if (args.finish != nullptr) {
        in.Reads("finishLocal", *args.finish, rows);
    }
    in.Writes("dstValueLocal", args.value, (rows - 1) * valueStep * bytes + k * bytes);
    in.Writes("dstIndexLocal", args.index, (rows - 1) * indexStep * 4 + k * 4);
    in.Scratch("tmpLocal", room, need);
    const uint64_t srcEnd = args.src.addr + rows * inner * bytes;
    const uint64_t valueEnd = args.value.addr + rows * valueStep * bytes;
    if (args.value.addr < srcEnd && args.src.addr < valueEnd) {
        Fail(in.Where(), kApart, "dstValueLocal covers UB addresses %u to %" PRIu64 ", srcLocal %u to %" PRIu64,
             args.value.addr, valueEnd, args.src.addr, srcEnd);
    }
    in.Issue(rows * k);
    in.Require("srcLocal", args.src, rows * inner, static_cast<uint32_t>(bytes), kValues);
    if (args.finish != nullptr) {
        in.Require("finishLocal", *args.finish, rows, 1, kFinish);
    }
    std::vector<float> scores(inner);
    std::vector<uint32_t> order(inner);
    for (uint64_t row = 0; row < rows; ++row) {
        const uint8_t* from = core.UbData(args.src.addr) + row * inner * bytes;
        for (uint64_t i = 0; i < inner; ++i) {
            if (type == Dtype::kHalf) {
                uint16_t value;
                std::memcpy(&value, from + i * 2, 2);
                scores[i] = HalfValue(value);
            } else {
                std::memcpy(&scores[i], from + i * 4, 4);
            }
            // the smallest are the largest of the negated ones; a NaN stays in front
            scores[i] = args.largest ? scores[i] : -scores[i];
        }
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            const bool nanA = std::isnan(scores[a]);
            const bool nanB = std::isnan(scores[b]);
            return nanA || nanB ? nanA && !nanB : scores[a] > scores[b];
        });
        const bool finished = args.finish != nullptr && core.UbData(args.finish->addr)[row] != 0;
        for (uint64_t i = 0; i < k; ++i) {
            const uint64_t value = (row * valueStep + i) * bytes;
            const uint64_t index = (row * indexStep + i) * 4;
            std::memcpy(core.UbData(args.value.addr) + value, from + order[i] * bytes, bytes);
            in.Define(args.value, bytes, value);
            const uint64_t source = ((args.small ? row * inner : 0) + order[i]) * 4;
            uint32_t result = order[i];
            if (args.srcIndex != nullptr) {
                std::memcpy(&result, core.UbData(args.srcIndex->addr) + source, 4);
            }
            const bool known = finished || args.srcIndex == nullptr || in.Known(*args.srcIndex, source, 4);
            result = finished ? static_cast<uint32_t>(args.n) : result;
            std::memcpy(core.UbData(args.index.addr) + index, &result, 4);
            in.Define(args.index, 4, index, known);
        }
    }
}

}  // namespace sim
