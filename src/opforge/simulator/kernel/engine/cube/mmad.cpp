// Mmad: C = A x B + C on L0A, L0B and L0C. Documentation: 基础API/矩阵计算（ISASI）/Mmad计算/Mmad
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "vector/arithmetic.h"
#include "gm.h"
#include "unit_flags.h"
#include "rounding.h"

namespace sim {
namespace {

constexpr const char* kMmadPage = "基础API/矩阵计算（ISASI）/Mmad计算/Mmad";
constexpr Rule kLengths = {"mmad-range", "m, n and k are at most 4095", kMmadPage};
constexpr Rule kUnitFlag = {"mmad-unit-flag", "unitFlag is 0, 2 or 3", kMmadPage};
constexpr Rule kBiasPlace = {"mmad-bias", "bias lies in the BiasTable buffer (C2) or, to be added to, in L0C (CO1)",
                             kMmadPage};

constexpr Rule kCoupled = {"mmad-310p", "on ascend310p Mmad has no unitFlag, cmatrixSource or kDirectionAlign",
                           kMmadPage};

constexpr uint32_t kFractal = 512;
constexpr uint32_t kBlock = 32;

// One operand as rows of `k` elements, each element `width` bytes; and which rows are defined throughout.
struct Packed {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> known;
};

struct Source {
    const Ub& place;
    uint32_t rows;
    uint32_t c0;
    uint64_t rowGroup;  // fractals from 16 rows to the next
    uint64_t depth;     // fractals from one block of k to the next
    bool plain;         // a row vector as it lies
};

// 4-bit elements become bytes.
Packed Pack(LocalAccess& access, const Source& from, uint32_t k, Dtype type) {
    const bool nibbles = type == Dtype::kInt4;
    const uint32_t size = nibbles ? 1 : BytesOf(type);
    Packed packed;
    packed.bytes.resize(uint64_t{from.rows} * k * size);
    packed.known.assign(from.rows, 1);
    for (uint32_t row = 0; row < from.rows; ++row) {
        for (uint32_t first = 0; first < k; first += from.c0) {
            const uint32_t count = std::min(from.c0, k - first);
            const uint64_t bytes = nibbles ? (count + 1) / 2 : uint64_t{count} * size;
            const uint64_t at =
                from.plain ? uint64_t{first} / from.c0 * kBlock
                           : (row / 16 * from.rowGroup + first / from.c0 * from.depth) * kFractal + row % 16 * kBlock;
            const uint8_t* data = access.Read(from.place, at, bytes);
            uint8_t* to = packed.bytes.data() + (uint64_t{row} * k + first) * size;
            if (nibbles) {
                for (uint32_t i = 0; i < count; ++i) {
                    const int value = data[i / 2] >> (i % 2 * 4) & 15;
                    to[i] = static_cast<uint8_t>(value >= 8 ? value - 16 : value);
                }
            } else {
                std::memcpy(to, data, bytes);
            }
            packed.known[row] = packed.known[row] != 0 && access.AllDefined(from.place, at, bytes) ? 1 : 0;
        }
    }
    return packed;
}

template <typename A, typename B>
void MultiplyIntegers(const Packed& a, const Packed& b, uint32_t m, uint32_t n, uint32_t k, int32_t* c) {
    const A* left = reinterpret_cast<const A*>(a.bytes.data());
    const B* right = reinterpret_cast<const B*>(b.bytes.data());
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t j = 0; j < n; ++j) {
            int64_t sum = c[uint64_t{i} * n + j];
            int32_t part = 0;  // 4095 products of two bytes
            for (uint32_t x = 0; x < k; ++x) {
                part += int32_t{left[uint64_t{i} * k + x]} * int32_t{right[uint64_t{j} * k + x]};
            }
            sum = std::clamp<int64_t>(sum + part, std::numeric_limits<int32_t>::min(),
                                      std::numeric_limits<int32_t>::max());
            c[uint64_t{i} * n + j] = static_cast<int32_t>(sum);
        }
    }
}

}  // namespace

void OnCubeCore(const char* api, Site site) { CheckCubeCore(CurrentCore(), {api, site}); }

void SetHf32(bool enable, Site site) {
    OnCubeCore("SetHF32Mode", site);
    CurrentCore().registers.cube.hf32 = enable;
}

void SetHf32Ties(Hf32 ties, Site site) {
    OnCubeCore("SetHF32TransMode", site);
    CurrentCore().registers.cube.ties = ties;
}

void MultiplyAdd(const MmadCall& p, const Ub& dst, const Ub& a, const Ub& b, const Ub* bias, Site site) {
    LocalAccess access({"Mmad", site}, kMmadPage, Pipe::kMatrix);
    const Call& call = access.Where();
    Core& core = access.On();
    CheckCubeCore(core, call);
    if (p.m == 0 || p.n == 0 || p.k == 0) {
        return;
    }
    if (p.m > 4095 || p.n > 4095 || p.k > 4095) {
        Fail(call, kLengths, "m is %u, n %u, k %u", p.m, p.n, p.k);
    }
    if (p.unitFlag == 1 || p.unitFlag > 3) {
        Fail(call, kUnitFlag, "unitFlag is %u", p.unitFlag);
    }
    if (core.Kind() == CoreKind::kCoupled && (p.unitFlag != 0 || p.fromTable || p.alignK)) {
        Fail(call, kCoupled, "unitFlag is %u, cmatrixSource %d, kDirectionAlign %d", p.unitFlag, p.fromTable, p.alignK);
    }
    const uint32_t c0 = p.a == Dtype::kInt4 ? 64 : kBlock / BytesOf(p.a);
    const uint64_t depth = p.alignK && p.a == Dtype::kFloat ? CeilDiv(p.k, 16) * 2 : CeilDiv(p.k, c0);
    const uint64_t wide = CeilDiv(p.n, 16);
    const uint64_t high = CeilDiv(p.m, 16);
    const bool vector = p.m == 1;  // GEMV: A as it lies
    const uint64_t lastOfA = ((high - 1) * depth + CeilDiv(p.k, c0) - 1) * kFractal + (p.m - 1u) % 16 * kBlock + kBlock;
    access.Check("fm", a, Memory::kL0A, vector ? CeilDiv(p.k, c0) * kBlock : lastOfA, kFractal);
    access.Check("filter", b, Memory::kL0B,
                 ((CeilDiv(p.k, c0) - 1) * wide + wide - 1) * kFractal + (p.n - 1u) % 16 * kBlock + kBlock, kFractal);
    const uint32_t rowOfC = 16 * BytesOf(p.c);  // of a fractal
    const uint64_t bytesOfC = ((wide - 1) * high * 16 + p.m) * rowOfC;
    access.Check("dst", dst, Memory::kL0C, bytesOfC, 1024);
    // C as it was, from the BiasTable, from another place of L0C, or 0
    const bool table = bias != nullptr ? bias->memory == Memory::kBiasTable : !p.zero && p.fromTable;
    const Ub implicit{0, 1024, -1, 0, Memory::kBiasTable};
    const Ub* first = bias != nullptr ? bias : table ? &implicit : p.zero ? nullptr : &dst;
    if (bias != nullptr && !table) {
        if (bias->memory != Memory::kL0C) {
            Fail(call, kBiasPlace, "it lies in the %s", SizeOf(*core.Request().soc, bias->memory).name);
        }
        access.Check("bias", *bias, Memory::kL0C, bytesOfC, 1024);
    } else if (table) {
        access.Check("bias", *first, Memory::kBiasTable, uint64_t{p.n} * 4, 64);
    }
    Work work;
    work.macs = uint64_t{p.m} * p.n * p.k;
    const Hf32 hf32 = core.registers.cube.hf32 && p.a == Dtype::kFloat ? core.registers.cube.ties : Hf32::kOff;
    work.bytesOfCube = CubeBytesOf(p.a) / (hf32 == Hf32::kOff ? 1 : 2);
    access.Issue(work);
    if (p.unitFlag != 0) {
        UnitFlags(core, dst, call).BeforeMmad(wide * high * 16 * rowOfC, p.unitFlag == 3);
    }
    const Packed left = Pack(access, {a, p.m, c0, depth, 1, vector}, p.k, p.a);
    const Packed right = Pack(access, {b, p.n, c0, 1, wide, false}, p.k, p.b);
    // sums as rows of n
    std::vector<float> sums(uint64_t{p.m} * p.n);
    std::vector<uint8_t> known(core.Checks() ? sums.size() : 0, 1);
    // large blocks follow each other without a barrier (Mmad, 同步优化说明)
    const Pipes trusted = (p.m / 16) * (p.n / 16) >= 10 ? Pipes(Pipe::kMatrix) : Pipes();
    for (uint32_t i = 0; first != nullptr && i < p.m; ++i) {
        for (uint32_t j = 0; j < p.n; j += 16) {
            const uint32_t count = std::min(16u, p.n - j);
            const uint32_t size = BytesOf(p.c);
            const uint64_t at = table ? uint64_t{j} * 4 : (j / 16 * high * 16 + i) * rowOfC;
            const uint8_t* before = access.Read(*first, at, count * size, trusted);
            if (p.c == Dtype::kHalf) {
                WidenRow(before, p.c, count, sums.data() + uint64_t{i} * p.n + j);
            } else {
                std::memcpy(sums.data() + uint64_t{i} * p.n + j, before, count * size);
            }
            for (uint32_t x = 0; core.Checks() && x < count; ++x) {
                known[uint64_t{i} * p.n + j + x] = access.AllDefined(*first, at + x * size, size) ? 1 : 0;
            }
        }
    }
    if (p.c == Dtype::kInt32) {
        int32_t* c = reinterpret_cast<int32_t*>(sums.data());
        if (p.a == Dtype::kUint8 && p.b == Dtype::kUint8) {
            MultiplyIntegers<uint8_t, uint8_t>(left, right, p.m, p.n, p.k, c);
        } else if (p.a == Dtype::kUint8) {
            MultiplyIntegers<uint8_t, int8_t>(left, right, p.m, p.n, p.k, c);
        } else {
            MultiplyIntegers<int8_t, int8_t>(left, right, p.m, p.n, p.k, c);
        }
    } else {
        Gemm(p.m, p.n, p.k, {left.bytes.data(), p.a, p.k, false, hf32}, {right.bytes.data(), p.b, p.k, true, hf32},
             true, sums.data(), p.n);
    }
    const Pipes own = p.unitFlag != 0 ? Pipes(Pipe::kMatrix) | Pipe::kFix : Pipes(Pipe::kMatrix);
    for (uint64_t column = 0; column < wide; ++column) {
        const uint32_t count = std::min<uint32_t>(16, static_cast<uint32_t>(p.n - column * 16));
        for (uint32_t i = 0; i < p.m; ++i) {
            const uint32_t size = BytesOf(p.c);
            const uint64_t at = (column * high * 16 + i) * rowOfC;
            const uint64_t from = uint64_t{i} * p.n + column * 16;
            uint8_t* to = access.Write(dst, at, rowOfC, own);
            if (p.c == Dtype::kHalf) {
                StoreSums(sums.data() + from, count, p.c, Combine::kReplace, to);  // each Mmad rounds its sums
            } else {
                std::memcpy(to, sums.data() + from, count * size);
            }
            for (uint32_t x = 0; core.Checks() && x < count; ++x) {
                access.Define(dst, at + x * size, size,
                              left.known[i] != 0 && right.known[column * 16 + x] != 0 && known[from + x] != 0);
            }
        }
    }
}

}  // namespace sim
