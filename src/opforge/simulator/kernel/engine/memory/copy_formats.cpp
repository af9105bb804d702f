// Copies that take many transfers each: slices, and fractals into rows. Documentation: 基础API/Memory矢量计算/数据搬运
#include <cinttypes>
#include <optional>
#include <vector>

#include "atomic.h"
#include "launch/contexts.h"
#include "gm_values.h"
#include "local_memory.h"

namespace sim {
namespace {

constexpr Rule kRows = {
    "nz2nd-range",
    "ndNum is at most 4095, nValue and dValue 1 to 8192, dValue a multiple of 16, srcNdMatrixStride 1 "
    "to 512, srcNStride at most 4096, dstDStride and dstNdMatrixStride at least 1",
    "基础API/Memory矢量计算/数据搬运/DataCopy（UBToGM随路转换NZ2ND搬运）"};
constexpr Rule kUndefined = {"undefined-stored",
                             "what is written to global memory must have been computed or copied before",
                             "基础API/资源管理/TQue/AllocTensor"};
constexpr Rule kSliceDims = {"slice-dims", "a slice has 1 to 8 dims, and burstLen is 1 in all but the first",
                             "基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB切片数据搬运）"};
constexpr Rule kSlicePieces = {"slice-pieces", "both sides of a slice have as many pieces of one length",
                               "基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB切片数据搬运）"};
constexpr Rule kSliceRange = {"slice-range",
                              "a slice begins inside its dim, ends in it, and is whole pieces with their gaps",
                              "基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB切片数据搬运）"};
constexpr Rule kEnhanced = {"copy-enhanced",
                            "transfers change no data on their way: DataCopyEnhancedParams has its default values",
                            "基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB高维切分数据搬运）"};

constexpr const char* kSlicePage = "数据搬运/DataCopy（GM与UB切片数据搬运）";
constexpr uint32_t kBlock = 32;
constexpr uint32_t kColumn = 16;    // elements of a fractal's row
constexpr uint32_t kFractal = 256;  // elements of a fractal

// Where the pieces of one side begin, in elements, the innermost dim running fastest.
std::vector<uint64_t> Pieces(const Slices::Dim* dims, uint32_t count, uint32_t piece, const Call& call) {
    std::vector<uint64_t> starts{0};
    uint64_t size = 1;
    for (uint32_t i = 0; i < count; ++i) {
        const Slices::Dim& dim = dims[i];
        const uint64_t length = i == 0 ? piece : 1;
        const uint64_t step = length + dim.stride;
        if (dim.start > dim.end || (dim.shape != 0 && dim.end >= dim.shape) ||
            (dim.end - dim.start + 1 + uint64_t{dim.stride}) % step != 0) {
            Fail(call, kSliceRange, "dim %u goes from %u to %u of %u, in pieces of %" PRIu64 " with %u between them", i,
                 dim.start, dim.end, dim.shape, length, dim.stride);
        }
        std::vector<uint64_t> all;
        for (uint64_t at = dim.start; at <= dim.end; at += step) {
            for (uint64_t inner : starts) {
                all.push_back(inner + at * size);
            }
        }
        starts = std::move(all);
        size *= dim.shape;
    }
    return starts;
}

}  // namespace

void CopySlices(const Slices& slices, uint32_t element, bool in, const Ub& local, uint64_t global, Site site) {
    const Call call{"DataCopy", site, in ? Pipe::kMte2 : Pipe::kMte3};
    if (slices.dims == 0 || slices.dims > Slices::kMostDims) {
        Fail(call, kSliceDims, "dimValue is %u", slices.dims);
    }
    for (uint32_t i = 1; i < slices.dims; ++i) {
        if (slices.local[i].burst != 1 || slices.global[i].burst != 1) {
            Fail(call, kSliceDims, "burstLen of dim %u is %u and %u", i, slices.local[i].burst, slices.global[i].burst);
        }
    }
    const uint32_t bytes = slices.local[0].burst * kBlock;
    const uint32_t piece = bytes / element;
    if (piece == 0 || slices.local[0].burst != slices.global[0].burst) {
        Fail(call, kSlicePieces, "burstLen is %u and %u", slices.local[0].burst, slices.global[0].burst);
    }
    const std::vector<uint64_t> here = Pieces(slices.local, slices.dims, piece, call);
    const std::vector<uint64_t> there = Pieces(slices.global, slices.dims, piece, call);
    if (here.size() != there.size()) {
        Fail(call, kSlicePieces, "%zu pieces of the local tensor, %zu of the global one", here.size(), there.size());
    }
    // global memory may be met at any byte
    const Bursts one{"DataCopy", kSlicePage, 1, bytes, 0, 0, 1, false, false, 0, 0, 0};
    for (size_t i = 0; i < here.size(); ++i) {
        const Ub place = Slice(local, here[i] * element);
        if (in) {
            CopyGmToUb(one, place, global + there[i] * element, site);
        } else {
            CopyUbToGm(one, global + there[i] * element, place, site);
        }
    }
}

void CopyNz2Nd(const Nz2Nd& p, uint64_t dst, const Ub& src, Site site) {
    Core& core = CurrentCore();
    LocalAccess access({"DataCopy", site, Pipe::kMte3}, kRows.page, Pipe::kMte3);
    const Call& call = access.Where();
    if (p.matrices == 0) {
        return;
    }
    if (p.matrices > 4095 || p.rows == 0 || p.rows > 8192 || p.columns == 0 || p.columns > 8192 ||
        p.columns % kColumn != 0 || p.srcMatrix == 0 || p.srcMatrix > 512 || p.srcColumn > 4096 || p.dstRow == 0 ||
        p.dstMatrix == 0) {
        Fail(call, kRows,
             "ndNum is %u, nValue %u, dValue %u, srcNdMatrixStride %u, srcNStride %u, dstDStride %u, dstNdMatrixStride "
             "%u",
             p.matrices, p.rows, p.columns, p.srcMatrix, p.srcColumn, p.dstRow, p.dstMatrix);
    }
    const uint64_t width = uint64_t{kColumn} * p.element;
    const uint64_t last = uint64_t{p.matrices - 1u} * p.srcMatrix * kFractal +
                          uint64_t{p.columns / kColumn - 1u} * p.srcColumn * kColumn + (p.rows - 1u) * kColumn;
    access.Check("src", src, Memory::kUb, last * p.element + width, kBlock);
    access.Issue(Work::Store(uint64_t{p.matrices} * p.rows * p.columns * p.element));
    const bool atomic = core.registers.atomic.op != Atomic::kNone;
    for (uint32_t m = 0; m < p.matrices; ++m) {
        for (uint32_t r = 0; r < p.rows; ++r) {
            for (uint32_t c = 0; c < p.columns / kColumn; ++c) {
                const uint64_t from =
                    (uint64_t{m} * p.srcMatrix * kFractal + (uint64_t{c} * p.srcColumn + r) * kColumn) * p.element;
                const uint64_t to =
                    dst + (uint64_t{m} * p.dstMatrix + uint64_t{r} * p.dstRow + c * kColumn) * p.element;
                const uint8_t* data = access.Read(src, from, width);
                const uint32_t begin = static_cast<uint32_t>(src.addr + from),
                               end = begin + static_cast<uint32_t>(width);
                const Origin* marks = nullptr;
                std::optional<Leaving> leaving;
                if (core.Checks()) {
                    leaving.emplace(core, begin, end, to, call);
                    if (leaving->refused) {
                        Fail(call, kUndefined, "row %u, column %u of matrix %u has bytes that were never written", r,
                             c * kColumn, m);
                    }
                    marks = leaving->Marks();
                }
                core.memory.gm.Check(call, "writes", to, width, true);
                GmWrite(core, Pipe::kMte3, access.Number(), {to, width, 1, 0, data, 0}, call, atomic);
                if (core.Checks()) {
                    core.memory.cache.CheckTransfer(to, width, "writes", call);
                    core.memory.gm.Write(core.order.clocks, access.Number(), to, width, atomic, call);
                }
                StoreGm(core, to, data, width, call, marks);
            }
        }
    }
}

void CheckEnhanced(bool enhanced, Site site) {
    if (enhanced) {
        Fail({"DataCopy", site}, kEnhanced, "blockMode, deqScale, isRelu or padMode is another");
    }
}

void SetPadValue(uint64_t value) { CurrentCore().registers.padValue = value; }

}  // namespace sim
