#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "opforge/tile_io.h"
{% if vector.integer_functions %}
#include "opforge/integer_math.h"
{% endif %}
{% if vector.functions %}
#include "opforge/vector_math.h"
{% endif %}
#include "{{ stem }}_tiling.h"

{{ formula | comment }}
//
// Elementwise with broadcasting, computed in {{ vector.computed_in }} for all storage types.
template <{{ types | wrap }}>
class {{ op_type }}Kernel {
public:
    __aicore__ inline void Init({{ init_parameters | wrap }}) {
        tiling = &tilingData;
{% if vector.first_shifted %}
        if constexpr (kFirstShifted > 0) {
            pipe.InitBuffer(tileBuffer, kFirstShifted * tilingData.tileElements * sizeof(float));
        }
{% for queue in queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        // What follows begins in other banks than what is above: few instructions read twice in one bank group.
        pipe.InitBuffer(shiftBuffer, tile_io::kBankShift);
{% for queue in shifted_queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        if constexpr (kTileBuffers > kFirstShifted) {
            pipe.InitBuffer(shiftedBuffer, (kTileBuffers - kFirstShifted) * tilingData.tileElements * sizeof(float));
        }
{% else %}
{% for queue in queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        if constexpr (kTileBuffers > 0) {
            pipe.InitBuffer(tileBuffer, kTileBuffers * tilingData.tileElements * sizeof(float));
        }
{% endif %}
{% if vector.half_types %}
        if constexpr (kViaHalf) {
            pipe.InitBuffer(halfBuffer, tilingData.tileElements * sizeof(half));
        }
{% endif %}
{% if vector.masks %}
        pipe.InitBuffer(maskBuffer, kMasks * tilingData.tileElements / kMaskBits);
{% endif %}
{% if vector.blocks %}
        pipe.InitBuffer(coefficientBuffer, kBlocks * vector_math::kBlockFloats * sizeof(float));
{% for fill in vector.fills %}
        {{ fill.function }}({{ fill.arguments | wrap }});
{% endfor %}
{% endif %}
    }

    // All shapes are equal: the core processes one range of elements.
    __aicore__ inline void ProcessFlat() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling->elementsPerBlock, tiling->totalElements);
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const uint32_t elementCount = tile_io::AtMost(end - offset, tiling->tileElements);
            const tile_io::Tile tile{1, elementCount, elementCount};
            const tile_io::Place place{offset, 0, 1};
            CopyIn({{ flat_arguments | wrap }});
            Compute({{ flat_arguments | wrap }});
            CopyOut(tile, offset, elementCount);
        }
    }

    // At least one input is broadcast: the core processes a sequence of tiles of rows and columns.
    __aicore__ inline void ProcessBroadcast() {
        const tile_io::TileGrid grid{tiling->outputShape, tiling->tileRows, tiling->tileColumns, tiling->rowTiles,
                                     tiling->columnTiles};
        const int64_t begin = tiling->tilesPerBlock * AscendC::GetBlockIdx();
        const int64_t end = tile_io::Least(begin + tiling->tilesPerBlock, tiling->tileCount);
        for (int64_t tileNumber = begin; tileNumber < end; tileNumber++) {
            const tile_io::TileOrigin origin = tile_io::OriginOf(grid, tileNumber);
            const tile_io::Tile tile = tile_io::TileAt(grid, origin, kRowStep);
{% for tensor in read %}
            const tile_io::Place {{ tensor.place }} = tile_io::PlaceAt({{ tensor.arguments | wrap }});
{% endfor %}
            CopyIn({{ broadcast_arguments | wrap }});
            Compute({{ broadcast_arguments | wrap }});
            CopyOut(tile, tile_io::OffsetInOutput(grid, origin), grid.shape[0]);
        }
    }

private:
{% if vector.double_buffered %}
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
{% else %}
    // Buffers of each queue. A second buffer each would exceed the number of queue buffers in the hardware.
{% endif %}
    static constexpr uint32_t kBuffers = {{ vector.buffers }};
    // The distance between rows of a tile is a multiple of this many elements.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<{{ vector.row_types | wrap }}>;
    // Indices of buffers of tiles. A tensor that is stored in its compute type needs none.
{% for buffer in vector.tile_buffers %}
{% if buffer.types %}
    static constexpr uint32_t {{ buffer.constant }} = {{ buffer.previous }} + tile_io::kBuffersOf<{{ buffer.types | wrap }}>;
{% elif buffer.previous %}
    static constexpr uint32_t {{ buffer.constant }} = {{ buffer.previous }} + 1;
{% else %}
    static constexpr uint32_t {{ buffer.constant }} = 0;
{% endif %}
{% endfor %}
{% if vector.first_shifted %}
    // Buffers from this one on are in shiftedBuffer.
    static constexpr uint32_t kFirstShifted = {{ vector.first_shifted }};
{% endif %}
{% if vector.half_types %}
    // Whether any tensor has a one-byte type, which is cast through half.
    static constexpr bool kViaHalf = tile_io::kSomeViaHalf<{{ vector.half_types | wrap }}>;
{% endif %}
{% if vector.blocks %}
    // Blocks of 32 bytes with the coefficients that polynomials add.
    static constexpr uint32_t kBlocks = {{ vector.blocks }};
{% endif %}
{% if vector.masks %}
    // Masks have one bit for each element; Compare works on whole blocks of 256 bytes.
    static constexpr uint32_t kMasks = {{ vector.masks }};
    static constexpr uint32_t kMaskBits = 8;
    static constexpr uint32_t kCompareElements = 64;
{% endif %}

    __aicore__ inline void CopyIn({{ parameters | wrap }}) {
{% for tensor in read %}
        {{ tensor.queue }}.CopyIn(tile, {{ tensor.place }});
{% endfor %}
    }

    __aicore__ inline void Compute({{ parameters | wrap }}) {
        const uint32_t elementCount = tile.Count();
{% if vector.masks %}
        const uint32_t compareCount = tile_io::RoundUp(elementCount, kCompareElements);
{% endif %}
        // A local tensor is overwritten after its last use.
{% if vector.half_types %}
        AscendC::LocalTensor<half> halfTile = Halves();
{% endif %}
{% for tensor in vector.read %}
        AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.DeQue({{ tensor.arguments | wrap }});
{% endfor %}
{% for tensor in vector.built %}
        AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.AllocTensor({{ tensor.arguments | wrap }});
{% endfor %}
{% for buffer in vector.temporaries %}
        AscendC::LocalTensor<{{ buffer.type }}> {{ buffer.local }} = Buffer<{{ buffer.type }}, {{ buffer.constant }}>();
{% endfor %}
{% for number in vector.mask_numbers %}
        AscendC::LocalTensor<uint8_t> maskLocal{{ number }} = Mask({{ number }});
{% endfor %}

{% for call in vector.calls %}
        {{ call.function }}({{ call.arguments | wrap }});
{% endfor %}
{% if vector.calls %}

{% endif %}
{% for tensor in vector.copied %}
        {{ tensor.queue }}.EnQueCopy({{ tensor.stored | wrap }});
{% endfor %}
{% for tensor in vector.built %}
        {{ tensor.queue }}.EnQue({{ tensor.stored | wrap }});
{% endfor %}
{% for tensor in vector.read %}
        {{ tensor.queue }}.FreeTensor({{ tensor.local }});
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
{% if vector.first_shifted %}
        if constexpr (index < kFirstShifted) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else if constexpr (index < kTileBuffers) {
            return shiftedBuffer.template Get<Computed>()[(index - kFirstShifted) * tiling->tileElements];
        } else {
{% else %}
        if constexpr (index < kTileBuffers) {
            return tileBuffer.template Get<Computed>()[index * tiling->tileElements];
        } else {
{% endif %}
            return AscendC::LocalTensor<Computed>();
        }
    }
{% if vector.half_types %}

    // The buffer that casts of one-byte types use, one after the other.
    __aicore__ inline AscendC::LocalTensor<half> Halves() {
        if constexpr (kViaHalf) {
            return halfBuffer.template Get<half>();
        } else {
            return AscendC::LocalTensor<half>();
        }
    }
{% endif %}
{% if vector.blocks %}

    // The blocks from this one on.
    __aicore__ inline AscendC::LocalTensor<float> Coefficients(uint32_t block) {
        return coefficientBuffer.template Get<float>()[block * vector_math::kBlockFloats];
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
{% if vector.first_shifted %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> shiftedBuffer;
{% endif %}
{% if vector.half_types %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfBuffer;
{% endif %}
{% if vector.blocks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> coefficientBuffer;
{% endif %}
{% if vector.masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> maskBuffer;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
