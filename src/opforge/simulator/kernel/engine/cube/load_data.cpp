// LoadData in its forms, and Fill: what brings operands from L1 (or global memory) into L0A and L0B.
// Documentation: 基础API/矩阵计算（ISASI）/矩阵计算的搬入
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "vector/arithmetic.h"
#include "gm.h"

namespace sim {
namespace {

#define LOAD_PAGE(name) "基础API/矩阵计算（ISASI）/矩阵计算的搬入/" name
#define SET_PAGE(name) "基础API/矩阵计算（ISASI）/矩阵搬入辅助配置接口/" name

constexpr Rule kDestination = {"load-destination", "LoadData fills L0A (A2) or L0B (B2)", LOAD_PAGE("LoadData_2D")};
constexpr Rule kTransposed = {"load-transposed",
                              "LoadData transposes fractals of 16-bit types on their way from L1 only",
                              LOAD_PAGE("LoadData_2D")};
constexpr Rule kBefore = {"load-backwards",
                          "addrMode 1 counts fractals down from startIndex and stays inside the tensor",
                          LOAD_PAGE("LoadData_2D")};
constexpr Rule kInt4 = {"load-int4", "LoadDataWithTranspose takes int4b_t into L0B only",
                        LOAD_PAGE("LoadDataWithTranspose")};
constexpr Rule kChannels = {"image-channels",
                            "channelSize is a multiple of 32 bytes: images of fewer channels are not simulated",
                            LOAD_PAGE("LoadData_3D")};
constexpr Rule kImageTypes = {"image-types",
                              "LoadData of an image into L0B, and transposed into L0A, is for 16-bit and 32-bit types",
                              LOAD_PAGE("LoadData_3D")};
constexpr Rule kImageStart = {"image-start", "kStartPt is a multiple of 32 bytes, strides and dilations are at least 1",
                              LOAD_PAGE("LoadData_3D")};
constexpr Rule kImageWindow = {"image-window", "the kernel fits into the padded image", LOAD_PAGE("LoadData_3D")};
constexpr Rule kShapeSet = {"image-shape", "LoadData with isSetFMatrix false needs SetFmatrix before it",
                            SET_PAGE("SetFmatrix")};
constexpr Rule kRepeat = {"load-repeat",
                          "SetLoadDataRepeat with more than one repeat is not simulated: call LoadData for each",
                          SET_PAGE("SetLoadDataRepeat")};
constexpr Rule kBoundary = {"load-boundary", "SetLoadDataBoundary is 0 or at least 1024",
                            SET_PAGE("SetLoadDataBoundary")};

constexpr uint32_t kFractal = 512;
constexpr uint32_t kBlock = 32;

// The memory a load goes to, by its tensor.
Memory Destination(const Ub& dst, const Call& call) {
    if (dst.memory != Memory::kL0A && dst.memory != Memory::kL0B) {
        Fail(call, kDestination, "dst lies in the %s", SizeOf(*CurrentCore().Request().soc, dst.memory).name);
    }
    return dst.memory;
}

uint32_t Bits(Dtype type) { return type == Dtype::kInt4 ? 4 : BytesOf(type) * 8; }

// Fractal by fractal: where each comes from, in fractals behind the source's start.
int64_t SourceOf(const FractalLoad& load, uint32_t i) {
    const int64_t step = int64_t{load.srcStride} * i;
    return load.backwards ? int64_t{load.first} - step : int64_t{load.first} + step;
}

void CheckSources(const FractalLoad& load, const Call& call) {
    if (SourceOf(load, load.times - 1u) < 0) {
        Fail(call, kBefore, "repeat %u would start at fractal %" PRId64, load.times - 1u,
             SourceOf(load, load.times - 1u));
    }
}

int64_t LastSource(const FractalLoad& load) { return std::max(SourceOf(load, 0), SourceOf(load, load.times - 1u)); }

}  // namespace

void LoadFractals(const FractalLoad& load, Dtype type, const Ub& dst, const Ub& src, Site site) {
    LocalAccess access({"LoadData", site}, LOAD_PAGE("LoadData_2D"), Pipe::kMte1);
    if (load.times == 0) {
        return;
    }
    if (load.transpose && Bits(type) != 16) {
        Fail(access.Where(), kTransposed, "ifTranspose is true for %s", Name(type));
    }
    CheckSources(load, access.Where());
    const uint64_t step = (load.dstGap + uint64_t{1}) * kFractal;
    access.Check("dst", dst, Destination(dst, access.Where()), (load.times - 1) * step + kFractal, kFractal);
    access.Check("src", src, Memory::kL1, static_cast<uint64_t>(LastSource(load) + 1) * kFractal, kBlock);
    access.Issue(Work::Move(load.times * kFractal));
    for (uint32_t i = 0; i < load.times; ++i) {
        const uint64_t from = static_cast<uint64_t>(SourceOf(load, i)) * kFractal;
        if (!load.transpose) {
            access.Move(dst, i * step, src, from, kFractal);
            continue;
        }
        const uint8_t* source = access.Read(src, from, kFractal);
        uint8_t* to = access.Write(dst, i * step, kFractal);
        for (uint32_t row = 0; row < 16; ++row) {
            for (uint32_t column = 0; column < 16; ++column) {
                std::memcpy(to + (row * 16 + column) * 2, source + (column * 16 + row) * 2, 2);
                access.CopyDefined(dst, i * step + (row * 16 + column) * 2, src, from + (column * 16 + row) * 2, 2);
            }
        }
    }
}

void LoadFractals(const FractalLoad& load, Dtype type, const Ub& dst, uint64_t src, Site site) {
    LocalAccess access({"LoadData", site}, LOAD_PAGE("LoadData_2D"), Pipe::kMte2);
    if (load.times == 0) {
        return;
    }
    if (load.transpose) {
        Fail(access.Where(), kTransposed, "ifTranspose is true for %s from global memory", Name(type));
    }
    CheckSources(load, access.Where());
    const bool toL1 = dst.memory == Memory::kL1;
    const uint64_t step = (load.dstGap + uint64_t{1}) * kFractal;
    access.Check("dst", dst, toL1 ? Memory::kL1 : Destination(dst, access.Where()), (load.times - 1) * step + kFractal,
                 toL1 ? kBlock : kFractal);
    access.Issue(Work::Load(uint64_t{load.times} * kFractal));
    for (uint32_t i = 0; i < load.times; ++i) {
        const uint64_t from = src + static_cast<uint64_t>(SourceOf(load, i)) * kFractal;
        ReadGlobal(access, {from, kFractal});
        std::memcpy(access.Write(dst, i * step, kFractal), reinterpret_cast<const void*>(from), kFractal);
        DefineLoaded(access, dst, i * step, from, kFractal);
    }
}

namespace {

// Element `index` of packed elements of `bits`.
void CopyElement(uint8_t* to, uint64_t toIndex, const uint8_t* from, uint64_t fromIndex, uint32_t bits) {
    if (bits != 4) {
        std::memcpy(to + toIndex * (bits / 8), from + fromIndex * (bits / 8), bits / 8);
        return;
    }
    const uint8_t value = from[fromIndex / 2] >> (fromIndex % 2 * 4) & 15;
    uint8_t& byte = to[toIndex / 2];
    byte = static_cast<uint8_t>(toIndex % 2 == 0 ? (byte & 0xf0) | value : (byte & 0x0f) | value << 4);
}

}  // namespace

void LoadTransposed(const SquareLoad& load, Dtype type, const Ub& dst, const Ub& src, Site site) {
    LocalAccess access({"LoadDataWithTranspose", site}, LOAD_PAGE("LoadDataWithTranspose"), Pipe::kMte1);
    if (load.times == 0) {
        return;
    }
    const uint32_t bits = Bits(type);
    if (bits == 4 && dst.memory != Memory::kL0B) {
        Fail(access.Where(), kInt4, "dst lies in the %s", SizeOf(*access.On().Request().soc, dst.memory).name);
    }
    const uint32_t columns = 256 / bits;           // of a fractal
    const uint32_t side = std::max(columns, 16u);  // of a square
    const uint32_t fractals = side * side / (16 * columns);
    const uint64_t square = uint64_t{fractals} * kFractal;
    const FractalLoad steps{load.first, load.times, load.srcStride, load.dstGap, false, load.backwards};
    CheckSources(steps, access.Where());
    const uint64_t step = (load.dstGap + uint64_t{1}) * kFractal;
    const uint64_t inner = (load.dstFractalGap + uint64_t{1}) * kFractal;
    access.Check("dst", dst, Destination(dst, access.Where()),
                 (load.times - 1) * step + (fractals - 1) * inner + kFractal, kFractal);
    access.Check("src", src, Memory::kL1, static_cast<uint64_t>(LastSource(steps) + 1) * square, kBlock);
    access.Issue(Work::Move(load.times * square));
    for (uint32_t i = 0; i < load.times; ++i) {
        const uint64_t from = static_cast<uint64_t>(SourceOf(steps, i)) * square;
        const uint8_t* source = access.Read(src, from, square);
        for (uint32_t f = 0; f < fractals; ++f) {
            const uint64_t at = i * step + f * inner;
            uint8_t* to = access.Write(dst, at, kFractal);
            for (uint32_t r = 0; r < 16; ++r) {
                for (uint32_t c = 0; c < columns; ++c) {
                    // element [row, column] of the transposed square. Fractals of 32-bit types stand side by side in
                    // the square, those of narrower types one below the other.
                    const uint32_t row = bits == 32 ? r : f * 16 + r;
                    const uint32_t column = bits == 32 ? f * columns + c : c;
                    // its source is [column, row]
                    const uint32_t index = bits == 32 ? row / columns * 16 * columns + column * columns + row % columns
                                                      : column * columns + row;
                    CopyElement(to, r * columns + c, source, index, bits);
                    if (bits != 4 || c % 2 == 0) {
                        access.CopyDefined(dst, at + uint64_t{r * columns + c} * bits / 8, src,
                                           from + uint64_t{index} * bits / 8, std::max(bits / 8, 1u));
                    }
                }
            }
        }
    }
}

void SetImageShape(const ImageShape& shape, Site site) {
    Core& core = CurrentCore();
    CheckCubeCore(core, {"SetFmatrix", site});
    core.registers.cube.hasShape = true;
    core.registers.cube.shape = shape;
}

void SetImagePadding(uint64_t value, Site site) {
    Core& core = CurrentCore();
    CheckCubeCore(core, {"SetLoadDataPaddingValue", site});
    core.registers.cube.padding = value;
}

void SetImageBoundary(uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    const Call call{"SetLoadDataBoundary", site};
    CheckCubeCore(core, call);
    if (bytes != 0 && bytes < 1024) {
        Fail(call, kBoundary, "boundaryValue is %u", bytes);
    }
    core.registers.cube.boundary = bytes;
}

void SetImageRepeat(uint16_t stride, uint8_t times, uint8_t mode, Site site) {
    Core& core = CurrentCore();
    CheckCubeCore(core, {"SetLoadDataRepeat", site});
    core.registers.cube.repeatStride = stride;
    core.registers.cube.repeatTimes = times;
    core.registers.cube.repeatMode = mode;
}

namespace {

// The image as columns: rows are places of the kernel, columns are blocks of 32 bytes of channels.
struct Columns {
    const ImageLoad& load;
    ImageShape shape;
    uint32_t outWidth, outHeight;

    // The offset in L1 of the block of 32 bytes at [m, block], or -1 in the padding.
    int64_t At(uint32_t m, uint32_t block) const {
        const uint32_t area = uint32_t{load.filterW} * load.filterH;
        const int64_t h =
            int64_t{m / outWidth} * load.strideH - shape.pad[2] + int64_t{block % area / load.filterW} * load.dilationH;
        const int64_t w =
            int64_t{m % outWidth} * load.strideW - shape.pad[0] + int64_t{block % area % load.filterW} * load.dilationW;
        if (h < 0 || w < 0 || h >= shape.height || w >= shape.width) {
            return -1;
        }
        return ((int64_t{block / area} * shape.height + h) * shape.width + w) * kBlock;
    }
};

}  // namespace

void LoadImage(const ImageLoad& load, Dtype type, const Ub& dst, const Ub& src, Site site) {
    LocalAccess access({"LoadData", site}, LOAD_PAGE("LoadData_3D"), Pipe::kMte1);
    const Call& call = access.Where();
    const CubeRegisters& state = access.On().registers.cube;
    if (!load.setShape && !state.hasShape) {
        Fail(call, kShapeSet, "SetFmatrix has not been called");
    }
    const ImageShape shape = load.setShape ? load.shape : state.shape;
    if (shape.height == 0 || shape.width == 0 || load.channels == 0 || load.kExtension == 0 || load.mExtension == 0 ||
        load.filterW == 0 || load.filterH == 0 || state.repeatTimes == 0) {
        return;
    }
    if (state.repeatTimes != 1) {
        Fail(call, kRepeat, "repeatTime is %u", state.repeatTimes);
    }
    const uint32_t bits = Bits(type);
    const uint32_t c0 = 256 / bits;
    const bool toB = Destination(dst, call) == Memory::kL0B;
    const bool across = toB || load.transpose;  // columns of the image become rows of a fractal
    if (load.channels % c0 != 0) {
        Fail(call, kChannels, "channelSize is %u", load.channels);
    }
    if (across && bits < 16) {
        Fail(call, kImageTypes, "the type is %s", Name(type));
    }
    if (load.kStart % c0 != 0 || load.strideW == 0 || load.strideH == 0 || load.dilationW == 0 || load.dilationH == 0) {
        Fail(call, kImageStart, "kStartPt is %u, strides %u x %u, dilations %u x %u", load.kStart, load.strideH,
             load.strideW, load.dilationH, load.dilationW);
    }
    const int64_t spareW =
        int64_t{shape.width} + shape.pad[0] + shape.pad[1] - (int64_t{load.filterW} - 1) * load.dilationW - 1;
    const int64_t spareH =
        int64_t{shape.height} + shape.pad[2] + shape.pad[3] - (int64_t{load.filterH} - 1) * load.dilationH - 1;
    if (spareW < 0 || spareH < 0) {
        Fail(call, kImageWindow, "l1H x l1W is %u x %u, the kernel %u x %u", shape.height, shape.width, load.filterH,
             load.filterW);
    }
    const Columns columns{load, shape, static_cast<uint32_t>(spareW / load.strideW + 1),
                          static_cast<uint32_t>(spareH / load.strideH + 1)};
    const uint32_t rows =
        std::min<uint32_t>(load.mExtension, columns.outWidth * columns.outHeight -
                                                std::min<uint32_t>(load.mStart, columns.outWidth * columns.outHeight));
    const uint32_t blocks = (load.kExtension + c0 - 1) / c0;
    const uint32_t m16 = (load.mExtension + 15u) / 16;
    const uint32_t k16 = (load.kExtension + 15u) / 16;
    if (rows == 0) {
        return;
    }
    // the last place that is written: fractals at the lower and right edges need not be whole
    const uint32_t last = blocks * c0 - 1;  // of k
    const uint64_t lower = !across ? uint64_t{m16 - 1u} * blocks + blocks - 1
                           : toB   ? uint64_t{(rows - 1) / c0} * k16 + last / 16
                                   : uint64_t{last / 16} * (m16 * 16 / c0) + (rows - 1) / c0;
    const uint64_t bytes = lower * kFractal + ((across ? last : rows - 1) % 16 + 1) * kBlock;
    access.Check("dst", dst, dst.memory, bytes, kFractal);
    const uint32_t depth = std::min<uint32_t>(
        load.channels / c0, (load.kStart / c0 + blocks - 1) / (uint32_t{load.filterW} * load.filterH) + 1);
    access.Check("src", src, Memory::kL1, uint64_t{depth} * shape.height * shape.width * kBlock, kBlock);
    access.Issue(Work::Move(bytes));
    uint8_t padding[kBlock];
    const uint64_t value = load.setPadding ? load.padding : state.padding;
    for (uint32_t i = 0; i < kBlock; i += std::max(bits / 8, 1u)) {
        std::memcpy(padding + i, &value, std::max(bits / 8, 1u));
    }
    for (uint32_t m = 0; m < rows; ++m) {
        for (uint32_t block = 0; block < blocks; ++block) {
            const int64_t at = columns.At(load.mStart + m, load.kStart / c0 + block);
            const uint8_t* from = at < 0 ? padding : access.Read(src, static_cast<uint64_t>(at), kBlock);
            if (!across) {
                const uint64_t to = (uint64_t{m / 16} * blocks + block) * kFractal + m % 16 * kBlock;
                std::memcpy(access.Write(dst, to, kBlock), from, kBlock);
                if (at < 0) {
                    access.Define(dst, to, kBlock);
                } else {
                    access.CopyDefined(dst, to, src, static_cast<uint64_t>(at), kBlock);
                }
                continue;
            }
            const uint32_t size = bits / 8;
            for (uint32_t c = 0; c < c0; ++c) {
                const uint32_t k = block * c0 + c;
                // into L0B rows of the image are the depth, into L0A its columns are the rows
                const uint64_t fractal =
                    toB ? uint64_t{m / c0} * k16 + k / 16 : uint64_t{k / 16} * (m16 * 16 / c0) + m / c0;
                const uint64_t to = fractal * kFractal + (uint64_t{k % 16} * c0 + m % c0) * size;
                std::memcpy(access.Write(dst, to, size), from + c * size, size);
                if (at < 0) {
                    access.Define(dst, to, size);
                } else {
                    access.CopyDefined(dst, to, src, static_cast<uint64_t>(at) + c * size, size);
                }
            }
        }
    }
}

void FillLocal(const LocalFill& fill, const char* api, const Ub& dst, Site site) {
    const bool inL1 = dst.memory == Memory::kL1;
    LocalAccess access({api, site}, SET_PAGE("Fill"), inL1 ? Pipe::kMte2 : Pipe::kMte1);
    if (fill.times == 0 || fill.blocks == 0) {
        return;
    }
    const uint64_t block = inL1 ? kBlock : kFractal;
    const uint64_t length = fill.blocks * block;
    const uint64_t step = length + fill.dstGap * block;
    access.Check("dst", dst, inL1 ? Memory::kL1 : Destination(dst, access.Where()), (fill.times - 1) * step + length,
                 static_cast<uint32_t>(block));
    access.Issue(Work::Move(fill.times * length));
    for (uint32_t i = 0; i < fill.times; ++i) {
        uint8_t* to = access.Write(dst, i * step, length);
        for (uint64_t j = 0; j < length; j += fill.element) {
            std::memcpy(to + j, &fill.value, fill.element);
        }
        access.Define(dst, i * step, length);
    }
}

}  // namespace sim
