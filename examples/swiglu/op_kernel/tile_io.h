// Tiles on their way between global memory (GM) and the unified buffer (UB): broadcast operands in, results out.
//
// A kernel computes in float32. Operands stored in float32 are used where the copy put them; half and bfloat16_t are
// cast into a float32 buffer of their own after loading, and back before storing.
#ifndef TILE_IO_H
#define TILE_IO_H

#include <cstdint>
#include "kernel_operator.h"

namespace tile_io {

constexpr uint32_t kBlockBytes = 32;  // unit of UB addresses and of what DataCopyPad pads to
constexpr uint32_t kRowStep = 16;     // rows of a tile start a multiple of this many elements apart: 32 bytes of half
constexpr uint32_t kMaxDims = 8;      // dimensions of a collapsed shape, innermost first

template <typename T>
constexpr bool kIsFloat32 = false;
template <>
constexpr bool kIsFloat32<float> = true;

// How many float32 buffers a tensor of T needs beside its queue: none or one.
template <typename T>
constexpr uint32_t kFloatBuffersOf = kIsFloat32<T> ? 0 : 1;

// What is computed at once: rows x columns elements of the output, whose rows lie `pitch` elements apart in UB.
struct Tile {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;

    __aicore__ inline uint32_t Count() const { return rows == 1 ? columns : rows * pitch; }
};

// Where an operand's part of a tile begins in GM, and how many elements on the next row and column are. A stride of 0
// means that the operand is broadcast along that direction.
struct Place {
    int64_t offset;
    int64_t rowStride;
    int64_t columnStride;
};

// Which part of the output a core's n-th tile is, of a shape with its innermost dimension first.
struct TileGrid {
    const int64_t* shape;
    uint32_t tileRows;
    uint32_t tileColumns;
    int64_t rowTiles;     // tiles that cover dimension 1
    int64_t columnTiles;  // tiles that cover dimension 0
};

// A tile's first row and column within dimensions 1 and 0, and its number among dimensions 2 and up.
struct TileOrigin {
    int64_t row;
    int64_t column;
    int64_t outer;
};

__aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

__aicore__ inline uint32_t AtMost(int64_t value, uint32_t limit) {
    return static_cast<uint32_t>(Least(value, static_cast<int64_t>(limit)));
}

__aicore__ inline uint32_t RoundUp(uint32_t value, uint32_t step) { return (value + step - 1) / step * step; }

__aicore__ inline TileOrigin OriginOf(const TileGrid& grid, int64_t tileNumber) {
    const int64_t tilesPerPlane = grid.rowTiles * grid.columnTiles;
    const int64_t inPlane = tileNumber % tilesPerPlane;
    return {inPlane / grid.columnTiles * grid.tileRows, inPlane % grid.columnTiles * grid.tileColumns,
            tileNumber / tilesPerPlane};
}

__aicore__ inline Tile TileAt(const TileGrid& grid, const TileOrigin& origin) {
    const uint32_t rows = AtMost(grid.shape[1] - origin.row, grid.tileRows);
    const uint32_t columns = AtMost(grid.shape[0] - origin.column, grid.tileColumns);
    return {rows, columns, RoundUp(columns, kRowStep)};
}

// Where an operand with these strides (in elements, innermost dimension first) is read for the tile at `origin`.
__aicore__ inline Place PlaceAt(const TileGrid& grid, const TileOrigin& origin, const int64_t* strides) {
    int64_t offset = origin.row * strides[1] + origin.column * strides[0];
    int64_t rest = origin.outer;
    for (uint32_t dim = 2; rest != 0; dim++) {
        offset += rest % grid.shape[dim] * strides[dim];
        rest /= grid.shape[dim];
    }
    return {offset, strides[1], strides[0]};
}

// The output is contiguous: where the tile at `origin` begins in it.
__aicore__ inline int64_t OffsetInOutput(const TileGrid& grid, const TileOrigin& origin) {
    return (origin.outer * grid.shape[1] + origin.row) * grid.shape[0] + origin.column;
}

// An input: its GM, its queue of tiles at VECIN, and the way to a float32 view of a tile.
template <typename T>
class TileReader {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t bufferCount, uint32_t tileElements) {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
        pipe.InitBuffer(queue_, bufferCount, tileElements * sizeof(T));
    }

    // Copies what the tile needs of this operand: all of it, one row, one column or one element.
    __aicore__ inline void CopyIn(const Tile& tile, const Place& place) {
        AscendC::LocalTensor<T> stored = queue_.template AllocTensor<T>();
        const uint32_t rows = place.rowStride == 0 ? 1 : tile.rows;
        const uint32_t columns = place.columnStride == 0 ? 1 : tile.columns;
        const uint32_t rowBlocks = RoundUp(columns * sizeof(T), kBlockBytes) / kBlockBytes;
        AscendC::DataCopyExtParams copy{};
        copy.blockCount = static_cast<uint16_t>(rows);
        copy.blockLen = columns * sizeof(T);
        copy.srcStride = rows == 1 ? 0 : static_cast<uint32_t>((place.rowStride - columns) * sizeof(T));
        copy.dstStride = rows == 1 ? 0 : tile.pitch * sizeof(T) / kBlockBytes - rowBlocks;
        AscendC::DataCopyPad(stored, gm_[place.offset], copy, AscendC::DataCopyPadExtParams<T>());
        queue_.EnQue(stored);
    }

    // The tile's elements in float32: the queue's own tensor, or `floats` with the elements cast into it. What CopyIn
    // copied of a broadcast operand is repeated until it fills the tile.
    __aicore__ inline AscendC::LocalTensor<float> Open(const AscendC::LocalTensor<float>& floats, const Tile& tile,
                                                       const Place& place) {
        const bool oneRow = place.rowStride == 0;
        AscendC::LocalTensor<float> view = Float32(floats, oneRow ? tile.columns : tile.Count());
        if (place.columnStride == 0) {
            RepeatElements(view, tile, oneRow);
        } else if (oneRow && tile.rows > 1) {
            RepeatRow(view, tile);
        }
        return view;
    }

    // The view of a tile that was not copied in: `value` for every element.
    __aicore__ inline AscendC::LocalTensor<float> Filled(const AscendC::LocalTensor<float>& floats, const Tile& tile,
                                                         float value) {
        AscendC::LocalTensor<float> view = floats;
        if constexpr (kIsFloat32<T>) {
            view = queue_.template AllocTensor<float>();
        }
        AscendC::Duplicate(view, value, tile.Count());
        return view;
    }

    // Gives the buffer back once the view has been read for the last time.
    __aicore__ inline void Close(AscendC::LocalTensor<float>& view) {
        if constexpr (kIsFloat32<T>) {
            queue_.FreeTensor(view);
        }
    }

private:
    __aicore__ inline AscendC::LocalTensor<float> Float32(const AscendC::LocalTensor<float>& floats, uint32_t count) {
        AscendC::LocalTensor<T> stored = queue_.template DeQue<T>();
        if constexpr (kIsFloat32<T>) {
            return stored;
        } else {
            AscendC::Cast(floats, stored, AscendC::RoundMode::CAST_NONE, count);
            queue_.FreeTensor(stored);
            return floats;
        }
    }

    // Fills each row with its first element, or the whole tile with the first element of all. The scalar unit reads
    // that element once the vector unit, which has waited for the copy, is done with the cast.
    __aicore__ inline void RepeatElements(const AscendC::LocalTensor<float>& view, const Tile& tile, bool oneRow) {
        const event_t ready = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S));
        AscendC::SetFlag<AscendC::HardEvent::V_S>(ready);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(ready);
        if (oneRow) {
            AscendC::Duplicate(view, view.GetValue(0), tile.Count());
            return;
        }
        for (uint32_t row = 0; row < tile.rows; row++) {
            AscendC::Duplicate(view[row * tile.pitch], view.GetValue(row * tile.pitch), tile.columns);
        }
    }

    // Copies the first row to all others, twice as many each time. A product with 1 keeps every value as it is.
    __aicore__ inline void RepeatRow(const AscendC::LocalTensor<float>& view, const Tile& tile) {
        for (uint32_t done = 1; done < tile.rows; done *= 2) {
            const uint32_t rows = tile.rows - done < done ? tile.rows - done : done;
            AscendC::Muls(view[done * tile.pitch], view, 1.0f, rows * tile.pitch);
        }
    }

    AscendC::GlobalTensor<T> gm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
};

// An output: its GM, its queue of tiles at VECOUT, and the way from a float32 view of a tile.
template <typename T>
class TileWriter {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t bufferCount, uint32_t tileElements) {
        gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
        pipe.InitBuffer(queue_, bufferCount, tileElements * sizeof(T));
    }

    // Where to compute the tile in float32: the queue's own tensor, or `floats`.
    __aicore__ inline AscendC::LocalTensor<float> Open(const AscendC::LocalTensor<float>& floats) {
        if constexpr (kIsFloat32<T>) {
            return queue_.template AllocTensor<float>();
        } else {
            return floats;
        }
    }

    // Stores a tile that was computed for another purpose and is still needed. A product with 1 keeps every value.
    __aicore__ inline void StoreCopy(AscendC::LocalTensor<float>& source, uint32_t count) {
        if constexpr (kIsFloat32<T>) {
            AscendC::LocalTensor<float> stored = queue_.template AllocTensor<float>();
            AscendC::Muls(stored, source, 1.0f, count);
            queue_.EnQue(stored);
        } else {
            Close(source, count);
        }
    }

    // Hands the computed tile on to CopyOut, rounded to the nearest T, ties to even.
    __aicore__ inline void Close(AscendC::LocalTensor<float>& view, uint32_t count) {
        if constexpr (kIsFloat32<T>) {
            queue_.EnQue(view);
        } else {
            AscendC::LocalTensor<T> stored = queue_.template AllocTensor<T>();
            AscendC::Cast(stored, view, AscendC::RoundMode::CAST_RINT, count);
            queue_.EnQue(stored);
        }
    }

    // Writes the tile to rows of `rowLength` elements, the first one at `offset`. Not a byte more is touched.
    __aicore__ inline void CopyOut(const Tile& tile, int64_t offset, int64_t rowLength) {
        AscendC::LocalTensor<T> stored = queue_.template DeQue<T>();
        const uint32_t rowBlocks = RoundUp(tile.columns * sizeof(T), kBlockBytes) / kBlockBytes;
        AscendC::DataCopyExtParams copy{};
        copy.blockCount = static_cast<uint16_t>(tile.rows);
        copy.blockLen = tile.columns * sizeof(T);
        copy.srcStride = tile.rows == 1 ? 0 : tile.pitch * sizeof(T) / kBlockBytes - rowBlocks;
        copy.dstStride = tile.rows == 1 ? 0 : static_cast<uint32_t>((rowLength - tile.columns) * sizeof(T));
        AscendC::DataCopyPad(gm_[offset], stored, copy);
        queue_.FreeTensor(stored);
    }

private:
    AscendC::GlobalTensor<T> gm_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue_;
};

}  // namespace tile_io

#endif  // TILE_IO_H
