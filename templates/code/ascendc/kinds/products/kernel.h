#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
{% if shares_sums %}
#include "opforge/product_parts.h"
#include "opforge/summed_queue.h"
{% endif %}
#include "opforge/tile_io.h"
#include "opforge/tile_matmul.h"
{% if vector.integer_functions %}
#include "opforge/integer_math.h"
{% endif %}
{% if vector.functions %}
#include "opforge/vector_math.h"
{% endif %}
#include "{{ stem }}_tiling.h"

{{ formula | comment }}
//
// The cube core computes the products in float32, tile by tile of the output. The vector cores compute the rest of the
// expression in {{ vector.computed_in }} for all storage types. No product exists as a whole tensor.
template <{{ types | wrap }}>
class {{ op_type }}Kernel {
public:
    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ left.type }}{% if left.transposed %}, true{% endif %}>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ right.type }}{% if right.transposed %}, true{% endif %}>;
{% if coupled %}
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND_ALIGN, float>;
{% else %}
    using ProductMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
{% endif %}
    // The entry function registers it, which starts the cube core.
    matmul::Matmul<LeftMatrix, RightMatrix, ProductMatrix, ProductMatrix, tile_matmul::kConfig> matmulObj;

    __aicore__ inline void Init({{ init_parameters | wrap }}) {
        tiling = &tilingData;
        const int64_t workerNumber = tile_matmul::WorkerNumber(tilingData.blockCount);
{% if coupled %}
        const uint32_t tilesTogether = tilingData.tilesTogether;
        tileShare = tile_matmul::ShareOf(workerNumber, tilingData.workerCount, tilingData.tileCount / tilesTogether);
        tileShare = {tileShare.begin * tilesTogether, tileShare.end * tilesTogether};
{% elif shares_sums %}
        tileShare = tile_matmul::ShareOf(workerNumber, tilingData.workerCount, tilingData.finishedTiles);
        sharesSums = tilingData.partCount > 1;
{% else %}
        tileShare = tile_matmul::ShareOf(workerNumber, tilingData.workerCount, tilingData.tileCount);
{% endif %}
        productSlots.Init(userWorkspace, workerNumber, kProducts, tilingData.tileRows * tilingData.tileColumns);
{% for operand in operands %}
        {{ operand.gm }}.SetGlobalBuffer(reinterpret_cast<__gm__ {{ operand.type }}*>({{ operand.address }}));
{% endfor %}
{% for product in parts %}
        {{ product.function }}({{ product.arguments | wrap }});
{% endfor %}
{% for queue in queues %}
        {{ queue.function }}({{ queue.arguments | wrap }});
{% endfor %}
        if constexpr (kTileBuffers > 0) {
            pipe.InitBuffer(tileBuffer, kTileBuffers * tilingData.epilogueElements * sizeof(float));
        }
{% if vector.half_types %}
        if constexpr (kViaHalf) {
            pipe.InitBuffer(halfBuffer, tilingData.epilogueElements * sizeof(half));
        }
{% endif %}
{% if vector.masks %}
        pipe.InitBuffer(maskBuffer, kMasks * tilingData.epilogueElements / kMaskBits);
{% endif %}
{% if coupled %}
        if constexpr (tile_io::kCoupled) {
            if (tilingData.formattingBytes > 0) {
                pipe.InitBuffer(formatBuffer, tilingData.formattingBytes);
            }
        }
{% endif %}
{% if vector.blocks %}
        pipe.InitBuffer(coefficientBuffer, kBlocks * vector_math::kBlockFloats * sizeof(float));
{% for fill in vector.fills %}
        {{ fill.function }}({{ fill.arguments | wrap }});
{% endfor %}
{% endif %}
    }

    // While the cube core computes the products of the next tile, this vector core uses those of the current one.
    __aicore__ inline void Process() {
        if (tileShare.begin == tileShare.end) {
            return;
        }
{% if coupled %}
        if constexpr (tile_io::kCoupled) {
            matmulObj.SetLocalWorkspace(formatBuffer.Get<uint8_t>());
        }
        const int rowCount = static_cast<int>(tiling->rowCount);
        const int innerCount = static_cast<int>(tiling->innerCount);
        const int columnCount = static_cast<int>(tiling->columnCount);
        matmulObj.SetOrgShape(rowCount, columnCount, innerCount, innerCount, static_cast<int>(tiling->tileColumns));
{% endif %}
        Multiply(TileAt(tileShare.begin), 0);
        uint32_t slot = 0;
        for (int64_t tileNumber = tileShare.begin; tileNumber < tileShare.end; tileNumber++) {
            // Request the next tile before this one is done, so that the cube core can continue. MTE3 sends the message
            // after the results that were computed from the other slot, so that slot has been read by then.
            if (tileNumber + 1 < tileShare.end) {
                Multiply(TileAt(tileNumber + 1), 1 - slot);
            }
{% if coupled %}
            tile_matmul::WaitForProducts(matmulObj);
{% else %}
            matmulObj.WaitIterateAll();
{% endif %}
            Finish(TileAt(tileNumber), slot);
            slot = 1 - slot;
        }
        matmulObj.End();
    }

    // The operands have no elements, so that all products are zero.
    __aicore__ inline void ProcessWithoutProducts() {
        for (int64_t tileNumber = tileShare.begin; tileNumber < tileShare.end; tileNumber++) {
            Finish(TileAt(tileNumber), 0);
        }
    }
{% if shares_sums %}

    // The cube cores multiply parts of K, and this vector core adds them as it loads them.
    __aicore__ inline void ProcessParts() {
        product_parts::WaitForParts();
        ProcessWithoutProducts();
    }
{% endif %}

private:
    static constexpr uint32_t kProducts = {{ product_count }};
{% if vector.double_buffered %}
    // Buffers of each queue: while some rows are computed, the next ones are copied in and the previous ones out.
{% else %}
    // Buffers of each queue. A second buffer each would exceed the number of queue buffers in the hardware.
{% endif %}
    static constexpr uint32_t kBuffers = {{ vector.buffers }};
    // The distance between rows of a tile is a multiple of this many elements.
    static constexpr uint32_t kRowStep = tile_io::kRowStepOf<{{ vector.row_types | wrap }}>;
    // Indices of buffers in tileBuffer. A tensor that is stored in its compute type needs none.
{% for buffer in vector.tile_buffers %}
{% if buffer.types %}
    static constexpr uint32_t {{ buffer.constant }} = {{ buffer.previous }} + tile_io::kBuffersOf<{{ buffer.types | wrap }}>;
{% elif buffer.previous %}
    static constexpr uint32_t {{ buffer.constant }} = {{ buffer.previous }} + 1;
{% else %}
    static constexpr uint32_t {{ buffer.constant }} = 0;
{% endif %}
{% endfor %}
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

{% if shares_sums %}
    // Where the parts of a product begin, or its tiles in this vector core's slots.
    __aicore__ inline GM_ADDR ProductAddress(GM_ADDR userWorkspace, uint32_t product) {
        if (sharesSums) {
            return reinterpret_cast<GM_ADDR>(product_parts::PartAt(userWorkspace, *tiling, product, 0));
        }
        return productSlots.ProductAddress(product);
    }

{% endif %}
    __aicore__ inline tile_matmul::OutputTile TileAt(int64_t tileNumber) {
        const tile_matmul::TileGrid grid{tiling->rowCount, tiling->columnCount, tiling->columnTiles,
                                         tiling->tileRows, tiling->tileColumns, tiling->tileGroup};
{% if shares_sums %}
        if (sharesSums) {
            const tile_matmul::TileGrid finished{tiling->rowCount, tiling->columnCount, tiling->finishedColumnTiles,
                                                 tiling->finishedRows, tiling->finishedColumns};
            return tile_matmul::TileAt(finished, tileNumber);
        }
{% endif %}
        return tile_matmul::TileAt(grid, tileNumber);
    }

{% if coupled %}
    // Requests all products of a tile. The cube core works in order, so waiting for the last product waits for all. In
    // a slot, the distance between rows is that of the widest tile.
{% else %}
    // Requests all products of a tile. The cube core works in order, so waiting for the last product waits for all. In
    // a slot, the rows of a tile follow each other without gaps.
{% endif %}
    __aicore__ inline void Multiply(const tile_matmul::OutputTile& tile, uint32_t slot) {
        matmulObj.SetSingleShape(tile.rows, tile.columns, tiling->innerCount);
{% if left_once %}
        if (tile.row != leftRow) {
            matmulObj.SetTensorA({{ left.gm }}[{{ left.place }}]{% if left.transposed %}, true{% endif %});
            leftRow = tile.row;
        }
{% endif %}
{% for product in products %}
{% if not left_once %}
        matmulObj.SetTensorA({{ product.left }}[{{ left.place }}]{% if left.transposed %}, true{% endif %});
{% endif %}
        matmulObj.SetTensorB({{ product.right }}[{{ right.place }}]{% if right.transposed %}, true{% endif %});
{% if coupled %}
        matmulObj.template IterateAll<tile_io::kCoupled>(productSlots.At(slot, {{ product.number }}), 0, false, {{ product.awaited }});
{% else %}
        matmulObj.template IterateAll<false>(productSlots.At(slot, {{ product.number }}), 0, true, {{ product.awaited }});
{% endif %}
{% endfor %}
    }

    // Computes a tile of the results from the products in a slot, as many rows at a time as the buffers hold.
    __aicore__ inline void Finish(const tile_matmul::OutputTile& tile, uint32_t slot) {
        const uint32_t rowPitch = tile_io::RoundUp(tile.columns, kRowStep);
        for (uint32_t done = 0; done < tile.rows; done += tiling->epilogueRows) {
            const uint32_t rowCount = tile_io::AtMost(tile.rows - done, tiling->epilogueRows);
            const tile_io::Tile rows{rowCount, tile.columns, rowPitch};
{% if coupled %}
            const tile_io::Tile wholeRows = tile_matmul::WholeRows(rows);
{% endif %}
            const int64_t offset = (tile.row + done) * tiling->columnCount + tile.column;
{% if coupled %}
            const uint32_t slotPitch = tiling->tileColumns;
            const tile_io::Place slotPlace{productSlots.OffsetOf(slot) + done * slotPitch, slotPitch, 1};
{% elif shares_sums %}
            const tile_io::Place inSlot{productSlots.OffsetOf(slot) + done * tile.columns, tile.columns, 1};
            const tile_io::Place inParts{offset, tiling->columnCount, 1};
            const tile_io::Place slotPlace = sharesSums ? inParts : inSlot;
{% else %}
            const tile_io::Place slotPlace{productSlots.OffsetOf(slot) + done * tile.columns, tile.columns, 1};
{% endif %}
{% if output_place %}
            const tile_io::Place outputPlace{offset, tiling->columnCount, 1};
{% endif %}
{% if row_place %}
            const tile_io::Place rowPlace{tile.column, 0, 1};
{% endif %}
{% for tensor in read %}
            {{ tensor.queue }}.CopyIn({{ tensor.rows }}, {{ tensor.place }});
{% endfor %}
            Compute({{ arguments | wrap }});
{% for tensor in written %}
            {{ tensor.queue }}.CopyOut(rows, offset, tiling->columnCount);
{% endfor %}
        }
    }

    __aicore__ inline void Compute({{ parameters | wrap }}) {
        const uint32_t elementCount = rows.Count();
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

    // A buffer that holds the rows computed at once.
    template <typename Computed, uint32_t index>
    __aicore__ inline AscendC::LocalTensor<Computed> Buffer() {
        if constexpr (index < kTileBuffers) {
            return tileBuffer.template Get<Computed>()[index * tiling->epilogueElements];
        } else {
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
        return maskBuffer.template Get<uint8_t>()[number * tiling->epilogueElements / kMaskBits];
    }
{% endif %}

    const {{ op_type }}TilingData* tiling;
    tile_matmul::Share tileShare;
    tile_matmul::Slots productSlots;
{% if shares_sums %}
    bool sharesSums;
{% endif %}
{% if left_once %}
    int64_t leftRow = -1;  // the row of the left matrix that is currently set
{% endif %}
{% for operand in operands %}
    AscendC::GlobalTensor<{{ operand.type }}> {{ operand.gm }};
{% endfor %}
{% for tensor in read %}
    tile_io::{{ tensor.type }} {{ tensor.queue }};
{% endfor %}
{% for tensor in written %}
    tile_io::{{ tensor.type }} {{ tensor.queue }};
{% endfor %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> tileBuffer;
{% if vector.half_types %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> halfBuffer;
{% endif %}
{% if vector.blocks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> coefficientBuffer;
{% endif %}
{% if vector.masks %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> maskBuffer;
{% endif %}
{% if coupled %}
    AscendC::TBuf<AscendC::TPosition::VECCALC> formatBuffer;
{% endif %}
};

#endif  // {{ guard }}_KERNEL_H
