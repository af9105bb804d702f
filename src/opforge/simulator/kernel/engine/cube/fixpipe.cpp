// Fixpipe: L0C to global memory or L1, converted, scaled and brought from fractals into rows on its way.
// Documentation: 基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>

#include "vector/arithmetic.h"
#include "gm.h"
#include "fixpipe_convert.h"
#include "report/call_chain.h"
#include "unit_flags.h"

namespace sim {
namespace {

#define OUT_PAGE(name) "基础API/矩阵计算（ISASI）/矩阵计算的搬出/" name
#define REGISTER_PAGE(name) "基础API/矩阵计算（ISASI）/矩阵搬出辅助配置接口/" name
constexpr Rule kSizes = {
    "fixpipe-range",
    "nSize is at most 4095, a multiple of 16 (8 with channel split) where fractals are written; mSize "
    "at most 8192 where rows are; dstStride is not 0",
    OUT_PAGE("Fixpipe（L0C到GM数据搬运）")};
constexpr Rule kUnitFlag = {"fixpipe-unit-flag", "unitFlag of Fixpipe is 0, 2 or 3, and 0 with channel split",
                            OUT_PAGE("Fixpipe（L0C到GM数据搬运）")};
constexpr Rule kSplit = {"fixpipe-split", "channel split is for float written as fractals",
                         OUT_PAGE("Fixpipe（L0C到GM数据搬运）")};
constexpr Rule kTypes = {"fixpipe-types", "quantPre says how L0C becomes the destination's type",
                         OUT_PAGE("Fixpipe（L0C到GM数据搬运）")};
constexpr Rule kDefined = {"fixpipe-undefined", "Fixpipe takes out of L0C what Mmad has computed of defined operands",
                           OUT_PAGE("Fixpipe（L0C到GM数据搬运）")};
constexpr Rule kMatrices = {"fixpipe-nz2nd", "a DataCopy with nz2ndEn needs SetFixpipeNz2ndFlag before it",
                            REGISTER_PAGE("SetFixpipeNz2ndFlag")};
constexpr Rule kScale = {"fixpipe-scale", "a DataCopy with a scalar quantPre needs SetFixpipePreQuantFlag before it",
                         REGISTER_PAGE("SetFixpipePreQuantFlag")};
constexpr Rule kScales = {"fixpipe-scales", "a vector quantPre takes its scales from cbufWorkspace or SetFixPipeConfig",
                          REGISTER_PAGE("SetFixPipeConfig")};

bool IsVector(uint32_t quant) { return quant == kVectorDeq || quant == kVectorToByte || quant == kVectorReq; }
bool IsScalar(uint32_t quant) { return quant == kDeq || quant == kToByte || quant == kReq; }

// The types that a mode converts between.
bool Fits(uint32_t quant, Dtype from, Dtype to) {
    const bool byte = to == Dtype::kInt8 || to == Dtype::kUint8;
    switch (quant) {
        case kNone:
            return from == to;
        case kToHalf:
            return from == Dtype::kFloat && to == Dtype::kHalf;
        case kToBfloat:
            return from == Dtype::kFloat && to == Dtype::kBfloat16;
        case kDeq:
        case kVectorDeq:
            return from == Dtype::kInt32 && to == Dtype::kHalf;
        case kToByte:
        case kVectorToByte:
            return from == Dtype::kFloat && byte;
        case kReq:
        case kVectorReq:
            return from == Dtype::kInt32 && byte;
        default:
            return false;
    }
}

// One scale word. Documentation: 随路量化, 表1
struct Scale {
    float factor;  // of ten bits of mantissa
    int shift;     // 0: none
    int offset;
    bool isSigned;
};

Scale ScaleOf(uint64_t word) {
    const uint32_t bits = static_cast<uint32_t>(word) & 0xffffe000u;
    float factor;
    std::memcpy(&factor, &bits, sizeof(factor));
    int offset = static_cast<int>(word >> 37 & 0x1ff);
    offset = offset >= 256 ? offset - 512 : offset;
    return {factor, (word >> 36 & 1) != 0 ? static_cast<int>(word >> 32 & 15) + 1 : 0, offset, (word >> 46 & 1) != 0};
}

int Rounded(float value, int low, int high) {
    if (std::isnan(value)) {
        return 0;
    }
    return static_cast<int>(std::nearbyint(std::clamp(value, static_cast<float>(low), static_cast<float>(high))));
}

uint8_t Byte(float value, const Scale& scale, bool relu) {
    const float scaled = relu && value < 0 ? 0.0f : value * scale.factor;
    const int sum = Rounded(scaled, -256, 255) + scale.offset;
    return static_cast<uint8_t>(scale.isSigned ? std::clamp(sum, -128, 127) : std::clamp(sum, 0, 255));
}

float FromInteger(int32_t value, const Scale& scale) {
    if (scale.shift == 0) {
        return static_cast<float>(value);
    }
    return static_cast<float>(std::clamp(value >> scale.shift, -32768, 32767));
}

}  // namespace

void ConvertSums(uint32_t quant, bool relu, Dtype fromType, Dtype toType, const void* sums, uint64_t count,
                 const uint64_t* scales, bool each, void* result) {
    constexpr uint64_t kTogether = 64;
    for (uint64_t done = 0; done < count; done += kTogether) {
        const uint64_t now = std::min(kTogether, count - done);
        const uint64_t* words = each ? scales + done : scales;
        float values[kTogether];
        int32_t integers[kTogether];
        std::memcpy(values, static_cast<const uint8_t*>(sums) + done * 4, now * 4);
        std::memcpy(integers, static_cast<const uint8_t*>(sums) + done * 4, now * 4);
        uint8_t* to = static_cast<uint8_t*>(result) + done * BytesOf(toType);
        const bool isFloat = fromType == Dtype::kFloat;
        switch (quant) {
            case kNone:
            case kToHalf:
            case kToBfloat:
                for (uint64_t i = 0; relu && i < now; ++i) {
                    values[i] = values[i] > 0 ? values[i] : 0.0f;
                    integers[i] = std::max(integers[i], 0);
                }
                if (isFloat) {
                    StoreSums(values, static_cast<int64_t>(now), toType, Combine::kReplace, to);
                } else {
                    std::memcpy(to, integers, now * 4);
                }
                break;
            case kDeq:
            case kVectorDeq:
                for (uint64_t i = 0; i < now; ++i) {
                    const Scale scale = ScaleOf(words[each ? i : 0]);
                    const float value = FromInteger(integers[i], scale);
                    values[i] = std::clamp(relu && value < 0 ? 0.0f : value * scale.factor, -65504.0f, 65504.0f);
                }
                StoreSums(values, static_cast<int64_t>(now), Dtype::kHalf, Combine::kReplace, to);
                break;
            default:
                for (uint64_t i = 0; i < now; ++i) {
                    const Scale scale = ScaleOf(words[each ? i : 0]);
                    to[i] = Byte(isFloat ? values[i] : FromInteger(integers[i], scale), scale, relu);
                }
        }
    }
}

namespace {

class Fixing {
public:
    Fixing(const FixpipeCall& call, const Ub& src, const Ub* scales, Site site)
        : p(call), access({call.api, site}, call.page, Pipe::kFix), src_(src), scales_(scales) {}

    // False where there is nothing to do.
    bool Prepare(bool toGm) {
        const Call& call = access.Where();
        CubeRegisters& state = access.On().registers.cube;
        CheckCubeCore(access.On(), call);
        if (p.nz2nd && !p.setMatrices && !state.hasMatrices) {
            Fail(call, kMatrices, "it has not been called");
        }
        matrices = !p.nz2nd ? 1 : p.setMatrices ? p.matrices : state.matrices;
        srcMatrix = uint64_t{p.setMatrices ? p.srcMatrix : state.srcMatrix} * 1024;
        dstMatrix = p.setMatrices ? p.dstMatrix : state.dstMatrix;
        if (p.n == 0 || p.m == 0 || matrices == 0) {
            return false;
        }
        const uint32_t whole = p.nz2nd ? 1 : p.channelSplit ? 8 : 16;
        if (p.n > 4095 || p.n % whole != 0 || (p.nz2nd && p.m > 8192) || p.dstStride == 0) {
            Fail(call, kSizes, "nSize is %u, mSize %u, dstStride %u", p.n, p.m, p.dstStride);
        }
        if (p.unitFlag == 1 || p.unitFlag > 3 || (p.unitFlag != 0 && p.channelSplit)) {
            Fail(call, kUnitFlag, "unitFlag is %u", p.unitFlag);
        }
        if (p.channelSplit && (p.nz2nd || p.to != Dtype::kFloat || p.from != Dtype::kFloat)) {
            Fail(call, kSplit, "the destination is %s in %s", Name(p.to), p.nz2nd ? "rows" : "fractals");
        }
        if (!Fits(p.quant, p.from, p.to)) {
            Fail(call, kTypes, "quantPre is %s for %s to %s", QuantName(p.quant), Name(p.from), Name(p.to));
        }
        const uint64_t columns = (p.n + 15u) / 16;
        access.Check("src", src_, Memory::kL0C, (matrices - 1) * srcMatrix + ((columns - 1) * p.srcStride + p.m) * 64,
                     64);
        if (IsScalar(p.quant) && !p.setScale && !state.hasScale) {
            Fail(call, kScale, "it has not been called");
        }
        one_ = p.setScale ? p.scale : state.scale;
        if (IsVector(p.quant)) {
            if (scales_ == nullptr && !state.hasScales) {
                Fail(call, kScales, "there are none");
            }
            if (scales_ != nullptr) {
                access.Check("cbufWorkspace", *scales_, Memory::kL1, uint64_t{p.n} * 8, 32);
            } else {
                scales_ = &state.scales;
                access.Check("the scales", *scales_, Memory::kFixpipe, uint64_t{p.n} * 8, 128);
            }
        }
        const uint64_t bytes = uint64_t{p.n} * p.m * matrices * BytesOf(p.to);
        access.Issue(toGm ? Work::Store(bytes) : Work::Move(bytes));
        if (IsVector(p.quant)) {
            const uint8_t* words = access.Read(*scales_, 0, uint64_t{p.n} * 8);
            each_.resize(p.n);
            std::memcpy(each_.data(), words, uint64_t{p.n} * 8);
            if (!access.AllDefined(*scales_, 0, uint64_t{p.n} * 8)) {
                Fail(call, kDefined, "the scales have never been written");
            }
        }
        return true;
    }

    // Columns [first, first + count) of row i, at most 16 of one fractal column. A device takes what has no value too:
    // `marks` says so of each byte. False where there is such a byte.
    bool Take(uint32_t matrix, uint32_t i, uint32_t first, uint32_t count, uint8_t* to, Origin* marks) {
        const uint64_t at = matrix * srcMatrix + (first / 16 * uint64_t{p.srcStride} + i) * 64 + first % 16 * 4;
        const uint8_t* from = access.Read(src_, at, count * 4, p.unitFlag != 0 ? Pipes(Pipe::kMatrix) : Pipes());
        // fractals are written whole, with what lies behind the last column
        const uint32_t size = BytesOf(p.to);
        std::fill_n(marks, count * size, GmMarks::kValue);
        const bool defined = access.AllDefined(src_, at, p.nz2nd ? count * 4 : 4);
        for (uint32_t x = 0; !defined && x < count; ++x) {
            if (access.AllDefined(src_, at + x * 4, 4)) {
                continue;
            }
            if (!access.On().AsDevice()) {
                Fail(access.Where(), kDefined, "element [%u, %u] (L0C address %" PRIu64 ") is undefined", i, first + x,
                     src_.addr + at + x * 4);
            }
            std::fill_n(marks + x * size, size, Lacking());
        }
        ConvertSums(p.quant, p.relu, p.from, p.to, from, count, each_.empty() ? &one_ : each_.data() + first,
                    !each_.empty(), to);
        return defined;
    }

    void Units() {
        if (p.unitFlag == 0) {
            return;
        }
        UnitFlags flags(access.On(), src_, access.Where());
        for (const bool clear : {false, true}) {
            for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
                for (uint32_t column = 0; column < (p.n + 15u) / 16; ++column) {
                    const uint64_t at = matrix * srcMatrix + column * uint64_t{p.srcStride} * 64;
                    const uint64_t bytes = (p.m + 15u) / 16 * 1024;
                    if (!clear) {
                        flags.BeforeFixpipe(at, bytes);
                    } else if (p.unitFlag == 3) {
                        flags.AfterFixpipe(at, bytes);
                    }
                }
            }
        }
    }

    const FixpipeCall& p;
    LocalAccess access;
    uint32_t matrices = 1;
    uint64_t srcMatrix = 0;  // bytes
    uint64_t dstMatrix = 0;  // elements

private:
    // Why what no Mmad has computed has no value.
    Origin Lacking() const {
        const Call& call = access.Where();
        return access.On().Shared().origins.Of(call, nullptr, [&] {
            return std::string("depends on elements of L0C that no Mmad has computed of defined operands, taken by ") +
                   call.api + " at " + Where(call.site);
        });
    }

    static const char* QuantName(uint32_t quant) {
        switch (quant) {
            case kNone:
                return "NoQuant";
            case kToHalf:
                return "F322F16";
            case kToBfloat:
                return "F322BF16";
            case kDeq:
                return "DEQF16";
            case kVectorDeq:
                return "VDEQF16";
            case kToByte:
                return "QF322B8_PRE";
            case kVectorToByte:
                return "VQF322B8_PRE";
            case kReq:
                return "REQ8";
            case kVectorReq:
                return "VREQ8";
            default:
                return "?";
        }
    }

    const Ub& src_;
    const Ub* scales_;
    uint64_t one_ = 0;
    std::vector<uint64_t> each_;
};

// The pieces of a matrix in fractals: `count` columns of `first`, `at` bytes behind the start for row i = 0, and from
// row to row.
struct Piece {
    uint32_t first, count;
    uint64_t at, pitch;
};

std::vector<Piece> PiecesOf(const FixpipeCall& p) {
    const uint32_t size = BytesOf(p.to);
    std::vector<Piece> pieces;
    if (size == 1) {
        // two fractals of 16 columns become one of 32, the last of an odd number stays
        for (uint32_t first = 0; first < p.n; first += 16) {
            const bool alone = first % 32 == 0 && first + 16 >= p.n;
            pieces.push_back({first, 16, first / 32 * uint64_t{p.dstStride} * 32 + first % 32, alone ? 16u : 32u});
        }
        return pieces;
    }
    const uint32_t step = p.channelSplit ? 8 : 16;
    for (uint32_t first = 0; first < p.n; first += step) {
        pieces.push_back({first, step, first / step * uint64_t{p.dstStride} * 32, uint64_t{step} * size});
    }
    return pieces;
}

}  // namespace

void FixpipeToGm(const FixpipeCall& call, uint64_t dst, const Ub& src, const Ub* scales, Site site) {
    Fixing fix(call, src, scales, site);
    if (!fix.Prepare(true)) {
        return;
    }
    fix.Units();
    const uint32_t size = BytesOf(call.to);
    if (call.nz2nd) {
        std::vector<uint8_t> row(uint64_t{call.n} * size);
        std::vector<Origin> marks(row.size());
        for (uint32_t matrix = 0; matrix < fix.matrices; ++matrix) {
            for (uint32_t i = 0; i < call.m; ++i) {
                bool defined = true;
                for (uint32_t first = 0; first < call.n; first += 16) {
                    const uint64_t at = uint64_t{first} * size;
                    defined =
                        fix.Take(matrix, i, first, std::min(16u, call.n - first), row.data() + at, marks.data() + at) &&
                        defined;
                }
                WriteGlobal(fix.access, dst + (matrix * fix.dstMatrix + uint64_t{i} * call.dstStride) * size,
                            row.data(), row.size(), defined ? nullptr : marks.data());
            }
        }
        return;
    }
    for (const Piece& piece : PiecesOf(call)) {
        uint8_t block[64];
        Origin marks[64];
        for (uint32_t i = 0; i < call.m; ++i) {
            const bool defined = fix.Take(0, i, piece.first, piece.count, block, marks);
            WriteGlobal(fix.access, dst + piece.at + i * piece.pitch, block, uint64_t{piece.count} * size,
                        defined ? nullptr : marks);
        }
    }
}

void FixpipeToL1(const FixpipeCall& call, const Ub& dst, const Ub& src, const Ub* scales, Site site) {
    Fixing fix(call, src, scales, site);
    if (!fix.Prepare(false)) {
        return;
    }
    const uint32_t size = BytesOf(call.to);
    const std::vector<Piece> pieces = PiecesOf(call);
    uint64_t end = 0;
    for (const Piece& piece : pieces) {
        end = std::max(end, piece.at + (call.m - 1) * piece.pitch + uint64_t{piece.count} * size);
    }
    fix.access.Check("dst", dst, Memory::kL1, end, 32);
    fix.Units();
    for (const Piece& piece : pieces) {
        for (uint32_t i = 0; i < call.m; ++i) {
            uint8_t block[64];
            Origin marks[64];
            const bool defined = fix.Take(0, i, piece.first, piece.count, block, marks);
            const uint64_t at = piece.at + i * piece.pitch;
            std::memcpy(fix.access.Write(dst, at, uint64_t{piece.count} * size), block, uint64_t{piece.count} * size);
            fix.access.Define(dst, at, uint64_t{piece.count} * size, defined);
        }
    }
}

void SetFixpipeMatrices(uint16_t matrices, uint16_t srcMatrix, uint16_t dstMatrix, Site site) {
    Core& core = CurrentCore();
    CheckCubeCore(core, {"SetFixpipeNz2ndFlag", site});
    core.registers.cube.hasMatrices = true;
    core.registers.cube.matrices = matrices;
    core.registers.cube.srcMatrix = srcMatrix;
    core.registers.cube.dstMatrix = dstMatrix;
}

void SetFixpipeScale(uint64_t scale, Site site) {
    Core& core = CurrentCore();
    CheckCubeCore(core, {"SetFixpipePreQuantFlag", site});
    core.registers.cube.hasScale = true;
    core.registers.cube.scale = scale;
}

void SetFixpipeScales(const Ub* scales, bool clearUnitFlags, Site site) {
    LocalAccess access({"SetFixPipeConfig", site}, REGISTER_PAGE("SetFixPipeConfig"), Pipe::kFix);
    CubeRegisters& state = access.On().registers.cube;
    CheckCubeCore(access.On(), access.Where());
    if (scales != nullptr) {
        access.Check("quantPre", *scales, Memory::kFixpipe, 0, 128);
        state.hasScales = true;
        state.scales = *scales;
    }
    if (clearUnitFlags) {
        state.unitFlags.clear();
    }
}

}  // namespace sim
