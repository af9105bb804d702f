// A product as an input of an epilogue: a tile of it is the sum of its parts, which are added as they arrive.
#ifndef SUMMED_QUEUE_H
#define SUMMED_QUEUE_H

#include "kernel_operator.h"
#include "tile_io.h"

namespace tile_io {

// With one part, a tile is what the memory holds.
template <typename T>
class SummedQueue : public OptionalInQueue<T> {
public:
    using Queue = OptionalInQueue<T>;
    using View = typename Queue::View;
    using Halves = typename Queue::Halves;

    // The parts of a product lie `distance` elements apart.
    __aicore__ inline void InitParts(AscendC::TPipe& pipe, GM_ADDR address, uint32_t tileElements, int64_t count,
                                     int64_t distance) {
        partCount = count;
        partDistance = distance;
        if (partCount > 1) {
            parts.Init(pipe, address, kPartBuffers, tileElements);
        }
    }

    __aicore__ inline View DeQue(const View& buffer, const Tile& tile, const Place& place,
                                 const Halves& halves = Halves()) {
        View sum = Queue::DeQue(buffer, tile, place, halves);
        AddParts(sum, tile, place);
        return sum;
    }

    __aicore__ inline View DeQue(const View& buffer, const View& kept, const Tile& tile, const Place& place,
                                 const Halves& halves = Halves()) {
        View sum = DeQue(buffer, tile, place, halves);
        AscendC::Adds(kept, sum, 0.0f, tile.Count());
        return sum;
    }

private:
    static constexpr uint32_t kPartBuffers = 2;  // while a part is added, the next one arrives

    // One part after the other: the same order for all tiles.
    __aicore__ inline void AddParts(const View& sum, const Tile& tile, const Place& place) {
        if (partCount > 1) {
            parts.CopyIn(tile, PlaceOf(1, place));
        }
        for (int64_t part = 1; part < partCount; part++) {
            View more = parts.DeQue(View(), tile, place);
            if (part + 1 < partCount) {
                parts.CopyIn(tile, PlaceOf(part + 1, place));
            }
            AscendC::Add(sum, sum, more, tile.Count());
            parts.FreeTensor(more);
        }
    }

    __aicore__ inline Place PlaceOf(int64_t part, const Place& place) const {
        return {place.offset + part * partDistance, place.rowStride, place.columnStride};
    }

    InQueue<T> parts;
    int64_t partCount;
    int64_t partDistance;
};

}  // namespace tile_io

#endif  // SUMMED_QUEUE_H
