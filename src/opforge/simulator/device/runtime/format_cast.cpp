#include "format_cast.h"

#include <algorithm>
#include <cstring>

#include "device_memory.h"
#include "error_message.h"

namespace sim {
namespace {

constexpr int64_t kBlockRows = 16;

struct Matrices {
    int64_t count = 1;
    int64_t rows;
    int64_t columns;
};

// Blocks of FRACTAL_NZ: they lie column by column, and each has `width` columns.
struct Blocks {
    int64_t across;
    int64_t down;
    int64_t width;

    int64_t Elements() const { return across * down * kBlockRows * width; }
    int64_t Place(int64_t row, int64_t column) const {
        return (column / width * down * kBlockRows + row) * width + column % width;
    }
};

bool BlocksOf(const Stored& stored, const Matrices& matrices, Blocks* blocks) {
    const std::vector<int64_t>& dims = stored.storageDims;
    if (dims.size() != stored.dims.size() + 2 || dims[dims.size() - 2] != kBlockRows || dims.back() <= 0) {
        return false;
    }
    *blocks = {dims[dims.size() - 4], dims[dims.size() - 3], dims.back()};
    int64_t count = 1;
    for (size_t i = 0; i + 4 < dims.size(); ++i) {
        count *= dims[i];
    }
    return count == matrices.count && blocks->across == (matrices.columns + blocks->width - 1) / blocks->width &&
           blocks->down == (matrices.rows + kBlockRows - 1) / kBlockRows;
}

// Where the host reaches a tensor's bytes; nullptr where they are not inside one allocation.
char* Reach(const Stored& stored, int64_t elements, size_t elementBytes) {
    const size_t bytes = static_cast<size_t>(elements) * elementBytes;
    const int device = DeviceOfAddress(stored.data);
    if (device < 0 || bytes > stored.bytes) {
        return nullptr;
    }
    return static_cast<char*>(MemoryOf(static_cast<uint32_t>(device)).HostView(stored.data, bytes));
}

}  // namespace

aclError CastFormat(const Stored& from, const Stored& to, size_t elementBytes) {
    const bool intoBlocks = to.format == ACL_FORMAT_FRACTAL_NZ;
    const Stored& blocked = intoBlocks ? to : from;
    const Stored& plain = intoBlocks ? from : to;
    if (blocked.format != ACL_FORMAT_FRACTAL_NZ || plain.format != ACL_FORMAT_ND || elementBytes == 0) {
        return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "the simulated device casts between the formats ND (2) and FRACTAL_NZ (29), not from %d to %d",
                    static_cast<int>(from.format), static_cast<int>(to.format));
    }
    if (plain.dims != blocked.dims || plain.dims.size() < 2) {
        return Fail(ACL_ERROR_INVALID_PARAM, "a cast of formats needs the same shape on both sides, of 2 or more dims");
    }
    Matrices matrices{1, plain.dims[plain.dims.size() - 2], plain.dims.back()};
    for (size_t i = 0; i + 2 < plain.dims.size(); ++i) {
        matrices.count *= plain.dims[i];
    }
    Blocks blocks{};
    if (!BlocksOf(blocked, matrices, &blocks)) {
        return Fail(ACL_ERROR_INVALID_PARAM,
                    "the storage of a tensor in FRACTAL_NZ does not have the shape of its blocks");
    }
    const int64_t elements = matrices.rows * matrices.columns;
    if (matrices.count * elements == 0) {
        return ACL_SUCCESS;
    }
    char* rows = Reach(plain, matrices.count * elements, elementBytes);
    char* tiles = Reach(blocked, matrices.count * blocks.Elements(), elementBytes);
    if (rows == nullptr || tiles == nullptr) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "a cast of formats reaches beyond the memory of its tensor");
    }
    if (intoBlocks) {
        std::memset(tiles, 0, static_cast<size_t>(matrices.count * blocks.Elements()) * elementBytes);
    }
    for (int64_t matrix = 0; matrix < matrices.count; ++matrix) {
        for (int64_t row = 0; row < matrices.rows; ++row) {
            for (int64_t column = 0; column < matrices.columns; column += blocks.width) {
                const size_t count = static_cast<size_t>(std::min(blocks.width, matrices.columns - column));
                char* one =
                    rows + static_cast<size_t>(matrix * elements + row * matrices.columns + column) * elementBytes;
                char* other =
                    tiles + static_cast<size_t>(matrix * blocks.Elements() + blocks.Place(row, column)) * elementBytes;
                std::memcpy(intoBlocks ? other : one, intoBlocks ? one : other, count * elementBytes);
            }
        }
    }
    return ACL_SUCCESS;
}

}  // namespace sim
