// Transpose and TransDataTo5HD.
// Documentation: 基础API/Memory矢量计算/数据排布转换
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "arithmetic.h"
#include "instruction.h"
#include "kernel_operator_vec_transpose_intf.h"
#include "sim/index.h"

namespace sim {
namespace {

#define TRANSPOSE_PAGE "基础API/Memory矢量计算/数据排布转换/Transpose"

constexpr Rule kPlane = {"transpose-plane",
                         "hSize * wSize is at most 4095 and fills whole blocks of 32 bytes; cSize is at most 4095",
                         TRANSPOSE_PAGE};
constexpr Rule kApart = {"transpose-apart",
                         "src and dst of TRANSPOSE_NCHW2NHWC and TRANSPOSE_NHWC2NCHW do not share memory",
                         TRANSPOSE_PAGE};

constexpr Rule kB16 = {"transpose-b16", "TRANSPOSE_ND2ND_B16 is for uint16_t", TRANSPOSE_PAGE};
constexpr Rule kType = {"transpose-type",
                        "transposeType is TRANSPOSE_TYPE_NONE, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC or "
                        "TRANSPOSE_NHWC2NCHW",
                        TRANSPOSE_PAGE};

constexpr Rule kTo5HdTypes = {
    "to-5hd-types", "TransDataTo5HD is there for int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t and float",
    "基础API/Memory矢量计算/数据排布转换/TransDataTo5HD"};

constexpr uint32_t kBlockBytes = 32;

// Element i of dst is element order(i) of src, with what is known about its bytes.
template <typename Order>
void Reorder(const Instruction& in, uint32_t element, const Ub& dst, const Ub& src, uint64_t count, Order order) {
    const auto move = [&](uint8_t* to, const uint8_t* from) {
        const std::vector<uint8_t> old(from, from + count * element);  // dst may be src
        for (uint64_t i = 0; i < count; ++i) {
            std::memcpy(to + i * element, old.data() + order(i) * element, element);
        }
    };
    move(in.On().UbData(dst.addr), in.On().UbData(src.addr));
    if (in.On().Checks()) {
        move(in.On().memory.shadow.Defined(dst.addr), in.On().memory.shadow.Defined(src.addr));
        if (in.On().memory.shadow.HasOrigins()) {
            move(in.On().memory.shadow.OriginAt(dst.addr), in.On().memory.shadow.OriginAt(src.addr));
        }
    }
}

}  // namespace

void Transpose16(const VectorCall& call, const Ub& dst, const Ub& src) {
    Instruction in(call);
    in.Reads("src", src, 512);
    in.Writes("dst", dst, 512);
    in.Issue(256);
    Reorder(in, 2, dst, src, 256, [](uint64_t i) { return i % 16 * 16 + i / 16; });
}

namespace {

// [n, c, hw] to [n, hw, c], or back.
void TransposeChannels(Instruction& in, uint32_t element, const Ub& dst, const Ub& src, const Ub* tmp, uint32_t n,
                       uint32_t c, uint32_t hw, bool toLast) {
    if (hw > 4095 || c > 4095 || hw * element % kBlockBytes != 0) {
        Fail(in.Where(), kPlane, "cSize is %u, hSize * wSize is %u of %u bytes", c, hw, element);
    }
    const uint64_t count = static_cast<uint64_t>(n) * c * hw;
    if (count == 0) {
        return;  // documented as no operation
    }
    const uint64_t bytes = count * element;
    in.Reads("src", src, bytes);
    in.Writes("dst", dst, bytes);
    if (src.addr < dst.addr + bytes && dst.addr < src.addr + bytes) {
        Fail(in.Where(), kApart, "dst covers UB addresses %u to %" PRIu64 ", src %u to %" PRIu64, dst.addr,
             dst.addr + bytes, src.addr, src.addr + bytes);
    }
    if (tmp != nullptr) {
        const uint64_t tile = (element == 1 ? 32 : 16) * kBlockBytes;  // 16 or 32 rows of a block
        in.Scratch("sharedTmpBuffer", *tmp, (toLast ? c + 2 : 2 * c + 1) * tile);
    }
    in.Issue(count);
    // [n, c, hw] from [n, hw, c] is the same with the two lengths exchanged
    const uint64_t inner = toLast ? c : hw;
    const uint64_t outer = toLast ? hw : c;
    Reorder(in, element, dst, src, count, [=](uint64_t i) {
        const uint64_t plane = i / (inner * outer) * (inner * outer);
        const uint64_t within = i % (inner * outer);
        return plane + within % inner * outer + within / inner;
    });
}

}  // namespace

void TransposeBy(const VectorCall& call, uint32_t type, Dtype dtype, const Ub& dst, const Ub& src, const Ub* tmp,
                 uint32_t n, uint32_t c, uint32_t hw) {
    using AscendC::TransposeType;
    switch (static_cast<TransposeType>(type)) {
        case TransposeType::TRANSPOSE_TYPE_NONE:
            return;  // documented: nothing is done
        case TransposeType::TRANSPOSE_ND2ND_B16:
            if (dtype != Dtype::kUint16) {
                Fail({call.api, call.site}, kB16, "the data type is %s", Name(dtype));
            }
            return Transpose16(call, dst, src);
        case TransposeType::TRANSPOSE_NCHW2NHWC:
        case TransposeType::TRANSPOSE_NHWC2NCHW: {
            Instruction in(call);
            return TransposeChannels(in, BytesOf(dtype), dst, src, tmp, n, c, hw,
                                     static_cast<TransposeType>(type) == TransposeType::TRANSPOSE_NCHW2NHWC);
        }
        default:
            Fail({call.api, call.site}, kType, "transposeType is %u", type);
    }
}

void TransDataTo5Hd(const VectorCall& call, const To5HdArgs& args) {
    Instruction in(call);
    if (args.element == 0) {
        Fail({call.api, call.site}, kTo5HdTypes, "the lists of addresses are of another data type");
    }
    if (args.times == 0) {
        return;  // documented as no operation
    }
    // documented: a single repeat starts a stride behind the lists' addresses
    const uint64_t skip = args.times == 1 ? 1 : 0;
    static constexpr const char* kSources[] = {"src[0]",  "src[1]",  "src[2]",  "src[3]", "src[4]",  "src[5]",
                                               "src[6]",  "src[7]",  "src[8]",  "src[9]", "src[10]", "src[11]",
                                               "src[12]", "src[13]", "src[14]", "src[15]"};
    static constexpr const char* kDestinations[] = {"dst[0]",  "dst[1]",  "dst[2]",  "dst[3]", "dst[4]",  "dst[5]",
                                                    "dst[6]",  "dst[7]",  "dst[8]",  "dst[9]", "dst[10]", "dst[11]",
                                                    "dst[12]", "dst[13]", "dst[14]", "dst[15]"};
    const auto at = [&](const Ub& place, uint64_t repeat, uint32_t stride) {
        Ub moved = place;
        moved.addr += static_cast<uint32_t>((repeat + skip) * stride * kBlockBytes);
        return moved;
    };
    for (uint64_t r = 0; r < args.times; ++r) {
        for (int i = 0; i < 16; ++i) {
            in.Reads(kSources[i], at(args.src[i], r, args.srcRepeat), kBlockBytes);
            in.Writes(kDestinations[i], at(args.dst[i], r, args.dstRepeat), kBlockBytes);
        }
    }
    in.Issue(args.times * 16ull * (args.element == 1 ? 16 : kBlockBytes / args.element));
    const auto move = [&](const auto& bytesAt) {
        for (uint64_t r = 0; r < args.times; ++r) {
            uint8_t rows[16][kBlockBytes];
            for (int i = 0; i < 16; ++i) {
                std::memcpy(rows[i], bytesAt(at(args.src[i], r, args.srcRepeat).addr), kBlockBytes);
            }
            for (uint32_t i = 0; i < 16; ++i) {
                uint8_t* to = bytesAt(at(args.dst[i], r, args.dstRepeat).addr);
                const uint32_t perBlock = args.element == 1 ? 16 : kBlockBytes / args.element;
                for (uint32_t j = 0; j < perBlock; ++j) {
                    // 4-byte elements: a column of 16 fills two destinations
                    const uint32_t column = args.element == 4 ? i / 2 : i;
                    const uint32_t row = args.element == 4 ? i % 2 * 8 + j : j;
                    const uint32_t from = args.element == 1 && args.srcHigh ? 16 + column : column;
                    const uint32_t into = args.element == 1 && args.dstHigh ? 16 + j : j;
                    std::memcpy(to + into * args.element, rows[row] + from * args.element, args.element);
                }
            }
        }
    };
    move([&](uint32_t addr) { return in.On().UbData(addr); });
    if (in.On().Checks()) {
        move([&](uint32_t addr) { return in.On().memory.shadow.Defined(addr); });
        if (in.On().memory.shadow.HasOrigins()) {
            move([&](uint32_t addr) { return in.On().memory.shadow.OriginAt(addr); });
        }
    }
}

}  // namespace sim
