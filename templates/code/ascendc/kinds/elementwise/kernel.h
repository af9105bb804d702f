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
        tiling = &tilingData;
{% for line in init_lines %}
        {{ line }}
{% endfor %}
        if constexpr (kTileBuffers > 0) {
            pipe.InitBuffer(tileBuffer, kTileBuffers * tilingData.tileElements * sizeof(float));
        }
{% if vector.via_half %}
        if constexpr (kViaHalf) {
            pipe.InitBuffer(halfBuffer, tilingData.tileElements * sizeof(half));
        }
{% endif %}
{% if vector.masks %}
        pipe.InitBuffer(maskBuffer, kMasks * tilingData.tileElements / kMaskBits);
{% endif %}
    }

    // All shapes are equal: the core's part is one stretch of elements.
    __aicore__ inline void ProcessFlat() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling->elementsPerBlock, tiling->totalElements);
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const uint32_t elementCount = tile_io::AtMost(end - offset, tiling->tileElements);
            const tile_io::Tile tile{1, elementCount, elementCount};
            const tile_io::Place place{offset, 0, 1};
            {{ flat_copy_in }}
            {{ flat_compute }}
            CopyOut(tile, offset, elementCount);
        }
    }

    // Some input is broadcast: the core's part is a run of tiles of rows and columns.
    __aicore__ inline void ProcessBroadcast() {
        const tile_io::TileGrid grid{tiling->outputShape, tiling->tileRows, tiling->tileColumns, tiling->rowTiles,
                                     tiling->columnTiles};
        const int64_t begin = tiling->tilesPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling->tilesPerBlock, tiling->tileCount);
        for (int64_t tileNumber = begin; tileNumber < end; tileNumber++) {
            const tile_io::TileOrigin origin = tile_io::OriginOf(grid, tileNumber);
            const tile_io::Tile tile = tile_io::TileAt(grid, origin, kRowStep);
{% for tensor in read %}
            {{ tensor.place_line }}
{% endfor %}
            {{ broadcast_copy_in }}
            {{ broadcast_compute }}
            CopyOut(tile, tile_io::OffsetInOutput(grid, origin), grid.shape[0]);
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
    // Places in tileBuffer. A tensor that is stored as it is computed takes none.
{% for line in vector.buffer_constants %}
    {{ line }}
{% endfor %}
{% if vector.via_half %}
    // Whether some tensor is of single bytes, which are cast by way of half.
    {{ vector.via_half }}
{% endif %}
{% if vector.masks %}
    // Masks have one bit for each element; Compare works on whole blocks of 256 bytes.
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
        const uint32_t elementCount = tile.Count();
{% if vector.masks %}
        const uint32_t compareCount = tile_io::RoundUp(elementCount, kCompareElements);
{% endif %}
        // A local tensor is overwritten after its last use.
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

    __aicore__ inline void CopyOut(const tile_io::Tile& tile, int64_t offset, int64_t rowLength) {
{% for tensor in written %}
        {{ tensor.queue }}.CopyOut(tile, offset, rowLength);
{% endfor %}
    }

    // A buffer that holds one tile.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else {
            return AscendC::LocalTensor<Computed>();
        }
    }
{% if vector.via_half %}

    // Room for the casts of tensors of single bytes, which follow each other.
    __aicore__ inline AscendC::LocalTensor<half> Halves() {
        if constexpr (kViaHalf) {
            return halfBuffer.template Get<half>();
        } else {
            return AscendC::LocalTensor<half>();
        }
    }
{% endif %}
{% if vector.masks %}

    // One bit for each element.
    __aicore__ inline AscendC::LocalTensor<uint8_t> Mask(uint32_t number) {
        return maskBuffer.template Get<uint8_t>()[number * tiling->tileElements / kMaskBits];
    }
{% endif %}

    const {{ op_type }}TilingData* tiling;
{% for tensor in read %}
    tile_io::{{ tensor.type }} {{ tensor.queue }};
{% endfor %}
{% for tensor in written %}
    tile_io::{{ tensor.type }} {{ tensor.queue }};
{% endfor %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> tileBuffer;
{% if vector.via_half %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfBuffer;
{% endif %}
{% if vector.masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> maskBuffer;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
