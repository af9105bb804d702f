#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "tile_io.h"
{% if vector.functions %}
#include "vector_math.h"
{% endif %}
#include "{{ stem }}_tiling.h"

{% for line in formulas %}
// {{ line }}
{% endfor %}
//
// Element by element, with broadcasting, computed in {{ vector.computed_in }} whatever the storage types.
{{ template_line }}
class {{ op_type }}Kernel {
public:
    {{ init_signature }} {
        tiling_ = &tilingData;
{% for line in init_lines %}
        {{ line }}
{% endfor %}
        if constexpr (kTileBuffers > 0) {
            tPipe.InitBuffer(tiles_, kTileBuffers * tilingData.tileElements * sizeof(float));
        }
{% if vector.via_half %}
        if constexpr (kViaHalf) {
            tPipe.InitBuffer(halves_, tilingData.tileElements * sizeof(half));
        }
{% endif %}
{% if vector.masks %}
        tPipe.InitBuffer(masks_, kMasks * tilingData.tileElements / kMaskBits);
{% endif %}
    }

    // All shapes are equal: the core's part is one stretch of elements.
    __aicore__ inline void ProcessFlat() {
        const int64_t begin = tiling_->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling_->elementsPerBlock, tiling_->totalElements);
        for (int64_t offset = begin; offset < end; offset += tiling_->tileElements) {
            const uint32_t elementCount = tile_io::AtMost(end - offset, tiling_->tileElements);
            const tile_io::Tile thisTile{1, elementCount, elementCount};
            const tile_io::Place thisPlace{offset, 0, 1};
            {{ flat_copy_in }}
            {{ flat_compute }}
            CopyOut(thisTile, offset, elementCount);
        }
    }

    // Some input is broadcast: the core's part is a run of tiles of rows and columns.
    __aicore__ inline void ProcessBroadcast() {
        const tile_io::TileGrid theGrid{tiling_->outputShape, tiling_->tileRows, tiling_->tileColumns,
                                        tiling_->rowTiles, tiling_->columnTiles};
        const int64_t begin = tiling_->tilesPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling_->tilesPerBlock, tiling_->tileCount);
        for (int64_t tileNumber = begin; tileNumber < end; tileNumber++) {
            const tile_io::TileOrigin theOrigin = tile_io::OriginOf(theGrid, tileNumber);
            const tile_io::Tile thisTile = tile_io::TileAt(theGrid, theOrigin, kRowStep);
{% for tensor in read %}
            {{ tensor.place_line }}
{% endfor %}
            {{ broadcast_copy_in }}
            {{ broadcast_compute }}
            CopyOut(thisTile, tile_io::OffsetInOutput(theGrid, theOrigin), theGrid.shape[0]);
        }
    }

private:
{% if vector.double_buffered %}
    // Buffers of each queue: while one tile is computed, the next is copied in and the last one out.
{% else %}
    // Buffers of each queue. A second one for each would exceed the queue buffers that the hardware has.
{% endif %}
    static constexpr uint32_t kBuffers = {{ vector.buffers }};
    // Rows of a tile start a multiple of this many elements apart.
    {{ vector.row_step }}
    // Places in tiles_. A tensor that is stored as it is computed takes none.
{% for line in vector.buffer_constants %}
    {{ line }}
{% endfor %}
{% if vector.via_half %}
    // Whether some tensor is of single bytes, which are cast by way of half.
    {{ vector.via_half }}
{% endif %}
{% if vector.masks %}
    // One bit for each element; Compare works on whole blocks of 256 bytes.
    static constexpr uint32_t kMasks = {{ vector.masks }};
    static constexpr uint32_t kMaskBits = 8;
    static constexpr uint32_t kCompareElements = 64;
{% endif %}

    {{ copy_in_signature }} {
{% for line in copy_in_lines %}
        {{ line }}
{% endfor %}
    }

    {{ compute_signature }} {
        const uint32_t elementCount = thisTile.Count();
{% if vector.masks %}
        const uint32_t compareCount = tile_io::RoundUp(elementCount, kCompareElements);
{% endif %}
        // Views are written over once they have been read for the last time.
{% for line in vector.open_lines %}
        {{ line }}
{% endfor %}

{% for line in vector.compute_lines %}
        {{ line }}
{% endfor %}
{% if vector.compute_lines %}

{% endif %}
{% for line in vector.close_lines %}
        {{ line }}
{% endfor %}
    }

    __aicore__ inline void CopyOut(const tile_io::Tile& thisTile, int64_t offset, int64_t rowLength) {
{% for tensor in written %}
        {{ tensor.member }}.CopyOut(thisTile, offset, rowLength);
{% endfor %}
    }

    // A buffer that holds one tile.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tiles_.template Get<Computed>()[index * tiling_->tileElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }
{% if vector.via_half %}

    // Room for the casts of tensors of single bytes, which follow each other.
    __aicore__ inline AscendC::LocalTensor<half> Halves() {
        if constexpr (kViaHalf) {
            return halves_.template Get<half>();
        } else {
            return AscendC::LocalTensor<half>();
        }
    }
{% endif %}

    const {{ op_type }}TilingData* tiling_;
{% for tensor in read %}
    tile_io::{{ tensor.reader }} {{ tensor.member }};
{% endfor %}
{% for tensor in written %}
    tile_io::{{ tensor.writer }} {{ tensor.member }};
{% endfor %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> tiles_;
{% if vector.via_half %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> halves_;
{% endif %}
{% if vector.masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> masks_;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
