// Rows of the unified buffer into L0C, on AI Cores with both units (ascend310p).
// Documentation: 基础API/矩阵计算（ISASI）/矩阵计算的搬入/BroadCastVecToMM(ISASI)
#include <cstring>

#include "gm.h"

namespace sim {
namespace {

constexpr const char* kPage = "基础API/矩阵计算（ISASI）/矩阵计算的搬入/BroadCastVecToMM(ISASI)";
constexpr Rule kCounts = {"vec-to-mm-range", "BroadCastVecToMM takes 1 to 255 blocks of 1 to 255 times 16 elements",
                          kPage};

constexpr uint32_t kSixteen = 16;

}  // namespace

void CopyRowsToL0c(const RowsToFractals& p, const Ub& dst, const Ub& src, Site site) {
    LocalAccess access({"BroadCastVecToMM", site}, kPage, Pipe::kVector);
    if (p.count < 1 || p.count > 255 || p.length == 0) {
        Fail(access.Where(), kCounts, "blockCount is %d and blockLen %u", p.count, p.length);
    }
    const uint64_t row = uint64_t{kSixteen} * p.element, fractal = row * kSixteen;
    const uint64_t srcStep = p.length * row + uint64_t{p.srcGap} * 32;
    const uint64_t dstStep = (uint64_t{p.length} + p.dstGap) * fractal;
    const uint32_t blocks = static_cast<uint32_t>(p.count);
    access.Check("dst", dst, Memory::kL0C, (blocks - 1) * dstStep + p.length * fractal, static_cast<uint32_t>(fractal));
    access.Check("src", src, Memory::kUb, (blocks - 1) * srcStep + p.length * row, 32);
    access.Issue(Work::Move(blocks * p.length * fractal));
    for (uint32_t i = 0; i < blocks; ++i) {
        for (uint32_t j = 0; j < p.length; ++j) {
            for (uint32_t k = 0; k < kSixteen; ++k) {
                access.Move(dst, i * dstStep + j * fractal + k * row, src, i * srcStep + j * row, row);
            }
        }
    }
}

}  // namespace sim
