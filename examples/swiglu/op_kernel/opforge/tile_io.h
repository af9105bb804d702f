// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// Moves tiles between global memory (GM) and the unified buffer (UB): copies in inputs, broadcast if necessary, and
// copies out results.
//
// A kernel computes in float32, and on integers in int32_t. Tensors of these types are used in place. Inputs of other
// types are cast into a separate buffer after loading, and results are cast back before storing.
#ifndef TILE_IO_H
#define TILE_IO_H

#include <cstdint>
#include "kernel_operator.h"

namespace tile_io {

constexpr uint32_t kBlockBytes = 32;  // unit of UB addresses; DataCopyPad pads to it
// A repeat of an instruction takes 256 bytes of each operand, half a row of UB's banks. Operands that it reads together
// conflict unless one begins half a row later.
constexpr uint32_t kBankShift = 256;  // bytes
constexpr uint32_t kMaxDims = 8;      // dimensions of a collapsed shape, innermost first

template <typename T, typename U>
constexpr bool kSame = false;
template <typename T>
constexpr bool kSame<T, T> = true;

// The type in which elements of T are copied and cast: the vector unit stores bool as bytes, 0 or 1.
template <typename T>
struct StoredAs {
    using Type = T;
};
template <>
struct StoredAs<bool> {
    using Type = uint8_t;
};

// One-byte types can be cast to and from float only through half (Cast, table of data types).
template <typename T>
constexpr bool kViaHalf = sizeof(T) == 1;
template <typename... T>
constexpr bool kSomeViaHalf = (... || kViaHalf<T>);

// Integers with more digits than float: casts to float round them.
template <typename T>
constexpr bool kLongInteger = kSame<T, int32_t> || kSame<T, int64_t>;
template <typename T>
constexpr bool kInteger = kLongInteger<T> || kSame<T, int16_t> || kViaHalf<T>;

// The number of buffers of Computed that a tensor of T needs in addition to its queue: 0 or 1.
template <typename T, typename Computed = float>
constexpr uint32_t kBuffersOf = kSame<T, Computed> ? 0 : 1;

// The distance between rows of a tile is a multiple of this many elements: whole blocks for each of the types.
template <typename... T>
constexpr uint32_t kWideRowStep = (... || (sizeof(T) == 2)) ? 16 : 8;
template <typename... T>
constexpr uint32_t kRowStepOf = kSomeViaHalf<T...> ? 32 : kWideRowStep<T...>;

// Casts from the stored type to the compute type. `halves` is a buffer for a tile of half; only one-byte types need it.
template <typename Computed, typename T>
__aicore__ inline void Widen(const AscendC::LocalTensor<Computed>& values, const AscendC::LocalTensor<T>& stored,
                             const AscendC::LocalTensor<half>& halves, uint32_t count) {
    if constexpr (kViaHalf<T> && kSame<Computed, int32_t>) {
        AscendC::Cast(halves, stored, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(values, halves, AscendC::RoundMode::CAST_RINT, count);
    } else if constexpr (kSame<T, int16_t> && kSame<Computed, int32_t>) {
        const AscendC::LocalTensor<float> floats = values.template ReinterpretCast<float>();
        AscendC::Cast(floats, stored, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(values, floats, AscendC::RoundMode::CAST_RINT, count);
    } else if constexpr (kViaHalf<T>) {
        AscendC::Cast(halves, stored, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(values, halves, AscendC::RoundMode::CAST_NONE, count);
    } else if constexpr (kLongInteger<T>) {
        AscendC::Cast(values, stored, AscendC::RoundMode::CAST_RINT, count);
    } else {
        AscendC::Cast(values, stored, AscendC::RoundMode::CAST_NONE, count);
    }
}

// Casts from float to the stored type. Floats round to the nearest, ties to even. Integers round towards zero and
// saturate. Truncating to half before truncating to an integer gives the same result as truncating once.
template <typename T>
__aicore__ inline void Narrow(const AscendC::LocalTensor<T>& stored, const AscendC::LocalTensor<float>& values,
                              const AscendC::LocalTensor<half>& halves, uint32_t count) {
    if constexpr (kViaHalf<T>) {
        AscendC::Cast(halves, values, AscendC::RoundMode::CAST_TRUNC, count);
        AscendC::Cast(stored, halves, AscendC::RoundMode::CAST_TRUNC, count);
    } else if constexpr (kInteger<T>) {
        AscendC::Cast(stored, values, AscendC::RoundMode::CAST_TRUNC, count);
    } else {
        AscendC::Cast(stored, values, AscendC::RoundMode::CAST_RINT, count);
    }
}

// Casts from int32_t to another integer type, which has all these values: one byte through int16_t and half.
template <typename T>
__aicore__ inline void Narrow(const AscendC::LocalTensor<T>& stored, const AscendC::LocalTensor<int32_t>& values,
                              const AscendC::LocalTensor<half>& halves, uint32_t count) {
    if constexpr (kViaHalf<T>) {
        const AscendC::LocalTensor<int16_t> shorts = halves.ReinterpretCast<int16_t>();
        AscendC::Cast(shorts, values, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(halves, shorts, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(stored, halves, AscendC::RoundMode::CAST_TRUNC, count);
    } else {
        AscendC::Cast(stored, values, AscendC::RoundMode::CAST_NONE, count);
    }
}

// A tile of the output: rows x columns elements. The distance between rows in UB is `pitch` elements.
struct Tile {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;

    __aicore__ inline uint32_t Count() const { return rows == 1 ? columns : rows * pitch; }
};

// The part of an operand that a tile needs: its first element in GM, and the distances to the next row and column. A
// stride of 0 means that the operand is broadcast in that direction.
struct Place {
    int64_t offset;
    int64_t rowStride;
    int64_t columnStride;
};

// Splits an output shape (innermost dimension first) into tiles.
struct TileGrid {
    const int64_t* shape;
    uint32_t tileRows;
    uint32_t tileColumns;
    int64_t rowTiles;     // tiles that cover dimension 1
    int64_t columnTiles;  // tiles that cover dimension 0
};

// A tile's first row and column within dimensions 1 and 0, and its index over dimensions 2 and up.
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

__aicore__ inline Tile TileAt(const TileGrid& grid, const TileOrigin& origin, uint32_t rowStep) {
    const uint32_t rows = AtMost(grid.shape[1] - origin.row, grid.tileRows);
    const uint32_t columns = AtMost(grid.shape[0] - origin.column, grid.tileColumns);
    return {rows, columns, RoundUp(columns, rowStep)};
}

// The part of an operand for the tile at `origin`. Strides are in elements, innermost dimension first.
__aicore__ inline Place PlaceAt(const TileGrid& grid, const TileOrigin& origin, const int64_t* strides) {
    int64_t offset = origin.row * strides[1] + origin.column * strides[0];
    int64_t rest = origin.outer;
    for (uint32_t dim = 2; rest != 0; dim++) {
        offset += rest % grid.shape[dim] * strides[dim];
        rest /= grid.shape[dim];
    }
    return {offset, strides[1], strides[0]};
}

// The offset in the contiguous output at which the tile at `origin` begins.
__aicore__ inline int64_t OffsetInOutput(const TileGrid& grid, const TileOrigin& origin) {
    return (origin.outer * grid.shape[1] + origin.row) * grid.shape[0] + origin.column;
}

// An input: its GM, its VECIN queue of tiles, and a view of a tile in the compute type.
template <typename T, typename Computed = float>
class InQueue {
public:
    using Stored = typename StoredAs<T>::Type;
    using View = AscendC::LocalTensor<Computed>;
    using Halves = AscendC::LocalTensor<half>;

    // `bypassL2`: what is read, once, takes no room in the L2 cache.
    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t bufferCount, uint32_t tileElements,
                                bool bypassL2 = false) {
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ Stored*>(address));
        if (bypassL2) {
            gm.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        }
        pipe.InitBuffer(queue, bufferCount, tileElements * sizeof(Stored));
    }

    // Copies the operand's part of the tile: the whole tile, one row, one column or one element.
    __aicore__ inline void CopyIn(const Tile& tile, const Place& place) {
        AscendC::LocalTensor<Stored> stored = queue.template AllocTensor<Stored>();
        const uint32_t rows = place.rowStride == 0 ? 1 : tile.rows;
        const uint32_t columns = place.columnStride == 0 ? 1 : tile.columns;
        const uint32_t rowBlocks = RoundUp(columns * sizeof(Stored), kBlockBytes) / kBlockBytes;
        AscendC::DataCopyExtParams copy{};
        copy.blockCount = static_cast<uint16_t>(rows);
        copy.blockLen = columns * sizeof(Stored);
        copy.srcStride = rows == 1 ? 0 : static_cast<uint32_t>((place.rowStride - columns) * sizeof(Stored));
        copy.dstStride = rows == 1 ? 0 : tile.pitch * sizeof(Stored) / kBlockBytes - rowBlocks;
        AscendC::DataCopyPad(stored, gm[place.offset], copy, AscendC::DataCopyPadExtParams<Stored>());
        queue.EnQue(stored);
    }

    // The tile's elements in the compute type: the queue's tensor, or `buffer` after a cast. A broadcast operand is
    // repeated until it fills the tile.
    __aicore__ inline View DeQue(const View& buffer, const Tile& tile, const Place& place,
                                 const Halves& halves = Halves()) {
        const bool oneRow = place.rowStride == 0;
        View view = Loaded(buffer, halves, oneRow ? tile.columns : tile.Count());
        if (place.columnStride == 0) {
            RepeatElements(view, tile, oneRow);
        } else if (oneRow && tile.rows > 1) {
            RepeatRow(view, tile);
        }
        return view;
    }

    // Leaves the tile's elements in `kept`, and gives a tile that may be overwritten.
    __aicore__ inline View DeQue(const View& buffer, const View& kept, const Tile& tile, const Place& place,
                                 const Halves& halves = Halves()) {
        if constexpr (kSame<T, Computed>) {
            View view = DeQue(buffer, tile, place, halves);
            AscendC::Muls(kept, view, static_cast<Computed>(1), tile.Count());
            return view;
        } else {
            DeQue(kept, tile, place, halves);
            return buffer;
        }
    }

    // A tile filled with `value`, for an input that was not copied in.
    __aicore__ inline View Filled(const View& buffer, const Tile& tile, Computed value) {
        View view = buffer;
        if constexpr (kSame<T, Computed>) {
            view = queue.template AllocTensor<Computed>();
        }
        AscendC::Duplicate(view, value, tile.Count());
        return view;
    }

    // Releases the queue's tensor after the last use of the view.
    __aicore__ inline void FreeTensor(View& view) {
        if constexpr (kSame<T, Computed>) {
            queue.FreeTensor(view);
        }
    }

private:
    __aicore__ inline View Loaded(const View& buffer, const Halves& halves, uint32_t count) {
        AscendC::LocalTensor<Stored> stored = queue.template DeQue<Stored>();
        if constexpr (kSame<T, Computed>) {
            return stored;
        } else {
            Widen(buffer, stored, halves, count);
            queue.FreeTensor(stored);
            return buffer;
        }
    }

    // Fills each row with its first element, or the whole tile with the first element. The scalar unit reads that
    // element, so it waits for the vector unit, which has waited for the copy.
    __aicore__ inline void RepeatElements(const View& view, const Tile& tile, bool oneRow) {
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

    // Copies the first row to all others and doubles the number of rows each time. Multiplying by 1 copies every value
    // exactly.
    __aicore__ inline void RepeatRow(const View& view, const Tile& tile) {
        for (uint32_t done = 1; done < tile.rows; done *= 2) {
            const uint32_t rows = tile.rows - done < done ? tile.rows - done : done;
            AscendC::Muls(view[done * tile.pitch], view, static_cast<Computed>(1), rows * tile.pitch);
        }
    }

    AscendC::GlobalTensor<Stored> gm;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
};

// An optional input: if it is missing, a number replaces all its elements.
template <typename T, typename Computed = float>
class OptionalInQueue : public InQueue<T, Computed> {
public:
    using Queue = InQueue<T, Computed>;
    using View = typename Queue::View;
    using Halves = typename Queue::Halves;

    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t bufferCount, uint32_t tileElements,
                                bool given, Computed otherwise, bool bypassL2 = false) {
        Queue::Init(pipe, address, bufferCount, tileElements, bypassL2);
        this->given = given;
        this->otherwise = otherwise;
    }

    __aicore__ inline void CopyIn(const Tile& tile, const Place& place) {
        if (given) {
            Queue::CopyIn(tile, place);
        }
    }

    __aicore__ inline View DeQue(const View& buffer, const Tile& tile, const Place& place,
                                 const Halves& halves = Halves()) {
        return given ? Queue::DeQue(buffer, tile, place, halves) : Queue::Filled(buffer, tile, otherwise);
    }

    __aicore__ inline View DeQue(const View& buffer, const View& kept, const Tile& tile, const Place& place,
                                 const Halves& halves = Halves()) {
        if (given) {
            return Queue::DeQue(buffer, kept, tile, place, halves);
        }
        AscendC::Duplicate(kept, otherwise, tile.Count());
        return Queue::Filled(buffer, tile, otherwise);
    }

private:
    bool given;
    Computed otherwise;
};

// An output: its GM, its VECOUT queue of tiles, and a view of a tile in the compute type.
template <typename T, typename Computed = float>
class OutQueue {
public:
    using Stored = typename StoredAs<T>::Type;
    using View = AscendC::LocalTensor<Computed>;
    using Halves = AscendC::LocalTensor<half>;

    __aicore__ inline void Init(AscendC::TPipe& pipe, GM_ADDR address, uint32_t bufferCount, uint32_t tileElements) {
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ Stored*>(address));
        pipe.InitBuffer(queue, bufferCount, tileElements * sizeof(Stored));
    }

    // The tensor in which the tile is computed: the queue's tensor or `buffer`.
    __aicore__ inline View AllocTensor(const View& buffer) {
        if constexpr (kSame<T, Computed>) {
            return queue.template AllocTensor<Computed>();
        } else {
            return buffer;
        }
    }

    // Stores a copy of a tile that is still needed. Multiplying by 1 copies every value exactly.
    __aicore__ inline void EnQueCopy(View& source, uint32_t count, const Halves& halves = Halves()) {
        if constexpr (kSame<T, Computed>) {
            View stored = queue.template AllocTensor<Computed>();
            AscendC::Muls(stored, source, static_cast<Computed>(1), count);
            queue.EnQue(stored);
        } else {
            EnQue(source, count, halves);
        }
    }

    // Casts the computed tile to T and passes it to CopyOut.
    __aicore__ inline void EnQue(View& view, uint32_t count, const Halves& halves = Halves()) {
        if constexpr (kSame<T, Computed>) {
            queue.EnQue(view);
        } else {
            AscendC::LocalTensor<Stored> stored = queue.template AllocTensor<Stored>();
            Narrow(stored, view, halves, count);
            queue.EnQue(stored);
        }
    }

    // Writes the tile to rows of `rowLength` elements; the first row begins at `offset`. No other byte is written.
    __aicore__ inline void CopyOut(const Tile& tile, int64_t offset, int64_t rowLength) {
        AscendC::LocalTensor<Stored> stored = queue.template DeQue<Stored>();
        const uint32_t rowBlocks = RoundUp(tile.columns * sizeof(Stored), kBlockBytes) / kBlockBytes;
        AscendC::DataCopyExtParams copy{};
        copy.blockCount = static_cast<uint16_t>(tile.rows);
        copy.blockLen = tile.columns * sizeof(Stored);
        copy.srcStride = tile.rows == 1 ? 0 : tile.pitch * sizeof(Stored) / kBlockBytes - rowBlocks;
        copy.dstStride = tile.rows == 1 ? 0 : static_cast<uint32_t>((rowLength - tile.columns) * sizeof(Stored));
        AscendC::DataCopyPad(gm[offset], stored, copy);
        queue.FreeTensor(stored);
    }

private:
    AscendC::GlobalTensor<Stored> gm;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
};

}  // namespace tile_io

#endif  // TILE_IO_H
