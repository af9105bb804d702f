// Copies into and out of L1: from global memory, as it lies or into fractals, and on to the tables of bias and scales.
// Documentation: 基础API/矩阵计算（ISASI）/矩阵计算的搬入
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "vector/arithmetic.h"
#include "gm.h"
#include "report/rows.h"

namespace sim {
namespace {

#define LOAD_PAGE(name) "基础API/矩阵计算（ISASI）/矩阵计算的搬入/" name
constexpr const char* kNd2Nz = LOAD_PAGE("DataCopy（GMToL1随路转换-ND2NZ搬运）");
constexpr const char* kNd2NzToUb = "基础API/Memory矢量计算/数据搬运/DataCopy（GMToUB随路转换ND2NZ搬运）";
constexpr const char* kStrided = LOAD_PAGE("DataCopy（GMToL1高维切分数据搬运）");
constexpr const char* kToBias = LOAD_PAGE("DataCopy（L1ToBiasTable-Buffer数据搬运）");
constexpr const char* kToScales = LOAD_PAGE("DataCopy（L1ToFixpipe-Buffer数据搬运）");
constexpr const char* kTscm = LOAD_PAGE("DataCopy（UBToL1高维切分数据搬运）");
constexpr const char* kOutPage = "基础API/矩阵计算（ISASI）/矩阵计算的搬出/DataCopy（L1ToGM高维切分数据搬运）";

constexpr DeviceRule kBlocks = {{"l1-copy-length", "a copy into L1 moves whole blocks of 32 bytes",
                                 LOAD_PAGE("DataCopy（GMToL1高维切分数据搬运）")},
                                "the length is rounded down to whole blocks",
                                "asc-devkit 82b89a1, docs/zh/api/SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬入/"
                                "DataCopy（GMToL1连续数据搬运）.md:107"};
constexpr Rule kBlockCount = {"l1-copy-range",
                              "blockCount is at most 4095 and blockLen at most 65535 blocks of 32 bytes",
                              LOAD_PAGE("DataCopy（GMToL1高维切分数据搬运）")};
constexpr Rule kRanges = {"nd2nz-range",
                          "ndNum is at most 4095, nValue at most 16384, srcDValue at least 1, dstNzC0Stride and "
                          "dstNzNStride 1 to 16384, dstNzMatrixStride at most 16384",
                          LOAD_PAGE("DataCopy（GMToL1随路转换-ND2NZ搬运）")};
constexpr Rule kDefined = {"undefined-stored",
                           "what is written to global memory must have been computed or copied before", kOutPage};
constexpr uint32_t kBlock = 32;

// What is copied: whole blocks.
Bursts CheckBlocks(const Bursts& given, const Call& call) {
    Bursts bursts = given;
    if (bursts.bytes % kBlock != 0) {
        LetPass(call, kBlocks, "the length is %" PRIu64 " bytes", bursts.bytes);
        bursts.bytes -= bursts.bytes % kBlock;
    }
    if (bursts.count > 4095 || bursts.bytes / kBlock > 65535) {
        Fail(call, kBlockCount, "blockCount is %u, blockLen %" PRIu64, bursts.count, bursts.bytes / kBlock);
    }
    return bursts;
}

uint64_t Span(const Bursts& bursts, uint64_t gap) { return (bursts.count - 1) * (bursts.bytes + gap) + bursts.bytes; }

}  // namespace

void CopyGmToL1(const Bursts& given, const Ub& dst, uint64_t src, Site site) {
    LocalAccess access({given.api, site}, kStrided, Pipe::kMte2);
    if (given.count == 0 || given.bytes == 0) {
        return;
    }
    const Bursts bursts = CheckBlocks(given, access.Where());
    if (bursts.bytes == 0) {
        return;
    }
    access.Check("dst", dst, Memory::kL1, Span(bursts, bursts.dstGap), kBlock);
    const GmSpan span{src, bursts.bytes, bursts.count, bursts.bytes + bursts.srcGap};
    access.Issue(WithRows(access.On(), Work::Load(bursts.bytes * bursts.count), span));
    ReadGlobal(access, span);
    for (uint32_t i = 0; i < bursts.count; ++i) {
        const uint64_t to = i * (bursts.bytes + bursts.dstGap);
        std::memcpy(access.Write(dst, to, bursts.bytes),
                    reinterpret_cast<const void*>(src + i * (bursts.bytes + bursts.srcGap)), bursts.bytes);
        DefineLoaded(access, dst, to, src + i * (bursts.bytes + bursts.srcGap), bursts.bytes);
    }
}

void CopyUbToL1(const Bursts& given, const Ub& dst, const Ub& src, Site site) {
    LocalAccess access({given.api, site}, kTscm, Pipe::kMte3);
    if (given.count == 0 || given.bytes == 0) {
        return;
    }
    const Bursts bursts = CheckBlocks(given, access.Where());
    if (bursts.bytes == 0) {
        return;
    }
    access.Check("dst", dst, Memory::kL1, Span(bursts, bursts.dstGap), kBlock);
    access.Check("src", src, Memory::kUb, Span(bursts, bursts.srcGap), kBlock);
    access.Issue(Work::Move(bursts.bytes * bursts.count));
    for (uint32_t i = 0; i < bursts.count; ++i) {
        access.Move(dst, i * (bursts.bytes + bursts.dstGap), src, i * (bursts.bytes + bursts.srcGap), bursts.bytes);
    }
}

void CopyL1ToGm(const Bursts& given, uint64_t dst, const Ub& src, Site site) {
    LocalAccess access({given.api, site}, kOutPage, Pipe::kMte3);
    if (given.count == 0 || given.bytes == 0) {
        return;
    }
    const Bursts bursts = CheckBlocks(given, access.Where());
    if (bursts.bytes == 0) {
        return;
    }
    access.Check("src", src, Memory::kL1, Span(bursts, bursts.srcGap), kBlock);
    access.Issue(WithRows(access.On(), Work::Store(bursts.bytes * bursts.count),
                          {dst, bursts.bytes, bursts.count, bursts.bytes + bursts.dstGap}));
    for (uint32_t i = 0; i < bursts.count; ++i) {
        const uint64_t from = i * (bursts.bytes + bursts.srcGap);
        const uint8_t* data = access.Read(src, from, bursts.bytes);
        if (!access.AllDefined(src, from, bursts.bytes)) {
            Fail(access.Where(), kDefined, "block %u of L1 address %" PRIu64 " has never been written", i,
                 src.addr + from);
        }
        WriteGlobal(access, dst + i * (bursts.bytes + bursts.dstGap), data, bursts.bytes);
    }
}

void CopyNd2Nz(const Nd2Nz& p, const Ub& dst, uint64_t src, Site site) {
    const bool local = dst.memory == Memory::kUb;
    LocalAccess access({"DataCopy", site}, local ? kNd2NzToUb : kNd2Nz, Pipe::kMte2);
    if (p.matrices == 0 || p.rows == 0 || p.columns == 0) {
        return;
    }
    if (p.matrices > 4095 || p.rows > 16384 || p.srcRow == 0 || p.dstColumn == 0 || p.dstColumn > 16384 ||
        p.dstRow == 0 || p.dstRow > 16384 || (!local && p.dstMatrix > 16384)) {
        Fail(access.Where(), kRanges,
             "ndNum is %u, nValue %u, srcDValue %u, dstNzC0Stride %u, dstNzNStride %u, dstNzMatrixStride %u",
             p.matrices, p.rows, p.srcRow, p.dstColumn, p.dstRow, p.dstMatrix);
    }
    const uint64_t width = uint64_t{p.columns} * p.element;
    const uint64_t columns = (width + kBlock - 1) / kBlock;
    const uint64_t matrix = uint64_t{p.dstMatrix} * p.element;
    access.Check(
        "dst", dst, local ? Memory::kUb : Memory::kL1,
        (p.matrices - 1) * matrix + ((columns - 1) * p.dstColumn + uint64_t{p.rows - 1u} * p.dstRow) * kBlock + kBlock,
        kBlock);
    Work work = Work::Load(width * p.rows * p.matrices);
    for (uint32_t i = 0; i < p.matrices; ++i) {
        work = WithRows(access.On(), work,
                        {src + uint64_t{i} * p.srcMatrix * p.element, width, p.rows, uint64_t{p.srcRow} * p.element});
    }
    access.Issue(work);
    for (uint32_t i = 0; i < p.matrices; ++i) {
        const uint64_t from = src + uint64_t{i} * p.srcMatrix * p.element;
        ReadGlobal(access, {from, width, p.rows, uint64_t{p.srcRow} * p.element});
        for (uint64_t c = 0; c < columns; ++c) {
            const uint64_t bytes = std::min<uint64_t>(kBlock, width - c * kBlock);
            for (uint32_t r = 0; r < p.rows; ++r) {
                const uint64_t to = i * matrix + (c * p.dstColumn + uint64_t{r} * p.dstRow) * kBlock;
                const uint64_t piece = from + uint64_t{r} * p.srcRow * p.element + c * kBlock;
                uint8_t* data = access.Write(dst, to, kBlock);
                std::memcpy(data, reinterpret_cast<const uint8_t*>(piece), bytes);
                std::memset(data + bytes, 0, kBlock - bytes);
                access.Define(dst, to, kBlock);
                DefineLoaded(access, dst, to, piece, bytes);
            }
        }
    }
}

void CopyL1ToTable(const TableCopy& p, const Ub& dst, const Ub& src, Site site) {
    const bool bias = dst.memory != Memory::kFixpipe;
    LocalAccess access({"DataCopy", site}, bias ? kToBias : kToScales, bias ? Pipe::kMte1 : Pipe::kFix);
    if (p.count == 0 || p.length == 0) {
        return;
    }
    const bool widen = p.from != p.type;
    const uint64_t written = widen ? uint64_t{p.length} * BytesOf(p.type) / BytesOf(p.from) : p.length;
    // between blocks of the Fixpipe buffer the gaps are from start to start
    const uint64_t srcStep = bias ? p.length + uint64_t{p.srcGap} : p.srcGap;
    const uint64_t dstStep = bias ? written + p.dstGap : p.dstGap;
    access.Check("dst", dst, bias ? Memory::kBiasTable : Memory::kFixpipe, (p.count - 1) * dstStep + written,
                 bias ? 64 : 128);
    access.Check("src", src, Memory::kL1, (p.count - 1) * srcStep + p.length, kBlock);
    access.Issue(Work::Move(uint64_t{p.count} * p.length));
    for (uint32_t i = 0; i < p.count; ++i) {
        const uint64_t from = i * srcStep;
        const uint64_t to = i * dstStep;
        if (!widen) {
            access.Move(dst, to, src, from, p.length);
            continue;
        }
        const uint8_t* data = access.Read(src, from, p.length);
        WidenRow(data, p.from, p.length / BytesOf(p.from), reinterpret_cast<float*>(access.Write(dst, to, written)));
        for (uint32_t j = 0; j < p.length / BytesOf(p.from); ++j) {
            access.Define(dst, to + j * BytesOf(p.type), BytesOf(p.type),
                          access.AllDefined(src, from + j * BytesOf(p.from), BytesOf(p.from)));
        }
    }
}

}  // namespace sim
